import type { Policy as WirePolicy } from '@ars/contract'
import { fromUuid } from '@ars/platform/id'
import { type PolicyRow, policyAuthorOf, statusOf, toWirePolicyRule } from './policy.ts'
import { streamDelayOf } from './stream-delay.service.ts'

export const toWirePolicy = (policy: PolicyRow): WirePolicy => ({
  id: fromUuid('pol', policy.id),
  object: 'policy',
  name: policy.name,
  description: policy.description,
  status: statusOf(policy),
  mode: policy.mode,
  shadow_until: policy.shadow_until?.toISOString() ?? null,
  version: policy.version,
  template: policy.template_key,
  template_params: policy.template_params,
  rules: policy.rules.map(toWirePolicyRule),
  stream_delay: streamDelayOf(policy.rules),
  created_by: policyAuthorOf(policy),
  created_at: policy.created_at.toISOString(),
  updated_at: policy.updated_at.toISOString(),
  archived_at: policy.archived_at?.toISOString() ?? null,
})
