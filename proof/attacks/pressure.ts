import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ServerPart } from '@ars/tools/dev/server'
import { apiCaller } from '../lab/client/api-caller.ts'
import { residentBytes } from '../lab/measure/process-metrics.ts'
import { organisationOf, plantOrganisation } from '../lab/stack/organisation.ts'
import { openSql } from '../lab/stack/sql.ts'
import type { TemporaryStack } from '../lab/stack/temporary-stack.ts'
import { type Attack, count, type Strength, type Tally, type Target } from './attack.ts'
import { startAttacker } from './attacker-process.ts'
import { attacks } from './attacks.ts'
import { startQuietTenant } from './quiet-tenant.ts'
import { measureWindow, type Watched, type Window } from './window.ts'

export type Round = {
  quiet: Window
  attacked: Window
}

/** One attack, in turn with nothing. */
export type Pressed = {
  attack: Attack
  rounds: Round[]
  tally: Tally
  /** Of the gateway, just before the first assault. */
  residentBeforeBytes: number
  isAlive: boolean
}

export type PressureSize = {
  strength: Strength
  /** The number of rounds that count. */
  rounds: number
  /** The maximum number of rounds: a round in which other programs used the machine does not count. */
  tries: number
  windowMs: number
  only: readonly string[]
}

export type Pressure = {
  pressed: Pressed[]
  residentFirstBytes: number
  residentLastBytes: number
}

const settleMs = 1_000
export const maxForeignShare = 0.2

export const pressGateway = async (
  temporary: TemporaryStack,
  { gateway, worker }: { gateway: ServerPart; worker: ServerPart },
  size: PressureSize,
  tell: (words: string) => void,
): Promise<Pressure> => {
  const { target, tenant } = await populate(temporary)
  const { postgres, redis, restate } = temporary.stack
  const watched: Watched = {
    tenant,
    metricsUrl: gateway.metricsUrl,
    gatewayPid: gateway.pid() ?? 0,
    own: {
      gateway: gateway.pid,
      worker: worker.pid,
      postgres: postgres.pid,
      redis: redis.pid,
      engine: restate.pid,
      // The attackers live below it.
      measurement: () => process.pid,
    },
  }
  const pressed: Pressed[] = []
  try {
    // The first calls compile and allocate, which no attack caused.
    await measureWindow(watched, { ms: 2 * size.windowMs })
    const residentFirstBytes = residentBytes(watched.gatewayPid)
    for (const attack of attacks) {
      if (size.only.length > 0 && !size.only.includes(attack.name)) continue
      pressed.push(await press(attack, { target, watched, size, gateway }))
      tell(`${attack.name}: ${JSON.stringify(pressed.at(-1)?.tally)}`)
    }
    await sleep(settleMs)
    return { pressed, residentFirstBytes, residentLastBytes: residentBytes(watched.gatewayPid) }
  } finally {
    await tenant.close()
  }
}

const press = async (
  attack: Attack,
  { target, watched, size, gateway }: { target: Target; watched: Watched; size: PressureSize; gateway: ServerPart },
): Promise<Pressed> => {
  const rounds: Round[] = []
  const tally: Tally = {}
  const residentBeforeBytes = residentBytes(watched.gatewayPid)
  const ms = Math.max(size.windowMs, attack.leastMs?.(size.strength) ?? 0)
  while (rounds.length < size.tries && rounds.filter(isCalm).length < size.rounds) {
    const quiet = await measureWindow(watched, { ms: size.windowMs })
    const attacker = await startAttacker(attack.name, target, size.strength)
    rounds.push({ quiet, attacked: await measureWindow(watched, { ms, attackerPid: attacker.pid }) })
    for (const [outcome, times] of Object.entries(await attacker.stop())) count(tally, outcome, times)
    await sleep(settleMs)
    if (gateway.pid() !== watched.gatewayPid) break
  }
  return { attack, rounds, tally, residentBeforeBytes, isAlive: gateway.pid() === watched.gatewayPid }
}

/** Other programs on the machine take CPU time from the gateway that no attack took. */
export const isCalm = ({ quiet, attacked }: Round): boolean =>
  Math.max(quiet.foreignShare, attacked.foreignShare) <= maxForeignShare

/** A customer who means no good, and one who only wants to work. */
const populate = async ({ stack, seed, agentId }: TemporaryStack) => {
  const records = openSql(stack.postgres.superuserUrl('ars'))
  const ca = readFileSync(stack.tls.certFile)
  const port = stack.ports.gateway[0]
  try {
    const attacker = await plantOrganisation(stack, 'attacker', { records, like: organisationOf('quiet', seed) })
    const target = { port, ca: ca.toString(), key: attacker.apiKey, agentId: attacker.agentId('test-echo') }
    const caller = apiCaller({ port, ca, keepAlive: false })
    const run = { agent_id: agentId('test-echo'), input: { query: 'first' } }
    const headers = { authorization: `Bearer ${seed.api_key}` }
    const { text } = await caller.call({ method: 'POST', path: '/v2/runs', headers, body: run })
    const runId = String((JSON.parse(text) as { id: string }).id)
    const tenant = startQuietTenant({ port, ca, key: seed.api_key, agentId: agentId('test-echo'), runId })
    return { target, tenant }
  } finally {
    await records.close()
  }
}
