import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, startApp, type Tenant, until } from './app.ts'

let app: App
let second: Awaited<ReturnType<App['join']>>
beforeAll(async () => {
  app = await startApp()
  second = await app.join('worker')
})
afterAll(async () => {
  await second.stop()
  await app.stop()
})

const as = ({ key }: Tenant) => {
  const call = async (method: string, path: string, body?: unknown) => {
    const headers = { prefer: 'respond-async' }
    const reply = await app.call(method, `/v2${path}`, { key, headers, ...(body === undefined ? {} : { body }) })
    expect(reply.status, reply.text).toBeLessThan(300)
    return reply.body
  }
  return {
    make: (model: string, places: number) =>
      call('POST', '/agents/custom', { name: model, config: { model }, limits: { max_concurrent_runs: places } }),
    change: (agentId: string, body: unknown) => call('PATCH', `/agents/${agentId}`, body),
    start: (agentId: string, input: unknown) => call('POST', '/runs', { agent_id: agentId, input }),
    read: (id: string) => call('GET', `/runs/${id}`),
    diagnose: (id: string) => call('GET', `/runs/${id}/diagnosis`),
    approve: (id: string) => call('POST', `/runs/${id}/action`, { type: 'approve' }),
    cancel: (id: string) => call('DELETE', `/runs/${id}`),
    inState: (id: string, status: string) =>
      until(`${id} to be ${status}`, async () => (await call('GET', `/runs/${id}`)).status === status),
  }
}

test('an agent never exceeds max_concurrent_runs, and all of its runs complete', async () => {
  const api = as(await app.addTenant())
  const agent = await api.make('simulated/steps', 2)
  expect(agent.limits).toMatchObject({ max_concurrent_runs: 2 })
  const started = await Promise.all(Array.from({ length: 12 }, () => api.start(agent.id, { steps: 2, delay_ms: 100 })))
  const runs = await until('the end of all', async () => {
    const all = await Promise.all(started.map(({ id }) => api.read(id)))
    return all.every(({ finished_at }) => finished_at !== null) && all
  })
  expect(runs.map(({ status }) => status)).toEqual(Array(12).fill('completed'))
  const spans = runs.map(({ started_at, finished_at }) => [Date.parse(started_at), Date.parse(finished_at)] as const)
  const underWayAt = (ms: number) => spans.filter(([from, until]) => from <= ms && ms < until).length
  expect(Math.max(...spans.map(([from]) => underWayAt(from)))).toBe(2)
})

test('a run that waits for its agent reports so, and other runs of the organisation pass it', async () => {
  const tenant = await app.addTenant()
  const api = as(tenant)
  const agent = await api.make('simulated/slow', 1)
  const busy = await api.start(agent.id, { seconds: 60 })
  await api.inState(busy.id, 'running')
  const waiting = await api.start(agent.id, { seconds: 60 })
  const other = await api.start(tenant.agents['test-echo'] as string, { query: 'quick' })
  await api.inState(other.id, 'completed')
  expect(await api.diagnose(waiting.id)).toMatchObject({
    status: 'queued',
    waiting_for: 'slot',
    message: 'The one run that the agent may have at once (limits.max_concurrent_runs) is under way; 1 in line.',
    queue_position: 1,
    blocked_by: [busy.id],
  })
  await api.cancel(busy.id)
  await api.inState(waiting.id, 'running')
  // A higher limit applies to waiting runs too.
  const third = await api.start(agent.id, { seconds: 60 })
  await api.change(agent.id, { limits: { max_concurrent_runs: 2 } })
  await api.inState(third.id, 'running')
  await Promise.all([api.cancel(waiting.id), api.cancel(third.id)])
})

test('a run that asks a person releases its slot to the next run, and waits for a slot after the decision', async () => {
  const tenant = await app.addTenant()
  const api = as(tenant)
  const agent = await api.make('simulated/approval', 1)
  const first = await api.start(agent.id, {})
  await api.inState(first.id, 'requires_action')
  const next = await api.start(agent.id, {})
  await api.inState(next.id, 'requires_action')
  for (const { id } of [first, next]) {
    await api.approve(id)
    await api.inState(id, 'completed')
  }
  expect(await app.query('select run_id from run_heads where org_id = $1', [tenant.org])).toEqual([])
})
