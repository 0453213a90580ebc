import type { ApiCaller } from '../../lab/client/api-caller.ts'
import { frameReader } from '../../lab/client/sse-frames.ts'

/** What customers did while Redis was attacked, and what they got. */
export type Seen = {
  /** Waits for a result, with the answer. */
  answers: { id: string; expected: string | null; text: string }[]
  /** Streams that were read to the end. */
  streams: { id: string; text: string }[]
  /** Requests that were answered 429 and sent again. */
  throttled: number
  /** Any other refusal, broken stream or missing answer. */
  failures: string[]
  /** Accepted runs. */
  runs: string[]
}

export type Customer = { callers: readonly ApiCaller[]; key: string; agentId(name: string): string }

const maxTries = 200

/** Every kind of request that depends on messages over Redis, until the signal is aborted. */
export const playTraffic = async (customer: Customer, signal: AbortSignal): Promise<Seen> => {
  const seen: Seen = { answers: [], streams: [], throttled: 0, failures: [], runs: [] }
  let number = 0
  const caller = (): ApiCaller => customer.callers[number++ % customer.callers.length] as ApiCaller
  const headers = { authorization: `Bearer ${customer.key}` }

  const send = async (path: string, body: unknown, more: Record<string, string> = {}) => {
    for (let tries = 0; tries < maxTries; tries++) {
      const answer = await caller().call(
        { method: 'POST', path, body, headers: { ...headers, ...more } },
        { timeoutMs: 90_000 },
      )
      if (answer.status !== 429) return answer
      seen.throttled++
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    throw new Error('throttled for too long')
  }

  const invoke = async (agent: string, input: unknown, expected: string | null): Promise<void> => {
    const body = { agent_id: customer.agentId(agent), input }
    const { status, text } = await send('/v2/runs', body, { prefer: 'wait=55' })
    if (status !== 200 && status !== 202) return void seen.failures.push(`POST /runs (${agent}): ${status} ${text}`)
    const { id } = JSON.parse(text) as { id: string }
    seen.answers.push({ id, expected, text })
    seen.runs.push(id)
    if (status === 202) seen.failures.push(`the wait of ${agent} ended early: ${text.slice(0, 200)}`)
  }

  const approve = async (): Promise<void> => {
    const body = { agent_id: customer.agentId('test-approval'), input: {} }
    const asked = await send('/v2/runs', body, { prefer: 'wait=55' })
    const run = JSON.parse(asked.text) as { id: string; status: string; required_actions?: { id: string }[] }
    if (run.status !== 'requires_action') return void seen.failures.push(`test-approval: ${asked.status} ${asked.text}`)
    seen.runs.push(run.id)
    const acted = await send(`/v2/runs/${run.id}/action`, { type: 'approve', action_id: run.required_actions?.[0]?.id })
    if (acted.status >= 300) seen.failures.push(`approve: ${acted.status} ${acted.text}`)
  }

  const stream = async (): Promise<void> => {
    const body = { agent_id: customer.agentId('test-stream'), input: { chunks: 25, delay_ms: 60 } }
    const open = await caller().open(
      { method: 'POST', path: '/v2/runs/stream', body, headers: { ...headers, accept: 'text/event-stream' } },
      { timeoutMs: 60_000 },
    )
    if (open.status === 429) {
      seen.throttled++
      open.drop()
      return
    }
    const id = String(open.headers['x-run-id'])
    seen.runs.push(id)
    let text = ''
    for await (const piece of open.body) text += String(piece)
    const last = frameReader().push(text).at(-1)
    if (last?.event === 'run.completed') seen.streams.push({ id, text })
    else seen.failures.push(`stream of ${id} ended with ${last?.event}`)
  }

  const kinds: readonly (() => Promise<void>)[] = [
    () => invoke('test-echo', { query: `WHISPERED-${number}` }, `WHISPERED-${number}`),
    () => invoke('test-slow', { seconds: 3 }, null),
    approve,
    stream,
    stream,
  ]
  const repeat = async (kind: () => Promise<void>): Promise<void> => {
    while (!signal.aborted) {
      await kind().catch((error: unknown) => seen.failures.push(String(error)))
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  await Promise.all(kinds.map(repeat))
  return seen
}
