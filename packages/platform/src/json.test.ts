import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { JsonRefused, parseStrictJson } from './json.ts'

const limits = { depth: 32, keys: 1_000 }
const parse = (text: string) => parseStrictJson(Buffer.from(text), limits)

const refusalOf = (text: string | Buffer): JsonRefused => {
  try {
    parseStrictJson(Buffer.from(text), limits)
  } catch (error) {
    if (error instanceof JsonRefused) return error
    throw error
  }
  throw new Error('nothing was refused')
}

describe('accepted JSON is parsed like JSON.parse', () => {
  test.each([
    ['whitespace everywhere', ' \t\r\n{ "a" :\n[ 1 , 2 ] }\n'],
    ['all escapes', '{"a":"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\uD83D\\ude00"}'],
    ['words', '[true,false,null,{},[],""]'],
    [
      'numbers that a double spells otherwise',
      '[1.0,1e2,1E+2,0.1,-1.50,0e5,0.0,100e-2,9007199254740992,1e300,123456789.125]',
    ],
    ['letters outside of the basic plane', '{"🐝":"Bienen 🐝"}'],
    ['keys that objects have by themselves', '{"constructor":{"prototype":1},"toString":1,"":2,"hasOwnProperty":3}'],
    ['one value alone', '"x"'],
  ])('%s', (_what, text) => {
    expect(parse(text)).toEqual(JSON.parse(text))
  })

  test('the maximum depth and number of keys are accepted', () => {
    const deep = '['.repeat(32) + ']'.repeat(32)
    const wide = JSON.stringify(Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`k${at}`, at])))
    expect(parse(deep)).toEqual(JSON.parse(deep))
    expect(parse(wide)).toEqual(JSON.parse(wide))
  })

  test('any value written by JSON.stringify is accepted', () => {
    const value = fc
      .jsonValue({ maxDepth: 20, noUnicodeString: false })
      .filter((one) => isKeepable(JSON.stringify(one)))
    fc.assert(
      fc.property(value, fc.constantFrom(undefined, 2, '\t'), (one, indent) => {
        const text = JSON.stringify(one, null, indent)
        expect(parse(text)).toEqual(JSON.parse(text))
      }),
    )
  })

  test('any double except -0 is accepted', () => {
    const number = fc.double({ noNaN: true, noDefaultInfinity: true }).filter((one) => !Object.is(one, -0))
    fc.assert(fc.property(number, (one) => Object.is(parse(JSON.stringify(one)), one)))
  })
})

describe('invalid JSON is rejected', () => {
  test.each([
    ['nothing', '', 'is empty'],
    ['spaces', ' \n ', 'is empty'],
    ['half an object', '{', 'expected a key in double quotes at the end'],
    ['a trailing comma in an object', '{"a":1,}', 'line 1, column 8'],
    ['a trailing comma in a list', '[1,\n2,]', 'expected a value at line 2, column 3'],
    ['NaN', '{"a":NaN}', 'expected a value at line 1, column 6'],
    ['Infinity', '[-Infinity]', 'expected a digit'],
    ['a byte order mark', '\ufeff{}', 'byte order mark'],
    ['two documents', '{} {}', 'unexpected text after the end of the document at line 1, column 4'],
    ['single quotes', "{'a':1}", 'expected a key in double quotes'],
    ['a key without a value', '{"a"}', 'expected a colon'],
    ['two values without a comma', '[1 2]', 'expected a comma or ]'],
    ['a brace for a bracket', '[1}', 'expected a comma or ]'],
    ['a string without an end', '"abc', 'unterminated string'],
    ['an escape without an end', '"\\', 'unknown escape'],
    ['an unknown escape', '"\\x41"', 'unknown escape'],
    ['a short \\u', '"\\u12"', 'unknown escape'],
    ['a line break inside a string', '"a\nb"', 'control character'],
    ['a bare NUL', '"a\0b"', 'control character'],
    ['a leading zero', '[01]', 'expected a comma'],
    ['a plus sign', '[+1]', 'expected a value'],
    ['a number that ends in its point', '[1.]', 'expected a digit'],
    ['a number that ends in its exponent', '[1e]', 'expected a digit'],
    ['a word cut short', '[tru]', 'expected a value'],
    ['a no-break space', '[\u00a01]', 'expected a value'],
    ['a comment', '{/* */}', 'expected a key'],
  ])('%s', (_what, text, message) => {
    const refused = refusalOf(text)
    expect([refused.kind, refused.path]).toEqual(['syntax', null])
    expect(refused.message).toContain(message)
    expect(() => JSON.parse(text)).toThrow()
  })

  test.each([
    ['a lone continuation byte', [0x22, 0x80, 0x22]],
    ['an overlong slash', [0x22, 0xc0, 0xaf, 0x22]],
    ['an overlong NUL', [0x22, 0xc0, 0x80, 0x22]],
    ['a surrogate in UTF-8', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['a letter cut in two', [0x22, 0xc3, 0x22]],
    ['beyond the last letter', [0x22, 0xf4, 0x90, 0x80, 0x80, 0x22]],
    ['UTF-16', [0xff, 0xfe, 0x22, 0x00]],
  ])('bytes that are not UTF-8: %s', (_what, bytes) => {
    expect(refusalOf(Buffer.from(bytes)).kind).toBe('encoding')
  })

  test('rejects everything that JSON.parse rejects, and otherwise only the listed cases', () => {
    const pieces = [
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '"a"',
      '"b"',
      '\\',
      '\\u0041',
      '\\ud83d\\ude00',
      '\\n',
      ' ',
      '\n',
    ]
    const more = [
      '0',
      '1',
      '-',
      '.',
      'e',
      'E',
      '+',
      '12.5',
      'true',
      'false',
      'null',
      'nul',
      'é',
      '🐝',
      '\u0001',
      '\u2028',
    ]
    const broken = fc.array(fc.constantFrom(...pieces, ...more), { maxLength: 12 }).map((list) => list.join(''))
    const bent = fc
      .tuple(fc.json(), fc.nat(), fc.nat(3), fc.constantFrom('', ...pieces, ...more))
      .map(([text, at, cut, put]) => text.slice(0, at % text.length) + put + text.slice((at % text.length) + cut))
      // A slice can split a surrogate pair, and half a pair cannot be sent.
      .filter((text) => text.isWellFormed())
    fc.assert(
      fc.property(fc.oneof(broken, bent), (text) => {
        const expected = nativeOf(text)
        if (expected === undefined || !isKeepable(text)) expect(refusalOf(text)).toBeInstanceOf(JsonRefused)
        else expect(parse(text)).toEqual(expected.value)
      }),
    )
  })
})

describe('JSON that would be changed silently is rejected with its path', () => {
  test.each([
    ['too large for a double', '{"input":{"n":1e400}}', 'number', 'input.n'],
    ['too small for a double', '{"input":{"n":1e-400}}', 'number', 'input.n'],
    ['an integer that no double is', '{"input":{"n":[1,9007199254740993]}}', 'number', 'input.n.1'],
    ['a long decimal', '{"n":0.1000000000000000055}', 'number', 'n'],
    ['a long integer', `{"n":1${'0'.repeat(400)}}`, 'number', 'n'],
    ['minus zero', '[-0]', 'number', '0'],
    ['minus zero with decimals', '[-0.0]', 'number', '0'],
    ['minus zero with an exponent', '-0e7', 'number', null],
    ['NUL', '{"input":{"query":"a\\u0000b"}}', 'character', 'input.query'],
    ['NUL in a key', '{"input":{"a\\u0000b":1}}', 'character', 'input.(a key)'],
    ['the first half of a pair', '{"input":["\\ud800"]}', 'character', 'input.0'],
    ['the first half and a letter', '"\\ud800\\u0041"', 'character', null],
    ['the second half of a pair', '"\\udc00"', 'character', null],
    ['two first halves', '"\\ud83d\\ud83d\\ude00"', 'character', null],
    ['a key twice', '{"agent_id":"a","agent_id":"b"}', 'duplicate_key', 'agent_id'],
    ['a key twice, spelt otherwise', '{"input":{"a":1,"\\u0061":2}}', 'duplicate_key', 'input.a'],
    ['a key twice, far apart', `{"a0":1,${range(20)},"a0":2}`, 'duplicate_key', 'a0'],
    ['a prototype', '{"input":[{"__proto__":{"admin":true}}]}', 'reserved_key', 'input.0.__proto__'],
    ['a prototype, spelt otherwise', '{"\\u005f_proto__":1}', 'reserved_key', '__proto__'],
    ['too many keys', `{"input":{${range(1_001)}}}`, 'keys', 'input'],
    ['one level too deep', '['.repeat(33) + ']'.repeat(33), 'depth', null],
    ['one level too deep, in objects', `${'{"a":'.repeat(33)}1${'}'.repeat(33)}`, 'depth', null],
    ['a million levels too deep', '['.repeat(1_000_000) + ']'.repeat(1_000_000), 'depth', null],
    ['a million levels too deep, in objects', '{"a":'.repeat(1_000_000), 'depth', null],
  ])('%s', (_what, text, kind, path) => {
    const refused = refusalOf(text)
    expect([refused.kind, refused.path]).toEqual([kind, path])
  })

  test('the message is short', () => {
    expect(refusalOf('{"n":9007199254740993}').message).toBe(
      'is the number 9007199254740993, which cannot be stored exactly; send it as a string',
    )
    const long = 'k'.repeat(1_000_000)
    expect(refusalOf(`{"${long}":1${'0'.repeat(999_999)}}`).message.length).toBeLessThan(200)
    expect(refusalOf(`{"${long}":-0}`).path?.length).toBeLessThan(100)
  })
})

const range = (count: number): string => Array.from({ length: count }, (_, at) => `"k${at}":${at}`).join(',')

const nativeOf = (text: string): { value: unknown } | undefined => {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

/** An independent implementation of the rules, for text that JSON.parse accepts and that is neither deep nor wide. */
const isKeepable = (text: string): boolean => {
  const value: unknown = JSON.parse(text)
  const withoutStrings = text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '')
  const numbers = withoutStrings.match(/-?\d[\d.eE+-]*/g) ?? []
  const keys = keysOf(value)
  return (
    numbers.every((token) => !Object.is(Number(token), -0) && isSameNumber(token, String(Number(token)))) &&
    // A duplicate key has two colons and is one key.
    withoutStrings.split(':').length - 1 === keys.length &&
    !keys.includes('__proto__') &&
    [...keys, ...stringsOf(value)].every((one) => one.isWellFormed() && !one.includes('\0'))
  )
}

const isSameNumber = (one: string, other: string): boolean => {
  const [a, b] = [fractionOf(one), fractionOf(other)]
  if (a === undefined || b === undefined) return false
  const least = Math.min(a.power, b.power)
  return a.digits * 10n ** BigInt(a.power - least) === b.digits * 10n ** BigInt(b.power - least)
}

const fractionOf = (token: string): { digits: bigint; power: number } | undefined => {
  const [, whole = '', decimals = '', power = '0'] = /^-?(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(token) ?? []
  if (whole === '') return undefined
  const digits = BigInt(whole + decimals)
  if (digits === 0n) return { digits, power: 0 }
  return Math.abs(Number(power)) > 5_000 ? undefined : { digits, power: Number(power) - decimals.length }
}

const keysOf = (value: unknown): string[] => {
  if (typeof value !== 'object' || value === null) return []
  return [...(Array.isArray(value) ? [] : Object.keys(value)), ...Object.values(value).flatMap(keysOf)]
}

const stringsOf = (value: unknown): string[] => {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsOf) : []
}
