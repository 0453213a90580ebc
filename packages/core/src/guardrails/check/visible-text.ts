import type { Span } from '../rule.ts'

/** How many invisible characters within a piece a stream allows for. */
export const invisibleAllowance = 32

// Soft hyphen, zero-width spaces and joiners, marks of direction, variation selectors, byte order mark. People do not see them, so
// that they can split a word for a check only.
const invisible =
  /\u034f|[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]|[\ufe00-\ufe0f]/
const allInvisible = new RegExp(invisible.source, 'g')

/** Finds in the text as people see it. The positions are those of the given text. */
export const onVisibleText =
  (find: (text: string) => Span[]) =>
  (text: string): Span[] => {
    if (!invisible.test(text)) return find(text)
    const places = new Int32Array(text.length)
    let visible = ''
    let from = 0
    const keep = (until: number): void => {
      for (let place = from; place < until; place++) places[visible.length + place - from] = place
      visible += text.slice(from, until)
    }
    allInvisible.lastIndex = 0
    for (let match = allInvisible.exec(text); match; match = allInvisible.exec(text)) {
      keep(match.index)
      from = match.index + 1
    }
    keep(text.length)
    return find(visible).map(({ start, end, kind }) => ({
      start: places[start] ?? 0,
      end: (places[end - 1] ?? 0) + 1,
      kind,
    }))
  }
