import { scopes } from '@agent-run-service/sdk'
import { expect, test } from 'vitest'
import { grantableScopes, scopePresets, scopeRows } from './scope-rows.ts'

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
