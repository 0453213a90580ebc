import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import type { StreamState } from '../src/index.ts'
import { answer, startService } from './service.ts'

const run = (status: string, result = 'Hello') => ({ id: 'run_1', object: 'run', status, output: { result } })
const frame = (id: number, type: string, more: object = {}): string =>
  `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify({ type, run_id: 'run_1', created_at: '', ...more })}\n\n`
const delta = (id: number, step: number, text: string): string => frame(id, 'run.output.delta', { step, delta: text })

const open = (response: ServerResponse, ...frames: string[]): ServerResponse => {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'x-run-id': 'run_1' })
  response.write(frames.join(''))
  return response
}

const params = { agent_id: 'ag_1', input: {} }

const withReset = [
  frame(1, 'run.created'),
  delta(2, 1, 'first '),
  delta(3, 2, 'wrong'),
  frame(4, 'run.output.reset', { step: 2 }),
  delta(5, 2, 'right'),
  frame(6, 'run.completed', { run: run('completed', 'first right') }),
]

test('text leaves out what the service withdrew, and finalRun is the run of the last frame', async () => {
  const { client, seen } = await startService((_, response) => void open(response, ...withReset))
  expect(await client.runs.stream(params).text()).toBe('first right')
  expect(await client.runs.stream(params).finalRun()).toMatchObject({
    ...run('completed', 'first right'),
    output_text: 'first right',
  })
  expect(seen).toHaveLength(2)
})

test('text is the same wherever the connection breaks', async () => {
  for (let cut = 1; cut < withReset.length; cut++) {
    const { client } = await startService((request, response, n) => {
      if (n === 1) return void open(response, ...withReset.slice(0, cut)).end()
      open(response, ...withReset.slice(Number(request.headers['last-event-id'])))
    })
    expect(await client.runs.stream(params).text()).toBe('first right')
  }
})

test('text and finalRun also work after the loop', async () => {
  const { client } = await startService((_, response) => void open(response, ...withReset))
  const stream = client.runs.stream(params)
  const types: string[] = []
  for await (const { type } of stream) types.push(type)
  expect(types).toHaveLength(6)
  expect(await stream.text()).toBe('first right')
  expect((await stream.finalRun()).status).toBe('completed')
})

test('a stream that begins in the middle has the text of the run', async () => {
  const { client } = await startService((_, response) => void open(response, ...withReset.slice(4)))
  expect(await client.runs.watch('run_1', {}, { lastEventId: '4' }).text()).toBe('first right')
  expect(await client.runs.watch('run_1', { after: 4 }).text()).toBe('first right')
})

test('finalRun reads the run if the stream begins after its last frame', async () => {
  const { client } = await startService((request, response) => {
    if (request.url === '/v2/runs/run_1') return answer(response, 200, run('failed'))
    open(response).end()
  })
  expect(await client.runs.watch('run_1', { after: 6 }).finalRun()).toMatchObject({
    ...run('failed'),
    output_text: 'Hello',
  })
})

test('a stream that was left has no final run', async () => {
  const { client } = await startService((_, response) => void open(response, ...withReset.slice(0, 2)))
  const stream = client.runs.stream(params)
  for await (const { type } of stream) if (type === 'run.created') break
  await expect(stream.finalRun()).rejects.toThrow('closed before the run ended')
})

test('onState tells of breaks and of the end', async () => {
  const states: StreamState[] = []
  const { client } = await startService((_, response, n) => {
    if (n === 1) return void open(response, ...withReset.slice(0, 2)).end()
    open(response, ...withReset.slice(2))
  })
  const stream = client.runs.stream(params)
  stream.onState((state) => states.push(state))
  await stream.finalRun()
  expect(states.map(({ state }) => state)).toEqual(['connected', 'waiting', 'connected', 'ended'])
  expect(states[1]).toEqual({ state: 'waiting', until: expect.any(Date) })
  const late: StreamState[] = []
  stream.onState((state) => late.push(state))()
  expect(late).toEqual([{ state: 'ended' }])
})

test('createAndWait returns an ended run at once, and follows a longer one to its end', async () => {
  const { client, seen } = await startService((request, response, n) => {
    if (n === 1) return answer(response, 200, run('completed'))
    if (request.method === 'POST') return answer(response, 202, run('running'))
    if (request.url === '/v2/runs/run_1') return answer(response, 200, run('failed'))
    open(response, frame(1, 'run.created'), frame(2, 'run.failed', { run: run('failed') }))
  })
  expect((await client.runs.createAndWait(params)).status).toBe('completed')
  expect(seen).toHaveLength(1)
  expect((await client.runs.createAndWait(params, { idempotencyKey: 'mine' })).status).toBe('failed')
  expect(seen[1]?.headers['idempotency-key']).toBe('mine')
})

test('wait ends at a question that is open, and not at one that was answered', async () => {
  const { client } = await startService((request, response, n) => {
    if (request.url === '/v2/runs/run_1') return answer(response, 200, run(n === 2 ? 'running' : 'requires_action'))
    open(response, frame(1, 'run.requires_action'), frame(2, 'run.resumed'), frame(3, 'run.requires_action'))
  })
  expect((await client.runs.wait('run_1')).status).toBe('requires_action')
})

test('a signal ends createAndWait with its reason', async () => {
  const stopping = new AbortController()
  const { client } = await startService((request, response) => {
    if (request.method === 'POST') return answer(response, 202, run('running'))
    open(response, frame(1, 'run.created'))
    setImmediate(() => stopping.abort(new Error('enough')))
  })
  await expect(client.runs.createAndWait(params, { signal: stopping.signal })).rejects.toThrow('enough')
})
