import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ServerPart } from '@ars/tools/dev/server'
import { type ApiCaller, apiCaller } from '../../lab/client/api-caller.ts'
import { residentBytes } from '../../lab/measure/process-metrics.ts'
import { quantile } from '../../lab/measure/statistics.ts'
import { organisationOf, plantOrganisation } from '../../lab/stack/organisation.ts'
import { openSql } from '../../lab/stack/sql.ts'
import type { TemporaryStack } from '../../lab/stack/temporary-stack.ts'
import { count, type Tally } from '../attack.ts'
import { during, type Noticed, startWatching } from '../noticed.ts'
import { ordinaryAgent, type Shape, shapes } from './shapes.ts'

export type Attacked = { shape: Shape; quiet: Noticed; attacked: Noticed; tally: Tally; breaches: string[] }

export type SchemaFindings = {
  attacked: Attacked[]
  windowMs: number
  isJudged: boolean
  threadsReplaced: number
  /** Memory of the gateway before the first attack and after the last one. */
  residentBytes: { before: number; after: number }
}

const attackersAtOnce = 4

/** Another customer asks `/livez` of both processes and starts runs while an organisation sends hostile schemas. */
export const attackSchemas = async (
  temporary: TemporaryStack,
  { gateway, worker }: { gateway: ServerPart; worker: ServerPart },
  { isFull }: { isFull: boolean },
): Promise<SchemaFindings> => {
  const windowMs = isFull ? 15_000 : 2_000
  const { stack, seed } = temporary
  const port = stack.ports.gateway[0]
  const ca = readFileSync(stack.tls.certFile)
  const records = openSql(stack.postgres.superuserUrl('ars'))
  const caller = apiCaller({ port, ca, connections: 32 })
  try {
    const enemy = await plantOrganisation(stack, 'attacker', { records, like: organisationOf('quiet', seed) })
    const approvalId = enemy.agentId('test-approval')
    const demo = { name: 'demo', kind: 'demo', scopes: ['runs:read', 'runs:write', 'agents:read'] }
    const keys = {
      key: enemy.apiKey,
      demo: String((await make(caller, enemy.apiKey, '/api-keys', demo)).key),
    }
    const ordinary = String((await make(caller, seed.api_key, '/agents/custom', ordinaryAgent)).id)
    const run = { agent_id: ordinary, input: { query: 'quiet', date: '2026-11-16' } }
    const watch = () => startWatching({ caller, gateway, worker, key: seed.api_key, run })
    await during(watch(), windowMs)
    const attacked: Attacked[] = []
    const before = residentBytes(gateway.pid() ?? 0)
    for (const shape of shapes) {
      const agentId = shape.agent
        ? String((await make(caller, enemy.apiKey, '/agents/custom', shape.agent.body)).id)
        : ''
      const quiet = await during(watch(), windowMs)
      const assault = startAssault(caller, shape, { key: keys[shape.credential], agentId, approvalId })
      const noticed = await during(watch(), windowMs)
      const tally = await assault.stop()
      attacked.push({
        shape,
        quiet,
        attacked: noticed,
        tally,
        breaches: breachesOf(shape, { quiet, noticed, tally, isFull }),
      })
    }
    const memory = { before, after: residentBytes(gateway.pid() ?? 0) }
    return { attacked, windowMs, isJudged: isFull, threadsReplaced: await replacedAt(gateway), residentBytes: memory }
  } finally {
    caller.close()
    await records.close()
  }
}

const make = async (caller: ApiCaller, key: string, path: string, body: unknown): Promise<Record<string, unknown>> => {
  const headers = { authorization: `Bearer ${key}` }
  const { status, text } = await caller.call(
    { method: 'POST', path: `/v2${path}`, headers, body },
    { timeoutMs: 60_000 },
  )
  if (status > 202) throw new Error(`POST ${path} was answered ${status}: ${text.slice(0, 300)}`)
  return JSON.parse(text)
}

/** As fast as the rate limit of the credential allows. */
const startAssault = (
  caller: ApiCaller,
  shape: Shape,
  { key, ...facts }: { key: string; agentId: string; approvalId: string },
) => {
  const tally: Tally = {}
  let isOver = false
  let time = 0
  const send = async (): Promise<void> => {
    while (!isOver) {
      const { path, body } = shape.request({ ...facts, time: time++ })
      const headers = { authorization: `Bearer ${key}`, prefer: 'respond-async' }
      const call = { method: 'POST', path: `/v2${path}`, headers, body } as const
      const status = await caller.call(call, { timeoutMs: 60_000 }).then(
        (answer) => answer.status,
        () => 'no answer',
      )
      count(tally, status)
      if (status === 429) await sleep(250)
    }
  }
  const senders = Array.from({ length: attackersAtOnce }, send)
  return {
    stop: async (): Promise<Tally> => {
      isOver = true
      await Promise.all(senders)
      return tally
    },
  }
}

/** The promise: p99 of another caller's `/livez` at most three times the quiet one, or 50 ms more; nothing of others fails. */
const breachesOf = (
  shape: Shape,
  { quiet, noticed, tally, isFull }: { quiet: Noticed; noticed: Noticed; tally: Tally; isFull: boolean },
): string[] => {
  const allowed = [...shape.statuses.map(String), '429', '503']
  const strange = Object.keys(tally).filter((status) => !allowed.includes(status))
  const late = (['gateway', 'worker'] as const).flatMap((role) => {
    const [before, after] = [quantile(quiet[role], 0.99), quantile(noticed[role], 0.99)]
    const isLate = after > Math.max(3 * before, before + 50)
    return isLate ? [`/livez of the ${role}: p99 ${before.toFixed(0)} ms became ${after.toFixed(0)} ms`] : []
  })
  return [
    ...[...new Set(noticed.failures)].map((failure) => `a call of another customer failed: ${failure}`),
    ...strange.map((status) => `the attacker was answered ${status}`),
    ...(shape.statuses.some((status) => tally[status]) ? [] : ['the attack was not answered as expected']),
    // A small window on a shared machine says nothing about the 99th percentile.
    ...(isFull ? late : []),
  ]
}

const replacedAt = async ({ metricsUrl }: ServerPart): Promise<number> => {
  const text = await (await fetch(`${metricsUrl}/metrics`, { signal: AbortSignal.timeout(10_000) })).text()
  return Number(/^ars_computation_threads_replaced(?:_total)?(?:\{[^}]*\})? (\d+)/m.exec(text)?.[1] ?? 0)
}
