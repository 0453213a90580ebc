import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ApiAnswer, type ApiCall, type ApiCaller, apiCaller, type OpenAnswer } from '../lab/client/api-caller.ts'
import { type Frame, frameReader } from '../lab/client/sse-frames.ts'

// traffic.ts <port> <certificate> <file with the answer of seed>: calls and streams until SIGTERM, then says what failed. A call
// that finds no gateway or loses its connection is a fault. Like the SDKs, it repeats a call that a busy machine refused with 503
// and Retry-After, and continues a stream that the gateway ended.

const pauseMs = 100
const maxRunMs = 60_000
const stopping = new AbortController()
process.once('SIGTERM', () => stopping.abort())

const [port, certificate = '', seedFile = ''] = process.argv.slice(2)
const seed = JSON.parse(readFileSync(seedFile, 'utf8')) as { api_key: string; agents: { name: string; id: string }[] }
const headers = { authorization: `Bearer ${seed.api_key}` }
const agentId = (name: string): string | undefined => seed.agents.find((agent) => agent.name === name)?.id
const faults: string[] = []
const done = { calls: 0, asked: 0, repeated: 0, streams: 0, connections: 0, frames: 0 }

/** The answer to a call, after as many refusals with 503 as a busy machine gives. */
const patiently = async <Answer extends ApiAnswer | OpenAnswer>(send: () => Promise<Answer>): Promise<Answer> => {
  const untilMs = performance.now() + maxRunMs
  for (;;) {
    const answer = await send()
    const retryAfter = Number(answer.headers['retry-after'])
    if (answer.status !== 503 || !(retryAfter >= 0) || performance.now() > untilMs) return answer
    if ('drop' in answer) answer.drop()
    done.repeated++
    await sleep(retryAfter * 1_000)
  }
}

/** A gateway that stops answers 202 to a call that waits for its run; the caller then asks for the run. */
const callOnce = async (api: ApiCaller): Promise<void> => {
  const body = { agent_id: agentId('test-echo'), input: { query: 'rolling' } }
  const own = { ...headers, prefer: 'wait=60', 'idempotency-key': randomUUID() }
  let answer = await patiently(() => api.call({ method: 'POST', path: '/v2/runs', headers: own, body }))
  done.calls++
  if (answer.status === 202) done.asked++
  const untilMs = performance.now() + maxRunMs
  while ((answer.status === 200 || answer.status === 202) && performance.now() < untilMs) {
    const { id, status } = JSON.parse(answer.text) as { id: string; status: string }
    if (status === 'completed') return
    await sleep(pauseMs)
    answer = await patiently(() => api.call({ method: 'GET', path: `/v2/runs/${id}`, headers }))
  }
  faults.push(`call ${done.calls}: ${answer.status} ${answer.text.slice(0, 200)}`)
}

/** One run from its first frame to its last, over as many connections as the gateways give. */
const followOnce = async (api: ApiCaller): Promise<void> => {
  const body = { agent_id: agentId('test-stream'), input: { chunks: 40, delay_ms: 100 } }
  const key = randomUUID()
  const frames: Frame[] = []
  let runId = ''
  const untilMs = performance.now() + maxRunMs
  while (frames.at(-1)?.event !== 'run.completed') {
    if (performance.now() > untilMs) throw new Error(`stream of ${runId}: not over after ${frames.length} frames`)
    const resume = { ...headers, 'last-event-id': String(frames.at(-1)?.id ?? 0) }
    const call: ApiCall =
      runId === ''
        ? { method: 'POST', path: '/v2/runs/stream', headers: { ...headers, 'idempotency-key': key }, body }
        : { method: 'GET', path: `/v2/runs/${runId}/stream`, headers: resume }
    const answer = await patiently(() => api.open(call))
    if (answer.status !== 200) throw new Error(`stream of ${runId || 'a new run'}: ${answer.status}`)
    runId ||= String(answer.headers['x-run-id'])
    done.connections++
    const reader = frameReader()
    for await (const piece of answer.body.setEncoding('utf8')) frames.push(...reader.push(piece as string))
  }
  done.streams++
  done.frames += frames.length
  const gap = frames.findIndex(({ id }, at) => id !== at + 1)
  if (gap !== -1) faults.push(`stream of ${runId}: frame ${frames[gap]?.id} in place ${gap + 1}`)
}

let hasBegun = false
const sayBegun = (): void => {
  if (hasBegun || done.calls === 0 || done.connections === 0) return
  hasBegun = true
  console.log('begun')
}

const repeat = async (what: (api: ApiCaller) => Promise<void>, keepAlive: boolean): Promise<void> => {
  const api = apiCaller({ port: Number(port), ca: readFileSync(certificate), keepAlive })
  while (!stopping.signal.aborted) {
    await what(api).catch((error: unknown) => faults.push(String(error)))
    sayBegun()
    await sleep(pauseMs)
  }
  api.close()
}

await Promise.all([
  repeat(callOnce, true),
  repeat(callOnce, false),
  repeat(followOnce, false),
  repeat(followOnce, false),
])
for (const fault of faults.slice(0, 20)) console.log(`FAULT ${fault}`)
const { calls, asked, repeated, streams, connections, frames } = done
console.log(
  `${calls} calls (${asked} of a stopping gateway), ${streams} streams with ${frames} frames over ${connections} connections; ${repeated} refusals by a busy machine, ${faults.length} faults`,
)
process.exitCode = faults.length === 0 && calls > 0 && streams > 0 ? 0 : 1
