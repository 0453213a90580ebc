import { setTimeout as sleep } from 'node:timers/promises'
import type { OpenAnswer } from '../lab/client/api-caller.ts'
import { type Frame, frameReader } from '../lab/client/sse-frames.ts'
import type { Random } from '../lab/random.ts'
import type { RunClient } from './run-client.ts'

type WatchOptions = {
  client: RunClient
  runId: string
  /** Connections that are left after one frame. The next one is not left. */
  cuts: number
  random: Random
  hopeless: AbortSignal
  /** Everything that came, also half frames. */
  onText(text: string): void
}

const maxAnswerMs = 20_000
/** Heartbeats come every 15 s: a connection that is silent for longer is dead. */
const maxSilenceMs = 25_000
const pauseMs = [5, 60] as const
/** A run that waits for a person has no end yet. */
const last = ['run.completed', 'run.failed', 'run.cancelled', 'run.requires_action']

/**
 * Watches a run to its end, leaves the stream after each frame and resumes with its number, on both gateways in turn. At the end it reads
 * the stored stream once more from the beginning.
 */
export const watchAtEveryFrame = async ({
  client,
  runId,
  cuts,
  random,
  hopeless,
  onText,
}: WatchOptions): Promise<{ frames: number; connections: number }> => {
  let [frames, connections, left, lastId] = [0, 0, cuts, 0]
  let isSecondTime = false
  for (let gateway = random.whole(0, 1); ; gateway = 1 - gateway) {
    hopeless.throwIfAborted()
    connections++
    const headers = { ...client.authorization, 'last-event-id': String(lastId) }
    const call = { method: 'GET', path: `/v2/runs/${runId}/stream`, headers } as const
    const answer = await client.gateways[gateway]?.open(call, { timeoutMs: maxAnswerMs }).catch(() => null)
    const read = answer?.status === 200 ? await readSome(answer, { most: left > 0 ? 1 : undefined, onText }) : []
    answer?.drop()
    left--
    frames += read.length
    lastId = read.at(-1)?.id ?? lastId
    if (last.includes(read.at(-1)?.event ?? '')) {
      if (isSecondTime) return { frames, connections }
      isSecondTime = true
      left = 0
      lastId = 0
      continue
    }
    await sleep(random.whole(...pauseMs))
  }
}

/** Frames until the last one, until `most`, or until the connection breaks. */
const readSome = (
  { body }: OpenAnswer,
  { most = Number.POSITIVE_INFINITY, onText }: { most: number | undefined; onText(text: string): void },
): Promise<Frame[]> => {
  const reader = frameReader()
  const decoder = new TextDecoder()
  const frames: Frame[] = []
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(silence)
      resolve(frames)
    }
    let silence = setTimeout(end, maxSilenceMs)
    body.on('data', (piece: Buffer) => {
      clearTimeout(silence)
      silence = setTimeout(end, maxSilenceMs)
      const text = decoder.decode(piece, { stream: true })
      onText(text)
      for (const frame of reader.push(text)) {
        // What follows in the same piece is read again on the next connection.
        if (frames.length < most) frames.push(frame)
        if (frames.length >= most || last.includes(frame.event)) end()
      }
    })
    body.once('end', end)
    body.once('close', end)
    body.once('error', end)
  })
}
