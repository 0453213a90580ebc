import { readFileSync } from 'node:fs'
import { type Scope, scopes } from '@agent-run-service/sdk'
import { expect, test } from 'vitest'
import { forEveryAgent, grantableScopes, needRunsRead, scopeNotes, scopePresets, scopeRows } from './scope-rows.ts'

test('the grid has every scope once', () => {
  const shown = scopeRows.flatMap(({ read, write, others }) => [read, write, ...others]).filter(Boolean)
  expect(shown.toSorted()).toEqual([...scopes].sort())
  expect(scopeRows.find(({ resource }) => resource === 'runs')).toEqual({
    resource: 'runs',
    read: 'runs:read',
    write: 'runs:write',
    others: ['runs:approve', 'runs:erase', 'runs:share'],
  })
})

test('a person can give only what they hold, and a demo key holds little', () => {
  expect(grantableScopes(['runs:read', 'keys:write'], 'live')).toEqual(['runs:read', 'keys:write'])
  expect(grantableScopes(scopes, 'demo')).toEqual(['runs:read', 'runs:write', 'agents:read', 'usage:read'])
})

test('a preset never exceeds what the person can give', () => {
  const mine = grantableScopes(['runs:read', 'runs:write', 'events:read'], 'live')
  expect(scopePresets.map(({ pick }) => pick(mine))).toEqual([
    ['runs:read', 'runs:write'],
    ['runs:read', 'events:read'],
    mine,
  ])
})

test('the notes of the form name exactly the scopes that the API document restricts', () => {
  const document = JSON.parse(
    readFileSync(new URL('../../../../../packages/contract/openapi.json', import.meta.url), 'utf8'),
  )
  const operations = Object.values<Record<string, Restricted>>(document.paths).flatMap((path) => Object.values(path))
  const scopesWhere = (isRestricted: (operation: Restricted) => boolean): Scope[] => {
    const found = new Set(operations.filter(isRestricted).map((operation) => operation['x-scope']))
    return scopes.filter((scope) => found.has(scope))
  }
  const needing = scopesWhere((operation) => {
    const more = [...(operation['x-conditional-scopes'] ?? []), ...(operation['x-stored-scopes'] ?? [])]
    return [...(operation['x-also-scopes'] ?? []), ...more.map(({ scope }) => scope)].includes('runs:read')
  })
  expect(Object.keys(needRunsRead).toSorted()).toEqual(needing.toSorted())
  const cannotCall = /narrowed to agents\b[^.]*cannot call/
  const whole = scopesWhere(({ description }) => cannotCall.test(description ?? ''))
  expect(Object.keys(forEveryAgent).toSorted()).toEqual(whole.toSorted())
})

test('the form says what a key cannot do without runs:read, and when it is limited to agents', () => {
  const chosen = new Set<Scope>(['connectors:write', 'runs:write'])
  const blind = 'Without runs:read the key cannot add a connector or change its address.'
  expect(scopeNotes(chosen, { isNarrowed: false })).toEqual([blind])
  const narrowed = 'Limited to some agents, the key cannot change connectors.'
  expect(scopeNotes(chosen, { isNarrowed: true })).toEqual([blind, narrowed])
  expect(scopeNotes(new Set<Scope>([...chosen, 'runs:read']), { isNarrowed: false })).toEqual([])
})

type Restricted = {
  description?: string
  'x-scope'?: string
  'x-also-scopes'?: string[]
  'x-conditional-scopes'?: { scope: string }[]
  'x-stored-scopes'?: { scope: string }[]
}
