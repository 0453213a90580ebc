import { expect, test } from 'vitest'
import { isLost, upPartitionsOf } from './reconcile.ts'

const partitionKey = (partition: number): number => (partition + 0.5) * 2 ** 62

test.each([
  ['the engine does not know', undefined, true],
  ['the engine has ended', { status: 'completed', partition_key: partitionKey(0) }, true],
  ['the engine has paused', { status: 'paused', partition_key: partitionKey(0) }, true],
  ['is running', { status: 'running', partition_key: partitionKey(1) }, false],
  ['waits to be retried', { status: 'backing-off', partition_key: partitionKey(2) }, false],
  ['is running on a partition that stands still', { status: 'running', partition_key: partitionKey(3) }, true],
])('a segment that %s: started again is %s', (_what, invocation, lost) => {
  expect(isLost(invocation, new Set([3]), 4)).toBe(lost)
})

test.each([
  ['one that has missed a round or two does not stand still', [0, 2, 1, 0], []],
  ['one that is silent beside others that answer does', [0, 3, 0, 7], [1, 3]],
  ['when none answers, none does: the whole engine is late, and is not given everything once more', [3, 9, 4, 5], []],
])('of the partitions, %s', (_what, silent, upPartitions) => {
  expect([...upPartitionsOf(new Map(silent.entries()))]).toEqual(upPartitions)
})
