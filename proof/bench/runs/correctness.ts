import { toUuid } from '@ars/platform/id'
import pg from 'pg'
import type { Side, WindowResult } from '../../lab/measure/load.ts'
import { type Claim, claim, measured } from '../../lab/report/outcome.ts'

/** What the database says about the runs that the generator had answers for. A fast run that fails this scores nothing. */
export type Correctness = {
  /** Answers 200 with a completed run, from all windows, warm-up included. */
  answered: number
  /** Different runs among them. */
  runs: number
  completedInDatabase: number
  results: number
  endedTwice: number
  stillActive: number
  /** Answers of another kind, and calls without an answer, by status. Only those of the measured windows are wrong. */
  failures: Record<'warmUp' | 'measured', Record<string, number>>
  isRight: boolean
}

/** The rows of a report that every bench of runs has. */
export const correctnessRows = (facts: Correctness): [question: string, count: string][] => [
  ['answers 200 with a completed run (warm-up included)', String(facts.answered)],
  ['different runs among them', String(facts.runs)],
  ['of these `completed` in the database', String(facts.completedInDatabase)],
  ['rows of run_results', String(facts.results)],
  ['runs ended twice', String(facts.endedTwice)],
  ['runs still active', String(facts.stillActive)],
  ['other answers while measured', JSON.stringify(facts.failures.measured)],
]

/** A call without a completed run may have left one: its client would repeat the call with the same key. */
export const correctnessClaims = (facts: Correctness): Claim[] => {
  const { answered, runs, completedInDatabase, results, endedTwice, stillActive } = facts
  const others = Object.values(facts.failures).flatMap((counts) => Object.values(counts))
  const unanswered = others.reduce((sum, times) => sum + times, 0)
  return [
    claim('every answered run exists once', answered > 0 && runs === answered, `${runs} of ${answered}`),
    claim(
      'every answered run is completed in the database',
      completedInDatabase === answered,
      `${completedInDatabase} of ${answered}`,
    ),
    claim('no run exists without an answer', results - answered <= unanswered, `${results} for ${answered} answers`),
    claim('no run ends twice', endedTwice === 0, `${endedTwice}`),
    claim('no run stays active', stillActive === 0, `${stillActive}`),
    measured(
      'every measured call is answered with a completed run',
      Object.keys(facts.failures.measured).length === 0,
      JSON.stringify(facts.failures.measured),
    ),
  ]
}

/** Reads as superuser: row-level security would need the organisation, and partitions count all. */
export const checkCorrectness = async (
  url: string,
  { warmUp, measured }: Record<'warmUp' | 'measured', readonly WindowResult[]>,
  side: Side = 'service',
): Promise<Correctness> => {
  const service = [...warmUp, ...measured].filter(({ order }) => order.side === side)
  const ids = service.flatMap(({ runIds }) => runIds).map((id) => toUuid(id as `run_${string}`))
  const answered = service.reduce((sum, { answersInAll }) => sum + answersInAll, 0)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const count = async (text: string, values: unknown[] = []): Promise<number> =>
      Number((await client.query<{ n: string }>(text, values)).rows[0]?.n)
    const facts = {
      answered,
      runs: new Set(ids).size,
      completedInDatabase: await count(
        `select count(*) as n from unnest($1::uuid[]) as answered (id)
           join run_results r on r.run_id = answered.id and r.status = 'completed'`,
        [ids],
      ),
      results: await count('select count(*) as n from run_results'),
      endedTwice: await count(
        `select count(*) as n from (
           select run_id from run_events where type in ('run.completed', 'run.failed', 'run.cancelled')
            group by run_id having count(*) > 1) as twice`,
      ),
      stillActive: await count('select count(*) as n from run_heads'),
      failures: { warmUp: sumFailures(warmUp), measured: sumFailures(measured) },
    }
    const isRight =
      facts.answered > 0 &&
      facts.runs === facts.answered &&
      facts.completedInDatabase === facts.answered &&
      facts.results === facts.answered &&
      facts.endedTwice === 0 &&
      facts.stillActive === 0 &&
      Object.keys(facts.failures.measured).length === 0
    return { ...facts, isRight }
  } finally {
    await client.end()
  }
}

const sumFailures = (windows: readonly WindowResult[]): Record<string, number> => {
  const sum: Record<string, number> = {}
  for (const { order, failures } of windows) {
    for (const [status, times] of Object.entries(failures)) {
      const name = `${order.side} ${status}`
      sum[name] = (sum[name] ?? 0) + times
    }
  }
  return sum
}
