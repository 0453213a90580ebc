import { stripVTControlCharacters } from 'node:util'

/**
 * Text of others, fit for a terminal: an agent's output or an endpoint's answer must not move the cursor, change the
 * title of the window or turn the direction of writing. Line breaks and tabs stay.
 */
export const clean = (text: string): string => stripVTControlCharacters(text).replace(unfit, '')

/** The same, on one line and no longer than it may be. */
export const oneLine = (text: string, maxChars = 200): string => {
  const line = clean(text).replace(/\s+/g, ' ').trim()
  return line.length > maxChars ? `${line.slice(0, maxChars - 1)}…` : line
}

/** JSON whose strings cannot reach the terminal either: what `JSON.stringify` leaves as it is, is escaped too. */
export const toJson = (value: unknown, indent = 0): string => escapeUnfit(JSON.stringify(value, null, indent))

/** In JSON text the characters that are meant stand in strings only, so an escape means the same. */
export const escapeUnfit = (json: string): string =>
  json.replace(unfitInJson, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that are meant
const unfit = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g
const unfitInJson = /[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g
