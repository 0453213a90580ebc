// Made by `pnpm gen` from packages/contract/openapi.json. Change the contract, not this file.

import type { CallOptions, CreateOptions, Given, StreamOptions, WaitOptions } from '../options.ts'
import type { ListCall } from '../page.ts'
import { type Caller, resourceOf } from '../resource.ts'
import type { Stream } from '../stream.ts'
import type { operations } from './schema.ts'
import type {
  Agent,
  AgentDiff,
  AgentStats,
  AgentVersion,
  AgentWithSecret,
  ApiKey,
  AuditEntry,
  CatalogAgent,
  Connector,
  ConnectorTool,
  Delivery,
  Deployment,
  Event,
  Invitation,
  Member,
  Model,
  NewAgent,
  NewApiKey,
  NewInvitation,
  PasswordResetLink,
  Recovery,
  RefreshedConnector,
  ReleasedAgent,
  RevokedApiKey,
  Run,
  RunDiagnosis,
  RunFrame,
  RunStep,
  SessionToken,
  Webhook,
  WebhookWithSecret,
} from './types.ts'

export const sdkVersion = '2.4.0'

export type RunsListParams = Given<NonNullable<operations['runs.list']['parameters']['query']>>

export type RunsCreateParams = Given<NonNullable<operations['runs.create']['requestBody']>['content']['application/json']>

export type RunsStreamParams = Given<NonNullable<operations['runs.stream']['requestBody']>['content']['application/json']>

export type RunsWatchParams = Given<NonNullable<operations['runs.watch']['parameters']['query']>>

export type RunsStepsParams = Given<NonNullable<operations['runs.steps']['parameters']['query']>>

export type RunsActParams = Given<NonNullable<operations['runs.act']['requestBody']>['content']['application/json']>

export type AgentsListParams = Given<NonNullable<operations['agents.list']['parameters']['query']>>

export type AgentsUpdateParams = Given<NonNullable<operations['agents.update']['requestBody']>['content']['application/json']>

export type AgentsRotateSigningSecretParams = Given<NonNullable<operations['agents.rotateSigningSecret']['requestBody']>['content']['application/json']>

export type AgentsHireParams = Given<NonNullable<operations['agents.hire']['requestBody']>['content']['application/json']>

export type AgentsCreateParams = Given<NonNullable<operations['agents.create']['requestBody']>['content']['application/json']>

export type AgentsVersionsParams = Given<NonNullable<operations['agents.versions']['parameters']['query']>>

export type AgentsDiffParams = Given<NonNullable<operations['agents.diff']['parameters']['query']>>

export type CatalogListParams = Given<NonNullable<operations['catalog.list']['parameters']['query']>>

export type ModelsListParams = Given<NonNullable<operations['models.list']['parameters']['query']>>

export type DeploymentsListParams = Given<NonNullable<operations['deployments.list']['parameters']['query']>>

export type DeploymentsPromoteParams = Given<NonNullable<operations['deployments.promote']['requestBody']>['content']['application/json']>

export type DeploymentsRollbackParams = Given<NonNullable<operations['deployments.rollback']['requestBody']>['content']['application/json']>

export type ConnectorsListParams = Given<NonNullable<operations['connectors.list']['parameters']['query']>>

export type ConnectorsCreateParams = Given<NonNullable<operations['connectors.create']['requestBody']>['content']['application/json']>

export type ConnectorsUpdateParams = Given<NonNullable<operations['connectors.update']['requestBody']>['content']['application/json']>

export type ConnectorsApproveToolParams = Given<NonNullable<operations['connectors.approveTool']['requestBody']>['content']['application/json']>

export type WebhooksListParams = Given<NonNullable<operations['webhooks.list']['parameters']['query']>>

export type WebhooksCreateParams = Given<NonNullable<operations['webhooks.create']['requestBody']>['content']['application/json']>

export type WebhooksUpdateParams = Given<NonNullable<operations['webhooks.update']['requestBody']>['content']['application/json']>

export type WebhooksRotateSecretParams = Given<NonNullable<operations['webhooks.rotateSecret']['requestBody']>['content']['application/json']>

export type WebhooksTestParams = Given<NonNullable<operations['webhooks.test']['requestBody']>['content']['application/json']>

export type WebhooksDeliveriesParams = Given<NonNullable<operations['webhooks.deliveries']['parameters']['query']>>

export type WebhooksMissedParams = Given<NonNullable<operations['webhooks.missed']['parameters']['query']>>

export type WebhooksRecoverParams = Given<NonNullable<operations['webhooks.recover']['requestBody']>['content']['application/json']>

export type WebhooksRecoveriesParams = Given<NonNullable<operations['webhooks.recoveries']['parameters']['query']>>

export type EventsListParams = Given<NonNullable<operations['events.list']['parameters']['query']>>

export type EventsWatchParams = Given<NonNullable<operations['events.watch']['parameters']['query']>>

export type ApiKeysListParams = Given<NonNullable<operations['apiKeys.list']['parameters']['query']>>

export type ApiKeysCreateParams = Given<NonNullable<operations['apiKeys.create']['requestBody']>['content']['application/json']>

export type ApiKeysUpdateParams = Given<NonNullable<operations['apiKeys.update']['requestBody']>['content']['application/json']>

export type ApiKeysRevokeParams = Given<NonNullable<operations['apiKeys.revoke']['parameters']['query']>>

export type SessionTokensCreateParams = Given<NonNullable<operations['sessionTokens.create']['requestBody']>['content']['application/json']>

export type MembersListParams = Given<NonNullable<operations['members.list']['parameters']['query']>>

export type MembersInvitationsParams = Given<NonNullable<operations['members.invitations']['parameters']['query']>>

export type MembersInviteParams = Given<NonNullable<operations['members.invite']['requestBody']>['content']['application/json']>

export type MembersUpdateParams = Given<NonNullable<operations['members.update']['requestBody']>['content']['application/json']>

export type MembersRemoveParams = Given<NonNullable<operations['members.remove']['parameters']['query']>>

export type MembersResetPasswordParams = Given<NonNullable<operations['members.resetPassword']['requestBody']>['content']['application/json']>

export type AuditLogListParams = Given<NonNullable<operations['auditLog.list']['parameters']['query']>>

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
   */
  create(params: RunsCreateParams, options?: CallOptions & CreateOptions & WaitOptions): Promise<Run>
  /**
   * Stream run output as SSE.
   *
   * Creates a run and streams its frames until the run ends. If the connection breaks, the run continues; resume with `GET /runs/{id}/stream`.
   *
   * Requires the scope `runs:write`.
   */
  stream(params: RunsStreamParams, options?: StreamOptions & CreateOptions): Stream<RunFrame>
  /**
   * Get a run result.
   *
   * Requires the scope `runs:read`. Pages of other origins can call it with a short-lived token only.
   */
  get(id: string, options?: CallOptions): Promise<Run>
  /**
   * Cancel a run.
   *
   * Stops the run, including a model call in progress. A run that has ended is returned unchanged.
   *
   * Requires the scope `runs:write`. Pages of other origins can call it with a short-lived token only.
   */
  cancel(id: string, options?: CallOptions): Promise<Run>
  /**
   * Stream an existing run from any frame.
   *
   * Streams the frames of a run from the beginning, or after the frame in `Last-Event-ID` or `after`. Works for active and ended runs, as long as the run is kept.
   *
   * Requires the scope `runs:read`. Pages of other origins can call it with a short-lived token only.
   */
  watch(id: string, params?: RunsWatchParams, options?: StreamOptions): Stream<RunFrame>
  /**
   * List the steps of a run.
   *
   * Lists model calls and tool calls with arguments, results, tokens, cost and times, oldest first. `after` and `before` are step numbers.
   *
   * Requires the scope `runs:read`.
   */
  steps(id: string, params?: RunsStepsParams, options?: CallOptions): ListCall<RunStep>
  /**
   * Explain why a run does not progress.
   *
   * Says what the run waits for, since when, and when its next deadline is.
   *
   * Requires the scope `runs:read`.
   */
  diagnose(id: string, options?: CallOptions): Promise<RunDiagnosis>
  /**
   * Send an action to an active run.
   *
   * `approve`, `reject` and `respond` answer an open action of `required_actions`. `message` adds a user message for the next step. Sending the same decision again has no further effect.
   *
   * Requires the scope `runs:write`. Requires `runs:approve` instead if `type` is or contains `approve`, `reject` or `respond`. Pages of other origins can call it with a short-lived token only.
   */
  act(id: string, params: RunsActParams, options?: CallOptions & CreateOptions): Promise<Run>
  /**
   * Erase the data of an ended run.
   *
   * Erases input, output, steps and events. The record of the run stays, with status, times, metadata and error.
   *
   * Requires the scope `runs:erase`.
   */
  erase(id: string, options?: CallOptions): Promise<Run>
}

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
   */
  get(id: string, options?: CallOptions): Promise<Agent>
  /**
   * Update agent configuration.
   *
   * Omitted fields stay unchanged, null clears a field, objects are merged, lists and schemas are replaced. A change creates a new version and deploys it to all runs or, with `rollout`, to a share of them. Active runs stay on their version.
   *
   * Requires the scope `agents:write`. Requires `connectors:read` too if `config.tools` is set. Requires `runs:read` too if `config.url` is set.
   */
  update(id: string, params: AgentsUpdateParams, options?: CallOptions): Promise<ReleasedAgent>
  /**
   * Archive an agent.
   *
   * Active runs finish; new runs are rejected with `agent_archived` until the agent is unarchived. Archiving again has no effect.
   *
   * Requires the scope `agents:write`.
   */
  archive(id: string, options?: CallOptions): Promise<Agent>
  /**
   * Return an archived agent to service.
   *
   * The agent accepts runs and changes again, with the configuration and the deployments that it had. It counts towards the limit of agents again. An active agent is returned unchanged.
   *
   * Requires the scope `agents:write`.
   */
  unarchive(id: string, options?: CallOptions): Promise<Agent>
  /**
   * Replace the signing secret of a remote agent.
   *
   * For `overlap_hours`, `webhook-signature` contains the signatures of both secrets. 0 switches immediately. The secret belongs to the agent and not to a version: a rollback does not restore an old one, and active runs use the new one too. After a second rotation within this time, the secret before it is the old one.
   *
   * Requires the scope `agents:write`.
   */
  rotateSigningSecret(id: string, params?: AgentsRotateSigningSecretParams, options?: CallOptions & CreateOptions): Promise<AgentWithSecret>
  /**
   * Hire a catalog agent into the organisation.
   *
   * Each request creates an agent. To retry safely, send an `Idempotency-Key`.
   *
   * Requires the scope `agents:write`. Requires `connectors:read` too if `config.tools` is set.
   */
  hire(catalogKey: string, params?: AgentsHireParams, options?: CallOptions & CreateOptions): Promise<ReleasedAgent>
  /**
   * Create a custom organisation agent.
   *
   * Requires the scope `agents:write`. Requires `connectors:read` too if `config.tools` is set.
   */
  create(params: AgentsCreateParams, options?: CallOptions & CreateOptions): Promise<NewAgent>
  /**
   * List the versions of an agent.
   *
   * Newest first. `after` and `before` are version numbers.
   *
   * Requires the scope `agents:read`.
   */
  versions(id: string, params?: AgentsVersionsParams, options?: CallOptions): ListCall<AgentVersion>
  /**
   * Get one version of an agent.
   *
   * Requires the scope `agents:read`.
   */
  version(id: string, version: string, options?: CallOptions): Promise<AgentVersion>
  /**
   * Compare two versions of an agent.
   *
   * Requires the scope `agents:read`.
   */
  diff(id: string, version: string, params: AgentsDiffParams, options?: CallOptions): Promise<AgentDiff>
  /**
   * Count the active runs of an agent by state.
   *
   * Requires the scope `agents:read`.
   */
  stats(id: string, options?: CallOptions): Promise<AgentStats>
}

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
   */
  get(key: string, options?: CallOptions): Promise<CatalogAgent>
}

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
   */
  get(id: string, options?: CallOptions): Promise<Deployment>
  /**
   * Promote a canary.
   *
   * Without a body the canary becomes the active version. With `traffic_percent` it stays a canary with that share of runs. Promoting an active deployment has no effect.
   *
   * Requires the scope `agents:write`.
   */
  promote(id: string, params?: DeploymentsPromoteParams, options?: CallOptions): Promise<Deployment>
  /**
   * Roll a deployment back.
   *
   * Rolling back a canary returns all new runs to the active version. Rolling back an active deployment deploys the previous version, as a new deployment with the source `rollback`. Active runs finish on their version. Rolling back again has no effect.
   *
   * Requires the scope `agents:write`.
   */
  rollback(id: string, params: DeploymentsRollbackParams, options?: CallOptions): Promise<Deployment>
}

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
   * Requires the scope `connectors:write`.
   */
  create(params: ConnectorsCreateParams, options?: CallOptions & CreateOptions): Promise<Connector>
  /**
   * Get a connector by id.
   *
   * Requires the scope `connectors:read`.
   */
  get(id: string, options?: CallOptions): Promise<Connector>
  /**
   * Change a connector.
   *
   * Changes the name, the address or the credential. After a change of the address all tools wait for approval again.
   *
   * Requires the scope `connectors:write`.
   */
  update(id: string, params: ConnectorsUpdateParams, options?: CallOptions): Promise<Connector>
  /**
   * Delete a connector.
   *
   * Deletes the connector and its credential. Active runs that use it fail with `tool_error` at their next step.
   *
   * Requires the scope `connectors:write`.
   */
  delete(id: string, options?: CallOptions): Promise<Connector>
  /**
   * List the tools of a connector again.
   *
   * Asks the server for its tools now and returns those that are off. Nothing is approved.
   *
   * Requires the scope `connectors:write`.
   */
  refresh(id: string, options?: CallOptions): Promise<RefreshedConnector>
  /**
   * List the tools of a connector.
   *
   * All tools by name, with what was approved and what the server lists now. The list is not paged.
   *
   * Requires the scope `connectors:read`.
   */
  listTools(id: string, options?: CallOptions): ListCall<ConnectorTool>
  /**
   * Approve a tool as it is listed now.
   *
   * Agents can use the tool from their next step. If the tool has changed since you read its hash, nothing is approved (`tool_changed`).
   *
   * Requires the scope `connectors:write`.
   */
  approveTool(id: string, name: string, params: ConnectorsApproveToolParams, options?: CallOptions): Promise<ConnectorTool>
}

export type Webhooks = {
  /**
   * List webhooks.
   *
   * Requires the scope `webhooks:read`.
   */
  list(params?: WebhooksListParams, options?: CallOptions): ListCall<Webhook>
  /**
   * Register a webhook.
   *
   * Requires the scope `webhooks:write`. Requires `runs:read` too if `events` is or contains `*`, `run.completed`, `run.failed`, `pipeline.completed`, `run.requires_action` or `run.cancelled`.
   */
  create(params: WebhooksCreateParams, options?: CallOptions & CreateOptions): Promise<WebhookWithSecret>
  /**
   * Get a webhook by id.
   *
   * Requires the scope `webhooks:read`.
   */
  get(id: string, options?: CallOptions): Promise<Webhook>
  /**
   * Change, pause or enable a webhook.
   *
   * A new `url` for a webhook that receives data of runs requires `runs:read` too.
   *
   * Requires the scope `webhooks:write`. Requires `runs:read` too if `events` is or contains `*`, `run.completed`, `run.failed`, `pipeline.completed`, `run.requires_action` or `run.cancelled`.
   */
  update(id: string, params: WebhooksUpdateParams, options?: CallOptions): Promise<Webhook>
  /**
   * Delete a webhook.
   *
   * Nothing more is sent to it. Its deliveries are deleted too.
   *
   * Requires the scope `webhooks:write`.
   */
  delete(id: string, options?: CallOptions): Promise<Webhook>
  /**
   * Replace the signing secret.
   *
   * For `overlap_hours`, `webhook-signature` contains both signatures and `X-SERVICE-Signature` uses the old secret. 0 switches immediately. After a second rotation within this time, the secret before it is the old one.
   *
   * Requires the scope `webhooks:write`.
   */
  rotateSecret(id: string, params?: WebhooksRotateSecretParams, options?: CallOptions): Promise<WebhookWithSecret>
  /**
   * Send a test event.
   *
   * Sends an event of type `test` to this webhook only. With `event_type`, sends a sample of that type; its ids consist of zeros and refer to nothing. The event is signed, retried and recorded like any other.
   *
   * Requires the scope `webhooks:write`.
   */
  test(id: string, params?: WebhooksTestParams, options?: CallOptions): Promise<Delivery>
  /**
   * List the deliveries of a webhook.
   *
   * Newest first, with attempts. Get a single delivery to see the request bodies. Without `runs:read`, requests and responses of events that hold data of runs are null.
   *
   * Requires the scope `webhooks:read`.
   */
  deliveries(id: string, params?: WebhooksDeliveriesParams, options?: CallOptions): ListCall<Delivery>
  /**
   * Get a delivery with requests and responses.
   *
   * Requires the scope `webhooks:read`.
   */
  delivery(id: string, deliveryId: string, options?: CallOptions): Promise<Delivery>
  /**
   * Send an event again.
   *
   * Creates a new delivery of the same event, with the same event id and body and three attempts.
   *
   * Requires the scope `webhooks:write`.
   */
  redeliver(id: string, deliveryId: string, options?: CallOptions): Promise<Delivery>
  /**
   * List events that a webhook never acknowledged.
   *
   * Lists events of the subscribed types, since the webhook was created, without a successful or pending delivery. Newest first. When a long time range is searched, a page can contain few events or none although `has_more` is true: continue after `last_id`. Requires `runs:read` too if the webhook receives data of runs.
   *
   * Requires the scope `webhooks:read`.
   */
  missed(id: string, params?: WebhooksMissedParams, options?: CallOptions): ListCall<Event>
  /**
   * Deliver missed events.
   *
   * Delivers every event between `since` and `until` that the webhook has not acknowledged, oldest first, with its original id. The recovery runs in the background; read its progress or cancel it.
   *
   * Requires the scope `webhooks:write`.
   */
  recover(id: string, params: WebhooksRecoverParams, options?: CallOptions): Promise<Recovery>
  /**
   * List the recoveries of a webhook.
   *
   * Requires the scope `webhooks:read`.
   */
  recoveries(id: string, params?: WebhooksRecoveriesParams, options?: CallOptions): ListCall<Recovery>
  /**
   * Get the progress of a recovery.
   *
   * Requires the scope `webhooks:read`.
   */
  recovery(id: string, recoveryId: string, options?: CallOptions): Promise<Recovery>
  /**
   * Cancel a recovery.
   *
   * No more events are checked, and deliveries that were not sent yet are dropped. Cancelling again has no effect.
   *
   * Requires the scope `webhooks:write`.
   */
  cancelRecovery(id: string, recoveryId: string, options?: CallOptions): Promise<Recovery>
}

export type Events = {
  /**
   * List events.
   *
   * Lists the events that webhooks receive, without test events. A page of large events can contain fewer than `limit`; `has_more` says whether more follow. Without `runs:read` it leaves out the events that hold data of runs.
   *
   * Requires the scope `events:read`. Requires `runs:read` too if `type` is or contains `run.completed`, `run.failed`, `pipeline.completed`, `run.requires_action` or `run.cancelled`.
   */
  list(params?: EventsListParams, options?: CallOptions): ListCall<Event>
  /**
   * Get an event by id.
   *
   * An event that holds data of a run requires `runs:read` too.
   *
   * Requires the scope `events:read`.
   */
  get(id: string, options?: CallOptions): Promise<Event>
  /**
   * Stream events as they happen.
   *
   * For programs without a public endpoint. Each frame is one event: `id` is its id, `event` its type, `data` the envelope. To resume without gaps, send the last event id in `Last-Event-ID` or `after`. `since` starts in the past. Without these, the stream starts now. Without `runs:read` the stream leaves out the events that hold data of runs.
   *
   * Requires the scope `events:read`. Requires `runs:read` too if `type` is or contains `run.completed`, `run.failed`, `pipeline.completed`, `run.requires_action` or `run.cancelled`.
   */
  watch(params?: EventsWatchParams, options?: StreamOptions): Stream<Event>
}

export type ApiKeys = {
  /**
   * List API keys.
   *
   * Includes revoked and expired keys. The complete key is never shown again.
   *
   * Requires the scope `keys:read`.
   */
  list(params?: ApiKeysListParams, options?: CallOptions): ListCall<ApiKey>
  /**
   * Create an API key.
   *
   * Only this response contains the complete key. You can grant only scopes and agents that your own credential holds, and no longer than it lives.
   *
   * Requires the scope `keys:write`.
   */
  create(params: ApiKeysCreateParams, options?: CallOptions & CreateOptions): Promise<NewApiKey>
  /**
   * Get an API key by id.
   *
   * Requires the scope `keys:read`.
   */
  get(id: string, options?: CallOptions): Promise<ApiKey>
  /**
   * Change an API key.
   *
   * Omitted fields stay unchanged; null clears `agent_ids` and `expires_at`. Takes effect everywhere within 5 seconds. A key that ends cannot extend the permissions or the life of a key beyond its own end.
   *
   * Requires the scope `keys:write`.
   */
  update(id: string, params?: ApiKeysUpdateParams, options?: CallOptions): Promise<ApiKey>
  /**
   * Revoke an API key.
   *
   * The key stops working everywhere within 5 seconds, permanently. Revoking it again has no effect. Its tokens end with it; with `descendants=true` so do the keys below it: those that it created, its successor after a rotation, and theirs.
   *
   * Requires the scope `keys:write`.
   */
  revoke(id: string, params?: ApiKeysRevokeParams, options?: CallOptions): Promise<RevokedApiKey>
  /**
   * Rotate an API key.
   *
   * Returns a new key with the same name, scopes, agents and expiry (earlier if the organisation limits the lifetime). The old key works for another 24 hours, with `Deprecation` and `Sunset` in every response. Both keys share one rate limit.
   *
   * Requires the scope `keys:write`.
   */
  rotate(id: string, options?: CallOptions & CreateOptions): Promise<NewApiKey>
}

export type SessionTokens = {
  /**
   * Create a short-lived token.
   *
   * For browsers. The token has a subset of the creator’s scopes and stops working when the creator’s key is revoked or the session ends. With it, a page of any origin can read, stream and cancel a run and send actions. Decisions need `runs:approve`. A token cannot create tokens.
   *
   * Requires any valid credential: an API key, a browser session or a short-lived token.
   */
  create(params: SessionTokensCreateParams, options?: CallOptions): Promise<SessionToken>
}

export type Members = {
  /**
   * List members.
   *
   * Requires the scope `members:write`.
   */
  list(params?: MembersListParams, options?: CallOptions): ListCall<Member>
  /**
   * List invitations.
   *
   * Requires the scope `members:write`.
   */
  invitations(params?: MembersInvitationsParams, options?: CallOptions): ListCall<Invitation>
  /**
   * Invite a person.
   *
   * Creates a link that works once, for 7 days. The service sends no e-mail: pass the link on yourself. A new invitation to the same address withdraws the earlier one. You cannot grant a role above your own.
   *
   * Requires the scope `members:write`.
   */
  invite(params: MembersInviteParams, options?: CallOptions): Promise<NewInvitation>
  /**
   * Withdraw an invitation.
   *
   * Requires the scope `members:write`.
   */
  revokeInvitation(id: string, options?: CallOptions): Promise<Invitation>
  /**
   * Change the role of a member.
   *
   * Takes effect within 5 seconds, also for open sessions.
   *
   * Requires the scope `members:write`.
   */
  update(id: string, params: MembersUpdateParams, options?: CallOptions): Promise<Member>
  /**
   * Remove a member.
   *
   * Ends the person’s sessions in this organisation. While API keys that the person created are active, `keys` must say whether to revoke them, with all keys below them, or to keep them; otherwise the response is 422 `keys_undecided`. `revoke` needs the scope `keys:write`.
   *
   * Requires the scope `members:write`.
   */
  remove(id: string, params?: MembersRemoveParams, options?: CallOptions): Promise<Member>
  /**
   * Create a link to set a new password.
   *
   * The link works once, for 24 hours, and invalidates earlier ones. Only a person in a browser session can create it, and only for a member with a lower role. The operator can create one for everybody.
   *
   * Requires the scope `members:write`.
   */
  resetPassword(params: MembersResetPasswordParams, options?: CallOptions): Promise<PasswordResetLink>
}

export type AuditLog = {
  /**
   * List audit log entries.
   *
   * Lists administrative operations with actor, address, and the values before and after. Entries are never changed or deleted.
   *
   * Requires the scope `audit:read`.
   */
  list(params?: AuditLogListParams, options?: CallOptions): ListCall<AuditEntry>
}

/** Every operation as data: the client is one loop over them. */
const table = {
  runs: {
    list: { method: 'GET', path: '/runs', answers: 'list', takes: 'query' },
    create: { method: 'POST', path: '/runs', answers: 'record', takes: 'body', idempotent: true, prefers: true },
    stream: { method: 'POST', path: '/runs/stream', answers: 'run_stream', takes: 'body', idempotent: true, resumesAt: '/runs/{id}/stream' },
    get: { method: 'GET', path: '/runs/{id}', answers: 'record' },
    cancel: { method: 'DELETE', path: '/runs/{id}', answers: 'record' },
    watch: { method: 'GET', path: '/runs/{id}/stream', answers: 'run_stream', takes: 'query' },
    steps: { method: 'GET', path: '/runs/{id}/steps', answers: 'list', takes: 'query' },
    diagnose: { method: 'GET', path: '/runs/{id}/diagnosis', answers: 'record' },
    act: { method: 'POST', path: '/runs/{id}/action', answers: 'record', takes: 'body', idempotent: true },
    erase: { method: 'DELETE', path: '/runs/{id}/data', answers: 'record' },
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
  deployments: {
    list: { method: 'GET', path: '/deployments', answers: 'list', takes: 'query' },
    get: { method: 'GET', path: '/deployments/{id}', answers: 'record' },
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
    rotateSecret: { method: 'POST', path: '/webhooks/{id}/rotate-secret', answers: 'record', takes: 'body' },
    test: { method: 'POST', path: '/webhooks/{id}/test', answers: 'record', takes: 'body' },
    deliveries: { method: 'GET', path: '/webhooks/{id}/deliveries', answers: 'list', takes: 'query' },
    delivery: { method: 'GET', path: '/webhooks/{id}/deliveries/{delivery_id}', answers: 'record' },
    redeliver: { method: 'POST', path: '/webhooks/{id}/deliveries/{delivery_id}/redeliver', answers: 'record' },
    missed: { method: 'GET', path: '/webhooks/{id}/missed', answers: 'list', takes: 'query' },
    recover: { method: 'POST', path: '/webhooks/{id}/recover', answers: 'record', takes: 'body' },
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
  members: {
    list: { method: 'GET', path: '/members', answers: 'list', takes: 'query' },
    invitations: { method: 'GET', path: '/members/invitations', answers: 'list', takes: 'query' },
    invite: { method: 'POST', path: '/members/invitations', answers: 'record', takes: 'body' },
    revokeInvitation: { method: 'DELETE', path: '/members/invitations/{id}', answers: 'record' },
    update: { method: 'PATCH', path: '/members/{id}', answers: 'record', takes: 'body' },
    remove: { method: 'DELETE', path: '/members/{id}', answers: 'record', takes: 'query' },
    resetPassword: { method: 'POST', path: '/members/password-resets', answers: 'record', takes: 'body' },
  },
  auditLog: {
    list: { method: 'GET', path: '/audit-log', answers: 'list', takes: 'query' },
  },
} as const

export class Resources {
  readonly runs: Runs
  readonly agents: Agents
  readonly catalog: Catalog
  readonly models: Models
  readonly deployments: Deployments
  readonly connectors: Connectors
  readonly webhooks: Webhooks
  readonly events: Events
  readonly apiKeys: ApiKeys
  readonly sessionTokens: SessionTokens
  readonly members: Members
  readonly auditLog: AuditLog

  constructor(caller: Caller) {
    this.runs = resourceOf<Runs>(caller, table.runs)
    this.agents = resourceOf<Agents>(caller, table.agents)
    this.catalog = resourceOf<Catalog>(caller, table.catalog)
    this.models = resourceOf<Models>(caller, table.models)
    this.deployments = resourceOf<Deployments>(caller, table.deployments)
    this.connectors = resourceOf<Connectors>(caller, table.connectors)
    this.webhooks = resourceOf<Webhooks>(caller, table.webhooks)
    this.events = resourceOf<Events>(caller, table.events)
    this.apiKeys = resourceOf<ApiKeys>(caller, table.apiKeys)
    this.sessionTokens = resourceOf<SessionTokens>(caller, table.sessionTokens)
    this.members = resourceOf<Members>(caller, table.members)
    this.auditLog = resourceOf<AuditLog>(caller, table.auditLog)
  }
}
