import type { RunShare } from '@ars/contract'
import { toUuid } from '@ars/platform/id'
import { moveDatabaseClock } from '@ars/testkit/clock'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, type CallOptions, type Reply, startApp, until } from './app.ts'

/* Tests that move the clock of the database, which other files must not see: so they share an app of their own. */

let app: App
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.stop())

const move = (ms: number) => moveDatabaseClock(app.database.ownerUrl, ms)
const create = (agent: string, input: object, { body, ...more }: CallOptions & { body?: object } = {}) =>
  app.call('POST', '/v2/runs', { body: { agent_id: app.tenant.agents[agent], input, ...body }, ...more })

describe('a run that is invoked', () => {
  test('that exceeds its timeout fails, whichever worker executes it, and the wait ends with it', async () => {
    const pending = create('test-slow', { seconds: 600 }, { body: { timeout_seconds: 120 } })
    await until('the run to start', async () => {
      const running = await app.query(`select from run_heads where status = 'running'`)
      return running.length > 0
    })
    await move(130_000)
    const { status, body } = await pending
    expect(status).toBe(200)
    expect(body).toMatchObject({ status: 'failed', error: { code: 'run_timeout' }, output: null })
    const events = await app.query<{ type: string }>('select type from run_events where run_id = $1 order by seq', [
      toUuid(body.id),
    ])
    expect(events.at(-1)?.type).toBe('run.failed')
  })
})

describe('an idempotency key', () => {
  test('is free again after 24 hours, and not a second earlier (limits.idempotencyKeyHours)', async () => {
    const headers = { 'idempotency-key': 'a day' }
    const first = await create('test-echo', { query: 'day' }, { headers })
    await move(24 * 3_600_000 - 30_000)
    const before = await create('test-echo', { query: 'day' }, { headers })
    await move(31_000)
    const after = await create('test-echo', { query: 'day' }, { headers })
    expect(before.body.id).toBe(first.body.id)
    expect(after.body.id).not.toBe(first.body.id)
  })
})

test('a link is refused after its end, by the clock of the service', async () => {
  const { id } = (await create('test-echo', { query: 'shared' })).body
  const share = async (body: object): Promise<RunShare & { token: string }> => {
    const made = await app.call('POST', `/v2/runs/${id}/shares`, { body })
    expect([made.status, made.text]).toEqual([201, made.text])
    return made.body
  }
  const read = (token: string) => app.call('GET', `/v2/runs/${id}`, { key: token })
  const [short, long] = [await share({ expires_in_seconds: 3_600 }), await share({})]
  expect((await read(short.token)).status).toBe(200)
  await move(3_600_000)
  await until('the refusal of the link', async () => {
    const { status, body } = await read(short.token)
    return status === 401 && body.error.code === 'unauthorized'
  })
  expect((await read(long.token)).status).toBe(200)
})

test('[S75] Retry-After states when the new month begins, and a request passes then', async () => {
  const tenant = await app.addTenant({ limits: { callsPerMonth: 1 } })
  const ask = () =>
    app.call('POST', '/v2/runs', {
      key: tenant.key,
      body: { agent_id: tenant.agents['test-echo'], input: { query: 'hello' } },
      headers: { prefer: 'respond-async' },
    })
  // 202, or 200 when the run has ended before the response.
  const isAccepted = ({ status }: Reply): boolean => status === 200 || status === 202
  expect(isAccepted(await ask())).toBe(true)
  const refused = await ask()
  expect(refused.status).toBe(429)
  const seconds = Number(refused.headers['retry-after'])
  expect(Number.isInteger(seconds)).toBe(true)
  await move(seconds * 1000)
  expect(isAccepted(await ask())).toBe(true)
  expect((await ask()).status).toBe(429)
})
