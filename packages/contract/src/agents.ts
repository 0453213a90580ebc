import { z } from 'zod'
import { AgentConfig } from './agent-config.ts'
import { fieldLimits } from './bounds.ts'
import { budgetFields, budgetInput } from './budget.ts'
import { CatalogKey } from './catalog.ts'
import { Deployment, Rollout } from './deployment.ts'
import {
  createdAt,
  InputSchema,
  JsonObject,
  KeyOrPerson,
  Metadata,
  MetadataPatch,
  OutputSchema,
  PlainText,
} from './fields.ts'
import { AgentId } from './ids.ts'
import { limits } from './limits.ts'
import { commaList, listOf, Paging, VersionNumber } from './list.ts'
import { operation } from './operation.ts'

const AgentStatus = z
  .enum(['active', 'archived'])
  .meta({ id: 'AgentStatus', description: '`archived`: it accepts no new runs and no changes.' })
const AgentKind = z.enum(['llm', 'remote']).meta({
  id: 'AgentKind',
  description: '`llm`: the service calls a model. `remote`: the service calls your HTTPS endpoint.',
})
const AgentSource = z
  .enum(['catalog', 'custom'])
  .meta({ id: 'AgentSource', description: 'Whether it was hired from the catalog or created by the organisation.' })
const Approver = z
  .enum(['anyone', 'person'])
  .meta({ id: 'Approver', description: '`person`: not with an API key. Default: `anyone`.' })

const RunBudgetAction = z.enum(['fail', 'park']).meta({
  id: 'RunBudgetAction',
  description: 'At `budget_usd` the run fails (default) or waits.',
})

const limitWords = {
  timeout_seconds: 'Seconds after which a run fails with `run_timeout`.',
  max_steps: 'The maximum number of steps of a run.',
  budget_usd: 'The maximum cost of a run in US dollars.',
  budget_action: 'What happens at `budget_usd`.',
  max_concurrent_runs: 'The maximum number of runs at the same time.',
  not_starter:
    'Another principal than the one that started the run must approve. A key counts as the person who created it.',
} as const

const words = {
  name: 'The name of the agent.',
  description: 'What the agent does, for people.',
  policies: 'The ids of the policies attached to it. Read-only: `POST /policies/{id}/attachments` attaches one.',
  metadata: 'Your own key-value pairs.',
} as const

const ApprovalRule = z
  .object({ by: Approver, not_starter: z.boolean().meta({ description: limitWords.not_starter }) })
  .meta({ id: 'ApprovalRule', description: 'Who may approve actions of its runs.' })

const AgentLimitsView = z
  .object({
    timeout_seconds: z.int().nullable().meta({ description: limitWords.timeout_seconds }),
    max_steps: z.int().nullable().meta({ description: limitWords.max_steps }),
    budget_usd: z.number().nullable().meta({ description: limitWords.budget_usd }),
    budget_action: RunBudgetAction.nullable().meta({ description: limitWords.budget_action }),
    max_concurrent_runs: z.int().nullable().meta({ description: limitWords.max_concurrent_runs }),
    approval: ApprovalRule.nullable().meta({
      description: 'Who may approve actions of its runs; null: anyone with `runs:approve`.',
    }),
  })
  .meta({ id: 'AgentLimits', description: 'The limits of its runs. Null: the limit of the plan applies.' })

const content = {
  name: z.string().meta({ description: words.name }),
  description: z.string().nullable().meta({ description: words.description }),
  config: JsonObject.meta({ description: 'Model, instructions and tools, or the endpoint of a remote agent.' }),
  input_schema: InputSchema,
  output_schema: OutputSchema,
  limits: AgentLimitsView,
  policies: z.array(z.string()).meta({ description: words.policies }),
  metadata: z.record(z.string(), z.string()).meta({ description: words.metadata }),
}

export const Agent = z
  .object({
    id: AgentId,
    object: z.literal('agent'),
    name: content.name,
    description: content.description,
    status: AgentStatus,
    kind: AgentKind,
    source: AgentSource,
    catalog_key: z
      .string()
      .nullable()
      .meta({ description: 'The catalog agent that was hired; null for a custom agent.' }),
    catalog_version: z.int().nullable().meta({ description: 'The version of the catalog agent that was hired.' }),
    catalog_latest: z
      .int()
      .nullable()
      .meta({ description: 'The current version in the catalog. To adopt it, send `PATCH {"catalog_version": n}`.' }),
    version: z.int().meta({ description: 'The newest released version, fully or as a canary.' }),
    config: content.config,
    input_schema: content.input_schema,
    output_schema: content.output_schema,
    limits: content.limits,
    policies: content.policies,
    metadata: content.metadata,
    created_at: createdAt,
    updated_at: z.iso.datetime().meta({ description: 'When it was last changed.' }),
    archived_at: z.iso.datetime().nullable().meta({ description: 'When it was archived; null if it is active.' }),
    ...budgetFields,
  })
  .meta({ id: 'Agent', description: 'A program that runs on a model or behind your endpoint.' })

export type Agent = z.infer<typeof Agent>

/** An agent together with the deployment that its change created. */
export const ReleasedAgent = Agent.extend({
  deployment: Deployment.nullable().meta({
    description: 'The deployment that this request created; null if nothing changed.',
  }),
}).meta({ id: 'ReleasedAgent' })

export type ReleasedAgent = z.infer<typeof ReleasedAgent>

export const NewAgent = ReleasedAgent.extend({
  signing_secret: z.string().nullable().meta({
    description:
      'A remote agent verifies our requests with this secret. Only this response contains it. Null for other agents and for a replay.',
  }),
}).meta({ id: 'CreatedAgent' })

export type NewAgent = z.infer<typeof NewAgent>

export const AgentWithSecret = Agent.extend({
  signing_secret: z.string().nullable().meta({
    description: 'The new secret. Only this response contains it. Null for a replay.',
  }),
}).meta({ id: 'AgentWithSecret' })

export type AgentWithSecret = z.infer<typeof AgentWithSecret>

export const AgentVersion = z
  .object({
    object: z.literal('agent_version'),
    agent_id: AgentId,
    version: z.int().meta({ description: 'The number of the version, from 1.' }),
    ...content,
    created_by: KeyOrPerson.nullable().meta({
      description: 'The key or person that created the version; null for the operator.',
    }),
    created_at: createdAt,
  })
  .meta({ id: 'AgentVersion', description: 'One version of an agent. It never changes.' })

export type AgentVersion = z.infer<typeof AgentVersion>

const AgentChange = z
  .object({
    path: z.string().meta({ description: 'The path of the field.', examples: ['config.temperature'] }),
    old: z.unknown().meta({ description: 'The old value; null if there was none.' }),
    new: z.unknown().meta({ description: 'The new value; null if there is none.' }),
  })
  .meta({ id: 'AgentChange' })

export const AgentDiff = z
  .object({
    object: z.literal('agent_diff'),
    agent_id: AgentId,
    from: z.int().meta({ description: 'The version that is compared.' }),
    to: z.int().meta({ description: 'The version that it is compared with.' }),
    changes: z.array(AgentChange).meta({ description: 'The fields that differ.' }),
  })
  .meta({ id: 'AgentDiff' })

export type AgentDiff = z.infer<typeof AgentDiff>

const AgentStats = z
  .object({
    object: z.literal('agent_stats'),
    agent_id: AgentId,
    runs: z
      .object({
        queued: z.int().meta({ description: 'Runs that wait for a slot.' }),
        running: z.int().meta({ description: 'Runs in execution.' }),
        requires_action: z.int().meta({ description: 'Runs that wait for a person.' }),
        cancelling: z.int().meta({ description: 'Runs that are being cancelled.' }),
      })
      .meta({
        id: 'ActiveRuns',
        description: 'The number of runs in each state. Runs that have ended are not counted.',
      }),
    is_capped: z.boolean().meta({ description: 'True: counting stopped at 10,000 runs in all.' }),
  })
  .meta({ id: 'AgentStats' })

export const AgentPrompt = z
  .object({
    object: z.literal('agent_prompt'),
    agent_id: AgentId.nullable().meta({ description: 'Null: the configuration is not saved.' }),
    version: z.int().nullable().meta({ description: 'The version of the agent; null without an agent.' }),
    messages: z
      .array(
        z
          .object({
            role: z
              .enum(['system', 'user'])
              .meta({ id: 'PromptRole', description: '`system`: the instructions. `user`: the input.' }),
            content: z.string().meta({ description: 'The text that the model receives.' }),
          })
          .meta({ id: 'PromptMessage' }),
      )
      .meta({ description: 'In the order in which the model receives them.' }),
  })
  .meta({ id: 'AgentPrompt', description: 'The messages that a model receives in the first step of a run.' })

export type AgentPrompt = z.infer<typeof AgentPrompt>

const PromptConfig = AgentConfig.pick({ instructions: true, input_template: true }).meta({
  id: 'PromptConfigInput',
  description: 'Replaces these fields of the agent. Null: as if the agent had none.',
  examples: [{ input_template: 'Translate into ${{ input.language }}:\n${{ input.text }}' }],
})

const ApprovalInput = z
  .strictObject({ by: Approver, not_starter: z.boolean().meta({ description: limitWords.not_starter }) })
  .partial()
  .meta({
    id: 'ApprovalRuleInput',
    description: 'Who may approve actions of its runs, beside the scope `runs:approve`.',
  })

const Limits = z
  .strictObject({
    timeout_seconds: z
      .int()
      .min(1)
      .max(limits.runTimeoutMaxSeconds)
      .nullable()
      .meta({ description: limitWords.timeout_seconds }),
    max_steps: z.int().min(1).max(limits.stepsMax).nullable().meta({ description: limitWords.max_steps }),
    budget_usd: z
      .number()
      .min(0)
      .max(fieldLimits.agentBudgetUsd)
      .nullable()
      .meta({ description: limitWords.budget_usd }),
    budget_action: RunBudgetAction.nullable().meta({ description: limitWords.budget_action }),
    max_concurrent_runs: z
      .int()
      .min(1)
      .max(fieldLimits.agentConcurrentRuns)
      .nullable()
      .meta({ description: limitWords.max_concurrent_runs }),
    approval: ApprovalInput.nullable(),
  })
  .partial()
  .meta({ id: 'AgentLimitsInput', description: 'Null or omitted: the limits of the plan apply.' })

const Policies = z
  .array(z.string().min(1).max(fieldLimits.keyOfThingChars))
  .max(limits.policiesPerAgent)
  .meta({ description: words.policies })
const Name = z.string().min(1).max(limits.agentNameChars).meta({ description: words.name })
const Description = z.string().max(limits.agentDescriptionChars).nullable().meta({ description: words.description })

export const CreateAgent = z
  .strictObject({
    name: Name,
    description: Description.optional(),
    kind: AgentKind.default('llm').meta({ default: 'llm' }),
    config: AgentConfig,
    input_schema: InputSchema.optional(),
    output_schema: OutputSchema.optional(),
    limits: Limits.optional(),
    policies: Policies.optional(),
    metadata: Metadata.optional(),
  })
  .refine(({ kind, config }) => kind !== 'llm' || config.model !== undefined, {
    path: ['config', 'model'],
    message: 'is required',
  })
  .refine(({ kind, config }) => kind !== 'remote' || config.url !== undefined, {
    path: ['config', 'url'],
    message: 'is required',
  })
  .meta({ id: 'CreateAgent' })

export type CreateAgent = z.output<typeof CreateAgent>

export const UpdateAgent = z
  .strictObject({
    name: Name,
    description: Description,
    config: AgentConfig,
    input_schema: InputSchema,
    output_schema: OutputSchema,
    limits: Limits.nullable(),
    policies: Policies.nullable(),
    metadata: MetadataPatch,
    catalog_version: z.int().min(1).max(limits.versionMax).meta({
      description: 'Adopts this version of the catalog agent. Your own changes since you hired it are kept.',
    }),
    version: z.int().min(1).max(limits.versionMax).meta({
      description:
        'The version that your change is based on. If a newer one exists, nothing changes (`version_conflict`).',
    }),
    rollout: Rollout,
    ...budgetInput,
  })
  .partial()
  .extend({ id: AgentId })
  .refine((given) => Object.keys(given).length > 1, 'The request changes nothing: it has no fields')
  .meta({ id: 'UpdateAgent', minProperties: 1 })

export type UpdateAgent = z.output<typeof UpdateAgent>

export const HireAgent = z
  .strictObject({
    name: Name.optional().meta({ description: 'Default: the name in the catalog.' }),
    config: AgentConfig.optional().meta({
      description: 'Values that differ from the catalog, such as `model`. Objects are merged, lists are replaced.',
    }),
    metadata: Metadata.optional(),
  })
  .meta({ id: 'HireAgent' })

export type HireAgent = z.output<typeof HireAgent>

/** A version number in a path or query. */
const makes = [
  'not_found',
  'idempotency_key_reused',
  'limit_reached',
  'config_invalid',
  'secrets_disabled',
  'url_not_allowed',
] as const

/** An agent can do what its connectors can do, and runs are sent to the endpoint of a remote agent. */
const attaching = { scope: 'connectors:read', field: 'config.tools' } as const
const redirecting = { scope: 'runs:read', field: 'config.url' } as const

export const agents = {
  list: operation({
    method: 'GET',
    path: '/agents',
    summary: 'List all agents',
    scope: 'agents:read',
    names: 'agents',
    status: 200,
    input: z.strictObject({
      ...Paging(AgentId),
      status: commaList(AgentStatus.options).optional(),
      source: commaList(AgentSource.options).optional(),
      q: PlainText.min(1)
        .max(fieldLimits.searchChars)
        .optional()
        .meta({ description: 'Text to search for in name and description.' }),
    }),
    output: listOf(Agent, 'AgentList'),
    errors: [],
  }),
  get: operation({
    method: 'GET',
    path: '/agents/{id}',
    summary: 'Get an agent by id',
    scope: 'agents:read',
    names: 'agent',
    status: 200,
    input: z.strictObject({ id: AgentId }),
    output: Agent,
    errors: ['not_found'],
  }),
  update: operation({
    method: 'PATCH',
    path: '/agents/{id}',
    summary: 'Update agent configuration',
    description:
      'Omitted fields stay unchanged, null clears a field, objects are merged, lists and schemas are replaced. A change creates ' +
      'a new version and deploys it to all runs or, with `rollout`, to a share of them. Active runs stay on their version. A ' +
      'budget belongs to no version.',
    scope: 'agents:write',
    conditionalScopes: [attaching, redirecting],
    names: 'agent',
    status: 200,
    input: UpdateAgent,
    output: ReleasedAgent,
    errors: [
      'not_found',
      'agent_archived',
      'config_invalid',
      'version_conflict',
      'limit_reached',
      'secrets_disabled',
      'url_not_allowed',
    ],
  }),
  archive: operation({
    method: 'DELETE',
    path: '/agents/{id}',
    summary: 'Archive an agent',
    description:
      'Active runs finish; new runs are rejected with `agent_archived` until the agent is unarchived. Archiving again has no effect.',
    scope: 'agents:write',
    names: 'agent',
    status: 200,
    input: z.strictObject({ id: AgentId }),
    output: Agent,
    errors: ['not_found'],
  }),
  unarchive: operation({
    method: 'POST',
    path: '/agents/{id}/unarchive',
    summary: 'Return an archived agent to service',
    description:
      'The agent accepts runs and changes again, with the configuration and the deployments that it had. It counts towards the limit ' +
      'of agents again. An active agent is returned unchanged.',
    scope: 'agents:write',
    names: 'agent',
    status: 200,
    input: z.strictObject({ id: AgentId }),
    output: Agent,
    errors: ['not_found', 'limit_reached'],
  }),
  rotateSigningSecret: operation({
    method: 'POST',
    path: '/agents/{id}/rotate-signing-secret',
    summary: 'Replace the signing secret of a remote agent',
    description:
      'For `overlap_hours`, `webhook-signature` contains the signatures of both secrets. 0 switches immediately. The secret belongs to ' +
      'the agent and not to a version: a rollback does not restore an old one, and active runs use the new one too. After a second ' +
      'rotation within this time, the secret before it is the old one.',
    scope: 'agents:write',
    names: 'agent',
    status: 200,
    input: z
      .strictObject({
        id: AgentId,
        overlap_hours: z.int().min(0).max(limits.signingSecretOverlapMaxHours).optional().meta({
          description: 'Hours for which the old secret signs too.',
          default: limits.signingSecretOverlapHours,
        }),
      })
      .meta({ id: 'RotateSigningSecret' }),
    output: AgentWithSecret,
    errors: ['not_found', 'agent_not_remote', 'idempotency_key_reused', 'secrets_disabled'],
    idempotent: true,
  }),
  hire: operation({
    method: 'POST',
    path: '/agents/{catalog_key}/deploy',
    summary: 'Hire a catalog agent into the organisation',
    description: 'Each request creates an agent. To retry safely, send an `Idempotency-Key`.',
    scope: 'agents:write',
    names: 'organisation',
    conditionalScopes: [attaching],
    status: 201,
    input: HireAgent.extend({ catalog_key: CatalogKey }).meta({ id: 'HireAgent' }),
    output: ReleasedAgent,
    errors: makes,
    idempotent: true,
  }),
  create: operation({
    method: 'POST',
    path: '/agents/custom',
    summary: 'Create a custom organisation agent',
    scope: 'agents:write',
    names: 'organisation',
    conditionalScopes: [attaching, redirecting],
    status: 201,
    input: CreateAgent,
    output: NewAgent,
    errors: makes,
    idempotent: true,
  }),
  prompt: operation({
    method: 'POST',
    path: '/agents/prompt',
    summary: 'Show the messages that a model would receive',
    description:
      'For an agent, or for a configuration that is not saved, and an input. Policies judge the input as that of a run, but for rules that ' +
      'ask a model or a host, and the answer holds what they leave of it. No model is called, and nothing is stored.',
    scope: 'agents:read',
    names: 'agent',
    by: 'agent_id',
    status: 200,
    input: z
      .strictObject({
        agent_id: AgentId.optional().meta({ description: 'Omitted: only `config` counts.' }),
        version: z.int().min(1).max(limits.versionMax).optional().meta({
          description: 'Default: the newest released version.',
        }),
        config: PromptConfig.optional().meta({
          description: 'Replaces fields of the agent, or describes one that is not saved.',
        }),
        input: JsonObject.meta({ description: 'The input of a run.', examples: [{ query: 'hello' }] }),
      })
      .refine(({ agent_id, version }) => agent_id !== undefined || version === undefined, {
        path: ['version'],
        message: 'needs agent_id',
      })
      .meta({ id: 'ShowAgentPrompt' }),
    output: AgentPrompt,
    errors: ['not_found', 'config_invalid', 'input_invalid', 'guardrail_blocked'],
  }),
  versions: operation({
    method: 'GET',
    path: '/agents/{id}/versions',
    summary: 'List the versions of an agent',
    description: 'Newest first. `after` and `before` are version numbers.',
    scope: 'agents:read',
    names: 'agent',
    status: 200,
    input: z.strictObject({ id: AgentId, ...Paging(VersionNumber) }),
    output: listOf(AgentVersion, 'AgentVersionList'),
    errors: ['not_found'],
  }),
  version: operation({
    method: 'GET',
    path: '/agents/{id}/versions/{version}',
    summary: 'Get one version of an agent',
    scope: 'agents:read',
    names: 'agent',
    status: 200,
    input: z.strictObject({ id: AgentId, version: VersionNumber }),
    output: AgentVersion,
    errors: ['not_found'],
  }),
  diff: operation({
    method: 'GET',
    path: '/agents/{id}/versions/{version}/diff',
    summary: 'Compare two versions of an agent',
    scope: 'agents:read',
    names: 'agent',
    status: 200,
    input: z.strictObject({
      id: AgentId,
      version: VersionNumber,
      to: VersionNumber.meta({ description: 'The version to compare with.' }),
    }),
    output: AgentDiff,
    errors: ['not_found'],
  }),
  stats: operation({
    method: 'GET',
    path: '/agents/{id}/stats',
    summary: 'Count the active runs of an agent by state',
    scope: 'agents:read',
    allRuns: true,
    names: 'agent',
    status: 200,
    input: z.strictObject({ id: AgentId }),
    output: AgentStats,
    errors: ['not_found'],
  }),
} as const
