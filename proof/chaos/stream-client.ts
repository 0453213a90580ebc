import { setTimeout as sleep } from 'node:timers/promises'
import type { ApiCall } from '../lab/client/api-caller.ts'
import { type Frame, frameReader } from '../lab/client/sse-frames.ts'
import type { Random } from '../lab/random.ts'
import type { Journal } from './journal.ts'
import { leakMarkersIn } from './leak-marker.ts'
import type { RunClient, RunOrder } from './run-client.ts'

/** What came of following one run to its end over as many connections as it took. */
export type Followed = {
  key: string
  runId: string
  frames: Frame[]
  connections: number
  /** Connections that we cut ourselves. */
  cuts: number
  /** Connections that broke by themselves. */
  breaks: number
  headers: Readonly<Record<string, unknown>>
}

export type FollowOptions = {
  client: RunClient
  journal: Journal
  order: RunOrder
  random: Random
  hopeless: AbortSignal
  /** The client cuts each connection after this many bytes of its body; a connection without a number is not cut. */
  cutAfterBytes: readonly number[]
  /** The gateway that is tried first, 0 or 1; either of them unless told. */
  first?: number
  onFrame?: (frame: Frame) => void
  /** It comes back when the server's `retry:` says, as browsers do, and not at once. */
  isPatient?: boolean
}

const pauseMs = [20, 250] as const
const maxAnswerMs = 20_000
/** Heartbeats come every 15 s: a connection that is silent for longer is dead. */
const maxSilenceMs = 25_000
const terminal = ['run.completed', 'run.failed', 'run.cancelled']

/** Begins with POST /runs/stream and goes on with GET /runs/{id}/stream on the other gateway, each time it is cut. */
export const followRun = async (options: FollowOptions): Promise<Followed> => {
  const { client, order, random, hopeless } = options
  const followed: Followed = {
    key: order.key,
    runId: '',
    frames: [],
    connections: 0,
    cuts: 0,
    breaks: 0,
    headers: {},
  }
  const cuts = [...options.cutAfterBytes]
  for (let gateway = options.first ?? random.whole(0, 1); ; gateway = 1 - gateway) {
    hopeless.throwIfAborted()
    // Until the run's id is known the same POST goes out again: its key makes it the same run.
    const call = followed.runId === '' ? client.toCall(order, '/v2/runs/stream') : watchCall(client, followed)
    const { end, retryMs } = await connectOnce(options, { gateway, call, followed, cutAfterBytes: cuts[0] })
    if (end === 'over') return followed
    if (end === 'cut') cuts.shift()
    await sleep((options.isPatient && retryMs) || random.whole(...pauseMs))
  }
}

const watchCall = (client: RunClient, { runId, frames }: Followed): ApiCall => ({
  method: 'GET',
  path: `/v2/runs/${runId}/stream`,
  headers: { ...client.authorization, 'last-event-id': String(frames.at(-1)?.id ?? 0) },
})

const connectOnce = async (
  { client, journal, order, onFrame }: FollowOptions,
  {
    gateway,
    call,
    followed,
    cutAfterBytes = Number.POSITIVE_INFINITY,
  }: { gateway: number; call: ApiCall; followed: Followed; cutAfterBytes: number | undefined },
): Promise<Left> => {
  const number = journal.nextCall()
  const isCreating = call.method === 'POST'
  followed.connections++
  await journal.write({
    kind: 'sent',
    call: number,
    at_ms: performance.now(),
    gateway: gateway + 1,
    org: client.org,
    what: isCreating ? 'stream' : 'watch',
    key: order.key,
    ...(cutAfterBytes < Number.POSITIVE_INFINITY && { is_sabotaged: true }),
  })
  const answer = await client.gateways[gateway]
    ?.open(call, { timeoutMs: maxAnswerMs })
    .catch((error: unknown) => String(error))
  const isOpen = typeof answer === 'object' && answer.status === 200
  const leakMarkers = new Set<string>()
  let left: Left = { end: 'broken', retryMs: undefined }
  if (isOpen) {
    if (isCreating) followed.runId = String(answer.headers['x-run-id'] ?? '')
    if (isCreating) followed.headers = answer.headers
    left = await readFrames(answer, { cutAfterBytes, followed, leakMarkers, onFrame })
  } else if (typeof answer === 'object') answer.drop()
  if (left.end === 'cut') followed.cuts++
  if (left.end === 'broken') followed.breaks++
  await journal.write({
    kind: 'answered',
    call: number,
    at_ms: performance.now(),
    status: typeof answer === 'object' ? answer.status : 0,
    ...(typeof answer === 'string' && { error: answer }),
    ...(isOpen && followed.runId !== '' && { run_id: followed.runId }),
    ...(leakMarkers.size > 0 && { leakMarkers: [...leakMarkers] }),
  })
  return left
}

/** How a connection was left, and when the server asked to be called again. */
type Left = { end: 'over' | 'cut' | 'broken'; retryMs: number | undefined }

const readFrames = (
  answer: { body: NodeJS.ReadableStream; drop(): void },
  {
    cutAfterBytes,
    followed,
    leakMarkers,
    onFrame,
  }: {
    cutAfterBytes: number
    followed: Followed
    leakMarkers: Set<string>
    onFrame: ((frame: Frame) => void) | undefined
  },
): Promise<Left> => {
  const reader = frameReader()
  const decoder = new TextDecoder()
  let bytes = 0
  return new Promise((resolve) => {
    let silence = setTimeout(() => close('broken'), maxSilenceMs)
    const close = (end: Left['end']): void => {
      clearTimeout(silence)
      answer.drop()
      resolve({ end, retryMs: reader.retryMs })
    }
    answer.body.on('data', (piece: Buffer) => {
      clearTimeout(silence)
      silence = setTimeout(() => close('broken'), maxSilenceMs)
      const passing = piece.subarray(0, Math.max(0, cutAfterBytes - bytes))
      bytes += piece.length
      const text = decoder.decode(passing, { stream: true })
      for (const leakMarker of leakMarkersIn(text)) leakMarkers.add(leakMarker)
      for (const frame of reader.push(text)) {
        followed.frames.push(frame)
        onFrame?.(frame)
      }
      if (bytes >= cutAfterBytes) close('cut')
    })
    const over = (): void => close(terminal.includes(followed.frames.at(-1)?.event ?? '') ? 'over' : 'broken')
    answer.body.once('end', over)
    answer.body.once('close', over)
    answer.body.once('error', () => close('broken'))
  })
}
