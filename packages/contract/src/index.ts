import { agents } from './agents.ts'
import { alertDestinations } from './alert-destinations.ts'
import { alertRules, alerts } from './alerts.ts'
import { apiKeys } from './api-keys.ts'
import { auditLog } from './audit-log.ts'
import { auth, sessions } from './auth.ts'
import { batches } from './batches.ts'
import { budgets } from './budgets.ts'
import { catalog } from './catalog.ts'
import { connectors } from './connectors.ts'
import { deployments } from './deployments.ts'
import { events } from './events.ts'
import { members } from './members.ts'
import { models } from './models.ts'
import type { Operations } from './operation.ts'
import { organisation } from './organisation.ts'
import { pipelineRuns } from './pipeline-runs.ts'
import { pipelines } from './pipelines.ts'
import { policies, policyTemplates } from './policies.ts'
import { policyTrials } from './policy-trials.ts'
import { providerKeys } from './provider-keys.ts'
import { runs } from './runs.ts'
import { schedules } from './schedules.ts'
import { sessionTokens } from './session-tokens.ts'
import { analytics, usage } from './usage.ts'
import { webhooks } from './webhooks.ts'

/** The whole contract: operations by resource. */
export const contract = {
  runs,
  agents,
  catalog,
  models,
  providerKeys,
  deployments,
  connectors,
  webhooks,
  events,
  apiKeys,
  sessionTokens,
  auth,
  sessions,
  organisation,
  members,
  alertDestinations,
  auditLog,
  usage,
  analytics,
  alertRules,
  alerts,
  budgets,
  policies,
  policyTemplates,
  policyTrials,
  pipelines,
  pipelineRuns,
  schedules,
  batches,
} as const satisfies Record<string, Operations>

/** The version is the last segment of the base URL; the revision is a label in every response. */
export const apiBasePath = '/v2'
export const apiRevision = 'v2.4'
export const apiVersion = '2.4.0'

export {
  Agent,
  AgentDiff,
  AgentPrompt,
  AgentVersion,
  AgentWithSecret,
  CreateAgent,
  HireAgent,
  NewAgent,
  ReleasedAgent,
  UpdateAgent,
} from './agents.ts'
export {
  Alert,
  AlertMetric,
  AlertPreview,
  AlertRule,
  AlertSnapshot,
  type AlertTerms,
  alertMetrics,
} from './alert.ts'
export type { AlertDestination } from './alert-destinations.ts'
export { CreateAlertRule, PreviewAlertRule, UpdateAlertRule } from './alerts.ts'
export { ApiKey, CreateApiKey, demoScopes, NewApiKey, RevokedApiKey, UpdateApiKey } from './api-keys.ts'
export { AuditEntry } from './audit-log.ts'
export { Email, type EmailProof, Me, peopleLimits, Role, roles, Session, SessionRecord } from './auth.ts'
export {
  type AuthorityRow,
  authorityRows,
  conditionInWords,
  demoReach,
  narrowedReach,
  reachesRunsOfOthers,
  requiredScopes,
  storedInWords,
} from './authority.ts'
export { Batch, BatchItemId, BatchResult, batchLimits, CreateBatch } from './batch.ts'
export type { Budget, BudgetInput } from './budget.ts'
export { CatalogAgent } from './catalog.ts'
export {
  Connector,
  ConnectorTool,
  CreateConnector,
  connectorLimits,
  RefreshedConnector,
  UpdateConnector,
} from './connectors.ts'
export { Deployment, RollbackRule, Rollout, rollbackMetrics } from './deployment.ts'
export type { DeploymentComparison, MetricEstimate } from './deployment-comparison.ts'
export { ErrorBody } from './error-body.ts'
export { type ErrorCode, errors, errorType, protocolErrors } from './errors.ts'
export {
  type ChangedPolicy,
  type EventType,
  eventTypes,
  isEventType,
  isPlannedEvent,
  runEventTypes,
  subscribable,
} from './event-data.ts'
export { eventSample } from './event-samples.ts'
export { Event, eventEnvelopes } from './events.ts'
export {
  ActionId,
  AgentId,
  AlertDestinationId,
  AlertId,
  AlertRuleId,
  ApiKeyId,
  AuditEntryId,
  BatchId,
  ConnectorId,
  DeliveryId,
  DeploymentId,
  EventId,
  type Id,
  InvitationId,
  MemberId,
  OrganisationId,
  PipelineId,
  PipelineRunId,
  PolicyAttachmentId,
  PolicyId,
  PolicyTrialId,
  RecoveryId,
  RunId,
  RunShareId,
  ScheduleFiringId,
  ScheduleId,
  SessionId,
  UserId,
  WebhookId,
} from './ids.ts'
export { limits } from './limits.ts'
export {
  Invitation,
  Member,
  MemberSummary,
  type NotificationKind,
  type Notifications,
  notificationKinds,
} from './members.ts'
export { Model } from './models.ts'
export {
  Answer,
  type ConditionalScope,
  type Duty,
  duties,
  EventStream,
  type Handlers,
  LineStream,
  type Named,
  type Openness,
  type Operation,
  type Operations,
  type StoredFact,
  type StoredScope,
  type StreamSink,
  storedFacts,
} from './operation.ts'
export { OrganisationDetails } from './organisation.ts'
export {
  type Pipeline,
  type PipelineCheck,
  type PipelineDefinition,
  type PipelineDiff,
  type PipelineVersion,
  pipelineBounds,
} from './pipeline.ts'
export {
  type PipelineItem,
  type PipelineRun,
  type PipelineRunDiagnosis,
  PipelineRunFrame,
  type PipelineStep,
  pipelineRunBounds,
} from './pipeline-run.ts'
export type { CreatePipelineRun, SendPipelineAction } from './pipeline-runs.ts'
export { CreatePipeline, UpdatePipeline } from './pipelines.ts'
export { type Plan, type PlanLimits, plans, unlimitedCallsPerMonth } from './plans.ts'
export { AttachPolicy, CreatePolicy, UpdatePolicy } from './policies.ts'
export {
  Policy,
  PolicyAttachment,
  PolicyTemplate,
  PolicyVersion,
  type policyChanges,
  type StreamDelay,
} from './policy.ts'
export {
  PolicyRule,
  policyActions,
  policyChecks,
  policyStages,
  RuleInput,
  ruleLimits,
  sendingChecks,
} from './policy-rule.ts'
export { PolicyTrial, TryPolicy } from './policy-trials.ts'
export { keyedProviders, ProviderKey } from './provider-keys.ts'
export { Run, type RunErrorCode, runErrorCodes } from './run.ts'
export { RunFrame } from './run-frames.ts'
export { CreatedRunShare, RunShare } from './run-shares.ts'
export { type RunStatus, runStatuses } from './run-status.ts'
export { HeldContent, RunDiagnosis, RunStep } from './run-views.ts'
export { type PauseReason, Schedule, ScheduleFiring, scheduleLimits } from './schedule.ts'
export type { CreateSchedule, UpdateSchedule } from './schedules.ts'
export { type Scope, scopes } from './scopes.ts'
export { CreateSessionToken, SessionToken } from './session-tokens.ts'
export { type UnavailableReason, unavailableReasons } from './unavailable-reasons.ts'
export {
  Analytics,
  type AnalyticsExport,
  type AnalyticsFigures,
  analyticsGroups,
  analyticsIntervals,
  Usage,
} from './usage.ts'
export { Waiting } from './waiting.ts'
export { Webhook } from './webhook.ts'
export { CreateWebhook, Delivery, Recovery, UpdateWebhook, WebhookWithSecret } from './webhooks.ts'
