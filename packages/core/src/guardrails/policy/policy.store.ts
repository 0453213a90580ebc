import { limits } from '@ars/contract'
import type { Database, Tx } from '@ars/platform/db/database'
import { type Fitting, fittingPage } from '@ars/platform/db/fitting-page'
import { type Json, sql, statement, type Uuid } from '@ars/platform/db/statement'
import type { Rule } from '../rule.ts'
import type { PolicyRow } from './policy.ts'

export const findPolicy = async (db: Database, org: string, id: string): Promise<PolicyRow | null> => {
  const [row] = await db.once(org, find({ org, id }))
  return row ?? null
}

/** The policy as it is in the transaction. Changes of policies are in order, because each locks the organisation first. */
export const readPolicy = async (tx: Tx, org: string, id: string): Promise<PolicyRow | null> => {
  const [row] = await tx.query(find({ org, id }))
  return row ?? null
}

export type PolicyPage = {
  status: readonly string[] | null
  after: string | null
  before: string | null
  limit: number
}

/** Newest first. With `before` the order is oldest first, and the caller reverses it. The page ends early by bytes. */
export const listPolicies = (db: Database, org: string, page: PolicyPage): Promise<Fitting<PolicyRow>[]> => {
  const { status, after, before, limit } = page
  const asked = { org, status, limit, maxBytes: limits.pageBytes }
  return before === null ? db.once(org, listOlder({ ...asked, after })) : db.once(org, listNewer({ ...asked, before }))
}

/** Policies that are not archived. */
export const countPolicies = async (tx: Tx, org: string): Promise<number> => {
  const [row] = await tx.query(count({ org }))
  return row?.policies ?? 0
}

export type PolicyAuthor = { by: string; type: 'key' | 'user' }

export type NewPolicy = {
  id: string
  name: string
  description: string
  templateKey: string | null
  templateParams: Record<string, unknown> | null
  mode: PolicyRow['mode']
}

/** Without its first version, which `insertVersion` adds. */
export const insertPolicy = async (tx: Tx, org: string, policy: NewPolicy, author: PolicyAuthor): Promise<void> => {
  const templateParams = policy.templateParams && JSON.stringify(policy.templateParams)
  await tx.query(add({ org, ...policy, templateParams, shadowDays: limits.policyShadowDays, ...author }))
}

export type PolicyContent = {
  id: string
  name: string
  description: string
  mode: PolicyRow['mode']
  version: number
  /** Starts the days of the mode `shadow`. Otherwise they go on. */
  renews: boolean
}

export const updatePolicy = async (tx: Tx, org: string, policy: PolicyContent): Promise<void> => {
  await tx.query(change({ org, ...policy, shadowDays: limits.policyShadowDays }))
}

export const archivePolicy = async (tx: Tx, org: string, id: string): Promise<void> => {
  await tx.query(archive({ org, id }))
}

/** `secrets`: the sealed credentials of the rules; null: they have none. */
export type NewVersion = { policyId: string; version: number; rules: readonly Rule[]; secrets: Buffer | null }

export const insertVersion = async (
  tx: Tx,
  org: string,
  { policyId, version, rules, secrets }: NewVersion,
  author: PolicyAuthor,
): Promise<void> => {
  await tx.query(addVersion({ org, policyId, version, rules: JSON.stringify(rules), secrets, ...author }))
}

const ofPolicy = `p.id, p.org_id, p.name, p.description, p.template_key, p.template_params, p.mode, p.shadow_until, p.version, p.created_by,
       p.created_by_type, p.created_at, p.updated_at, p.archived_at`
const newest =
  'policies p join policy_versions v on v.org_id = p.org_id and v.policy_id = p.id and v.version = p.version'

const find = statement<{ org: Uuid; id: Uuid }, PolicyRow>(
  'policies.find',
  sql`select ${ofPolicy}, v.rules from ${newest} where p.org_id = :org and p.id = :id`,
)

type Asked = { org: Uuid; status: readonly string[] | null; limit: number; maxBytes: number }

const status = sql`case when p.archived_at is not null then 'archived'
       when p.mode = 'shadow' and p.shadow_until is null then 'ended' else 'active' end`
const ofPage = `${ofPolicy.replaceAll('p.', '')}, rules`

const listOlder = statement<Asked & { after: Uuid | null }, Fitting<PolicyRow>>(
  'policies.list_older',
  fittingPage(
    `select ${ofPolicy}, v.rules, octet_length(v.rules::text) as bytes from ${newest}
    where p.org_id = :org and (:after::uuid is null or p.id < :after) and (:status::text[] is null or ${status} = any (:status))
    order by p.id desc limit :limit`,
    { inner: ofPage, order: 'id desc' },
  ),
)

const listNewer = statement<Asked & { before: Uuid }, Fitting<PolicyRow>>(
  'policies.list_newer',
  fittingPage(
    `select ${ofPolicy}, v.rules, octet_length(v.rules::text) as bytes from ${newest}
    where p.org_id = :org and p.id > :before and (:status::text[] is null or ${status} = any (:status))
    order by p.id limit :limit`,
    { inner: ofPage, order: 'id' },
  ),
)

const count = statement<{ org: Uuid }, { policies: number }>(
  'policies.count',
  sql`select count(*)::integer as policies from policies where org_id = :org and archived_at is null`,
)

const shadowEnd = sql`case when :mode = 'shadow' then app_now() + make_interval(days => :shadowDays) end`

const add = statement<
  Omit<NewPolicy, 'templateParams'> & {
    org: Uuid
    templateParams: Json | null
    shadowDays: number
    by: Uuid
    type: string
  }
>(
  'policies.add',
  sql`insert into policies (id, org_id, name, description, template_key, template_params, mode, shadow_until, version, created_by,
        created_by_type)
      values (:id, :org, :name, :description, :templateKey, :templateParams, :mode, ${shadowEnd}, 1, :by, :type)`,
)

const change = statement<PolicyContent & { org: Uuid; shadowDays: number }>(
  'policies.change',
  sql`update policies
         set name = :name, description = :description, mode = :mode, version = :version, updated_at = app_now(),
             shadow_until = case when :renews then ${shadowEnd} else shadow_until end
       where org_id = :org and id = :id`,
)

const archive = statement<{ org: Uuid; id: Uuid }>(
  'policies.archive',
  sql`update policies set archived_at = app_now(), updated_at = app_now(), shadow_until = null where org_id = :org and id = :id`,
)

const addVersion = statement<
  Omit<NewVersion, 'rules'> & { org: Uuid; policyId: Uuid; rules: Json; by: Uuid; type: string }
>(
  'policy_versions.add',
  sql`insert into policy_versions (org_id, policy_id, version, rules, secrets, created_by, created_by_type)
      values (:org, :policyId, :version, :rules, :secrets, :by, :type)`,
)
