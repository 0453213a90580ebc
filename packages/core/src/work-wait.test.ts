import { expect, test } from 'vitest'
import { waitOf } from './work-wait.ts'

const rules = { maxTries: 5, things: 'batches' }
const quiet = { is_held: false, is_due: false, tries: 0, is_share_used: false, is_narrowed: false, in_work: 0, due: 0 }

test('a row waits for its turn, for the share of its organisation or for its next attempt', () => {
  expect(waitOf(quiet, rules)).toBeNull()
  expect(waitOf({ ...quiet, is_held: true, is_due: true }, rules)).toBeNull()
  expect(waitOf({ ...quiet, is_due: true, in_work: 1, due: 3 }, rules)).toEqual({
    reason: 'turn',
    message: 'It waits for its turn: workers work on 1 of your batches now, and 3 are due.',
  })
  expect(waitOf({ ...quiet, is_due: true, is_share_used: true, in_work: 2, due: 1_000 }, rules)).toEqual({
    reason: 'share',
    message:
      'The share of your organisation is in use: workers work on 2 of your batches now, and 1000 or more are due.',
  })
  expect(waitOf({ ...quiet, tries: 4 }, rules)).toEqual({
    reason: 'retry',
    message: 'Its last 4 attempts made no progress. It is tried again; after 5 it is ended.',
  })
})

test('a narrowed key learns that the share is used up, and counts of its agents', () => {
  const narrowed = { ...quiet, is_due: true, is_narrowed: true, in_work: 0, due: 1 }
  expect(waitOf(narrowed, rules)).toEqual({
    reason: 'turn',
    message: 'It waits for its turn: workers work on 0 of the batches of your agents now, and 1 are due.',
  })
  expect(waitOf({ ...narrowed, is_share_used: true }, rules)).toEqual({
    reason: 'share',
    message:
      'The share of your organisation is in use: workers work on 0 of the batches of your agents now, and 1 are due.',
  })
})
