import { systemClock } from '@ars/platform/clock'
import { createIdMaker, toUuid, uuidFloor } from '@ars/platform/id'
import { openPlantedWorld, type PlantedWorld } from './planted-world.ts'
import { relayEvents } from './relay-events.ts'

const newId = createIdMaker(systemClock)

/** A database with ended runs, inserted without the service, for tests of their figures. */
export type UsageWorld = PlantedWorld & {
  /** An API key; returns its UUID. `first`: the first key of the pair that it belongs to. */
  newKey(org: string, name: string, first?: string): Promise<string>
  /** Runs that have ended. Their events have no position yet. */
  endRuns(org: string, runs: readonly PlantedEnd[]): Promise<void>
  /** The event of a test of a webhook: a sample of an end. */
  testEndpoint(org: string, at: Date): Promise<void>
  /** Assigns positions, as a worker does. */
  relay(): Promise<void>
}

export type PlantedEnd = {
  agent: string
  finishedAt: Date
  status?: 'completed' | 'failed' | 'cancelled'
  version?: number
  key?: string | null
  user?: string
  latencyMs?: number
  waitingMs?: number
  /** Null: it never started. */
  queueMs?: number | null
  tokens?: [number, number]
  costUsd?: number | null
  errorCode?: string
}

export const openUsageWorld = async (): Promise<UsageWorld> => {
  const planted = await openPlantedWorld(['runs', 'run_results', 'events'])
  const { sql, system } = planted
  return {
    ...planted,
    newKey: async (org, name, first) => {
      const id = toUuid(newId('key'))
      await sql(
        `insert into api_keys (id, org_id, name, hash, prefix, hint, scopes, bucket_id)
         values ($1::uuid, $2, $3, sha256($1::uuid::text::bytea), 'a', 'a', '{}', $4)`,
        [id, org, name, first],
      )
      return id
    },
    endRuns: async (org, runs) => {
      await sql(plantEnds, [org, JSON.stringify(runs.map(rowOf))])
    },
    testEndpoint: async (org, at) => {
      await sql(
        `insert into events (id, org_id, type, subject_id, data, created_at, webhook_id)
         values ($1, $2, 'run.completed', gen_random_uuid(), '{}', $3, gen_random_uuid())`,
        [idAt(at), org, at],
      )
    },
    relay: async () => {
      while ((await relayEvents(system))?.length);
    },
  }
}

const rowOf = ({ finishedAt, latencyMs = 100, waitingMs = 0, queueMs = 5, ...run }: PlantedEnd) => {
  const createdAt = new Date(finishedAt.getTime() - latencyMs - waitingMs)
  return {
    id: idAt(createdAt),
    event_id: idAt(finishedAt),
    agent_id: run.agent,
    agent_version: run.version ?? 1,
    created_by: run.user ?? run.key ?? somePerson,
    created_by_type: run.key && !run.user ? 'key' : 'user',
    status: run.status ?? 'completed',
    error: run.status === 'failed' ? { code: run.errorCode ?? 'model_error', message: 'x' } : null,
    input_tokens: run.tokens?.[0] ?? 0,
    output_tokens: run.tokens?.[1] ?? 0,
    cost_usd: run.costUsd === undefined ? 0 : run.costUsd,
    waiting_ms: waitingMs,
    created_at: createdAt,
    started_at: queueMs === null ? null : new Date(createdAt.getTime() + queueMs),
    finished_at: finishedAt,
  }
}

const somePerson = toUuid(newId('usr'))

const idAt = (at: Date): string => `${uuidFloor(at).slice(0, 13)}-7${toUuid(newId('run')).slice(15)}`

const plantEnds = `with asked as (
    select id, event_id, agent_id, agent_version, created_by, created_by_type, status, error, input_tokens, output_tokens, cost_usd,
           waiting_ms, created_at, started_at, finished_at
      from json_to_recordset($2::json) as r (id uuid, event_id uuid, agent_id uuid, agent_version integer, created_by uuid,
      created_by_type text, status text, error json, input_tokens bigint, output_tokens bigint, cost_usd numeric, waiting_ms bigint,
      created_at timestamptz, started_at timestamptz, finished_at timestamptz)
  ), run as (
    insert into runs (input_bytes, id, org_id, agent_id, agent_version, input, timeout_seconds, created_at, created_by, created_by_type)
    select 2, id, $1, agent_id, agent_version, '{}', 600, created_at, created_by, created_by_type from asked
  ), result as (
    insert into run_results (stored_bytes, run_id, org_id, agent_id, status, error, input_tokens, output_tokens, cost_usd, waiting_ms, last_seq,
           started_at, finished_at)
    select 0, id, $1, agent_id, status, error, input_tokens, output_tokens, cost_usd, waiting_ms, 4, started_at, finished_at from asked
  )
  insert into events (id, org_id, type, subject_id, created_at) select event_id, $1, 'run.' || status, id, finished_at from asked`
