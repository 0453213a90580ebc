import { Config } from '@ars/core/config'
import { parseConfig } from '@ars/platform/config'
import { openDatabase } from '@ars/platform/db/database'
import { loginName, loginRoles } from '@ars/platform/db/logins'
import { sql, statement } from '@ars/platform/db/statement'
import { createLog } from '@ars/platform/log/log'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkDatabases } from '../src/doctor/databases.ts'
import { openParts } from '../src/parts.ts'
import { type App, startApp, type Tenant } from './app.ts'

/* ARS_DATABASE_URL alone, and its login is a superuser, for whom row-level security does not hold. */
let app: App
let other: Tenant
beforeAll(async () => {
  app = await startApp({ hasOneAddress: true })
  other = await app.addTenant()
})
afterAll(() => app.stop())

/** Connections of the service for which the locks between organisations do not hold, or whose login could lift them. */
const findUnlocked = () =>
  app.query<{ login: string; application: string }>(
    `select usename as login, application_name as application from pg_stat_activity join pg_roles on rolname = usename
      where datname = current_database() and application_name like 'ars-%' and application_name not like 'ars-testkit%'
        and (rolsuper or rolbypassrls or rolcreaterole or not usename = any ($1))`,
    [[...loginRoles.map((role) => loginName(role, app.database.name)), 'ars_app', 'ars_system']],
  )

test('a run is executed and streamed, and its events, lists and counts are there', async () => {
  const body = { agent_id: app.tenant.agents['test-echo'], input: { text: 'hello' } }
  expect(await app.call('POST', '/v2/runs', { body })).toMatchObject({ status: 200, body: { status: 'completed' } })
  const streamed = await app.call('POST', '/v2/runs/stream', { body })
  expect(streamed.text).toContain('run.completed')
  expect((await app.call('GET', '/v2/runs')).body.data).toHaveLength(2)
  expect((await app.call('GET', '/v2/events')).body.data.length).toBeGreaterThan(0)
})

test('an organisation sees nothing of another one', async () => {
  const body = { agent_id: app.tenant.agents['test-echo'], input: { text: 'mine' } }
  const { body: run } = await app.call('POST', '/v2/runs', { body })
  expect((await app.call('GET', `/v2/runs/${run.id}`)).status).toBe(200)
  expect((await app.call('GET', `/v2/runs/${run.id}`, { key: other.key })).status).toBe(404)
  expect((await app.call('GET', '/v2/runs', { key: other.key })).body.data).toEqual([])
  expect((await app.call('POST', '/v2/runs', { key: other.key, body })).status).toBe(404)
})

test('no connection works as the administrator, and one that did would be found', async () => {
  expect(await findUnlocked()).toEqual([])
  const who = statement('test.one_address', sql`select 1 as "one"`)
  const log = createLog({ level: 'silent' })
  const planted = openDatabase({
    url: app.env.ARS_DATABASE_URL ?? '',
    name: 'app',
    size: 1,
    acquireTimeoutMs: 30_000,
    log,
  })
  await planted.once(null, who())
  expect(await findUnlocked()).toEqual([{ login: `admin_of_${app.database.name}`, application: 'ars-app' }])
  await planted.close()
})

test('gateway and worker run apart with the same address', async () => {
  const gateway = await app.join('gateway')
  expect((await fetch(`${gateway.metricsUrl}/readyz`)).status).toBe(200)
  expect((await app.call('GET', '/v2/runs', { url: gateway.url })).status).toBe(200)
  await gateway.stop()
})

test('doctor says which mode runs and what is weaker in it', async () => {
  const config = parseConfig(Config, { ...app.env, ARS_PUBLIC_URL: app.url })
  const parts = await openParts({ config, environment: app.env, log: createLog({ level: 'silent' }) })
  const findings = await checkDatabases(parts, parts)
  await parts.close()
  expect(findings.find(({ what }) => what === 'database addresses')?.found).toMatch(
    /^one \(ARS_DATABASE_URL\): .*safer$/,
  )
  expect(findings.filter(({ what }) => what.startsWith('role '))).toEqual(
    ['ars_app', 'ars_auth', 'ars_feed', 'ars_system'].map((role) => ({
      what: `role ${role}`,
      found: `restricted by row-level security, as ${role}_in_${app.database.name}`,
    })),
  )
})

test('addresses of some roles are refused, and the message names those that are missing', async () => {
  await expect(app.join('gateway', { ARS_DATABASE_AUTH_URL: app.database.authUrl })).rejects.toThrow(
    'ARS_DATABASE_FEED_URL: is missing',
  )
  await expect(app.join('gateway', { ARS_DATABASE_URL: app.database.appUrl })).rejects.toThrow(
    'with a login that may create roles, which ars_app may not',
  )
})
