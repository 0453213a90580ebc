import type { Database, Tx } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import type { RunShare, ShareRow } from './run-share.ts'

// crosses organisations: the token of a link is looked up before its organisation is known, together with the key or the
// membership that it ends with.
export const findShareByHash = async (db: Database, hash: Buffer): Promise<ShareRow | null> => {
  const [row] = await db.once(null, findByHash({ hash }))
  return row ?? null
}

export type NewShare = {
  id: string
  runId: string
  hash: Buffer
  seconds: number
  /** The key, or the person whose membership the link ends with. */
  maker: { type: 'key' | 'user'; id: string }
}

/** Null: the key is no longer valid, or the person is no longer a member. */
export const insertShare = async (tx: Tx, org: string, share: NewShare): Promise<RunShare | null> => {
  const { id, runId, hash, seconds, maker } = share
  const add = maker.type === 'key' ? addOfKey : addOfMember
  const [row] = await tx.query(add({ org, id, runId, hash, lifetimeSeconds: seconds, makerId: maker.id }))
  return row ?? null
}

/** Serialises additions to an organisation until the commit, so that the counts stay correct. */
export const lockShares = async (tx: Tx, org: string): Promise<void> => {
  await tx.query(lock({ org }))
}

/** The links that have not expired: of the run, and of the organisation. */
export const countShares = async (tx: Tx, org: string, runId: string): Promise<{ of_run: number; all: number }> => {
  const [row] = await tx.query(count({ org, runId }))
  return row ?? { of_run: 0, all: 0 }
}

type One = { runId: string; id: string }

export const findShare = async (db: Database, org: string, { runId, id }: One): Promise<RunShare | null> => {
  const [row] = await db.once(org, find({ org, runId, id }))
  return row ?? null
}

/** Newest first. With `before` the order is oldest first, and the caller reverses it. */
export const listShares = (
  db: Database,
  org: string,
  { runId, after, before, limit }: { runId: string; after: string | null; before: string | null; limit: number },
): Promise<RunShare[]> =>
  before === null
    ? db.once(org, listOlder({ org, runId, after, limit }))
    : db.once(org, listNewer({ org, runId, before, limit }))

/** Null: there is no such link, or it has expired. */
export const deleteShare = async (tx: Tx, org: string, { runId, id }: One): Promise<RunShare | null> => {
  const [row] = await tx.query(remove({ org, runId, id }))
  return row ?? null
}

/** All links to a run. Answers how many there were. */
export const deleteSharesOfRun = async (tx: Tx, org: string, runId: string): Promise<number> =>
  (await tx.query(removeOfRun({ org, runId }))).length

const columns = `id, run_id, created_by, case when key_id is null then 'user' else 'key' end as created_by_type, created_at, expires_at`

type NewShareRow = { org: Uuid; id: Uuid; runId: Uuid; hash: Buffer; lifetimeSeconds: number; makerId: Uuid }

const addOfKey = statement<NewShareRow, RunShare>(
  'run_shares.add_of_key',
  sql`insert into run_shares (org_id, id, run_id, key_id, created_by, hash, expires_at)
   select k.org_id, :id, :runId, k.id, k.id, :hash,
          least(app_now() + :lifetimeSeconds::integer * interval '1 second', k.expires_at, k.grace_until)
     from api_keys k
    where k.org_id = :org and k.id = :makerId and k.revoked_at is null and (k.expires_at is null or k.expires_at > app_now())
      and (k.grace_until is null or k.grace_until > app_now())
   returning ${columns}`,
)

const addOfMember = statement<NewShareRow, RunShare>(
  'run_shares.add_of_member',
  sql`insert into run_shares (org_id, id, run_id, member_id, created_by, hash, expires_at)
   select m.org_id, :id, :runId, m.id, m.user_id, :hash, app_now() + :lifetimeSeconds::integer * interval '1 second'
     from members m
    where m.org_id = :org and m.user_id = :makerId
   returning ${columns}`,
)

const lock = statement<{ org: Uuid }>(
  'run_shares.turn',
  sql`select pg_advisory_xact_lock(hashtextextended('run_shares ' || :org::text, 0)) is null`,
)

const count = statement<{ org: Uuid; runId: Uuid }, { of_run: number; all: number }>(
  'run_shares.count',
  sql`select count(*) filter (where run_id = :runId)::integer as of_run, count(*)::integer as "all"
     from run_shares where org_id = :org and expires_at > app_now()`,
)

const find = statement<{ org: Uuid; runId: Uuid; id: Uuid }, RunShare>(
  'run_shares.find',
  sql`select ${columns} from run_shares where org_id = :org and run_id = :runId and id = :id and expires_at > app_now()`,
)

const listOlder = statement<{ org: Uuid; runId: Uuid; after: Uuid | null; limit: number }, RunShare>(
  'run_shares.list_older',
  sql`select ${columns} from run_shares
    where org_id = :org and run_id = :runId and (:after::uuid is null or id < :after) and expires_at > app_now()
    order by id desc limit :limit`,
)

const listNewer = statement<{ org: Uuid; runId: Uuid; before: Uuid; limit: number }, RunShare>(
  'run_shares.list_newer',
  sql`select ${columns} from run_shares
    where org_id = :org and run_id = :runId and id > :before and expires_at > app_now() order by id limit :limit`,
)

const remove = statement<{ org: Uuid; runId: Uuid; id: Uuid }, RunShare>(
  'run_shares.remove',
  sql`delete from run_shares where org_id = :org and run_id = :runId and id = :id and expires_at > app_now() returning ${columns}`,
)

const removeOfRun = statement<{ org: Uuid; runId: Uuid }>(
  'run_shares.remove_of_run',
  sql`delete from run_shares where org_id = :org and run_id = :runId returning id`,
)

const findByHash = statement<{ hash: Buffer }, ShareRow>(
  'run_shares.find_by_hash',
  sql`select s.id, s.org_id, s.run_id, o.requests_per_minute, o.burst, o.policy_set_id,
          k.id as key_id, k.kind, k.scopes as key_scopes, k.agent_ids, m.user_id, m.role,
          (extract(epoch from least(s.expires_at, k.expires_at, k.grace_until) - app_now()) * 1000)::float8 as lives_ms
     from run_shares s
     join organisations o on o.id = s.org_id
     left join api_keys k on k.id = s.key_id and k.org_id = s.org_id
     left join members m on m.id = s.member_id and m.org_id = s.org_id
    where s.hash = :hash and s.expires_at > app_now()
      and case when s.key_id is not null then k.id is not null and k.revoked_at is null
            and (k.expires_at is null or k.expires_at > app_now())
            and (k.grace_until is null or k.grace_until > app_now())
          else m.id is not null end`,
)
