import type { RunFrame } from '@agent-run-service/sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, startApp } from './app.ts'
import { sdkClient, trustingFetch } from './sdk-client.ts'

/* Programs that wait for the time after which they reconnect. */

let app: App
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.stop())

const echo = () => ({ agent_id: app.tenant.agents['test-echo'] ?? '', input: { say: 'hello' } })
const textOf = (frames: readonly RunFrame[]): string =>
  frames.map((frame) => (frame.type === 'run.output.delta' ? frame.delta : '')).join('')

describe('a program that uses the SDK', () => {
  test('keeps its stream over two gateways, the first of which stops in the middle', async () => {
    const [first, second] = [await app.join('gateway'), await app.join('gateway')]
    const fetch = trustingFetch()
    const asked: string[] = []
    let target = first.url
    const client = sdkClient(app, {
      // Like a load balancer: the address stays, the gateway behind it changes.
      fetch: (url, init) => {
        asked.push(`${init.method} ${target === first.url ? 'first' : 'second'}`)
        return fetch(url.replace(app.url, target), init)
      },
    })
    const frames: RunFrame[] = []
    const agent = app.tenant.agents['test-stream'] ?? ''
    const input = { chunks: 200, delay_ms: 20 }
    let stopping: Promise<void> | undefined
    for await (const frame of client.runs.stream({ agent_id: agent, input })) {
      frames.push(frame)
      if (stopping || frame.type !== 'run.output.delta') continue
      target = second.url
      stopping = first.stop()
    }
    await stopping
    expect(asked).toEqual(['POST first', 'GET second'])
    const last = frames.at(-1) as RunFrame & { run: { output: { result: string } } }
    expect(last.type).toBe('run.completed')
    expect(textOf(frames)).toBe(last.run.output.result)
    await second.stop()
  })
})

test('the stream of events loses none when its gateway stops', async () => {
  const [first, second] = [await app.join('gateway'), await app.join('gateway')]
  const fetch = trustingFetch()
  let target = first.url
  const client = sdkClient(app, { fetch: (url, init) => fetch(url.replace(app.url, target), init) })
  const plain = sdkClient(app)
  const made: string[] = []
  const seen: string[] = []
  const create = async () => made.push((await plain.runs.create(echo())).id)
  await create()
  const stream = client.events.watch({ type: 'run.completed', since: (await plain.runs.get(made[0] ?? '')).created_at })
  let stopping: Promise<void> | undefined
  for await (const event of stream) {
    if (event.type === 'run.completed') seen.push(event.data.id)
    if (!stopping) {
      target = second.url
      stopping = first.stop()
      // While the client is disconnected.
      await Promise.all([create(), create(), create()])
    }
    if (seen.length === 4) break
  }
  await stopping
  expect(seen.toSorted()).toEqual(made.toSorted())
  await second.stop()
})
