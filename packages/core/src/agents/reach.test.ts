import { expect, test } from 'vitest'
import { isSurelyWithin, refusalOf } from './reach.ts'

const [own, other] = ['01890a5d-ac96-774b-bcce-b302099a8057', '01890a5d-ac96-774b-bcce-b302099a8058'] as const
const catalog = { id: own, source: 'catalog', uses_tools: false } as const
const custom = { ...catalog, source: 'custom' } as const
const withTools = { ...catalog, uses_tools: true }

const everywhere = { agentIds: null, isDemo: false }
const narrowed = { agentIds: new Set([own]), isDemo: false }
const demo = { agentIds: null, isDemo: true }

test('a key that is not narrowed reaches every agent of its organisation', () => {
  for (const agent of [catalog, custom, withTools, { ...custom, id: other }]) {
    expect(refusalOf(everywhere, agent)).toBeNull()
    expect(isSurelyWithin(everywhere, agent.id)).toBe(true)
  }
})

test('a narrowed key reaches its own agents, whatever they are, and no other', () => {
  for (const agent of [catalog, custom, withTools]) {
    expect(refusalOf(narrowed, agent)).toBeNull()
    expect(refusalOf(narrowed, { ...agent, id: other })).toContain('narrowed')
  }
  expect([isSurelyWithin(narrowed, own), isSurelyWithin(narrowed, other)]).toEqual([true, false])
})

test('a demo key reaches agents of the catalog that have no tools', () => {
  expect(refusalOf(demo, catalog)).toBeNull()
  expect(refusalOf(demo, custom)).toContain('catalog')
  expect(refusalOf(demo, withTools)).toContain('tools')
  // The id does not tell what an agent is, so a demo key always has to look.
  expect(isSurelyWithin(demo, own)).toBe(false)
})

test('a demo key that is narrowed too needs both', () => {
  const both = { agentIds: new Set([own]), isDemo: true }
  expect(refusalOf(both, catalog)).toBeNull()
  expect(refusalOf(both, { ...catalog, id: other })).toContain('narrowed')
  expect(refusalOf(both, custom)).toContain('catalog')
})
