import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { toUuid } from '@ars/platform/id'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AccessWorld, newId, openAccessWorld } from '../../test/access-world.ts'

let world: AccessWorld
beforeAll(async () => {
  world = await openAccessWorld({ plainHttpKey: 'revoke' })
})
afterAll(() => world.close())

test('neither the database nor the logs contain a usable key or token', async () => {
  const { org, key, ctx } = await world.newOrg()
  const issued = [key]
  for (let n = 0; n < 50; n++) {
    const made = (await world.access.keys.create(ctx, { name: `key ${n}`, scopes: ['runs:read', 'keys:write'] })).body
    const heir = (await world.access.keys.rotate(ctx, made.id)).body
    issued.push(made.key ?? '', heir.key ?? '')
    if (n % 5 === 0) issued.push((await world.access.tokens.create(ctx, { scopes: ['runs:read'] }, null)).token)
    if (n % 10 === 0) await world.access.noteExposed(made.key ?? '', { address: '192.0.2.1', requestId: 'req_1' })
  }
  const agent = await world.newAgent(org)
  const run = newId('run')
  await world.sql(
    `insert into runs (input_bytes, created_by, created_by_type, id, org_id, agent_id, agent_version, input, timeout_seconds) values (2, '01890a5d-ac96-774b-bcce-b302099a80ff'::uuid, 'key', $1, $2, $3, 1, '{}', 60)`,
    [toUuid(run), org, toUuid(agent)],
  )
  const shared = await world.access.shares.create(ctx, {}, { id: run, uuid: toUuid(run) })
  issued.push(shared.body.token ?? '')
  for (const each of issued) await world.access.authenticate(each)
  expect(new Set(issued).size).toBe(112)

  const { stdout } = await promisify(execFile)('pg_dump', ['--data-only', world.database.superuserUrl], {
    maxBuffer: 64 * 1024 * 1024,
  })
  const logs = world.logLines.join('')
  expect(stdout).toContain('key 49')
  expect(logs).toContain('plain http')
  // The search includes the random part, which must not be stored without its prefix either.
  const secrets = issued.flatMap((each) => [each, each.split('_')[2]?.slice(0, 32) ?? each])
  expect(secrets.filter((each) => stdout.includes(each) || logs.includes(each))).toEqual([])
})
