import { expect, test } from 'vitest'
import { accessibleById, accessibleRow, allowedAmong, allowsAgent, onlyAgent } from './agent-access.ts'

const [own, other] = ['01890a5d-ac96-774b-bcce-b302099a8057', '01890a5d-ac96-774b-bcce-b302099a8058'] as const
const catalog = { id: own, source: 'catalog', uses_tools: false } as const
const custom = { ...catalog, source: 'custom' } as const
const withTools = { ...catalog, uses_tools: true }

const everywhere = { agentIds: null, isDemo: false }
const narrowed = { agentIds: new Set([own]), isDemo: false }
const demo = { agentIds: null, isDemo: true }

type Access = Parameters<typeof accessibleRow>[0]
type Row = Parameters<typeof accessibleRow>[1]
const agentRefusalOf = (access: Access, row: Row): string | null => {
  const result = accessibleRow(access, row)
  return 'refusal' in result ? result.refusal : null
}
const mayUseAgent = (access: Access, id: string): boolean => accessibleById(access, id) !== null

test('a key that is not narrowed can use every agent of its organisation', () => {
  for (const agent of [catalog, custom, withTools, { ...custom, id: other }]) {
    expect(agentRefusalOf(everywhere, agent)).toBeNull()
    expect(mayUseAgent(everywhere, agent.id)).toBe(true)
  }
})

test('a narrowed key can use its listed agents of any kind and no others', () => {
  for (const agent of [catalog, custom, withTools]) {
    expect(agentRefusalOf(narrowed, agent)).toBeNull()
    expect(agentRefusalOf(narrowed, { ...agent, id: other })).toContain('narrowed')
  }
  expect([mayUseAgent(narrowed, own), mayUseAgent(narrowed, other)]).toEqual([true, false])
})

test('a demo key can use catalog agents without tools', () => {
  expect(agentRefusalOf(demo, catalog)).toBeNull()
  expect(agentRefusalOf(demo, custom)).toContain('catalog')
  expect(agentRefusalOf(demo, withTools)).toContain('tools')
  // The id does not reveal the kind of an agent, so a demo key always needs a lookup.
  expect(mayUseAgent(demo, own)).toBe(false)
})

test('a narrowed demo key must satisfy both restrictions', () => {
  const both = { agentIds: new Set([own]), isDemo: true }
  expect(agentRefusalOf(both, catalog)).toBeNull()
  expect(agentRefusalOf(both, { ...catalog, id: other })).toContain('narrowed')
  expect(agentRefusalOf(both, custom)).toContain('catalog')
})

test('a list is filtered by the agents of the key; for a demo key by the rows of the catalog’s agents', () => {
  const rows = [catalog, { ...custom, id: other }]
  const allowedOf = (access: Access) => allowedAmong({ ...access, org: other, runOwner: null }, rows)
  const allows = (access: Access) => [own, other].map((id) => allowsAgent(allowedOf(access), id))
  expect(allows(everywhere)).toEqual([true, true])
  expect(allows(narrowed)).toEqual([true, false])
  expect(allows(demo)).toEqual([true, false])
  const only = (access: Access, id: string) =>
    onlyAgent(allowedAmong({ ...access, org: other, runOwner: other }, rows), id)
  expect(only(everywhere, own)).toEqual({ ids: new Set([own]), runOwner: other })
  expect(only(narrowed, own).ids).toEqual(new Set([own]))
  expect(only(narrowed, other).ids).toEqual(new Set())
})
