import { expect, test } from 'vitest'
import { commitTimeIn, nextSegmentNumber, withoutGap } from './wal-segment.ts'

const megabyte = 1_048_576
const name = (number: string, timeline = 1): string => `0000000${timeline}${number}`

test('segments are numbered by their size', () => {
  expect(nextSegmentNumber('0000000000000001', 16 * megabyte)).toBe('0000000000000002')
  expect(nextSegmentNumber('00000000000000FF', 16 * megabyte)).toBe('0000000100000000')
  expect(nextSegmentNumber('000000000000003F', 64 * megabyte)).toBe('0000000100000000')
})

test('a gap ends what can be replayed', () => {
  const segments = ['00000000000000FE', '00000000000000FF', '0000000100000000', '0000000100000002'].map((number) =>
    name(number),
  )
  const first = name('00000000000000FE')
  expect(withoutGap(segments, { first, segmentBytes: 16 * megabyte })).toEqual({
    names: segments.slice(0, 3),
    missing: '0000000100000001',
  })
  expect(withoutGap(segments.slice(2), { first, segmentBytes: 16 * megabyte })).toEqual({
    names: [],
    missing: '00000000000000FE',
  })
})

test('a segment that is being received and a later timeline continue the history', () => {
  const segments = [
    name('0000000000000003'),
    `${name('0000000000000004')}.partial`,
    name('0000000000000004', 2),
    '00000002.history',
  ]
  expect(withoutGap(segments, { first: name('0000000000000003'), segmentBytes: 16 * megabyte })).toEqual({
    names: segments.slice(0, 3),
    missing: null,
  })
})

test('the time of a commit is read from a line of pg_waldump', () => {
  const line =
    'rmgr: Transaction len (rec/tot):     34/    34, tx:        767, lsn: 0/0301B0C8, prev 0/0301B090, desc: COMMIT 2026-11-18 06:00:58.786123 UTC'
  expect(commitTimeIn(line)?.toISOString()).toBe('2026-11-18T06:00:58.786Z')
  expect(commitTimeIn(line.replace('COMMIT', 'ABORT'))).toBeNull()
})
