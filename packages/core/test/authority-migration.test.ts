import { readFileSync } from 'node:fs'
import { scopes } from '@ars/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AccessWorld, openAccessWorld } from './access-world.ts'

const changeIn = (name: string): string => {
  const migration = readFileSync(new URL(`../../../db/migrations/${name}`, import.meta.url), 'utf8')
  const [change = ''] = /^update api_keys[^;]*;/m.exec(migration) ?? []
  return change
}

let world: AccessWorld
beforeAll(async () => {
  world = await openAccessWorld()
})
afterAll(() => world.close())

test('the migration gives runs:approve to live keys with runs:write and never to demo keys, and runs:erase to no key', async () => {
  const { org } = await world.newOrg(['runs:read'])
  const before = [
    { name: 'writes', scopes: ['runs:read', 'runs:write'] },
    { name: 'approves', scopes: ['runs:write', 'runs:approve'] },
    { name: 'reads', scopes: ['runs:read'] },
    { name: 'demo', kind: 'demo', scopes: ['runs:read', 'runs:write'] },
  ] as const
  for (const key of before) await world.access.createKey(org, key)
  const change = changeIn('0011_authority.sql')
  expect(change).toContain('runs:approve')
  await world.sql(change)
  await world.sql(change)
  const after = await world.sql<{ name: string; scopes: string[] }>(
    'select name, scopes from api_keys where org_id = $1 and name = any ($2)',
    [org, before.map(({ name }) => name)],
  )
  expect(Object.fromEntries(after.map(({ name, scopes }) => [name, scopes]))).toEqual({
    writes: ['runs:read', 'runs:write', 'runs:approve'],
    approves: ['runs:write', 'runs:approve'],
    reads: ['runs:read'],
    demo: ['runs:read', 'runs:write'],
  })
})

test('the migration gives runs:share to live keys that held every scope, and to no other', async () => {
  const { org } = await world.newOrg(['runs:read'])
  const earlier = scopes.filter((scope) => scope !== 'runs:share')
  const fewer = earlier.filter((scope) => scope !== 'members:write')
  await world.access.createKey(org, { name: 'all', scopes: earlier })
  await world.access.createKey(org, { name: 'fewer', scopes: fewer })
  const change = changeIn('0024_run_shares.sql')
  await world.sql(change)
  await world.sql(change)
  const after = await world.sql<{ name: string; scopes: string[] }>(
    `select name, scopes from api_keys where org_id = $1 and name in ('all', 'fewer')`,
    [org],
  )
  expect(Object.fromEntries(after.map((key) => [key.name, key.scopes]))).toEqual({
    all: [...earlier, 'runs:share'],
    fewer,
  })
})

test('the migration gives the scopes of schedules to live keys that held every scope, and to no other', async () => {
  const { org } = await world.newOrg(['runs:read'])
  const earlier = scopes.filter((scope) => !scope.startsWith('schedules:'))
  const fewer = earlier.filter((scope) => scope !== 'members:write')
  await world.access.createKey(org, { name: 'all', scopes: earlier })
  await world.access.createKey(org, { name: 'fewer', scopes: fewer })
  const change = changeIn('0042_schedule_scopes.sql')
  await world.sql(change)
  await world.sql(change)
  const after = await world.sql<{ name: string; scopes: string[] }>(
    `select name, scopes from api_keys where org_id = $1 and name in ('all', 'fewer')`,
    [org],
  )
  expect(Object.fromEntries(after.map((key) => [key.name, key.scopes]))).toEqual({
    all: [...earlier, 'schedules:read', 'schedules:write'],
    fewer,
  })
})
