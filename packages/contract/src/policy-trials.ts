import { z } from 'zod'
import { createdAt, KeyOrPerson } from './fields.ts'
import { AgentId, PolicyId, PolicyTrialId, RunId } from './ids.ts'
import { limits } from './limits.ts'
import { listOf, moment, Paging } from './list.ts'
import { operation } from './operation.ts'
import { PolicyRule } from './policy-rule.ts'

const { check, stages, action } = PolicyRule.shape

const counted = (description: string) => z.int().meta({ description })

const Coverage = z
  .object({
    runs: counted('Runs that were judged.'),
    contents: counted('Inputs, texts, tool calls and results that were judged.'),
    erased: counted('Runs whose data was erased.'),
    expired: counted('About how many runs are older than the retention time, so they are deleted.'),
    redacted: counted('Judged runs in which an earlier policy has redacted something.'),
  })
  .meta({ id: 'TrialCoverage', description: 'What the trial could see.' })

const TriedRule = z
  .object({
    rule: z.string().meta({ description: 'The id of the rule.' }),
    check,
    action,
    contents: counted('Contents at the stages of the rule.'),
    blocked: counted('Contents that it would have blocked.'),
    redacted: counted('Contents that it would have redacted.'),
    asked: counted('Contents for which it would have asked a person.'),
    flagged: counted('Contents that it would have flagged.'),
    runs: counted('Runs in which it has found something.'),
    failed: counted('Contents that could not be checked. Live, they count as found.'),
    skipped: counted('Contents that a remote check did not see, for lack of `max_cost_usd`.'),
  })
  .meta({ id: 'TriedRule', description: 'What a rule would have done.' })

const TrialSample = z
  .object({
    run_id: RunId,
    rule: z.string().meta({ description: 'The id of the rule.' }),
    stage: stages.element,
    action,
    excerpt: z.string().meta({ description: 'The text around what was found, which is masked.' }),
  })
  .meta({ id: 'TrialSample', description: 'An example of what a rule has found.' })

export const PolicyTrial = z
  .object({
    id: PolicyTrialId,
    object: z.literal('policy_trial'),
    policy_id: PolicyId,
    policy_version: z.int().meta({ description: 'The version that is tried.' }),
    since: z.iso.datetime().meta({ description: 'Runs created from this time.' }),
    until: z.iso.datetime().meta({ description: 'Runs created before this time.' }),
    agent_id: AgentId.nullable().meta({ description: 'Only runs of this agent; null: all.' }),
    sample: z.int().meta({ description: 'The most runs that are looked at.' }),
    max_cost_usd: z.number().nullable().meta({ description: 'What remote checks may cost; null: none is made.' }),
    status: z
      .enum(['queued', 'running', 'completed', 'failed', 'cancelled'])
      .meta({ id: 'PolicyTrialStatus', description: 'Its state.' }),
    progress: z
      .object({
        seen: counted('Runs that were looked at.'),
        total: z.int().nullable().meta({ description: 'About how many there are to look at; null: not counted yet.' }),
      })
      .meta({ id: 'TrialProgress', description: 'How far it is.' }),
    coverage: Coverage,
    rules: z.array(TriedRule).meta({ description: 'The rules, in their order.' }),
    delay_ms: z
      .object({
        p50: z.number().nullable().meta({ description: 'Of half of the contents at most; null: none was checked.' }),
        p95: z.number().nullable().meta({ description: 'Of 95 % of the contents at most.' }),
      })
      .meta({ id: 'TrialDelay', description: 'How long the checks of one content took, in milliseconds.' }),
    cost_usd: z.number().meta({ description: 'What remote checks have cost.' }),
    samples: z.array(TrialSample).meta({ description: 'At most 50 examples.' }),
    created_by: KeyOrPerson,
    created_at: createdAt,
    ended_at: z.iso.datetime().nullable().meta({ description: 'When it ended; null before.' }),
  })
  .meta({ id: 'PolicyTrial', description: 'What a policy would have done in past runs. Nothing is changed.' })

export type PolicyTrial = z.infer<typeof PolicyTrial>

export const TryPolicy = z
  .strictObject({
    id: PolicyId,
    since: moment.meta({ description: 'Runs created from this time.', examples: ['2026-01-15T09:30:00Z'] }),
    until: moment.optional().meta({ description: 'At most 31 days after `since`. Default: now.' }),
    agent_id: AgentId.optional().meta({ description: 'Only runs of this agent.' }),
    sample: z
      .int()
      .min(1)
      .max(limits.trialRunsMax)
      .default(limits.trialRunsDefault)
      .meta({ description: 'The most runs to look at. Of more runs, some are chosen evenly.' }),
    max_cost_usd: z
      .number()
      .positive()
      .max(limits.trialCostMaxUsd)
      .optional()
      .meta({ description: 'Makes remote checks too, and stops them at this cost.' }),
  })
  .meta({ id: 'TryPolicy' })

export type TryPolicy = z.output<typeof TryPolicy>

const one = z.strictObject({ id: PolicyId, trial_id: PolicyTrialId })
// What a trial counts tells what runs contain.
const alsoScopes = ['runs:read'] as const
const reading = { method: 'GET', scope: 'policies:read', alsoScopes, names: 'organisation', status: 200 } as const
const writing = { scope: 'policies:write', alsoScopes, names: 'organisation' } as const

export const policyTrials = {
  create: operation({
    ...writing,
    method: 'POST',
    path: '/policies/{id}/trials',
    summary: 'Try a policy on past runs',
    description: 'It runs in the background with the newest rules of the policy. Nothing is written to runs.',
    status: 201,
    input: TryPolicy,
    output: PolicyTrial,
    errors: ['not_found', 'input_invalid', 'policy_archived', 'limit_reached', 'idempotency_key_reused'],
    idempotent: true,
  }),
  list: operation({
    ...reading,
    path: '/policies/{id}/trials',
    summary: 'List the trials of a policy',
    input: z.strictObject({ id: PolicyId, ...Paging(PolicyTrialId) }),
    output: listOf(PolicyTrial, 'PolicyTrialList'),
    errors: ['not_found'],
  }),
  get: operation({
    ...reading,
    path: '/policies/{id}/trials/{trial_id}',
    summary: 'Get the progress and the result of a trial',
    input: one,
    output: PolicyTrial,
    errors: ['not_found'],
  }),
  cancel: operation({
    ...writing,
    method: 'DELETE',
    path: '/policies/{id}/trials/{trial_id}',
    summary: 'Cancel a trial',
    description: 'It keeps what it has counted. Cancelling again has no effect.',
    status: 200,
    input: one,
    output: PolicyTrial,
    errors: ['not_found'],
  }),
} as const
