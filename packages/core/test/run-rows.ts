import { systemClock } from '@ars/platform/clock'
import { createIdMaker, toUuid } from '@ars/platform/id'
import { asClient } from '@ars/testkit/client'
import type { TestDatabase } from '@ars/testkit/database'

const newId = createIdMaker(systemClock)

/** Of the claim that the runs of `start` have. */
export const startedClaimId = '00000000-0000-4000-8000-000000000001'

/** Runs as rows, inserted without the service, for tests that read and stream them. */
export type RunRows = {
  org: string
  /** A run in its first step: numbers 1 to 3 of its feed. */
  start(): Promise<string>
  tell(run: string, type: string, data?: unknown): Promise<number>
  move(run: string, change: 'take_over' | 'cancel' | 'park'): Promise<void>
  finish(run: string, output: unknown): Promise<void>
  /** The frames after this number are lost, as in a fail-over to a standby that did not receive the last commits. */
  lose(run: string, after: number): Promise<void>
  erase(run: string, table: 'run_deltas' | 'run_events'): Promise<void>
  /** The streamed text as stored, delta by delta. */
  deltas(run: string): Promise<{ seq: number; data: { step: number; delta: string } }[]>
}

export const runRows = (database: TestDatabase, org = toUuid(newId('org'))): RunRows => {
  const ask = <Row>(text: string, values: unknown[]): Promise<Row[]> =>
    asClient(database.superuserUrl, async (client) => (await client.query(text, values)).rows as Row[])
  const tell = async (run: string, type: string, data: unknown = null): Promise<number> => {
    const [row] = await ask<{ seq: number }>(
      `with head as (update run_heads set seq = seq + 1 where run_id = $1 returning org_id, seq)
       insert into run_events (run_id, seq, org_id, type, data)
       select $1, seq, org_id, $2, $3 from head returning seq`,
      [run, type, data === null ? null : JSON.stringify(data)],
    )
    return row?.seq ?? 0
  }
  const changes = {
    take_over: 'attempt = attempt + 1',
    cancel: "status = 'cancelling'",
    park: "status = 'requires_action'",
  }
  return {
    org,
    tell,
    start: async () => {
      const run = toUuid(newId('run'))
      await ask(
        `with run as (
           insert into runs (input_bytes, created_by, created_by_type, id, org_id, agent_id, agent_version, input, timeout_seconds) values (2, '01890a5d-ac96-774b-bcce-b302099a80ff'::uuid, 'key', $1, $2, $3, 1, '{}', 600)
         ), head as (
           insert into run_heads (run_id, org_id, agent_id, status, attempt, claim_id, seq, created_at, started_at, progress_at, deadline_at)
           values ($1, $2, $3, 'running', 1, $4, 3, app_now(), app_now(), app_now(), app_now() + interval '1 hour')
         )
         insert into run_events (run_id, seq, org_id, type, data)
         values ($1, 1, $2, 'run.created', null), ($1, 2, $2, 'run.started', null), ($1, 3, $2, 'run.step.started', '{"step":1}')`,
        [run, org, toUuid(newId('ag')), startedClaimId],
      )
      return run
    },
    move: async (run, change) => {
      await ask(`update run_heads set ${changes[change]} where run_id = $1`, [run])
    },
    finish: async (run, output) => {
      await ask(
        `with head as (
           delete from run_heads where run_id = $1 returning org_id, agent_id, seq + 1 as seq, started_at
         ), result as (
           insert into run_results (stored_bytes, run_id, org_id, agent_id, status, output, input_tokens, output_tokens, last_seq, started_at, finished_at)
           select 0, $1, org_id, agent_id, 'completed', $2, 0, 0, seq, started_at, app_now() from head
         )
         insert into run_events (run_id, seq, org_id, type) select $1, seq, org_id, 'run.completed' from head`,
        [run, JSON.stringify(output)],
      )
    },
    lose: async (run, after) => {
      await ask('update run_heads set seq = $2 where run_id = $1', [run, after])
      await ask('delete from run_events where run_id = $1 and seq > $2', [run, after])
      await ask('delete from run_deltas where run_id = $1 and seq > $2', [run, after])
    },
    erase: async (run, table) => {
      await ask(`delete from ${table} where run_id = $1`, [run])
    },
    deltas: (run) => ask('select seq, data from run_deltas where run_id = $1 order by seq', [run]),
  }
}
