import { setTimeout as sleep } from 'node:timers/promises'
import { cpuBetween, foreignShareOf, readCpu, type Watched } from '../../lab/measure/cpu.ts'
import type { Load, WindowResult } from '../../lab/measure/load.ts'
import { ask, type BareMetrics, type ReceiverMetrics } from './protocol.ts'
import type { WebhooksSubject } from './subject.ts'

/** The other side of a comparison, which sends to the same receiver. */
export type Control = {
  /** Sends as fast as it can. The answer ends that, waits until everything has arrived, and tells what went wrong. */
  start(): Promise<() => Promise<Failures>>
  /** Whether its signatures are those of this service. */
  isSignedAsOurs: boolean
}

/** The loop that signs and sends and keeps nothing. */
export const bareControl = ({ bare }: Pick<WebhooksSubject, 'bare'>): Control => ({
  isSignedAsOurs: true,
  start: async () => {
    await ask(bare, { kind: 'go' })
    return async () => (await ask<BareMetrics>(bare, { kind: 'stop' })).failures
  },
})

/** What has arrived counts, on both sides, as the receiver saw it. */
export const webhooksLoad = (
  { feeder, receiver, watched }: Pick<WebhooksSubject, 'feeder' | 'receiver' | 'watched'>,
  control: Control,
): Load => {
  const everybody: Watched = { ...watched, bench: () => process.pid }

  /** Sends until the window is over, then ends what was begun. Answers what went wrong. */
  const start = async (side: 'control' | 'service', ratePerSecond?: number): Promise<() => Promise<Failures>> => {
    if (side === 'control') return control.start()
    const stretch = ratePerSecond === undefined ? feeder.keepFull() : feeder.atRate(ratePerSecond)
    return async () => {
      await stretch.stop()
      await feeder.drained()
      return {}
    }
  }

  return {
    pid: () => undefined,
    close: () => undefined,
    listen: () => foreignShareOf(everybody),
    async run(order): Promise<WindowResult> {
      const stop = await start(order.side, order.ratePerSecond)
      await sleep(order.leadInMs)
      await ask(receiver, { kind: 'reset' })
      const [from, begun] = [readCpu(everybody), performance.now()]
      await sleep(order.lengthMs)
      const metrics = await ask<ReceiverMetrics>(receiver, { kind: 'read' })
      const seconds = (performance.now() - begun) / 1000
      const cpu = cpuBetween(from, readCpu(everybody))
      const failures = await stop()
      const { posts, lagMs } = metrics
      const untrue = order.side === 'service' || control.isSignedAsOurs ? metrics.untrue : 0
      return {
        answers: posts,
        seconds,
        latencyMs: { mean: Number.NaN, p50: lagMs.p50, p90: Number.NaN, p99: lagMs.p99, most: lagMs.most },
        answersInAll: posts,
        runIds: [],
        failures: { ...failures, ...(untrue > 0 && { 'untrue signatures': untrue }) },
        order: { kind: 'window', ...order },
        cpu,
      }
    },
  }
}

export type Failures = Record<string, number>
