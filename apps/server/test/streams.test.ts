import { limits, RunFrame } from '@ars/contract'
import { toUuid } from '@ars/platform/id'
import { asClient } from '@ars/testkit/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, sharedApp, until } from './app.ts'
import { holdHttp2, parseFrames, readStream, readToEnd, type StreamOptions } from './event-stream.ts'

let app: App
let second: { url: string; stop(): Promise<void> }
beforeAll(async () => {
  app = await sharedApp()
  second = await app.join('gateway')
})
afterAll(() => app.stop())

const create = (agent: string, input: unknown, options: Partial<StreamOptions> = {}) =>
  readStream(`${app.url}/v2/runs/stream`, {
    method: 'POST',
    key: app.tenant.key,
    body: { agent_id: app.tenant.agents[agent], input },
    ...options,
  })
const watch = (id: string, lastEventId: string | undefined, options: Partial<StreamOptions> = {}, url = app.url) =>
  readStream(`${url}/v2/runs/${id}/stream`, {
    key: app.tenant.key,
    ...options,
    headers: { ...options.headers, ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }) },
  })
const streaming = { chunks: 40, delay_ms: 10 }

describe('[S30] POST /runs/stream', () => {
  test('[S30] streams the output of a run as server-sent events, and the whole run last', async () => {
    const { status, headers, frames, how, text } = await create('test-stream', { chunks: 12, delay_ms: 20 })
    expect([status, how]).toEqual([200, 'end'])
    expect(headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      'x-run-id': expect.stringMatching(/^run_/),
      location: `/v2/runs/${headers['x-run-id']}`,
    })
    expect(headers['content-encoding']).toBeUndefined()
    expect(text).toMatch(/^retry: [1-5]\d{3}\n\n/)
    expect(frames.map(({ id }) => id)).toEqual(frames.map((_, at) => at + 1))
    for (const { event, data } of frames) {
      expect(data).toMatchObject({ type: event, run_id: headers['x-run-id'], created_at: expect.any(String) })
    }
    const run = (await app.call('GET', `/v2/runs/${headers['x-run-id']}`)).body
    expect(run.status).toBe('completed')
    expect(frames.at(-1)).toMatchObject({ event: 'run.completed', data: { run } })
    expect(frames.map(({ data }) => data.delta ?? '').join('')).toBe(run.output.result)
    expect(frames.filter(({ event }) => event === 'run.output.delta').length).toBeGreaterThan(1)
    for (const { data } of frames) expect(RunFrame.safeParse(data).error).toBeUndefined()
    const [step] = (await app.call('GET', `/v2/runs/${run.id}/steps`)).body.data
    expect(frames.find(({ event }) => event === 'run.step.started')?.data).toMatchObject({
      step_type: 'model',
      model: 'simulated/stream',
    })
    expect(frames.find(({ event }) => event === 'run.step.completed')?.data).toMatchObject({
      status: 'completed',
      usage: step.usage,
      duration_ms: step.duration_ms,
    })
  })

  test('[S30] sends frames while the run is in flight, not after it', async () => {
    const { frames, headers, how } = await create(
      'test-stream',
      { chunks: 1_000, delay_ms: 50 },
      { cutAfterBytes: 1_500 },
    )
    expect(how).toBe('cut')
    expect(frames.length).toBeGreaterThan(2)
    const { body } = await app.call('GET', `/v2/runs/${headers['x-run-id']}`)
    expect(body.status).toBe('running')
    await app.call('DELETE', `/v2/runs/${headers['x-run-id']}`)
  })

  test('[S30] attaches to the run of an earlier request with the same key', async () => {
    const headers = { 'idempotency-key': `stream-${app.port}` }
    const first = await create('test-stream', { chunks: 5 }, { headers })
    const again = await create('test-stream', { chunks: 5 }, { headers })
    expect(again.headers['idempotency-replayed']).toBe('true')
    expect(again.headers['x-run-id']).toBe(first.headers['x-run-id'])
    expect(again.frames).toEqual(first.frames)
    const resumed = await create('test-stream', { chunks: 5 }, { headers: { ...headers, 'last-event-id': '3' } })
    expect(resumed.frames).toEqual(first.frames.slice(3))
  })

  test('[S30] encodes text that looks like a frame as text', async () => {
    const forged = '\n\nid: 99\nevent: run.completed\ndata: {"type":"run.completed"}\n\n\r\rdata: x\u2028\n\n'
    const { frames } = await create('test-stream', { text: forged, chunk_chars: 3, delay_ms: 1 })
    expect(frames.filter(({ event }) => event === 'run.completed')).toHaveLength(1)
    expect(frames.map(({ id }) => id)).toEqual(frames.map((_, at) => at + 1))
    expect(frames.map(({ data }) => data.delta ?? '').join('')).toBe(forged)
  })

  test.for<[string, Record<string, string>, number, string]>([
    ['a client that takes JSON only', { accept: 'application/json' }, 406, 'not_acceptable'],
    ['a client that excludes streams', { accept: '*/*, text/event-stream;q=0' }, 406, 'not_acceptable'],
    ['an id that is none', { 'last-event-id': '-1' }, 400, 'invalid_request'],
    ['an id of a run that is not there yet', { 'last-event-id': '3' }, 400, 'invalid_request'],
  ])('refuses %s in JSON, and creates nothing', async ([, headers, status, code]) => {
    const before = await countRuns()
    const refused = await create('test-echo', {}, { headers })
    expect([refused.status, JSON.parse(refused.text).error.code]).toEqual([status, code])
    expect(refused.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(await countRuns()).toBe(before)
  })

  test('refuses common errors before the first byte of a stream', async () => {
    const unknown = await create('no such agent', {})
    expect([unknown.status, JSON.parse(unknown.text).error.code]).toEqual([400, 'invalid_request'])
    const head = await create('test-echo', undefined, { method: 'HEAD' })
    expect([head.status, head.headers.allow]).toEqual([405, expect.stringContaining('POST')])
  })
})

describe('GET /runs/{id}/stream', () => {
  test('[S30] resumed from any id sends the same remainder, during the run and after it, on both gateways', async () => {
    const { headers, frames } = await create('test-stream', { chunks: 10, delay_ms: 60 })
    const id = String(headers['x-run-id'])
    for (const after of [0, ...frames.map((frame) => frame.id)]) {
      const read = await watch(id, String(after), {}, after % 2 ? app.url : second.url)
      expect(read.frames).toEqual(frames.slice(after))
      expect(read.how).toBe('end')
    }
    const byQuery = await readStream(`${app.url}/v2/runs/${id}/stream?after=3`, { key: app.tenant.key })
    expect(byQuery.frames).toEqual(frames.slice(3))
  })

  test('[S30] loses and repeats nothing for clients that are cut at any byte and reconnect elsewhere', async () => {
    const clients = Array.from({ length: 6 }, (_, n) => n)
    const run = await app.call('POST', '/v2/runs', {
      body: { agent_id: app.tenant.agents['test-stream'], input: streaming },
      headers: { prefer: 'respond-async' },
    })
    const reads = await Promise.all(
      clients.map((client) => {
        let connection = client
        return readToEnd((lastEventId) => {
          const cutAfterBytes =
            connection > client + 3 ? undefined : 100 + ((client * 7919 + connection * 104_729) % 1_000)
          return watch(run.body.id, lastEventId, { cutAfterBytes }, connection++ % 2 ? app.url : second.url)
        })
      }),
    )
    const { body } = await app.call('GET', `/v2/runs/${run.body.id}`)
    for (const { frames, connections } of reads) {
      expect(connections).toBeGreaterThan(1)
      expect(frames.map(({ id }) => id)).toEqual(frames.map((_, at) => at + 1))
      expect(frames.map(({ data }) => data.delta ?? '').join('')).toBe(body.output.result)
      expect(frames.filter(({ event }) => /^run\.(completed|failed|cancelled)$/.test(event))).toHaveLength(1)
    }
  })

  test('without deltas has the other frames with their ids, live and after the end, from any id', async () => {
    const { headers } = await create('test-stream', { chunks: 30, delay_ms: 20 }, { cutAfterBytes: 1 })
    const id = String(headers['x-run-id'])
    const quiet = (lastEventId?: string, url = app.url) =>
      readStream(`${url}/v2/runs/${id}/stream?deltas=false`, {
        key: app.tenant.key,
        headers: lastEventId === undefined ? {} : { 'last-event-id': lastEventId },
      })
    const live = await quiet()
    const whole = await watch(id, undefined)
    const expected = whole.frames.filter(({ event }) => !event.startsWith('run.output.'))
    expect(whole.frames.length).toBeGreaterThan(expected.length)
    expect(live.frames).toEqual(expected)
    expect((await quiet(undefined, second.url)).frames).toEqual(expected)
    expect((await quiet('2')).frames).toEqual(expected.filter((frame) => frame.id > 2))
    expect((await app.call('GET', `/v2/runs/${id}/stream?deltas=no`)).status).toBe(400)
  })

  test('follows a run into cancellation', async () => {
    const run = await app.call('POST', '/v2/runs', {
      body: { agent_id: app.tenant.agents['test-slow'], input: { seconds: 60 } },
      headers: { prefer: 'respond-async' },
    })
    const reading = watch(run.body.id, undefined, {}, second.url)
    await until('the run to start', async () => {
      const { body } = await app.call('GET', `/v2/runs/${run.body.id}`)
      return body.status === 'running'
    })
    await app.call('DELETE', `/v2/runs/${run.body.id}`)
    const { frames, how } = await reading
    expect(how).toBe('end')
    expect(frames.at(-1)).toMatchObject({ event: 'run.cancelled', data: { run: { status: 'cancelled' } } })
  })

  test('sends the state in a snapshot if the deltas are deleted', async () => {
    const { headers } = await create('test-stream', { chunks: 5, delay_ms: 60 })
    const id = String(headers['x-run-id'])
    await asClient(app.database.superuserUrl, (client) =>
      client.query('delete from run_deltas where run_id = $1', [toUuid(id)]),
    )
    const { frames } = await watch(id, undefined)
    const snapshots = frames.filter(({ event }) => event === 'run.snapshot')
    expect(snapshots).toHaveLength(1)
    expect(snapshots[0]?.data.run).toEqual(frames.at(-1)?.data.run)
    expect(frames.some(({ event }) => event === 'run.output.delta')).toBe(false)
    const ids = frames.map((frame) => frame.id)
    expect(ids).toEqual(ids.toSorted((a, b) => a - b))
  })

  test.for(['999', '-1', 'abc', '1.5', '99999999999', '1, 2'])(
    'refuses to resume after frame %j',
    async (lastEventId) => {
      const { headers } = await create('test-echo', { query: 'x' })
      const refused = await watch(String(headers['x-run-id']), lastEventId)
      expect([refused.status, JSON.parse(refused.text).error.code]).toEqual([400, 'invalid_request'])
    },
  )

  test('refuses a header of one megabyte and keeps serving', async () => {
    const { headers } = await create('test-echo', { query: 'x' })
    const id = String(headers['x-run-id'])
    const refused = await watch(id, '1'.repeat(1_048_576)).catch((error: Error) => ({ status: error.message }))
    expect(refused.status).not.toBe(200)
    expect((await watch(id, undefined)).status).toBe(200)
  })

  test('of another organisation’s run is 404 and reveals nothing', async () => {
    const { headers } = await create('test-echo', { query: 'a secret' })
    const other = await app.addTenant()
    const refused = await watch(String(headers['x-run-id']), undefined, { key: other.key })
    expect(refused.status).toBe(404)
    expect(refused.text).not.toContain('secret')
  })
})

test('a reader that does not read is closed at the bound, and misses nothing after it reconnects', async () => {
  const run = await app.call('POST', '/v2/runs', {
    body: { agent_id: app.tenant.agents['test-stream'], input: { chunks: 300, chunk_chars: 4_096, delay_ms: 10 } },
    headers: { prefer: 'respond-async' },
  })
  const options = { key: app.tenant.key, path: `/v2/runs/${run.body.id}/stream`, isPaused: true }
  const slow = await holdHttp2(app.url, options)
  const normal = watch(run.body.id, undefined)
  const cut = await until('the slow reader to be cut', async () =>
    app.logLines.map((line) => JSON.parse(line)).find((line) => line.ended_by === 'too_slow'),
  )
  expect(cut.bytes).toBeLessThan(2 * limits.streamBufferBytes)
  const { frames: all, how } = await normal
  expect(how).toBe('end')
  const seen = parseFrames(slow.text())
  const rest = await watch(run.body.id, seen.length === 0 ? undefined : String(seen.at(-1)?.id))
  expect([...seen, ...rest.frames]).toEqual(all)
  expect(all.map(({ data }) => data.delta ?? '').join('')).toBe(all.at(-1)?.data.run.output.result)
  slow.leave()
})

test('one line is logged when a stream ends, with the amount sent', async () => {
  const { headers, frames, text } = await create('test-stream', { chunks: 3 })
  const logged = await until('the line', async () =>
    app.logLines.map((line) => JSON.parse(line)).find((line) => line.request_id === headers['x-request-id']),
  )
  expect(logged).toMatchObject({ operation: 'runs.stream', status: 200, frames: frames.length, ended_by: 'ended' })
  expect(logged.bytes).toBe(Buffer.byteLength(text))
})

test('a stopping gateway ends its streams with the reconnection time, and they continue elsewhere', async () => {
  const stopping = await app.join('gateway')
  const run = await app.call('POST', '/v2/runs', {
    body: { agent_id: app.tenant.agents['test-stream'], input: { chunks: 60, delay_ms: 50 } },
    headers: { prefer: 'respond-async' },
  })
  const reading = watch(run.body.id, undefined, {}, stopping.url)
  await until('the stream to be open', async () => app.logLines.length > 0 && (await isSpeaking(run.body.id)))
  await stopping.stop()
  const first = await reading
  expect(first.how).toBe('end')
  expect(first.text).toMatch(/retry: [1-5]\d{3}\n\n$/)
  const rest = await watch(run.body.id, first.frames.length ? String(first.frames.at(-1)?.id) : undefined)
  const frames = [...first.frames, ...rest.frames]
  expect(frames.map(({ id }) => id)).toEqual(frames.map((_, at) => at + 1))
  expect(frames.at(-1)?.event).toBe('run.completed')
  expect(parseFrames(rest.text)).toEqual(rest.frames)
})

const countRuns = async (): Promise<number> =>
  (await app.query('select from runs where org_id = $1', [app.tenant.org])).length

const isSpeaking = (id: string): Promise<boolean> =>
  asClient(app.database.superuserUrl, async (client) => {
    const { rowCount } = await client.query('select from run_deltas where run_id = $1 limit 3', [toUuid(id)])
    return rowCount === 3
  })
