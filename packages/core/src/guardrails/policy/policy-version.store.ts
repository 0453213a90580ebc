import { limits } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import { type Fitting, fittingPage } from '@ars/platform/db/fitting-page'
import { statement, type Uuid } from '@ars/platform/db/statement'
import type { VersionRow } from './policy.ts'

export type PolicyVersionPage = { policyId: string; after: number | null; before: number | null; limit: number }

/** Newest first. With `before` the order is oldest first, and the caller reverses it. The page ends early by bytes. */
export const listPolicyVersions = (
  db: Database,
  org: string,
  page: PolicyVersionPage,
): Promise<Fitting<VersionRow>[]> => {
  const { policyId, after, before, limit } = page
  const asked = { org, policyId, limit, maxBytes: limits.pageBytes }
  return before === null ? db.once(org, listOlder({ ...asked, after })) : db.once(org, listNewer({ ...asked, before }))
}

const columns = 'policy_id, version, rules, created_by, created_by_type, created_at'

type Asked = { org: Uuid; policyId: Uuid; limit: number; maxBytes: number }

const listOlder = statement<Asked & { after: number | null }, Fitting<VersionRow>>(
  'policy_versions.list_older',
  fittingPage(
    `select ${columns}, octet_length(rules::text) as bytes from policy_versions
    where org_id = :org and policy_id = :policyId and (:after::integer is null or version < :after)
    order by version desc limit :limit`,
    { inner: columns, order: 'version desc' },
  ),
)

const listNewer = statement<Asked & { before: number }, Fitting<VersionRow>>(
  'policy_versions.list_newer',
  fittingPage(
    `select ${columns}, octet_length(rules::text) as bytes from policy_versions
    where org_id = :org and policy_id = :policyId and version > :before order by version limit :limit`,
    { inner: columns, order: 'version' },
  ),
)
