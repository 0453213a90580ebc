import { readFileSync } from 'node:fs'
import { stackFacts } from '@ars/testkit/stack'
import { Agent, request } from 'undici'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, sharedApp, type Tenant } from './app.ts'
import { sendLarge } from './large-body.ts'

let app: App
beforeAll(async () => {
  app = await sharedApp()
})
afterAll(() => app.stop())

const waits = { timeout: 180_000, interval: 250 }
const callAs =
  (tenant: Tenant) => async (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
    app.call(method, `/v2${path}`, {
      key: tenant.key,
      ...(body === undefined ? {} : { body }),
      ...(headers ? { headers } : {}),
    })
const itemsOf = (count: number) => Array.from({ length: count }, (_, n) => ({ input: { query: `item ${n}` } }))
const statusOf = async (tenant: Tenant, id: string) => (await callAs(tenant)('GET', `/batches/${id}`)).body.status

test('a batch starts a run for each item within the limit, and its results can be read and downloaded', async () => {
  const tenant = await app.addTenant({ concurrentRuns: 5 })
  const call = callAs(tenant)
  const body = { agent_id: tenant.agents['test-echo'], items: itemsOf(50), metadata: { job: 'a' } }
  const key = { 'idempotency-key': 'batch' }
  const made = await call('POST', '/batches', body, key)
  expect(made).toMatchObject({ status: 201, body: { object: 'batch', status: 'running', progress: { items: 50 } } })
  const { id } = made.body
  expect(made.headers.location).toBe(`/v2/batches/${id}`)
  const again = await call('POST', '/batches', body, key)
  expect(again).toMatchObject({ status: 201, body: { id } })
  expect(again.headers['idempotency-replayed']).toBe('true')
  expect(await call('DELETE', `/batches/${id}/data`)).toMatchObject({
    status: 422,
    body: { error: { code: 'run_not_ended', message: expect.stringContaining(`Batch ${id}`) } },
  })
  // The runs are short, so they are counted all the time.
  let most = 0
  let isDone = false
  const counting = (async () => {
    while (!isDone) {
      const [row] = await app.query<{ runs: number }>(
        'select count(*)::integer as runs from run_heads where org_id = $1 and is_admitted',
        [tenant.org],
      )
      most = Math.max(most, row?.runs ?? 0)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  })()
  await expect.poll(() => statusOf(tenant, id), waits).toBe('completed')
  isDone = true
  await counting
  // A fifth of the limit stays free.
  expect(most).toBeGreaterThan(0)
  expect(most).toBeLessThanOrEqual(4)
  const batch = (await call('GET', `/batches/${id}`)).body
  expect(batch.progress).toEqual({ items: 50, waiting: 0, running: 0, completed: 50, failed: 0, cancelled: 0 })

  const results: { id: string }[] = []
  for (let after = ''; ; ) {
    const page = (await call('GET', `/batches/${id}/results?limit=20${after}`)).body
    results.push(...page.data)
    if (!page.has_more) break
    after = `&after=${page.data.at(-1).id}`
  }
  expect(results.map((result) => result.id)).toEqual(itemsOf(50).map((_, n) => String(n)))
  expect(results[7]).toMatchObject({ object: 'batch_result', status: 'completed', error: null })
  const file = await call('GET', `/batches/${id}/export`)
  expect(file.status).toBe(200)
  expect(file.headers['content-type']).toBe('application/jsonl; charset=utf-8')
  expect(file.headers['content-disposition']).toBe(`attachment; filename="${id}.jsonl"`)
  expect(file.text.endsWith('\n')).toBe(true)
  expect(
    file.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual(results)
  expect((await call('HEAD', `/batches/${id}/export`)).text).toBe('')
  expect((await call('GET', `/batches/${id}/export`, undefined, { accept: 'text/csv' })).status).toBe(406)

  const runs = (await call('GET', '/runs?limit=100')).body.data
  expect(runs).toHaveLength(50)
  expect(runs[0].metadata).toEqual({ job: 'a' })
  const told = async () =>
    (await call('GET', '/events?limit=100')).body.data.filter(
      ({ type }: { type: string }) => type === 'batch.completed',
    )
  await expect.poll(async () => (await told()).length, waits).toBe(1)
  expect((await told())[0].data).toEqual(batch)

  expect((await call('DELETE', `/batches/${id}/data`)).status).toBe(200)
  await expect.poll(async () => (await call('GET', `/batches/${id}`)).body.erased_at, waits).not.toBeNull()
  expect((await call('GET', `/batches/${id}`)).body.metadata).toEqual({})
  const erased = (await call('GET', `/batches/${id}/results?limit=100`)).body.data
  expect(erased.every(({ output }: { output: unknown }) => output === null)).toBe(true)
  expect((await told())[0].data.metadata).toEqual({})
  const audited = (await call('GET', '/audit-log?limit=100')).body.data
    .map(({ action }: { action: string }) => action)
    .filter((action: string) => action.startsWith('batch.'))
  expect(audited.toReversed()).toEqual(['batch.created', 'batch.data_erased'])
}, 240_000)

test('a cancelled batch starts nothing more and cancels its runs', async () => {
  const tenant = await app.addTenant({ concurrentRuns: 5 })
  const call = callAs(tenant)
  const slow = { agent_id: tenant.agents['test-slow'], items: itemsOf(30) }
  const { id } = (await call('POST', '/batches', slow)).body
  await expect.poll(async () => (await call('GET', `/batches/${id}`)).body.progress.running, waits).toBeGreaterThan(0)
  const waiting = (await call('GET', '/runs?status=queued')).body.data
  if (waiting.length > 0) {
    const diagnosis = (await call('GET', `/runs/${waiting[0].id}/diagnosis`)).body
    if (diagnosis.waiting_for === 'slot') expect(diagnosis.message).toContain('capacity that other runs leave')
  }
  expect((await call('DELETE', `/batches/${id}`)).body.status).toMatch(/^cancell/)
  await expect.poll(() => statusOf(tenant, id), waits).toBe('cancelled')
  const { progress } = (await call('GET', `/batches/${id}`)).body
  expect(progress).toMatchObject({ items: 30, waiting: 0, running: 0 })
  expect(progress.cancelled).toBeGreaterThan(0)
  // It has ended, so nothing changes any more.
  expect((await call('DELETE', `/batches/${id}`)).body.status).toBe('cancelled')
  const events = (await call('GET', '/events?limit=100')).body.data
  expect(events.filter(({ type }: { type: string }) => type === 'batch.completed')).toMatchObject([
    { data: { id, status: 'cancelled' } },
  ])
}, 240_000)

const tooLarge = { status: 413, body: { error: { code: 'body_too_large' } } }

test('bodies are refused beyond their bounds (serverBounds.valuesOfLargeBody)', async () => {
  const tenant = await app.addTenant()
  const call = callAs(tenant)
  const agent_id = tenant.agents['test-echo']
  const raw = (path: string) => sendLarge(app, tenant, path, `{"x":"${'y'.repeat(1_048_576)}"}`)
  expect(await raw('/v2/runs')).toMatchObject(tooLarge)
  expect(await raw('/v2/schedules')).toMatchObject(tooLarge)
  // An item is the body of a run.
  const large = JSON.stringify({ agent_id, items: [{ input: {} }, { input: { query: 'x'.repeat(1_100_000) } }] })
  expect(await sendLarge(app, tenant, '/v2/batches', large)).toMatchObject({
    status: 413,
    body: { error: { code: 'body_too_large', param: 'items.1' } },
  })
  const lists = Array.from({ length: 5_000 }, () => ({ input: { list: Array.from({ length: 150 }, () => 1) } }))
  expect(await sendLarge(app, tenant, '/v2/batches', JSON.stringify({ agent_id, items: lists }))).toMatchObject(
    tooLarge,
  )
  expect((await call('POST', '/batches', { agent_id, items: [] })).status).toBe(400)
}, 120_000)

test.for([
  ['HTTP/1.1', false],
  ['HTTP/2', true],
] as const)(
  'a download over %s ends when the client leaves, and when its key is revoked',
  { timeout: 240_000 },
  async ([, allowH2]) => {
    const tenant = await app.addTenant()
    const call = callAs(tenant)
    const agent_id = tenant.agents['test-echo']
    const { id } = (await call('POST', '/batches', { agent_id, items: itemsOf(20) })).body
    await expect.poll(() => statusOf(tenant, id), waits).toBe('completed')
    // Large outputs, so that the client cannot receive all of it without reading.
    await app.query(
      `update run_results set output = json_build_object('text', repeat('x', 1000000)), output_bytes = 1000011 where org_id = $1`,
      [tenant.org],
    )
    const made = (await call('POST', '/api-keys', { name: 'reader', scopes: ['runs:read'] })).body
    const dispatcher = new Agent({ allowH2, connect: { ca: readFileSync(stackFacts().tls.certFile) } })
    const open = async () => {
      const path = `${app.url}/v2/batches/${id}/export`
      const answer = await request(path, { dispatcher, headers: { authorization: `Bearer ${made.key}` } })
      expect(answer.statusCode).toBe(200)
      return answer.body
    }
    const isRecorded = (count: number) =>
      expect
        .poll(
          () =>
            app.logLines.filter((line) => line.includes('"batches.export"') && line.includes(`"${made.id}"`)).length,
          waits,
        )
        .toBe(count)
    const left = await open()
    left.on('error', () => undefined)
    left.destroy()
    await isRecorded(1)
    const cut = await open()
    const ended = new Promise<string>((resolve) => {
      cut.on('error', () => resolve('broken off')).on('end', () => resolve('complete'))
    })
    expect((await call('DELETE', `/api-keys/${made.id}`)).status).toBe(200)
    // The client reads after the service has ended the response, and finds what was buffered.
    await isRecorded(2)
    cut.resume()
    expect(await ended).toBe('broken off')
    await dispatcher.destroy()
  },
)
