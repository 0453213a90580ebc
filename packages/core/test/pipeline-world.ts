import { systemClock } from '@ars/platform/clock'
import { type Database, openDatabase, type Tx } from '@ars/platform/db/database'
import type { Statement } from '@ars/platform/db/statement'
import { createIdMaker, fromUuid, toUuid } from '@ars/platform/id'
import { workDue } from '@ars/platform/work/due-work.fixture'
import { moveDatabaseClock } from '@ars/testkit/clock'
import { assignPositions } from '../src/events/index.ts'
import type { PipelineDefinition } from '../src/pipelines/definition.ts'
import { type AdvanceDeps, createPipelineQueue } from '../src/pipelines/run/advance.service.ts'
import { simpleExpressions } from '../src/pipelines/run/run-expressions.fixture.ts'
import type { ItemStart, StartPipelineItem } from '../src/pipelines/run/start.service.ts'
import { wakePipelineRuns } from '../src/pipelines/run/wake.store.ts'
import { acceptRuns } from '../src/runs/accept/accept.store.ts'
import { cancelRun } from '../src/runs/control/cancel.store.ts'
import { askedRun } from './asked-run.ts'
import { openPlantedWorld, type PlantedWorld } from './planted-world.ts'
import { plantTenant } from './run-gateway.ts'
import { unguardedTexts } from './unguarded-texts.ts'

const newId = createIdMaker(systemClock)

/** How a run ends in a test. */
export type RunOutcome = { output: Record<string, unknown> } | { code: string } | 'cancelled' | 'goes on'

export type ActiveRun = { run_id: string; step: string; item: number; attempt: number; input: Record<string, unknown> }

export type PlantedPipelineRun = { org: string; agentId: string; id: string }

export type ItemRow = {
  step: string
  item: number
  attempt: number
  state: string
  code: string | null
  run_id: string | null
  outcome: string | null
}

/** A database with pipeline runs whose runs end as the test says. Runs are accepted and cancelled by the real statements. */
export type PipelineWorld = PlantedWorld & {
  /** `definition`: the agent is filled in. */
  newRun(definition: Planned, options?: NewRunOptions): Promise<PlantedPipelineRun>
  deps(over?: Partial<AdvanceDeps>): AdvanceDeps
  /** Advances until nothing is due. */
  advance(over?: Partial<AdvanceDeps>): Promise<void>
  /** Ends the active runs of pipelines, and wakes their pipeline runs. Answers how many ended. */
  endRuns(outcomeOf?: (run: ActiveRun) => RunOutcome): Promise<number>
  /** Advances and ends runs, until nothing moves. */
  finish(outcomeOf?: (run: ActiveRun) => RunOutcome): Promise<void>
  wake(): Promise<number>
  moveClock(ms: number): Promise<unknown>
  itemsOf(id: string): Promise<ItemRow[]>
  stepsOf(id: string): Promise<Record<string, string | null>>
  rowOf(
    id: string,
  ): Promise<{ status: string | null; output: unknown; error: { code: string; step: string | null } | null }>
  eventsOf(id: string): Promise<number>
  runsOf(id: string): Promise<number>
  startRun: StartPipelineItem
}

export type Planned = Omit<PipelineDefinition, 'steps'> & { steps: readonly Record<string, unknown>[] }
type NewRunOptions = { org?: { org: string; agentId: string }; input?: unknown; timeoutSeconds?: number }

export const openPipelineWorld = async (): Promise<PipelineWorld> => {
  const planted = await openPlantedWorld([])
  const { app, system, log, database } = planted
  const superuser = openDatabase({
    ...{ url: database.superuserUrl, name: 'test-superuser', size: 2, acquireTimeoutMs: 30_000, log },
  })
  const sql = <Row>(text: string, values: unknown[] = []): Promise<Row[]> => superuser.once<Row>(null, { text, values })

  const accept = async (db: Database, org: string, start: ItemStart) => {
    const run = askedRun(toUuid(start.agentId as `ag_${string}`), { input: start.input, pipelineItem: start.item })
    const { verdicts } = await acceptRuns(db, org, [run], { relayAfterMs: 0, cellSlots: 1_000 })
    const [verdict] = verdicts
    if (verdict?.kind === 'accepted') return { kind: 'accepted', runId: run.id } as const
    if (verdict?.kind === 'item_taken') return { kind: 'taken' } as const
    return { kind: 'refused', code: verdict?.kind ?? 'internal' } as const
  }

  const deps = (over: Partial<AdvanceDeps> = {}): AdvanceDeps => {
    const db = over.app ?? app
    return {
      system,
      expressions: simpleExpressions,
      startRun: (org, start) => accept(db, org, start),
      cancelRun: async (org, runId) => {
        await cancelRun(db, org, { run: runId, eventId: toUuid(newId('evt')), graceMs: 0 })
      },
      texts: unguardedTexts,
      onChanged: () => undefined,
      metrics: { onPipelineRunEnded: () => undefined },
      newId,
      ...over,
      app: db,
    }
  }

  const advance = async (over?: Partial<AdvanceDeps>): Promise<void> => {
    await workDue(createPipelineQueue(deps(over)))
  }

  const wake = async (): Promise<number> => {
    let woken = 0
    await assignPositions(system, [
      async (tx, batch) => {
        woken += (await wakePipelineRuns(tx, batch)).woken
        return undefined
      },
    ])
    return woken
  }

  const endRuns: PipelineWorld['endRuns'] = async (outcomeOf = () => ({ output: {} })) => {
    const active = await sql<ActiveRun>(
      `select h.run_id, i.step, i.item, i.attempt, r.input from run_heads h join runs r on r.id = h.run_id
         join pipeline_items i on i.run_id = h.run_id order by h.run_id`,
    )
    const ends = active.flatMap((run) => {
      const outcome = outcomeOf(run)
      if (outcome === 'goes on') return []
      const base = { run_id: run.run_id, event_id: toUuid(newId('evt')) }
      if (outcome === 'cancelled') return [{ ...base, status: 'cancelled' }]
      if ('code' in outcome) return [{ ...base, status: 'failed', error: { code: outcome.code, message: 'As asked' } }]
      return [{ ...base, status: 'completed', output: outcome.output }]
    })
    await sql(endAll, [JSON.stringify(ends)])
    await wake()
    return ends.length
  }

  return {
    ...planted,
    sql,
    close: async () => {
      await superuser.close()
      await planted.close()
    },
    deps,
    advance,
    wake,
    endRuns,
    startRun: (org, start) => accept(app, org, start),
    newRun: async (definition, { org: given, input = {}, timeoutSeconds = 86_400 } = {}) => {
      const { org, agentId } = given ?? (await plantTenant(database, { calls: 1_000_000 }))
      const [pipeline, id] = [toUuid(newId('pl')), toUuid(newId('plr'))]
      const steps = definition.steps.map((step) => ('approval' in step ? step : { agent_id: agentId, ...step }))
      await sql(plantRun, [
        ...[pipeline, org, JSON.stringify({ ...definition, steps }), id],
        ...[JSON.stringify(input), timeoutSeconds],
      ])
      return { org, agentId, id }
    },
    finish: async (outcomeOf) => {
      do await advance()
      while ((await endRuns(outcomeOf)) > 0)
    },
    moveClock: (ms) => moveDatabaseClock(database.ownerUrl, ms),
    itemsOf: (id) =>
      sql(
        `select step, item, attempt, state, code, run_id, outcome from pipeline_items where pipeline_run_id = $1
          order by step, item, attempt`,
        [id],
      ),
    stepsOf: async (id) => {
      const rows = await sql<{ key: string; outcome: string | null }>(
        'select key, outcome from pipeline_steps where pipeline_run_id = $1 order by key',
        [id],
      )
      return Object.fromEntries(rows.map(({ key, outcome }) => [key, outcome]))
    },
    rowOf: async (id) => {
      const [row] = await sql<Awaited<ReturnType<PipelineWorld['rowOf']>>>(
        'select status, output, error from pipeline_runs where id = $1',
        [id],
      )
      if (!row) throw new Error(`No pipeline run ${fromUuid('plr', id)}`)
      return row
    },
    eventsOf: async (id) => (await sql('select id from events where subject_id = $1', [id])).length,
    runsOf: async (id) => (await sql('select id from runs where pipeline_run_id = $1', [id])).length,
  }
}

/** A database whose statements are counted, and that can break after one of them. */
export const watched = (db: Database, { dieAfter = Number.POSITIVE_INFINITY } = {}) => {
  const counts = { statements: 0, rows: 0 }
  const count = (rows: number, statements = 1): void => {
    counts.rows += rows
    counts.statements += statements
    if (counts.statements >= dieAfter) throw new Error('The worker has died')
  }
  const alive = (): void => {
    if (counts.statements >= dieAfter) throw new Error('The worker has died')
  }
  const over: Pick<Database, 'once' | 'batch' | 'transaction'> = {
    once: async <Row>(org: string | null, each: Statement<Row>) => {
      alive()
      const rows = await db.once(org, each)
      count(rows.length)
      return rows
    },
    batch: (async (org: string | null, statements: readonly Statement[]) => {
      alive()
      const results = await db.batch(org, statements)
      count(results.flat().length, statements.length)
      return results
    }) as Database['batch'],
    transaction: async (org, work) => {
      alive()
      const result = await db.transaction(org, (tx) => {
        const counted: Tx = {
          query: async (each) => {
            const rows = await tx.query(each)
            count(rows.length)
            return rows
          },
        }
        return work(counted)
      })
      // After the commit.
      count(0)
      return result
    },
  }
  return { db: { ...db, ...over }, counts }
}

const plantRun = `with pipeline as (
    insert into pipelines (id, org_id, name) values ($1, $2, 'Test')
  ), version as (
    insert into pipeline_versions (pipeline_id, version, org_id, name, definition, created_by_type)
    values ($1, 1, $2, 'Test', $3, 'operator')
  ), run as (
    insert into pipeline_runs (id, org_id, pipeline_id, pipeline_version, input, timeout_seconds, created_by, created_by_type, stored_bytes)
    values ($4, $2, $1, 1, $5::json, $6, $1, 'key', octet_length(($5::json)::text))
  )
  insert into pipeline_heads (pipeline_run_id, org_id, pipeline_id, deadline_at)
  values ($4, $2, $1, app_now() + make_interval(secs => $6::integer))`

const endAll = `with asked as (
    select run_id, event_id, status, output, error
      from json_to_recordset($1::json) as n (run_id uuid, event_id uuid, status text, output json, error json)
  ), head as (
    delete from run_heads h using asked n where h.run_id = n.run_id returning h.run_id, h.org_id, h.agent_id, n.event_id, n.status, n.output, n.error
  ), result as (
    insert into run_results (stored_bytes, run_id, org_id, agent_id, status, output, error, input_tokens, output_tokens, cost_usd, last_seq, finished_at)
    select 0, run_id, org_id, agent_id, status, output, error, 2, 1, 0.5, 2, app_now() from head
  )
  insert into events (id, org_id, type, subject_id) select event_id, org_id, 'run.' || status, run_id from head`
