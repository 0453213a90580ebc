import { expect, test } from 'vitest'
import { Fault } from './fault.ts'
import { requireWholeOrganisation } from './whole-organisation.ts'

const anybody = { agentIds: null, runId: null, isDemo: false }

test('a caller with access to the whole organisation may use its events and webhooks', () => {
  expect(() => requireWholeOrganisation(anybody)).not.toThrow()
})

test.each([
  ['a key of no agent', { agentIds: new Set<string>() }],
  ['a key of some agents', { agentIds: new Set(['ag']) }],
  ['a token of one run', { runId: 'run' }],
  ['a demo key', { isDemo: true }],
])('%s may not use them', (_, restriction) => {
  const ask = () => requireWholeOrganisation({ ...anybody, ...restriction })
  expect(ask).toThrow(Fault)
  expect(ask).toThrow('it concerns the whole organisation')
})
