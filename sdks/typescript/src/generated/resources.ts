// Made by `pnpm gen` from packages/contract/openapi.json. Change the contract, not this file.

import type { ApiCall } from '../api-call.ts'
import type { CallOptions, CreateOptions, StreamOptions, WaitOptions } from '../options.ts'
import type { ListCall } from '../page.ts'
import { type Caller, resourceOf } from '../resource.ts'
import type { RunStream } from '../run-stream.ts'
import type { Stream } from '../stream.ts'
import type {
  Agent,
  AgentDiff,
  AgentPrompt,
  AgentStats,
  AgentVersion,
  AgentWithSecret,
  AgentsCreateParams,
  AgentsDiffParams,
  AgentsHireParams,
  AgentsListParams,
  AgentsPromptParams,
  AgentsRotateSigningSecretParams,
  AgentsUpdateParams,
  AgentsVersionsParams,
  Alert,
  AlertDestination,
  AlertDestinationsCreateParams,
  AlertDestinationsListParams,
  AlertPreview,
  AlertRule,
  AlertRulesCreateParams,
  AlertRulesListParams,
  AlertRulesPreviewParams,
  AlertRulesUpdateParams,
  AlertsListParams,
  Analytics,
  AnalyticsExport,
  AnalyticsExportParams,
  AnalyticsGetParams,
  ApiKey,
  ApiKeysCreateParams,
  ApiKeysListParams,
  ApiKeysRevokeParams,
  ApiKeysUpdateParams,
  AuditEntry,
  AuditLogListParams,
  AuthAcceptInvitationParams,
  AuthChangePasswordParams,
  AuthLoginParams,
  AuthProveEmailParams,
  AuthResetPasswordParams,
  AuthSwitchOrganisationParams,
  AuthUpdateMeParams,
  Batch,
  BatchResult,
  BatchesCreateParams,
  BatchesListParams,
  BatchesResultsParams,
  Budget,
  BudgetsListParams,
  CatalogAgent,
  CatalogListParams,
  Connector,
  ConnectorTool,
  ConnectorsApproveToolParams,
  ConnectorsCreateParams,
  ConnectorsListParams,
  ConnectorsUpdateParams,
  CreatedAgent,
  CreatedApiKey,
  CreatedInvitation,
  CreatedRunShare,
  DeletedProviderKey,
  Delivery,
  Deployment,
  DeploymentComparison,
  DeploymentsListParams,
  DeploymentsPromoteParams,
  DeploymentsRollbackParams,
  EmailProof,
  Event,
  EventsListParams,
  EventsWatchParams,
  HeldContent,
  Invitation,
  KeyedProvider,
  Me,
  Member,
  MemberSummary,
  MembersDirectoryParams,
  MembersInvitationsParams,
  MembersInviteParams,
  MembersListParams,
  MembersRemoveParams,
  MembersResetPasswordParams,
  MembersUpdateNotificationsParams,
  MembersUpdateParams,
  Model,
  ModelsListParams,
  Notifications,
  OrganisationDetails,
  OrganisationUpdateParams,
  PasswordReset,
  PasswordResetLink,
  Pipeline,
  PipelineCheck,
  PipelineDiff,
  PipelineItem,
  PipelineRun,
  PipelineRunDiagnosis,
  PipelineRunFrame,
  PipelineRunsActParams,
  PipelineRunsCreateParams,
  PipelineRunsItemsParams,
  PipelineRunsListParams,
  PipelineRunsRerunParams,
  PipelineVersion,
  PipelinesCheckParams,
  PipelinesCreateParams,
  PipelinesDiffParams,
  PipelinesListParams,
  PipelinesUpdateParams,
  PipelinesVersionsParams,
  PoliciesAttachParams,
  PoliciesAttachmentsParams,
  PoliciesCreateParams,
  PoliciesListParams,
  PoliciesUpdateParams,
  PoliciesVersionsParams,
  Policy,
  PolicyAttachment,
  PolicyTemplate,
  PolicyTemplatesListParams,
  PolicyTrial,
  PolicyTrialsCreateParams,
  PolicyTrialsListParams,
  PolicyVersion,
  ProviderKey,
  ProviderKeysListParams,
  ProviderKeysSetParams,
  Recovery,
  RefreshedConnector,
  ReleasedAgent,
  RevokedApiKey,
  Run,
  RunDiagnosis,
  RunShare,
  RunStep,
  RunsActParams,
  RunsCreateParams,
  RunsHeldParams,
  RunsListParams,
  RunsShareParams,
  RunsSharesParams,
  RunsStepsParams,
  RunsStreamParams,
  RunsWatchParams,
  Schedule,
  ScheduleFiring,
  SchedulesCreateParams,
  SchedulesFiringsParams,
  SchedulesListParams,
  SchedulesUpdateParams,
  Session,
  SessionRecord,
  SessionToken,
  SessionTokensCreateParams,
  SessionsListParams,
  Usage,
  UsageGetParams,
  Webhook,
  WebhookWithSecret,
  WebhooksCreateParams,
  WebhooksDeliveriesParams,
  WebhooksListParams,
  WebhooksMissedParams,
  WebhooksRecoverParams,
  WebhooksRecoveriesParams,
  WebhooksRotateSecretParams,
  WebhooksTestParams,
  WebhooksUpdateParams,
} from './types.ts'

export const sdkVersion = '0.1.0'

/** Create, stream, read, answer and cancel runs of agents. */
export type Runs = {
  /**
   * List runs with filters.
   *
   * Requires the scope `runs:read`.
   */
  list(params?: RunsListParams, options?: CallOptions): ListCall<Run>
  /**
   * Invoke an agent.
   *
   * Creates a run and waits for its result, up to 55 seconds by default; `Prefer` changes the wait. Returns 200 if the run has ended, and 202 if it has not ended or waits for a person. The run then continues; read it at `Location`.
   *
   * Requires the scope `runs:write`.
   *
   * Error codes: `agent_archived`, `budget_exhausted`, `concurrency_exceeded`, `config_invalid`, `guardrail_blocked`, `idempotency_key_reused`, `input_invalid`, `not_found`, `quota_exceeded`, `storage_exceeded`, `timeout_not_allowed`.
   */
  create(params: RunsCreateParams, options?: CallOptions & CreateOptions & WaitOptions): ApiCall<Run>
  /**
   * Stream run output as SSE.
   *
   * Creates a run and streams its frames until the run ends. If the connection breaks, the run continues; resume with `GET /runs/{id}/stream`.
   *
   * Requires the scope `runs:write`.
   *
   * Error codes: `agent_archived`, `budget_exhausted`, `concurrency_exceeded`, `config_invalid`, `guardrail_blocked`, `idempotency_key_reused`, `input_invalid`, `not_found`, `quota_exceeded`, `storage_exceeded`, `timeout_not_allowed`.
   */
  stream(params: RunsStreamParams, options?: StreamOptions & CreateOptions): RunStream
  /**
   * Get a run result.
   *
   * Requires the scope `runs:read`. Pages of other origins can call it with a short-lived token only. The token of a link to the run can call it.
   *
   * Error codes: `not_found`.
   */
  get(id: string, options?: CallOptions): ApiCall<Run>
  /**
   * Cancel a run.
   *
   * Stops the run, including a model call in progress. A run that has ended is returned unchanged.
   *
   * Requires the scope `runs:write`. Pages of other origins can call it with a short-lived token only.
   *
   * Error codes: `not_found`.
   */
  cancel(id: string, options?: CallOptions): ApiCall<Run>
  /**
   * Stream an existing run from any frame.
   *
   * Streams the frames of a run from the beginning, or after the frame in `Last-Event-ID` or `after`. Works for active and ended runs, as long as the run is kept.
   *
   * Requires the scope `runs:read`. Pages of other origins can call it with a short-lived token only. The token of a link to the run can call it.
   *
   * Error codes: `not_found`.
   */
  watch(id: string, params?: RunsWatchParams, options?: StreamOptions): RunStream
  /**
   * List the steps of a run.
   *
   * Lists model calls and tool calls with arguments, results, tokens, cost and times, oldest first. `after` and `before` are step numbers.
   *
   * Requires the scope `runs:read`. The token of a link to the run can call it.
   *
   * Error codes: `not_found`.
   */
  steps(id: string, params?: RunsStepsParams, options?: CallOptions): ListCall<RunStep>
  /**
   * Explain why a run does not progress.
   *
   * Says what the run waits for, since when, and when its next deadline is.
   *
   * Requires the scope `runs:read`.
   *
   * Error codes: `not_found`.
   */
  diagnose(id: string, options?: CallOptions): ApiCall<RunDiagnosis>
  /**
   * Read what a policy holds back.
   *
   * Shows the content that waits for an approval because of a rule with the action `require_approval`. It is 404 when no such action is open: after the decision, the expiry or the end of the run, the content is not shown here.
   *
   * Requires the scope `runs:approve`.
   *
   * Error codes: `not_found`.
   */
  held(id: string, params?: RunsHeldParams, options?: CallOptions): ApiCall<HeldContent>
  /**
   * Send an action to an active run.
   *
   * `approve`, `reject` and `respond` answer an open action of `required_actions`. `message` adds a user message for the next step. Sending the same decision again has no further effect.
   *
   * Requires the scope `runs:write`. Requires `runs:approve` instead if `type` is or contains `approve`, `reject` or `respond`. Pages of other origins can call it with a short-lived token only.
   *
   * Error codes: `action_already_resolved`, `action_id_required`, `action_not_applicable`, `guardrail_blocked`, `idempotency_key_reused`, `no_open_action`, `not_found`, `payload_invalid`, `run_not_active`, `too_many_actions`.
   */
  act(id: string, params: RunsActParams, options?: CallOptions & CreateOptions): ApiCall<Run>
  /**
   * Erase the data of an ended run.
   *
   * Erases input, output, steps and events. The record of the run stays, with status, times, metadata and error.
   *
   * Requires the scope `runs:erase`.
   *
   * Error codes: `not_found`, `run_not_ended`.
   */
  erase(id: string, options?: CallOptions): ApiCall<Run>
  /**
   * List the links to a run.
   *
   * Links that have expired or were revoked are not listed. The token is never shown again.
   *
   * Requires the scope `runs:share`.
   *
   * Error codes: `not_found`.
   */
  shares(id: string, params?: RunsSharesParams, options?: CallOptions): ListCall<RunShare>
  /**
   * Share a run by a link.
   *
   * Makes a read-only link to the run, its steps and its stream. It also ends with the key or the membership of its maker, and when the data of the run is erased. Only this response contains the token.
   *
   * Requires the scopes `runs:share` and `runs:read`. A short-lived token cannot call it.
   *
   * Error codes: `idempotency_key_reused`, `limit_reached`, `not_found`.
   */
  share(id: string, params?: RunsShareParams, options?: CallOptions & CreateOptions): ApiCall<CreatedRunShare>
  /**
   * Revoke a link to a run.
   *
   * The link stops working everywhere within 5 seconds, also for open streams.
   *
   * Requires the scope `runs:share`.
   *
   * Error codes: `not_found`.
   */
  revokeShare(id: string, shareId: string, options?: CallOptions): ApiCall<RunShare>
}

/** Hire, create, change and archive agents, and read their versions. */
export type Agents = {
  /**
   * List all agents.
   *
   * Requires the scope `agents:read`.
   */
  list(params?: AgentsListParams, options?: CallOptions): ListCall<Agent>
  /**
   * Get an agent by id.
   *
   * Requires the scope `agents:read`.
   *
   * Error codes: `not_found`.
   */
  get(id: string, options?: CallOptions): ApiCall<Agent>
  /**
   * Update agent configuration.
   *
   * Omitted fields stay unchanged, null clears a field, objects are merged, lists and schemas are replaced. A change creates a new version and deploys it to all runs or, with `rollout`, to a share of them. Active runs stay on their version. A budget belongs to no version.
   *
   * Requires the scope `agents:write`. Requires `connectors:read` too if `config.tools` is set. Requires `runs:read` too if `config.url` is set.
   *
   * Error codes: `agent_archived`, `config_invalid`, `limit_reached`, `not_found`, `secrets_disabled`, `url_not_allowed`, `version_conflict`.
   */
  update(id: string, params: AgentsUpdateParams, options?: CallOptions): ApiCall<ReleasedAgent>
  /**
   * Archive an agent.
   *
   * Active runs finish; new runs are rejected with `agent_archived` until the agent is unarchived. Archiving again has no effect.
   *
   * Requires the scope `agents:write`.
   *
   * Error codes: `not_found`.
   */
  archive(id: string, options?: CallOptions): ApiCall<Agent>
  /**
   * Return an archived agent to service.
   *
   * The agent accepts runs and changes again, with the configuration and the deployments that it had. It counts towards the limit of agents again. An active agent is returned unchanged.
   *
   * Requires the scope `agents:write`.
   *
   * Error codes: `limit_reached`, `not_found`.
   */
  unarchive(id: string, options?: CallOptions): ApiCall<Agent>
  /**
   * Replace the signing secret of a remote agent.
   *
   * For `overlap_hours`, `webhook-signature` contains the signatures of both secrets. 0 switches immediately. The secret belongs to the agent and not to a version: a rollback does not restore an old one, and active runs use the new one too. After a second rotation within this time, the secret before it is the old one.
   *
   * Requires the scope `agents:write`.
   *
   * Error codes: `agent_not_remote`, `idempotency_key_reused`, `not_found`, `secrets_disabled`.
   */
  rotateSigningSecret(id: string, params?: AgentsRotateSigningSecretParams, options?: CallOptions & CreateOptions): ApiCall<AgentWithSecret>
  /**
   * Hire a catalog agent into the organisation.
   *
   * Each request creates an agent. To retry safely, send an `Idempotency-Key`.
   *
   * Requires the scope `agents:write`. Requires `connectors:read` too if `config.tools` is set. A key that is narrowed to agents, or a demo key, cannot call it.
   *
   * Error codes: `config_invalid`, `idempotency_key_reused`, `limit_reached`, `not_found`, `secrets_disabled`, `url_not_allowed`.
   */
  hire(catalogKey: string, params?: AgentsHireParams, options?: CallOptions & CreateOptions): ApiCall<ReleasedAgent>
  /**
   * Create a custom organisation agent.
   *
   * Requires the scope `agents:write`. Requires `connectors:read` too if `config.tools` is set. Requires `runs:read` too if `config.url` is set. A key that is narrowed to agents, or a demo key, cannot call it.
   *
   * Error codes: `config_invalid`, `idempotency_key_reused`, `limit_reached`, `not_found`, `secrets_disabled`, `url_not_allowed`.
   */
  create(params: AgentsCreateParams, options?: CallOptions & CreateOptions): ApiCall<CreatedAgent>
  /**
   * Show the messages that a model would receive.
   *
   * For an agent, or for a configuration that is not saved, and an input. Policies judge the input as that of a run, but for rules that ask a model or a host, and the answer holds what they leave of it. No model is called, and nothing is stored.
   *
   * Requires the scope `agents:read`.
   *
   * Error codes: `config_invalid`, `guardrail_blocked`, `input_invalid`, `not_found`.
   */
  prompt(params: AgentsPromptParams, options?: CallOptions): ApiCall<AgentPrompt>
  /**
   * List the versions of an agent.
   *
   * Newest first. `after` and `before` are version numbers.
   *
   * Requires the scope `agents:read`.
   *
   * Error codes: `not_found`.
   */
  versions(id: string, params?: AgentsVersionsParams, options?: CallOptions): ListCall<AgentVersion>
  /**
   * Get one version of an agent.
   *
   * Requires the scope `agents:read`.
   *
   * Error codes: `not_found`.
   */
  version(id: string, version: number, options?: CallOptions): ApiCall<AgentVersion>
  /**
   * Compare two versions of an agent.
   *
   * Requires the scope `agents:read`.
   *
   * Error codes: `not_found`.
   */
  diff(id: string, version: number, params: AgentsDiffParams, options?: CallOptions): ApiCall<AgentDiff>
  /**
   * Count the active runs of an agent by state.
   *
   * Requires the scope `agents:read`. A credential that sees only its own runs cannot call it.
   *
   * Error codes: `not_found`.
   */
  stats(id: string, options?: CallOptions): ApiCall<AgentStats>
}

/** Agents that can be hired. */
export type Catalog = {
  /**
   * List catalog agents.
   *
   * Requires the scope `agents:read`.
   */
  list(params?: CatalogListParams, options?: CallOptions): ListCall<CatalogAgent>
  /**
   * Get a catalog agent by key.
   *
   * Requires the scope `agents:read`.
   *
   * Error codes: `not_found`.
   */
  get(key: string, options?: CallOptions): ApiCall<CatalogAgent>
}

/** Models that agents can use. */
export type Models = {
  /**
   * List the models that agents can use.
   *
   * The models that the operator configured, and the simulated models unless they are switched off. By id.
   *
   * Requires the scope `agents:read`.
   */
  list(params?: ModelsListParams, options?: CallOptions): ListCall<Model>
}

/** Operations on providerKeys. */
export type ProviderKeys = {
  /**
   * List the keys of model providers.
   *
   * Those that the organisation has entered. Keys of the operator are not listed.
   *
   * Requires the scope `keys:read`. A key that is narrowed to agents, or a demo key, cannot call it.
   */
  list(params?: ProviderKeysListParams, options?: CallOptions): ListCall<ProviderKey>
  /**
   * Enter the key of a model provider.
   *
   * All models of the provider can be used at once, and its calls are charged to the account of this key instead of that of the operator. The key is stored encrypted. A key that was entered before is replaced. The account of the key receives what runs send to the provider, so it needs `runs:read`.
   *
   * Requires the scopes `keys:write` and `runs:read`. A key that is narrowed to agents, or a demo key, cannot call it. A short-lived token cannot call it.
   *
   * Error codes: `secrets_disabled`.
   */
  set(params: ProviderKeysSetParams, options?: CallOptions): ApiCall<ProviderKey>
  /**
   * Delete the key of a model provider.
   *
   * The next model call uses the key of the operator, or fails if there is none. Deleting again has no effect.
   *
   * Requires the scope `keys:write`. A key that is narrowed to agents, or a demo key, cannot call it.
   */
  delete(id: KeyedProvider, options?: CallOptions): ApiCall<DeletedProviderKey>
}

/** Released versions of agents: promote and roll back. */
export type Deployments = {
  /**
   * List deployments.
   *
   * Requires the scope `agents:read`.
   */
  list(params?: DeploymentsListParams, options?: CallOptions): ListCall<Deployment>
  /**
   * Get a deployment by id.
   *
   * Requires the scope `agents:read`.
   *
   * Error codes: `not_found`.
   */
  get(id: string, options?: CallOptions): ApiCall<Deployment>
  /**
   * Compare a canary with the running version.
   *
   * Returns the figures by which the rollback rules are evaluated, for the canary and for the running version. For a deployment that is no canary any more, the window ends when it was promoted or rolled back.
   *
   * Requires the scope `agents:read`.
   *
   * Error codes: `not_found`.
   */
  compare(id: string, options?: CallOptions): ApiCall<DeploymentComparison>
  /**
   * Promote a canary.
   *
   * Without a body the canary becomes the active version. With `traffic_percent` it stays a canary with that share of runs. Promoting an active deployment has no effect.
   *
   * Requires the scope `agents:write`.
   *
   * Error codes: `agent_archived`, `deployment_not_open`, `not_found`.
   */
  promote(id: string, params?: DeploymentsPromoteParams, options?: CallOptions): ApiCall<Deployment>
  /**
   * Roll a deployment back.
   *
   * Rolling back a canary returns all new runs to the active version. Rolling back an active deployment deploys the previous version, as a new deployment with the source `rollback`. Active runs finish on their version. Rolling back again has no effect.
   *
   * Requires the scope `agents:write`.
   *
   * Error codes: `agent_archived`, `deployment_not_open`, `not_found`, `nothing_to_roll_back`.
   */
  rollback(id: string, params: DeploymentsRollbackParams, options?: CallOptions): ApiCall<Deployment>
}

/** MCP servers whose tools agents can use. */
export type Connectors = {
  /**
   * List connectors.
   *
   * Requires the scope `connectors:read`.
   */
  list(params?: ConnectorsListParams, options?: CallOptions): ListCall<Connector>
  /**
   * Add a connector.
   *
   * Adds an MCP server whose tools the agents of the organisation can use. The service lists the tools once and approves them in your name, unless `approve_tools` is false. If the server cannot be reached, the connector is created without tools and `tools_error` has the reason; refresh it later.
   *
   * Requires the scopes `connectors:write` and `runs:read`. A key that is narrowed to agents, or a demo key, cannot call it.
   *
   * Error codes: `idempotency_key_reused`, `limit_reached`, `not_found`, `secrets_disabled`, `url_not_allowed`.
   */
  create(params: ConnectorsCreateParams, options?: CallOptions & CreateOptions): ApiCall<Connector>
  /**
   * Get a connector by id.
   *
   * Requires the scope `connectors:read`.
   *
   * Error codes: `not_found`.
   */
  get(id: string, options?: CallOptions): ApiCall<Connector>
  /**
   * Change a connector.
   *
   * Changes the name, the address or the credential. After a change of the address all tools wait for approval again, and a key that changed it cannot approve them.
   *
   * Requires the scope `connectors:write`. Requires `runs:read` too if `url` is set. A key that is narrowed to agents, or a demo key, cannot call it.
   *
   * Error codes: `input_invalid`, `not_found`, `secrets_disabled`, `url_not_allowed`.
   */
  update(id: string, params: ConnectorsUpdateParams, options?: CallOptions): ApiCall<Connector>
  /**
   * Delete a connector.
   *
   * Deletes the connector and its credential. Active runs that use it fail with `tool_error` at their next step.
   *
   * Requires the scope `connectors:write`. A key that is narrowed to agents, or a demo key, cannot call it.
   *
   * Error codes: `not_found`.
   */
  delete(id: string, options?: CallOptions): ApiCall<Connector>
  /**
   * List the tools of a connector again.
   *
   * Asks the server for its tools now and returns those that are off. Nothing is approved.
   *
   * Requires the scope `connectors:write`. A key that is narrowed to agents, or a demo key, cannot call it.
   *
   * Error codes: `connector_unreachable`, `not_found`.
   */
  refresh(id: string, options?: CallOptions): ApiCall<RefreshedConnector>
  /**
   * List the tools of a connector.
   *
   * All tools by name, with what was approved and what the server lists now. The list is not paged.
   *
   * Requires the scope `connectors:read`.
   *
   * Error codes: `not_found`.
   */
  listTools(id: string, options?: CallOptions): ListCall<ConnectorTool>
  /**
   * Approve a tool as it is listed now.
   *
   * Agents can use the tool from their next step. If the tool has changed since you read its hash, nothing is approved (`tool_changed`). The key that changed the address of the connector, and the keys that it created or was rotated to, cannot approve its tools: another key or a person does.
   *
   * Requires the scope `connectors:write`. A key that is narrowed to agents, or a demo key, cannot call it.
   *
   * Error codes: `limit_reached`, `not_found`, `tool_changed`.
   */
  approveTool(id: string, name: string, params: ConnectorsApproveToolParams, options?: CallOptions): ApiCall<ConnectorTool>
}

/** Endpoints that receive events, and their deliveries. */
export type Webhooks = {
  /**
   * List webhooks.
   *
   * Requires the scope `webhooks:read`. A key that is narrowed to agents, or a demo key, cannot call it.
   *
   * Error codes: `not_found`.
   */
  list(params?: WebhooksListParams, options?: CallOptions): ListCall<Webhook>
  /**
   * Register a webhook.
   *
   * Requires the scope `webhooks:write`. Requires `runs:read` too if `events` is or contains `*`, `run.completed`, `run.failed`, `pipeline.completed`, `run.requires_action`, `run.cancelled`, `schedule.paused` or `batch.completed`. A key that is narrowed to agents, or a demo key, cannot call it.
   *
   * Error codes: `event_unknown`, `idempotency_key_reused`, `limit_reached`, `not_found`, `secret_invalid`, `secrets_disabled`, `url_not_allowed`.
   */
  create(params: WebhooksCreateParams, options?: CallOptions & CreateOptions): ApiCall<WebhookWithSecret>
  /**
   * Get a webhook by id.
   *
   * Requires the scope `webhooks:read`. A key that is narrowed to agents, or a demo key, cannot call it.
   *
   * Error codes: `not_found`.
   */
  get(id: string, options?: CallOptions): ApiCall<Webhook>
  /**
   * Change, pause or enable a webhook.
   *
   * Requires the scope `webhooks:write`. Requires `runs:read` too if `events` is or contains `*`, `run.completed`, `run.failed`, `pipeline.completed`, `run.requires_action`, `run.cancelled`, `schedule.paused` or `batch.completed`. Requires `runs:read` too if the webhook gets events of runs and its `url` changes. A key that is narrowed to agents, or a demo key, cannot call it.
   *
   * Error codes: `event_unknown`, `not_found`, `url_not_allowed`.
   */
  update(id: string, params: WebhooksUpdateParams, options?: CallOptions): ApiCall<Webhook>
  /**
   * Delete a webhook.
   *
   * Nothing more is sent to it. Its deliveries are deleted too.
   *
   * Requires the scope `webhooks:write`. A key that is narrowed to agents, or a demo key, cannot call it.
   *
   * Error codes: `not_found`.
   */
  delete(id: string, options?: CallOptions): ApiCall<Webhook>
  /**
   * Replace the signing secret.
   *
   * For `overlap_hours`, `webhook-signature` contains both signatures and `X-SERVICE-Signature` uses the old secret. 0 switches immediately. After a second rotation within this time, the secret before it is the old one.
   *
   * Requires the scope `webhooks:write`. A key that is narrowed to agents, or a demo key, cannot call it.
   *
   * Error codes: `idempotency_key_reused`, `not_found`, `secret_invalid`, `secrets_disabled`.
   */
  rotateSecret(id: string, params?: WebhooksRotateSecretParams, options?: CallOptions & CreateOptions): ApiCall<WebhookWithSecret>
  /**
   * Send a test event.
   *
   * Sends an event of type `test` to this webhook only. With `event_type`, sends a sample of that type; its ids consist of zeros and refer to nothing. Every test carries the header `X-SERVICE-Test: true`. It is signed, retried and recorded like any other event.
   *
   * Requires the scope `webhooks:write`. A key that is narrowed to agents, or a demo key, cannot call it.
   *
   * Error codes: `event_unknown`, `idempotency_key_reused`, `not_found`, `webhook_inactive`.
   */
  test(id: string, params?: WebhooksTestParams, options?: CallOptions & CreateOptions): ApiCall<Delivery>
  /**
   * List the deliveries of a webhook.
   *
   * Newest first, with attempts. Get a single delivery to see the request bodies. Without `runs:read`, requests and responses of events that hold data of runs are null.
   *
   * Requires the scope `webhooks:read`. A key that is narrowed to agents, or a demo key, cannot call it.
   *
   * Error codes: `not_found`.
   */
  deliveries(id: string, params?: WebhooksDeliveriesParams, options?: CallOptions): ListCall<Delivery>
  /**
   * Get a delivery with requests and responses.
   *
   * Requires the scope `webhooks:read`. A key that is narrowed to agents, or a demo key, cannot call it.
   *
   * Error codes: `not_found`.
   */
  delivery(id: string, deliveryId: string, options?: CallOptions): ApiCall<Delivery>
  /**
   * Send an event again.
   *
   * Creates a new delivery of the same event, with the same event id and body and three attempts.
   *
   * Requires the scope `webhooks:write`. A key that is narrowed to agents, or a demo key, cannot call it.
   *
   * Error codes: `idempotency_key_reused`, `not_found`, `webhook_inactive`.
   */
  redeliver(id: string, deliveryId: string, options?: CallOptions & CreateOptions): ApiCall<Delivery>
  /**
   * List events that a webhook never acknowledged.
   *
   * Lists events of the subscribed types, since the webhook was created, without a successful or pending delivery. Newest first. When a long time range is searched, a page can contain few events or none although `has_more` is true: continue after `last_id`.
   *
   * Requires the scope `webhooks:read`. Requires `runs:read` too if the webhook gets events of runs. A key that is narrowed to agents, or a demo key, cannot call it.
   *
   * Error codes: `not_found`.
   */
  missed(id: string, params?: WebhooksMissedParams, options?: CallOptions): ListCall<Event>
  /**
   * Deliver missed events.
   *
   * Delivers every event between `since` and `until` that the webhook has not acknowledged, oldest first, with its original id. The recovery runs in the background; read its progress or cancel it.
   *
   * Requires the scope `webhooks:write`. A key that is narrowed to agents, or a demo key, cannot call it.
   *
   * Error codes: `idempotency_key_reused`, `input_invalid`, `not_found`, `recovery_running`, `webhook_inactive`.
   */
  recover(id: string, params: WebhooksRecoverParams, options?: CallOptions & CreateOptions): ApiCall<Recovery>
  /**
   * List the recoveries of a webhook.
   *
   * Requires the scope `webhooks:read`. A key that is narrowed to agents, or a demo key, cannot call it.
   *
   * Error codes: `not_found`.
   */
  recoveries(id: string, params?: WebhooksRecoveriesParams, options?: CallOptions): ListCall<Recovery>
  /**
   * Get the progress of a recovery.
   *
   * Requires the scope `webhooks:read`. A key that is narrowed to agents, or a demo key, cannot call it.
   *
   * Error codes: `not_found`.
   */
  recovery(id: string, recoveryId: string, options?: CallOptions): ApiCall<Recovery>
  /**
   * Cancel a recovery.
   *
   * No more events are checked, and deliveries that were not sent yet are dropped. Cancelling again has no effect.
   *
   * Requires the scope `webhooks:write`. A key that is narrowed to agents, or a demo key, cannot call it.
   *
   * Error codes: `not_found`.
   */
  cancelRecovery(id: string, recoveryId: string, options?: CallOptions): ApiCall<Recovery>
}

/** Events of the organisation. */
export type Events = {
  /**
   * List events.
   *
   * Lists the events that webhooks receive, without test events. A page of large events can contain fewer than `limit`; `has_more` says whether more follow. Without `runs:read` it leaves out the events that hold data of runs.
   *
   * Requires the scope `events:read`. Requires `runs:read` too if `type` is or contains `run.completed`, `run.failed`, `pipeline.completed`, `run.requires_action`, `run.cancelled`, `schedule.paused` or `batch.completed`. A key that is narrowed to agents, or a demo key, cannot call it.
   *
   * Error codes: `not_found`.
   */
  list(params?: EventsListParams, options?: CallOptions): ListCall<Event>
  /**
   * Get an event by id.
   *
   * Requires the scope `events:read`. Requires `runs:read` too if the event is about a run. A key that is narrowed to agents, or a demo key, cannot call it.
   *
   * Error codes: `not_found`.
   */
  get(id: string, options?: CallOptions): ApiCall<Event>
  /**
   * Stream events as they happen.
   *
   * For programs without a public endpoint. Each frame is one event: `id` is its id, `event` its type, `data` the envelope. To resume without gaps, send the last event id in `Last-Event-ID` or `after`. `since` starts in the past. Without these, the stream starts now. Without `runs:read` the stream leaves out the events that hold data of runs.
   *
   * Requires the scope `events:read`. Requires `runs:read` too if `type` is or contains `run.completed`, `run.failed`, `pipeline.completed`, `run.requires_action`, `run.cancelled`, `schedule.paused` or `batch.completed`. A key that is narrowed to agents, or a demo key, cannot call it.
   *
   * Error codes: `not_found`.
   */
  watch(params?: EventsWatchParams, options?: StreamOptions): Stream<Event>
}

/** Credentials for programs. */
export type ApiKeys = {
  /**
   * List API keys.
   *
   * Includes revoked and expired keys. The complete key is never shown again. A key that is narrowed to agents gets the keys that are for no other agents.
   *
   * Requires the scope `keys:read`.
   */
  list(params?: ApiKeysListParams, options?: CallOptions): ListCall<ApiKey>
  /**
   * Create an API key.
   *
   * Only this response contains the complete key. You can grant only scopes and agents that your own credential holds, and no longer than it lives.
   *
   * Requires the scope `keys:write`. A short-lived token cannot call it.
   *
   * Error codes: `idempotency_key_reused`, `input_invalid`, `limit_reached`, `not_found`, `scope_unknown`.
   */
  create(params: ApiKeysCreateParams, options?: CallOptions & CreateOptions): ApiCall<CreatedApiKey>
  /**
   * Get an API key by id.
   *
   * Requires the scope `keys:read`.
   *
   * Error codes: `not_found`.
   */
  get(id: string, options?: CallOptions): ApiCall<ApiKey>
  /**
   * Change an API key.
   *
   * Omitted fields stay unchanged; null clears `agent_ids` and `expires_at`. Takes effect everywhere within 5 seconds. A key that ends cannot extend the permissions or the life of a key beyond its own end. No key can change its own budget.
   *
   * Requires the scope `keys:write`. A short-lived token cannot call it.
   *
   * Error codes: `input_invalid`, `key_not_active`, `not_found`, `scope_unknown`.
   */
  update(id: string, params: ApiKeysUpdateParams, options?: CallOptions): ApiCall<ApiKey>
  /**
   * Revoke an API key.
   *
   * The key stops working everywhere within 5 seconds, permanently. Revoking it again has no effect. Its tokens end with it; with `descendants=true` so do the keys below it: those that it created, its successor after a rotation, and theirs.
   *
   * Requires the scope `keys:write`. A short-lived token cannot call it.
   *
   * Error codes: `not_found`.
   */
  revoke(id: string, params?: ApiKeysRevokeParams, options?: CallOptions): ApiCall<RevokedApiKey>
  /**
   * Rotate an API key.
   *
   * Returns a new key with the same name, scopes, agents and expiry (earlier if the organisation limits the lifetime). The old key works for another 24 hours, with `Deprecation` and `Sunset` in every response. Both keys share one rate limit.
   *
   * Requires the scope `keys:write`. A short-lived token cannot call it.
   *
   * Error codes: `idempotency_key_reused`, `key_not_active`, `limit_reached`, `not_found`.
   */
  rotate(id: string, options?: CallOptions & CreateOptions): ApiCall<CreatedApiKey>
}

/** Short-lived tokens for browsers. */
export type SessionTokens = {
  /**
   * Create a short-lived token.
   *
   * For browsers. The token has a subset of the creator’s scopes and stops working when the creator’s key is revoked or the session ends. With it, a page of any origin can read, stream and cancel a run and send actions. Decisions need `runs:approve`.
   *
   * Requires any valid credential: an API key, a browser session or a short-lived token. A short-lived token cannot call it.
   *
   * Error codes: `not_found`, `scope_unknown`.
   */
  create(params: SessionTokensCreateParams, options?: CallOptions): ApiCall<SessionToken>
}

/** Login, logout, invitations and passwords. */
export type Auth = {
  /**
   * Log in.
   *
   * Starts a session and sets its cookie. A failed login returns the same error for an unknown account and a wrong password. After too many attempts it returns 429 for a while, whether or not the account exists. A browser that has logged in before has separate attempts, which others cannot use up.
   *
   * Requires no credential. Also served at the root, without the base path.
   */
  login(params: AuthLoginParams, options?: CallOptions): ApiCall<Session>
  /**
   * Log out.
   *
   * Ends the session of the cookie. Keys cannot log out; revoke them instead.
   *
   * Requires a browser session. Also served at the root, without the base path.
   */
  logout(options?: CallOptions): ApiCall<SessionRecord>
  /**
   * Show the current credential.
   *
   * Returns the person or key, the organisation and the scopes.
   *
   * Requires any valid credential: an API key, a browser session or a short-lived token. Also served at the root, without the base path.
   */
  me(options?: CallOptions): ApiCall<Me>
  /**
   * Change your name.
   *
   * Changes the name of the person of the session, in all organisations of the person.
   *
   * Requires a browser session. Also served at the root, without the base path.
   */
  updateMe(params: AuthUpdateMeParams, options?: CallOptions): ApiCall<Session>
  /**
   * Switch to another of your organisations.
   *
   * Ends this session and starts one for the other organisation, with the same end.
   *
   * Requires a browser session.
   *
   * Error codes: `not_found`.
   */
  switchOrganisation(params: AuthSwitchOrganisationParams, options?: CallOptions): ApiCall<Session>
  /**
   * Change your password.
   *
   * Ends all your other sessions. This session gets a new cookie.
   *
   * Requires a browser session.
   *
   * Error codes: `password_refused`, `password_wrong`.
   */
  changePassword(params: AuthChangePasswordParams, options?: CallOptions): ApiCall<Session>
  /**
   * Set a new password with a link.
   *
   * Ends all your sessions. The link works once.
   *
   * Requires no credential.
   *
   * Error codes: `link_invalid`, `password_refused`.
   */
  resetPassword(params: AuthResetPasswordParams, options?: CallOptions): ApiCall<PasswordReset>
  /**
   * Get a mail that proves your address.
   *
   * Sends a link to your e-mail address. It works once, for 24 hours, in a session of your account. Only proven addresses get other mails. If the address is proven, nothing is sent.
   *
   * Requires a browser session.
   *
   * Error codes: `limit_reached`, `mail_disabled`.
   */
  sendEmailProof(options?: CallOptions): ApiCall<EmailProof>
  /**
   * Prove your address with a link.
   *
   * Requires a browser session.
   *
   * Error codes: `email_taken`, `link_invalid`.
   */
  proveEmail(params: AuthProveEmailParams, options?: CallOptions): ApiCall<EmailProof>
  /**
   * Accept an invitation.
   *
   * Makes you a member and logs you in. Without a session you choose a password, and a new account is created in this organisation only, even if your address has an account elsewhere. To join with the account that you have, log in first and send its password with the session cookie.
   *
   * Requires no credential.
   *
   * Error codes: `limit_reached`, `link_invalid`, `member_exists`, `password_refused`, `password_wrong`.
   */
  acceptInvitation(params: AuthAcceptInvitationParams, options?: CallOptions): ApiCall<Session>
}

/** Browser sessions of the current person. */
export type Sessions = {
  /**
   * List your sessions.
   *
   * Lists your active browser sessions in all your organisations.
   *
   * Requires a browser session.
   */
  list(params?: SessionsListParams, options?: CallOptions): ListCall<SessionRecord>
  /**
   * End one of your sessions.
   *
   * Requires a browser session.
   *
   * Error codes: `not_found`.
   */
  end(id: string, options?: CallOptions): ApiCall<SessionRecord>
}

/** The organisation of the credential, with its plan and limits. */
export type OrganisationResource = {
  /**
   * Show the organisation.
   *
   * Returns the organisation of the credential, with its plan and its limits.
   *
   * Requires any valid credential: an API key, a browser session or a short-lived token.
   */
  get(options?: CallOptions): ApiCall<OrganisationDetails>
  /**
   * Change the organisation.
   *
   * For owners and admins: its name and its budget. Plan and limits are set by the operator of the service.
   *
   * Requires the scope `members:write`. A key that is narrowed to agents, or a demo key, cannot call it. A short-lived token cannot call it.
   */
  update(params?: OrganisationUpdateParams, options?: CallOptions): ApiCall<OrganisationDetails>
}

/** Members of the organisation and invitations. */
export type Members = {
  /**
   * List members.
   *
   * Requires the scope `members:write`. A key that is narrowed to agents, or a demo key, cannot call it.
   */
  list(params?: MembersListParams, options?: CallOptions): ListCall<Member>
  /**
   * List the names of members.
   *
   * Returns the name and role of each member, without e-mail addresses, so that every page can name the person behind a `usr_…` id.
   *
   * Requires the scope `members:write`. A browser session needs no scope.
   */
  directory(params?: MembersDirectoryParams, options?: CallOptions): ListCall<MemberSummary>
  /**
   * List invitations.
   *
   * Requires the scope `members:write`. A key that is narrowed to agents, or a demo key, cannot call it.
   */
  invitations(params?: MembersInvitationsParams, options?: CallOptions): ListCall<Invitation>
  /**
   * Invite a person.
   *
   * Creates a link that works once, for 7 days. If `mailed` is false, pass it on yourself. A new invitation to the same address withdraws the earlier one. You cannot grant a role above your own.
   *
   * Requires the scope `members:write`. A key that is narrowed to agents, or a demo key, cannot call it.
   *
   * Error codes: `input_invalid`, `limit_reached`, `member_exists`.
   */
  invite(params: MembersInviteParams, options?: CallOptions): ApiCall<CreatedInvitation>
  /**
   * Withdraw an invitation.
   *
   * Requires the scope `members:write`. A key that is narrowed to agents, or a demo key, cannot call it.
   *
   * Error codes: `not_found`.
   */
  revokeInvitation(id: string, options?: CallOptions): ApiCall<Invitation>
  /**
   * Show what you get mails about.
   *
   * In the organisation of the session.
   *
   * Requires a browser session.
   */
  notifications(options?: CallOptions): ApiCall<Notifications>
  /**
   * Choose what you get mails about.
   *
   * Requires a browser session.
   */
  updateNotifications(params: MembersUpdateNotificationsParams, options?: CallOptions): ApiCall<Notifications>
  /**
   * Change the role of a member.
   *
   * Takes effect within 5 seconds, also for open sessions.
   *
   * Requires the scope `members:write`. A key that is narrowed to agents, or a demo key, cannot call it.
   *
   * Error codes: `last_owner`, `not_found`.
   */
  update(id: string, params: MembersUpdateParams, options?: CallOptions): ApiCall<Member>
  /**
   * Remove a member.
   *
   * Ends the person’s sessions in this organisation. While API keys that the person created are active, `keys` must say whether to revoke them, with all keys below them, or to keep them; otherwise the response is 422 `keys_undecided`.
   *
   * Requires the scope `members:write`. Requires `keys:write` too if `keys` is or contains `revoke`. A key that is narrowed to agents, or a demo key, cannot call it.
   *
   * Error codes: `keys_undecided`, `last_owner`, `not_found`.
   */
  remove(id: string, params?: MembersRemoveParams, options?: CallOptions): ApiCall<Member>
  /**
   * Create a link to set a new password.
   *
   * The link works once, for 24 hours, and invalidates earlier ones. A person can create it only for a member with a lower role. The operator can create one for everybody.
   *
   * Requires the scope `members:write`. A key that is narrowed to agents, or a demo key, cannot call it. Only a browser session can call it.
   *
   * Error codes: `not_found`, `password_reset_refused`.
   */
  resetPassword(params: MembersResetPasswordParams, options?: CallOptions): ApiCall<PasswordResetLink>
}

/** Operations on alertDestinations. */
export type AlertDestinations = {
  /**
   * List alert destinations.
   *
   * Requires the scope `alerts:read`. A key that is narrowed to agents, or a demo key, cannot call it.
   */
  list(params?: AlertDestinationsListParams, options?: CallOptions): ListCall<AlertDestination>
  /**
   * Send alerts to a chat channel.
   *
   * Every alert that fires or resolves is posted there. At most 10 per organisation.
   *
   * Requires the scope `alerts:write`. A key that is narrowed to agents, or a demo key, cannot call it.
   *
   * Error codes: `idempotency_key_reused`, `limit_reached`, `secrets_disabled`, `url_not_allowed`.
   */
  create(params: AlertDestinationsCreateParams, options?: CallOptions & CreateOptions): ApiCall<AlertDestination>
  /**
   * Delete an alert destination.
   *
   * Requires the scope `alerts:write`. A key that is narrowed to agents, or a demo key, cannot call it.
   *
   * Error codes: `not_found`.
   */
  delete(id: string, options?: CallOptions): ApiCall<AlertDestination>
}

/** Administrative operations of the organisation. */
export type AuditLog = {
  /**
   * List audit log entries.
   *
   * Lists administrative operations with actor, address, and the values before and after. Entries are never changed or deleted. A key that is narrowed to agents gets its own entries, and those about its agents.
   *
   * Requires the scope `audit:read`.
   */
  list(params?: AuditLogListParams, options?: CallOptions): ListCall<AuditEntry>
}

/** Operations on usage. */
export type UsageResource = {
  /**
   * Show plan limits and monthly usage.
   *
   * With a key that is narrowed to some agents, the figures of runs are those of its agents.
   *
   * Requires the scope `usage:read`. A credential that sees only its own runs cannot call it.
   *
   * Error codes: `input_invalid`.
   */
  get(params?: UsageGetParams, options?: CallOptions): ApiCall<Usage>
}

/** Operations on analytics. */
export type AnalyticsResource = {
  /**
   * Show how runs went.
   *
   * Totals, percentiles, a series and lists of a period, with the totals of the period before.
   *
   * Requires the scope `analytics:read`. A credential that sees only its own runs cannot call it.
   *
   * Error codes: `input_invalid`, `range_too_large`.
   */
  get(params?: AnalyticsGetParams, options?: CallOptions): ApiCall<Analytics>
  /**
   * Export the series as CSV.
   *
   * Returns `text/csv`, or JSON with the CSV in `content` to a client that accepts `application/json` by name.
   *
   * Requires the scope `analytics:read`. A credential that sees only its own runs cannot call it.
   *
   * Error codes: `input_invalid`, `range_too_large`.
   */
  export(params?: AnalyticsExportParams, options?: CallOptions): ApiCall<AnalyticsExport>
}

/** Rules that watch figures, and previews of them. */
export type AlertRules = {
  /**
   * List alert rules.
   *
   * Requires the scope `alerts:read`. A credential that sees only its own runs cannot call it.
   */
  list(params?: AlertRulesListParams, options?: CallOptions): ListCall<AlertRule>
  /**
   * Create an alert rule.
   *
   * The service evaluates the rule about every 10 seconds. When it fires, `alert.triggered` is sent once. It resolves when the value has stayed 10 % clear of the threshold, or absent, for the longest of its window, `for_seconds` and 5 minutes.
   *
   * Requires the scope `alerts:write`. A credential that sees only its own runs cannot call it.
   *
   * Error codes: `idempotency_key_reused`, `input_invalid`, `limit_reached`, `not_found`.
   */
  create(params: AlertRulesCreateParams, options?: CallOptions & CreateOptions): ApiCall<AlertRule>
  /**
   * Get an alert rule by id.
   *
   * Requires the scope `alerts:read`. A credential that sees only its own runs cannot call it.
   *
   * Error codes: `not_found`.
   */
  get(id: string, options?: CallOptions): ApiCall<AlertRule>
  /**
   * Change or disable an alert rule.
   *
   * If more than name or severity changes, the rule starts again in state `ok` and its alert is resolved.
   *
   * Requires the scope `alerts:write`. A credential that sees only its own runs cannot call it.
   *
   * Error codes: `input_invalid`, `not_found`.
   */
  update(id: string, params: AlertRulesUpdateParams, options?: CallOptions): ApiCall<AlertRule>
  /**
   * Delete an alert rule.
   *
   * Its alert is resolved. Alerts of the past are kept.
   *
   * Requires the scope `alerts:write`. A credential that sees only its own runs cannot call it.
   *
   * Error codes: `not_found`.
   */
  delete(id: string, options?: CallOptions): ApiCall<AlertRule>
  /**
   * Send a test alert.
   *
   * Sends `alert.triggered` of this rule with `test: true` to every webhook that subscribes to it. Its value is the threshold, and the alert is not stored.
   *
   * Requires the scope `alerts:write`. A credential that sees only its own runs cannot call it.
   *
   * Error codes: `not_found`.
   */
  test(id: string, options?: CallOptions): ApiCall<Alert>
  /**
   * Preview an alert rule.
   *
   * Returns when the rule would have fired over the last 7 days, evaluated for every minute. `quota_used` and `action_waiting_minutes` have no history (`input_invalid`).
   *
   * Requires the scope `alerts:read`. A credential that sees only its own runs cannot call it.
   *
   * Error codes: `input_invalid`, `not_found`.
   */
  preview(params: AlertRulesPreviewParams, options?: CallOptions): ApiCall<AlertPreview>
}

/** Rules that fired. */
export type Alerts = {
  /**
   * List alerts.
   *
   * Requires the scope `alerts:read`. A credential that sees only its own runs cannot call it.
   */
  list(params?: AlertsListParams, options?: CallOptions): ListCall<Alert>
  /**
   * Get an alert by id.
   *
   * Requires the scope `alerts:read`. A credential that sees only its own runs cannot call it.
   *
   * Error codes: `not_found`.
   */
  get(id: string, options?: CallOptions): ApiCall<Alert>
}

/** Operations on budgets. */
export type Budgets = {
  /**
   * List budgets and what was spent.
   *
   * A key that is limited to some agents sees the budgets of these agents and its own.
   *
   * Requires the scope `usage:read`.
   */
  list(params?: BudgetsListParams, options?: CallOptions): ListCall<Budget>
}

/** Rules for what enters and leaves runs, and where they apply. */
export type Policies = {
  /**
   * List policies.
   *
   * Requires the scope `policies:read`. A key that is narrowed to agents, or a demo key, cannot call it.
   */
  list(params?: PoliciesListParams, options?: CallOptions): ListCall<Policy>
  /**
   * Create a policy from rules or from a template.
   *
   * It works where it is attached: `POST /policies/{id}/attachments`.
   *
   * Requires the scope `policies:write`. Requires `runs:read` too if `rules.check` is or contains `http`, `presidio` or `model`. Requires `runs:read` too if `params.model` is set. A key that is narrowed to agents, or a demo key, cannot call it.
   *
   * Error codes: `idempotency_key_reused`, `limit_reached`, `policy_invalid`, `secrets_disabled`.
   */
  create(params?: PoliciesCreateParams, options?: CallOptions & CreateOptions): ApiCall<Policy>
  /**
   * Get a policy by id.
   *
   * Requires the scope `policies:read`. A key that is narrowed to agents, or a demo key, cannot call it.
   *
   * Error codes: `not_found`.
   */
  get(id: string, options?: CallOptions): ApiCall<Policy>
  /**
   * Change a policy.
   *
   * It applies to every run accepted 5 seconds later. New rules that block or ask also apply to active runs. `mode: shadow` renews the 14 days.
   *
   * Requires the scope `policies:write`. Requires `runs:read` too if `rules.check` is or contains `http`, `presidio` or `model`. Requires `runs:read` too if a rule of the policy has such a check and its `mode` changes. A key that is narrowed to agents, or a demo key, cannot call it.
   *
   * Error codes: `limit_reached`, `not_found`, `policy_archived`, `policy_invalid`, `secrets_disabled`, `version_conflict`.
   */
  update(id: string, params: PoliciesUpdateParams, options?: CallOptions): ApiCall<Policy>
  /**
   * Archive a policy.
   *
   * Its attachments end. Archiving again has no effect.
   *
   * Requires the scope `policies:write`. A key that is narrowed to agents, or a demo key, cannot call it.
   *
   * Error codes: `not_found`.
   */
  archive(id: string, options?: CallOptions): ApiCall<Policy>
  /**
   * List the versions of a policy.
   *
   * Newest first. `after` and `before` are version numbers.
   *
   * Requires the scope `policies:read`. A key that is narrowed to agents, or a demo key, cannot call it.
   *
   * Error codes: `not_found`.
   */
  versions(id: string, params?: PoliciesVersionsParams, options?: CallOptions): ListCall<PolicyVersion>
  /**
   * List the attachments of a policy.
   *
   * Requires the scope `policies:read`. A key that is narrowed to agents, or a demo key, cannot call it.
   *
   * Error codes: `not_found`.
   */
  attachments(id: string, params?: PoliciesAttachmentsParams, options?: CallOptions): ListCall<PolicyAttachment>
  /**
   * Attach a policy to the organisation, an agent or an API key.
   *
   * An attachment that exists is returned as it is.
   *
   * Requires the scope `policies:write`. Requires `runs:read` too if a rule of the policy has the check `http`, `presidio` or `model`. A key that is narrowed to agents, or a demo key, cannot call it.
   *
   * Error codes: `idempotency_key_reused`, `limit_reached`, `not_found`, `policy_archived`.
   */
  attach(id: string, params: PoliciesAttachParams, options?: CallOptions & CreateOptions): ApiCall<PolicyAttachment>
  /**
   * Detach a policy.
   *
   * Requires the scope `policies:write`. A key that is narrowed to agents, or a demo key, cannot call it.
   *
   * Error codes: `not_found`.
   */
  detach(id: string, attachmentId: string, options?: CallOptions): ApiCall<PolicyAttachment>
}

/** Policies with parameters. */
export type PolicyTemplates = {
  /**
   * List policy templates.
   *
   * Requires the scope `policies:read`.
   */
  list(params?: PolicyTemplatesListParams, options?: CallOptions): ListCall<PolicyTemplate>
  /**
   * Get a policy template by key.
   *
   * Requires the scope `policies:read`.
   *
   * Error codes: `not_found`.
   */
  get(key: string, options?: CallOptions): ApiCall<PolicyTemplate>
}

/** What policies would have done in past runs. */
export type PolicyTrials = {
  /**
   * List the trials of a policy.
   *
   * Requires the scopes `policies:read` and `runs:read`. A key that is narrowed to agents, or a demo key, cannot call it.
   *
   * Error codes: `not_found`.
   */
  list(id: string, params?: PolicyTrialsListParams, options?: CallOptions): ListCall<PolicyTrial>
  /**
   * Try a policy on past runs.
   *
   * It runs in the background with the newest rules of the policy. Nothing is written to runs.
   *
   * Requires the scopes `policies:write` and `runs:read`. A key that is narrowed to agents, or a demo key, cannot call it.
   *
   * Error codes: `idempotency_key_reused`, `input_invalid`, `limit_reached`, `not_found`, `policy_archived`.
   */
  create(id: string, params: PolicyTrialsCreateParams, options?: CallOptions & CreateOptions): ApiCall<PolicyTrial>
  /**
   * Get the progress and the result of a trial.
   *
   * Requires the scopes `policies:read` and `runs:read`. A key that is narrowed to agents, or a demo key, cannot call it.
   *
   * Error codes: `not_found`.
   */
  get(id: string, trialId: string, options?: CallOptions): ApiCall<PolicyTrial>
  /**
   * Cancel a trial.
   *
   * It keeps what it has counted. Cancelling again has no effect.
   *
   * Requires the scopes `policies:write` and `runs:read`. A key that is narrowed to agents, or a demo key, cannot call it.
   *
   * Error codes: `not_found`.
   */
  cancel(id: string, trialId: string, options?: CallOptions): ApiCall<PolicyTrial>
}

/** Steps that run agents and ask people: create, check, change and archive. */
export type Pipelines = {
  /**
   * List pipelines.
   *
   * Requires the scope `pipelines:read`. A key that is narrowed to agents, or a demo key, cannot call it.
   */
  list(params?: PipelinesListParams, options?: CallOptions): ListCall<Pipeline>
  /**
   * Create a pipeline.
   *
   * The definition is checked as a whole: steps that depend on each other in a circle, unknown steps, agents and fields, and expressions. Each problem has its path, and its position within an expression.
   *
   * Requires the scope `pipelines:write`. A key that is narrowed to agents, or a demo key, cannot call it.
   *
   * Error codes: `config_invalid`, `idempotency_key_reused`, `limit_reached`.
   */
  create(params: PipelinesCreateParams, options?: CallOptions & CreateOptions): ApiCall<Pipeline>
  /**
   * Check a definition without saving it.
   *
   * Returns the problems that `POST /pipelines` would refuse.
   *
   * Requires the scope `pipelines:read`. A key that is narrowed to agents, or a demo key, cannot call it.
   */
  check(params: PipelinesCheckParams, options?: CallOptions): ApiCall<PipelineCheck>
  /**
   * Get a pipeline by id.
   *
   * Requires the scope `pipelines:read`. A key that is narrowed to agents, or a demo key, cannot call it.
   *
   * Error codes: `not_found`.
   */
  get(id: string, options?: CallOptions): ApiCall<Pipeline>
  /**
   * Change a pipeline.
   *
   * Omitted fields stay unchanged. Another name, description or definition creates a new version, which new pipeline runs use. Active pipeline runs stay on their version. Metadata is merged and belongs to no version.
   *
   * Requires the scope `pipelines:write`. A key that is narrowed to agents, or a demo key, cannot call it.
   *
   * Error codes: `config_invalid`, `limit_reached`, `not_found`, `pipeline_archived`, `version_conflict`.
   */
  update(id: string, params: PipelinesUpdateParams, options?: CallOptions): ApiCall<Pipeline>
  /**
   * Archive a pipeline.
   *
   * Active pipeline runs finish; new ones are rejected. Archiving again has no effect.
   *
   * Requires the scope `pipelines:write`. A key that is narrowed to agents, or a demo key, cannot call it.
   *
   * Error codes: `not_found`.
   */
  archive(id: string, options?: CallOptions): ApiCall<Pipeline>
  /**
   * Return an archived pipeline to service.
   *
   * The pipeline accepts runs and changes again. It counts towards the limit of pipelines again. An active pipeline is returned unchanged.
   *
   * Requires the scope `pipelines:write`. A key that is narrowed to agents, or a demo key, cannot call it.
   *
   * Error codes: `limit_reached`, `not_found`.
   */
  unarchive(id: string, options?: CallOptions): ApiCall<Pipeline>
  /**
   * List the versions of a pipeline.
   *
   * Newest first. `after` and `before` are version numbers.
   *
   * Requires the scope `pipelines:read`. A key that is narrowed to agents, or a demo key, cannot call it.
   *
   * Error codes: `not_found`.
   */
  versions(id: string, params?: PipelinesVersionsParams, options?: CallOptions): ListCall<PipelineVersion>
  /**
   * Get one version of a pipeline.
   *
   * Requires the scope `pipelines:read`. A key that is narrowed to agents, or a demo key, cannot call it.
   *
   * Error codes: `not_found`.
   */
  version(id: string, version: number, options?: CallOptions): ApiCall<PipelineVersion>
  /**
   * Compare two versions of a pipeline.
   *
   * Steps are compared by their keys.
   *
   * Requires the scope `pipelines:read`. A key that is narrowed to agents, or a demo key, cannot call it.
   *
   * Error codes: `not_found`.
   */
  diff(id: string, version: number, params: PipelinesDiffParams, options?: CallOptions): ApiCall<PipelineDiff>
}

/** Start, stream, read, decide, cancel and repeat runs of pipelines. */
export type PipelineRuns = {
  /**
   * Start a pipeline run.
   *
   * Returns when the pipeline run is stored; it does not wait for the steps. Read it at `Location`, follow its stream, or subscribe to `pipeline.completed`. Each step runs with the rights of the caller, which are checked again at its start.
   *
   * Requires the scope `runs:write`.
   *
   * Error codes: `budget_exhausted`, `guardrail_blocked`, `idempotency_key_reused`, `input_invalid`, `limit_reached`, `not_found`, `pipeline_archived`, `storage_exceeded`.
   */
  create(id: string, params?: PipelineRunsCreateParams, options?: CallOptions & CreateOptions): ApiCall<PipelineRun>
  /**
   * List pipeline runs with filters.
   *
   * Requires the scopes `pipelines:read` and `runs:read`.
   */
  list(params?: PipelineRunsListParams, options?: CallOptions): ListCall<PipelineRun>
  /**
   * Get a pipeline run by id.
   *
   * Requires the scopes `pipelines:read` and `runs:read`.
   *
   * Error codes: `not_found`.
   */
  get(id: string, options?: CallOptions): ApiCall<PipelineRun>
  /**
   * Cancel a pipeline run.
   *
   * Cancels the runs of its steps and starts no further one. One that has ended is returned unchanged.
   *
   * Requires the scope `runs:write`.
   *
   * Error codes: `not_found`.
   */
  cancel(id: string, options?: CallOptions): ApiCall<PipelineRun>
  /**
   * Stream a pipeline run.
   *
   * Begins with the whole pipeline run, then sends each change of a step, and ends with the pipeline run. For the text that an agent produces, stream the run of the step.
   *
   * Requires the scopes `pipelines:read` and `runs:read`.
   *
   * Error codes: `not_found`.
   */
  watch(id: string, options?: StreamOptions): Stream<PipelineRunFrame>
  /**
   * List the items of a step.
   *
   * In the order of the list of `for_each`. `after` and `before` are numbers of items.
   *
   * Requires the scopes `pipelines:read` and `runs:read`.
   *
   * Error codes: `not_found`.
   */
  items(id: string, key: string, params?: PipelineRunsItemsParams, options?: CallOptions): ListCall<PipelineItem>
  /**
   * Explain why a pipeline run does not progress.
   *
   * Requires the scopes `pipelines:read` and `runs:read`.
   *
   * Error codes: `not_found`.
   */
  diagnose(id: string, options?: CallOptions): ApiCall<PipelineRunDiagnosis>
  /**
   * Decide an approval step of a pipeline run.
   *
   * Answers an open action of `required_actions` whose `run_id` is null. Sending the same decision again has no further effect.
   *
   * Requires the scope `runs:approve`.
   *
   * Error codes: `action_already_resolved`, `action_id_required`, `budget_exhausted`, `guardrail_blocked`, `idempotency_key_reused`, `no_open_action`, `not_found`, `payload_invalid`, `run_not_active`.
   */
  act(id: string, params: PipelineRunsActParams, options?: CallOptions & CreateOptions): ApiCall<PipelineRun>
  /**
   * Run a pipeline again from a step.
   *
   * Starts a pipeline run of the same version with the same input. Steps that do not come after `from_step` keep their outputs and are not run again. If such an output was erased or has expired, it is 422. An approval step among them is not asked again: the first decision counts once more, and `steps[].decision` names it. To be asked again, run from the approval step.
   *
   * Requires the scope `runs:write`. Requires `runs:approve` too if a step that runs again depends on an approval that is kept.
   *
   * Error codes: `budget_exhausted`, `guardrail_blocked`, `idempotency_key_reused`, `input_invalid`, `limit_reached`, `not_found`, `pipeline_archived`, `run_not_ended`, `storage_exceeded`.
   */
  rerun(id: string, params: PipelineRunsRerunParams, options?: CallOptions & CreateOptions): ApiCall<PipelineRun>
  /**
   * Erase the data of an ended pipeline run.
   *
   * Erases input, output, lists and payloads of decisions, and the data of its runs. The records stay, with status, times, metadata and error.
   *
   * Requires the scope `runs:erase`.
   *
   * Error codes: `not_found`, `run_not_ended`.
   */
  erase(id: string, options?: CallOptions): ApiCall<PipelineRun>
}

/** Dates at which agents and pipelines start, and what came of them. */
export type Schedules = {
  /**
   * List schedules.
   *
   * Requires the scope `schedules:read`. A credential that sees only its own runs cannot call it.
   */
  list(params?: SchedulesListParams, options?: CallOptions): ListCall<Schedule>
  /**
   * Create a schedule.
   *
   * Set one of `cron`, `interval_seconds` and `once_at`, and one of `agent_id` and `pipeline_id`. Dates are at least 60 seconds apart. The runs start as the caller, whose right is checked at every firing. At most 1000 per organisation.
   *
   * Requires the scopes `schedules:write` and `runs:write`. A credential that sees only its own runs cannot call it. A short-lived token cannot call it.
   *
   * Error codes: `agent_archived`, `budget_exhausted`, `guardrail_blocked`, `idempotency_key_reused`, `input_invalid`, `limit_reached`, `not_found`, `pipeline_archived`.
   */
  create(params: SchedulesCreateParams, options?: CallOptions & CreateOptions): ApiCall<Schedule>
  /**
   * Get a schedule by id.
   *
   * Requires the scope `schedules:read`. A credential that sees only its own runs cannot call it.
   *
   * Error codes: `not_found`.
   */
  get(id: string, options?: CallOptions): ApiCall<Schedule>
  /**
   * Change a schedule.
   *
   * A new timing replaces the old one, and counts from now on. A new target or input makes the caller the creator of the schedule.
   *
   * Requires the scopes `schedules:write` and `runs:write`. A credential that sees only its own runs cannot call it. A short-lived token cannot call it.
   *
   * Error codes: `agent_archived`, `budget_exhausted`, `guardrail_blocked`, `input_invalid`, `not_found`, `pipeline_archived`.
   */
  update(id: string, params: SchedulesUpdateParams, options?: CallOptions): ApiCall<Schedule>
  /**
   * Delete a schedule.
   *
   * Firings that have not started are skipped. Runs that have started continue.
   *
   * Requires the scope `schedules:write`. A credential that sees only its own runs cannot call it.
   *
   * Error codes: `not_found`.
   */
  delete(id: string, options?: CallOptions): ApiCall<Schedule>
  /**
   * Pause a schedule.
   *
   * Firings that have not started are skipped. Dates that pass during the pause do not fire later.
   *
   * Requires the scope `schedules:write`. A credential that sees only its own runs cannot call it.
   *
   * Error codes: `not_found`.
   */
  pause(id: string, options?: CallOptions): ApiCall<Schedule>
  /**
   * Resume a schedule.
   *
   * If the service paused it, the caller becomes its creator, because the right of the creator was lost.
   *
   * Requires the scopes `schedules:write` and `runs:write`. A credential that sees only its own runs cannot call it. A short-lived token cannot call it.
   *
   * Error codes: `agent_archived`, `input_invalid`, `not_found`, `pipeline_archived`.
   */
  resume(id: string, options?: CallOptions): ApiCall<Schedule>
  /**
   * Fire a schedule now.
   *
   * Starts the target as the creator of the schedule, within a few seconds, also while it is paused. The rule for overlaps applies.
   *
   * Requires the scopes `schedules:write` and `runs:write`. A credential that sees only its own runs cannot call it. A short-lived token cannot call it.
   *
   * Error codes: `idempotency_key_reused`, `not_found`.
   */
  run(id: string, options?: CallOptions & CreateOptions): ApiCall<ScheduleFiring>
  /**
   * List the firings of a schedule.
   *
   * The last 1000 are kept, for at most 90 days.
   *
   * Requires the scope `schedules:read`. A credential that sees only its own runs cannot call it.
   *
   * Error codes: `not_found`.
   */
  firings(id: string, params?: SchedulesFiringsParams, options?: CallOptions): ListCall<ScheduleFiring>
}

/** Many runs of one agent, which use the capacity that other runs leave. */
export type Batches = {
  /**
   * List batches.
   *
   * Requires the scope `runs:read`. A credential that sees only its own runs cannot call it.
   */
  list(params?: BatchesListParams, options?: CallOptions): ListCall<Batch>
  /**
   * Create a batch.
   *
   * Starts one run for each item, as fast as the plan allows and without delaying other runs: a batch leaves a fifth of the concurrent runs free. An organisation has at most 20 active batches.
   *
   * Requires the scope `runs:write`. A credential that sees only its own runs cannot call it.
   *
   * Error codes: `agent_archived`, `body_too_large`, `budget_exhausted`, `guardrail_blocked`, `idempotency_key_reused`, `limit_reached`, `not_found`, `storage_exceeded`.
   */
  create(params: BatchesCreateParams, options?: CallOptions & CreateOptions): ApiCall<Batch>
  /**
   * Get the progress of a batch.
   *
   * Requires the scope `runs:read`. A credential that sees only its own runs cannot call it.
   *
   * Error codes: `not_found`.
   */
  get(id: string, options?: CallOptions): ApiCall<Batch>
  /**
   * Cancel a batch.
   *
   * Starts no further item and cancels the runs of the batch. A batch that has ended is returned unchanged.
   *
   * Requires the scope `runs:write`. A credential that sees only its own runs cannot call it.
   *
   * Error codes: `not_found`.
   */
  cancel(id: string, options?: CallOptions): ApiCall<Batch>
  /**
   * List the results of a batch.
   *
   * In the order of the items, also while the batch is active.
   *
   * Requires the scope `runs:read`. A credential that sees only its own runs cannot call it.
   *
   * Error codes: `not_found`.
   */
  results(id: string, params?: BatchesResultsParams, options?: CallOptions): ListCall<BatchResult>
  /**
   * Erase the data of an ended batch.
   *
   * Erases its inputs, its metadata and the data of its runs, in the background. `erased_at` says when it is done.
   *
   * Requires the scope `runs:erase`. A credential that sees only its own runs cannot call it.
   *
   * Error codes: `not_found`, `run_not_ended`.
   */
  erase(id: string, options?: CallOptions): ApiCall<Batch>
}

/** Every operation as data: the client is one loop over them. */
export const operations = {
  runs: {
    list: { method: 'GET', path: '/runs', answers: 'list', takes: 'query' },
    create: { method: 'POST', path: '/runs', answers: 'record', takes: 'body', idempotent: true, waits: true },
    stream: { method: 'POST', path: '/runs/stream', answers: 'run_stream', takes: 'body', idempotent: true, resumesAt: '/runs/{id}/stream' },
    get: { method: 'GET', path: '/runs/{id}', answers: 'record' },
    cancel: { method: 'DELETE', path: '/runs/{id}', answers: 'record' },
    watch: { method: 'GET', path: '/runs/{id}/stream', answers: 'run_stream', takes: 'query' },
    steps: { method: 'GET', path: '/runs/{id}/steps', answers: 'list', takes: 'query' },
    diagnose: { method: 'GET', path: '/runs/{id}/diagnosis', answers: 'record' },
    held: { method: 'GET', path: '/runs/{id}/held', answers: 'record', takes: 'query' },
    act: { method: 'POST', path: '/runs/{id}/action', answers: 'record', takes: 'body', idempotent: true },
    erase: { method: 'DELETE', path: '/runs/{id}/data', answers: 'record' },
    shares: { method: 'GET', path: '/runs/{id}/shares', answers: 'list', takes: 'query' },
    share: { method: 'POST', path: '/runs/{id}/shares', answers: 'record', takes: 'body', idempotent: true },
    revokeShare: { method: 'DELETE', path: '/runs/{id}/shares/{share_id}', answers: 'record' },
  },
  agents: {
    list: { method: 'GET', path: '/agents', answers: 'list', takes: 'query' },
    get: { method: 'GET', path: '/agents/{id}', answers: 'record' },
    update: { method: 'PATCH', path: '/agents/{id}', answers: 'record', takes: 'body' },
    archive: { method: 'DELETE', path: '/agents/{id}', answers: 'record' },
    unarchive: { method: 'POST', path: '/agents/{id}/unarchive', answers: 'record' },
    rotateSigningSecret: { method: 'POST', path: '/agents/{id}/rotate-signing-secret', answers: 'record', takes: 'body', idempotent: true },
    hire: { method: 'POST', path: '/agents/{catalog_key}/deploy', answers: 'record', takes: 'body', idempotent: true },
    create: { method: 'POST', path: '/agents/custom', answers: 'record', takes: 'body', idempotent: true },
    prompt: { method: 'POST', path: '/agents/prompt', answers: 'record', takes: 'body' },
    versions: { method: 'GET', path: '/agents/{id}/versions', answers: 'list', takes: 'query' },
    version: { method: 'GET', path: '/agents/{id}/versions/{version}', answers: 'record' },
    diff: { method: 'GET', path: '/agents/{id}/versions/{version}/diff', answers: 'record', takes: 'query' },
    stats: { method: 'GET', path: '/agents/{id}/stats', answers: 'record' },
  },
  catalog: {
    list: { method: 'GET', path: '/catalog', answers: 'list', takes: 'query' },
    get: { method: 'GET', path: '/catalog/{key}', answers: 'record' },
  },
  models: {
    list: { method: 'GET', path: '/models', answers: 'list', takes: 'query' },
  },
  providerKeys: {
    list: { method: 'GET', path: '/provider-keys', answers: 'list', takes: 'query' },
    set: { method: 'POST', path: '/provider-keys', answers: 'record', takes: 'body' },
    delete: { method: 'DELETE', path: '/provider-keys/{id}', answers: 'record' },
  },
  deployments: {
    list: { method: 'GET', path: '/deployments', answers: 'list', takes: 'query' },
    get: { method: 'GET', path: '/deployments/{id}', answers: 'record' },
    compare: { method: 'GET', path: '/deployments/{id}/comparison', answers: 'record' },
    promote: { method: 'POST', path: '/deployments/{id}/promote', answers: 'record', takes: 'body' },
    rollback: { method: 'POST', path: '/deployments/{id}/rollback', answers: 'record', takes: 'body' },
  },
  connectors: {
    list: { method: 'GET', path: '/connectors', answers: 'list', takes: 'query' },
    create: { method: 'POST', path: '/connectors', answers: 'record', takes: 'body', idempotent: true },
    get: { method: 'GET', path: '/connectors/{id}', answers: 'record' },
    update: { method: 'PATCH', path: '/connectors/{id}', answers: 'record', takes: 'body' },
    delete: { method: 'DELETE', path: '/connectors/{id}', answers: 'record' },
    refresh: { method: 'POST', path: '/connectors/{id}/refresh', answers: 'record' },
    listTools: { method: 'GET', path: '/connectors/{id}/tools', answers: 'list' },
    approveTool: { method: 'POST', path: '/connectors/{id}/tools/{name}/approve', answers: 'record', takes: 'body' },
  },
  webhooks: {
    list: { method: 'GET', path: '/webhooks', answers: 'list', takes: 'query' },
    create: { method: 'POST', path: '/webhooks', answers: 'record', takes: 'body', idempotent: true },
    get: { method: 'GET', path: '/webhooks/{id}', answers: 'record' },
    update: { method: 'PATCH', path: '/webhooks/{id}', answers: 'record', takes: 'body' },
    delete: { method: 'DELETE', path: '/webhooks/{id}', answers: 'record' },
    rotateSecret: { method: 'POST', path: '/webhooks/{id}/rotate-secret', answers: 'record', takes: 'body', idempotent: true },
    test: { method: 'POST', path: '/webhooks/{id}/test', answers: 'record', takes: 'body', idempotent: true },
    deliveries: { method: 'GET', path: '/webhooks/{id}/deliveries', answers: 'list', takes: 'query' },
    delivery: { method: 'GET', path: '/webhooks/{id}/deliveries/{delivery_id}', answers: 'record' },
    redeliver: { method: 'POST', path: '/webhooks/{id}/deliveries/{delivery_id}/redeliver', answers: 'record', idempotent: true },
    missed: { method: 'GET', path: '/webhooks/{id}/missed', answers: 'list', takes: 'query' },
    recover: { method: 'POST', path: '/webhooks/{id}/recover', answers: 'record', takes: 'body', idempotent: true },
    recoveries: { method: 'GET', path: '/webhooks/{id}/recoveries', answers: 'list', takes: 'query' },
    recovery: { method: 'GET', path: '/webhooks/{id}/recoveries/{recovery_id}', answers: 'record' },
    cancelRecovery: { method: 'DELETE', path: '/webhooks/{id}/recoveries/{recovery_id}', answers: 'record' },
  },
  events: {
    list: { method: 'GET', path: '/events', answers: 'list', takes: 'query' },
    get: { method: 'GET', path: '/events/{id}', answers: 'record' },
    watch: { method: 'GET', path: '/events/stream', answers: 'event_stream', takes: 'query' },
  },
  apiKeys: {
    list: { method: 'GET', path: '/api-keys', answers: 'list', takes: 'query' },
    create: { method: 'POST', path: '/api-keys', answers: 'record', takes: 'body', idempotent: true },
    get: { method: 'GET', path: '/api-keys/{id}', answers: 'record' },
    update: { method: 'PATCH', path: '/api-keys/{id}', answers: 'record', takes: 'body' },
    revoke: { method: 'DELETE', path: '/api-keys/{id}', answers: 'record', takes: 'query' },
    rotate: { method: 'POST', path: '/api-keys/{id}/rotate', answers: 'record', idempotent: true },
  },
  sessionTokens: {
    create: { method: 'POST', path: '/session-tokens', answers: 'record', takes: 'body' },
  },
  auth: {
    login: { method: 'POST', path: '/api/auth/login', answers: 'record', takes: 'body' },
    logout: { method: 'POST', path: '/api/auth/logout', answers: 'record' },
    me: { method: 'GET', path: '/api/auth/me', answers: 'record' },
    updateMe: { method: 'PATCH', path: '/api/auth/me', answers: 'record', takes: 'body' },
    switchOrganisation: { method: 'POST', path: '/api/auth/organisation', answers: 'record', takes: 'body' },
    changePassword: { method: 'POST', path: '/api/auth/password', answers: 'record', takes: 'body' },
    resetPassword: { method: 'POST', path: '/api/auth/password-reset', answers: 'record', takes: 'body' },
    sendEmailProof: { method: 'POST', path: '/api/auth/email-proof-links', answers: 'record' },
    proveEmail: { method: 'POST', path: '/api/auth/email-proof', answers: 'record', takes: 'body' },
    acceptInvitation: { method: 'POST', path: '/api/auth/invitation', answers: 'record', takes: 'body' },
  },
  sessions: {
    list: { method: 'GET', path: '/sessions', answers: 'list', takes: 'query' },
    end: { method: 'DELETE', path: '/sessions/{id}', answers: 'record' },
  },
  organisation: {
    get: { method: 'GET', path: '/organisation', answers: 'record' },
    update: { method: 'PATCH', path: '/organisation', answers: 'record', takes: 'body' },
  },
  members: {
    list: { method: 'GET', path: '/members', answers: 'list', takes: 'query' },
    directory: { method: 'GET', path: '/members/directory', answers: 'list', takes: 'query' },
    invitations: { method: 'GET', path: '/members/invitations', answers: 'list', takes: 'query' },
    invite: { method: 'POST', path: '/members/invitations', answers: 'record', takes: 'body' },
    revokeInvitation: { method: 'DELETE', path: '/members/invitations/{id}', answers: 'record' },
    notifications: { method: 'GET', path: '/members/me/notifications', answers: 'record' },
    updateNotifications: { method: 'PATCH', path: '/members/me/notifications', answers: 'record', takes: 'body' },
    update: { method: 'PATCH', path: '/members/{id}', answers: 'record', takes: 'body' },
    remove: { method: 'DELETE', path: '/members/{id}', answers: 'record', takes: 'query' },
    resetPassword: { method: 'POST', path: '/members/password-resets', answers: 'record', takes: 'body' },
  },
  alertDestinations: {
    list: { method: 'GET', path: '/alert-destinations', answers: 'list', takes: 'query' },
    create: { method: 'POST', path: '/alert-destinations', answers: 'record', takes: 'body', idempotent: true },
    delete: { method: 'DELETE', path: '/alert-destinations/{id}', answers: 'record' },
  },
  auditLog: {
    list: { method: 'GET', path: '/audit-log', answers: 'list', takes: 'query' },
  },
  usage: {
    get: { method: 'GET', path: '/usage', answers: 'record', takes: 'query' },
  },
  analytics: {
    get: { method: 'GET', path: '/analytics', answers: 'record', takes: 'query' },
    export: { method: 'GET', path: '/analytics/export', answers: 'record', takes: 'query' },
  },
  alertRules: {
    list: { method: 'GET', path: '/alert-rules', answers: 'list', takes: 'query' },
    create: { method: 'POST', path: '/alert-rules', answers: 'record', takes: 'body', idempotent: true },
    get: { method: 'GET', path: '/alert-rules/{id}', answers: 'record' },
    update: { method: 'PATCH', path: '/alert-rules/{id}', answers: 'record', takes: 'body' },
    delete: { method: 'DELETE', path: '/alert-rules/{id}', answers: 'record' },
    test: { method: 'POST', path: '/alert-rules/{id}/test', answers: 'record' },
    preview: { method: 'POST', path: '/alert-rules/preview', answers: 'record', takes: 'body' },
  },
  alerts: {
    list: { method: 'GET', path: '/alerts', answers: 'list', takes: 'query' },
    get: { method: 'GET', path: '/alerts/{id}', answers: 'record' },
  },
  budgets: {
    list: { method: 'GET', path: '/budgets', answers: 'list', takes: 'query' },
  },
  policies: {
    list: { method: 'GET', path: '/policies', answers: 'list', takes: 'query' },
    create: { method: 'POST', path: '/policies', answers: 'record', takes: 'body', idempotent: true },
    get: { method: 'GET', path: '/policies/{id}', answers: 'record' },
    update: { method: 'PATCH', path: '/policies/{id}', answers: 'record', takes: 'body' },
    archive: { method: 'DELETE', path: '/policies/{id}', answers: 'record' },
    versions: { method: 'GET', path: '/policies/{id}/versions', answers: 'list', takes: 'query' },
    attachments: { method: 'GET', path: '/policies/{id}/attachments', answers: 'list', takes: 'query' },
    attach: { method: 'POST', path: '/policies/{id}/attachments', answers: 'record', takes: 'body', idempotent: true },
    detach: { method: 'DELETE', path: '/policies/{id}/attachments/{attachment_id}', answers: 'record' },
  },
  policyTemplates: {
    list: { method: 'GET', path: '/policy-templates', answers: 'list', takes: 'query' },
    get: { method: 'GET', path: '/policy-templates/{key}', answers: 'record' },
  },
  policyTrials: {
    list: { method: 'GET', path: '/policies/{id}/trials', answers: 'list', takes: 'query' },
    create: { method: 'POST', path: '/policies/{id}/trials', answers: 'record', takes: 'body', idempotent: true },
    get: { method: 'GET', path: '/policies/{id}/trials/{trial_id}', answers: 'record' },
    cancel: { method: 'DELETE', path: '/policies/{id}/trials/{trial_id}', answers: 'record' },
  },
  pipelines: {
    list: { method: 'GET', path: '/pipelines', answers: 'list', takes: 'query' },
    create: { method: 'POST', path: '/pipelines', answers: 'record', takes: 'body', idempotent: true },
    check: { method: 'POST', path: '/pipelines/check', answers: 'record', takes: 'body' },
    get: { method: 'GET', path: '/pipelines/{id}', answers: 'record' },
    update: { method: 'PATCH', path: '/pipelines/{id}', answers: 'record', takes: 'body' },
    archive: { method: 'DELETE', path: '/pipelines/{id}', answers: 'record' },
    unarchive: { method: 'POST', path: '/pipelines/{id}/unarchive', answers: 'record' },
    versions: { method: 'GET', path: '/pipelines/{id}/versions', answers: 'list', takes: 'query' },
    version: { method: 'GET', path: '/pipelines/{id}/versions/{version}', answers: 'record' },
    diff: { method: 'GET', path: '/pipelines/{id}/versions/{version}/diff', answers: 'record', takes: 'query' },
  },
  pipelineRuns: {
    create: { method: 'POST', path: '/pipelines/{id}/runs', answers: 'record', takes: 'body', idempotent: true },
    list: { method: 'GET', path: '/pipeline-runs', answers: 'list', takes: 'query' },
    get: { method: 'GET', path: '/pipeline-runs/{id}', answers: 'record' },
    cancel: { method: 'DELETE', path: '/pipeline-runs/{id}', answers: 'record' },
    watch: { method: 'GET', path: '/pipeline-runs/{id}/stream', answers: 'event_stream' },
    items: { method: 'GET', path: '/pipeline-runs/{id}/steps/{key}/items', answers: 'list', takes: 'query' },
    diagnose: { method: 'GET', path: '/pipeline-runs/{id}/diagnosis', answers: 'record' },
    act: { method: 'POST', path: '/pipeline-runs/{id}/action', answers: 'record', takes: 'body', idempotent: true },
    rerun: { method: 'POST', path: '/pipeline-runs/{id}/rerun', answers: 'record', takes: 'body', idempotent: true },
    erase: { method: 'DELETE', path: '/pipeline-runs/{id}/data', answers: 'record' },
  },
  schedules: {
    list: { method: 'GET', path: '/schedules', answers: 'list', takes: 'query' },
    create: { method: 'POST', path: '/schedules', answers: 'record', takes: 'body', idempotent: true },
    get: { method: 'GET', path: '/schedules/{id}', answers: 'record' },
    update: { method: 'PATCH', path: '/schedules/{id}', answers: 'record', takes: 'body' },
    delete: { method: 'DELETE', path: '/schedules/{id}', answers: 'record' },
    pause: { method: 'POST', path: '/schedules/{id}/pause', answers: 'record' },
    resume: { method: 'POST', path: '/schedules/{id}/resume', answers: 'record' },
    run: { method: 'POST', path: '/schedules/{id}/run', answers: 'record', idempotent: true },
    firings: { method: 'GET', path: '/schedules/{id}/firings', answers: 'list', takes: 'query' },
  },
  batches: {
    list: { method: 'GET', path: '/batches', answers: 'list', takes: 'query' },
    create: { method: 'POST', path: '/batches', answers: 'record', takes: 'body', idempotent: true },
    get: { method: 'GET', path: '/batches/{id}', answers: 'record' },
    cancel: { method: 'DELETE', path: '/batches/{id}', answers: 'record' },
    results: { method: 'GET', path: '/batches/{id}/results', answers: 'list', takes: 'query' },
    erase: { method: 'DELETE', path: '/batches/{id}/data', answers: 'record' },
  },
} as const

export class Resources {
  readonly runs: Runs
  readonly agents: Agents
  readonly catalog: Catalog
  readonly models: Models
  readonly providerKeys: ProviderKeys
  readonly deployments: Deployments
  readonly connectors: Connectors
  readonly webhooks: Webhooks
  readonly events: Events
  readonly apiKeys: ApiKeys
  readonly sessionTokens: SessionTokens
  readonly auth: Auth
  readonly sessions: Sessions
  readonly organisation: OrganisationResource
  readonly members: Members
  readonly alertDestinations: AlertDestinations
  readonly auditLog: AuditLog
  readonly usage: UsageResource
  readonly analytics: AnalyticsResource
  readonly alertRules: AlertRules
  readonly alerts: Alerts
  readonly budgets: Budgets
  readonly policies: Policies
  readonly policyTemplates: PolicyTemplates
  readonly policyTrials: PolicyTrials
  readonly pipelines: Pipelines
  readonly pipelineRuns: PipelineRuns
  readonly schedules: Schedules
  readonly batches: Batches

  constructor(caller: Caller) {
    this.runs = resourceOf<Runs>(caller, operations.runs)
    this.agents = resourceOf<Agents>(caller, operations.agents)
    this.catalog = resourceOf<Catalog>(caller, operations.catalog)
    this.models = resourceOf<Models>(caller, operations.models)
    this.providerKeys = resourceOf<ProviderKeys>(caller, operations.providerKeys)
    this.deployments = resourceOf<Deployments>(caller, operations.deployments)
    this.connectors = resourceOf<Connectors>(caller, operations.connectors)
    this.webhooks = resourceOf<Webhooks>(caller, operations.webhooks)
    this.events = resourceOf<Events>(caller, operations.events)
    this.apiKeys = resourceOf<ApiKeys>(caller, operations.apiKeys)
    this.sessionTokens = resourceOf<SessionTokens>(caller, operations.sessionTokens)
    this.auth = resourceOf<Auth>(caller, operations.auth)
    this.sessions = resourceOf<Sessions>(caller, operations.sessions)
    this.organisation = resourceOf<OrganisationResource>(caller, operations.organisation)
    this.members = resourceOf<Members>(caller, operations.members)
    this.alertDestinations = resourceOf<AlertDestinations>(caller, operations.alertDestinations)
    this.auditLog = resourceOf<AuditLog>(caller, operations.auditLog)
    this.usage = resourceOf<UsageResource>(caller, operations.usage)
    this.analytics = resourceOf<AnalyticsResource>(caller, operations.analytics)
    this.alertRules = resourceOf<AlertRules>(caller, operations.alertRules)
    this.alerts = resourceOf<Alerts>(caller, operations.alerts)
    this.budgets = resourceOf<Budgets>(caller, operations.budgets)
    this.policies = resourceOf<Policies>(caller, operations.policies)
    this.policyTemplates = resourceOf<PolicyTemplates>(caller, operations.policyTemplates)
    this.policyTrials = resourceOf<PolicyTrials>(caller, operations.policyTrials)
    this.pipelines = resourceOf<Pipelines>(caller, operations.pipelines)
    this.pipelineRuns = resourceOf<PipelineRuns>(caller, operations.pipelineRuns)
    this.schedules = resourceOf<Schedules>(caller, operations.schedules)
    this.batches = resourceOf<Batches>(caller, operations.batches)
  }
}
