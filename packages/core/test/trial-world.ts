import { type Clock, systemClock } from '@ars/platform/clock'
import type { Database } from '@ars/platform/db/database'
import { createIdMaker, toUuid, uuidFloor } from '@ars/platform/id'
import { workDue } from '@ars/platform/work/due-work.fixture'
import type { ClaimedItem, TurnEnd, WorkQueue } from '@ars/platform/work/queue'
import type { Rule } from '../src/guardrails/rule.ts'
import type { TrialChecks } from '../src/guardrails/trial/trial-judge.service.ts'
import { createTrialQueue, type TrialBudgets } from '../src/guardrails/trial/trial-queue.service.ts'
import { createPastRuns } from '../src/runs/index.ts'
import type { PastStep, StepContent } from '../src/steps/index.ts'
import { countEndedRuns } from '../src/usage/index.ts'
import { checksWithoutThreads } from './content-checks.ts'
import { openPlantedWorld, type PlantedWorld } from './planted-world.ts'

const newId = createIdMaker(systemClock)

/** A database with ended runs and policies, inserted without the service, for tests of trials. */
export type TrialWorld = PlantedWorld & {
  /** A policy that nothing is attached to. Returns its UUID. */
  newPolicy(org: string, rules: readonly Rule[]): Promise<string>
  /** Runs that have ended, in order. Returns their UUIDs. */
  endRuns(org: string, runs: readonly PlantedRun[]): Promise<string[]>
  queue(over?: TrialOver): WorkQueue<ClaimedItem>
  /** Works on what is due, with a database that may fail. */
  sweep(over?: TrialOver): Promise<TurnEnd[]>
  /** Everything that has not ended is due, and nobody holds it. */
  makeDue(): Promise<void>
  /** A hash of all rows of all tables of runs. */
  hashOfRuns(): Promise<string>
}

type TrialOver = {
  app?: Database
  clock?: Clock
  checks?: Partial<TrialChecks>
  budgets?: TrialBudgets
  pause?: (ms: number) => Promise<void>
}

export type PlantedRun = {
  agent?: string
  agoSeconds?: number
  input?: unknown
  output?: unknown
  steps?: readonly { kind: PastStep['kind']; content: StepContent; costUsd?: number }[]
}

export const openTrialWorld = async (): Promise<TrialWorld> => {
  const planted = await openPlantedWorld(['runs', 'run_results', 'run_steps'])
  const { app, system, sql } = planted
  const queue = (over: TrialOver = {}) =>
    createTrialQueue({
      system,
      app: over.app ?? app,
      checks: { ...deterministic, ...over.checks },
      pastRuns: createPastRuns({ app: over.app ?? app }),
      countEnded: (org, period) => countEndedRuns(app, org, period),
      retentionDays: 30,
      budgets: over.budgets ?? { charge: async () => undefined, isUsedUp: async () => false },
      clock: over.clock ?? systemClock,
      pause: over.pause ?? (() => Promise.resolve()),
    })
  return {
    ...planted,
    newPolicy: async (org, rules) => {
      const id = toUuid(newId('pol'))
      await sql(plantPolicy, [id, org, JSON.stringify(rules)])
      return id
    },
    endRuns: async (org, runs) => {
      const agent = toUuid(newId('ag'))
      const rows = runs.map((run) => rowOf(run, agent))
      await sql(plantRuns, [org, JSON.stringify(rows)])
      return rows.map(({ id }) => id)
    },
    queue,
    sweep: (over) => workDue(queue(over)),
    makeDue: async () => {
      await sql('update policy_trials set due_at = app_now(), held_until = null where due_at is not null')
    },
    hashOfRuns: async () => {
      const tables = await sql<{ name: string }>(
        `select relname as name from pg_class
          where relkind in ('r', 'p') and not relispartition and (relname = 'runs' or relname like 'run\\_%') order by 1`,
      )
      const hashes = await Promise.all(
        tables.map(({ name }) =>
          sql<{ hash: string }>(`select md5(string_agg(t::text, ',' order by t::text)) as hash from ${name} t`),
        ),
      )
      return JSON.stringify(tables.map(({ name }, at) => [name, hashes[at]?.[0]?.hash]))
    },
  }
}

const deterministic: TrialChecks = {
  clock: systemClock,
  checkContent: checksWithoutThreads,
  judgeRemotely: () => Promise.resolve({ kind: 'pass' }),
}

const rowOf = ({ agoSeconds = 60, agent, input = {}, output = {}, steps = [] }: PlantedRun, someAgent: string) => {
  const createdAt = new Date(systemClock.now().getTime() - agoSeconds * 1_000)
  return {
    id: `${uuidFloor(createdAt).slice(0, 13)}-7${toUuid(newId('run')).slice(15)}`,
    agent_id: agent ?? someAgent,
    created_at: createdAt,
    input,
    output,
    steps: steps.map(({ kind, content, costUsd = 0 }, at) => ({
      step: at + 1,
      kind,
      output: content,
      cost_usd: costUsd,
    })),
  }
}

const plantPolicy = `with policy as (
    insert into policies (id, org_id, name, description, mode, version, created_by, created_by_type)
    values ($1, $2, 'Test', '', 'enforce', 1, $1, 'key')
  )
  insert into policy_versions (org_id, policy_id, version, rules, created_by, created_by_type) values ($2, $1, 1, $3, $1, 'key')`

const plantRuns = `with asked as (
    select id, agent_id, created_at, input, output, steps
      from json_to_recordset($2::json) as r (id uuid, agent_id uuid, created_at timestamptz, input json, output json, steps json)
  ), run as (
    insert into runs (input_bytes, created_by, created_by_type, id, org_id, agent_id, agent_version, input, timeout_seconds, created_at)
    select 2, '01890a5d-ac96-774b-bcce-b302099a80ff'::uuid, 'key', id, $1, agent_id, 1, input, 600, created_at from asked
  ), result as (
    insert into run_results (run_id, org_id, agent_id, status, output, input_tokens, output_tokens, last_seq, started_at, finished_at,
           stored_bytes)
    select id, $1, agent_id, 'completed', output, 0, 0, 4, created_at, created_at, octet_length(steps::text) + octet_length(input::text)
      from asked
  )
  insert into run_steps (run_id, step, org_id, epoch, attempt, kind, output, cost_usd, started_at)
  select a.id, s.step, $1, 1, 1, s.kind, s.output, s.cost_usd, a.created_at
    from asked a, json_to_recordset(a.steps) as s (step integer, kind text, output json, cost_usd numeric)`
