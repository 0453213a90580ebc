import { ok } from 'node:assert/strict'
import { type Frame, frameReader } from '../lab/client/sse-frames.ts'
import { waitFor } from '../lab/condition.ts'
import type { Scene } from './scene.ts'

/** A run as the service shows it, in as far as it is looked at here. */
export type WireRun = {
  id: string
  status: string
  agent_version: number
  output: Record<string, unknown> | null
  error: { code: string; message: string; retryable: boolean; details: Record<string, unknown> | null } | null
  tokens_used: number
  usage: WireUsage
  latency_ms: number | null
}

export type WireUsage = {
  input_tokens: number
  output_tokens: number
  cost_usd: number | null
}

export type WireStep = {
  number: number
  type: string
  status: string
  model: string | null
  text: string | null
  usage: WireUsage
  started_at: string
  finished_at: string | null
  duration_ms: number | null
}

/** A stream that is being read. */
export type LiveRun = {
  id: string
  frames: readonly Frame[]
  /** Waits until this many output deltas have arrived. Throws `TooLate` when the run ended before. */
  untilDeltas(count: number): Promise<void>
  /** Waits until the server has closed the stream. */
  untilEnd(): Promise<void>
}

/** The model was done before we could do to it what we wanted; a machine can be that fast, and it proves nothing. */
export class TooLate extends Error {
  override readonly name = 'TooLate'
}

/** A generous limit: no check here depends on speed. */
export const patienceMs = 300_000

export const openRun = async (scene: Scene, agentId: string, input: Record<string, unknown>): Promise<LiveRun> => {
  const answer = await scene.api.open(
    { method: 'POST', path: '/v2/runs/stream', headers: scene.authorization, body: { agent_id: agentId, input } },
    { timeoutMs: patienceMs },
  )
  ok(answer.status === 200, `POST /v2/runs/stream answered ${answer.status}`)
  const frames: Frame[] = []
  const reader = frameReader()
  const decoder = new TextDecoder()
  let hasEnded = false
  answer.body.on('data', (piece: Buffer) => frames.push(...reader.push(decoder.decode(piece, { stream: true }))))
  answer.body.once('close', () => {
    hasEnded = true
  })
  return {
    id: String(answer.headers['x-run-id']),
    frames,
    untilDeltas: async (count) => {
      const isOver = await waitFor(
        `${count} pieces of output`,
        () => (deltasIn(frames).length >= count ? 'there' : hasEnded && 'over'),
        { timeoutMs: patienceMs, everyMs: 10 },
      )
      if (isOver === 'over') throw new TooLate(`the run ended after ${deltasIn(frames).length} pieces of output`)
    },
    untilEnd: async () => {
      await waitFor('the end of the stream', () => hasEnded, { timeoutMs: patienceMs, everyMs: 10 })
    },
  }
}

export const deltasIn = (frames: readonly Frame[]): Frame[] =>
  frames.filter(({ event }) => event === 'run.output.delta')

/** The streamed output of one step, including withdrawn output. */
export const streamedText = (frames: readonly Frame[], step: number): string =>
  deltasIn(frames)
    .filter(({ data }) => data.step === step)
    .map(({ data }) => data.delta ?? '')
    .join('')

/** The streamed output without the parts that were withdrawn. */
export const textLeft = (frames: readonly Frame[]): string => {
  const steps = new Map<number | undefined, string>()
  for (const { event, data } of frames) {
    if (event === 'run.output.delta') steps.set(data.step, (steps.get(data.step) ?? '') + data.delta)
    if (event === 'run.output.reset') steps.delete(data.step)
  }
  return [...steps.values()].join('')
}

export const createRun = async (scene: Scene, agentId: string, input: Record<string, unknown>): Promise<WireRun> => {
  const { status, text } = await scene.api.call(
    { method: 'POST', path: '/v2/runs', headers: scene.authorization, body: { agent_id: agentId, input } },
    { timeoutMs: patienceMs },
  )
  ok(status === 200 || status === 202, `POST /v2/runs answered ${status}: ${text}`)
  const run = JSON.parse(text) as WireRun
  return status === 200 ? run : awaitEnd(scene, run.id)
}

export const readRun = async (scene: Scene, id: string): Promise<WireRun> => read(scene, `/v2/runs/${id}`)

export const readSteps = async (scene: Scene, id: string): Promise<WireStep[]> =>
  (await read<{ data: WireStep[] }>(scene, `/v2/runs/${id}/steps`)).data

export const awaitEnd = (scene: Scene, id: string): Promise<WireRun> =>
  waitFor(
    `the end of ${id}`,
    async () => {
      const run = await readRun(scene, id)
      return ['completed', 'failed', 'cancelled'].includes(run.status) && run
    },
    { timeoutMs: patienceMs },
  )

const read = async <Body>({ api, authorization }: Scene, path: string): Promise<Body> => {
  const { status, text } = await api.call({ method: 'GET', path, headers: authorization })
  ok(status === 200, `GET ${path} answered ${status}: ${text}`)
  return JSON.parse(text) as Body
}
