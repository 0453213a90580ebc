import { setTimeout as sleep } from 'node:timers/promises'
import type { ApiCall, ApiCaller } from '../lab/client/api-caller.ts'
import { frameReader } from '../lab/client/sse-frames.ts'

/** Readers of streams, each of which starts the next run when one has ended. */
export type StreamWatch = {
  /** Streams that were read to the end of their run. */
  ended(): number
  /** Connections that were made after the first one of a stream. */
  reconnects(): number
  /** Frames that were missing or came twice, and streams that could not be opened. */
  faults(): readonly string[]
  /** Waits until the present streams have ended. */
  stop(): Promise<void>
}

const answerTimeoutMs = 20_000
/** Heartbeats come every 15 s: a connection that is silent for longer is dead. */
const maxSilenceMs = 25_000
const pauseMs = 300
const lastEvents = ['run.completed', 'run.failed', 'run.cancelled']

type Reading = { key: string; runId: string; lastId: number; lastEvent: string; connections: number }

export const watchStreams = (options: {
  gateway: ApiCaller
  apiKey: string
  agentId: string
  streams: number
  /** Frames of each run, and the time between two of them. */
  frames: number
  everyMs: number
  onRefusal?(what: string): void
}): StreamWatch => {
  const { gateway, agentId } = options
  const authorization = { authorization: `Bearer ${options.apiKey}` }
  const faults: string[] = []
  let ended = 0
  let reconnects = 0
  let isStopped = false

  const callOf = ({ key, runId, lastId }: Reading): ApiCall =>
    runId === ''
      ? {
          method: 'POST',
          path: '/v2/runs/stream',
          headers: { ...authorization, 'idempotency-key': key },
          body: { agent_id: agentId, input: { chunks: options.frames, delay_ms: options.everyMs } },
        }
      : {
          method: 'GET',
          path: `/v2/runs/${runId}/stream`,
          headers: { ...authorization, 'last-event-id': String(lastId) },
        }

  const read = async (reading: Reading): Promise<void> => {
    reading.connections++
    const answer = await gateway
      .open(callOf(reading), { timeoutMs: answerTimeoutMs })
      .catch((error: unknown) => String(error))
    if (typeof answer === 'string' || answer.status !== 200) {
      const what = typeof answer === 'string' ? answer : String(answer.status)
      faults.push(`${reading.key}: ${what}`)
      options.onRefusal?.(`stream ${what}`)
      if (typeof answer !== 'string') answer.drop()
      return
    }
    if (reading.runId === '') reading.runId = String(answer.headers['x-run-id'] ?? '')
    const frames = frameReader()
    const decoder = new TextDecoder()
    await new Promise<void>((resolve) => {
      const close = (): void => {
        clearTimeout(silence)
        answer.drop()
        resolve()
      }
      let silence = setTimeout(close, maxSilenceMs)
      answer.body.on('data', (piece: Buffer) => {
        clearTimeout(silence)
        silence = setTimeout(close, maxSilenceMs)
        for (const { id, event } of frames.push(decoder.decode(piece, { stream: true }))) {
          if (id !== reading.lastId + 1) faults.push(`${reading.runId}: frame ${id} after ${reading.lastId}`)
          reading.lastId = id
          reading.lastEvent = event
        }
      })
      for (const end of ['end', 'close', 'error']) answer.body.once(end, close)
    })
  }

  const watch = async (n: number): Promise<void> => {
    for (let run = 0; !isStopped; run++) {
      const reading: Reading = { key: `stream-${n}-${run}`, runId: '', lastId: 0, lastEvent: '', connections: 0 }
      while (!lastEvents.includes(reading.lastEvent)) {
        await read(reading)
        if (!lastEvents.includes(reading.lastEvent)) await sleep(pauseMs)
      }
      if (reading.lastEvent !== 'run.completed') faults.push(`${reading.runId}: ${reading.lastEvent}`)
      reconnects += reading.connections - 1
      ended++
    }
  }
  const all = Promise.all(Array.from({ length: options.streams }, (_, n) => watch(n)))

  return {
    ended: () => ended,
    reconnects: () => reconnects,
    faults: () => faults,
    stop: async () => {
      isStopped = true
      await all
    },
  }
}

/** Those of the faults that are frames out of order, and not refusals. */
export const gapsIn = (faults: readonly string[]): string[] => faults.filter((fault) => fault.includes(': frame '))
