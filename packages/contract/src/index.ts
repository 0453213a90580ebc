import { agents } from './agents.ts'
import { apiKeys } from './api-keys.ts'
import { auditLog } from './audit-log.ts'
import { auth, sessions } from './auth.ts'
import { catalog } from './catalog.ts'
import { connectors } from './connectors.ts'
import { deployments } from './deployments.ts'
import { events } from './events.ts'
import { members } from './members.ts'
import { models } from './models.ts'
import type { Operations } from './operation.ts'
import { organisation } from './organisation.ts'
import { runs } from './runs.ts'
import { sessionTokens } from './session-tokens.ts'
import { webhooks } from './webhooks.ts'

/** The whole contract: operations by resource. */
export const contract = {
  runs,
  agents,
  catalog,
  models,
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
  auditLog,
} as const satisfies Record<string, Operations>

/** The version is the last segment of the base URL; the revision is a label in every response. */
export const apiBasePath = '/v2'
export const apiRevision = 'v2.4'
export const apiVersion = '2.4.0'

export {
  Agent,
  AgentDiff,
  AgentVersion,
  AgentWithSecret,
  CreateAgent,
  HireAgent,
  NewAgent,
  ReleasedAgent,
  UpdateAgent,
} from './agents.ts'
export { ApiKey, CreateApiKey, demoScopes, NewApiKey, RevokedApiKey, UpdateApiKey } from './api-keys.ts'
export { AuditEntry } from './audit-log.ts'
export { Email, Me, peopleLimits, Role, roles, Session, SessionRecord } from './auth.ts'
export { authorityRows, conditionInWords, requiredScopes } from './authority.ts'
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
export { type EventType, eventTypes, isEventType, isPlannedEvent, runEventTypes, subscribable } from './event-data.ts'
export { eventSample } from './event-samples.ts'
export { Event, eventEnvelopes } from './events.ts'
export {
  ActionId,
  AgentId,
  ApiKeyId,
  AuditEntryId,
  ConnectorId,
  DeliveryId,
  DeploymentId,
  EventId,
  type Id,
  InvitationId,
  MemberId,
  OrganisationId,
  PipelineRunId,
  RecoveryId,
  RunId,
  RunShareId,
  SessionId,
  UserId,
  WebhookId,
} from './ids.ts'
export { limits } from './limits.ts'
export { Invitation, Member, MemberSummary } from './members.ts'
export { Model } from './models.ts'
export {
  Answer,
  type ConditionalScope,
  EventStream,
  type Handlers,
  type Named,
  type Openness,
  type Operation,
  type Operations,
  type StreamSink,
} from './operation.ts'
export { OrganisationDetails } from './organisation.ts'
export { type Plan, type PlanLimits, plans } from './plans.ts'
export { Run, type RunErrorCode, runErrorCodes } from './run.ts'
export { RunFrame } from './run-frames.ts'
export { CreatedRunShare, RunShare } from './run-shares.ts'
export { type RunStatus, runStatuses } from './run-status.ts'
export { RunDiagnosis, RunStep } from './run-views.ts'
export { type Scope, scopes } from './scopes.ts'
export { CreateSessionToken, SessionToken } from './session-tokens.ts'
export { Webhook } from './webhook.ts'
export { CreateWebhook, Delivery, Recovery, UpdateWebhook, WebhookWithSecret } from './webhooks.ts'
