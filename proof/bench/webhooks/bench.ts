import type { WindowResult } from '../../lab/measure/load.ts'
import { compare, compareWithItself, perSecond } from '../../lab/measure/rounds.ts'
import { median } from '../../lab/measure/statistics.ts'
import { sizeOf } from '../../lab/options.ts'
import { keepOutcome } from '../../lab/report/keep.ts'
import { printReport, tell } from '../../lab/report/progress.ts'
import { withPortBlock } from '../../lab/stack/port-block.ts'
import { bareControl, webhooksLoad } from './load.ts'
import { readWebhooksOptions, type WebhooksOptions } from './options.ts'
import { benchOutpost } from './outpost/bench.ts'
import { profileWebhooks } from './profile.ts'
import { isRight, outcomeOf, type WebhooksMetrics, webhooksReport } from './report.ts'
import { readSent } from './sent.ts'
import { startWebhooksSubject } from './subject.ts'

export { webhooksHelp } from './options.ts'

export const benchWebhooks = async (args: readonly string[]): Promise<boolean> => {
  const options = readWebhooksOptions(args)
  return withPortBlock(options.base, async (base) => {
    if (options.isProfile) {
      printReport(await profileWebhooks(options, base, tell))
      return true
    }
    if (options.isOutpost) {
      const { report, isRight, outcome } = await benchOutpost(options, base)
      printReport(report)
      keepOutcome({ proof: 'bench-webhooks-outpost', size: sizeOf(options), outcome })
      return isRight
    }
    const metrics = await measure(options, base)
    printReport(webhooksReport(metrics))
    keepOutcome({ proof: 'bench-webhooks', size: sizeOf(options), outcome: outcomeOf(metrics) })
    return isRight(metrics)
  })
}

const measure = async (options: WebhooksOptions, base: number): Promise<WebhooksMetrics> => {
  const startedAt = new Date()
  tell('Starting Postgres, Redis, Restate, a worker, the receiver and the control')
  const subject = await startWebhooksSubject({ ...options, base })
  try {
    const load = webhooksLoad(subject, bareControl(subject))
    const window = { callers: 10 * options.endpoints }
    tell('Warming up')
    await load.run({ side: 'service', ...window, leadInMs: 0, lengthMs: options.size.windowMs })
    await load.run({ side: 'control', ...window, leadInMs: 0, lengthMs: 2000 })
    tell('Comparing the control with itself')
    const itself = await compareWithItself(load, window, { ...options.size, rounds: options.selfRounds }, tell)
    tell('Comparing the worker with the control')
    const sending = await compare(load, 'service', window, options.size, tell)
    const knee = median(sending.accepted.flatMap(({ subject: windows }) => windows.map(perSecond)))
    const lag: { share: number; result: WindowResult }[] = []
    for (const share of [0.25, 0.5, 0.75]) {
      const ratePerSecond = Math.max(1, Math.round(knee * share))
      const { size } = options
      const result = await load.run({
        side: 'service',
        ...window,
        ratePerSecond,
        leadInMs: 2000,
        lengthMs: size.windowMs,
      })
      lag.push({ share, result })
      tell(`${ratePerSecond} a second: p50 ${result.latencyMs.p50} ms, p99 ${result.latencyMs.p99} ms late`)
    }
    return {
      options,
      startedAt,
      bodyBytes: Buffer.byteLength(subject.body),
      itself,
      sending,
      knee,
      lag,
      sent: await readSent(subject),
    }
  } finally {
    await subject.stop()
  }
}
