import { setTimeout as sleep } from 'node:timers/promises'
import type { ServerPart } from '@ars/tools/dev/server'
import type { ApiCaller } from '../lab/client/api-caller.ts'

/** What another customer notices in one window, in milliseconds. */
export type Noticed = { gateway: number[]; worker: number[]; runs: number[]; failures: string[] }

export type Watching = { stop(): Promise<Noticed> }

type Answer = { status: number; text: string }

const probeMs = 25
const runMs = 100

/** Another customer asks `/livez` of both processes 40 times a second, and starts ten runs a second. */
export const startWatching = (of: {
  caller: ApiCaller
  gateway: ServerPart
  worker: ServerPart
  key: string
  run: unknown
  /** Whether a run is over when it counts, or accepted. */
  waitsForRuns?: boolean
}): Watching => {
  const noticed: Noticed = { gateway: [], worker: [], runs: [], failures: [] }
  const underWay = new Set<Promise<void>>()
  const every = (ms: number, into: number[], what: string, ask: () => Promise<Answer>): NodeJS.Timeout =>
    setInterval(() => {
      const begun = performance.now()
      const asked = ask().then(
        ({ status, text }) =>
          void (status < 300
            ? into.push(performance.now() - begun)
            : noticed.failures.push(`${what}: ${status} ${text.slice(0, 200)}`)),
        (error: Error) => void noticed.failures.push(`${what}: ${error.message}`),
      )
      underWay.add(asked)
      void asked.finally(() => underWay.delete(asked))
    }, ms)
  const headers = {
    authorization: `Bearer ${of.key}`,
    ...(!of.waitsForRuns && { prefer: 'respond-async' }),
  }
  const timers = [
    every(probeMs, noticed.gateway, 'GET /livez of the gateway', () =>
      of.caller.call({ method: 'GET', path: '/livez' }, { timeoutMs: 30_000 }),
    ),
    every(probeMs, noticed.worker, 'GET /livez of the worker', async () => {
      const response = await fetch(`${of.worker.metricsUrl}/livez`, { signal: AbortSignal.timeout(30_000) })
      return { status: response.status, text: await response.text() }
    }),
    every(runMs, noticed.runs, 'POST /runs', () =>
      of.caller.call({ method: 'POST', path: '/v2/runs', headers, body: of.run }, { timeoutMs: 30_000 }),
    ),
  ]
  return {
    stop: async (): Promise<Noticed> => {
      for (const timer of timers) clearInterval(timer)
      await Promise.all(underWay)
      return noticed
    },
  }
}

export const during = async (watching: Watching, ms: number): Promise<Noticed> => {
  await sleep(ms)
  return watching.stop()
}
