import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { completeUrl, loginsFrom } from '@ars/platform/db/logins'
import { makeLogins } from '@ars/platform/db/make-logins'
import { migrate } from '@ars/platform/db/migrate'
import { asClient } from '@ars/testkit/client'
import { portBlock, reserveFreeBlock } from '@ars/tools/dev/parts/ports'
import { postgres, throwawaySettings } from '@ars/tools/dev/parts/postgres'
import { expect, onTestFinished, test } from 'vitest'

const fileOf = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url))
const roles = ['ars_app', 'ars_auth', 'ars_batch', 'ars_feed', 'ars_system', 'ars_owner']

/** The cluster of a provider: it knows nothing of the service, and its administrator is no superuser. */
const startProvided = async () => {
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
  await asClient(server.superuserUrl(), async (client) => {
    await client.query('drop database ars')
    for (const role of roles) await client.query(`drop role ${role}`)
    await client.query(`create role provided login createrole createdb password 'provided'`)
    await client.query(`create role powerless login password 'powerless'`)
  })
  const urlOf = (login: string, database: string): string =>
    `postgresql://${login}:${login}@127.0.0.1:${port}/${database}`
  return { server, urlOf }
}

const organisation = '01890a5d-ac96-774b-bcce-b302099a8057'

/** An organisation, seen by the role that crosses organisations, by that of the API, and by a batch that names it. */
const requireRowSecurity = async (urls: { app: string; system: string }): Promise<void> => {
  const added = `insert into organisations (id, name) values ('${organisation}', 'one')`
  await asClient(urls.system, (client) => client.query(added))
  const seenBy = async (url: string) =>
    (await asClient(url, (client) => client.query('select from organisations'))).rowCount
  expect(await seenBy(urls.system)).toBe(1)
  expect(await seenBy(urls.app)).toBe(0)
  const seenByBatch = await asClient(urls.app, async (client) => {
    await client.query(`begin; set local role ars_batch; set local app.org_ids = '{${organisation}}'`)
    return (await client.query('select id from organisations')).rowCount
  })
  expect(seenByBatch).toBe(1)
}

test('a role with createrole and createdb, and without superuser, can make the roles and the database', async () => {
  const { server, urlOf } = await startProvided()
  const file = fileOf('db/roles.sql')
  const provided = urlOf('provided', 'postgres')
  const runRoles = () =>
    promisify(execFile)('psql', ['-X', '-q', '-v', `password=${server.password}`, '-f', file, provided])
  await runRoles()
  // Running it again is harmless.
  await runRoles()
  const applied = await migrate({ url: server.url('ars_owner'), dir: fileOf('db') })
  expect(applied).toContain('baseline')
  await requireRowSecurity({ app: server.url('ars_app'), system: server.url('ars_system') })
})

test('one address of such a role is enough, and it may go over to an address for each role', async () => {
  const { server, urlOf } = await startProvided()
  const address = urlOf('provided', 'ars')
  const logins = loginsFrom(address)
  await makeLogins(address)
  // Running it again is harmless.
  await makeLogins(address)
  const applied = await migrate({ url: await completeUrl(logins.ars_owner), dir: fileOf('db') })
  expect(applied).toContain('baseline')
  await requireRowSecurity({
    app: await completeUrl(logins.ars_app),
    system: await completeUrl(logins.ars_system),
  })
  const args = ['-X', '-q', '-v', `password=${server.password}`, '-f', fileOf('db/roles.sql'), urlOf('provided', 'ars')]
  await promisify(execFile)('psql', args)
  await asClient(server.url('ars_system'), (client) => client.query('delete from organisations'))
  await requireRowSecurity({ app: server.url('ars_app'), system: server.url('ars_system') })
  // The schema belongs to the same role, so that releases go on to migrate it.
  expect(await migrate({ url: server.url('ars_owner'), dir: fileOf('db') })).toEqual([])
})

test('a login that lacks a right is refused, and the message names the right', async () => {
  const { server, urlOf } = await startProvided()
  await asClient(server.superuserUrl(), async (client) => {
    await client.query('create database ars')
    await client.query('alter role provided nocreatedb')
  })
  await expect(makeLogins(urlOf('powerless', 'ars'))).rejects.toThrow('powerless, which may not create roles')
  // It may create roles, and the database belongs to another one.
  await expect(makeLogins(urlOf('provided', 'ars'))).rejects.toThrow('own the database')
  await expect(makeLogins(urlOf('provided', 'missing'))).rejects.toThrow('permission denied to create database')
})
