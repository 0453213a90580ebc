import { setTimeout as sleep } from 'node:timers/promises'
import { waitFor } from '../../lab/condition.ts'
import { tell } from '../../lab/report/progress.ts'
import type { BackgroundOptions } from './options.ts'
import type { Subject } from './subject.ts'
import { emptyStretch, p99, playTraffic, type Stretch } from './traffic.ts'

export type ScheduleFigures = {
  quiet: Stretch
  beside: Stretch
  /** Of all rounds. */
  due: number
  started: number
  /** Runs that belong to no firing, or to two. */
  wrong: number
  /** Seconds from the date to the last start, for each round. */
  lastStartSeconds: number[]
  /** The most runs of the organisation in progress at any moment that was looked at. */
  mostInProgress: number
}

/** Time to move all schedules to a date before it comes. */
const dateAheadMs = 90_000
const maxStartSeconds = 300
const asksAtOnce = 4

/** All schedules of one organisation are due in the same second, once for each round. */
export const measureSchedules = async (subject: Subject, options: BackgroundOptions): Promise<ScheduleFigures> => {
  const { own, sql } = subject
  const [quiet, beside] = [emptyStretch(), emptyStretch()]
  const ids = await inParallel(options.schedules, async (n) => {
    const body = {
      name: `Schedule ${n}`,
      once_at: new Date(Date.now() + 86_400_000).toISOString(),
      agent_id: own.agentId('test-steps'),
      input: { steps: 1, delay_ms: options.runMs },
      overlap: 'allow',
    }
    return (await own.ask<{ id: string }>({ method: 'POST', path: '/v2/schedules', body })).id
  })
  tell(`${ids.length} schedules were created`)
  const slots = watchInProgress(subject)
  const lastStartSeconds: number[] = []
  for (let round = 1; round <= options.rounds; round++) {
    await playTraffic(subject, options, quiet, options.seconds)
    const date = new Date(Math.ceil((Date.now() + dateAheadMs) / 1_000) * 1_000)
    const body = { once_at: date.toISOString() }
    await inParallel(ids.length, (n) => own.ask({ method: 'PATCH', path: `/v2/schedules/${ids[n]}`, body }))
    const lateMs = Date.now() - date.getTime()
    if (lateMs > 0) throw new Error(`moving the schedules took ${lateMs} ms too long`)
    await sleep(-lateMs)
    let isOver = false
    const starting = waitFor(
      'all schedules to start',
      async () => ((await unsettled(subject)) === 0 && (await settledSince(subject, date)) === ids.length) || undefined,
      { timeoutMs: 1_000 * maxStartSeconds, everyMs: 1_000 },
    ).finally(() => {
      isOver = true
    })
    // One second after the other, so that it ends with the starts.
    while (!isOver) await playTraffic(subject, options, beside, 1)
    await starting
    const [row] = await sql.query<{ seconds: number }>(
      `select extract(epoch from max(r.created_at) - $1::timestamptz)::float8 as seconds
         from schedule_firings f join runs r on r.id = f.run_id where f.date = $1`,
      [date],
    )
    lastStartSeconds.push(row?.seconds ?? Number.NaN)
    tell(`round ${round}: the last run was accepted ${row?.seconds.toFixed(1)} s after the date`)
  }
  await playTraffic(subject, options, quiet, options.seconds)
  const mostInProgress = await slots.stop()
  const [counted] = await sql.query<{ due: number; started: number; runs: number }>(
    `select count(*)::integer as due, count(*) filter (where status = 'started')::integer as started,
            count(distinct run_id)::integer as runs from schedule_firings`,
  )
  const { due = 0, started = 0, runs = 0 } = counted ?? {}
  tell(`p99 beside schedules: ${p99(beside.own).toFixed(0)} ms, quiet: ${p99(quiet.own).toFixed(0)} ms`)
  return { quiet, beside, due, started, wrong: started - runs, lastStartSeconds, mostInProgress }
}

const unsettled = async ({ sql }: Subject): Promise<number> => {
  const [row] = await sql.query<{ rows: number }>(
    `select count(*)::integer as rows from schedule_firings where status in ('due', 'queued')`,
  )
  return row?.rows ?? 0
}

const settledSince = async ({ sql }: Subject, date: Date): Promise<number> => {
  const [row] = await sql.query<{ rows: number }>(
    'select count(*)::integer as rows from schedule_firings where date = $1',
    [date],
  )
  return row?.rows ?? 0
}

const watchInProgress = ({ own, sql }: Subject): { stop(): Promise<number> } => {
  let most = 0
  let isStopped = false
  const watching = (async () => {
    while (!isStopped) {
      const [row] = await sql.query<{ runs: number }>(
        `select count(*)::integer as runs from run_heads where org_id = $1 and status not in ('queued', 'requires_action')`,
        [own.id],
      )
      most = Math.max(most, row?.runs ?? 0)
      await sleep(200)
    }
  })()
  return {
    stop: async () => {
      isStopped = true
      await watching
      return most
    },
  }
}

const inParallel = async <Answer>(count: number, ask: (n: number) => Promise<Answer>): Promise<Answer[]> => {
  const answers: Answer[] = []
  let next = 0
  const worker = async (): Promise<void> => {
    for (let n = next++; n < count; n = next++) answers[n] = await ask(n)
  }
  await Promise.all(Array.from({ length: asksAtOnce }, worker))
  return answers
}
