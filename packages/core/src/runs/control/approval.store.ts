import type { Tx } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import type { ApprovalCase, ApprovalRule, Principal } from './approval.ts'

/** The rule of the run's agent version, and whom the starter and the approver count as. */
export const findApproval = async (
  tx: Tx,
  org: string,
  { run, actor }: { run: string; actor: { type: 'key' | 'user'; uuid: string } },
): Promise<ApprovalCase> => {
  const rows = await tx.query(find({ org, runId: run, actorId: actor.uuid, actorType: actor.type }))
  const principalOf = (who: Row['who']): Principal => {
    const row = rows.find((each) => each.who === who)
    if (!row) throw new Error(`The run has no ${who}`)
    return { type: row.type, id: row.id }
  }
  return {
    rule: rows[0]?.rule ?? null,
    actorType: actor.type,
    approver: principalOf('approver'),
    starter: principalOf('starter'),
  }
}

type Row = { who: 'starter' | 'approver'; type: 'key' | 'user'; id: string; rule: ApprovalRule | null }

const find = statement<{ org: Uuid; runId: Uuid; actorId: Uuid; actorType: string }, Row>(
  'actions.find_approval',
  sql`with recursive run as (
    select r.created_by, r.created_by_type, v.limits -> 'approval' as rule
      from runs r join agent_versions v on v.org_id = :org and v.agent_id = r.agent_id and v.version = r.agent_version
     where r.org_id = :org and r.id = :runId
  ), named as (
    select 'starter' as who, created_by_type as type, created_by as id from run
    union all
    select 'approver', :actorType::text, :actorId::uuid

  -- From a key to its creator, up to a person or to a key of the operator. The bound is far above any real line of keys.
  ), line as (
    select who, type, id, 0 as depth from named
    union all
    select l.who, k.created_by_type, k.created_by, l.depth + 1
      from line l join api_keys k on k.org_id = :org and k.id = l.id
     where l.type = 'key' and k.created_by_type <> 'operator' and l.depth < 1000
  )
  select distinct on (l.who) l.who, l.type, l.id, (select rule from run) as rule from line l order by l.who, l.depth desc`,
)
