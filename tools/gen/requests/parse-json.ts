import type { Json, Text, TextPart } from './request.ts'
import { ShellOnly } from './shell.ts'

// Characters of Unicode's private use mark the place of a part, because JSON.parse keeps them.
const [first, last] = ['\u{e000}', '\u{e001}']
const place = /(\u{e000}\d+\u{e001})/u

/** A JSON body that the shell puts together from text and variables. */
export const parseJson = (text: Text): Json => {
  let source = ''
  for (const [index, part] of text.entries()) {
    if (typeof part === 'string') source += part
    else source += isInString(source) ? `${first}${index}${last}` : `"${first}bare${index}${last}"`
  }
  try {
    return toJson(JSON.parse(source), text)
  } catch (cause) {
    throw new ShellOnly('its body is not JSON', { cause })
  }
}

const isInString = (source: string): boolean => (source.replaceAll(/\\./g, '').match(/"/g)?.length ?? 0) % 2 === 1

const toJson = (value: unknown, text: Text): Json => {
  if (Array.isArray(value)) return value.map((each) => toJson(each, text))
  if (typeof value === 'object' && value !== null)
    return { fields: Object.entries(value).map(([key, each]) => [key, toJson(each, text)]) }
  if (typeof value !== 'string') return value as null | boolean | number
  const partAt = (index: string): TextPart => text[Number(index)] ?? ''
  const bare = /^\u{e000}bare(\d+)\u{e001}$/u.exec(value)
  if (bare) return { bare: partAt(bare[1] ?? '') }
  const pieces = value.split(place).filter((piece) => piece !== '')
  return { quoted: pieces.map((piece) => (place.test(piece) ? partAt(piece.slice(1, -1)) : piece)) }
}
