import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { repositoryDir, type ServerPart } from '@ars/tools/dev/server'
import { apiCaller } from '../../lab/client/api-caller.ts'
import { longestTurn, prepareLoad, startSender } from '../../lab/heavy/heavy-work.ts'
import { type Load, loads } from '../../lab/heavy/loads.ts'
import { cpuBetween, readCpu } from '../../lab/measure/cpu.ts'
import { residentBytes } from '../../lab/measure/process-metrics.ts'
import { quantile } from '../../lab/measure/statistics.ts'
import { type Organisation, organisationOf, plantOrganisation } from '../../lab/stack/organisation.ts'
import { openSql } from '../../lab/stack/sql.ts'
import type { TemporaryStack } from '../../lab/stack/temporary-stack.ts'
import type { Tally } from '../attack.ts'
import { during, type Noticed, startWatching } from '../noticed.ts'
import { maxForeignShare } from '../pressure.ts'

export type Loaded = {
  load: Load
  quiet: Noticed
  loaded: Noticed
  tally: Tally
  /** The longest turn of an event loop while the load was sent, in CPU milliseconds of its thread. */
  turnMs: Record<'gateway' | 'worker', number>
  peakBytes: Record<'gateway' | 'worker', number>
  /** What other programs used of the computer meanwhile. */
  foreignShare: number
  /** Other programs used the computer: latencies and failed calls are reported and not judged. */
  isCrowded: boolean
  breaches: string[]
}

export type PolicyFindings = { loaded: Loaded[]; windowMs: number; maxBytes: number }

/** The promise of `pnpm attacks policies`. */
const maxTurnMs = 200
const isSlower = (alone: number, beside: number): boolean => beside > 2 * alone + 200

/** Another customer asks `/livez` and starts runs while an organisation of the smallest plan sends the heaviest work that is accepted. */
export const attackPolicies = async (
  temporary: TemporaryStack,
  servers: { gateway: ServerPart; worker: ServerPart; turns: Record<'gateway' | 'worker', string> },
  { isFull, only = [] }: { isFull: boolean; only?: readonly string[] },
  tell: (line: string) => void,
): Promise<PolicyFindings> => {
  const windowMs = isFull ? 30_000 : 5_000
  const { stack, seed } = temporary
  const { gateway, worker, turns } = servers
  const records = openSql(stack.postgres.superuserUrl('ars'))
  const ca = readFileSync(stack.tls.certFile)
  const caller = apiCaller({ port: stack.ports.gateway[0], ca, connections: 32 })
  const quietTenant = organisationOf('quiet', seed)
  const watch = () =>
    startWatching({
      ...{ caller, gateway, worker, key: seed.api_key, waitsForRuns: true },
      run: { agent_id: quietTenant.agentId('test-echo'), input: { query: 'quiet' } },
    })
  try {
    await during(watch(), windowMs)
    const loaded: Loaded[] = []
    for (const load of loads.filter(({ name }) => only.length === 0 || only.includes(name))) {
      // Each load begins with a whole allowance of requests, as a new organisation has it.
      const enemy = await plantOrganisation(stack, `attacker ${load.name}`, {
        records,
        like: quietTenant,
        plan: 'free',
      })
      const own = { gateway: gateway.pid, worker: worker.pid, ...pidsOf(stack), measuring: () => process.pid }
      const [quiet, quietShare] = await withForeignShare(own, () => during(watch(), windowMs))
      const facts = await prepareLoad(caller, enemy, load)
      const sinceMs = Date.now()
      const memory = watchMemory({ gateway, worker })
      const port = stack.ports.gateway[0]
      const stop = startSender({ ...facts, load: load.name, port, ca: String(ca), key: enemy.apiKey })
      const [noticed, loadedShare] = await withForeignShare(own, () => during(watch(), windowMs))
      const tally = await stop()
      const turnMs = { gateway: longestTurn(turns.gateway, sinceMs), worker: longestTurn(turns.worker, sinceMs) }
      const foreignShare = Math.max(quietShare, loadedShare)
      const isCrowded = foreignShare > maxForeignShare
      const one = { load, quiet, loaded: noticed, tally, turnMs, peakBytes: memory.stop(), foreignShare, isCrowded }
      const breaches = breachesOf(one)
      loaded.push({ ...one, breaches })
      tell(`${load.name}: ${lineOf(one)}${breaches.map((breach) => `; ${breach}`).join('')}`)
      await cancelAll(records, enemy)
    }
    return { loaded, windowMs, maxBytes }
  } finally {
    caller.close()
    await records.close()
  }
}

const lineOf = ({ quiet, loaded, tally, turnMs, peakBytes, foreignShare }: Omit<Loaded, 'breaches'>): string =>
  [
    Object.entries(tally)
      .map(([status, times]) => `${times} × ${status}`)
      .join(', '),
    `longest turns ${turnMs.gateway.toFixed(0)} and ${turnMs.worker.toFixed(0)} ms of CPU`,
    ...(['gateway', 'worker', 'runs'] as const).map(
      (what) => `${what} p99 ${quantile(quiet[what], 0.99).toFixed(0)} → ${quantile(loaded[what], 0.99).toFixed(0)} ms`,
    ),
    `memory ${(peakBytes.gateway / mib).toFixed(0)} and ${(peakBytes.worker / mib).toFixed(0)} MB`,
    `other programs ${(100 * foreignShare).toFixed(0)} % of the computer`,
  ].join('; ')

const mib = 1_048_576

/** Of the units, which are for each process. */
const maxBytes = (() => {
  const unit = readFileSync(join(repositoryDir, 'deploy/systemd/ars-gateway@.service'), 'utf8')
  const [, gib] = /^MemoryMax=(\d+)G$/m.exec(unit) ?? []
  if (gib === undefined) throw new Error('The unit has no limit of memory')
  return Number(gib) * 1_024 * mib
})()

const pidsOf = ({ postgres, redis, restate }: TemporaryStack['stack']) => ({
  postgres: postgres.pid,
  redis: redis.pid,
  engine: restate.pid,
})

const withForeignShare = async <Result>(
  own: Parameters<typeof readCpu>[0],
  work: () => Promise<Result>,
): Promise<[Result, number]> => {
  const from = readCpu(own)
  const result = await work()
  return [result, cpuBetween(from, readCpu(own)).foreignShare]
}

const watchMemory = (servers: { gateway: ServerPart; worker: ServerPart }) => {
  const peak = { gateway: 0, worker: 0 }
  const look = (): void => {
    for (const role of ['gateway', 'worker'] as const)
      peak[role] = Math.max(peak[role], residentBytes(servers[role].pid() ?? process.pid))
  }
  const timer = setInterval(look, 100)
  return {
    stop: () => {
      clearInterval(timer)
      look()
      return peak
    },
  }
}

/** Work of a load that is still under way would slow down the next quiet window. */
const cancelAll = async (
  records: { query(text: string, values: unknown[]): Promise<unknown> },
  { id }: Organisation,
): Promise<void> => {
  await records.query(`update pipeline_heads set status = 'cancelling', due_at = app_now() where org_id = $1`, [id])
  await records.query(`update batches set status = 'cancelling' where org_id = $1 and status = 'running'`, [id])
  await sleep(3_000)
}

const breachesOf = (one: Omit<Loaded, 'breaches'>): string[] => {
  const { load, tally, turnMs, peakBytes, isCrowded } = one
  const roles = ['gateway', 'worker'] as const
  return [
    ...(isCrowded ? [] : whatOthersNoticed(one)),
    ...(load.statuses.some((status) => tally[status]) ? [] : ['the load was not accepted as expected']),
    ...roles
      .filter((role) => turnMs[role] > maxTurnMs)
      .map((role) => `turn of the event loop of the ${role}: ${turnMs[role].toFixed(0)} ms of CPU`),
    ...roles
      .filter((role) => peakBytes[role] > maxBytes)
      .map((role) => `memory of the ${role}: ${(peakBytes[role] / mib).toFixed(0)} MB`),
  ]
}

const whatOthersNoticed = ({ quiet, loaded, tally }: Pick<Loaded, 'quiet' | 'loaded' | 'tally'>): string[] => {
  const strange = Object.keys(tally).filter((status) => !(Number(status) < 500) && status !== '503')
  const late = (['gateway', 'worker', 'runs'] as const).flatMap((what) => {
    const [alone, beside] = [quantile(quiet[what], 0.99), quantile(loaded[what], 0.99)]
    const name = what === 'runs' ? 'a run' : `/livez of the ${what}`
    return isSlower(alone, beside) ? [`${name}: p99 ${alone.toFixed(0)} ms became ${beside.toFixed(0)} ms`] : []
  })
  return [
    ...[...new Set(loaded.failures)].map((failure) => `a call of another customer failed: ${failure}`),
    ...strange.map((status) => `the attacker was answered ${status}`),
    ...late,
  ]
}
