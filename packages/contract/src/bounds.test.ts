import { expect, test } from 'vitest'
import type { z } from 'zod'
import { fieldLimits } from './bounds.ts'
import {
  batchLimits,
  connectorLimits,
  contract,
  limits,
  peopleLimits,
  pipelineBounds,
  pipelineRunBounds,
  ruleLimits,
  scheduleLimits,
} from './index.ts'

type Size = (size: number) => unknown

const text: Size = (size) => 'a'.repeat(size)
const texts: Size = (size) => Array.from({ length: size }, (_, at) => `a${at}`)
const number: Size = (size) => size
const digits: Size = (size) => String(size)
const pairs: Size = (size) => Object.fromEntries(Array.from({ length: size }, (_, at) => [`k${at}`, 'v']))
const pairOf: Size = (size) => ({ ['k'.repeat(size)]: 'v' })

type Field = { schema: z.ZodType; at: string; within: object; size: Size }

const field = ({ input }: { input: z.ZodType }, at: string, size: Size, within: object = {}): Field => ({
  schema: input,
  at,
  within,
  size,
})
const step = (at: string, size: Size): Field => field(contract.pipelines.create, `definition.steps.0.${at}`, size)
const rule = (check: string, at: string, size: Size): Field =>
  field(contract.policies.create, `rules.0.params.${at}`, size, {
    rules: [{ check, stages: ['input'], action: 'block', params: {} }],
  })
const headerAuth = { auth: { type: 'header' } }
const trial = contract.policyTrials.create
const canary = { rollout: { strategy: 'canary', rollback_rules: [{ metric: 'failure_rate' }] } }

/** Each row that bounds a field of a request, with a field that it bounds. */
const fields: Readonly<Record<string, readonly [number, Field]>> = {
  'limits.metadataKeys': [limits.metadataKeys, field(contract.runs.create, 'metadata', pairs)],
  'limits.metadataKeyChars': [limits.metadataKeyChars, field(contract.runs.create, 'metadata', pairOf)],
  'limits.metadataValueChars': [limits.metadataValueChars, field(contract.runs.create, 'metadata.a', text)],
  'limits.runTimeoutMaxSeconds': [limits.runTimeoutMaxSeconds, field(contract.runs.create, 'timeout_seconds', number)],
  'limits.commentChars': [limits.commentChars, field(contract.runs.act, 'comment', text)],
  'limits.keyNameChars': [limits.keyNameChars, field(contract.apiKeys.create, 'name', text)],
  'limits.agentsPerKey': [limits.agentsPerKey, field(contract.apiKeys.create, 'agent_ids', texts)],
  'limits.sessionTokenMaxSeconds': [
    limits.sessionTokenMaxSeconds,
    field(contract.sessionTokens.create, 'expires_in', number),
  ],
  'limits.emailChars': [limits.emailChars, field(contract.auth.login, 'email', text)],
  'limits.agentNameChars': [limits.agentNameChars, field(contract.agents.create, 'name', text)],
  'limits.agentDescriptionChars': [limits.agentDescriptionChars, field(contract.agents.create, 'description', text)],
  'limits.instructionsChars': [limits.instructionsChars, field(contract.agents.create, 'config.instructions', text)],
  'limits.inputTemplateChars': [
    limits.inputTemplateChars,
    field(contract.agents.create, 'config.input_template', text),
  ],
  'limits.providerKeyChars': [limits.providerKeyChars, field(contract.providerKeys.set, 'key', text)],
  'limits.toolsPerAgent': [limits.toolsPerAgent, field(contract.agents.create, 'config.tools', texts)],
  'limits.fallbackModelsPerAgent': [
    limits.fallbackModelsPerAgent,
    field(contract.agents.create, 'config.fallback_models', texts),
  ],
  'limits.policiesPerAgent': [limits.policiesPerAgent, field(contract.agents.create, 'policies', texts)],
  'limits.stepsMax': [limits.stepsMax, field(contract.agents.create, 'limits.max_steps', number)],
  'limits.versionMax': [limits.versionMax, field(contract.agents.update, 'catalog_version', number)],
  'limits.signingSecretOverlapMaxHours': [
    limits.signingSecretOverlapMaxHours,
    field(contract.agents.rotateSigningSecret, 'overlap_hours', number),
  ],
  'limits.rollbackRulesMax': [
    limits.rollbackRulesMax,
    field(contract.agents.update, 'rollout.rollback_rules', texts, canary),
  ],
  'limits.rollbackMinRunsMax': [
    limits.rollbackMinRunsMax,
    field(contract.agents.update, 'rollout.rollback_rules.0.min_runs', number, canary),
  ],
  'limits.webhookEvents': [limits.webhookEvents, field(contract.webhooks.create, 'events', texts)],
  'limits.webhookUrlChars': [limits.webhookUrlChars, field(contract.webhooks.create, 'url', text)],
  'limits.webhookSecretOverlapMaxHours': [
    limits.webhookSecretOverlapMaxHours,
    field(contract.webhooks.rotateSecret, 'overlap_hours', number),
  ],
  'limits.alertRuleNameChars': [limits.alertRuleNameChars, field(contract.alertRules.create, 'name', text)],
  'limits.alertThresholdMax': [limits.alertThresholdMax, field(contract.alertRules.create, 'threshold', number)],
  'limits.alertWindowMaxSeconds': [
    limits.alertWindowMaxSeconds,
    field(contract.alertRules.create, 'window_seconds', number),
  ],
  'limits.alertForMaxSeconds': [limits.alertForMaxSeconds, field(contract.alertRules.create, 'for_seconds', number)],
  'limits.alertSampleSizeMax': [
    limits.alertSampleSizeMax,
    field(contract.alertRules.create, 'min_sample_size', number),
  ],
  'limits.policyNameChars': [limits.policyNameChars, field(contract.policies.create, 'name', text)],
  'limits.policyDescriptionChars': [
    limits.policyDescriptionChars,
    field(contract.policies.create, 'description', text),
  ],
  'limits.rulesPerPolicy': [limits.rulesPerPolicy, field(contract.policies.create, 'rules', texts)],
  'limits.trialRunsMax': [limits.trialRunsMax, field(trial, 'sample', number)],
  'limits.trialCostMaxUsd': [limits.trialCostMaxUsd, field(trial, 'max_cost_usd', number)],
  'limits.pageSizeMax': [limits.pageSizeMax, field(contract.agents.list, 'limit', digits)],
  'peopleLimits.nameChars': [peopleLimits.nameChars, field(contract.auth.updateMe, 'name', text)],
  'peopleLimits.linkTokenChars': [peopleLimits.linkTokenChars, field(contract.auth.acceptInvitation, 'token', text)],
  'batchLimits.batchItems': [batchLimits.batchItems, field(contract.batches.create, 'items', texts)],
  'connectorLimits.nameChars': [connectorLimits.nameChars, field(contract.connectors.create, 'name', text)],
  'connectorLimits.urlChars': [connectorLimits.urlChars, field(contract.connectors.create, 'url', text)],
  'connectorLimits.credentialChars': [
    connectorLimits.credentialChars,
    field(contract.connectors.create, 'auth.value', text, headerAuth),
  ],
  'connectorLimits.headerChars': [
    connectorLimits.headerChars,
    field(contract.connectors.create, 'auth.header', text, headerAuth),
  ],
  'connectorLimits.toolNameChars': [
    connectorLimits.toolNameChars,
    field(contract.connectors.approveTool, 'name', text),
  ],
  'pipelineRunBounds.timeoutMaxSeconds': [
    pipelineRunBounds.timeoutMaxSeconds,
    field(contract.pipelineRuns.create, 'timeout_seconds', number),
  ],
  'pipelineBounds.pipelineNameChars': [
    pipelineBounds.pipelineNameChars,
    field(contract.pipelines.create, 'name', text),
  ],
  'pipelineBounds.pipelineDescriptionChars': [
    pipelineBounds.pipelineDescriptionChars,
    field(contract.pipelines.create, 'description', text),
  ],
  'pipelineBounds.steps': [pipelineBounds.steps, field(contract.pipelines.create, 'definition.steps', texts)],
  'pipelineBounds.keyChars': [pipelineBounds.keyChars, step('key', text)],
  'pipelineBounds.expressionChars': [pipelineBounds.expressionChars, step('when', text)],
  'pipelineBounds.maxParallel': [pipelineBounds.maxParallel, step('max_parallel', number)],
  'pipelineBounds.retryAttempts': [pipelineBounds.retryAttempts, step('retry.attempts', number)],
  'pipelineBounds.retryCodes': [pipelineBounds.retryCodes, step('retry.on', texts)],
  'pipelineBounds.retryCodeChars': [
    pipelineBounds.retryCodeChars,
    field(contract.pipelines.create, 'definition.steps.0.retry.on.0', text, {
      definition: { steps: [{ retry: { on: [] } }] },
    }),
  ],
  'pipelineBounds.approvalTimeoutSeconds': [pipelineBounds.approvalTimeoutSeconds, step('timeout_seconds', number)],
  'pipelineBounds.approvalMessageChars': [pipelineBounds.approvalMessageChars, step('approval.message', text)],
  'ruleLimits.patternChars': [ruleLimits.patternChars, rule('regex', 'pattern', text)],
  'ruleLimits.matchChars': [ruleLimits.matchChars, rule('regex', 'max_match_chars', number)],
  'ruleLimits.words': [ruleLimits.words, rule('keywords', 'words', texts)],
  'ruleLimits.wordChars': [ruleLimits.wordChars, rule('keywords', 'words.0', text)],
  'ruleLimits.hosts': [ruleLimits.hosts, rule('url_allow', 'hosts', texts)],
  'ruleLimits.hostChars': [ruleLimits.hostChars, rule('url_allow', 'hosts.0', text)],
  'ruleLimits.maxLengthChars': [ruleLimits.maxLengthChars, rule('max_length', 'chars', number)],
  'ruleLimits.expressionChars': [ruleLimits.expressionChars, rule('expression', 'expression', text)],
  'ruleLimits.messageChars': [ruleLimits.messageChars, rule('expression', 'message', text)],
  'ruleLimits.instructionsChars': [ruleLimits.instructionsChars, rule('model', 'instructions', text)],
  'ruleLimits.entities': [ruleLimits.entities, rule('presidio', 'entities', texts)],
  'ruleLimits.urlChars': [ruleLimits.urlChars, rule('http', 'url', text)],
  'ruleLimits.credentialChars': [ruleLimits.credentialChars, rule('http', 'credential', text)],
  'ruleLimits.timeLimitMaxMs': [ruleLimits.timeLimitMaxMs, rule('http', 'time_limit_ms', number)],
  'scheduleLimits.nameChars': [scheduleLimits.nameChars, field(contract.schedules.create, 'name', text)],
  'scheduleLimits.cronChars': [scheduleLimits.cronChars, field(contract.schedules.create, 'cron', text)],
  'scheduleLimits.zoneChars': [scheduleLimits.zoneChars, field(contract.schedules.create, 'time_zone', text)],
  'scheduleLimits.maxIntervalSeconds': [
    scheduleLimits.maxIntervalSeconds,
    field(contract.schedules.create, 'interval_seconds', number),
  ],
  'scheduleLimits.maxBudgetUsd': [
    scheduleLimits.maxBudgetUsd,
    field(contract.schedules.create, 'monthly_budget_usd', number),
  ],
  'fieldLimits.modelNameChars': [fieldLimits.modelNameChars, field(contract.agents.create, 'config.model', text)],
  'fieldLimits.toolNameChars': [
    fieldLimits.toolNameChars,
    field(contract.agents.create, 'config.tools.0.allow.0', text, { config: { tools: [{ allow: [] }] } }),
  ],
  'fieldLimits.toolsNamed': [
    fieldLimits.toolsNamed,
    field(contract.agents.create, 'config.tools.0.allow', texts, { config: { tools: [{}] } }),
  ],
  'fieldLimits.outputTokens': [
    fieldLimits.outputTokens,
    field(contract.agents.create, 'config.max_output_tokens', number),
  ],
  'fieldLimits.agentBudgetUsd': [
    fieldLimits.agentBudgetUsd,
    field(contract.agents.create, 'limits.budget_usd', number),
  ],
  'fieldLimits.agentConcurrentRuns': [
    fieldLimits.agentConcurrentRuns,
    field(contract.agents.create, 'limits.max_concurrent_runs', number),
  ],
  'fieldLimits.monthlyBudgetUsd': [
    fieldLimits.monthlyBudgetUsd,
    field(contract.organisation.update, 'monthly_budget_usd', number),
  ],
  'fieldLimits.keyOfThingChars': [fieldLimits.keyOfThingChars, field(contract.policies.create, 'template', text)],
  'fieldLimits.searchChars': [fieldLimits.searchChars, field(contract.agents.list, 'q', text)],
  'fieldLimits.scopesListed': [fieldLimits.scopesListed, field(contract.apiKeys.create, 'scopes', texts)],
  'fieldLimits.scopeChars': [fieldLimits.scopeChars, field(contract.apiKeys.create, 'scopes.0', text, { scopes: [] })],
  'fieldLimits.actionChars': [
    fieldLimits.actionChars,
    field(contract.auditLog.list, 'action', (size) => `a.${'b'.repeat(size - 2)}`),
  ],
  'fieldLimits.passwordParts': [
    fieldLimits.passwordParts * limits.passwordMaxChars,
    field(contract.auth.login, 'password', text),
  ],
  'fieldLimits.rollbackWindowSeconds': [
    fieldLimits.rollbackWindowSeconds,
    field(contract.agents.update, 'rollout.rollback_rules.0.window_seconds', number, canary),
  ],
  'fieldLimits.canaryPercent': [
    fieldLimits.canaryPercent,
    field(contract.agents.update, 'rollout.traffic_percent', number, canary),
  ],
  'fieldLimits.countriesOfRule': [fieldLimits.countriesOfRule, rule('pii', 'countries', texts)],
  'fieldLimits.entityChars': [fieldLimits.entityChars, rule('presidio', 'entities.0', text)],
  'fieldLimits.zoneChars': [fieldLimits.zoneChars, field(contract.analytics.get, 'time_zone', text)],
  'fieldLimits.eventTypeChars': [fieldLimits.eventTypeChars, field(contract.webhooks.test, 'event_type', text)],
  'fieldLimits.webhookDescriptionChars': [
    fieldLimits.webhookDescriptionChars,
    field(contract.webhooks.create, 'description', text),
  ],
  'fieldLimits.webhookSecretSentChars': [
    fieldLimits.webhookSecretSentChars,
    field(contract.webhooks.create, 'secret', text),
  ],
}

/** The request with the field set to a size, as far as the field needs it. */
const requestWith = ({ at, within, size }: Field, n: number): object => {
  const request = structuredClone(within) as Record<string, unknown>
  const path = at.split('.')
  let place: Record<string, unknown> = request
  for (const [depth, name] of path.slice(0, -1).entries()) {
    place[name] ??= /^\d+$/.test(path[depth + 1] ?? '') ? [] : {}
    place = place[name] as Record<string, unknown>
  }
  place[path.at(-1) ?? ''] = size(n)
  return request
}

/** Whether the size of the field, or of a name in it, is a fault. Other fields may be faulty. */
const isTooBig = (given: Field, n: number): boolean =>
  (given.schema.safeParse(requestWith(given, n)).error?.issues ?? []).some(({ code, path, message }) => {
    const isHere = path.join('.') === given.at
    const isNameHere = path.slice(0, -1).join('.') === given.at && code === 'invalid_key'
    return (isHere && (code === 'too_big' || /^must (have at most|be an integer from)/.test(message))) || isNameHere
  })

test.each(Object.entries(fields))('a field is accepted at %s and refused above', (_, [size, given]) => {
  expect(isTooBig(given, size)).toBe(false)
  expect(isTooBig(given, size + 1)).toBe(true)
})
