import { type Json, sql, statement, type Uuid } from '@ars/platform/db/statement'
import { coreBounds } from './bounds.ts'
import { maxCounted } from './work-wait.ts'

/** Due rows that one claim compares. They are read from an index on `due_at`. */
const comparedRows = coreBounds.dueRowsCompared.count

type ClaimedRow = { org_id: string; id: string; claim: string; tries: number; lag_ms: number; is_more: boolean }

/**
 * The rows that a wake makes due. One that is held belongs to them even if it was woken before: its holder may be storing a later time in a
 * transaction that has not committed, and the lock awaits its end.
 */
export const isAsleep = '(due_at > app_now() or held_until > app_now())'

/** Where the rows of a queue stand, for the operator's view of all queues. */
export type WorkTable = {
  readonly queue: string
  readonly table: string
  readonly where: string
  /** The column that says until when a worker has a row. */
  readonly held: string
}

const tables: WorkTable[] = []

/** For a queue with statements that `workRows` does not make. */
export const addWorkTable = (table: WorkTable): void => {
  tables.push(table)
}

/** Of the modules that are loaded. */
export const listWorkTables = (): readonly WorkTable[] => tables

/**
 * How a row `alias` of a queue stands, as columns of a statement for the people of an organisation. The counts are of the rows of the
 * organisation `:org` that the caller sees: all, or those that are `ofAgents` if its key is narrowed to `:agentIds`. Of the other rows it
 * learns only that they use the share up. Nothing of this depends on the row, so that Postgres computes it once for a page.
 */
export const standingColumns = (
  table: string,
  alias: string,
  { where = 'true', ofAgents, perOrg }: { where?: string; ofAgents: string; perOrg: number },
): string => {
  const count = (condition: string) =>
    `(select count(*)::integer from (select from ${table} where org_id = :org and ${where} and ${condition} limit ${maxCounted}) counted)`
  const isSeen = `(:agentIds::uuid[] is null or ${ofAgents})`
  const isHeld = 'held_until > app_now()'
  return `coalesce(${alias}.held_until > app_now(), false) as is_held, coalesce(${alias}.due_at <= app_now(), false) as is_due, ${alias}.tries,
     ${count(isHeld)} >= ${perOrg} as is_share_used, :agentIds::uuid[] is not null as is_narrowed,
     ${count(`${isHeld} and ${isSeen}`)} as in_work,
     ${count(`due_at <= app_now() and (held_until is null or held_until <= app_now()) and ${isSeen}`)} as due`
}

/**
 * The statements of a work queue. The table has `org_id`, `due_at`, `held_until`, `claim` and `tries`. A row is due from `due_at` on, unless a
 * worker holds it. Whatever wakes a row sets `due_at` and nothing else: the holder works on, and the row is due when it is given back.
 */
export const workRows = (
  table: string,
  { name = table, key = 'id', where = 'true' }: { name?: string; key?: string; where?: string } = {},
) => {
  addWorkTable({ queue: name.replaceAll('_', '-'), table, where, held: 'held_until' })
  const claimDue = statement<
    { count: number; heavyCount: number; perOrg: number; uses: Json; leaseSeconds: number },
    ClaimedRow
  >(
    `${name}.claim_work`,
    sql`with used as materialized (
       select org, places, "usedMs", "isHeavy", "isResting"
         from json_to_recordset(:uses::json) as u (org uuid, places integer, "usedMs" double precision, "isHeavy" boolean, "isResting" boolean)
     ), seen as materialized (
       select ${key} as id, org_id, due_at from ${table}
        where ${where} and due_at <= app_now() and (held_until is null or held_until <= app_now())
          -- Organisations that can get no place now do not hide the others.
          and org_id <> all (array(select org from used where places >= :perOrg::integer or "isResting" or ("isHeavy" and :heavyCount::integer = 0)))
          -- The cell to which an organisation moves works for it.
          and org_id <> all (array(select id from closed_organisations))
        order by due_at limit ${comparedRows}
     ), numbered as (
       select s.id, s.due_at, coalesce(u."isHeavy", false) as is_heavy, coalesce(u."usedMs", 0) as used_ms, coalesce(u.places, 0) as places,
              row_number() over (partition by s.org_id order by s.due_at, s.id) as n
         from seen s left join used u on u.org = s.org_id
     ), ranked as (
       select id, is_heavy, row_number() over (order by is_heavy, n, used_ms, due_at, id) as rank from numbered where n + places <= :perOrg::integer
     ), free as materialized (
       select t.${key} as id, t.due_at from ranked r join ${table} t on t.${key} = r.id
        where r.rank <= case when r.is_heavy then least(:count::integer, :heavyCount::integer) else :count::integer end
          and ${where} and t.due_at <= app_now() and (t.held_until is null or t.held_until <= app_now())
        order by r.rank for update of t skip locked
     )
     update ${table} t
        set held_until = app_now() + make_interval(secs => :leaseSeconds::integer),
            -- If the holder dies, the row is due when its lease has ended.
            due_at = app_now() + make_interval(secs => :leaseSeconds::integer), claim = t.claim + 1
       from free where t.${key} = free.id
     returning t.org_id, t.${key} as id, t.claim::text, t.tries, extract(epoch from app_now() - free.due_at)::double precision * 1000 as lag_ms,
               (select count(*) from seen) > (select count(*) from free) as is_more`,
  )

  const renewLeases = statement<
    { orgs: readonly Uuid[]; ids: readonly Uuid[]; claims: readonly string[]; leaseSeconds: number },
    { id: string }
  >(
    `${name}.renew_work`,
    sql`with held as materialized (
       select t.${key} as id
         from unnest(:orgs::uuid[], :ids::uuid[], :claims::text[]) as h (org, id, claim)
         join ${table} t on t.org_id = h.org and t.${key} = h.id and t.claim = h.claim::bigint and ${where} and t.held_until > app_now()
        order by t.${key} for no key update of t
     )
     update ${table} t
        set held_until = app_now() + make_interval(secs => :leaseSeconds::integer),
            due_at = case when t.due_at <= app_now() then t.due_at else app_now() + make_interval(secs => :leaseSeconds::integer) end
       from held where t.${key} = held.id
     returning t.${key} as id`,
  )

  const giveBack = statement<{ org: Uuid; id: Uuid; claim: string; afterMs: number; tries: number }>(
    `${name}.give_work_back`,
    sql`update ${table}
        set held_until = null, tries = :tries,
            -- A wake since the claim is kept: the row is due at once.
            due_at = case when due_at <= app_now() then due_at else app_now() + make_interval(secs => :afterMs::double precision / 1000) end
      where org_id = :org and ${key} = :id and claim = :claim::bigint and ${where}`,
  )

  return { claimDue, renewLeases, giveBack }
}

export type WorkRows = ReturnType<typeof workRows>
