/**
 * Whether a double represents the number of a JSON token exactly: `1.0`, `1e2` and `0.1` are exact; `9007199254740993`,
 * `1e400`, `0.1000000000000000055` and `-0` are not.
 */
export const isKeptExactly = (token: string): boolean => {
  const value = Number(token)
  if (Object.is(value, -0) || !Number.isFinite(value)) return false
  const sent = toDecimal(token)
  const kept = toDecimal(String(value))
  return sent.digits === kept.digits && sent.exponent === kept.exponent
}

/** The significant digits and the exponent of the last one. The sign is always preserved and omitted here. */
type Decimal = { digits: string; exponent: number }

const toDecimal = (token: string): Decimal => {
  const unsigned = token.startsWith('-') ? token.slice(1) : token
  const power = unsigned.search(/[eE]/)
  const mantissa = power === -1 ? unsigned : unsigned.slice(0, power)
  const point = mantissa.indexOf('.')
  const all = point === -1 ? mantissa : mantissa.slice(0, point) + mantissa.slice(point + 1)
  const decimals = point === -1 ? 0 : mantissa.length - point - 1
  const end = endOfDigits(all)
  const digits = all.slice(startOfDigits(all, end), end)
  if (digits === '') return { digits, exponent: 0 }
  const given = power === -1 ? 0 : Number(unsigned.slice(power + 1))
  return { digits, exponent: given - decimals + (all.length - end) }
}

// Loops instead of a pattern: a pattern for trailing zeros is quadratic on a megabyte of zeros.
const endOfDigits = (digits: string): number => {
  let end = digits.length
  while (end > 0 && digits[end - 1] === '0') end--
  return end
}

const startOfDigits = (digits: string, end: number): number => {
  let start = 0
  while (start < end && digits[start] === '0') start++
  return start
}
