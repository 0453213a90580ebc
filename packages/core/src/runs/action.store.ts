import type { Tx } from '@ars/platform/db/database'
import { statement } from '@ars/platform/db/statement'
import type { KnownAction } from './action.ts'
import { ranks, sharesOf } from './queue.ts'
import type { Segment } from './segment.ts'

/** The head of a run, locked: nothing of the run moves until the transaction is over. Null: it has ended, or never was. */
export type LockedHead = { status: string; actions: number; messages: number }

export const lockHead = async (tx: Tx, org: string, run: string): Promise<LockedHead | null> => {
  const [row] = await tx.query<LockedHead>(lock(org, run))
  return row ?? null
}

export const listActions = (tx: Tx, org: string, run: string): Promise<KnownAction[]> =>
  tx.query<KnownAction>(list(org, run))

/** Who decided or said something. */
export type Author = { type: 'key' | 'user'; uuid: string }

export const resolveAction = async (
  tx: Tx,
  org: string,
  decision: { run: string; action: string; resolution: string; payload: unknown; comment: string | null; by: Author },
): Promise<void> => {
  const { run, action, resolution, payload, comment, by } = decision
  await tx.query(resolve(org, run, action, resolution, JSON.stringify(payload ?? null), comment, by.uuid, by.type))
  await tx.query(count(org, run))
}

export const addMessage = async (
  tx: Tx,
  org: string,
  { run, text, by }: { run: string; text: string; by: Author },
): Promise<void> => {
  await tx.query(addMessageStatement(org, run, JSON.stringify(text), by.uuid, by.type))
}

/**
 * Lets a run go on once nothing is open any more: with slots if some are free, else at the head of its organisation's
 * queue, or of its agent's gate. Null: there is still something open.
 */
export const resumeRun = async (
  tx: Tx,
  org: string,
  run: string,
  { relayAfterMs, cellSlots }: { relayAfterMs: number; cellSlots: number },
): Promise<{ segment: Segment; started: boolean; seq: number } | null> => {
  type Row = { epoch: number; segment: number; step: number; started: boolean; seq: number }
  const [row] = await tx.query<Row>(resume(org, run, relayAfterMs, sharesOf(cellSlots).common))
  if (!row) return null
  const { started, seq, ...rest } = row
  return { segment: { org, run, ...rest }, started, seq }
}

const lock = statement(
  'actions.lock_head',
  'select status, actions, messages from run_heads where org_id = $1 and run_id = $2 for update',
)

const list = statement(
  'actions.list',
  `select id, type, message, tool_call, response_schema, expires_at, resolution, payload, comment
     from run_actions where org_id = $1 and run_id = $2 order by id`,
)

const resolve = statement(
  'actions.resolve',
  `update run_actions set resolution = $4, payload = $5::json, comment = $6, resolved_by = $7, resolved_by_type = $8,
          resolved_at = app_now()
    where org_id = $1 and run_id = $2 and id = $3 and resolution is null`,
)

// What is due next is the expiry of what is still open, no longer that of the question which was answered.
const count = statement(
  'actions.count',
  `update run_heads h
      set actions = h.actions + 1,
          deadline_at = coalesce((
            select min(a.expires_at) from run_actions a where a.org_id = $1 and a.run_id = $2 and a.resolution is null
          ), h.deadline_at)
    where h.org_id = $1 and h.run_id = $2`,
)

const addMessageStatement = statement(
  'actions.add_message',
  `with head as (
    update run_heads set messages = messages + 1, actions = actions + 1 where org_id = $1 and run_id = $2 returning messages
  )
  insert into run_messages (run_id, number, org_id, message, sent_by, sent_by_type)
  select $2, messages, $1, $3::json, $4, $5 from head`,
)

const resume = statement(
  'actions.resume',
  `with gate as (
    select from run_heads h join agents a on a.org_id = $1 and a.id = h.agent_id
      join agent_versions v on v.org_id = $1 and v.agent_id = a.id
       and v.version in (coalesce(a.live_version, a.version), a.canary_version)
     where h.org_id = $1 and h.run_id = $2 and v.limits ->> 'max_concurrent_runs' is not null
  ), own_slot as (
    select s.number from org_slots s
     where s.org_id = $1 and s.run_id is null and s.number <= (select concurrent_runs from organisations where id = $1)
       and not exists (select from gate)
     order by s.number limit 1 for update skip locked
  ), cell_place as (
    select number from cell_slots where run_id is null and number <= $4 order by number limit 1 for update skip locked
  ), pair as (
    select o.number as slot, c.number as cell_slot from own_slot o cross join cell_place c
  ), head as (
    update run_heads h
       set status = 'running', segment = h.segment + 1, seq = h.seq + 1, progress_at = app_now(),
           slot = (select slot from pair), cell_slot = (select cell_slot from pair),
           rank = case when exists (select from gate) then ${ranks.resumedAtGate}
                       when not exists (select from pair) then ${ranks.resumed} end,
           deadline_at = app_now() + make_interval(secs => h.remaining_ms::double precision / 1000), remaining_ms = null,
           waiting_ms = h.waiting_ms + (extract(epoch from app_now() - h.waiting_since) * 1000)::bigint,
           waiting_since = null
     where h.org_id = $1 and h.run_id = $2 and h.status = 'requires_action'
       and not exists (select from run_actions a where a.org_id = $1 and a.run_id = $2 and a.resolution is null)
    returning h.run_id, h.epoch, h.segment, h.step + 1 as step, h.seq, h.slot, h.cell_slot
  ), own_taken as (
    update org_slots s set run_id = head.run_id from head where s.org_id = $1 and s.number = head.slot
  ), cell_taken as (
    update cell_slots s set run_id = head.run_id from head where s.number = head.cell_slot
  ), told as (
    insert into run_events (run_id, seq, org_id, type) select run_id, seq, $1, 'run.resumed' from head
  ), ordered as (
    insert into outbox (run_id, epoch, segment, org_id, step, due_at)
    select run_id, epoch, segment, $1, step, app_now() + make_interval(secs => $3::double precision / 1000)
      from head where slot is not null
  )
  select epoch, segment, step, seq, slot is not null as started from head`,
)
