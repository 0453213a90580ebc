import { expect, test } from 'vitest'
import { otherUuid, uuid } from './records.fixture.ts'
import { checkSplit, type Split, type SplitRun, sideOf } from './split.ts'

const split: Split = {
  agentId: '01a1dd3d-0000-7000-8000-000000000002',
  percent: 50,
  live: { version: 1, deploymentId: uuid },
  canary: { version: 2, deploymentId: otherUuid },
  endedAt: new Date('2026-01-01T00:01:00Z'),
}
const keys = Array.from({ length: 200 }, (_, n) => `k-${n}`)
const keyOn = (side: 'canary' | 'live'): string => keys.find((key) => sideOf(split, key) === side) ?? ''
const run = (key: string, more: Partial<SplitRun> = {}): SplitRun => {
  const { version, deploymentId } = split[sideOf(split, key)]
  const created_at = new Date('2026-01-01T00:00:30Z')
  return { key, agent_version: version, deployment_id: deploymentId, is_watched: true, created_at, ...more }
}
const afterwards = { is_watched: false, created_at: new Date('2026-01-01T00:02:00Z') }

test('both sides get runs, and each where its key says is as it should be', () => {
  const canaries = keys.filter((key) => sideOf(split, key) === 'canary').length
  expect(canaries).toBeGreaterThan(60)
  expect(canaries).toBeLessThan(140)
  expect(
    checkSplit(
      split,
      keys.map((key) => run(key)),
    ),
  ).toEqual([])
})

test('a larger share takes keys and gives none back', () => {
  const tenth = keys.filter((key) => sideOf({ ...split, percent: 10 }, key) === 'canary')
  expect(tenth.length).toBeGreaterThan(0)
  expect(tenth.every((key) => sideOf(split, key) === 'canary')).toBe(true)
})

test('a run on the other side is found', () => {
  const key = keyOn('canary')
  expect(checkSplit(split, [run(key, { agent_version: 1, deployment_id: uuid })])).toEqual([
    `${key} belongs to version 2 and is on version 1`,
  ])
  expect(checkSplit(split, [run(key, { deployment_id: uuid })])).toHaveLength(1)
})

test('a run on the canary’s version after its end is found', () => {
  const key = keyOn('canary')
  expect(checkSplit(split, [run(keyOn('live'), afterwards)])).toEqual([])
  expect(checkSplit(split, [run(key, afterwards)])).toEqual([`${key} belongs to version 1 and is on version 2`])
})

test('a run that should have been watched is found', () => {
  const key = keyOn('live')
  expect(checkSplit(split, [run(key, { is_watched: false })])).toEqual([
    `${key} was accepted while the canary was out and is not watched`,
  ])
  expect(checkSplit({ ...split, endedAt: null }, [run(key, afterwards)])).toHaveLength(1)
})
