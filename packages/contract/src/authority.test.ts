import { expect, test } from 'vitest'
import { z } from 'zod'
import { authorityRows, demoReach, narrowedReach, reachesRunsOfOthers, requiredScopes } from './authority.ts'
import { contract } from './index.ts'
import type { Operation } from './operation.ts'

// The access matrix expects what these functions say, so here they are compared with sentences that a person wrote.

const plain: Operation = {
  method: 'POST',
  path: '/things',
  summary: '',
  scope: 'policies:write',
  names: 'organisation',
  status: 200,
  input: z.object({}),
  output: z.object({}),
  errors: [],
}

test('an operation requires its scope and those that it always requires', () => {
  expect(requiredScopes(plain, {})).toEqual(['policies:write'])
  expect(requiredScopes({ ...plain, alsoScopes: ['runs:read'] }, {})).toEqual(['policies:write', 'runs:read'])
  expect(requiredScopes({ ...plain, scope: 'anyone' }, {})).toEqual([])
  expect(requiredScopes({ ...plain, scope: 'signed_in' }, {})).toEqual([])
})

test('a scope that a value requires is required for that value only, also inside lists and objects', () => {
  const operation: Operation = {
    ...plain,
    conditionalScopes: [
      { scope: 'runs:read', field: 'rules.check', values: ['http', 'model'] },
      { scope: 'connectors:read', field: 'config.tools' },
    ],
  }
  const cases: [Record<string, unknown>, string[]][] = [
    [{ rules: [{ check: 'regex' }] }, []],
    [{ rules: [] }, []],
    [{ rules: [{ check: 'regex' }, { check: 'model' }] }, ['runs:read']],
    [{ config: { tools: null } }, []],
    [{ config: { tools: [] } }, []],
    [{ config: { tools: [{}] } }, ['connectors:read']],
    [{ config: null, rules: null }, []],
    [{ rules: [{ check: 'http' }], config: { tools: ['x'] } }, ['runs:read', 'connectors:read']],
  ]
  for (const [input, more] of cases)
    expect([input, requiredScopes(operation, input)]).toEqual([input, ['policies:write', ...more]])
})

test('a scope instead of the own one replaces it for that value', () => {
  const operation: Operation = {
    ...plain,
    scope: 'runs:write',
    conditionalScopes: [{ scope: 'runs:approve', field: 'type', values: ['approve'], instead: true }],
  }
  expect(requiredScopes(operation, { type: 'message' })).toEqual(['runs:write'])
  expect(requiredScopes(operation, { type: 'approve' })).toEqual(['runs:approve'])
})

test('what requires runs:read besides its own scope reaches runs of others, unless it names one run', () => {
  const reading: Operation = { ...plain, alsoScopes: ['runs:read'] }
  expect(reachesRunsOfOthers(reading, {})).toBe(true)
  expect(reachesRunsOfOthers({ ...reading, names: 'agent' }, {})).toBe(true)
  expect(reachesRunsOfOthers({ ...reading, names: 'run' }, {})).toBe(false)
  expect(reachesRunsOfOthers({ ...plain, scope: 'runs:read' }, {})).toBe(false)
  expect(reachesRunsOfOthers(plain, {})).toBe(false)
})

test('of the contract: what each of these ways requires', () => {
  const ways = authorityRows(contract).map(({ name, when, stored, did, operation, scopes }) => ({
    way: [name, when && `${when.field}=${when.value}`, stored, did].filter((part) => part !== null).join(' '),
    scopes: scopes.join(),
    demo: demoReach(operation, scopes),
    narrowed: narrowedReach(operation),
  }))
  const of = (way: string) => ways.find((each) => each.way === way)
  expect(of('runs.act')).toMatchObject({ scopes: 'runs:write', demo: 'own' })
  for (const type of ['approve', 'reject', 'respond'])
    expect(of(`runs.act type=${type}`)).toMatchObject({ scopes: 'runs:approve', demo: 'none', narrowed: 'own' })
  expect(of('runs.share')).toMatchObject({ scopes: 'runs:share,runs:read', demo: 'none', narrowed: 'own' })
  for (const way of ['agents.create config.url=…', 'agents.update config.url=…'])
    expect(of(way)).toMatchObject({ scopes: 'agents:write,runs:read', demo: 'none' })
  for (const check of ['http', 'presidio', 'model'])
    expect(of(`policies.create rules.check=${check}`)).toMatchObject({ scopes: 'policies:write,runs:read' })
  expect(of('providerKeys.set')).toMatchObject({ scopes: 'keys:write,runs:read', demo: 'none', narrowed: 'none' })
  expect(of('providerKeys.delete')).toMatchObject({ scopes: 'keys:write', narrowed: 'none' })
  for (const act of ['create', 'list', 'get', 'cancel'])
    expect(of(`policyTrials.${act}`)?.scopes.split(','), act).toContain('runs:read')
  expect(of('policies.attach policy_that_sends')).toMatchObject({ scopes: 'policies:write,runs:read' })
  expect(of('connectors.create')).toMatchObject({ scopes: 'connectors:write,runs:read', narrowed: 'none' })
  expect(of('connectors.update url=…')).toMatchObject({ scopes: 'connectors:write,runs:read', narrowed: 'none' })
  expect(of('connectors.approveTool moved_connector')).toMatchObject({ scopes: 'connectors:write', narrowed: 'none' })
  expect(of('pipelineRuns.rerun kept_approval')?.scopes.split(',')).toContain('runs:approve')
  expect(of('members.remove keys=revoke')).toMatchObject({ scopes: 'members:write,keys:write' })
  expect(of('usage.get')).toMatchObject({ demo: 'none', narrowed: 'own' })
  expect(of('models.list')).toMatchObject({ scopes: 'agents:read', demo: 'all', narrowed: 'all' })
})
