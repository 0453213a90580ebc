import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { asClient } from '@ars/testkit/client'
import { request } from 'undici'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, startApp, until } from './app.ts'

/*
 * Roles belong to the whole server, and other tests use the first logins. So these tests change the password of a second login.
 */

const suffix = `_${randomBytes(4).toString('hex')}`
const roles = { ars_app: 'URL', ars_auth: 'AUTH_URL', ars_feed: 'FEED_URL', ars_system: 'SYSTEM_URL' }

let app: App
beforeAll(async () => {
  app = await startApp()
  await setPasswords('first')
})
afterAll(async () => {
  await asClient(app.database.superuserUrl, async (client) => {
    for (const role of Object.keys(roles)) await client.query(`drop role ${role}${suffix}`)
  })
  await app.stop()
})

/** As the guide says. */
const setPasswords = (password: string) =>
  promisify(execFile)('psql', [
    ...['-X', '-q', '-v', `suffix=${suffix}`, '-v', `password=${password}`],
    ...['-f', fileURLToPath(new URL('../../../db/second-logins.sql', import.meta.url)), app.database.superuserUrl],
  ])

const secondLogins = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(roles).map(([role, setting]) => {
      const url = new URL(app.env[`ARS_DATABASE_${setting}`] ?? '')
      url.username = `${role}${suffix}`
      url.password = 'first'
      return [`ARS_DATABASE_${setting}`, url.href]
    }),
  )

const call = (url: string) =>
  app.call('POST', '/v2/runs', { url, body: { agent_id: app.tenant.agents['test-echo'], input: { text: 'hello' } } })

test('processes move to second logins one at a time, and no call fails', async () => {
  const live = [app.url]
  const statuses: number[] = []
  let isMoving = true
  const caller = (async () => {
    for (let n = 0; isMoving || n < live.length; n++) statuses.push((await call(live[n % live.length] ?? '')).status)
  })()
  const worker = await app.join('worker', secondLogins())
  const gateway = await app.join('gateway', secondLogins())
  live.push(gateway.url)
  // The balancer sees that the first gateway is not ready before it stops.
  live.shift()
  isMoving = false
  await caller
  expect((await call(gateway.url)).body).toMatchObject({ status: 'completed' })
  expect(new Set(statuses)).toEqual(new Set([200]))
  await Promise.all([worker.stop(), gateway.stop()])
})

test('a user of Redis has two passwords while processes move from one to the other, and no call fails', async () => {
  const redisUrl = new URL(app.env.ARS_REDIS_URL ?? '')
  const user = `user${suffix}`
  const acl = (...words: string[]) => promisify(execFile)('redis-cli', ['-u', redisUrl.href, 'ACL', ...words])
  const loginWith = (password: string): Record<string, string> => {
    const url = new URL(redisUrl)
    url.username = user
    url.password = password
    return { ARS_REDIS_URL: url.href }
  }
  const isRedisUp = async (metricsUrl: string) =>
    (await (await request(`${metricsUrl}/metrics`)).body.text()).includes('\nars_redis_up 1\n')
  const stops: (() => Promise<void>)[] = []
  try {
    await acl('SETUSER', user, 'on', '>first', 'allkeys', 'allchannels', '+@all')
    const old = await app.join('gateway', loginWith('first'))
    stops.push(old.stop)
    await until('the old process to use Redis', () => isRedisUp(old.metricsUrl))
    await acl('SETUSER', user, '>second')
    const next = await app.join('gateway', loginWith('second'))
    stops.push(next.stop)
    await until('the new process to use Redis', () => isRedisUp(next.metricsUrl))
    const both = await Promise.all([old.url, next.url].map(call))
    await acl('SETUSER', user, '<first')
    expect(await isRedisUp(next.metricsUrl)).toBe(true)
    const after = await Promise.all([old.url, next.url].map(call))
    expect([...both, ...after].map(({ status }) => status)).toEqual([200, 200, 200, 200])
  } finally {
    await Promise.all(stops.map((stop) => stop()))
    await acl('DELUSER', user)
  }
})

test('a process whose password was changed is not ready within 5 s, and logs the reason once', async () => {
  const { metricsUrl, stop } = await app.join('gateway', secondLogins())
  const ready = async () => (await request(`${metricsUrl}/readyz`)).body.text()
  await until('the gateway to be ready', async () => (await ready()) === 'ok\n')
  const before = app.logLines.length
  const changedAt = performance.now()
  await setPasswords('second')
  await until('readiness to fall', async () => (await ready()).includes('cannot connect'))
  // The bound of the promise, with room for a slow machine: readiness asks again after a second, and a proof lasts three.
  expect(performance.now() - changedAt).toBeLessThan(30_000)
  const reasons = app.logLines
    .slice(before)
    .filter((line) => line.includes('database connection refused'))
    .map((line) => JSON.parse(line))
    .filter(({ pool }) => pool === 'app')
    .map(({ reason }) => reason)
  expect(reasons).toEqual(['authentication'])
  await setPasswords('first')
  await until('readiness to return', async () => (await ready()) === 'ok\n')
  await stop()
})
