import { toUuid } from '@ars/platform/id'
import { asClient } from '@ars/testkit/client'
import { moveDatabaseClock } from '@ars/testkit/clock'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, startApp, until } from './app.ts'

let app: App
beforeAll(async () => {
  app = await startApp({ env: { ARS_CANCEL_GRACE_MS: '10000' } })
})
afterAll(() => app.stop())

const create = async (agent: string, input: Record<string, unknown>, rest: Record<string, unknown> = {}) => {
  const body = { agent_id: app.tenant.agents[agent], input, ...rest }
  return (await app.call('POST', '/v2/runs', { body, headers: { prefer: 'respond-async' } })).body
}
const read = async (id: string) => (await app.call('GET', `/v2/runs/${id}`)).body
const cancel = (id: string) => app.call('DELETE', `/v2/runs/${id}`)
const untilStatus = (id: string, status: string) =>
  until(`run ${status}`, async () => {
    const run = await read(id)
    return run.status === status && run
  })

describe('a run that is cancelled', () => {
  test('[S21][S34] during a step stops at once and is cancelled', async () => {
    const { id } = await create('test-slow', { seconds: 600 })
    await untilStatus(id, 'running')
    const { status, body } = await cancel(id)
    expect(status).toBe(200)
    expect(['cancelling', 'cancelled']).toContain(body.status)
    const ended = await untilStatus(id, 'cancelled')
    expect(ended).toMatchObject({ output: null, error: null })
    expect(ended.latency_ms).toBeLessThan(30_000)
  })

  test('[S21] while it waits for a person is cancelled at once, and its action is closed', async () => {
    const { id } = await create('test-approval', {})
    const waiting = await untilStatus(id, 'requires_action')
    expect((await cancel(id)).body).toMatchObject({ status: 'cancelled', required_actions: [] })
    const late = await app.call('POST', `/v2/runs/${id}/action`, {
      body: { type: 'approve', action_id: waiting.required_actions[0].id },
    })
    expect([late.status, late.body.error.code]).toEqual([422, 'run_not_active'])
  })

  test('repeatedly, or by a hundred concurrent callers, is cancelled once, with the same response', async () => {
    const { id } = await create('test-slow', { seconds: 600 })
    await untilStatus(id, 'running')
    const answers = await Promise.all(Array.from({ length: 100 }, () => cancel(id)))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    await untilStatus(id, 'cancelled')
    const again = await cancel(id)
    expect(again.body).toEqual(await read(id))
    expect(await eventsOf(id)).toEqual(['run.cancelled'])
  })

  test('after its end is returned unchanged', async () => {
    const body = { agent_id: app.tenant.agents['test-echo'], input: { query: 'Hello' } }
    const run = (await app.call('POST', '/v2/runs', { body })).body
    const { status, body: answered } = await cancel(run.id)
    expect([status, answered]).toEqual([200, run])
  })

  test('of another organisation is 404 and continues', async () => {
    const { id } = await create('test-slow', { seconds: 2 })
    const stranger = await app.addTenant()
    expect((await app.call('DELETE', `/v2/runs/${id}`, { key: stranger.key })).status).toBe(404)
    await untilStatus(id, 'completed')
  })
})

describe('a run that waits for a slot', () => {
  test('is cancelled at once, and a message to it is kept until it starts', async () => {
    const tenant = await app.addTenant({ concurrentRuns: 1 })
    const call = (method: string, path: string, body?: unknown) => app.call(method, path, { key: tenant.key, body })
    const make = async (agent: string, input: unknown) =>
      (
        await app.call('POST', '/v2/runs', {
          key: tenant.key,
          body: { agent_id: tenant.agents[agent], input },
          headers: { prefer: 'respond-async' },
        })
      ).body
    const first = await make('test-slow', { seconds: 600 })
    const second = await make('test-echo', { query: 'second' })
    const third = await make('test-echo', { query: 'third' })
    const diagnosis = (await call('GET', `/v2/runs/${third.id}/diagnosis`)).body
    expect(diagnosis).toMatchObject({ waiting_for: 'slot', queue_position: 2, blocked_by: [first.id] })
    expect((await call('DELETE', `/v2/runs/${second.id}`)).body.status).toBe('cancelled')
    await call('DELETE', `/v2/runs/${first.id}`)
    await until('the third run to end', async () => {
      return (await call('GET', `/v2/runs/${third.id}`)).body.status === 'completed'
    })
  })

  test('is refused with 429 when the queue holds ten times the limit, and its replay never is', async () => {
    const tenant = await app.addTenant({ concurrentRuns: 1 })
    const make = (n: number, key?: string) =>
      app.call('POST', '/v2/runs', {
        key: tenant.key,
        body: { agent_id: tenant.agents['test-slow'], input: { seconds: 600, n } },
        headers: { prefer: 'respond-async', ...(key ? { 'idempotency-key': key } : {}) },
      })
    const first = await make(0, 'first')
    for (let n = 1; n <= 10; n++) expect((await make(n)).status).toBe(202)
    const refused = await make(11)
    expect([refused.status, refused.body.error.code]).toEqual([429, 'concurrency_exceeded'])
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    const twin = await make(0, 'first')
    expect([twin.status, twin.body.id]).toEqual([202, first.body.id])
  })

  test('fails with queue_timeout when its timeout ends before it starts', async () => {
    const tenant = await app.addTenant({ concurrentRuns: 1 })
    const make = async (timeout: number) =>
      (
        await app.call('POST', '/v2/runs', {
          key: tenant.key,
          body: { agent_id: tenant.agents['test-slow'], input: { seconds: 3600 }, timeout_seconds: timeout },
          headers: { prefer: 'respond-async' },
        })
      ).body
    const running = await make(86_400)
    const waiting = await make(60)
    await moveDatabaseClock(app.database.ownerUrl, 61_000)
    const failed = await until('the waiting run to end', async () => {
      const run = (await app.call('GET', `/v2/runs/${waiting.id}`, { key: tenant.key })).body
      return run.status === 'failed' && run
    })
    expect(failed.error).toMatchObject({ code: 'queue_timeout', retryable: true })
    expect((await app.call('GET', `/v2/runs/${running.id}`, { key: tenant.key })).body.status).toBe('running')
    await app.call('DELETE', `/v2/runs/${running.id}`, { key: tenant.key })
  })
})

describe('a worker that does not stop', () => {
  test('cannot prevent a cancelled run from ending when the grace period is over', async () => {
    const { id } = await create('test-slow', { seconds: 600 })
    await untilStatus(id, 'running')
    // The row changes as in a cancel, but the worker is not notified: only the deadline can end the run.
    await asClient(app.database.superuserUrl, (client) =>
      client.query(
        `update run_heads set status = 'cancelling', epoch = epoch + 1, deadline_at = app_now() + interval '9 seconds'`,
      ),
    )
    await moveDatabaseClock(app.database.ownerUrl, 10_000)
    expect(await untilStatus(id, 'cancelled')).toMatchObject({ output: null, error: null })
  })
})

const eventsOf = (id: string): Promise<string[]> =>
  asClient(app.database.superuserUrl, async (client) => {
    const { rows } = await client.query('select type from events where subject_id = $1', [toUuid(id)])
    return rows.map(({ type }) => type)
  })
