import { encodeEnd, type Frame, isOutput, type News } from './frame.ts'

/** A frame, or a stand-in for frames that are gone; the stand-in is large and rarely needed, so it is built lazily. */
export type Item = Frame | { seq: number; makeSnapshot(): string }

/** A part of a run's stream without gaps, shared by all readers whose position lies in it. */
export type FrameRange = {
  /** The number before its first frame, and its last. */
  after: number
  last: number
  items: readonly Item[]
  /** The whole text, when it consists of frames only. */
  text: string | null
  /** Nothing follows. */
  ended: boolean
}

export const toFrameRange = (range: {
  after: number
  last: number
  items: readonly Item[]
  ended: boolean
}): FrameRange => ({
  ...range,
  text: range.items.every(isFrame) ? range.items.map(({ text }) => text).join('') : null,
})

/** The part of a message that can be written to readers directly. Null: they must read. */
export const frameRangeOf = ({ seq, frames = [], ended = false, run }: News): FrameRange | null => {
  const end = ended && run ? [encodeEnd(seq, run)] : []
  const items = [...frames.filter((frame) => end.length === 0 || frame.seq < seq), ...end]
  const [first] = items
  if (!first || items.some((item, at) => item.seq !== first.seq + at)) return null
  return toFrameRange({ after: first.seq - 1, last: first.seq + items.length - 1, items, ended: end.length > 0 })
}

/** The part of a range for a reader at `after`. One snapshot is enough for a stream. */
export const restOf = (
  { items }: FrameRange,
  { after, hadSnapshot, leavesOutOutput }: { after: number; hadSnapshot: boolean; leavesOutOutput: boolean },
): { text: string; count: number; hadSnapshot: boolean } => {
  let snapshots = hadSnapshot
  const texts: string[] = []
  for (const item of items) {
    if (item.seq <= after) continue
    if (isFrame(item)) {
      if (!leavesOutOutput || !isOutput(item)) texts.push(item.text)
    } else if (!snapshots) {
      texts.push(item.makeSnapshot())
      snapshots = true
    }
  }
  return { text: texts.join(''), count: texts.length, hadSnapshot: snapshots }
}

const isFrame = (item: Item): item is Frame => 'text' in item
