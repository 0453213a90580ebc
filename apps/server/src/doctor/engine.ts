import { setTimeout as sleep } from 'node:timers/promises'
import type { GatewayParts } from '@ars/core'
import { engineProbeTarget } from '@ars/core/runs'
import { serverBounds } from '../bounds.ts'
import { describe, type Finding, skipped } from './finding.ts'

const maxWorkerAnswerMs = serverBounds.workerAnswer.ms

export const checkEngine = async (parts: GatewayParts): Promise<Finding[]> => {
  const [ingress, admin] = await Promise.all([checkIngress(parts), checkAdmin(parts)])
  const findings = [ingress, admin]
  const names = ['engine registration', 'worker'] as const
  if (admin.advice !== undefined) {
    return [...findings, ...names.map((what) => skipped(what, 'not checked: the engine does not respond'))]
  }
  const { engine, config } = parts
  const endpoint = await engine.findAddress('Run').catch(() => null)
  if (endpoint === null) {
    const found = 'no worker is registered'
    const advice = await adviceOn(parts, config.workerUrl, `Start a worker. It registers ${config.workerUrl}`)
    return [...findings, { what: names[0], found, advice }, skipped(names[1], 'not checked: none is registered')]
  }
  const registration = { what: names[0], found: `workers at ${endpoint}` }
  if (ingress.advice !== undefined) {
    return [...findings, registration, skipped(names[1], 'not checked: the ingress does not respond')]
  }
  return [...findings, registration, await checkWorker(parts, endpoint)]
}

const checkIngress = async ({ engine }: GatewayParts): Promise<Finding> => {
  const what = 'engine ingress'
  const fault = await engine.checkIngress().then(() => null, describe)
  if (fault === null) return { what, found: 'responds' }
  const advice = 'Check ARS_ENGINE_INGRESS_URL and start Restate. Runs are accepted and wait until it responds.'
  return { what, found: fault, advice }
}

const checkAdmin = async ({ engine }: GatewayParts): Promise<Finding> => {
  const what = 'engine'
  const version = await engine.version().catch((error: unknown) => ({ fault: describe(error) }))
  if (typeof version === 'string') return { what, found: `Restate ${version}` }
  const advice = 'Check ARS_ENGINE_ADMIN_URL and start Restate. Workers register there.'
  return { what, found: version.fault, advice }
}

/** A round trip through the engine to a worker. */
const checkWorker = async (parts: GatewayParts, endpoint: string): Promise<Finding> => {
  const what = 'worker'
  const { engine, clock } = parts
  const beganMs = clock.monotonicMs()
  const answered = await Promise.race([
    engine.call({ ...engineProbeTarget, object: 'doctor' }, { at: clock.now().toISOString() }).then(
      () => true,
      () => false,
    ),
    sleep(maxWorkerAnswerMs, false, { ref: false }),
  ])
  if (answered) return { what, found: `responds through the engine in ${Math.round(clock.monotonicMs() - beganMs)} ms` }
  const advice = await adviceOn(parts, endpoint, `Start a worker at ${endpoint}`)
  return { what, found: 'does not respond through the engine', advice }
}

/** The engine itself says why it cannot call the worker. */
const adviceOn = async ({ engine }: GatewayParts, workerUrl: string, start: string): Promise<string> => {
  const fault = await engine.findWorkerFault(workerUrl).catch(describe)
  if (fault === null) return `A worker responds at ${workerUrl}. Restart it if this lasts longer than 30 seconds.`
  if (/\b401\b/.test(fault)) {
    return 'The worker refuses the signature of the engine (401). Set ARS_ENGINE_IDENTITY_KEY to the public key of the engine, which `ars-server admin engine-key identity.pem` prints, and restart the workers.'
  }
  return `${start}, which the engine must be able to reach. The engine says: ${fault}`
}
