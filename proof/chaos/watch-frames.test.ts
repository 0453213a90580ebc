import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import type { ApiCall, ApiCaller } from '../lab/client/api-caller.ts'
import { seededRandom } from '../lab/random.ts'
import type { RunClient } from './run-client.ts'
import { watchAtEveryFrame } from './watch-frames.ts'

/** A gateway that knows a whole feed and answers what follows the last frame of the client. */
const gatewayOf = (events: readonly string[], asked: number[]) =>
  ({
    open: async ({ headers }: ApiCall) => {
      const from = Number(headers?.['last-event-id'])
      asked.push(from)
      const frames = events
        .map((event, at) => `id: ${at + 1}\nevent: ${event}\ndata: {"type":"${event}","delta":"é${at}"}\n\n`)
        .slice(from)
      return { status: 200, headers: {}, body: Readable.from([Buffer.from(frames.join(''))]), drop: () => undefined }
    },
  }) as unknown as ApiCaller

const watch = async (events: readonly string[], cuts: number) => {
  const asked: number[] = []
  const gateway = gatewayOf(events, asked)
  const seen: string[] = []
  const counts = await watchAtEveryFrame({
    client: { authorization: {}, gateways: [gateway, gateway] } as unknown as RunClient,
    runId: 'run_1',
    cuts,
    random: seededRandom('watch'),
    hopeless: new AbortController().signal,
    onText: (text) => void seen.push(text),
  })
  return { asked, seen: seen.join(''), ...counts }
}

const feed = ['run.created', 'run.started', 'run.output.delta', 'run.completed']

test('a client resumes after each frame, and reads all of it once more at the end', async () => {
  const { asked, frames, connections, seen } = await watch(feed, 10)
  expect(asked).toEqual([0, 1, 2, 3, 0])
  expect({ frames, connections }).toEqual({ frames: 8, connections: 5 })
  expect(seen).toContain('é3')
})

test('after the last cut it stays', async () => {
  expect((await watch(feed, 2)).asked).toEqual([0, 1, 2, 0])
})

test('a question to a person is the last frame for now', async () => {
  expect((await watch(['run.created', 'run.requires_action'], 0)).asked).toEqual([0, 0])
})
