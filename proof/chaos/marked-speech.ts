import { seededRandom } from '../lab/random.ts'

/** 32 letters of a script that nothing else in a stack uses: a single one of them tells where a marker has come. */
export type MarkerScript = { readonly name: string; readonly first: number }

/** Georgian capitals. The policies forbid them. */
export const forbiddenScript: MarkerScript = { name: 'forbidden', first: 0x10_a0 }
/** Coptic letters, for the control: no policy knows them, so a search that does not find them is blind. */
export const permittedScript: MarkerScript = { name: 'permitted', first: 0x2c_80 }

const letters = 32
export const markerChars = 12

/** For a rule with the check `regex`. It contains no letter of the script, because rules are stored. */
export const patternOf = ({ first }: MarkerScript): string =>
  `[\\u{${first.toString(16)}}-\\u{${(first + letters - 1).toString(16)}}]{${markerChars}}`

/** The marker of a case: the same for every call of the model. */
export const markerOf = ({ first, name }: MarkerScript, mark: string): string => {
  const dice = seededRandom(`marker/${name}/${mark}`)
  return Array.from({ length: markerChars }, () => String.fromCodePoint(first + dice.whole(0, letters - 1))).join('')
}

/** What a model says, in the pieces in which it is sent. */
type Speech = { pieces: readonly string[]; everyMs: number; atOnce: number }

const lengths = [0, 40, 400, 1_700, 3_400] as const
const pieceChars = [
  [1, 1],
  [1, 12],
  [3, 40],
  [40, 400],
  [5_000, 5_000],
] as const
const tickMs = 20
const durationMs = [60, 900] as const

/**
 * An ordinary text with the marker in one to three places: at the beginning, at the end, anywhere. It is cut into pieces at random. The
 * `nth` call of the same run cuts it differently.
 */
export const speechOf = (script: MarkerScript, mark: string, nth = 1): Speech => {
  const dice = seededRandom(`speech/${mark}/${nth}`)
  const marker = markerOf(script, mark)
  const words = seededRandom(`words/${mark}`)
  const wanted = words.pick(lengths)
  let text = ''
  for (let n = 0; text.length < wanted; n++) text += `word-${n} `
  for (let n = words.whole(1, 3); n > 0; n--) {
    const at = words.pick([0, text.length, words.whole(0, text.length)])
    text = `${text.slice(0, at)}${marker}${text.slice(at)}`
  }
  const [least, most] = dice.pick(pieceChars)
  const pieces: string[] = []
  for (let from = 0; from < text.length; from += pieces.at(-1)?.length ?? 1)
    pieces.push(text.slice(from, from + dice.whole(least, most)))
  const ticks = Math.max(1, dice.whole(...durationMs) / tickMs)
  return { pieces, everyMs: tickMs, atOnce: Math.ceil(pieces.length / ticks) }
}

/** Finds letters of a script: as they are, escaped by JSON, or escaped by the monitor of Redis. */
export const lettersIn = (script: MarkerScript): ((text: string) => string[]) => {
  const { low, high, hex, escaped } = formsOf(script)
  const pattern = new RegExp(`(?:[${low}-${high}]|${escaped}|${hex('\\\\x')})+`, 'gi')
  return (text) => [...text.matchAll(pattern)].map(([found]) => found)
}

/** In files that are not text, one letter may be chance. Three in a row are not. */
export const lettersInBytes = (script: MarkerScript): ((bytes: Buffer) => string[]) => {
  const { bytes } = formsOf(script)
  const pattern = new RegExp(`(?:${bytes}){3,}`, 'g')
  return (buffer) =>
    [...buffer.toString('latin1').matchAll(pattern)].map(([found]) => Buffer.from(found, 'latin1').toString())
}

/** For Postgres: in a row as text. A binary column is shown in hexadecimal digits. */
export const letterPattern = (script: MarkerScript): string => {
  const { low, high, hex, escaped } = formsOf(script)
  return `[${low}-${high}]|${escaped}|(${hex('')}){3}`
}

const formsOf = ({ first }: MarkerScript) => {
  const [low, high] = [String.fromCodePoint(first), String.fromCodePoint(first + letters - 1)]
  const [a = 0, b = 0, from = 0] = Buffer.from(low)
  const digits = (byte: number): string => byte.toString(16).padStart(2, '0')
  // 32 letters are two rows of sixteen in each form.
  const rows = `[${digits(from)[0]}${digits(from + letters - 1)[0]}][0-9a-f]`
  return {
    low,
    high,
    hex: (before: string) => `${before}${digits(a)}${before}${digits(b)}${before}${rows}`,
    escaped: `\\\\u${first.toString(16).padStart(4, '0').slice(0, 2)}${rows}`,
    bytes: `\\x${digits(a)}\\x${digits(b)}[\\x${digits(from)}-\\x${digits(from + letters - 1)}]`,
  }
}
