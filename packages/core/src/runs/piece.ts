import { encodeEnd, type Frame, type News } from './frame.ts'

/** A frame, or what stands in for frames that are gone; that one is large and mostly not wanted, so it is made late. */
export type Item = Frame | { seq: number; makeSnapshot(): string }

/** A stretch of a run's stream without a gap: one for all readers that stand somewhere in it. */
export type Piece = {
  /** The number before its first, and its last. */
  after: number
  last: number
  items: readonly Item[]
  /** All of it, when it is nothing but frames. */
  text: string | null
  /** Nothing follows. */
  ended: boolean
}

export const toPiece = (piece: { after: number; last: number; items: readonly Item[]; ended: boolean }): Piece => ({
  ...piece,
  text: piece.items.every(isFrame) ? piece.items.map(({ text }) => text).join('') : null,
})

/** What news brings along that can be given to readers as it is. Null: they must read. */
export const pieceOf = ({ seq, frames = [], ended = false, run }: News): Piece | null => {
  const end = ended && run ? [encodeEnd(seq, run)] : []
  const items = [...frames.filter((frame) => end.length === 0 || frame.seq < seq), ...end]
  const [first] = items
  if (!first || items.some((item, at) => item.seq !== first.seq + at)) return null
  return toPiece({ after: first.seq - 1, last: first.seq + items.length - 1, items, ended: end.length > 0 })
}

/** What a reader that stands at `after` is given of a piece. One snapshot is enough for a stream. */
export const restOf = (
  { items }: Piece,
  { after, hadSnapshot }: { after: number; hadSnapshot: boolean },
): { text: string; count: number; hadSnapshot: boolean } => {
  let snapshots = hadSnapshot
  const texts: string[] = []
  for (const item of items) {
    if (item.seq <= after) continue
    if (isFrame(item)) texts.push(item.text)
    else if (!snapshots) {
      texts.push(item.makeSnapshot())
      snapshots = true
    }
  }
  return { text: texts.join(''), count: texts.length, hadSnapshot: snapshots }
}

const isFrame = (item: Item): item is Frame => 'text' in item
