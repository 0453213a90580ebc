import type {
  ChangedPolicy,
  PolicyAttachment as WireAttachment,
  Policy as WirePolicy,
  PolicyVersion as WireVersion,
} from '@ars/contract'
import { fromUuid } from '@ars/platform/id'
import type { Rule } from '../rule.ts'

/** A policy as the database keeps it, with the rules of its newest version. */
export type PolicyRow = {
  id: string
  org_id: string
  name: string
  description: string
  template_key: string | null
  template_params: Record<string, unknown> | null
  mode: WirePolicy['mode']
  /** When the shadow ends. Null in the mode `enforce`, and when it has ended. */
  shadow_until: Date | null
  version: number
  created_by: string
  created_by_type: 'key' | 'user'
  created_at: Date
  updated_at: Date
  archived_at: Date | null
  rules: Rule[]
}

export type VersionRow = {
  policy_id: string
  version: number
  rules: Rule[]
  created_by: string
  created_by_type: 'key' | 'user'
  created_at: Date
}

export type AttachmentRow = {
  id: string
  policy_id: string
  subject_type: SubjectType
  subject_id: string
  new_runs_only: boolean
  created_at: Date
}

export type SubjectType = WireAttachment['subject_type']

export type PolicyChange = ChangedPolicy['change']

export const statusOf = ({ archived_at, mode, shadow_until }: PolicyRow): WirePolicy['status'] => {
  if (archived_at) return 'archived'
  return mode === 'shadow' && shadow_until === null ? 'ended' : 'active'
}

export const toWirePolicyVersion = (row: VersionRow): WireVersion => ({
  object: 'policy_version',
  policy_id: fromUuid('pol', row.policy_id),
  version: row.version,
  rules: row.rules.map(toWirePolicyRule),
  created_by: policyAuthorOf(row),
  created_at: row.created_at.toISOString(),
})

export const toWireAttachment = (row: AttachmentRow): WireAttachment => ({
  id: fromUuid('pat', row.id),
  object: 'policy_attachment',
  policy_id: fromUuid('pol', row.policy_id),
  subject_type: row.subject_type,
  subject_id: subjectIdOf(row),
  new_runs_only: row.new_runs_only,
  created_at: row.created_at.toISOString(),
})

export const subjectIdOf = ({ subject_type, subject_id }: Pick<AttachmentRow, 'subject_type' | 'subject_id'>): string =>
  fromUuid(subjectPrefixes[subject_type], subject_id)

const subjectPrefixes = { organisation: 'org', agent: 'ag', api_key: 'key' } as const

/** For the audit log: which rules there are, without their words and patterns, which may be confidential. */
export const policyAuditFacts = (policy: PolicyRow) => ({
  name: policy.name,
  mode: policy.mode,
  version: policy.version,
  ...(policy.template_key !== null && { template: policy.template_key }),
  rules: policy.rules.map(({ id, check, action, stages }) => `${id}: ${check} ${action} at ${stages.join(', ')}`),
})

export const toWirePolicyRule = ({ id, check, stages, action, params }: Rule): WirePolicy['rules'][number] => ({
  id,
  check,
  stages: [...stages],
  action,
  params,
})

export const policyAuthorOf = ({ created_by, created_by_type }: Pick<PolicyRow, 'created_by' | 'created_by_type'>) =>
  fromUuid(created_by_type === 'key' ? 'key' : 'usr', created_by)
