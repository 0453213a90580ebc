import { expect, test } from 'vitest'
import { frameRangeOf, restOf, toFrameRange } from './frame-range.ts'

const frame = (seq: number) => ({ seq, text: `<${seq}>` })
const hole = (seq: number) => ({ seq, makeSnapshot: () => `<snapshot ${seq}>` })

test('a stream gets one snapshot, regardless of the number of missing ranges and of its start', () => {
  const items = [frame(1), hole(4), frame(5), hole(8), frame(9)]
  const range = toFrameRange({ after: 0, last: 9, items, ended: false })
  expect(range.text).toBeNull()
  const rest = (after: number, hadSnapshot: boolean) => restOf(range, { after, hadSnapshot, leavesOutOutput: false })
  expect(rest(0, false)).toEqual({ text: '<1><snapshot 4><5><9>', count: 4, hadSnapshot: true })
  expect(rest(5, false)).toEqual({ text: '<snapshot 8><9>', count: 2, hadSnapshot: true })
  expect(rest(5, true)).toEqual({ text: '<9>', count: 1, hadSnapshot: true })
  expect(rest(8, false)).toEqual({ text: '<9>', count: 1, hadSnapshot: false })
})

test('a notification is forwarded directly only when its frames have no gap', () => {
  expect(frameRangeOf({ seq: 5, frames: [frame(4), frame(5)] })).toMatchObject({ after: 3, last: 5, text: '<4><5>' })
  expect(frameRangeOf({ seq: 6, frames: [frame(4), frame(6)] })).toBeNull()
  expect(frameRangeOf({ seq: 6 })).toBeNull()
  expect(frameRangeOf({ seq: 6, ended: true })).toBeNull()
})
