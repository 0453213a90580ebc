import { expect, test } from 'vitest'
import { isLost } from './reconcile.ts'

const answering = new Map([
  [0, 3],
  [1, 4],
  [2, 5],
  [3, null],
])
const partitionKey = (partition: number): number => (partition + 0.5) * 2 ** 62

test.each([
  ['the engine does not know', undefined, true],
  ['the engine has ended', { status: 'completed', partition_key: partitionKey(0) }, true],
  ['the engine has paused', { status: 'paused', partition_key: partitionKey(0) }, true],
  ['is running', { status: 'running', partition_key: partitionKey(1) }, false],
  ['waits to be retried', { status: 'backing-off', partition_key: partitionKey(2) }, false],
  ['is running on a partition that does not answer', { status: 'running', partition_key: partitionKey(3) }, true],
])('a segment that %s: started again is %s', (_what, invocation, lost) => {
  expect(isLost(invocation, answering, 4)).toBe(lost)
})
