import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

/** Writes events as the end of a run does: a row whose subject is a run that has ended. The relay finds them. */
export type Feeder = {
  /** As much as is sent, but never far ahead: what waits is filled up to a mark, again and again. */
  keepFull(): Stretch
  /** At this rate per second, independent of their outcome. */
  atRate(perSecond: number): Stretch
  /** Until nothing waits. */
  drained(): Promise<void>
  query<Row extends pg.QueryResultRow>(text: string, values?: readonly unknown[]): Promise<Row[]>
  close(): Promise<void>
}

export type Stretch = {
  /** How many events it has made. */
  stop(): Promise<number>
}

const runsEach = 500
const maxWaiting = 2000
const fillEveryMs = 100
const arriveEveryMs = 20
const maxDrainMs = 120_000

/** As superuser, because no role of the service may write for several organisations. */
export const openFeeder = async (superuserUrl: string): Promise<Feeder> => {
  const pool = new pg.Pool({ connectionString: superuserUrl, max: 2 })
  const query: Feeder['query'] = async <Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []) =>
    (await pool.query<Row>(text, [...values])).rows
  await query(makeRuns, [runsEach])
  const runs = (await query<{ id: string }>('select id from runs')).map(({ id }) => id)

  let at = 0
  const make = async (count: number): Promise<number> => {
    const subjects = Array.from({ length: count }, () => runs[at++ % runs.length])
    await query(makeEvents, [subjects])
    return count
  }
  const waiting = async (): Promise<number> => {
    const [row] = await query<{ waiting: number }>(countWaiting)
    return row?.waiting ?? 0
  }
  const stretch = (
    everyMs: number,
    missing: (elapsedMs: number, made: number) => Promise<number> | number,
  ): Stretch => {
    const begun = performance.now()
    let isOver = false
    const work = async (): Promise<number> => {
      let made = 0
      while (!isOver) {
        const count = await missing(performance.now() - begun, made)
        if (count > 0) made += await make(count)
        await sleep(everyMs)
      }
      return made
    }
    const working = work()
    return {
      stop: () => {
        isOver = true
        return working
      },
    }
  }
  return {
    query,
    keepFull: () => stretch(fillEveryMs, async () => maxWaiting - (await waiting())),
    atRate: (perSecond) => stretch(arriveEveryMs, (ms, made) => Math.floor((ms * perSecond) / 1000) - made),
    drained: async () => {
      const deadline = performance.now() + maxDrainMs
      while ((await waiting()) > 0) {
        if (performance.now() > deadline) throw new Error('the deliveries do not finish')
        await sleep(100)
      }
    },
    close: () => pool.end(),
  }
}

// One organisation after the other, so that neighbours in the order are of different ones. Each has one agent: figures of usage
// are kept by agent, and an agent for each run would cost more than the deliveries.
const makeRuns = `with agent as materialized (
    select org_id, new_uuid() as agent_id from (select distinct org_id from webhooks) w
  ), made as materialized (
    select new_uuid() as id, org_id, agent_id, n from generate_series(1, $1::integer) n cross join agent
  ), run as (
    insert into runs (input_bytes, created_by, created_by_type, id, org_id, agent_id, agent_version, input, timeout_seconds)
    select 2, '01890a5d-ac96-774b-bcce-b302099a80ff'::uuid, 'key', id, org_id, agent_id, 1,
           json_build_object('query', 'Which of our suppliers can deliver ' || n || ' units to Rotterdam this month?'), 600
      from made
  )
  insert into run_results (last_seq, stored_bytes, run_id, org_id, agent_id, status, output, input_tokens, output_tokens, cost_usd, started_at, finished_at)
  select 1, 0, id, org_id, agent_id, 'completed', json_build_object('result', 'Three of them can deliver ' || n || ' units in time.'),
         40, 12, 0.0001, app_now(), app_now() + interval '2 seconds'
    from made`

const makeEvents = `insert into events (id, org_id, type, subject_id)
  select new_uuid(), r.org_id, 'run.completed', r.id from unnest($1::uuid[]) as s (id) join runs r on r.id = s.id`

const countWaiting = `select ((select coalesce(sum(waiting), 0) from webhook_lanes)
  + (select count(*) from events where position is null))::integer as waiting`
