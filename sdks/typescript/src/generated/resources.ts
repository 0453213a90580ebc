// Made by `pnpm gen` from packages/contract/openapi.json. Change the contract, not this file.

import type { CallOptions, CreateOptions, Given, StreamOptions, WaitOptions } from '../options.ts'
import type { ListCall } from '../page.ts'
import { type Caller, resourceOf } from '../resource.ts'
import type { Stream } from '../stream.ts'
import type { operations } from './schema.ts'
import type {
  Agent,
  AgentDiff,
  AgentVersion,
  ApiKey,
  AuditEntry,
  CatalogAgent,
  Connector,
  Delivery,
  Deployment,
  Event,
  Invitation,
  Member,
  NewAgent,
  NewApiKey,
  NewInvitation,
  PasswordResetLink,
  Recovery,
  ReleasedAgent,
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

export type RunsActParams = Given<NonNullable<operations['runs.act']['requestBody']>['content']['application/json']>

export type AgentsListParams = Given<NonNullable<operations['agents.list']['parameters']['query']>>

export type AgentsUpdateParams = Given<NonNullable<operations['agents.update']['requestBody']>['content']['application/json']>

export type AgentsHireParams = Given<NonNullable<operations['agents.hire']['requestBody']>['content']['application/json']>

export type AgentsCreateParams = Given<NonNullable<operations['agents.create']['requestBody']>['content']['application/json']>

export type AgentsVersionsParams = Given<NonNullable<operations['agents.versions']['parameters']['query']>>

export type AgentsDiffParams = Given<NonNullable<operations['agents.diff']['parameters']['query']>>

export type CatalogListParams = Given<NonNullable<operations['catalog.list']['parameters']['query']>>

export type DeploymentsListParams = Given<NonNullable<operations['deployments.list']['parameters']['query']>>

export type DeploymentsPromoteParams = Given<NonNullable<operations['deployments.promote']['requestBody']>['content']['application/json']>

export type DeploymentsRollbackParams = Given<NonNullable<operations['deployments.rollback']['requestBody']>['content']['application/json']>

export type ConnectorsListParams = Given<NonNullable<operations['connectors.list']['parameters']['query']>>

export type ConnectorsCreateParams = Given<NonNullable<operations['connectors.create']['requestBody']>['content']['application/json']>

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

export type SessionTokensCreateParams = Given<NonNullable<operations['sessionTokens.create']['requestBody']>['content']['application/json']>

export type MembersListParams = Given<NonNullable<operations['members.list']['parameters']['query']>>

export type MembersInvitationsParams = Given<NonNullable<operations['members.invitations']['parameters']['query']>>

export type MembersInviteParams = Given<NonNullable<operations['members.invite']['requestBody']>['content']['application/json']>

export type MembersUpdateParams = Given<NonNullable<operations['members.update']['requestBody']>['content']['application/json']>

export type MembersResetPasswordParams = Given<NonNullable<operations['members.resetPassword']['requestBody']>['content']['application/json']>

export type AuditLogListParams = Given<NonNullable<operations['auditLog.list']['parameters']['query']>>

export type Runs = {
  /**
   * List runs with filters.
   *
   * Needs the scope `runs:read`.
   */
  list(params?: RunsListParams, options?: CallOptions): ListCall<Run>
  /**
   * Invoke an agent.
   *
   * Creates a run and waits for its result, up to 55 s unless `Prefer` says otherwise. Finished in time: 200. Not finished, or waiting for a person: 202 with the run as it stands; it goes on, and `Location` says where to look.
   *
   * Needs the scope `runs:write`.
   */
  create(params: RunsCreateParams, options?: CallOptions & CreateOptions & WaitOptions): Promise<Run>
  /**
   * Stream run output as SSE.
   *
   * Creates a run and streams its frames until it ends. A stream that breaks is resumed with `GET /runs/{id}/stream`; the run goes on meanwhile.
   *
   * Needs the scope `runs:write`.
   */
  stream(params: RunsStreamParams, options?: StreamOptions & CreateOptions): Stream<RunFrame>
  /**
   * Get a run result.
   *
   * Needs the scope `runs:read`. A page of another origin may call it with a short-lived token, and with nothing else.
   */
  get(id: string, options?: CallOptions): Promise<Run>
  /**
   * Cancel a run.
   *
   * A run that has ended is answered unchanged.
   *
   * Needs the scope `runs:write`.
   */
  cancel(id: string, options?: CallOptions): Promise<Run>
  /**
   * Stream a run from any frame on.
   *
   * The frames of a run, from the beginning or after the one that `Last-Event-ID` or `after` names, at any age of the run while it is kept, also after its end.
   *
   * Needs the scope `runs:read`. A page of another origin may call it with a short-lived token, and with nothing else.
   */
  watch(id: string, params?: RunsWatchParams, options?: StreamOptions): Stream<RunFrame>
  /**
   * List the steps of a run.
   *
   * Each model call and tool call with its arguments, result, tokens, cost and times, oldest first.
   *
   * Needs the scope `runs:read`.
   */
  steps(id: string, options?: CallOptions): ListCall<RunStep>
  /**
   * Why is it not moving?
   *
   * Needs the scope `runs:read`.
   */
  diagnose(id: string, options?: CallOptions): Promise<RunDiagnosis>
  /**
   * Send an action to an active run.
   *
   * `approve`, `reject` and `respond` decide what `required_actions` asks. `message` gives the run one more user message for its next step. The same decision twice has one effect.
   *
   * Needs the scope `runs:write`. A page of another origin may call it with a short-lived token, and with nothing else.
   */
  act(id: string, params: RunsActParams, options?: CallOptions & CreateOptions): Promise<Run>
  /**
   * Erase the data of an ended run.
   *
   * Input, output, steps and events go; the record of the run stays.
   *
   * Needs the scope `runs:write`.
   */
  erase(id: string, options?: CallOptions): Promise<Run>
}

export type Agents = {
  /**
   * List all agents.
   *
   * Needs the scope `agents:read`.
   */
  list(params?: AgentsListParams, options?: CallOptions): ListCall<Agent>
  /**
   * Get an agent by id.
   *
   * Needs the scope `agents:read`.
   */
  get(id: string, options?: CallOptions): Promise<Agent>
  /**
   * Update agent configuration.
   *
   * Omitted fields stay, null clears, objects are merged and lists replaced; a schema is replaced whole. A change makes a new version and a deployment of it, to all runs or, with `rollout`, to a share of them. Runs under way stay on their version.
   *
   * Needs the scope `agents:write`.
   */
  update(id: string, params: AgentsUpdateParams, options?: CallOptions): Promise<ReleasedAgent>
  /**
   * Archive an agent.
   *
   * Runs under way finish; new ones are refused with `agent_archived`. Archiving twice changes nothing.
   *
   * Needs the scope `agents:write`.
   */
  archive(id: string, options?: CallOptions): Promise<Agent>
  /**
   * Hire a catalog agent into the organisation.
   *
   * Hiring twice makes two agents; with one `Idempotency-Key` it makes one.
   *
   * Needs the scope `agents:write`.
   */
  hire(catalogKey: string, params?: AgentsHireParams, options?: CallOptions & CreateOptions): Promise<ReleasedAgent>
  /**
   * Create a custom organisation agent.
   *
   * Needs the scope `agents:write`.
   */
  create(params: AgentsCreateParams, options?: CallOptions & CreateOptions): Promise<NewAgent>
  /**
   * List the versions of an agent.
   *
   * Newest first; `after` and `before` are version numbers.
   *
   * Needs the scope `agents:read`.
   */
  versions(id: string, params?: AgentsVersionsParams, options?: CallOptions): ListCall<AgentVersion>
  /**
   * Get one version of an agent.
   *
   * Needs the scope `agents:read`.
   */
  version(id: string, version: string, options?: CallOptions): Promise<AgentVersion>
  /**
   * Compare two versions of an agent.
   *
   * Needs the scope `agents:read`.
   */
  diff(id: string, version: string, params: AgentsDiffParams, options?: CallOptions): Promise<AgentDiff>
}

export type Catalog = {
  /**
   * List the agents that can be hired.
   *
   * Needs the scope `agents:read`.
   */
  list(params?: CatalogListParams, options?: CallOptions): ListCall<CatalogAgent>
  /**
   * Get a catalog agent by key.
   *
   * Needs the scope `agents:read`.
   */
  get(key: string, options?: CallOptions): Promise<CatalogAgent>
}

export type Deployments = {
  /**
   * List deployments.
   *
   * Needs the scope `agents:read`.
   */
  list(params?: DeploymentsListParams, options?: CallOptions): ListCall<Deployment>
  /**
   * Get a deployment by id.
   *
   * Needs the scope `agents:read`.
   */
  get(id: string, options?: CallOptions): Promise<Deployment>
  /**
   * Give a canary all runs, or a larger share.
   *
   * Without a body the canary becomes the running version. With `traffic_percent` it stays a canary and gets that share; only the runs of the difference change sides. Promoting what is active already changes nothing.
   *
   * Needs the scope `agents:write`.
   */
  promote(id: string, params?: DeploymentsPromoteParams, options?: CallOptions): Promise<Deployment>
  /**
   * Roll a deployment back.
   *
   * A canary ends, and the running version gets all new runs again. An active deployment gives way to the version that ran before it, as a new deployment with the source `rollback`. Runs under way finish on their own version. Rolling back twice changes nothing.
   *
   * Needs the scope `agents:write`.
   */
  rollback(id: string, params: DeploymentsRollbackParams, options?: CallOptions): Promise<Deployment>
}

export type Connectors = {
  /**
   * List connectors.
   *
   * Needs the scope `connectors:read`.
   */
  list(params?: ConnectorsListParams, options?: CallOptions): ListCall<Connector>
  /**
   * Add a connector.
   *
   * Names an MCP server whose tools the organisation’s agents may use. The server is not called now: its tools are read when a run needs them.
   *
   * Needs the scope `connectors:write`.
   */
  create(params: ConnectorsCreateParams, options?: CallOptions & CreateOptions): Promise<Connector>
  /**
   * Get a connector by id.
   *
   * Needs the scope `connectors:read`.
   */
  get(id: string, options?: CallOptions): Promise<Connector>
  /**
   * Delete a connector.
   *
   * Erases the connector and its credential. Runs that still name it fail with `tool_error` at their next step.
   *
   * Needs the scope `connectors:write`.
   */
  delete(id: string, options?: CallOptions): Promise<Connector>
}

export type Webhooks = {
  /**
   * List webhooks.
   *
   * Needs the scope `webhooks:read`.
   */
  list(params?: WebhooksListParams, options?: CallOptions): ListCall<Webhook>
  /**
   * Register a webhook.
   *
   * Needs the scope `webhooks:write`.
   */
  create(params: WebhooksCreateParams, options?: CallOptions & CreateOptions): Promise<WebhookWithSecret>
  /**
   * Get a webhook by id.
   *
   * Needs the scope `webhooks:read`.
   */
  get(id: string, options?: CallOptions): Promise<Webhook>
  /**
   * Change, pause or enable a webhook.
   *
   * Needs the scope `webhooks:write`.
   */
  update(id: string, params: WebhooksUpdateParams, options?: CallOptions): Promise<Webhook>
  /**
   * Delete a webhook.
   *
   * Nothing is sent to it from now on. Its deliveries go with it.
   *
   * Needs the scope `webhooks:write`.
   */
  delete(id: string, options?: CallOptions): Promise<Webhook>
  /**
   * Replace the signing secret.
   *
   * For `overlap_hours` the standard header carries both signatures and `X-SERVICE-Signature` stays on the old secret; 0 switches at once. A second rotation within that time makes the secret before it the old one.
   *
   * Needs the scope `webhooks:write`.
   */
  rotateSecret(id: string, params?: WebhooksRotateSecretParams, options?: CallOptions): Promise<WebhookWithSecret>
  /**
   * Send a test event.
   *
   * Sends an event of the type `test` to this webhook and to nobody else; with `event_type` a sample of that type, with ids that name nothing. It is signed, tried and recorded as any other.
   *
   * Needs the scope `webhooks:write`.
   */
  test(id: string, params?: WebhooksTestParams, options?: CallOptions): Promise<Delivery>
  /**
   * List the deliveries of a webhook.
   *
   * Newest first, with their attempts. What was sent is shown by the look-up of one delivery.
   *
   * Needs the scope `webhooks:read`.
   */
  deliveries(id: string, params?: WebhooksDeliveriesParams, options?: CallOptions): ListCall<Delivery>
  /**
   * Get a delivery with what was sent and answered.
   *
   * Needs the scope `webhooks:read`.
   */
  delivery(id: string, deliveryId: string, options?: CallOptions): Promise<Delivery>
  /**
   * Send an event again.
   *
   * A new delivery of the same event: same id, same bytes, three attempts.
   *
   * Needs the scope `webhooks:write`.
   */
  redeliver(id: string, deliveryId: string, options?: CallOptions): Promise<Delivery>
  /**
   * List events that a webhook never acknowledged.
   *
   * Events of the types that it names now, since it was created, of which no delivery has succeeded or is pending. Newest first. Where a long time must be searched a page may hold few events, or none, though `has_more` is true: `last_id` says where to go on.
   *
   * Needs the scope `webhooks:read`.
   */
  missed(id: string, params?: WebhooksMissedParams, options?: CallOptions): ListCall<Event>
  /**
   * Deliver what a webhook has missed.
   *
   * Delivers every event of the time between `since` and `until` that the webhook has not acknowledged, oldest first, with its original id. It goes on by itself; look at its progress, or cancel it.
   *
   * Needs the scope `webhooks:write`.
   */
  recover(id: string, params: WebhooksRecoverParams, options?: CallOptions): Promise<Recovery>
  /**
   * List the recoveries of a webhook.
   *
   * Needs the scope `webhooks:read`.
   */
  recoveries(id: string, params?: WebhooksRecoveriesParams, options?: CallOptions): ListCall<Recovery>
  /**
   * See how a recovery goes.
   *
   * Needs the scope `webhooks:read`.
   */
  recovery(id: string, recoveryId: string, options?: CallOptions): Promise<Recovery>
  /**
   * Cancel a recovery.
   *
   * No further event is looked at; what has not been sent yet is not sent. Cancelling twice changes nothing.
   *
   * Needs the scope `webhooks:write`.
   */
  cancelRecovery(id: string, recoveryId: string, options?: CallOptions): Promise<Recovery>
}

export type Events = {
  /**
   * List events.
   *
   * What was told, or would have been told, to webhooks. Tests are left out. A page of large events ends before `limit`; `has_more` says whether others follow.
   *
   * Needs the scope `events:read`.
   */
  list(params?: EventsListParams, options?: CallOptions): ListCall<Event>
  /**
   * Get an event by id.
   *
   * Needs the scope `events:read`.
   */
  get(id: string, options?: CallOptions): Promise<Event>
  /**
   * Stream events as they happen.
   *
   * For programs without a public address. Each frame is one event: `id` is its id, `event` its type, `data` the envelope. A stream that breaks goes on after the event that `Last-Event-ID` or `after` names, and loses none; `since` begins in the past. Without any of them it begins now.
   *
   * Needs the scope `events:read`.
   */
  watch(params?: EventsWatchParams, options?: StreamOptions): Stream<Event>
}

export type ApiKeys = {
  /**
   * List API keys.
   *
   * Also those that were revoked or have expired. No answer ever shows a whole key again.
   *
   * Needs the scope `keys:read`.
   */
  list(params?: ApiKeysListParams, options?: CallOptions): ListCall<ApiKey>
  /**
   * Create an API key.
   *
   * The whole key is in this answer and nowhere else afterwards. A key can grant nothing that its creator lacks: neither a scope nor an agent.
   *
   * Needs the scope `keys:write`.
   */
  create(params: ApiKeysCreateParams, options?: CallOptions & CreateOptions): Promise<NewApiKey>
  /**
   * Get an API key by id.
   *
   * Needs the scope `keys:read`.
   */
  get(id: string, options?: CallOptions): Promise<ApiKey>
  /**
   * Change an API key.
   *
   * What is left out is kept; null clears `agent_ids` and `expires_at`. It is effective everywhere within 5 seconds.
   *
   * Needs the scope `keys:write`.
   */
  update(id: string, params?: ApiKeysUpdateParams, options?: CallOptions): Promise<ApiKey>
  /**
   * Revoke an API key.
   *
   * The key stops working everywhere within 5 seconds, for good. Revoking it twice changes nothing.
   *
   * Needs the scope `keys:write`.
   */
  revoke(id: string, options?: CallOptions): Promise<ApiKey>
  /**
   * Rotate an API key.
   *
   * Answers with a new key of the same name, scopes, agents and expiry. The old one goes on working for 24 hours, with `Deprecation` and `Sunset` in every answer; both count against the same limits.
   *
   * Needs the scope `keys:write`.
   */
  rotate(id: string, options?: CallOptions & CreateOptions): Promise<NewApiKey>
}

export type SessionTokens = {
  /**
   * Create a short-lived token.
   *
   * For a browser: it may do a part of what its maker may do, for a short time, and dies with the key or the session that made it. With such a token a page of any origin may read, stream and answer a run. A token cannot make tokens.
   *
   * Any valid credential will do: a key, a browser session or a short-lived token.
   */
  create(params: SessionTokensCreateParams, options?: CallOptions): Promise<SessionToken>
}

export type Members = {
  /**
   * List members.
   *
   * Needs the scope `members:write`.
   */
  list(params?: MembersListParams, options?: CallOptions): ListCall<Member>
  /**
   * List invitations.
   *
   * Needs the scope `members:write`.
   */
  invitations(params?: MembersInvitationsParams, options?: CallOptions): ListCall<Invitation>
  /**
   * Invite a person.
   *
   * Makes a link that works once, for 7 days. The service sends no mail: you pass the link on. A second invitation to the same address withdraws the first. Nobody can give a role above their own.
   *
   * Needs the scope `members:write`.
   */
  invite(params: MembersInviteParams, options?: CallOptions): Promise<NewInvitation>
  /**
   * Withdraw an invitation.
   *
   * Needs the scope `members:write`.
   */
  revokeInvitation(id: string, options?: CallOptions): Promise<Invitation>
  /**
   * Change the role of a member.
   *
   * In effect within 5 seconds, for sessions that are open too.
   *
   * Needs the scope `members:write`.
   */
  update(id: string, params: MembersUpdateParams, options?: CallOptions): Promise<Member>
  /**
   * Remove a member.
   *
   * Ends the sessions that the person has in this organisation. API keys that the person made stay: revoke them if they should not.
   *
   * Needs the scope `members:write`.
   */
  remove(id: string, options?: CallOptions): Promise<Member>
  /**
   * Make a link to set a new password.
   *
   * It works once, for 24 hours, and makes earlier ones void.
   *
   * Needs the scope `members:write`.
   */
  resetPassword(params: MembersResetPasswordParams, options?: CallOptions): Promise<PasswordResetLink>
}

export type AuditLog = {
  /**
   * List administrative acts.
   *
   * Who did what to whom, from where, and what it was before and after. Entries are never changed or erased.
   *
   * Needs the scope `audit:read`.
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
    steps: { method: 'GET', path: '/runs/{id}/steps', answers: 'list' },
    diagnose: { method: 'GET', path: '/runs/{id}/diagnosis', answers: 'record' },
    act: { method: 'POST', path: '/runs/{id}/action', answers: 'record', takes: 'body', idempotent: true },
    erase: { method: 'DELETE', path: '/runs/{id}/data', answers: 'record' },
  },
  agents: {
    list: { method: 'GET', path: '/agents', answers: 'list', takes: 'query' },
    get: { method: 'GET', path: '/agents/{id}', answers: 'record' },
    update: { method: 'PATCH', path: '/agents/{id}', answers: 'record', takes: 'body' },
    archive: { method: 'DELETE', path: '/agents/{id}', answers: 'record' },
    hire: { method: 'POST', path: '/agents/{catalog_key}/deploy', answers: 'record', takes: 'body', idempotent: true },
    create: { method: 'POST', path: '/agents/custom', answers: 'record', takes: 'body', idempotent: true },
    versions: { method: 'GET', path: '/agents/{id}/versions', answers: 'list', takes: 'query' },
    version: { method: 'GET', path: '/agents/{id}/versions/{version}', answers: 'record' },
    diff: { method: 'GET', path: '/agents/{id}/versions/{version}/diff', answers: 'record', takes: 'query' },
  },
  catalog: {
    list: { method: 'GET', path: '/catalog', answers: 'list', takes: 'query' },
    get: { method: 'GET', path: '/catalog/{key}', answers: 'record' },
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
    delete: { method: 'DELETE', path: '/connectors/{id}', answers: 'record' },
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
    revoke: { method: 'DELETE', path: '/api-keys/{id}', answers: 'record' },
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
    remove: { method: 'DELETE', path: '/members/{id}', answers: 'record' },
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
