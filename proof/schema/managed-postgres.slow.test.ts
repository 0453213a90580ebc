import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { migrate } from '@ars/platform/db/migrate'
import { asClient } from '@ars/testkit/client'
import { portBlock, reserveFreeBlock } from '@ars/tools/dev/parts/ports'
import { postgres, throwawaySettings } from '@ars/tools/dev/parts/postgres'
import { expect, onTestFinished, test } from 'vitest'

const fileOf = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url))
const roles = ['ars_app', 'ars_auth', 'ars_batch', 'ars_feed', 'ars_system', 'ars_owner']

test('a role with createrole and createdb, and without superuser, can make the roles and the database', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'ars-managed-'))
  const block = await reserveFreeBlock()
  const { postgres: port } = portBlock(block.base)
  const server = postgres({ dir, port, settings: throwawaySettings })
  onTestFinished(async () => {
    await server.stop()
    await block.release()
    rmSync(dir, { recursive: true })
  })
  await server.start()
  // The cluster of a provider knows nothing of the service.
  await asClient(server.superuserUrl(), async (client) => {
    await client.query('drop database ars')
    for (const role of roles) await client.query(`drop role ${role}`)
    await client.query(`create role provided login createrole createdb password 'provided'`)
  })
  const provided = `postgresql://provided:provided@127.0.0.1:${port}/postgres`
  const runRoles = () =>
    promisify(execFile)('psql', [
      '-X',
      '-q',
      '-v',
      `password=${server.password}`,
      '-f',
      fileOf('db/roles.sql'),
      provided,
    ])
  await runRoles()
  // Running it again is harmless.
  await runRoles()
  const applied = await migrate({ url: server.url('ars_owner'), dir: fileOf('db') })
  expect(applied).toContain('baseline')
  const organisation = '01890a5d-ac96-774b-bcce-b302099a8057'
  await asClient(server.url('ars_system'), (client) =>
    client.query(`insert into organisations (id, name) values ('${organisation}', 'one')`),
  )
  const seenBy = async (role: 'ars_system' | 'ars_app') =>
    (await asClient(server.url(role), (client) => client.query('select from organisations'))).rowCount
  expect(await seenBy('ars_system')).toBe(1)
  expect(await seenBy('ars_app')).toBe(0)
  const seenByBatch = await asClient(server.url('ars_app'), async (client) => {
    await client.query(`begin; set local role ars_batch; set local app.org_ids = '{${organisation}}'`)
    return (await client.query('select id from organisations')).rowCount
  })
  expect(seenByBatch).toBe(1)
})
