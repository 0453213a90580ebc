// Made by `pnpm gen` from packages/contract/openapi.json. Change the contract, not this file.

/** The values of `ActorType` that this version knows. */
export const actorTypes = ['key', 'user', 'operator', 'service'] as const

/** The values of `AgentKind` that this version knows. */
export const agentKinds = ['llm', 'remote'] as const

/** The values of `AgentSource` that this version knows. */
export const agentSources = ['catalog', 'custom'] as const

/** The values of `AgentStatus` that this version knows. */
export const agentStatuses = ['active', 'archived'] as const

/** The values of `AlertMetric` that this version knows. */
export const alertMetrics = ['failure_rate', 'latency_p95_ms', 'queue_wait_p95_ms', 'runs_per_minute', 'tokens_per_hour', 'cost_per_hour_usd', 'error_code_count', 'webhook_failure_rate', 'quota_used', 'action_waiting_minutes'] as const

/** The values of `AlertOperator` that this version knows. */
export const alertOperators = ['above', 'below'] as const

/** The values of `AlertResolution` that this version knows. */
export const alertResolutions = ['recovered', 'rule_changed', 'rule_deleted'] as const

/** The values of `AlertRuleState` that this version knows. */
export const alertRuleStates = ['ok', 'pending', 'firing'] as const

/** The values of `AlertSeverity` that this version knows. */
export const alertSeverities = ['info', 'warning', 'critical'] as const

/** The values of `AlertStatus` that this version knows. */
export const alertStatuses = ['firing', 'resolved'] as const

/** The values of `AnalyticsGetGroupBy` that this version knows. */
export const analyticsGetGroupBies = ['agent', 'version', 'error_code', 'api_key'] as const

/** The values of `AnalyticsInterval` that this version knows. */
export const analyticsIntervals = ['minute', 'hour', 'day'] as const

/** The values of `ApiKeyKind` that this version knows. */
export const apiKeyKinds = ['live', 'demo'] as const

/** The values of `ApiKeysRevokeDescendants` that this version knows. */
export const apiKeysRevokeDescendantses = ['true', 'false'] as const

/** The values of `Approver` that this version knows. */
export const approvers = ['anyone', 'person'] as const

/** The values of `BatchItemStatus` that this version knows. */
export const batchItemStatuses = ['waiting', 'queued', 'running', 'requires_action', 'cancelling', 'completed', 'failed', 'cancelled'] as const

/** The values of `BatchStatus` that this version knows. */
export const batchStatuses = ['running', 'cancelling', 'completed', 'cancelled'] as const

/** The values of `BudgetAction` that this version knows. */
export const budgetActions = ['refuse', 'park', 'notify'] as const

/** The values of `ConnectorAuthType` that this version knows. */
export const connectorAuthTypes = ['none', 'bearer', 'header'] as const

/** The values of `ConnectorStatus` that this version knows. */
export const connectorStatuses = ['active', 'deleted'] as const

/** The values of `DecisionType` that this version knows. */
export const decisionTypes = ['approve', 'reject', 'respond'] as const

/** The values of `DeliverySource` that this version knows. */
export const deliverySources = ['event', 'test', 'redelivery', 'recovery'] as const

/** The values of `DeliveryStatus` that this version knows. */
export const deliveryStatuses = ['pending', 'succeeded', 'failed'] as const

/** The values of `DeploymentSource` that this version knows. */
export const deploymentSources = ['hire', 'create', 'update', 'rollback'] as const

/** The values of `DeploymentStatus` that this version knows. */
export const deploymentStatuses = ['active', 'canary', 'superseded', 'rolled_back'] as const

/** The values of `ErrorType` that this version knows. */
export const errorTypes = ['invalid_request_error', 'authentication_error', 'permission_error', 'rate_limit_error', 'api_error'] as const

/** The values of `EventType` that this version knows. */
export const eventTypes = ['run.completed', 'run.failed', 'deployment.created', 'deployment.rollback', 'alert.triggered', 'agent.updated', 'pipeline.completed', 'run.requires_action', 'run.cancelled', 'webhook.disabled', 'connector.tool_changed', 'alert.resolved', 'api_key.expiring', 'api_key.exposed', 'test', 'budget.reached', 'policy.updated', 'schedule.paused', 'batch.completed'] as const

/** The values of `EventsListType` that this version knows. */
export const eventsListTypes = ['run.completed', 'run.failed', 'deployment.created', 'deployment.rollback', 'alert.triggered', 'agent.updated', 'pipeline.completed', 'run.requires_action', 'run.cancelled', 'webhook.disabled', 'connector.tool_changed', 'alert.resolved', 'api_key.expiring', 'api_key.exposed', 'budget.reached', 'policy.updated', 'schedule.paused', 'batch.completed'] as const

/** The values of `InvitationStatus` that this version knows. */
export const invitationStatuses = ['open', 'accepted', 'revoked', 'expired'] as const

/** The values of `KeyedProvider` that this version knows. */
export const keyedProviders = ['openai', 'anthropic', 'google'] as const

/** The values of `MembersRemoveKeys` that this version knows. */
export const membersRemoveKeyses = ['revoke', 'keep'] as const

/** The values of `NotificationKind` that this version knows. */
export const notificationKinds = ['alert_critical', 'alert_warning', 'alert_info', 'budget_reached', 'webhook_disabled', 'api_key_expiring'] as const

/** The values of `PiiKind` that this version knows. */
export const piiKinds = ['email', 'phone', 'card', 'iban', 'ip', 'national_id'] as const

/** The values of `PipelineDecisionType` that this version knows. */
export const pipelineDecisionTypes = ['approve', 'reject'] as const

/** The values of `PipelineErrorPolicy` that this version knows. */
export const pipelineErrorPolicies = ['fail', 'continue'] as const

/** The values of `PipelineItemErrorPolicy` that this version knows. */
export const pipelineItemErrorPolicies = ['fail', 'continue'] as const

/** The values of `PipelineItemStatus` that this version knows. */
export const pipelineItemStatuses = ['waiting', 'running', 'completed', 'failed', 'cancelled'] as const

/** The values of `PipelineRunStatus` that this version knows. */
export const pipelineRunStatuses = ['running', 'cancelling', 'completed', 'failed', 'cancelled'] as const

/** The values of `PipelineStatus` that this version knows. */
export const pipelineStatuses = ['active', 'archived'] as const

/** The values of `PipelineStepStatus` that this version knows. */
export const pipelineStepStatuses = ['pending', 'running', 'completed', 'failed', 'skipped', 'cancelled'] as const

/** The values of `PipelineWaitReason` that this version knows. */
export const pipelineWaitReasons = ['worker', 'share', 'runs', 'action', 'retry', 'nothing'] as const

/** The values of `Plan` that this version knows. */
export const plans = ['demo', 'free', 'developer', 'business', 'enterprise', 'none'] as const

/** The values of `PolicyAction` that this version knows. */
export const policyActions = ['block', 'require_approval', 'redact', 'flag'] as const

/** The values of `PolicyChange` that this version knows. */
export const policyChanges = ['created', 'updated', 'archived', 'attached', 'detached', 'shadow_ended'] as const

/** The values of `PolicyCheck` that this version knows. */
export const policyChecks = ['regex', 'keywords', 'pii', 'secrets', 'json_schema', 'url_allow', 'max_length', 'expression', 'model', 'http', 'presidio'] as const

/** The values of `PolicyMode` that this version knows. */
export const policyModes = ['enforce', 'shadow'] as const

/** The values of `PolicyStage` that this version knows. */
export const policyStages = ['input', 'action_payload', 'tool_call', 'tool_result', 'output'] as const

/** The values of `PolicyStatus` that this version knows. */
export const policyStatuses = ['active', 'ended', 'archived'] as const

/** The values of `PolicySubjectType` that this version knows. */
export const policySubjectTypes = ['organisation', 'agent', 'api_key'] as const

/** The values of `PolicyTrialStatus` that this version knows. */
export const policyTrialStatuses = ['queued', 'running', 'completed', 'failed', 'cancelled'] as const

/** The values of `PromptRole` that this version knows. */
export const promptRoles = ['system', 'user'] as const

/** The values of `RecoveryStatus` that this version knows. */
export const recoveryStatuses = ['running', 'completed', 'cancelled'] as const

/** The values of `RequiredActionType` that this version knows. */
export const requiredActionTypes = ['approval', 'input', 'reconcile', 'raise_budget'] as const

/** The values of `Role` that this version knows. */
export const roles = ['owner', 'admin', 'developer', 'viewer'] as const

/** The values of `RollbackMetric` that this version knows. */
export const rollbackMetrics = ['failure_rate', 'latency_p95_ms', 'cost_per_run_usd'] as const

/** The values of `RunBudgetAction` that this version knows. */
export const runBudgetActions = ['fail', 'park'] as const

/** The values of `RunErrorCode` that this version knows. */
export const runErrorCodes = ['run_timeout', 'queue_timeout', 'action_timeout', 'budget_exceeded', 'budget_exhausted', 'guardrail_blocked', 'agent_error', 'model_error', 'tool_error', 'output_invalid', 'output_too_large', 'storage_exceeded', 'max_steps_exceeded', 'internal_error'] as const

/** The values of `RunStatus` that this version knows. */
export const runStatuses = ['queued', 'running', 'requires_action', 'cancelling', 'completed', 'failed', 'cancelled'] as const

/** The values of `RunStepStatus` that this version knows. */
export const runStepStatuses = ['running', 'completed', 'failed'] as const

/** The values of `RunStepType` that this version knows. */
export const runStepTypes = ['model', 'tools', 'remote'] as const

/** The values of `RunWaitReason` that this version knows. */
export const runWaitReasons = ['slot', 'worker', 'provider', 'action', 'nothing'] as const

/** The values of `RunsListView` that this version knows. */
export const runsListViews = ['full', 'summary'] as const

/** The values of `RunsWatchDeltas` that this version knows. */
export const runsWatchDeltases = ['true', 'false'] as const

/** The values of `ScheduleFiringKind` that this version knows. */
export const scheduleFiringKinds = ['date', 'request'] as const

/** The values of `ScheduleFiringStatus` that this version knows. */
export const scheduleFiringStatuses = ['due', 'queued', 'started', 'skipped', 'failed'] as const

/** The values of `ScheduleMissed` that this version knows. */
export const scheduleMisseds = ['skip', 'once'] as const

/** The values of `ScheduleOverlap` that this version knows. */
export const scheduleOverlaps = ['skip', 'queue', 'allow'] as const

/** The values of `SchedulePauseReason` that this version knows. */
export const schedulePauseReasons = ['requested', 'creator_gone', 'forbidden', 'target_not_available'] as const

/** The values of `ScheduleStatus` that this version knows. */
export const scheduleStatuses = ['active', 'paused', 'ended'] as const

/** The values of `SchedulesListStatus` that this version knows. */
export const schedulesListStatuses = ['active', 'paused'] as const

/** The values of `Scope` that this version knows. */
export const scopes = ['runs:read', 'runs:write', 'runs:approve', 'runs:erase', 'runs:share', 'agents:read', 'agents:write', 'webhooks:read', 'webhooks:write', 'keys:read', 'keys:write', 'usage:read', 'analytics:read', 'pipelines:read', 'pipelines:write', 'schedules:read', 'schedules:write', 'policies:read', 'policies:write', 'connectors:read', 'connectors:write', 'alerts:read', 'alerts:write', 'events:read', 'audit:read', 'members:write'] as const

/** The values of `SendActionType` that this version knows. */
export const sendActionTypes = ['approve', 'reject', 'respond', 'message'] as const

/** The values of `StreamDelayMode` that this version knows. */
export const streamDelayModes = ['none', 'window', 'chunk', 'whole'] as const

/** The values of `TemplateParamType` that this version knows. */
export const templateParamTypes = ['string', 'string_list', 'number', 'boolean', 'object'] as const

/** The values of `ToolCallOutcome` that this version knows. */
export const toolCallOutcomes = ['completed', 'failed'] as const

/** The values of `ToolCallStatus` that this version knows. */
export const toolCallStatuses = ['waiting', 'started', 'completed', 'failed'] as const

/** The values of `ToolChange` that this version knows. */
export const toolChanges = ['new', 'changed', 'gone'] as const

/** The values of `ToolState` that this version knows. */
export const toolStates = ['approved', 'pending', 'changed', 'gone'] as const

/** The values of `UnavailableReason` that this version knows. */
export const unavailableReasons = ['shed', 'pool_busy', 'blocked', 'database_busy', 'database_away', 'database_read_only', 'disk_full', 'organisation_closed', 'key_service_away', 'contended', 'check_unmade', 'credential_unchecked'] as const

/** The values of `WaitingReason` that this version knows. */
export const waitingReasons = ['turn', 'share', 'line', 'destination', 'retry'] as const

/** The values of `WebhookDisabledReason` that this version knows. */
export const webhookDisabledReasons = ['paused', 'gone', 'failing'] as const

/** The values of `WebhookStatus` that this version knows. */
export const webhookStatuses = ['healthy', 'failing', 'disabled', 'deleted'] as const

/** The values of `WebhooksListStatus` that this version knows. */
export const webhooksListStatuses = ['healthy', 'failing', 'disabled'] as const

/** The codes of refusals that this version knows. */
export const errorCodes = [
  /** 422: A different decision was made before. */
  'action_already_resolved',
  /** 422: The run waits for several decisions, and the request does not name one. */
  'action_id_required',
  /** 422: This type of action does not answer the open question. */
  'action_not_applicable',
  /** 422: The agent is archived and accepts no new runs. */
  'agent_archived',
  /** 422: Only agents of kind `remote` have a signing secret. */
  'agent_not_remote',
  /** 413: The request body is larger than 1 MiB, or than 32 MiB for `POST /batches`. */
  'body_too_large',
  /** 429: The monthly budget of the organisation, the agent or the API key is used up. */
  'budget_exhausted',
  /** 429: Too many runs of this organisation are queued. */
  'concurrency_exceeded',
  /** 422: The configuration of the agent, or the definition of the pipeline, is well-formed but cannot work: for example an unlisted model, an unusable schema, or steps that depend on each other in a circle. */
  'config_invalid',
  /** 422: The server of the connector did not list its tools. The message has the cause. */
  'connector_unreachable',
  /** 403: A write with a session cookie did not come from the origin of the service. */
  'cross_site_forbidden',
  /** 422: The deployment was superseded or rolled back and receives no runs. */
  'deployment_not_open',
  /** 409: Another account has proven this e-mail address. */
  'email_taken',
  /** 422: An event type does not exist. */
  'event_unknown',
  /** 403: The credential is valid but does not allow this operation. */
  'forbidden',
  /** 422: A policy of the organisation forbids the content. */
  'guardrail_blocked',
  /** 431: The request headers are too large. */
  'headers_too_large',
  /** 403: The request used plain HTTP, which others on the network can read. */
  'https_required',
  /** 422: This idempotency key was used with a different request within the last 24 hours. */
  'idempotency_key_reused',
  /** 422: The request is well-formed, but a value is not acceptable. */
  'input_invalid',
  /** 500: The service failed. The failure is logged with the request id. */
  'internal_error',
  /** 400: The request is malformed: invalid JSON, a missing or wrongly typed field, or an unknown field. */
  'invalid_request',
  /** 422: The key was revoked, has expired or was already rotated. */
  'key_not_active',
  /** 422: The member has created API keys that are still active. */
  'keys_undecided',
  /** 422: This is the only owner of the organisation. Every organisation must have one. */
  'last_owner',
  /** 422: The organisation has the maximum number of these resources. */
  'limit_reached',
  /** 422: The link was used or withdrawn, has expired, or never existed. */
  'link_invalid',
  /** 422: This installation sends no mail. */
  'mail_disabled',
  /** 422: This person is already a member. */
  'member_exists',
  /** 405: The path exists, but does not support this method. */
  'method_not_allowed',
  /** 422: The run does not wait for a decision. */
  'no_open_action',
  /** 406: The service cannot respond in a format that `Accept` allows. */
  'not_acceptable',
  /** 404: The resource does not exist in this organisation. */
  'not_found',
  /** 422: There is no earlier version to roll back to. */
  'nothing_to_roll_back',
  /** 422: The credential does not act for the organisation in the header `ARS-Organisation`. Nothing was done. */
  'organisation_mismatch',
  /** 422: The new password is too short, too long or too easy to guess. */
  'password_refused',
  /** 422: An organisation cannot reset the password of a person who also belongs to other organisations. */
  'password_reset_refused',
  /** 422: The current password is wrong. */
  'password_wrong',
  /** 422: The payload does not match the requested format. */
  'payload_invalid',
  /** 422: The pipeline is archived. It accepts no new runs and no changes. */
  'pipeline_archived',
  /** 422: The policy is archived. It cannot be changed or attached. */
  'policy_archived',
  /** 422: The policy is well-formed but cannot work: for example a pattern that cannot be compiled, or an action that the check cannot take. */
  'policy_invalid',
  /** 429: The organisation, or the demo key, has used its runs of this month. */
  'quota_exceeded',
  /** 422: The period is too long for its interval, or the filters match too many figures. */
  'range_too_large',
  /** 429: Too many requests. */
  'rate_limited',
  /** 422: A recovery of this webhook is already running. */
  'recovery_running',
  /** 408: The complete request did not arrive in time. */
  'request_timeout',
  /** 422: The run or pipeline run has ended and accepts no more actions. */
  'run_not_active',
  /** 422: The run, pipeline run or batch is still active. The operation requires an ended one. */
  'run_not_ended',
  /** 422: A requested scope does not exist. */
  'scope_unknown',
  /** 422: The signing secret does not have the required format. */
  'secret_invalid',
  /** 422: This installation has no encryption key, so it cannot store credentials. */
  'secrets_disabled',
  /** 429: The organisation stores more bytes of runs than its plan allows. */
  'storage_exceeded',
  /** 422: The plan does not allow a timeout of this length. */
  'timeout_not_allowed',
  /** 422: The run has received the maximum number of actions. */
  'too_many_actions',
  /** 422: The tool is not listed with this hash: its server has changed or removed it since you read it. */
  'tool_changed',
  /** 401: The request has no valid credential: it is missing, malformed, unknown, revoked or expired. */
  'unauthorized',
  /** 503: The service cannot process the request at the moment. */
  'unavailable',
  /** 415: The content type of the request is not JSON. */
  'unsupported_media_type',
  /** 414: The URL is too long. */
  'uri_too_long',
  /** 422: The service is not allowed to call this URL. */
  'url_not_allowed',
  /** 422: The agent, pipeline or policy has changed since the version that you sent. */
  'version_conflict',
  /** 422: The webhook is paused or disabled, so nothing is sent to it. */
  'webhook_inactive',
] as const

export type ErrorCode = (typeof errorCodes)[number]

/** The limits of the API. The unit is last in the name. */
export const limits = {
  bodyBytes: 1048576,
  bodyDepth: 32,
  bodyKeys: 1000,
  headerBytes: 16384,
  idempotencyKeyChars: 255,
  idempotencyKeyHours: 24,
  metadataKeys: 16,
  metadataKeyChars: 64,
  metadataValueChars: 512,
  waitMaxSeconds: 300,
  runTimeoutMaxSeconds: 86400,
  actionTimeoutMaxSeconds: 604800,
  actionsPerRun: 2000,
  commentChars: 2000,
  messageChars: 100000,
  outputBytes: 10485760,
  runStoredBytes: 67108864,
  stepResultBytes: 10485760,
  toolCallsPerStep: 128,
  stepsMax: 1000,
  queuedPerSlot: 10,
  streamHeartbeatSeconds: 15,
  streamBufferBytes: 262144,
  streamsPerKey: 1000,
  keysPerOrganisation: 1000,
  membersPerOrganisation: 1000,
  invitationsPerOrganisation: 100,
  invitationDays: 7,
  passwordResetHours: 24,
  emailProofHours: 24,
  linkMailsPerDay: 500,
  linkMailsPerAddressPerDay: 3,
  invitationMailEveryMinutes: 60,
  eventMailsPerDay: 2000,
  alertDestinationsPerOrganisation: 10,
  keyNameChars: 200,
  agentsPerKey: 100,
  keyGraceHours: 24,
  keyExpiringDays: 7,
  sessionTokenMaxSeconds: 86400,
  shareMaxSeconds: 2592000,
  sharesPerRun: 20,
  sharesPerOrganisation: 1000,
  shareRequestsPerMinute: 300,
  shareBurst: 450,
  streamsPerShare: 100,
  sessionIdleHours: 12,
  sessionMaxDays: 7,
  emailChars: 254,
  passwordMaxChars: 1000,
  loginsPerAccount: 10,
  loginsPerAddress: 100,
  loginWindowSeconds: 900,
  urlBytes: 8192,
  headerCount: 100,
  agentsPerOrganisation: 1000,
  agentNameChars: 200,
  agentDescriptionChars: 2000,
  instructionsChars: 500000,
  providerKeyChars: 500,
  inputTemplateChars: 50000,
  schemaBytes: 32768,
  schemaDepth: 64,
  schemaSubschemas: 500,
  schemaPaths: 10000,
  schemaPatternChars: 512,
  stepAttempts: 10,
  attemptMessageChars: 300,
  toolsPerAgent: 16,
  fallbackModelsPerAgent: 3,
  policiesPerAgent: 20,
  versionsPerAgent: 10000,
  versionMax: 999999999,
  signingSecretOverlapMaxHours: 168,
  rollbackRulesMax: 5,
  rollbackMinRunsMax: 2000,
  comparisonIntervals: 60,
  webhooksPerOrganisation: 100,
  webhookEvents: 50,
  webhookUrlChars: 2048,
  webhookSecretMaxChars: 256,
  webhookSecretOverlapMaxHours: 168,
  deliveryAttempts: 3,
  deliveryTimeoutSeconds: 10,
  deliveryAnswerBytes: 16384,
  deliveriesUnderWayPerWebhook: 10,
  deliveriesWaitingPerWebhook: 100000,
  webhookFailingDays: 5,
  alertRulesPerOrganisation: 100,
  alertRuleNameChars: 200,
  alertThresholdMax: 1000000000000,
  alertWindowMaxSeconds: 3600,
  alertForMaxSeconds: 86400,
  alertSampleSizeMax: 1000000,
  policiesPerOrganisation: 200,
  policyNameChars: 200,
  policyDescriptionChars: 2000,
  rulesPerPolicy: 50,
  policyRulesBytes: 262144,
  policyAttachmentsPerOrganisation: 500,
  policiesInForce: 100,
  rulesInForce: 500,
  rulesInForceBytes: 1048576,
  policyShadowDays: 14,
  trialsUnderWay: 10,
  trialsKept: 1000,
  trialMaxDays: 31,
  trialRunsMax: 100000,
  trialCostMaxUsd: 1000,
  pageSizeMax: 100,
  filterIds: 100,
  pageBytes: 2097152,
  waitDefaultSeconds: 55,
  runTimeoutDefaultSeconds: 600,
  stepsDefault: 100,
  sessionTokenDefaultSeconds: 900,
  shareDefaultSeconds: 604800,
  passwordMinChars: 12,
  signingSecretOverlapHours: 24,
  webhookSecretMinChars: 24,
  webhookSecretOverlapHours: 24,
  alertWindowMinSeconds: 120,
  alertWindowDefaultSeconds: 300,
  alertSampleSizeDefault: 10,
  trialRunsDefault: 10000,
  pageSizeDefault: 20,
} as const
