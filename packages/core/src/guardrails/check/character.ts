/** What becomes of a character when a text is read. */
export const characterClass = {
  unknown: 0,
  /** It stays, or another character takes its place (`readAs`). */
  plain: 1,
  /** People do not see it: it can split a word for a check only. */
  dropped: 2,
  space: 3,
  tab: 4,
  lineEnd: 5,
  /** It changes the letter before it. */
  mark: 6,
  /** People do not see it, and models read the character of ASCII that it spells. */
  tag: 7,
} as const

export type CharacterClass = (typeof characterClass)[keyof typeof characterClass]

// The planes with letters, and the one with tags and selectors. Both tables are filled as characters are met.
const tablePoints = 0x2_0000
const classes = new Uint8Array(tablePoints)
const others = new Uint16Array(tablePoints)

export const classOf = (point: number): CharacterClass => {
  if (point >= tablePoints) return classify(point)
  const known = classes[point] as CharacterClass
  if (known !== characterClass.unknown) return known
  const found = classify(point)
  classes[point] = found
  others[point] = found === characterClass.plain ? plainForm(point) : 0
  return found
}

/** The character in whose place this one stands, not longer than it. 0: none. Asked after `classOf`. */
export const readAs = (point: number): number => (point < tablePoints ? (others[point] ?? 0) : ideographForm(point))

const normalPoint = (point: number): number => String.fromCodePoint(point).normalize('NFC').codePointAt(0) ?? point

/** Ideographs that Unicode has twice. Where NFC would make a text longer, the shorter one stands for both. */
const shorterIdeographs = new Map(
  [0xfa6c, 0xfacf, 0xfad0, 0xfad1, 0xfad5, 0xfad6, 0xfad7].map((short) => [normalPoint(short), short] as const),
)

const ideographForm = (point: number): number => {
  const normal = point >= 0x2f800 && point <= 0x2fa1f ? normalPoint(point) : point
  const form = shorterIdeographs.get(normal) ?? normal
  return form === point ? 0 : form
}

const classify = (point: number): CharacterClass => {
  // Tabs and ends of lines; the character 0 divides the fields of a content.
  if (point === 0) return characterClass.plain
  if (point === 9) return characterClass.tab
  if ((point >= 10 && point <= 13) || point === 0x2028 || point === 0x2029) return characterClass.lineEnd
  if (point >= 0xe0020 && point <= 0xe007e) return characterClass.tag
  const character = String.fromCodePoint(point)
  if (unseen.test(character)) return characterClass.dropped
  // A blank Braille cell looks like a space.
  if (/\p{Zs}/u.test(character) || point === 0x2800) return characterClass.space
  return /\p{M}/u.test(character) || isLaterJamo(point) ? characterClass.mark : characterClass.plain
}

/**
 * Controls, format characters (but for signs of Arabic, Syriac and Kaithi that are drawn), everything that Unicode says to ignore, and
 * strokes through letters.
 */
const unseen =
  /(?![\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}])[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]|[\u0334-\u0338\u20d2\u20d3\u20d8-\u20da\u20e5\u20e6\u20ea\u20eb]/u

/** The vowels and the last consonants of Hangul and a vowel of Kirat Rai, which become one with what stands before. */
const isLaterJamo = (point: number): boolean => (point >= 0x1161 && point <= 0x11ff) || point === 0x16d67

const plainForm = (point: number): number => {
  if (point < 128) return 0
  const character = String.fromCodePoint(point)
  if (/\p{Nd}/u.test(character)) return 48 + digitOf(point)
  if (isStyled(point)) {
    const letter = character.normalize('NFKC')
    return letter.length === 1 ? letter.charCodeAt(0) : 0
  }
  const composed = character.normalize('NFC')
  return composed !== character && composed.length === 1 ? composed.charCodeAt(0) : 0
}

/** Full width, letters of mathematics, and their kin among the letter-like symbols. */
const isStyled = (point: number): boolean =>
  (point >= 0xff01 && point <= 0xff5e) ||
  (point >= 0x1d400 && point <= 0x1d7ff) ||
  (point >= 0x2102 && point <= 0x2149 && /^[A-Za-z]$/.test(String.fromCodePoint(point).normalize('NFKC')))

/** Digits of a script stand in order from 0 to 9, and sets of them one after the other. */
const digitOf = (point: number): number => {
  let first = point
  while (/\p{Nd}/u.test(String.fromCodePoint(first - 1))) first--
  return (point - first) % 10
}
