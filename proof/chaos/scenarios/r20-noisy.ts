import { setTimeout as sleep } from 'node:timers/promises'
import { toUuid } from '@ars/platform/id'
import { countsOf, percentileMs, type Shot, statusOf } from '../../lab/client/open-loop.ts'
import { shootOnce } from '../journaled-shot.ts'
import { addQuietCustomers, type Customer, dwells, percentile, playQuiet, shown } from '../quiet-customers.ts'
import { type RunOrder, toRun } from '../run-client.ts'
import { measured, type Stage, scenario } from '../scenario.ts'

type Size = {
  /** Added to the baseline: with few samples a p99 is one unlucky run. The larger of the two bounds applies. */
  slackMs: number
  soloSeconds: number
  /** Beside many runs, and then beside long ones. */
  manySeconds: number
  slowSeconds: number
}

/** A kind of noise: how long its runs take. */
type Noise = {
  part: 'many' | 'slow'
  runMs: readonly [number, number]
}

type Heard = Noise & {
  dwells: number[]
  inUse: number
  completed: number
  refused: Shot[]
  leftQueued: number
}

/** What the cell carries at once. A fifth of it is kept for those who have little under way. */
const cellSlots = 64
/** Longer than those of the quiet ones: who waits for one of them to end, waits long. */
const many: Noise = { part: 'many', runMs: [800, 1600] }
const slow: Noise = { part: 'slow', runMs: [30_000, 30_000] }
/** As many as the cell has: so a whole cell and ten times as many waiting are its own, and the rest is refused. */
const noisyConcurrency = cellSlots
const noisyTriesAtOnce = 20
/** It retries at this rate and ignores Retry-After; submitting costs processor time that the quiet customers need. */
const noisyEveryMs = 500
const maxRefusalMs = 1000

/** One customer asks for far more than its share, with many runs and then with long ones; the others must hardly notice. */
export const noisyCustomer = scenario<Size>({
  name: 'R20',
  promise:
    'A noisy customer does not hurt others: the quiet ones wait at most twice as long as alone, and its excess is refused with 429.',
  serverEnv: { ARS_CELL_SLOTS: String(cellSlots) },
  sizes: {
    ci: { soloSeconds: 15, manySeconds: 15, slowSeconds: 15, slackMs: 250 },
    full: { soloSeconds: 120, manySeconds: 300, slowSeconds: 300, slackMs: 0 },
  },
  play: async (stage, size) => {
    const { fleet, say } = stage
    const quiet = await addQuietCustomers(stage)
    const noisy = await fleet.addOrganisation('noisy', { concurrentRuns: noisyConcurrency })
    const resume = await fleet.neighbour.pause()
    try {
      await playQuiet(stage, quiet, 'warm-up', 2)
      await playQuiet(stage, quiet, 'solo', size.soloSeconds)
      const solo = await dwells(stage, 'solo')
      say(`alone: ${shown(solo)}`)
      const heard = [
        await playBeside(stage, { quiet, noisy, noise: many, seconds: size.manySeconds }),
        await playBeside(stage, { quiet, noisy, noise: slow, seconds: size.slowSeconds }),
      ]
      const alone = percentile(solo, 0.99)
      const slack = size.slackMs > 0 ? `, or ${size.slackMs} ms more` : ''
      return {
        metrics: [
          ['quiet customers', quiet.length],
          ['their runs alone', solo.length],
          ['dwell alone, ms: p50, p95, p99, most', shown(solo)],
          ...heard.flatMap(metricsOf),
        ],
        claims: heard.flatMap((each) => [
          measured(
            `${each.part}: p99 of the quiet customers’ dwell is at most twice that alone${slack}`,
            percentile(each.dwells, 0.99) <= Math.max(2 * alone, alone + size.slackMs),
            `${percentile(each.dwells, 0.99)} ms against ${alone} ms`,
          ),
          measured(
            `${each.part}: the noisy one had work queued all the time`,
            each.leftQueued > 0,
            'its queue ran empty',
          ),
          measured(
            `${each.part}: the cell is not left idle`,
            each.inUse >= 0.75,
            `${Math.round(each.inUse * 100)} % in use`,
          ),
          measured(`${each.part}: its excess is refused`, each.refused.length > 0, 'nothing was'),
          {
            says: `${each.part}: with Retry-After, and never by a timeout`,
            violations: each.refused.filter((shot) => !isToldToComeLater(shot)).map((shot) => `${statusOf(shot)}`),
          },
          // A gateway that gets no time from its computer sheds with 503 before it comes to count: that is another promise.
          measured(
            `${each.part}: with 429, nine in ten at least`,
            each.refused.filter((shot) => statusOf(shot) === 429).length >= 0.9 * each.refused.length,
            countsOf(each.refused),
          ),
          measured(
            `${each.part}: and not by letting it wait: within ${maxRefusalMs} ms, 99 in 100`,
            percentileMs(each.refused, 0.99) <= maxRefusalMs,
            `${percentileMs(each.refused, 0.99)} ms`,
          ),
          measured(
            `${each.part}: there is enough to tell`,
            Math.min(solo.length, each.dwells.length) >= 90,
            `${each.dwells.length}`,
          ),
        ]),
      }
    } finally {
      resume()
    }
  },
})

const metricsOf = ({ part, dwells: waited, inUse, completed, refused }: Heard) =>
  [
    [`${part}: runs of the quiet ones; dwell, ms: p50, p95, p99, most`, `${waited.length}; ${shown(waited)}`],
    [`${part}: runs of the noisy one that ended meanwhile`, completed],
    [`${part}: its requests that were refused; p99, ms`, `${countsOf(refused)}; ${percentileMs(refused, 0.99)}`],
    [`${part}: share of the cell in use`, `${Math.round(inUse * 100)} %`],
  ] as const

const playBeside = async (
  stage: Stage,
  { quiet, noisy, noise, seconds }: { quiet: readonly Customer[]; noisy: Customer; noise: Noise; seconds: number },
): Promise<Heard> => {
  const noisemaker = await makeNoise(stage, noisy, noise)
  const busy = watchCell(stage)
  await playQuiet(stage, quiet, noise.part, seconds)
  const inUse = busy.end()
  const completed = await noisemaker.completed()
  const { refused, leftQueued } = await noisemaker.stop()
  stage.say(`${noise.part} is over`)
  return { ...noise, dwells: await dwells(stage, noise.part), inUse, completed, refused, leftQueued }
}

/** Fills its queue until it is refused and keeps trying; the remaining runs are cancelled at the end. */
const makeNoise = async (stage: Stage, noisy: Customer, { part, runMs }: Noise) => {
  const { fleet, random } = stage
  const { client } = noisy
  const dice = random.fork(`noise/${part}`)
  const accepted: { key: string; id: string }[] = []
  const refused: Shot[] = []
  let sent = 0
  let isStopped = false
  const send = async (): Promise<void> => {
    const order: RunOrder = {
      key: stage.key(`noise-${part}-${sent++}`),
      agentId: noisy.agentId('test-steps'),
      input: { steps: 1, delay_ms: dice.whole(...runMs) },
      prefer: 'respond-async',
    }
    const atMs = performance.now()
    const call = client.toCall(order)
    const expects = [200, 202, 429]
    const shot = await shootOnce(client, sent % 2, { what: 'create', key: order.key, call, expects })
    const run = shot.answer && toRun(shot.answer)
    if (run) accepted.push({ key: order.key, id: run.id })
    else refused.push({ ...shot, atMs, lateMs: 0 })
  }
  const sendSome = (): Promise<unknown> => Promise.all(Array.from({ length: noisyTriesAtOnce }, send))
  while (refused.length === 0 && !stage.hopeless.aborted) await sendSome()
  const trying = (async () => {
    while (!isStopped) {
      await sleep(noisyEveryMs)
      await sendSome()
    }
  })()
  const count = async (text: string, values: readonly unknown[]): Promise<number> =>
    (await fleet.records.query<{ runs: number }>(text, [...values]))[0]?.runs ?? 0
  return {
    completed: () =>
      count(
        `select count(*)::integer as runs from run_results where org_id = $1 and status = 'completed' and run_id = any ($2)`,
        [noisy.id, accepted.map(({ id }) => toUuid(id))],
      ),
    stop: async () => {
      isStopped = true
      await trying
      const queued = 'select count(*)::integer as runs from run_heads where org_id = $1 and waits_for is not null'
      const leftQueued = await count(queued, [noisy.id])
      const all = [...accepted]
      while (all.length > 0) await Promise.all(all.splice(-noisyTriesAtOnce).map((run) => client.cancel(run, run.id)))
      return { refused, leftQueued }
    },
  }
}

const watchCell = ({ fleet }: Stage): { end(): number } => {
  const samples: number[] = []
  const timer = setInterval(() => {
    void fleet.records
      .query<{ runs: number }>('select count(*)::integer as runs from run_heads where is_admitted')
      .then(([row]) => samples.push(row?.runs ?? 0))
      .catch(() => undefined)
  }, 250)
  return {
    end: () => {
      clearInterval(timer)
      return samples.reduce((sum, runs) => sum + runs, 0) / Math.max(1, samples.length) / cellSlots
    },
  }
}

const isToldToComeLater = (shot: Shot): boolean =>
  [429, 503].includes(statusOf(shot)) && Number(shot.answer?.headers['retry-after']) >= 1
