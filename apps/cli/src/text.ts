import { stripVTControlCharacters } from 'node:util'
import { cliBounds } from './bounds.ts'

/**
 * Makes foreign text safe for a terminal: an agent's output or an endpoint's response must not move the cursor, set the
 * window title or change the writing direction. Line breaks and tabs stay.
 */
export const clean = (text: string): string => stripVTControlCharacters(text).replace(unfit, '')

/** The same on one line, truncated. */
export const oneLine = (text: string, maxChars: number = cliBounds.line.chars): string => {
  const line = clean(text).replace(/\s+/g, ' ').trim()
  return line.length > maxChars ? `${line.slice(0, maxChars - 1)}…` : line
}

/** JSON that is safe for a terminal: it also escapes characters that `JSON.stringify` leaves unescaped. */
export const toJson = (value: unknown, indent = 0): string => escapeUnfit(JSON.stringify(value, null, indent))

/** In JSON these characters occur only in strings, so escaping them does not change the value. */
export const escapeUnfit = (json: string): string =>
  json.replace(unfitInJson, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that are meant
const unfit = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g
const unfitInJson = /[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g
