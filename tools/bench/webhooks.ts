import { reserveFreeBlock } from '../dev/parts/ports.ts'
import type { WindowResult } from './load.ts'
import { compare, compareWithItself, perSecond } from './rounds.ts'
import { median } from './statistics.ts'
import { tell, writeReport } from './telling.ts'
import { webhooksLoad } from './webhooks-load.ts'
import { readWebhooksOptions, type WebhooksOptions } from './webhooks-options.ts'
import { profileWebhooks } from './webhooks-profile.ts'
import { isRight, type Sent, type WebhooksFigures, webhooksReport } from './webhooks-report.ts'
import { startWebhooksSubject, type WebhooksSubject } from './webhooks-subject.ts'

export { webhooksHelp } from './webhooks-options.ts'

export async function benchWebhooks(args: readonly string[]): Promise<boolean> {
  const options = readWebhooksOptions(args)
  const block = options.base === undefined ? await reserveFreeBlock() : undefined
  const base = options.base ?? block?.base ?? 0
  try {
    if (options.isProfile) {
      writeReport(options, await profileWebhooks(options, base, tell))
      return true
    }
    const figures = await measure(options, base)
    writeReport(options, webhooksReport(figures))
    return isRight(figures)
  } finally {
    await block?.release()
  }
}

async function measure(options: WebhooksOptions, base: number): Promise<WebhooksFigures> {
  const startedAt = new Date()
  tell('Starting Postgres, Redis, Restate, a worker, the receiver and the control')
  const subject = await startWebhooksSubject({ ...options, base })
  try {
    const load = webhooksLoad(subject)
    const window = { callers: 10 * options.endpoints }
    tell('Warming up')
    await load.run({ side: 'service', ...window, leadInMs: 0, lengthMs: options.size.windowMs })
    await load.run({ side: 'control', ...window, leadInMs: 0, lengthMs: 2000 })
    tell('The control against itself')
    const itself = await compareWithItself(load, window, { ...options.size, rounds: options.selfRounds }, tell)
    tell('The worker against the control')
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
      bodyBytes: subject.bodyBytes,
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

/** What the database says of all that was sent. */
async function readSent({ feeder }: WebhooksSubject): Promise<Sent> {
  const [sent] = await feeder.query<Sent>(
    `select (select count(*)::integer from events) as events,
            (select count(*)::integer from deliveries) as deliveries,
            (select count(*)::integer from deliveries where status = 'succeeded') as succeeded,
            (select count(*)::integer from delivery_attempts) as attempts,
            current_setting('synchronous_commit') as "synchronousCommit", current_setting('fsync') as fsync`,
  )
  if (!sent) throw new Error('the database does not answer')
  return sent
}
