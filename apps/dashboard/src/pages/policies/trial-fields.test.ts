import { expect, test } from 'vitest'
import { checkTrial, newTrial, trialParams } from './trial-fields.ts'

const nowMs = Date.parse('2026-06-30T12:00:00Z')
const fields = newTrial(nowMs)

test('the first form tries the last 7 days and makes no remote check', () => {
  expect(checkTrial(fields, nowMs)).toEqual({})
  expect(trialParams(fields)).toEqual({ since: '2026-06-23T12:00:00.000Z', sample: 10_000 })
})

test('typed values are sent in the units of the API', () => {
  const until = '2026-06-24T12:00:00.000Z'
  expect(trialParams({ ...fields, until, agentId: 'ag_x', sample: '5', maxCostUsd: '0.5' })).toEqual({
    since: '2026-06-23T12:00:00.000Z',
    until,
    agent_id: 'ag_x',
    sample: 5,
    max_cost_usd: 0.5,
  })
})

test.each([
  [{ since: undefined }, 'since'],
  [{ since: '2026-05-01T00:00:00.000Z' }, 'since'],
  [{ until: '2026-06-01T00:00:00.000Z' }, 'until'],
  [{ sample: '0' }, 'sample'],
  [{ sample: '1.5' }, 'sample'],
  [{ maxCostUsd: '-1' }, 'max_cost_usd'],
  [{ maxCostUsd: 'much' }, 'max_cost_usd'],
])('%o is refused at its field', (part, field) => {
  expect(Object.keys(checkTrial({ ...fields, ...part }, nowMs))).toEqual([field])
})
