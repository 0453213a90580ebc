import { expect, test } from 'vitest'
import { endedItems, progressWords } from './progress-words.ts'

test('progress in words names what there is', () => {
  const none = { items: 5, waiting: 5, running: 0, completed: 0, failed: 0, cancelled: 0 }
  expect(progressWords(none)).toBe('0 of 5 items have ended')
  const some = { items: 10_000, waiting: 0, running: 0, completed: 9_000, failed: 900, cancelled: 100 }
  expect(endedItems(some)).toBe(10_000)
  expect(progressWords(some)).toBe('10,000 of 10,000 items have ended: 9,000 completed, 900 failed, 100 cancelled')
})
