import { expect, test } from 'vitest'
import { NotFoundError } from '../src/index.ts'
import { after, allTypes, begin, frames, open, typesOf } from './frames.ts'
import { answer, refusal, startService } from './service.ts'

test('a run is streamed until it ends, and the request ends with it', async () => {
  const { client, seen, sockets } = await startService((request, response) => open(response, after(request)))
  const stream = client.runs.stream({ agent_id: 'ag_1', input: { n: 1 } })
  expect(await typesOf(stream)).toEqual(allTypes)
  expect(stream.lastEventId).toBe('4')
  expect(seen[0]).toMatchObject({
    method: 'POST',
    url: '/v2/runs/stream',
    headers: { accept: 'text/event-stream', 'idempotency-key': expect.any(String) },
    body: '{"agent_id":"ag_1","input":{"n":1}}',
  })
  // The client ended it, not the server.
  await expect.poll(() => sockets.size).toBe(0)
})

test('when a gateway stops, the stream resumes after the delay that it requested', async () => {
  const { client, seen, waits } = await startService((request, response, n) => {
    if (n === 1) return open(response, `${frames[0]}${frames[1]}retry: 3210\n\n`).end()
    open(response, after(request))
  })
  expect(await typesOf(client.runs.watch('run_1', { after: 0 }))).toEqual(allTypes)
  expect(waits).toEqual([3_210])
  expect(seen.map(({ url, headers }) => [url, headers['last-event-id']])).toEqual([
    ['/v2/runs/run_1/stream?after=0', undefined],
    ['/v2/runs/run_1/stream', '2'],
  ])
})

test('a stream resumes with back-off while the service is unavailable', async () => {
  const { client, waits } = await startService((request, response, n) => {
    if (n === 1) return void open(response, frames[0]).end()
    if (n === 2) return void response.socket?.destroy()
    if (n === 3) return answer(response, 503, refusal('unavailable'), { 'retry-after': '4' })
    if (n === 4) return answer(response, 502, '')
    open(response, after(request))
  })
  expect(await typesOf(client.runs.watch('run_1'))).toEqual(allTypes)
  expect(waits).toEqual([1_200, 1_800, 4_000, 7_200])
})

test('a stream of a run gives up after its resume timeout, with the last failure', async () => {
  const { client, waits } = await startService((_, response, n) =>
    n === 1 ? void open(response, frames[0]).end() : answer(response, 503, refusal('unavailable')),
  )
  await expect(typesOf(client.runs.watch('run_1', {}, { resumeForMs: 60_000 }))).rejects.toMatchObject({ status: 503 })
  expect(waits.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThanOrEqual(60_000)
})

test('a permanent error is thrown at once', async () => {
  const { client, seen } = await startService((_, response, n) =>
    n === 1 ? void open(response, frames[0]).end() : answer(response, 404, refusal('not_found')),
  )
  await expect(typesOf(client.runs.watch('run_1'))).rejects.toBeInstanceOf(NotFoundError)
  expect(seen).toHaveLength(2)
})

test('a refusal before the first byte is an ordinary error', async () => {
  const { client } = await startService((_, response) => answer(response, 422, refusal('input_invalid')))
  await expect(typesOf(client.runs.stream({ agent_id: 'ag_1', input: {} }))).rejects.toMatchObject({
    code: 'input_invalid',
  })
})

test('a first request without a response is retried with the same key, so that one run is created', async () => {
  const { client, seen } = await startService((request, response, n) => {
    if (n === 1) return void response.socket?.destroy()
    open(response, after(request))
  })
  expect(await typesOf(client.runs.stream({ agent_id: 'ag_1', input: {} }))).toEqual(allTypes)
  expect(seen[1]?.headers['idempotency-key']).toBe(seen[0]?.headers['idempotency-key'])
})

test('a stream without a run id is restarted with the same key', async () => {
  const { client, seen } = await startService((request, response, n) => {
    if (n === 1) return void response.writeHead(200).end(begin)
    open(response, after(request))
  })
  expect(await typesOf(client.runs.stream({ agent_id: 'ag_1', input: {} }))).toEqual(allTypes)
  expect(seen.map(({ method }) => method)).toEqual(['POST', 'POST'])
  expect(seen[1]?.headers['idempotency-key']).toBe(seen[0]?.headers['idempotency-key'])
})

test('an idle stream is resumed', async () => {
  const { client, seen } = await startService((request, response, n) => {
    open(response, n === 1 ? frames[0] : after(request))
  })
  expect(await typesOf(client.runs.watch('run_1', {}, { idleTimeoutMs: 50 }))).toEqual(allTypes)
  expect(seen).toHaveLength(2)
})

test('watching an ended run after its last frame ends without reconnecting', async () => {
  const { client, seen } = await startService((request, response) => {
    if (request.url === '/v2/runs/run_1') return answer(response, 200, { id: 'run_1', status: 'completed' })
    open(response).end()
  })
  expect(await typesOf(client.runs.watch('run_1', { after: 4 }))).toEqual([])
  expect(seen.map(({ url }) => url)).toEqual([
    '/v2/runs/run_1/stream?after=4',
    '/v2/runs/run_1',
    '/v2/runs/run_1/stream?after=4',
  ])
})

test('leaving the loop ends the request', async () => {
  const { client, sockets } = await startService((_, response) => void open(response, frames[0]))
  for await (const { type } of client.runs.watch('run_1')) {
    expect(type).toBe('run.created')
    break
  }
  await expect.poll(() => sockets.size).toBe(0)
})

test('close ends the loop without an error, also while it waits', async () => {
  const { client, sockets } = await startService((_, response) => void open(response, frames[0]))
  const stream = client.runs.watch('run_1')
  const seen: string[] = []
  for await (const { type } of stream) {
    seen.push(type)
    setImmediate(() => stream.close())
  }
  expect(seen).toEqual(['run.created'])
  await expect.poll(() => sockets.size).toBe(0)
})

test('a signal ends the loop with its reason', async () => {
  const stopping = new AbortController()
  const { client } = await startService((_, response) => {
    open(response, frames[0])
    setImmediate(() => stopping.abort(new Error('enough')))
  })
  await expect(typesOf(client.runs.watch('run_1', {}, { signal: stopping.signal }))).rejects.toThrow('enough')
})

const event = (n: number): string =>
  `id: evt_${n}\nevent: run.completed\ndata: ${JSON.stringify({ id: `evt_${n}`, type: 'run.completed', data: {} })}\n\n`

test('a stream of events continues after the end of a run and after every break, until the caller leaves', async () => {
  const { client, seen } = await startService((_, response, n) => {
    open(response, event(n))
    if (n < 4) response.socket?.end()
  })
  const ids: string[] = []
  for await (const { id } of client.events.watch({ type: 'run.completed', since: '2026-01-01T00:00:00Z' })) {
    ids.push(id)
    if (ids.length === 4) break
  }
  expect(ids).toEqual(['evt_1', 'evt_2', 'evt_3', 'evt_4'])
  expect(seen.map(({ url, headers }) => [url, headers['last-event-id']])).toEqual([
    ['/v2/events/stream?type=run.completed&since=2026-01-01T00%3A00%3A00Z', undefined],
    ['/v2/events/stream?type=run.completed', 'evt_1'],
    ['/v2/events/stream?type=run.completed', 'evt_2'],
    ['/v2/events/stream?type=run.completed', 'evt_3'],
  ])
})

test('a stream of events that breaks before the first event resumes where it started', async () => {
  const { client, seen } = await startService((_, response, n) => {
    if (n > 1) return void open(response, event(1))
    response.setHeader('date', 'Sun, 15 Nov 2026 10:00:00 GMT')
    open(response).end()
  })
  for await (const { id } of client.events.watch()) {
    expect(id).toBe('evt_1')
    break
  }
  expect(seen[1]?.url).toBe('/v2/events/stream?since=2026-11-15T10%3A00%3A00.000Z')
})

test('a stream of events can start where another ended', async () => {
  const { client, seen } = await startService((_, response) => void open(response, event(8)))
  for await (const { id } of client.events.watch({}, { lastEventId: 'evt_7' })) {
    expect(id).toBe('evt_8')
    break
  }
  expect(seen[0]?.headers['last-event-id']).toBe('evt_7')
})

const pipelineRunFrame = (id: number, type: string): string =>
  `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify({ type, pipeline_run_id: 'plr_1' })}\n\n`

test('a stream of a pipeline run begins anew after a break, and ends with the pipeline run', async () => {
  const { client, seen } = await startService((_, response, n) => {
    if (n === 1) return void open(response).end()
    if (n === 2) return void open(response, pipelineRunFrame(1, 'pipeline_run.snapshot')).socket?.end()
    open(response, pipelineRunFrame(2, 'pipeline_run.snapshot') + pipelineRunFrame(3, 'pipeline_run.failed'))
  })
  expect(await typesOf(client.pipelineRuns.watch('plr_1'))).toEqual([
    'pipeline_run.snapshot',
    'pipeline_run.snapshot',
    'pipeline_run.failed',
  ])
  expect(seen.map(({ url, headers }) => [url, headers['last-event-id']])).toEqual([
    ['/v2/pipeline-runs/plr_1/stream', undefined],
    ['/v2/pipeline-runs/plr_1/stream', undefined],
    ['/v2/pipeline-runs/plr_1/stream', '1'],
  ])
})
