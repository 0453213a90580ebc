import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { apiCaller } from '../chaos/api-caller.ts'
import { organisationOf, plantOrganisation } from '../chaos/organisation.ts'
import { residentBytes } from '../chaos/process-figures.ts'
import { recordReader } from '../chaos/records.ts'
import type { TemporaryStack } from '../chaos/temporary-stack.ts'
import type { ServerPart } from '../dev/server.ts'
import { type Attack, count, type Strength, type Tally, type Target } from './attack.ts'
import { startAttacker } from './attacker-process.ts'
import { attacks } from './attacks.ts'
import { startQuietTenant } from './quiet-tenant.ts'
import { measureWindow, type Watched, type Window } from './window.ts'

/** One attack, in turn with nothing. */
export interface Pressed {
  attack: Attack
  quiet: Window[]
  attacked: Window[]
  tally: Tally
  /** Of the gateway, just before the first assault. */
  residentBeforeBytes: number
  isAlive: boolean
}

export interface PressureSize {
  strength: Strength
  rounds: number
  windowMs: number
  only: readonly string[]
}

export interface Pressure {
  pressed: Pressed[]
  residentFirstBytes: number
  residentLastBytes: number
}

const settleMs = 1_000

export async function pressGateway(
  temporary: TemporaryStack,
  gateway: ServerPart,
  size: PressureSize,
  tell: (words: string) => void,
): Promise<Pressure> {
  const { target, tenant } = await populate(temporary)
  const watched: Watched = { tenant, metricsUrl: gateway.metricsUrl, gatewayPid: gateway.pid() ?? 0 }
  const pressed: Pressed[] = []
  try {
    // What is compiled and allocated by the first calls is no attack's fault.
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

async function press(
  attack: Attack,
  { target, watched, size, gateway }: { target: Target; watched: Watched; size: PressureSize; gateway: ServerPart },
): Promise<Pressed> {
  const quiet: Window[] = []
  const attacked: Window[] = []
  const tally: Tally = {}
  const residentBeforeBytes = residentBytes(watched.gatewayPid)
  const ms = Math.max(size.windowMs, attack.leastMs?.(size.strength) ?? 0)
  for (let round = 0; round < size.rounds; round++) {
    quiet.push(await measureWindow(watched, { ms: size.windowMs }))
    const attacker = await startAttacker(attack.name, target, size.strength)
    attacked.push(await measureWindow(watched, { ms, attackerPid: attacker.pid }))
    for (const [outcome, times] of Object.entries(await attacker.stop())) count(tally, outcome, times)
    await sleep(settleMs)
    if (gateway.pid() !== watched.gatewayPid) break
  }
  return { attack, quiet, attacked, tally, residentBeforeBytes, isAlive: gateway.pid() === watched.gatewayPid }
}

/** A customer who means no good, and one who only wants to work. */
async function populate({ stack, seed, agentId }: TemporaryStack) {
  const records = recordReader(stack.postgres.superuserUrl('ars'))
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
