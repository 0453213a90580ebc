import { performance } from 'node:perf_hooks'
import { type ApiCall, type ApiCaller, apiCaller } from '../lab/client/api-caller.ts'

/** What a customer who does nothing unusual notices in one window. */
export type Felt = {
  /** Milliseconds of each call that was answered as it should be. */
  reads: number[]
  writes: number[]
  /** On a connection of their own, the handshake included. */
  newcomers: number[]
  failures: string[]
}

export type QuietTenant = {
  /** Starts a new window and returns the measurements of the previous one. */
  cut(): Promise<Felt>
  close(): Promise<void>
}

const readsPerSecond = 40
const writesPerSecond = 10
const newcomersPerSecond = 2
const patienceMs = 10_000

/** Calls at its own pace, whatever becomes of those before. */
export const startQuietTenant = (to: {
  port: number
  ca: Buffer
  key: string
  agentId: string
  runId: string
}): QuietTenant => {
  const authorization = { authorization: `Bearer ${to.key}` }
  const kept = apiCaller({ port: to.port, ca: to.ca, connections: 64 })
  const singly = apiCaller({ port: to.port, ca: to.ca, keepAlive: false })
  const read: ApiCall = { method: 'GET', path: `/v2/runs/${to.runId}`, headers: authorization }
  const write: ApiCall = {
    method: 'POST',
    path: '/v2/runs',
    headers: { ...authorization, prefer: 'respond-async' },
    body: { agent_id: to.agentId, input: { query: 'quiet' } },
  }
  let felt = nothingFelt()
  const underWay = new Set<Promise<void>>()

  const call = async (caller: ApiCaller, what: ApiCall, into: number[], failures: string[]): Promise<void> => {
    const begun = performance.now()
    try {
      const { status, text } = await caller.call(what, { timeoutMs: patienceMs })
      if (status >= 200 && status < 300) into.push(performance.now() - begun)
      else failures.push(`${what.method}: ${status} ${text.slice(0, 200)}`)
    } catch (error) {
      failures.push(`${what.method}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  const every = (perSecond: number, caller: ApiCaller, what: ApiCall, list: 'reads' | 'writes' | 'newcomers') =>
    setInterval(() => {
      const called = call(caller, what, felt[list], felt.failures)
      underWay.add(called)
      void called.finally(() => underWay.delete(called))
    }, 1_000 / perSecond)
  const timers = [
    every(readsPerSecond, kept, read, 'reads'),
    every(writesPerSecond, kept, write, 'writes'),
    every(newcomersPerSecond, singly, read, 'newcomers'),
  ]

  return {
    cut: async () => {
      const before = felt
      const left = [...underWay]
      felt = nothingFelt()
      await Promise.all(left)
      return before
    },
    close: async () => {
      for (const timer of timers) clearInterval(timer)
      await Promise.all(underWay)
      kept.close()
      singly.close()
    },
  }
}

const nothingFelt = (): Felt => ({ reads: [], writes: [], newcomers: [], failures: [] })
