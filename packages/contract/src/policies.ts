import { z } from 'zod'
import { fieldLimits } from './bounds.ts'
import { JsonObject, PlainText } from './fields.ts'
import { AgentId, ApiKeyId, OrganisationId, PolicyAttachmentId, PolicyId } from './ids.ts'
import { limits } from './limits.ts'
import { commaList, listOf, Paging, VersionNumber } from './list.ts'
import { operation } from './operation.ts'
import { Policy, PolicyAttachment, PolicyMode, PolicyTemplate, PolicyVersion, policyStatuses } from './policy.ts'
import { RuleInput, sendingChecks } from './policy-rule.ts'

const Name = z.string().min(1).max(limits.policyNameChars)
const Description = z.string().max(limits.policyDescriptionChars).meta({ description: 'What the policy is for.' })
const Rules = z.array(RuleInput).min(1).max(limits.rulesPerPolicy)

export const CreatePolicy = z
  .strictObject({
    name: Name.optional().meta({ description: 'The name. Default: that of the template. Required with `rules`.' }),
    description: Description.optional(),
    mode: PolicyMode.default('enforce'),
    rules: Rules.optional().meta({ description: 'The rules. Send these or `template`.' }),
    template: z
      .string()
      .min(1)
      .max(fieldLimits.keyOfThingChars)
      .optional()
      .meta({ description: 'The key of a template.', examples: ['pii-redact'] }),
    params: JsonObject.optional().meta({ description: 'The parameters of the template.' }),
  })
  .meta({ id: 'CreatePolicy' })

export type CreatePolicy = z.output<typeof CreatePolicy>

export const UpdatePolicy = z
  .strictObject({
    id: PolicyId,
    name: Name.meta({ description: 'The name of the policy.' }).optional(),
    description: Description.optional(),
    mode: PolicyMode.optional(),
    rules: Rules.optional().meta({ description: 'Replaces all rules and makes a new version.' }),
    version: z.int().min(1).max(limits.versionMax).optional().meta({
      description:
        'The version that your change is based on. If a newer one exists, nothing changes (`version_conflict`).',
    }),
  })
  .meta({ id: 'UpdatePolicy', minProperties: 1 })

export type UpdatePolicy = z.output<typeof UpdatePolicy>

/** The type of the subject follows from the prefix of its id. */
const SubjectId = z
  .union([OrganisationId, AgentId, ApiKeyId], { error: 'must be the id of the organisation, an agent or an API key' })
  .meta({ description: 'The organisation (`org_…`), an agent (`ag_…`) or an API key (`key_…`).' })

export const AttachPolicy = z
  .strictObject({
    id: PolicyId,
    subject_id: SubjectId,
    new_runs_only: z.boolean().default(false).meta({
      description:
        'True: runs that were accepted before are not affected. False: `block` and `require_approval` reach them.',
    }),
  })
  .meta({ id: 'AttachPolicy' })

export type AttachPolicy = z.output<typeof AttachPolicy>

const one = z.strictObject({ id: PolicyId })
/** These checks send content of runs to a host or to a model. The templates have them only with a `model`. */
const conditionalScopes = [
  { scope: 'runs:read', field: 'rules.check', values: sendingChecks },
  { scope: 'runs:read', field: 'params.model' },
] as const
const storedScopes = [{ scope: 'runs:read', when: 'policy_that_sends' }] as const
const reading = { method: 'GET', scope: 'policies:read', names: 'organisation', status: 200 } as const
const writing = { scope: 'policies:write', names: 'organisation' } as const

export const policies = {
  list: operation({
    ...reading,
    path: '/policies',
    summary: 'List policies',
    input: z.strictObject({ ...Paging(PolicyId), status: commaList(policyStatuses).optional() }),
    output: listOf(Policy, 'PolicyList'),
    errors: [],
  }),
  create: operation({
    ...writing,
    method: 'POST',
    path: '/policies',
    summary: 'Create a policy from rules or from a template',
    description: 'It works where it is attached: `POST /policies/{id}/attachments`.',
    conditionalScopes,
    status: 201,
    input: CreatePolicy,
    output: Policy,
    errors: ['policy_invalid', 'secrets_disabled', 'limit_reached', 'idempotency_key_reused'],
    idempotent: true,
  }),
  get: operation({
    ...reading,
    path: '/policies/{id}',
    summary: 'Get a policy by id',
    input: one,
    output: Policy,
    errors: ['not_found'],
  }),
  update: operation({
    ...writing,
    method: 'PATCH',
    path: '/policies/{id}',
    summary: 'Change a policy',
    description:
      'It applies to every run accepted 5 seconds later. New rules that block or ask also apply to active runs. `mode: shadow` renews ' +
      'the 14 days.',
    conditionalScopes: [conditionalScopes[0]],
    storedScopes: [{ scope: 'runs:read', when: 'resumed_policy_that_sends' }],
    status: 200,
    input: UpdatePolicy,
    output: Policy,
    errors: ['not_found', 'policy_archived', 'policy_invalid', 'secrets_disabled', 'version_conflict', 'limit_reached'],
  }),
  archive: operation({
    ...writing,
    method: 'DELETE',
    path: '/policies/{id}',
    summary: 'Archive a policy',
    description: 'Its attachments end. Archiving again has no effect.',
    status: 200,
    input: one,
    output: Policy,
    errors: ['not_found'],
  }),
  versions: operation({
    ...reading,
    path: '/policies/{id}/versions',
    summary: 'List the versions of a policy',
    description: 'Newest first. `after` and `before` are version numbers.',
    input: z.strictObject({ id: PolicyId, ...Paging(VersionNumber) }),
    output: listOf(PolicyVersion, 'PolicyVersionList'),
    errors: ['not_found'],
  }),
  attachments: operation({
    ...reading,
    path: '/policies/{id}/attachments',
    summary: 'List the attachments of a policy',
    input: z.strictObject({ id: PolicyId, ...Paging(PolicyAttachmentId) }),
    output: listOf(PolicyAttachment, 'PolicyAttachmentList'),
    errors: ['not_found'],
  }),
  attach: operation({
    ...writing,
    method: 'POST',
    path: '/policies/{id}/attachments',
    summary: 'Attach a policy to the organisation, an agent or an API key',
    description: 'An attachment that exists is returned as it is.',
    storedScopes,
    status: 201,
    input: AttachPolicy,
    output: PolicyAttachment,
    errors: ['not_found', 'policy_archived', 'limit_reached', 'idempotency_key_reused'],
    idempotent: true,
  }),
  detach: operation({
    ...writing,
    method: 'DELETE',
    path: '/policies/{id}/attachments/{attachment_id}',
    summary: 'Detach a policy',
    status: 200,
    input: z.strictObject({ id: PolicyId, attachment_id: PolicyAttachmentId }),
    output: PolicyAttachment,
    errors: ['not_found'],
  }),
} as const

export const policyTemplates = {
  list: operation({
    ...reading,
    names: 'nothing',
    path: '/policy-templates',
    summary: 'List policy templates',
    input: z.strictObject({ ...Paging(PlainText.min(1).max(fieldLimits.keyOfThingChars)) }),
    output: listOf(PolicyTemplate, 'PolicyTemplateList'),
    errors: [],
  }),
  get: operation({
    ...reading,
    names: 'nothing',
    path: '/policy-templates/{key}',
    summary: 'Get a policy template by key',
    input: z.strictObject({
      key: z.string().meta({ description: 'The key of a template.', examples: ['pii-redact'] }),
    }),
    output: PolicyTemplate,
    errors: ['not_found'],
  }),
} as const
