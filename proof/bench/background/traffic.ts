import { playOpenLoop, statusOf } from '../../lab/client/open-loop.ts'
import { quantile } from '../../lab/measure/statistics.ts'
import type { BackgroundOptions } from './options.ts'
import type { Customer, Subject } from './subject.ts'

/** Interactive runs of one kind of stretch, of all such stretches together. */
export type Stretch = { own: Sample[]; other: Sample[]; seconds: number }

/** `isGood`: the run was accepted and has completed while the client waited. */
export type Sample = { tookMs: number; isGood: boolean }

export const emptyStretch = (): Stretch => ({ own: [], other: [], seconds: 0 })

const never = new AbortController().signal

/** Both organisations send interactive runs for a while, and wait for each result. */
export const playTraffic = async (
  { own, other }: Subject,
  { perSecond }: Pick<BackgroundOptions, 'perSecond'>,
  stretch: Stretch,
  seconds: number,
): Promise<void> => {
  const play = async (customer: Customer, samples: Sample[]): Promise<void> => {
    const shots = await playOpenLoop({ perSecond, seconds, hopeless: never }, () => shoot(customer))
    samples.push(...shots.map((shot) => ({ tookMs: shot.tookMs, isGood: isGood(shot) })))
  }
  await Promise.all([play(own, stretch.own), play(other, stretch.other)])
  stretch.seconds += seconds
}

const shoot = async ({ caller, authorization, agentId }: Customer) => {
  const beganMs = performance.now()
  const body = { agent_id: agentId('test-echo'), input: { query: 'hello' } }
  const call = { method: 'POST', path: '/v2/runs', headers: { ...authorization, prefer: 'wait=30' }, body } as const
  const answer = await caller.call(call, { timeoutMs: 60_000 }).catch(() => null)
  return { tookMs: performance.now() - beganMs, answer }
}

const isGood = (shot: Pick<Awaited<ReturnType<typeof shoot>>, 'answer'>): boolean =>
  statusOf(shot) >= 200 && statusOf(shot) < 300 && shot.answer?.text.includes('"status":"completed"') === true

export const p99 = (samples: readonly Sample[]): number =>
  quantile(
    samples.map(({ tookMs }) => tookMs),
    0.99,
  )

const p50 = (samples: readonly Sample[]): number =>
  quantile(
    samples.map(({ tookMs }) => tookMs),
    0.5,
  )

/** What the report says of a stretch. */
export const inWords = (samples: readonly Sample[]): string =>
  `${samples.length} runs, p50 ${p50(samples).toFixed(0)} ms, p99 ${p99(samples).toFixed(0)} ms`
