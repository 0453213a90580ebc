import { setTimeout as sleep } from 'node:timers/promises'
import { toUuid } from '@ars/platform/id'
import { tell } from '../../lab/report/progress.ts'
import type { BackgroundOptions } from './options.ts'
import type { Subject } from './subject.ts'
import { emptyStretch, p99, playTraffic, type Stretch } from './traffic.ts'

export type BatchFigures = {
  quiet: Stretch
  beside: Stretch
  /** Runs of the batch that ended per second, without interactive runs and beside them. */
  alonePerSecond: number
  besidePerSecond: number
  interactivePerSecond: number
  progress: { items: number; completed: number; failed: number }
  seconds: number
}

type WireBatch = { id: string; status: string; progress: BatchFigures['progress'] }

/** Time until a batch is under way. */
const leadInSeconds = 5
const maxMinutes = 60

/** Stretches of the batch alone and beside interactive runs alternate until its last items. */
export const measureBatch = async (subject: Subject, options: BackgroundOptions): Promise<BatchFigures> => {
  const { own, sql } = subject
  const [quiet, beside] = [emptyStretch(), emptyStretch()]
  const counts = { alone: { ended: 0, ms: 0 }, beside: { ended: 0, ms: 0 } }
  await playTraffic(subject, options, emptyStretch(), leadInSeconds)
  await playTraffic(subject, options, quiet, options.seconds)

  const items = Array.from({ length: options.items }, () => ({ input: { steps: 1, delay_ms: options.runMs } }))
  const body = { agent_id: own.agentId('test-steps'), items }
  const beganMs = performance.now()
  const { id } = await own.ask<WireBatch>({ method: 'POST', path: '/v2/batches', body })
  tell(`a batch of ${options.items} items was created`)
  const endedRuns = async (): Promise<number> => {
    const [row] = await sql.query<{ ended: number }>(
      'select count(*)::integer as ended from batch_items i join run_results x on x.run_id = i.run_id where i.batch_id = $1',
      [toUuid(id)],
    )
    return row?.ended ?? 0
  }
  await sleep(1_000 * leadInSeconds)
  const stretch = async (kind: keyof typeof counts, play: () => Promise<unknown>): Promise<boolean> => {
    const [before, fromMs] = [await endedRuns(), performance.now()]
    await play()
    const [after, untilMs] = [await endedRuns(), performance.now()]
    // A stretch in which the batch came to its end says nothing about its speed.
    const isWhole = options.items - after > 2 * options.concurrentRuns
    if (isWhole) {
      counts[kind].ended += after - before
      counts[kind].ms += untilMs - fromMs
    }
    tell(`${after} of ${options.items} items have ended (${kind})`)
    return isWhole
  }
  for (let isUnderWay = true; isUnderWay; ) {
    isUnderWay = await stretch('alone', () => sleep(1_000 * options.seconds))
    if (isUnderWay) {
      const played = emptyStretch()
      isUnderWay = await stretch('beside', () => playTraffic(subject, options, played, options.seconds))
      beside.own.push(...played.own)
      beside.other.push(...played.other)
      beside.seconds += played.seconds
    }
  }
  const batch = await awaitEnd(subject, id)
  const seconds = (performance.now() - beganMs) / 1_000
  // As many quiet samples as busy ones, before and after.
  await playTraffic(subject, options, quiet, Math.max(options.seconds, beside.seconds - options.seconds))
  const perSecond = ({ ended, ms }: { ended: number; ms: number }): number => (1_000 * ended) / ms
  const figures = {
    quiet,
    beside,
    alonePerSecond: perSecond(counts.alone),
    besidePerSecond: perSecond(counts.beside),
    interactivePerSecond: 2 * options.perSecond,
    progress: batch.progress,
    seconds,
  }
  tell(`p99 beside the batch: ${p99(beside.own).toFixed(0)} ms, quiet: ${p99(quiet.own).toFixed(0)} ms`)
  return figures
}

const awaitEnd = async ({ own }: Subject, id: string): Promise<WireBatch> => {
  for (let seconds = 0; seconds < 60 * maxMinutes; seconds++) {
    const batch = await own.ask<WireBatch>({ method: 'GET', path: `/v2/batches/${id}` })
    if (batch.status === 'completed') return batch
    await sleep(1_000)
  }
  throw new Error(`the batch did not end within ${maxMinutes} minutes`)
}
