import { reserveFreeBlock } from '@ars/tools/dev/parts/ports'
import { pinFamily } from '../../../lab/measure/cpu.ts'
import { compare } from '../../../lab/measure/rounds.ts'
import { renewFolder } from '../../../lab/peers/folder.ts'
import { tell } from '../../../lab/report/progress.ts'
import { webhooksLoad } from '../load.ts'
import type { WebhooksOptions } from '../options.ts'
import { readSent, type Sent } from '../sent.ts'
import { serverCore, startWebhooksSubject } from '../subject.ts'
import { installOutpost, type Outpost, startOutpost } from './outpost.ts'
import { outpostControl } from './publisher.ts'
import { type OutpostMetrics, outpostReport } from './report.ts'

/** Our worker and Outpost send the same events to the same receiver. Answers the report, and whether ours was right. */
export const benchOutpost = async (
  options: WebhooksOptions,
  base: number,
): Promise<ReturnType<typeof outpostReport>> => {
  const startedAt = new Date()
  const home = await installOutpost(options.cache, tell)
  tell('Starting our stack and the receiver')
  const subject = await startWebhooksSubject({ ...options, base })
  const block = await reserveFreeBlock()
  let outpost: Outpost | undefined
  try {
    const dir = `${options.dir}-outpost`
    await renewFolder(dir)
    tell('Starting Outpost with RabbitMQ, Redis and Postgres')
    const { urls, certFile } = subject
    const requests = 10 * options.endpoints
    outpost = await startOutpost({ dir, base: block.base, home, urls, certFile, requests })
    if (options.isPinned) for (const pidOf of Object.values(outpost.watched)) pinFamily(pidOf(), serverCore)
    const watched = { ...subject.watched, ...outpost.watched }
    const load = webhooksLoad({ ...subject, watched }, outpostControl(outpost, subject))
    tell('Warming up')
    for (const side of ['service', 'control'] as const) {
      await load.run({ side, callers: requests, leadInMs: 0, lengthMs: options.size.windowMs })
    }
    tell('Comparing ours with Outpost: Outpost, ours, ours, Outpost')
    const sending = await compare(load, 'service', { callers: requests }, options.size, tell)
    const sent: Sent = await readSent(subject)
    const { version, settings } = outpost
    const metrics: OutpostMetrics = { options, startedAt, sending, sent, version, settings }
    return outpostReport(metrics)
  } finally {
    await outpost?.stop()
    await subject.stop()
    await block.release()
  }
}
