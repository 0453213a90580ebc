import { setTimeout as sleep } from 'node:timers/promises'
import { cpuBetween, type Watched as OwnProcesses, readCpu } from '../lab/measure/cpu.ts'
import { processorMs, residentBytes } from '../lab/measure/process-metrics.ts'
import type { Felt, QuietTenant } from './quiet-tenant.ts'

/** One stretch of time: what the quiet customer felt, and what the gateway was doing meanwhile. */
export type Window = {
  felt: Felt
  /** The most that was seen. */
  residentBytes: number
  loopDelayP99Ms: number
  /** Of one core. */
  gatewayShare: number
  attackerShare: number
  /** Of the whole machine: what belongs to none of the processes of this measurement. */
  foreignShare: number
}

export type Watched = {
  tenant: QuietTenant
  metricsUrl: string
  gatewayPid: number
  /** Everything that belongs to the measurement. */
  own: OwnProcesses
}

const sampleEveryMs = 100

export const measureWindow = async (
  { tenant, metricsUrl, gatewayPid, own }: Watched,
  { ms, attackerPid }: { ms: number; attackerPid?: number },
): Promise<Window> => {
  // Each scrape begins a new count of the loop's delay.
  await loopDelayMs(metricsUrl)
  await tenant.cut()
  const before = { gateway: processorMs(gatewayPid), attacker: usedBy(attackerPid), machine: readCpu(own) }
  const begun = performance.now()
  let most = 0
  while (performance.now() - begun < ms) {
    most = Math.max(most, residentBytes(gatewayPid))
    await sleep(sampleEveryMs)
  }
  const tookMs = performance.now() - begun
  const delayMs = await loopDelayMs(metricsUrl)
  const { foreignShare } = cpuBetween(before.machine, readCpu(own))
  const after = { gateway: processorMs(gatewayPid), attacker: usedBy(attackerPid) }
  return {
    felt: await tenant.cut(),
    residentBytes: most,
    loopDelayP99Ms: delayMs,
    gatewayShare: (after.gateway - before.gateway) / tookMs,
    attackerShare: (after.attacker - before.attacker) / tookMs,
    foreignShare,
  }
}

const loopDelayMs = async (metricsUrl: string): Promise<number> => {
  const answer = await fetch(`${metricsUrl}/metrics`)
  const value = /^ars_event_loop_delay_p99_seconds(?:\{[^}]*\})? (\S+)/m.exec(await answer.text())?.[1]
  if (value === undefined) throw new Error('the event loop lag is missing from the metrics')
  return 1_000 * Number(value)
}

const usedBy = (pid: number | undefined): number => (pid === undefined ? 0 : processorMs(pid))
