// Made by `pnpm gen` from packages/contract/openapi.json. Change the contract, not this file.

import type { Open } from '../open.ts'

export type AcceptInvitation = {
  /** The part of the link after `#token=`. */
  token: string
  /** For a new account. */
  name?: string | undefined
  /** 12 to 1000 characters of any kind. */
  password: string
}

export type ActionDecision = {
  /** The id of an action. */
  action_id: string
  type: Open<DecisionType>
  /** Who decided: an API key (`key_…`) or a person (`usr_…`). */
  by: string
  /** The reason that was given. */
  comment: string | null
  /** When it was decided. */
  at: string
}

/** The number of runs in each state. Runs that have ended are not counted. */
export type ActiveRuns = {
  /** Runs that wait for a slot. */
  queued: number
  /** Runs in execution. */
  running: number
  /** Runs that wait for a person. */
  requires_action: number
  /** Runs that are being cancelled. */
  cancelling: number
}

/** Who did it. A short-lived token counts as its creator. */
export type Actor = {
  type: Open<ActorType>
  /** The API key or person; user and host of an operator’s command; null for the service. */
  id: string | null
}

/** The kind of actor. */
export type ActorType = 'key' | 'user' | 'operator' | 'service'

/** A program that runs on a model or behind your endpoint. */
export type Agent = {
  /** The id of an agent. */
  id: string
  /** Always `agent`. */
  object: 'agent'
  /** The name of the agent. */
  name: string
  /** What the agent does, for people. */
  description: string | null
  status: Open<AgentStatus>
  kind: Open<AgentKind>
  source: Open<AgentSource>
  /** The catalog agent that was hired; null for a custom agent. */
  catalog_key: string | null
  /** The version of the catalog agent that was hired. */
  catalog_version: number | null
  /** The current version in the catalog. To adopt it, send `PATCH {"catalog_version": n}`. */
  catalog_latest: number | null
  /** The newest released version, fully or as a canary. */
  version: number
  /** Model, instructions and tools, or the endpoint of a remote agent. */
  config: { [key: string]: unknown }
  /** JSON Schema of the input. */
  input_schema: { [key: string]: unknown } | null
  /** JSON Schema of the output. */
  output_schema: { [key: string]: unknown } | null
  limits: AgentLimits
  /** The ids of the policies attached to it. Read-only: `POST /policies/{id}/attachments` attaches one. */
  policies: string[]
  /** Your own key-value pairs. */
  metadata: { [key: string]: string }
  /** When it was created. */
  created_at: string
  /** When it was last changed. */
  updated_at: string
  /** When it was archived; null if it is active. */
  archived_at: string | null
  /** US dollars a month, UTC; null: none. */
  monthly_budget_usd: number | null
  budget_action: Open<BudgetAction>
}

export type AgentChange = {
  /** The path of the field. */
  path: string
  /** The old value; null if there was none. */
  old?: unknown
  /** The new value; null if there is none. */
  new?: unknown
}

/** Use the fields of the agent’s kind. Null clears an optional field. An invalid configuration returns 422 with the path of each error. */
export type AgentConfigInput = {
  /** `provider/model`. Required for `llm`. */
  model?: string | undefined
  /** Called in order while the models before answer 429 or 5xx or are unreachable. For `llm`. */
  fallback_models?: readonly string[] | null | undefined
  /** System prompt. For `llm`. */
  instructions?: string | null | undefined
  /** The first user message, with placeholders such as `${{ input.question }}` (CEL) that the input of a run fills. Without it the model receives `query` as text if it is the only field, and otherwise the input as JSON. For `llm`. */
  input_template?: string | null | undefined
  /** Sampling temperature. For `llm`. */
  temperature?: number | null | undefined
  /** Maximum output tokens of one model call. For `llm`. */
  max_output_tokens?: number | null | undefined
  /** Connectors whose tools the agent can use. For `llm`. */
  tools?: readonly AgentTool[] | null | undefined
  /** For `llm` with the model `simulated/script`: the scripted turns. */
  script?: readonly unknown[] | null | undefined
  /** Your endpoint: HTTPS on a public host. Required for `remote`. */
  url?: string | undefined
  /** How the service authenticates at your endpoint; stored encrypted. For `remote`. */
  auth?: ConnectorAuthInput | undefined
}

export type AgentDiff = {
  /** Always `agent_diff`. */
  object: 'agent_diff'
  /** The id of an agent. */
  agent_id: string
  /** The version that is compared. */
  from: number
  /** The version that it is compared with. */
  to: number
  /** The fields that differ. */
  changes: AgentChange[]
}

export type AgentFigures = {
  /** The id of an agent. */
  agent_id: string
  /** The name; null if it is gone. */
  name: string | null
  /** Its figures. */
  figures: AnalyticsFigures
}

/** `llm`: the service calls a model. `remote`: the service calls your HTTPS endpoint. */
export type AgentKind = 'llm' | 'remote'

/** The limits of its runs. Null: the limit of the plan applies. */
export type AgentLimits = {
  /** Seconds after which a run fails with `run_timeout`. */
  timeout_seconds: number | null
  /** The maximum number of steps of a run. */
  max_steps: number | null
  /** The maximum cost of a run in US dollars. */
  budget_usd: number | null
  /** What happens at `budget_usd`. */
  budget_action: Open<RunBudgetAction> | null
  /** The maximum number of runs at the same time. */
  max_concurrent_runs: number | null
  /** Who may approve actions of its runs; null: anyone with `runs:approve`. */
  approval: ApprovalRule | null
}

/** Null or omitted: the limits of the plan apply. */
export type AgentLimitsInput = {
  /** Seconds after which a run fails with `run_timeout`. */
  timeout_seconds?: number | null | undefined
  /** The maximum number of steps of a run. */
  max_steps?: number | null | undefined
  /** The maximum cost of a run in US dollars. */
  budget_usd?: number | null | undefined
  /** What happens at `budget_usd`. */
  budget_action?: RunBudgetAction | null | undefined
  /** The maximum number of runs at the same time. */
  max_concurrent_runs?: number | null | undefined
  approval?: ApprovalRuleInput | null | undefined
}

/** One page of a list. */
export type AgentList = {
  /** Always `list`. */
  object: 'list'
  /** The items of this page. */
  data: Agent[]
  /** Whether more items follow. */
  has_more: boolean
  /** The first id of this page, for `before`. */
  first_id: string | null
  /** The last id of this page, for `after`. */
  last_id: string | null
}

/** The messages that a model receives in the first step of a run. */
export type AgentPrompt = {
  /** Always `agent_prompt`. */
  object: 'agent_prompt'
  /** Null: the configuration is not saved. */
  agent_id: string | null
  /** The version of the agent; null without an agent. */
  version: number | null
  /** In the order in which the model receives them. */
  messages: PromptMessage[]
}

/** Whether it was hired from the catalog or created by the organisation. */
export type AgentSource = 'catalog' | 'custom'

export type AgentStats = {
  /** Always `agent_stats`. */
  object: 'agent_stats'
  /** The id of an agent. */
  agent_id: string
  runs: ActiveRuns
  /** True: counting stopped at 10,000 runs in all. */
  is_capped: boolean
}

/** `archived`: it accepts no new runs and no changes. */
export type AgentStatus = 'active' | 'archived'

export type AgentTool = {
  /** The id of a connector. */
  connector_id: string
  /** The tools that the agent can use, if they are approved. Omitted: all approved tools. Empty: none. */
  allow?: readonly string[] | undefined
  /** Tools whose calls wait for a person, beside those that do by default: tools without `readOnlyHint` whose `destructiveHint` is not false. An empty list asks nobody, not even by default. */
  require_approval?: readonly string[] | undefined
}

/** What `GET /agents/{id}` shows has changed: by an update, a rollback, archiving or unarchiving. */
export type AgentUpdatedEvent = {
  /** The id of an event. */
  id: string
  /** The type of the event. */
  type: 'agent.updated'
  /** When it happened. */
  created_at: string
  data: ChangedAgent
}

/** One version of an agent. It never changes. */
export type AgentVersion = {
  /** Always `agent_version`. */
  object: 'agent_version'
  /** The id of an agent. */
  agent_id: string
  /** The number of the version, from 1. */
  version: number
  /** The name of the agent. */
  name: string
  /** What the agent does, for people. */
  description: string | null
  /** Model, instructions and tools, or the endpoint of a remote agent. */
  config: { [key: string]: unknown }
  /** JSON Schema of the input. */
  input_schema: { [key: string]: unknown } | null
  /** JSON Schema of the output. */
  output_schema: { [key: string]: unknown } | null
  limits: AgentLimits
  /** The ids of the policies attached to it. Read-only: `POST /policies/{id}/attachments` attaches one. */
  policies: string[]
  /** Your own key-value pairs. */
  metadata: { [key: string]: string }
  /** The key or person that created the version; null for the operator. */
  created_by: string | null
  /** When it was created. */
  created_at: string
}

/** One page of a list. */
export type AgentVersionList = {
  /** Always `list`. */
  object: 'list'
  /** The items of this page. */
  data: AgentVersion[]
  /** Whether more items follow. */
  has_more: boolean
  /** The first id of this page, for `before`. */
  first_id: string | null
  /** The last id of this page, for `after`. */
  last_id: string | null
}

export type AgentWithSecret = {
  /** The id of an agent. */
  id: string
  /** Always `agent`. */
  object: 'agent'
  /** The name of the agent. */
  name: string
  /** What the agent does, for people. */
  description: string | null
  status: Open<AgentStatus>
  kind: Open<AgentKind>
  source: Open<AgentSource>
  /** The catalog agent that was hired; null for a custom agent. */
  catalog_key: string | null
  /** The version of the catalog agent that was hired. */
  catalog_version: number | null
  /** The current version in the catalog. To adopt it, send `PATCH {"catalog_version": n}`. */
  catalog_latest: number | null
  /** The newest released version, fully or as a canary. */
  version: number
  /** Model, instructions and tools, or the endpoint of a remote agent. */
  config: { [key: string]: unknown }
  /** JSON Schema of the input. */
  input_schema: { [key: string]: unknown } | null
  /** JSON Schema of the output. */
  output_schema: { [key: string]: unknown } | null
  limits: AgentLimits
  /** The ids of the policies attached to it. Read-only: `POST /policies/{id}/attachments` attaches one. */
  policies: string[]
  /** Your own key-value pairs. */
  metadata: { [key: string]: string }
  /** When it was created. */
  created_at: string
  /** When it was last changed. */
  updated_at: string
  /** When it was archived; null if it is active. */
  archived_at: string | null
  /** US dollars a month, UTC; null: none. */
  monthly_budget_usd: number | null
  budget_action: Open<BudgetAction>
  /** The new secret. Only this response contains it. Null for a replay. */
  signing_secret: string | null
}

/** A rule that fired. */
export type Alert = {
  /** The id of an alert. */
  id: string
  /** Always `alert`. */
  object: 'alert'
  rule: AlertTerms
  status: Open<AlertStatus>
  severity: Open<AlertSeverity>
  /** When it fired. */
  triggered_at: string
  /** When it was resolved; null before. */
  resolved_at: string | null
  resolution: Open<AlertResolution> | null
  snapshot: AlertSnapshot
  /** Somebody tested the rule. A test is sent and not stored. */
  test: boolean
}

/** A chat channel that receives alerts. */
export type AlertDestination = {
  /** The id of an alert destination. */
  id: string
  /** Always `alert_destination`. */
  object: 'alert_destination'
  type: 'slack'
  /** The host and the last four characters of the URL. The rest is secret. */
  url_hint: string
  /** When it was created. */
  created_at: string
}

/** One page of a list. */
export type AlertDestinationList = {
  /** Always `list`. */
  object: 'list'
  /** The items of this page. */
  data: AlertDestination[]
  /** Whether more items follow. */
  has_more: boolean
  /** The first id of this page, for `before`. */
  first_id: string | null
  /** The last id of this page, for `after`. */
  last_id: string | null
}

/** One page of a list. */
export type AlertList = {
  /** Always `list`. */
  object: 'list'
  /** The items of this page. */
  data: Alert[]
  /** Whether more items follow. */
  has_more: boolean
  /** The first id of this page, for `before`. */
  first_id: string | null
  /** The last id of this page, for `after`. */
  last_id: string | null
}

/** The value that is watched. `failure_rate`, `webhook_failure_rate` and `quota_used` are shares from 0 to 1. `action_waiting_minutes` is the age of the oldest decision that a run waits for. */
export type AlertMetric = 'failure_rate' | 'latency_p95_ms' | 'queue_wait_p95_ms' | 'runs_per_minute' | 'tokens_per_hour' | 'cost_per_hour_usd' | 'error_code_count' | 'webhook_failure_rate' | 'quota_used' | 'action_waiting_minutes'

/** The side of the threshold on which the rule fires. */
export type AlertOperator = 'above' | 'below'

export type AlertPreview = {
  /** Always `alert_preview`. */
  object: 'alert_preview'
  /** The start of the time that was evaluated. */
  from: string
  /** The end of the time that was evaluated. */
  to: string
  /** How many times it would have fired. */
  fired: number
  /** The last 100 of these times, oldest first. */
  periods: FiringPeriod[]
}

/** Why it was resolved. `rule_changed`: also because it was disabled. */
export type AlertResolution = 'recovered' | 'rule_changed' | 'rule_deleted'

/** An alert was resolved; `resolution` has the cause. */
export type AlertResolvedEvent = {
  /** The id of an event. */
  id: string
  /** The type of the event. */
  type: 'alert.resolved'
  /** When it happened. */
  created_at: string
  data: Alert
}

export type AlertRule = {
  /** The id of an alert rule. */
  id: string
  /** Always `alert_rule`. */
  object: 'alert_rule'
  /** The name of the rule. */
  name: string
  metric: Open<AlertMetric>
  /** For `error_code_count`: the failures that are counted. */
  error_code: Open<RunErrorCode> | null
  /** The agent; null: the whole organisation. */
  agent_id: string | null
  operator: Open<AlertOperator>
  /** In the unit of the metric. */
  threshold: number
  /** The time over which the value is computed: whole minutes. */
  window_seconds: number
  /** How long the value must be beyond the threshold before the rule fires. */
  for_seconds: number
  /** For shares and percentiles: with fewer runs or deliveries, the window has no value. */
  min_sample_size: number
  severity: Open<AlertSeverity>
  /** Whether it is evaluated. */
  enabled: boolean
  state: Open<AlertRuleState>
  /** The alert that fires now; null: none does. */
  alert_id: string | null
  /** The figures are older than 60 seconds, so the rule keeps its state until they are counted. */
  stale: boolean
  /** When it was created. */
  created_at: string
}

/** One page of a list. */
export type AlertRuleList = {
  /** Always `list`. */
  object: 'list'
  /** The items of this page. */
  data: AlertRule[]
  /** Whether more items follow. */
  has_more: boolean
  /** The first id of this page, for `before`. */
  first_id: string | null
  /** The last id of this page, for `after`. */
  last_id: string | null
}

/** `pending`: the value is beyond the threshold, for less than `for_seconds` so far. */
export type AlertRuleState = 'ok' | 'pending' | 'firing'

export type AlertSeriesPoint = {
  /** The start of the minute. */
  at: string
  /** The value of that minute; null: it has none. */
  value: number | null
}

/** How urgent it is. */
export type AlertSeverity = 'info' | 'warning' | 'critical'

/** The values when the alert fired. */
export type AlertSnapshot = {
  metric: Open<AlertMetric>
  /** The value of the metric. */
  value: number
  /** The threshold of the rule. */
  threshold: number
  /** The start of the time that was evaluated. */
  window_start: string
  /** The end of the time that was evaluated. */
  window_end: string
  /** The number of runs or deliveries in the window. */
  sample_size: number
  /** The values of the window by minute, at most 60. */
  series: AlertSeriesPoint[]
}

/** Whether the rule still fires. */
export type AlertStatus = 'firing' | 'resolved'

/** The rule as it was when it fired. */
export type AlertTerms = {
  /** The id of an alert rule. */
  id: string
  /** The name of the rule. */
  name: string
  metric: Open<AlertMetric>
  /** For `error_code_count`: the failures that are counted. */
  error_code: Open<RunErrorCode> | null
  /** The agent; null: the whole organisation. */
  agent_id: string | null
  operator: Open<AlertOperator>
  /** In the unit of the metric. */
  threshold: number
  /** The time over which the value is computed: whole minutes. */
  window_seconds: number
  /** How long the value must be beyond the threshold before the rule fires. */
  for_seconds: number
  /** For shares and percentiles: with fewer runs or deliveries, the window has no value. */
  min_sample_size: number
  severity: Open<AlertSeverity>
}

/** A monitoring alert fired. */
export type AlertTriggeredEvent = {
  /** The id of an event. */
  id: string
  /** The type of the event. */
  type: 'alert.triggered'
  /** When it happened. */
  created_at: string
  data: Alert
}

/** How the ended runs of a period went. */
export type Analytics = {
  /** Always `analytics`. */
  object: 'analytics'
  /** The begin. */
  from: string
  /** The end, which is not included. */
  to: string
  interval: Open<AnalyticsInterval>
  /** Where days begin. */
  time_zone: string
  /** Runs that ended before this time are counted. */
  as_of: string
  totals: AnalyticsFigures
  previous: AnalyticsPrevious
  /** Oldest first. Intervals without figures are left out. */
  series: AnalyticsPoint[]
  /** The lists of agents begin here: with whole UTC days if the period has over 2 days. */
  top_from: string
  /** The 10 agents with the most runs. */
  top_agents: AgentFigures[]
  /** The 10 agents with the highest mean latency. */
  slowest_agents: AgentFigures[]
  /** The 10 most frequent error codes. */
  top_errors: AnalyticsError[]
  /** By `group_by`, most runs first, at most 100; null without it. */
  groups: AnalyticsGroup[] | null
}

export type AnalyticsError = {
  /** The error code. */
  code: string
  /** Failed runs. */
  runs: number
}

/** The series of `GET /analytics` as CSV. */
export type AnalyticsExport = {
  /** Always `analytics_export`. */
  object: 'analytics_export'
  /** A name for the file. */
  filename: string
  /** CSV (RFC 4180) with a header line, and one line per interval. */
  content: string
}

/** Figures of ended runs. Percentiles are within 1 %. */
export type AnalyticsFigures = {
  /** Ended runs. */
  runs: number
  /** Completed runs. */
  completed: number
  /** Failed runs. */
  failed: number
  /** Cancelled runs. */
  cancelled: number
  /** Tokens that models read. */
  input_tokens: number
  /** Tokens that models wrote. */
  output_tokens: number
  /** The part of the input tokens that the provider had cached. */
  cached_tokens: number
  /** The cost of model calls, by the prices of the operator. */
  cost_usd: number
  /** Runs whose cost is not known, because a model has no price. */
  unpriced_runs: number
  /** Completed runs divided by completed and failed ones; null without any. */
  success_rate: number | null
  /** The median from created to finished, without the time spent waiting for people, in ms; null without runs. */
  latency_p50_ms: number | null
  /** The 95th percentile, in ms; null without runs. */
  latency_p95_ms: number | null
  /** The 99th percentile, in ms; null without runs. */
  latency_p99_ms: number | null
  /** The 95th percentile of the wait for the first start, in ms; null without runs. */
  queue_wait_p95_ms: number | null
  /** Succeeded deliveries divided by ended ones, of the whole organisation; null without any. */
  webhook_success_rate: number | null
  /** Runs and inputs that a guardrail blocked. */
  guardrail_blocks: number
}

export type AnalyticsGetGroupBy = 'agent' | 'version' | 'error_code' | 'api_key'

export type AnalyticsGroup = {
  /** The id of an agent or an API key, a version, or an error code. Null: people. */
  key: string | null
  /** The name; null if it is gone. */
  name: string | null
  /** Its figures. */
  figures: AnalyticsFigures
}

/** The length of a point of the series. */
export type AnalyticsInterval = 'minute' | 'hour' | 'day'

export type AnalyticsPoint = {
  /** The begin of the interval. */
  started_at: string
  /** Its figures. */
  figures: AnalyticsFigures
}

/** The period of the same length before. */
export type AnalyticsPrevious = {
  /** The begin. */
  from: string
  /** The end, which is not included. */
  to: string
  /** Its figures. */
  totals: AnalyticsFigures
}

/** A credential of a program. The complete key is shown once. */
export type ApiKey = {
  /** The id of an API key. */
  id: string
  /** Always `api_key`. */
  object: 'api_key'
  /** The name of the key, for people. */
  name: string
  kind: Open<ApiKeyKind>
  /** The first characters of the key: `ars_live_` or `ars_demo_`. */
  prefix: string
  /** The last four characters of the key. */
  hint: string
  /** The permissions that it holds. */
  scopes: Open<Scope>[]
  /** The only agents that the key can use; null: all agents of the organisation. */
  agent_ids: string[] | null
  /** When the key stops working; null: never. */
  expires_at: string | null
  /** When the key was last used. Updated about every 10 seconds. */
  last_used_at: string | null
  /** The key or person that created it; null for the operator. */
  created_by: string | null
  /** When it was created. */
  created_at: string
  /** When the key was revoked. */
  revoked_at: string | null
  /** The key that replaces it. */
  rotated_to: string | null
  /** When a rotated key stops working. */
  grace_until: string | null
  /** When the key was sent over plain HTTP, where others can read it. Rotate such a key. */
  exposed_at: string | null
  /** US dollars a month, UTC; null: none. */
  monthly_budget_usd: number | null
  budget_action: Open<BudgetAction>
}

/** An API key expires within 7 days. Sent once per expiry date; not for keys valid for 7 days or less. */
export type ApiKeyExpiringEvent = {
  /** The id of an event. */
  id: string
  /** The type of the event. */
  type: 'api_key.expiring'
  /** When it happened. */
  created_at: string
  data: ApiKey
}

/** An API key was sent over plain HTTP; `revoked_at` shows whether the service revoked it. */
export type ApiKeyExposedEvent = {
  /** The id of an event. */
  id: string
  /** The type of the event. */
  type: 'api_key.exposed'
  /** When it happened. */
  created_at: string
  data: ApiKey
}

/** A `demo` key has low limits, cannot use connectors, and sees only the runs that it created. */
export type ApiKeyKind = 'live' | 'demo'

/** One page of a list. */
export type ApiKeyList = {
  /** Always `list`. */
  object: 'list'
  /** The items of this page. */
  data: ApiKey[]
  /** Whether more items follow. */
  has_more: boolean
  /** The first id of this page, for `before`. */
  first_id: string | null
  /** The last id of this page, for `after`. */
  last_id: string | null
}

export type ApiKeysRevokeDescendants = 'true' | 'false'

/** Who may approve actions of its runs. */
export type ApprovalRule = {
  by: Open<Approver>
  /** Another principal than the one that started the run must approve. A key counts as the person who created it. */
  not_starter: boolean
}

/** Who may approve actions of its runs, beside the scope `runs:approve`. */
export type ApprovalRuleInput = {
  /** `person`: not with an API key. Default: `anyone`. */
  by?: Approver | undefined
  /** Another principal than the one that started the run must approve. A key counts as the person who created it. */
  not_starter?: boolean | undefined
}

export type ApproveTool = {
  /** The `hash` of the tool that you have read. */
  hash: string
}

/** `person`: not with an API key. Default: `anyone`. */
export type Approver = 'anyone' | 'person'

export type AttachPolicy = {
  /** The organisation (`org_…`), an agent (`ag_…`) or an API key (`key_…`). */
  subject_id: string
  /** True: runs that were accepted before are not affected. False: `block` and `require_approval` reach them. Default: `false`. */
  new_runs_only?: boolean | undefined
}

/** One administrative operation. */
export type AuditEntry = {
  /** The id of an entry of the audit log. */
  id: string
  /** Always `audit_entry`. */
  object: 'audit_entry'
  /** The position in the log of the organisation: 1, 2, 3 … without gaps. */
  number: number
  /** SHA-256 in hexadecimal of the hash of the entry before and `canonical`. The first entry follows the byte 0. */
  hash: string
  /** The text that the hash covers: a JSON array of the fields of the entry. */
  canonical: string
  actor: Actor
  /** Resource and action, such as `api_key.revoked`. */
  action: string
  /** The id of the affected resource. */
  subject: string | null
  /** The IP address of the client. */
  address: string | null
  /** The request that did it; null without one. */
  request_id: string | null
  /** The changed values before the operation. Never contains secrets. */
  before: { [key: string]: unknown } | null
  /** The changed values after the operation. Never contains secrets. */
  after: { [key: string]: unknown } | null
  /** When it was created. */
  created_at: string
}

/** One page of a list. */
export type AuditEntryList = {
  /** Always `list`. */
  object: 'list'
  /** The items of this page. */
  data: AuditEntry[]
  /** Whether more items follow. */
  has_more: boolean
  /** The first id of this page, for `before`. */
  first_id: string | null
  /** The last id of this page, for `after`. */
  last_id: string | null
}

/** Many runs of one agent, in the background, without slowing other runs. */
export type Batch = {
  /** The id of a batch. */
  id: string
  /** Always `batch`. */
  object: 'batch'
  /** The agent of the runs. */
  agent_id: string
  status: Open<BatchStatus>
  progress: BatchProgress
  /** Why no worker starts items of it now; null: a worker does, or nothing waits. */
  waiting: Waiting | null
  /** The metadata of the request; its runs have it too. */
  metadata: { [key: string]: string }
  /** The timeout of each run; null: as its agent says. */
  timeout_seconds: number | null
  /** The key or person that created it. Its runs are started in this name. */
  created_by: string
  /** When it was created. */
  created_at: string
  /** When the last item ended; null before. */
  finished_at: string | null
  /** When the data of the batch and of its runs was erased. Null: it was not. */
  erased_at: string | null
}

/** A batch ended; `status` says how. */
export type BatchCompletedEvent = {
  /** The id of an event. */
  id: string
  /** The type of the event. */
  type: 'batch.completed'
  /** When it happened. */
  created_at: string
  data: Batch
}

/** An input of a batch. */
export type BatchItem = {
  /** The input of the run. */
  input: { readonly [key: string]: unknown }
  /** Your name for the item, unique in the batch. Its result has it. */
  custom_id?: string | undefined
}

export type BatchItemError = {
  /** The code of the failed run, or of the refusal. */
  code: string
  /** The cause in words. The text can change. */
  message: string
}

/** `waiting`: it has no run yet. Otherwise the state of its run; `failed` also if it was refused. */
export type BatchItemStatus = 'waiting' | 'queued' | 'running' | 'requires_action' | 'cancelling' | 'completed' | 'failed' | 'cancelled'

/** One page of a list. */
export type BatchList = {
  /** Always `list`. */
  object: 'list'
  /** The items of this page. */
  data: Batch[]
  /** Whether more items follow. */
  has_more: boolean
  /** The first id of this page, for `before`. */
  first_id: string | null
  /** The last id of this page, for `after`. */
  last_id: string | null
}

/** The items by their state. */
export type BatchProgress = {
  /** All items. */
  items: number
  /** Items without a run. */
  waiting: number
  /** Items whose run has not ended. */
  running: number
  /** Items whose run has completed. */
  completed: number
  /** Items whose run has failed, and items that were refused. */
  failed: number
  /** Items whose run was cancelled, and items that were not started because of the cancel. */
  cancelled: number
}

/** What became of an item of a batch. */
export type BatchResult = {
  /** The place of the item in the list, from 0. */
  id: string
  /** Always `batch_result`. */
  object: 'batch_result'
  /** Your name for the item; null: it has none, or was erased. */
  custom_id: string | null
  status: Open<BatchItemStatus>
  /** Its run; null: it has none. */
  run_id: string | null
  /** The output of the run; null without one. */
  output: { [key: string]: unknown } | null
  /** Why the item failed; null otherwise. */
  error: BatchItemError | null
  /** The end of the run; null before, and without one. */
  finished_at: string | null
  /** The text of the output, which is its field `result`; null if that is no text. The client adds it. */
  output_text: string | null
}

/** One page of a list. */
export type BatchResultList = {
  /** Always `list`. */
  object: 'list'
  /** The items of this page. */
  data: BatchResult[]
  /** Whether more items follow. */
  has_more: boolean
  /** The first id of this page, for `before`. */
  first_id: string | null
  /** The last id of this page, for `after`. */
  last_id: string | null
}

/** The state of a batch. It is `completed` when every item has finished, whether it succeeded or failed. */
export type BatchStatus = 'running' | 'cancelling' | 'completed' | 'cancelled'

export type BearerAuth = {
  /** How the credential is sent. */
  type: 'bearer'
  /** Stored encrypted and never returned. */
  token: string
}

/** What may be spent in a month, and what was. */
export type Budget = {
  /** The organisation, agent or API key. Of rotated keys, the first one. */
  id: string
  /** Always `budget`. */
  object: 'budget'
  /** The budget in US dollars. */
  monthly_budget_usd: number
  budget_action: Open<BudgetAction>
  /** The cost of this month. */
  spent_usd: number
  /** 80 or 100: the share that was announced this month; else 0. */
  reached_percent: number
  /** The start of the next month. */
  resets_at: string
}

/** `refuse`: new runs are rejected. `park`: runs wait before their next model call. `notify`: only events are sent. */
export type BudgetAction = 'refuse' | 'park' | 'notify'

/** One page of a list. */
export type BudgetList = {
  /** Always `list`. */
  object: 'list'
  /** The items of this page. */
  data: Budget[]
  /** Whether more items follow. */
  has_more: boolean
  /** The first id of this page, for `before`. */
  first_id: string | null
  /** The last id of this page, for `after`. */
  last_id: string | null
}

/** The cost of a month reached 80 % or 100 % of a budget. Sent once for each of them in a month; `reached_percent` says which. */
export type BudgetReachedEvent = {
  /** The id of an event. */
  id: string
  /** The type of the event. */
  type: 'budget.reached'
  /** When it happened. */
  created_at: string
  data: Budget
}

/** An agent that can be hired. */
export type CatalogAgent = {
  /** Same as `key`; used for paging. */
  id: string
  /** Always `catalog_agent`. */
  object: 'catalog_agent'
  /** The key to hire it with. */
  key: string
  /** Increases when the agent changes. Hired agents can adopt the newer version. */
  version: number
  /** The name of the agent. */
  name: string
  /** What the agent does. */
  description: string
  /** The group of the catalog that it belongs to. */
  category: string
  /** Agents of the catalog call a model. */
  kind: 'llm'
  /** Model, instructions and tools. */
  config: { [key: string]: unknown }
  /** JSON Schema of the input. */
  input_schema: { [key: string]: unknown } | null
  /** JSON Schema of the output. */
  output_schema: { [key: string]: unknown } | null
  /** The limits of its runs. */
  limits: { [key: string]: unknown }
  /** The agent uses tools: hire it with one of your connectors. */
  needs_connector: boolean
  /** An input to try it with. */
  sample_input: { [key: string]: unknown }
  /** The output for this input, if it is always the same. */
  sample_output: { [key: string]: unknown } | null
}

/** One page of a list. */
export type CatalogAgentList = {
  /** Always `list`. */
  object: 'list'
  /** The items of this page. */
  data: CatalogAgent[]
  /** Whether more items follow. */
  has_more: boolean
  /** The first id of this page, for `before`. */
  first_id: string | null
  /** The last id of this page, for `after`. */
  last_id: string | null
}

export type ChangePassword = {
  /** The current password. */
  current_password: string
  /** 12 to 1000 characters of any kind. */
  new_password: string
}

/** The change of an agent. */
export type ChangedAgent = {
  /** The id of an agent. */
  agent_id: string
  version: VersionChange
  /** The paths of the changed fields. */
  changed: string[]
  /** The old values by path; null if there was none. */
  old: { [key: string]: unknown }
  /** The new values by path; null if there is none. */
  new: { [key: string]: unknown }
  actor: Actor
}

/** The change of a policy. */
export type ChangedPolicy = {
  /** The id of a policy. */
  policy_id: string
  /** The name of the policy. */
  name: string
  change: Open<PolicyChange>
  /** The version now. */
  version: number
  mode: Open<PolicyMode>
  /** What it was attached to or detached from; null otherwise. */
  subject_id: string | null
  actor: Actor
}

export type ChangedTool = {
  /** The name of the tool. */
  name: string
  change: Open<ToolChange>
  /** The fields that differ from what was approved. */
  fields: string[]
}

/** The tools of a connector that changed. */
export type ChangedTools = {
  /** The id of a connector. */
  connector_id: string
  /** The name of the connector. */
  name: string
  /** The tools that are off because of this change, at most 100. */
  tools: ChangedTool[]
  /** The number of these tools. */
  total: number
}

export type CheckPipeline = {
  definition: PipelineDefinitionInput
}

export type ComparisonInterval = {
  /** The begin of the interval. */
  started_at: string
  canary: ComparisonSeriesSide
  /** The running version in this interval. */
  running: ComparisonSeriesSide
}

/** The canary in this interval. */
export type ComparisonSeriesSide = {
  /** Ended runs that were created in this interval. */
  runs: number
  /** Those of them that failed. */
  failures: number
  /** The 95th percentile of their latency; null without runs. */
  latency_p95_ms: number | null
  /** Their mean cost; null if it is not known. */
  cost_per_run_usd: number | null
}

/** An MCP server whose tools agents can use. */
export type Connector = {
  /** The id of a connector. */
  id: string
  /** Always `connector`. */
  object: 'connector'
  /** The name of the connector. */
  name: string
  /** The address of the MCP server. */
  url: string
  auth: ConnectorAuth
  status: Open<ConnectorStatus>
  tools: ToolCounts
  /** When the server last listed its tools; null if it never did. */
  tools_listed_at: string | null
  /** Why the tools could not be listed when the connector was added or its address was changed. */
  tools_error: string | null
  /** The key or person that added it. */
  created_by: string
  /** When it was created. */
  created_at: string
  /** The key or person that changed the address last. A key that did so, and the keys below it, cannot approve its tools. Null: the address is the first one. */
  moved_by: string | null
}

/** How the service authenticates at the server. */
export type ConnectorAuth = {
  type: Open<ConnectorAuthType>
  /** The header that carries the credential, for type `header`. */
  header: string | null
  /** The last characters of the credential. */
  hint: string | null
}

export type ConnectorAuthInput =
  | NoAuth
  | BearerAuth
  | HeaderAuth

/** How the credential is sent. */
export type ConnectorAuthType = 'none' | 'bearer' | 'header'

/** One page of a list. */
export type ConnectorList = {
  /** Always `list`. */
  object: 'list'
  /** The items of this page. */
  data: Connector[]
  /** Whether more items follow. */
  has_more: boolean
  /** The first id of this page, for `before`. */
  first_id: string | null
  /** The last id of this page, for `after`. */
  last_id: string | null
}

/** Whether it can be used. */
export type ConnectorStatus = 'active' | 'deleted'

export type ConnectorTool = {
  /** The name of the tool. */
  name: string
  /** Always `connector_tool`. */
  object: 'connector_tool'
  /** The id of a connector. */
  connector_id: string
  state: Open<ToolState>
  /** SHA-256 of the manifest that the server lists now. Send it to approve the tool. */
  hash: string | null
  /** As the server lists it now; null if it does not. */
  manifest: ToolManifest | null
  /** SHA-256 of the manifest that was approved. */
  approved_hash: string | null
  /** As it was approved. Null if nobody has approved it, and in state `approved`, where it equals `manifest`. */
  approved_manifest: ToolManifest | null
  /** In state `changed`: the fields that differ, like `description` or `hints.read_only`. */
  changes: string[]
  /** In state `pending`: an approved tool whose name is easily confused with this one. */
  looks_like: string | null
  /** The key or person that approved it. */
  approved_by: string | null
  /** When it was approved. */
  approved_at: string | null
  /** When its state last changed. */
  changed_at: string
}

/** A server lists a tool that nobody has approved as it is; the tool is off. */
export type ConnectorToolChangedEvent = {
  /** The id of an event. */
  id: string
  /** The type of the event. */
  type: 'connector.tool_changed'
  /** When it happened. */
  created_at: string
  data: ChangedTools
}

/** One page of a list. */
export type ConnectorToolList = {
  /** Always `list`. */
  object: 'list'
  /** The items of this page. */
  data: ConnectorTool[]
  /** Whether more items follow. */
  has_more: boolean
  /** The first id of this page, for `before`. */
  first_id: string | null
  /** The last id of this page, for `after`. */
  last_id: string | null
}

export type CreateAgent = {
  /** The name of the agent. */
  name: string
  /** What the agent does, for people. */
  description?: string | null | undefined
  /** `llm`: the service calls a model. `remote`: the service calls your HTTPS endpoint. Default: `"llm"`. */
  kind?: AgentKind | undefined
  config: AgentConfigInput
  /** JSON Schema of the input. */
  input_schema?: { readonly [key: string]: unknown } | null | undefined
  /** JSON Schema of the output. */
  output_schema?: { readonly [key: string]: unknown } | null | undefined
  limits?: AgentLimitsInput | undefined
  /** The ids of the policies attached to it. Read-only: `POST /policies/{id}/attachments` attaches one. */
  policies?: readonly string[] | undefined
  /** Your own key-value pairs. */
  metadata?: { readonly [key: string]: string } | undefined
}

export type CreateAlertDestination = {
  type: 'slack'
  /** The URL is a secret: who has it can post to the channel. */
  url: string
}

export type CreateAlertRule = {
  /** The name of the rule. */
  name: string
  /** The value that is watched. `failure_rate`, `webhook_failure_rate` and `quota_used` are shares from 0 to 1. `action_waiting_minutes` is the age of the oldest decision that a run waits for. */
  metric: AlertMetric
  /** For `error_code_count`: the failures that are counted. */
  error_code?: RunErrorCode | null | undefined
  /** The agent; null: the whole organisation. Default: `null`. */
  agent_id?: string | null | undefined
  /** The side of the threshold on which the rule fires. */
  operator?: AlertOperator | undefined
  /** In the unit of the metric. */
  threshold: number
  /** The time over which the value is computed: whole minutes. Default: `300`. */
  window_seconds?: number | undefined
  /** How long the value must be beyond the threshold before the rule fires. Default: `0`. */
  for_seconds?: number | undefined
  /** For shares and percentiles: with fewer runs or deliveries, the window has no value. Default: `10`. */
  min_sample_size?: number | undefined
  /** How urgent it is. */
  severity?: AlertSeverity | undefined
  /** Whether it is evaluated. Default: `true`. */
  enabled?: boolean | undefined
}

export type CreateApiKey = {
  /** The name of the key, for people. */
  name: string
  /** Default: `live`. A demo key has low limits, cannot use connectors, and sees only the runs that it created. */
  kind?: ApiKeyKind | undefined
  /** One or more of runs:read, runs:write, runs:approve, runs:erase, runs:share, agents:read, agents:write, webhooks:read, webhooks:write, keys:read, keys:write, usage:read, analytics:read, pipelines:read, pipelines:write, schedules:read, schedules:write, policies:read, policies:write, connectors:read, connectors:write, alerts:read, alerts:write, events:read, audit:read, members:write. There is no wildcard. */
  scopes: readonly string[]
  /** Limits the key to these agents. Null or omitted: all agents of the organisation. */
  agent_ids?: readonly string[] | null | undefined
  /** When the key stops working. Null or omitted: never. A key that ends can only create keys that end no later; the organisation may limit the lifetime. */
  expires_at?: string | Date | null | undefined
}

export type CreateBatch = {
  /** The id of an agent. */
  agent_id: string
  /** 1 to 10000 items, one run for each. An input is checked against the agent’s `input_schema` when its run starts. */
  items: readonly BatchItem[]
  /** Your own key-value pairs. Each run of the batch gets them. */
  metadata?: { readonly [key: string]: string } | undefined
  /** The timeout of each run. Default: the agent’s timeout. */
  timeout_seconds?: number | undefined
}

export type CreateConnector = {
  /** The name of the connector. */
  name: string
  /** An MCP server with streamable HTTP: HTTPS on a public host. */
  url: string
  /** How the service authenticates at the server. Default: no authentication. */
  auth?: ConnectorAuthInput | undefined
  /** Whether you approve the tools that the server lists now. Default: true. Tools whose names are easily confused with one another are never approved in this way. */
  approve_tools?: boolean | undefined
}

export type CreatePipeline = {
  /** The name of the pipeline. */
  name: string
  /** What the pipeline does, for people. */
  description?: string | null | undefined
  definition: PipelineDefinitionInput
  /** Your own key-value pairs. */
  metadata?: { readonly [key: string]: string } | undefined
}

export type CreatePipelineRun = {
  /** The input. Expressions read it as `input`. Default: `{}`. */
  input?: { readonly [key: string]: unknown } | undefined
  /** Your own key-value pairs. */
  metadata?: { readonly [key: string]: string } | undefined
  /** The pipeline run fails with `timeout` after this time, waits for people included. Default: 86400. */
  timeout_seconds?: number | undefined
}

export type CreatePolicy = {
  /** The name. Default: that of the template. Required with `rules`. */
  name?: string | undefined
  /** What the policy is for. */
  description?: string | undefined
  /** `shadow`: it judges and records findings, and changes nothing. It ends after 14 days unless you renew it. */
  mode?: PolicyMode | undefined
  /** The rules. Send these or `template`. */
  rules?: readonly PolicyRuleInput[] | undefined
  /** The key of a template. */
  template?: string | undefined
  /** The parameters of the template. */
  params?: { readonly [key: string]: unknown } | undefined
}

export type CreateRun = {
  /** The id of an agent. */
  agent_id: string
  /** The input of the agent. It must match the agent’s `input_schema`, if there is one. */
  input: { readonly [key: string]: unknown }
  /** Your own key-value pairs, returned unchanged. You can filter runs by them. */
  metadata?: { readonly [key: string]: string } | undefined
  /** The run fails with `run_timeout` after this time. Default: the agent’s timeout, else 600; the plan sets the maximum. Time spent waiting for people does not count. */
  timeout_seconds?: number | undefined
}

export type CreateSchedule = {
  /** The name of the schedule. */
  name: string
  /** Five fields: minute, hour, day of month, month, day of week. Null: the schedule has another timing. Default: `null`. */
  cron?: string | null | undefined
  /** The IANA time zone of `cron`, such as Europe/Berlin. Dates in an hour that the clocks skip fire once, after it; in an hour that they show twice they fire once. */
  time_zone?: string | undefined
  /** Seconds between two dates, from the time at which this was set. Null: the schedule has another timing. Default: `null`. */
  interval_seconds?: number | null | undefined
  /** The only date. Null: the schedule has another timing. Default: `null`. */
  once_at?: string | Date | null | undefined
  /** The agent that each firing runs; null: the target is a pipeline. Default: `null`. */
  agent_id?: string | null | undefined
  /** The pipeline that each firing runs; null: the target is an agent. Default: `null`. */
  pipeline_id?: string | null | undefined
  /** The input of each run. Default: `{}`. */
  input?: { readonly [key: string]: unknown } | undefined
  /** The metadata of each run. Default: `{}`. */
  metadata?: { readonly [key: string]: string } | undefined
  /** A date that the service reaches over 5 minutes late is missed. `skip`: it does not fire. `once`: the last missed date fires for all of them. */
  missed?: ScheduleMissed | undefined
  /** What a firing does while an earlier one runs. `skip`: it does not start. `queue`: it waits; at most 10 wait. `allow`: it starts. */
  overlap?: ScheduleOverlap | undefined
  /** US dollars a month, UTC, for the runs of this schedule; null: none. When they are spent, firings are skipped. Default: `null`. */
  monthly_budget_usd?: number | null | undefined
}

export type CreateSessionToken = {
  /** The permissions of the key. There is no wildcard. */
  scopes: readonly string[]
  /** Limits the token to this run. Omitted: the token sees only the runs that it creates itself. */
  run_id?: string | undefined
  /** Lifetime in seconds. Default: `900`. */
  expires_in?: number | undefined
}

export type CreateWebhook = {
  /** HTTPS on a public host, port 443 or a port that the operator allows. */
  url: string
  /** Event types; `*` selects all. */
  events: readonly string[]
  /** Your own signing secret, `whsec_…`. If omitted, the service creates one. */
  secret?: string | undefined
  /** Whether deliveries are sent. Default: true. */
  active?: boolean | undefined
  /** Your own note. */
  description?: string | null | undefined
}

export type CreatedAgent = {
  /** The id of an agent. */
  id: string
  /** Always `agent`. */
  object: 'agent'
  /** The name of the agent. */
  name: string
  /** What the agent does, for people. */
  description: string | null
  status: Open<AgentStatus>
  kind: Open<AgentKind>
  source: Open<AgentSource>
  /** The catalog agent that was hired; null for a custom agent. */
  catalog_key: string | null
  /** The version of the catalog agent that was hired. */
  catalog_version: number | null
  /** The current version in the catalog. To adopt it, send `PATCH {"catalog_version": n}`. */
  catalog_latest: number | null
  /** The newest released version, fully or as a canary. */
  version: number
  /** Model, instructions and tools, or the endpoint of a remote agent. */
  config: { [key: string]: unknown }
  /** JSON Schema of the input. */
  input_schema: { [key: string]: unknown } | null
  /** JSON Schema of the output. */
  output_schema: { [key: string]: unknown } | null
  limits: AgentLimits
  /** The ids of the policies attached to it. Read-only: `POST /policies/{id}/attachments` attaches one. */
  policies: string[]
  /** Your own key-value pairs. */
  metadata: { [key: string]: string }
  /** When it was created. */
  created_at: string
  /** When it was last changed. */
  updated_at: string
  /** When it was archived; null if it is active. */
  archived_at: string | null
  /** US dollars a month, UTC; null: none. */
  monthly_budget_usd: number | null
  budget_action: Open<BudgetAction>
  /** The deployment that this request created; null if nothing changed. */
  deployment: Deployment | null
  /** A remote agent verifies our requests with this secret. Only this response contains it. Null for other agents and for a replay. */
  signing_secret: string | null
}

export type CreatedApiKey = {
  /** The id of an API key. */
  id: string
  /** Always `api_key`. */
  object: 'api_key'
  /** The name of the key, for people. */
  name: string
  kind: Open<ApiKeyKind>
  /** The first characters of the key: `ars_live_` or `ars_demo_`. */
  prefix: string
  /** The last four characters of the key. */
  hint: string
  /** The permissions that it holds. */
  scopes: Open<Scope>[]
  /** The only agents that the key can use; null: all agents of the organisation. */
  agent_ids: string[] | null
  /** When the key stops working; null: never. */
  expires_at: string | null
  /** When the key was last used. Updated about every 10 seconds. */
  last_used_at: string | null
  /** The key or person that created it; null for the operator. */
  created_by: string | null
  /** When it was created. */
  created_at: string
  /** When the key was revoked. */
  revoked_at: string | null
  /** The key that replaces it. */
  rotated_to: string | null
  /** When a rotated key stops working. */
  grace_until: string | null
  /** When the key was sent over plain HTTP, where others can read it. Rotate such a key. */
  exposed_at: string | null
  /** US dollars a month, UTC; null: none. */
  monthly_budget_usd: number | null
  budget_action: Open<BudgetAction>
  /** The complete key. Only this response contains it. Null in a replay of an earlier request. */
  key: string | null
}

export type CreatedInvitation = {
  /** The id of an invitation. */
  id: string
  /** Always `invitation`. */
  object: 'invitation'
  /** The invited e-mail address. */
  email: string
  role: Open<Role>
  status: Open<InvitationStatus>
  /** The user or API key that sent it; null for the operator of the service. */
  invited_by: string | null
  /** When it was created. */
  created_at: string
  /** When the link stops working. */
  expires_at: string
  /** Only this response contains the link. Give it only to this person. */
  link: string
  /** Whether the link is also sent by mail. False: this installation sends no mail, the address of the member is not proven, or a bound of mails is reached (3 to an address and 500 of an organisation within 24 hours; one invitation to an address per hour). */
  mailed: boolean
}

export type CreatedRunShare = {
  /** The id of a link to a run. */
  id: string
  /** Always `run_share`. */
  object: 'run_share'
  /** The only run that the link shows. */
  run_id: string
  /** The key or person that made the link. The link ends with it. */
  created_by: string
  /** When it was created. */
  created_at: string
  /** When the link stops working. */
  expires_at: string
  /** The complete token. Only this response contains it. Null in a replay of an earlier request. */
  token: string | null
  /** The link to a page of the dashboard, with the token in its fragment. Only this response contains it. Null in a replay. */
  url: string | null
}

/** The decision. */
export type DecisionType = 'approve' | 'reject' | 'respond'

export type DeletedProviderKey = {
  id: Open<KeyedProvider>
  /** Always `provider_key`. */
  object: 'provider_key'
  /** Always true: the organisation has no key of this provider. */
  deleted: boolean
}

/** An event on its way to a webhook. */
export type Delivery = {
  /** The id of a delivery. */
  id: string
  /** Always `delivery`. */
  object: 'delivery'
  /** The id of a webhook. */
  webhook_id: string
  /** The id of an event. */
  event_id: string
  /** The type of the event. */
  event_type: string
  status: Open<DeliveryStatus>
  source: Open<DeliverySource>
  /** The attempts so far, oldest first. */
  attempts: DeliveryAttempt[]
  /** Why it is not sent now; null: an attempt is under way, or it has ended. */
  waiting: Waiting | null
  /** When the next attempt is due; null: none is. */
  next_attempt_at: string | null
  /** Why the delivery ended without another attempt. */
  error: string | null
  /** When it was created. */
  created_at: string
  /** When it ended; null before. */
  ended_at: string | null
}

export type DeliveryAttempt = {
  /** The number of the attempt, from 1. */
  number: number
  /** When it began. */
  at: string
  /** Null if the worker crashed during the attempt. */
  duration_ms: number | null
  /** The status of the response; null without one. */
  http_status: number | null
  /** Why the attempt failed; null if it was acknowledged. */
  error: string | null
  request: DeliveryRequest
  response: DeliveryResponse | null
}

/** One page of a list. */
export type DeliveryList = {
  /** Always `list`. */
  object: 'list'
  /** The items of this page. */
  data: Delivery[]
  /** Whether more items follow. */
  has_more: boolean
  /** The first id of this page, for `before`. */
  first_id: string | null
  /** The last id of this page, for `after`. */
  last_id: string | null
}

/** The request that was sent. */
export type DeliveryRequest = {
  /** The headers. Null in lists and after erasure. */
  headers: { [key: string]: string } | null
  /** The signed body. Null in lists and after erasure. */
  body: string | null
}

/** The response; null without one. */
export type DeliveryResponse = {
  /** The headers of the response. */
  headers: { [key: string]: string }
  /** The first 16 KiB. */
  body: string
}

/** Why it was created. */
export type DeliverySource = 'event' | 'test' | 'redelivery' | 'recovery'

/** `pending`: an attempt is due or under way. */
export type DeliveryStatus = 'pending' | 'succeeded' | 'failed'

/** The release of a version of an agent. */
export type Deployment = {
  /** The id of a deployment. */
  id: string
  /** Always `deployment`. */
  object: 'deployment'
  /** The id of an agent. */
  agent_id: string
  /** The version of the agent that it releases. */
  version: number
  status: Open<DeploymentStatus>
  /** The share of new runs that use this version. */
  traffic_percent: number
  /** When the canary is rolled back automatically. */
  rollback_rules: DeploymentRule[]
  /** The deployment that it replaced. */
  previous_deployment_id: string | null
  source: Open<DeploymentSource>
  /** The key or person that created it; null for the operator and the service. */
  created_by: string | null
  /** When it was created. */
  created_at: string
  /** When it was rolled back; null otherwise. */
  rolled_back_at: string | null
  /** Why it was rolled back; null otherwise. */
  rollback_reason: string | null
}

/** A canary beside the running version. */
export type DeploymentComparison = {
  /** Always `deployment_comparison`. */
  object: 'deployment_comparison'
  /** The id of a deployment. */
  deployment_id: string
  status: Open<DeploymentStatus>
  /** The end of the window: now for a canary; else when it was promoted or rolled back. */
  until: string
  /** Runs that were created within this time before `until` are compared: the longest window of the rules, 3,600 without rules. */
  window_seconds: number
  canary: DeploymentSide
  /** The version that was active when the deployment was created; null for the first deployment of an agent. */
  running: DeploymentSide | null
  /** The rollback rules, in their order. */
  rules: RuleComparison[]
  /** The length of an interval of `series`. */
  bucket_seconds: number
  /** The window in intervals, oldest first, 60 at most. An interval without an ended run is left out. */
  series: ComparisonInterval[]
}

/** A new deployment was created. */
export type DeploymentCreatedEvent = {
  /** The id of an event. */
  id: string
  /** The type of the event. */
  type: 'deployment.created'
  /** When it happened. */
  created_at: string
  data: Deployment
}

/** One page of a list. */
export type DeploymentList = {
  /** Always `list`. */
  object: 'list'
  /** The items of this page. */
  data: Deployment[]
  /** Whether more items follow. */
  has_more: boolean
  /** The first id of this page, for `before`. */
  first_id: string | null
  /** The last id of this page, for `after`. */
  last_id: string | null
}

/** A deployment was rolled back; `reason` has the cause. */
export type DeploymentRollbackEvent = {
  /** The id of an event. */
  id: string
  /** The type of the event. */
  type: 'deployment.rollback'
  /** When it happened. */
  created_at: string
  data: RolledBackDeployment
}

export type DeploymentRule = {
  metric: Open<RollbackMetric>
  /** The value above which the canary is rolled back. */
  above: number
  /** The minimum number of ended canary runs. */
  min_runs: number
  /** The age of the runs that are evaluated. */
  window_seconds: number
}

/** The figures of one version in the window of the comparison. */
export type DeploymentSide = {
  /** The id of a deployment. */
  deployment_id: string
  /** The version of the agent. */
  version: number
  /** The ended runs of the window, the newest 2000 at most. Cancelled runs are not counted. */
  runs: number
  /** Failed runs divided by ended runs, with Wilson bounds; null without runs. */
  failure_rate: MetricEstimate | null
  /** The median latency; null without runs. */
  latency_p50_ms: number | null
  /** The 95th percentile of the latency, without the time spent waiting for people; null without runs. */
  latency_p95_ms: MetricEstimate | null
  /** The mean cost of a run whose cost is known; null without runs. */
  cost_per_run_usd: MetricEstimate | null
}

/** The operation that created it. */
export type DeploymentSource = 'hire' | 'create' | 'update' | 'rollback'

/** `canary`: a share of new runs uses it. `superseded`: a later deployment replaced it. */
export type DeploymentStatus = 'active' | 'canary' | 'superseded' | 'rolled_back'

/** The webhook that was disabled. */
export type DisabledWebhook = {
  /** The id of a webhook. */
  id: string
  /** Always `webhook`. */
  object: 'webhook'
  /** The endpoint that receives the events. */
  url: string
  /** Event types; `*` selects all. */
  events: string[]
  /** Those of `events` that the service does not send yet, because they are planned. */
  planned_events: string[]
  /** Whether deliveries are sent. */
  active: boolean
  /** Your own note. */
  description: string | null
  /** The last characters of the signing secret. */
  secret_hint: string
  status: Open<WebhookStatus>
  /** When it was disabled; null if it is active. */
  disabled_at: string | null
  disabled_reason: Open<WebhookDisabledReason> | null
  /** Since when all deliveries have failed. */
  failing_since: string | null
  /** Events since this time may not have been delivered. To send them, use `POST /webhooks/{id}/recover`. */
  missed_since: string | null
  /** When it was created. */
  created_at: string
  /** Why it was disabled. */
  reason: string
}

export type EmailProof = {
  /** Always `email_proof`. */
  object: 'email_proof'
  /** The e-mail address. */
  email: string
  /** Whether you have shown that you read its mail. */
  proven: boolean
}

export type ErrorBody = {
  error: ErrorContent
}

/** The error. */
export type ErrorContent = {
  type: Open<ErrorType>
  /** Stable, for programs. `/docs/errors` lists all codes. New codes can be added. */
  code: string
  /** For people. The text can change. */
  message: string
  /** Why the service is `unavailable`; null for every other code. */
  reason: Open<UnavailableReason> | null
  /** The path of the invalid field. */
  param: string | null
  /** Identifies the request in the logs of the service. */
  request_id: string
  /** The description of this code. */
  doc_url: string
  /** Every error that was found in the request. */
  details: FieldError[]
}

/** The kind of error, by status. */
export type ErrorType = 'invalid_request_error' | 'authentication_error' | 'permission_error' | 'rate_limit_error' | 'api_error'

/**
 * An event; `data` depends on `type`. New types can be added: name the types that you want.
 *
 * Other variants can come: handle the ones that you know.
 */
export type Event =
  | RunCompletedEvent
  | RunFailedEvent
  | DeploymentCreatedEvent
  | DeploymentRollbackEvent
  | AlertTriggeredEvent
  | AgentUpdatedEvent
  | PipelineCompletedEvent
  | RunRequiresActionEvent
  | RunCancelledEvent
  | WebhookDisabledEvent
  | ConnectorToolChangedEvent
  | AlertResolvedEvent
  | ApiKeyExpiringEvent
  | ApiKeyExposedEvent
  | TestEvent
  | BudgetReachedEvent
  | PolicyUpdatedEvent
  | SchedulePausedEvent
  | BatchCompletedEvent

/** One page of a list. */
export type EventList = {
  /** Always `list`. */
  object: 'list'
  /** The items of this page. */
  data: Event[]
  /** Whether more items follow. */
  has_more: boolean
  /** The first id of this page, for `before`. */
  first_id: string | null
  /** The last id of this page, for `after`. */
  last_id: string | null
}

export type EventType = 'run.completed' | 'run.failed' | 'deployment.created' | 'deployment.rollback' | 'alert.triggered' | 'agent.updated' | 'pipeline.completed' | 'run.requires_action' | 'run.cancelled' | 'webhook.disabled' | 'connector.tool_changed' | 'alert.resolved' | 'api_key.expiring' | 'api_key.exposed' | 'test' | 'budget.reached' | 'policy.updated' | 'schedule.paused' | 'batch.completed'

export type EventsListType = 'run.completed' | 'run.failed' | 'deployment.created' | 'deployment.rollback' | 'alert.triggered' | 'agent.updated' | 'pipeline.completed' | 'run.requires_action' | 'run.cancelled' | 'webhook.disabled' | 'connector.tool_changed' | 'alert.resolved' | 'api_key.expiring' | 'api_key.exposed' | 'budget.reached' | 'policy.updated' | 'schedule.paused' | 'batch.completed'

/** The parameters of the check. */
export type ExpressionParams = {
  /** A CEL expression. If it is true, the rule acts. */
  expression: string
  /** The reason, for people. */
  message: string
}

export type ExpressionRule = {
  id?: string | undefined
  /** The check. */
  check: 'expression'
  stages: readonly PolicyStage[]
  /** `redact` replaces what was found by a token such as `[EMAIL_1]`. `require_approval` makes the run wait. `flag` records a finding only. */
  action: PolicyAction
  params: ExpressionParams
}

export type FieldError = {
  /** The path of the field; null: the whole request. */
  param: string | null
  /** The error, for people. */
  message: string
}

export type FiringPeriod = {
  /** When it would have fired. */
  from: string
  /** When it would have resolved; null: it would still fire. */
  to: string | null
  /** The value farthest beyond the threshold. */
  peak: number
}

export type HeaderAuth = {
  /** How the credential is sent. */
  type: 'header'
  /** The name of the header. */
  header: string
  /** Stored encrypted and never returned. */
  value: string
}

/** Content that a policy holds back until a person has decided. */
export type HeldContent = {
  /** Always `held_content`. */
  object: 'held_content'
  /** The id of a run. */
  run_id: string
  /** The open action. Send your decision about the content with this id. */
  action_id: string
  stage: Open<PolicyStage>
  /** The policy that asks. */
  policy_id: string
  /** The rule of the policy that asks, by its id. */
  rule: string
  /** A text, or a JSON value: the input, the output of the agent, the arguments of a tool call, or the result of a tool. */
  content?: unknown
}

export type HireAgent = {
  /** Default: the name in the catalog. */
  name?: string | undefined
  /** Values that differ from the catalog, such as `model`. Objects are merged, lists are replaced. */
  config?: AgentConfigInput | undefined
  /** Your own key-value pairs. */
  metadata?: { readonly [key: string]: string } | undefined
}

/** The parameters of the check. */
export type HttpParams = {
  /** HTTPS on a public host. */
  url: string
  /** Milliseconds. A rule that blocks also blocks when no answer comes in time. Default: `2000`. */
  time_limit_ms?: number | undefined
  /** Sent as `Authorization: Bearer` and as `X-Api-Key`. Stored encrypted and never returned. Omitted: a saved one is kept. */
  credential?: string | undefined
  /** False removes a saved credential. Answers have it if there is one. */
  credential_set?: boolean | undefined
}

export type HttpRule = {
  id?: string | undefined
  /** The check. */
  check: 'http'
  stages: readonly PolicyStage[]
  /** `redact` replaces what was found by a token such as `[EMAIL_1]`. `require_approval` makes the run wait. `flag` records a finding only. */
  action: PolicyAction
  params: HttpParams
}

export type Invitation = {
  /** The id of an invitation. */
  id: string
  /** Always `invitation`. */
  object: 'invitation'
  /** The invited e-mail address. */
  email: string
  role: Open<Role>
  status: Open<InvitationStatus>
  /** The user or API key that sent it; null for the operator of the service. */
  invited_by: string | null
  /** When it was created. */
  created_at: string
  /** When the link stops working. */
  expires_at: string
}

/** One page of a list. */
export type InvitationList = {
  /** Always `list`. */
  object: 'list'
  /** The items of this page. */
  data: Invitation[]
  /** Whether more items follow. */
  has_more: boolean
  /** The first id of this page, for `before`. */
  first_id: string | null
  /** The last id of this page, for `after`. */
  last_id: string | null
}

/** Only an `open` invitation can be accepted. */
export type InvitationStatus = 'open' | 'accepted' | 'revoked' | 'expired'

export type InviteMember = {
  /** Case and surrounding spaces are ignored. */
  email: string
  /** What a person can do in an organisation. Each role includes the roles after it. */
  role: Role
}

/** The parameters of the check. */
export type JsonSchemaParams = {
  /** The content must match this JSON Schema. */
  schema: { readonly [key: string]: unknown }
}

export type JsonSchemaRule = {
  id?: string | undefined
  /** The check. */
  check: 'json_schema'
  stages: readonly PolicyStage[]
  /** `redact` replaces what was found by a token such as `[EMAIL_1]`. `require_approval` makes the run wait. `flag` records a finding only. */
  action: PolicyAction
  params: JsonSchemaParams
}

/** An API key. */
export type KeyCredential = {
  /** Always `me`. */
  object: 'me'
  /** The kind of credential. */
  type: 'api_key'
  /** The id of the API key. */
  id: string
  organisation: Organisation
  /** The permissions that it holds. */
  scopes: Open<Scope>[]
}

/** A vendor of models whose key an organisation can enter. */
export type KeyedProvider = 'openai' | 'anthropic' | 'google'

/** The parameters of the check. */
export type KeywordsParams = {
  /** Words and phrases, in any case. */
  words: readonly string[]
  /** False: also within longer words. Default: `true`. */
  whole_words?: boolean | undefined
}

export type KeywordsRule = {
  id?: string | undefined
  /** The check. */
  check: 'keywords'
  stages: readonly PolicyStage[]
  /** `redact` replaces what was found by a token such as `[EMAIL_1]`. `require_approval` makes the run wait. `flag` records a finding only. */
  action: PolicyAction
  params: KeywordsParams
}

export type Login = {
  /** Case and surrounding spaces are ignored. */
  email: string
  /** The current password. */
  password: string
  /** The organisation that the session acts for. Default: the one that you joined first. Name it if your address has accounts in several organisations: without it, two of them are tried. */
  organisation_id?: string | undefined
}

/** The parameters of the check. */
export type MaxLengthParams = {
  /** The most characters. */
  chars: number
}

export type MaxLengthRule = {
  id?: string | undefined
  /** The check. */
  check: 'max_length'
  stages: readonly PolicyStage[]
  /** `redact` replaces what was found by a token such as `[EMAIL_1]`. `require_approval` makes the run wait. `flag` records a finding only. */
  action: PolicyAction
  params: MaxLengthParams
}

/** Other variants can come: handle the ones that you know. */
export type Me =
  | Session
  | KeyCredential
  | TokenCredential

/** A person in the organisation. */
export type Member = {
  /** The id of a member. */
  id: string
  /** Always `member`. */
  object: 'member'
  /** The id of a user. */
  user_id: string
  /** The e-mail address of the person. */
  email: string
  /** The name of the person. */
  name: string
  role: Open<Role>
  /** When it was created. */
  created_at: string
}

/** One page of a list. */
export type MemberList = {
  /** Always `list`. */
  object: 'list'
  /** The items of this page. */
  data: Member[]
  /** Whether more items follow. */
  has_more: boolean
  /** The first id of this page, for `before`. */
  first_id: string | null
  /** The last id of this page, for `after`. */
  last_id: string | null
}

/** A person in the organisation, without the e-mail address. */
export type MemberSummary = {
  /** The id of a member. */
  id: string
  /** Always `member_summary`. */
  object: 'member_summary'
  /** The id of a user. */
  user_id: string
  /** The name of the person. Empty if the person has given none. */
  name: string
  role: Open<Role>
}

/** One page of a list. */
export type MemberSummaryList = {
  /** Always `list`. */
  object: 'list'
  /** The items of this page. */
  data: MemberSummary[]
  /** Whether more items follow. */
  has_more: boolean
  /** The first id of this page, for `before`. */
  first_id: string | null
  /** The last id of this page, for `after`. */
  last_id: string | null
}

export type MembersRemoveKeys = 'revoke' | 'keep'

export type Membership = {
  /** The id of an organisation. */
  id: string
  /** The name of the organisation. */
  name: string
  role: Open<Role>
}

/** A figure of one side of a canary, with its bounds. */
export type MetricEstimate = {
  /** The ended runs that have this figure. */
  runs: number
  /** The observed value. */
  value: number
  /** The true value is not below this, with 99 % confidence. */
  at_least: number
  /** The true value is not above this, with 99 % confidence; null: too few runs to say. */
  at_most: number | null
}

export type Model = {
  /** `provider/model`, the value for `config.model` of an agent. */
  id: string
  /** The type of this object. */
  object: 'model'
  /** The part of the id before the slash. */
  provider: string
  /** True: the id ends in `*`, which stands for any name. Replace it with a name of the provider. */
  is_pattern: boolean
  /** Null: the operator configured none. Runs on this model have no `cost_usd`, and agents on it cannot have a budget. */
  price: ModelPrice | null
  /** Whether the model can call tools. Null: not known. */
  supports_tools: boolean | null
}

/** One page of a list. */
export type ModelList = {
  /** Always `list`. */
  object: 'list'
  /** The items of this page. */
  data: Model[]
  /** Whether more items follow. */
  has_more: boolean
  /** The first id of this page, for `before`. */
  first_id: string | null
  /** The last id of this page, for `after`. */
  last_id: string | null
}

/** The parameters of the check. */
export type ModelParams = {
  /** A model of `GET /models`. */
  model: string
  /** What the model shall find, in words. */
  instructions: string
  /** Milliseconds. A rule that blocks also blocks when no answer comes in time. Default: `2000`. */
  time_limit_ms?: number | undefined
}

export type ModelPrice = {
  /** US dollars for a million input tokens. */
  input_usd_per_million: number
  /** US dollars for a million output tokens. */
  output_usd_per_million: number
  /** The same for input read from a cache. */
  cached_input_usd_per_million: number
  /** The same for input written to a cache. */
  cache_write_usd_per_million: number
  /** The same for reasoning tokens. */
  reasoning_usd_per_million: number
}

export type ModelRule = {
  id?: string | undefined
  /** The check. */
  check: 'model'
  stages: readonly PolicyStage[]
  /** `redact` replaces what was found by a token such as `[EMAIL_1]`. `require_approval` makes the run wait. `flag` records a finding only. */
  action: PolicyAction
  params: ModelParams
}

export type NoAuth = {
  /** How the credential is sent. */
  type: 'none'
}

/** What you get mails about. */
export type NotificationKind = 'alert_critical' | 'alert_warning' | 'alert_info' | 'budget_reached' | 'webhook_disabled' | 'api_key_expiring'

export type Notifications = {
  /** Always `notifications`. */
  object: 'notifications'
  /** The kinds that you want. Default: for owners and admins all but `alert_info`; for others none. */
  kinds: Open<NotificationKind>[]
  /** Your e-mail address. */
  email: string
  /** Whether it is proven. Others get no mail. */
  email_proven: boolean
  /** Whether this installation sends mail. */
  mail_enabled: boolean
}

/** The organisation that the credential acts for. */
export type Organisation = {
  /** The id of an organisation. */
  id: string
  /** The name of the organisation. */
  name: string
  plan: Open<Plan>
  /** The longest life of a new API key, in days; null: no limit. */
  max_key_lifetime_days: number | null
}

/** The organisation that the credential acts for, with its limits. */
export type OrganisationDetails = {
  /** Always `organisation`. */
  object: 'organisation'
  /** The id of an organisation. */
  id: string
  /** The name of the organisation. */
  name: string
  plan: Open<Plan>
  /** The longest life of a new API key, in days; null: no limit. */
  max_key_lifetime_days: number | null
  limits: OrganisationLimits
  /** US dollars a month, UTC; null: none. */
  monthly_budget_usd: number | null
  budget_action: Open<BudgetAction>
  /** When it was created. */
  created_at: string
}

/** The limits of the plan, or others that the operator has set. */
export type OrganisationLimits = {
  /** Requests per minute of one API key or person. */
  requests_per_minute: number
  /** The most requests of one API key or person at once. */
  burst: number
  /** Runs per calendar month, UTC. 1,000,000,000,000 and more: no limit. */
  calls_per_month: number
  /** Runs that execute at the same time; others wait. */
  concurrent_runs: number
  /** The longest timeout of a run, in seconds. */
  run_timeout_max_seconds: number
  /** The most bytes of runs that are stored. */
  storage_bytes: number
  /** Days that ended runs and their events are kept. */
  run_retention_days: number
}

export type PasswordReset = {
  /** Always `password_reset`. */
  object: 'password_reset'
  user: User
}

export type PasswordResetLink = {
  /** Always `password_reset_link`. */
  object: 'password_reset_link'
  /** The id of a member. */
  member_id: string
  /** Only this response contains the link. Give it only to this person. */
  link: string
  /** Whether the link is also sent by mail. False: this installation sends no mail, the address of the member is not proven, or a bound of mails is reached (3 to an address and 500 of an organisation within 24 hours; one invitation to an address per hour). */
  mailed: boolean
  /** When the link stops working. */
  expires_at: string
}

/** A kind of personal data. */
export type PiiKind = 'email' | 'phone' | 'card' | 'iban' | 'ip' | 'national_id'

/** The parameters of the check. */
export type PiiParams = {
  /** The kinds to look for. Default: all. Default: `["email","phone","card","iban","ip","national_id"]`. */
  kinds?: readonly PiiKind[] | undefined
  /** ISO codes of countries, for phone numbers without a + and for national ids. Default: `["US"]`. */
  countries?: readonly string[] | undefined
}

export type PiiRule = {
  id?: string | undefined
  /** The check. */
  check: 'pii'
  stages: readonly PolicyStage[]
  /** `redact` replaces what was found by a token such as `[EMAIL_1]`. `require_approval` makes the run wait. `flag` records a finding only. */
  action: PolicyAction
  params?: PiiParams | undefined
}

/** Steps that run agents and ask people, in the order of their dependencies. */
export type Pipeline = {
  /** The id of a pipeline. */
  id: string
  /** Always `pipeline`. */
  object: 'pipeline'
  /** The name of the pipeline. */
  name: string
  /** What the pipeline does, for people. */
  description: string | null
  status: Open<PipelineStatus>
  /** The current version. New pipeline runs use it. */
  version: number
  definition: PipelineDefinition
  /** Your own key-value pairs. */
  metadata: { [key: string]: string }
  /** When it was created. */
  created_at: string
  /** When it was last changed. */
  updated_at: string
  /** When it was archived; null if it is active. */
  archived_at: string | null
}

/** A question to a person. */
export type PipelineApproval = {
  /** The question, for people. It can have placeholders `${{ … }}`. */
  message: string
  /** JSON Schema of the payload of the decision. */
  response_schema?: { [key: string]: unknown }
}

/** A question to a person. */
export type PipelineApprovalInput = {
  /** The question, for people. It can have placeholders `${{ … }}`. */
  message: string
  /** JSON Schema of the payload of the decision. */
  response_schema?: { readonly [key: string]: unknown } | undefined
}

export type PipelineChange = {
  /** The path of the field. A step has its key in it. `definition.steps` has the keys in order. */
  path: string
  /** The old value; null if there was none. */
  old?: unknown
  /** The new value; null if there is none. */
  new?: unknown
}

/** The result of checking a definition. */
export type PipelineCheck = {
  /** Always `pipeline_check`. */
  object: 'pipeline_check'
  /** Everything that keeps the definition from being saved, at most 100. Empty: it can be saved. */
  problems: PipelineProblem[]
}

/** A pipeline run finished; `status` says how. */
export type PipelineCompletedEvent = {
  /** The id of an event. */
  id: string
  /** The type of the event. */
  type: 'pipeline.completed'
  /** When it happened. */
  created_at: string
  data: PipelineRun
}

/** The decision. */
export type PipelineDecisionType = 'approve' | 'reject'

/** The steps of a pipeline and its output. */
export type PipelineDefinition = {
  /** The steps. A step starts when all steps in its `depends_on` have ended. */
  steps: PipelineStepDefinition[]
  /** A JSON value with placeholders `${{ … }}`. Without it, the output has the output of each final step by its key. */
  output?: unknown
}

/** The steps and the output. */
export type PipelineDefinitionInput = {
  /** The steps. A step starts when all steps in its `depends_on` have ended. */
  steps: readonly PipelineStepInput[]
  /** A JSON value with placeholders `${{ … }}`. Without it, the output has the output of each final step by its key. */
  output?: unknown | undefined
}

export type PipelineDiff = {
  /** Always `pipeline_diff`. */
  object: 'pipeline_diff'
  /** The id of a pipeline. */
  pipeline_id: string
  /** The version that is compared. */
  from: number
  /** The version that it is compared with. */
  to: number
  /** The fields that differ. */
  changes: PipelineChange[]
}

/** `fail`: the pipeline run fails. `continue`: the output of the step is null. */
export type PipelineErrorPolicy = 'fail' | 'continue'

/** One item of a step. */
export type PipelineItem = {
  /** Always `pipeline_item`. */
  object: 'pipeline_item'
  /** The position of the item in the list of `for_each`, from 0. */
  item: number
  /** The last attempt, from 1. */
  attempt: number
  status: Open<PipelineItemStatus>
  /** The run of the last attempt; null without one. */
  run_id: string | null
  /** Why the last attempt failed or was refused; null otherwise. */
  error: PipelineStepError | null
  /** When the next attempt starts; null: none is planned. */
  retry_at: string | null
  /** When the item ended; null before. */
  finished_at: string | null
}

/** How far the items of the step are. */
export type PipelineItemCounts = {
  /** The number of items: 1 without `for_each`, 0 before the step starts. */
  total: number
  /** Items that have succeeded. */
  completed: number
  /** Items that have failed or were cancelled. */
  failed: number
  /** Items that were started and have not ended. */
  running: number
}

/** `fail`: no further item starts, and the step fails. `continue`: the output of the item is null. */
export type PipelineItemErrorPolicy = 'fail' | 'continue'

/** One page of a list. */
export type PipelineItemList = {
  /** Always `list`. */
  object: 'list'
  /** The items of this page. */
  data: PipelineItem[]
  /** Whether more items follow. */
  has_more: boolean
  /** The first id of this page, for `before`. */
  first_id: string | null
  /** The last id of this page, for `after`. */
  last_id: string | null
}

/** `waiting`: the attempt has no run yet, or waits for its retry. */
export type PipelineItemStatus = 'waiting' | 'running' | 'completed' | 'failed' | 'cancelled'

/** One page of a list. */
export type PipelineList = {
  /** Always `list`. */
  object: 'list'
  /** The items of this page. */
  data: Pipeline[]
  /** Whether more items follow. */
  has_more: boolean
  /** The first id of this page, for `before`. */
  first_id: string | null
  /** The last id of this page, for `after`. */
  last_id: string | null
}

export type PipelineProblem = {
  /** The path of the field. */
  param: string
  /** The problem in words. The text can change. */
  message: string
  /** Where it is in the text of the field, in UTF-16 code units from 0; null: the whole field. */
  position: number | null
}

export type PipelineRequiredAction = {
  /** Send it as `action_id` with your decision. Of an approval step: its key. */
  id: string
  type: Open<RequiredActionType>
  /** The question, for people. */
  message: string
  /** The tool call in question, with its arguments. */
  tool_call: { [key: string]: unknown } | null
  /** JSON Schema of the payload to send with `respond`. */
  response_schema: { [key: string]: unknown } | null
  /** When it was created. */
  created_at: string
  /** The run fails with `action_timeout` at this time. */
  expires_at: string
  /** The key of the step that waits. */
  step: string
  /** The item of the step, from 0. */
  item: number
  /** The run that asks: send the decision to `POST /runs/{id}/action`. Null for an approval step: send it to `POST /pipeline-runs/{id}/action`. */
  run_id: string | null
}

/** When a failed item is tried again. */
export type PipelineRetry = {
  /** The maximum number of attempts of an item, including the first. */
  attempts: number
  /** The error codes after which another attempt starts. */
  on: string[]
}

/** When a failed item is tried again. */
export type PipelineRetryInput = {
  /** The maximum number of attempts of an item, including the first. */
  attempts: number
  /** The error codes after which another attempt starts. */
  on: readonly string[]
}

/** One execution of a pipeline. */
export type PipelineRun = {
  /** The id of a pipeline run. */
  id: string
  /** Always `pipeline_run`. */
  object: 'pipeline_run'
  /** The pipeline. */
  pipeline_id: string
  status: Open<PipelineRunStatus>
  /** The steps in order. */
  steps: PipelineStep[]
  /** The input of the pipeline; empty after the data was erased. */
  input: { [key: string]: unknown }
  /** The output of the pipeline; null without one. A value that is no object is in the field `result`. */
  output: { [key: string]: unknown } | null
  /** Why it failed; null otherwise. */
  error: PipelineRunError | null
  /** Milliseconds from creation to end; null before. */
  latency_ms: number | null
  /** Input and output tokens of all steps. */
  tokens_used: number
  /** When it was created. */
  created_at: string
  /** When it ended; null before. */
  finished_at: string | null
  /** The version of the pipeline that it executes. */
  pipeline_version: number
  /** The metadata of the request. */
  metadata: { [key: string]: string }
  /** Open decisions of its steps. */
  required_actions: PipelineRequiredAction[]
  /** The pipeline run whose outputs it reuses; null if it is no rerun. */
  rerun_of: string | null
  /** The first step of a rerun that ran again; null otherwise. */
  from_step: string | null
  /** The cost of all steps in US dollars; null if a model has no price. */
  cost_usd: number | null
  /** The key or person that created it. Its steps run with the rights of that key or person. */
  created_by: string | null
  /** When its data was erased; null: it was not. */
  erased_at: string | null
}

/** The pipeline run was cancelled. The last frame of the stream. */
export type PipelineRunCancelledFrame = {
  /** Equal to `event` of the stream. */
  type: 'pipeline_run.cancelled'
  /** The id of a pipeline run. */
  pipeline_run_id: string
  /** The whole pipeline run at its end. */
  pipeline_run: PipelineRun
}

/** The pipeline run is being cancelled. */
export type PipelineRunCancellingFrame = {
  /** Equal to `event` of the stream. */
  type: 'pipeline_run.cancelling'
  /** The id of a pipeline run. */
  pipeline_run_id: string
}

/** The pipeline run has succeeded. The last frame of the stream. */
export type PipelineRunCompletedFrame = {
  /** Equal to `event` of the stream. */
  type: 'pipeline_run.completed'
  /** The id of a pipeline run. */
  pipeline_run_id: string
  /** The whole pipeline run at its end. */
  pipeline_run: PipelineRun
}

export type PipelineRunDiagnosis = {
  /** The id of a pipeline run. */
  pipeline_run_id: string
  status: Open<PipelineRunStatus>
  waiting_for: Open<PipelineWaitReason>
  /** The explanation, for people. */
  message: string
  /** When this wait began. */
  since: string | null
  /** The keys of the steps that run or wait. */
  steps: string[]
  /** Runs that it waits for, up to 10, oldest first. */
  run_ids: string[]
  /** Open actions that wait for a decision. */
  action_ids: string[]
  /** When the next attempt is due. */
  retry_at: string | null
  /** When it last made progress. */
  last_progress_at: string | null
  /** When it or a question of it times out next. */
  next_deadline_at: string | null
}

export type PipelineRunError = {
  /** The cause, for programs: a code of a run or of a refused run, `expression_failed`, `approval_rejected`, `approval_expired`, `run_cancelled`, `too_many_runs`, `no_progress` or `timeout`. */
  code: string
  /** The cause in words. The text can change. */
  message: string
  /** The step that failed; null if none is the cause. */
  step: string | null
}

/** The pipeline run has failed. The last frame of the stream. */
export type PipelineRunFailedFrame = {
  /** Equal to `event` of the stream. */
  type: 'pipeline_run.failed'
  /** The id of a pipeline run. */
  pipeline_run_id: string
  /** The whole pipeline run at its end. */
  pipeline_run: PipelineRun
}

/**
 * The `data` of one frame of a stream, by `type`. Ignore frames of an unknown type.
 *
 * Other variants can come: handle the ones that you know.
 */
export type PipelineRunFrame =
  | PipelineRunSnapshotFrame
  | PipelineRunStepFrame
  | PipelineRunRequiresActionFrame
  | PipelineRunCancellingFrame
  | PipelineRunCompletedFrame
  | PipelineRunFailedFrame
  | PipelineRunCancelledFrame

/** One page of a list. */
export type PipelineRunList = {
  /** Always `list`. */
  object: 'list'
  /** The items of this page. */
  data: PipelineRun[]
  /** Whether more items follow. */
  has_more: boolean
  /** The first id of this page, for `before`. */
  first_id: string | null
  /** The last id of this page, for `after`. */
  last_id: string | null
}

/** The open decisions have changed. */
export type PipelineRunRequiresActionFrame = {
  /** Equal to `event` of the stream. */
  type: 'pipeline_run.requires_action'
  /** The id of a pipeline run. */
  pipeline_run_id: string
  /** The open decisions. */
  required_actions: PipelineRequiredAction[]
}

/** The first frame of every stream: the pipeline run as it is now. */
export type PipelineRunSnapshotFrame = {
  /** Equal to `event` of the stream. */
  type: 'pipeline_run.snapshot'
  /** The id of a pipeline run. */
  pipeline_run_id: string
  /** The pipeline run as it is now. */
  pipeline_run: PipelineRun
}

/** The state of a pipeline run. It ends as `completed`, `failed` or `cancelled`. */
export type PipelineRunStatus = 'running' | 'cancelling' | 'completed' | 'failed' | 'cancelled'

/** A step has changed. */
export type PipelineRunStepFrame = {
  /** Equal to `event` of the stream. */
  type: 'pipeline_run.step'
  /** The id of a pipeline run. */
  pipeline_run_id: string
  /** The step as it is now. */
  step: PipelineStep
}

/** `archived`: it accepts no new runs and no changes. */
export type PipelineStatus = 'active' | 'archived'

export type PipelineStep = {
  /** The key of the step in the pipeline. */
  key: string
  /** The last run of the step; null if it did not run, with `for_each`, and for an approval. */
  run_id: string | null
  status: Open<PipelineStepStatus>
  items: PipelineItemCounts
  /** Why the step failed; null otherwise. */
  error: PipelineStepError | null
  /** The decision on an approval step; null before, and for other steps. */
  decision: PipelineStepDecision | null
  /** When the step started; null before. */
  started_at: string | null
  /** When the step ended; null before. */
  finished_at: string | null
}

export type PipelineStepDecision = {
  type: Open<PipelineDecisionType>
  /** The key or person that decided. */
  decided_by: string
  /** When it was decided. */
  decided_at: string
  /** The pipeline run that asked. In a rerun that keeps the decision, it is an earlier one. */
  pipeline_run_id: string
}

/** A step, as it was sent: one with `agent_id` or an `approval`. */
export type PipelineStepDefinition = {
  /** Unique within the pipeline. Expressions read `steps.<key>.output`. */
  key: string
  /** The keys of the steps that must end before. */
  depends_on?: string[]
  /** A CEL expression. If it is false, the step is skipped. */
  when?: string
  /** What a failure of the step means for the pipeline run. Default: `fail`. */
  on_error?: Open<PipelineErrorPolicy>
  /** The timeout of one run of the step, or how long an approval step waits for a person. */
  timeout_seconds?: number
  /** The agent that the step runs. Required, unless the step is an approval. */
  agent_id?: string
  /** The input of the run: a JSON value with placeholders `${{ … }}`. */
  input?: unknown
  /** A CEL expression that returns a list. The step runs once for each item and returns the list of outputs. */
  for_each?: string
  /** The maximum number of items at the same time. Default: 10. */
  max_parallel?: number
  /** What a failed item means for the step. Default: `fail`. */
  on_item_error?: Open<PipelineItemErrorPolicy>
  retry?: PipelineRetry
  approval?: PipelineApproval
}

export type PipelineStepError = {
  /** The cause, for programs: a code of a run or of a refused run, `expression_failed`, `approval_rejected`, `approval_expired`, `run_cancelled`, `too_many_runs`, `no_progress` or `timeout`. */
  code: string
  /** The cause in words. The text can change. */
  message: string
}

/** A step: one with `agent_id`, or an `approval`. */
export type PipelineStepInput = {
  /** Unique within the pipeline. Expressions read `steps.<key>.output`. */
  key: string
  /** The keys of the steps that must end before. */
  depends_on?: readonly string[] | undefined
  /** A CEL expression. If it is false, the step is skipped. */
  when?: string | undefined
  /** What a failure of the step means for the pipeline run. Default: `fail`. */
  on_error?: PipelineErrorPolicy | undefined
  /** The timeout of one run of the step, or how long an approval step waits for a person. At most 86400 for a run. */
  timeout_seconds?: number | undefined
  /** The agent that the step runs. Required, unless the step is an approval. */
  agent_id?: string | undefined
  /** The input of the run: a JSON value with placeholders `${{ … }}`. */
  input?: unknown | undefined
  /** A CEL expression that returns a list. The step runs once for each item and returns the list of outputs. */
  for_each?: string | undefined
  /** The maximum number of items at the same time. Default: 10. */
  max_parallel?: number | undefined
  /** What a failed item means for the step. Default: `fail`. */
  on_item_error?: PipelineErrorPolicy | undefined
  retry?: PipelineRetryInput | undefined
  approval?: PipelineApprovalInput | undefined
}

/** `pending`: steps that it depends on have not ended. `running`: items of it run, or it waits for a person. `skipped`: its `when` was false, or a step before it was skipped. */
export type PipelineStepStatus = 'pending' | 'running' | 'completed' | 'failed' | 'skipped' | 'cancelled'

/** One version of a pipeline. It never changes. */
export type PipelineVersion = {
  /** Always `pipeline_version`. */
  object: 'pipeline_version'
  /** The id of a pipeline. */
  pipeline_id: string
  /** The number of the version, from 1. */
  version: number
  /** The name of the pipeline. */
  name: string
  /** What the pipeline does, for people. */
  description: string | null
  definition: PipelineDefinition
  /** The key or person that created the version; null for the operator. */
  created_by: string | null
  /** When it was created. */
  created_at: string
}

/** One page of a list. */
export type PipelineVersionList = {
  /** Always `list`. */
  object: 'list'
  /** The items of this page. */
  data: PipelineVersion[]
  /** Whether more items follow. */
  has_more: boolean
  /** The first id of this page, for `before`. */
  first_id: string | null
  /** The last id of this page, for `after`. */
  last_id: string | null
}

/** `worker`: a worker to advance it. `share`: other pipeline runs of the organisation, which use its share of the workers. `runs`: runs of its steps. `action`: a person. `retry`: the next attempt of an item. `nothing`: it has ended. */
export type PipelineWaitReason = 'worker' | 'share' | 'runs' | 'action' | 'retry' | 'nothing'

/** The plan, which sets the limits. `none`: no plan; the operator has set the limits. */
export type Plan = 'demo' | 'free' | 'developer' | 'business' | 'enterprise' | 'none'

/** Rules for everything that enters and leaves runs. It works where it is attached. */
export type Policy = {
  /** The id of a policy. */
  id: string
  /** Always `policy`. */
  object: 'policy'
  /** The name of the policy. */
  name: string
  /** What the policy is for. */
  description: string
  status: Open<PolicyStatus>
  mode: Open<PolicyMode>
  /** When mode `shadow` ends; null in mode `enforce` and after the end. */
  shadow_until: string | null
  /** Increases when the rules change. */
  version: number
  /** The template that it was made from; null: none. */
  template: string | null
  /** The parameters of the template at that time. */
  template_params: { [key: string]: unknown } | null
  /** The rules of this version. */
  rules: PolicyRule[]
  stream_delay: StreamDelay
  /** The id of an API key (`key_…`) or of a person (`usr_…`). */
  created_by: string
  /** When it was created. */
  created_at: string
  /** When it was last changed. */
  updated_at: string
  /** When it was archived; null before. */
  archived_at: string | null
}

/** `redact` replaces what was found by a token such as `[EMAIL_1]`. `require_approval` makes the run wait. `flag` records a finding only. */
export type PolicyAction = 'block' | 'require_approval' | 'redact' | 'flag'

/** Where a policy works. */
export type PolicyAttachment = {
  /** The id of an attachment of a policy. */
  id: string
  /** Always `policy_attachment`. */
  object: 'policy_attachment'
  /** The id of a policy. */
  policy_id: string
  subject_type: Open<PolicySubjectType>
  /** The organisation, agent or API key. All rotations of a key are one key. */
  subject_id: string
  /** Runs that were accepted before the attachment are not affected. */
  new_runs_only: boolean
  /** When it was created. */
  created_at: string
}

/** One page of a list. */
export type PolicyAttachmentList = {
  /** Always `list`. */
  object: 'list'
  /** The items of this page. */
  data: PolicyAttachment[]
  /** Whether more items follow. */
  has_more: boolean
  /** The first id of this page, for `before`. */
  first_id: string | null
  /** The last id of this page, for `after`. */
  last_id: string | null
}

/** What happened to the policy. */
export type PolicyChange = 'created' | 'updated' | 'archived' | 'attached' | 'detached' | 'shadow_ended'

/** What a rule looks for. */
export type PolicyCheck = 'regex' | 'keywords' | 'pii' | 'secrets' | 'json_schema' | 'url_allow' | 'max_length' | 'expression' | 'model' | 'http' | 'presidio'

/** One page of a list. */
export type PolicyList = {
  /** Always `list`. */
  object: 'list'
  /** The items of this page. */
  data: Policy[]
  /** Whether more items follow. */
  has_more: boolean
  /** The first id of this page, for `before`. */
  first_id: string | null
  /** The last id of this page, for `after`. */
  last_id: string | null
}

/** `shadow`: it judges and records findings, and changes nothing. It ends after 14 days unless you renew it. */
export type PolicyMode = 'enforce' | 'shadow'

/** A check, where it looks, and what happens when it finds something. */
export type PolicyRule = {
  /** Unique within the policy. Findings name the rule by it. */
  id: string
  check: Open<PolicyCheck>
  /** Where the rule looks. */
  stages: Open<PolicyStage>[]
  action: Open<PolicyAction>
  /** The parameters of the check, with their defaults. */
  params: { [key: string]: unknown }
}

export type PolicyRuleInput =
  | RegexRule
  | KeywordsRule
  | PiiRule
  | SecretsRule
  | JsonSchemaRule
  | UrlAllowRule
  | MaxLengthRule
  | ExpressionRule
  | ModelRule
  | HttpRule
  | PresidioRule

/** Where a rule looks: what enters a run (`input`, `action_payload`), calls and results of tools, the output. */
export type PolicyStage = 'input' | 'action_payload' | 'tool_call' | 'tool_result' | 'output'

/** `ended`: its time in mode `shadow` is over, so it judges nothing until you set a mode. */
export type PolicyStatus = 'active' | 'ended' | 'archived'

/** The kind of the thing that the policy is attached to. */
export type PolicySubjectType = 'organisation' | 'agent' | 'api_key'

/** A policy with parameters. */
export type PolicyTemplate = {
  /** Same as `key`; used for paging. */
  id: string
  /** Always `policy_template`. */
  object: 'policy_template'
  /** The key for `POST /policies`. */
  key: string
  /** The name of the template. */
  name: string
  /** What a policy of this template does. */
  description: string
  /** What you can set. */
  params: PolicyTemplateParam[]
  /** The rules in words. */
  rules: string[]
}

/** One page of a list. */
export type PolicyTemplateList = {
  /** Always `list`. */
  object: 'list'
  /** The items of this page. */
  data: PolicyTemplate[]
  /** Whether more items follow. */
  has_more: boolean
  /** The first id of this page, for `before`. */
  first_id: string | null
  /** The last id of this page, for `after`. */
  last_id: string | null
}

export type PolicyTemplateParam = {
  /** The name of the parameter. */
  name: string
  type: Open<TemplateParamType>
  /** What it means. */
  description: string
  /** Whether it has no default. */
  required: boolean
  /** The value if you send none; null: it is required. */
  default?: unknown
  /** The values that it can have; null: any. */
  values: string[] | null
}

/** What a policy would have done in past runs. Nothing is changed. */
export type PolicyTrial = {
  /** The id of a trial of a policy. */
  id: string
  /** Always `policy_trial`. */
  object: 'policy_trial'
  /** The id of a policy. */
  policy_id: string
  /** The version that is tried. */
  policy_version: number
  /** Runs created from this time. */
  since: string
  /** Runs created before this time. */
  until: string
  /** Only runs of this agent; null: all. */
  agent_id: string | null
  /** The most runs that are looked at. */
  sample: number
  /** What remote checks may cost; null: none is made. */
  max_cost_usd: number | null
  status: Open<PolicyTrialStatus>
  progress: TrialProgress
  coverage: TrialCoverage
  /** The rules, in their order. */
  rules: TriedRule[]
  delay_ms: TrialDelay
  /** What remote checks have cost. */
  cost_usd: number
  /** At most 50 examples. */
  samples: TrialSample[]
  /** The id of an API key (`key_…`) or of a person (`usr_…`). */
  created_by: string
  /** When it was created. */
  created_at: string
  /** When it ended; null before. */
  ended_at: string | null
}

/** One page of a list. */
export type PolicyTrialList = {
  /** Always `list`. */
  object: 'list'
  /** The items of this page. */
  data: PolicyTrial[]
  /** Whether more items follow. */
  has_more: boolean
  /** The first id of this page, for `before`. */
  first_id: string | null
  /** The last id of this page, for `after`. */
  last_id: string | null
}

/** Its state. */
export type PolicyTrialStatus = 'queued' | 'running' | 'completed' | 'failed' | 'cancelled'

/** A policy was created, changed, archived, attached or detached, or its time in mode `shadow` ended. */
export type PolicyUpdatedEvent = {
  /** The id of an event. */
  id: string
  /** The type of the event. */
  type: 'policy.updated'
  /** When it happened. */
  created_at: string
  data: ChangedPolicy
}

export type PolicyVersion = {
  /** Always `policy_version`. */
  object: 'policy_version'
  /** The id of a policy. */
  policy_id: string
  /** The number of the version. */
  version: number
  /** The rules of this version. */
  rules: PolicyRule[]
  /** The id of an API key (`key_…`) or of a person (`usr_…`). */
  created_by: string
  /** When it was created. */
  created_at: string
}

/** One page of a list. */
export type PolicyVersionList = {
  /** Always `list`. */
  object: 'list'
  /** The items of this page. */
  data: PolicyVersion[]
  /** Whether more items follow. */
  has_more: boolean
  /** The first id of this page, for `before`. */
  first_id: string | null
  /** The last id of this page, for `after`. */
  last_id: string | null
}

/** The parameters of the check. */
export type PresidioParams = {
  /** HTTPS on a public host. */
  url: string
  /** The language of the texts. Default: `"en"`. */
  language?: string | undefined
  /** The entities to look for. Empty: all. Default: `[]`. */
  entities?: readonly string[] | undefined
  /** Findings with a lower score are ignored. Default: `0.5`. */
  min_score?: number | undefined
  /** Milliseconds. A rule that blocks also blocks when no answer comes in time. Default: `2000`. */
  time_limit_ms?: number | undefined
  /** Sent as `Authorization: Bearer` and as `X-Api-Key`. Stored encrypted and never returned. Omitted: a saved one is kept. */
  credential?: string | undefined
  /** False removes a saved credential. Answers have it if there is one. */
  credential_set?: boolean | undefined
}

export type PresidioRule = {
  id?: string | undefined
  /** The check. */
  check: 'presidio'
  stages: readonly PolicyStage[]
  /** `redact` replaces what was found by a token such as `[EMAIL_1]`. `require_approval` makes the run wait. `flag` records a finding only. */
  action: PolicyAction
  params: PresidioParams
}

export type PreviewAlertRule = {
  /** The value that is watched. `failure_rate`, `webhook_failure_rate` and `quota_used` are shares from 0 to 1. `action_waiting_minutes` is the age of the oldest decision that a run waits for. */
  metric: AlertMetric
  /** For `error_code_count`: the failures that are counted. */
  error_code?: RunErrorCode | null | undefined
  /** The agent; null: the whole organisation. Default: `null`. */
  agent_id?: string | null | undefined
  /** The side of the threshold on which the rule fires. */
  operator?: AlertOperator | undefined
  /** In the unit of the metric. */
  threshold: number
  /** The time over which the value is computed: whole minutes. Default: `300`. */
  window_seconds?: number | undefined
  /** How long the value must be beyond the threshold before the rule fires. Default: `0`. */
  for_seconds?: number | undefined
  /** For shares and percentiles: with fewer runs or deliveries, the window has no value. Default: `10`. */
  min_sample_size?: number | undefined
}

export type PromoteDeployment = {
  /** The new share of runs. Omitted: the canary becomes active. */
  traffic_percent?: number | undefined
}

/** Replaces these fields of the agent. Null: as if the agent had none. */
export type PromptConfigInput = {
  /** System prompt. For `llm`. */
  instructions?: string | null | undefined
  /** The first user message, with placeholders such as `${{ input.question }}` (CEL) that the input of a run fills. Without it the model receives `query` as text if it is the only field, and otherwise the input as JSON. For `llm`. */
  input_template?: string | null | undefined
}

export type PromptMessage = {
  role: Open<PromptRole>
  /** The text that the model receives. */
  content: string
}

/** `system`: the instructions. `user`: the input. */
export type PromptRole = 'system' | 'user'

export type ProveEmail = {
  /** The part of the link after `#token=`. */
  token: string
}

/** The key of a model provider with which the agents of the organisation are called. The key is never shown. */
export type ProviderKey = {
  id: Open<KeyedProvider>
  /** Always `provider_key`. */
  object: 'provider_key'
  /** The last characters of the key; null if it is short. */
  key_hint: string | null
  /** The key or person that entered it last. */
  created_by: string
  /** When it was created. */
  created_at: string
  /** When it was entered last. */
  updated_at: string
}

/** One page of a list. */
export type ProviderKeyList = {
  /** Always `list`. */
  object: 'list'
  /** The items of this page. */
  data: ProviderKey[]
  /** Whether more items follow. */
  has_more: boolean
  /** The first id of this page, for `before`. */
  first_id: string | null
  /** The last id of this page, for `after`. */
  last_id: string | null
}

export type RecoverWebhook = {
  /** The start of the time that is searched. */
  since: string | Date
  /** Default: now. */
  until?: string | Date | undefined
}

export type Recovery = {
  /** The id of a recovery. */
  id: string
  /** Always `recovery`. */
  object: 'recovery'
  /** The id of a webhook. */
  webhook_id: string
  /** The start of the time that is searched. */
  since: string
  /** The end of the time that is searched. */
  until: string
  status: Open<RecoveryStatus>
  progress: RecoveryProgress
  /** When it was created. */
  created_at: string
  /** When it ended; null before. */
  ended_at: string | null
}

/** One page of a list. */
export type RecoveryList = {
  /** Always `list`. */
  object: 'list'
  /** The items of this page. */
  data: Recovery[]
  /** Whether more items follow. */
  has_more: boolean
  /** The first id of this page, for `before`. */
  first_id: string | null
  /** The last id of this page, for `after`. */
  last_id: string | null
}

/** How far it is. */
export type RecoveryProgress = {
  /** Unacknowledged events found; each becomes a delivery. */
  found: number
  /** Deliveries that succeeded. */
  delivered: number
  /** Deliveries that failed. */
  failed: number
  /** Events up to this time were checked. */
  scanned_until: string | null
}

/** Its state. */
export type RecoveryStatus = 'running' | 'completed' | 'cancelled'

export type RefreshedConnector = {
  /** Always `connector_refresh`. */
  object: 'connector_refresh'
  connector: Connector
  /** The tools that are not approved as they are listed now. */
  off: ConnectorTool[]
  /** Listed tools that can never be approved, at most 100. Characters outside ASCII are shown as `U+0435`. */
  refused: RefusedTool[]
}

export type RefusedTool = {
  /** The name that the server lists. */
  name: string
  /** Why it can never be approved. */
  reason: string
}

/** The parameters of the check. */
export type RegexParams = {
  /** A regular expression for RE2: without look-around and back-references. */
  pattern: string
  /** Whether the case of letters matters. Default: `false`. */
  case_sensitive?: boolean | undefined
  /** The longest match. A stream holds back this many characters. Default: `256`. */
  max_match_chars?: number | undefined
}

export type RegexRule = {
  id?: string | undefined
  /** The check. */
  check: 'regex'
  stages: readonly PolicyStage[]
  /** `redact` replaces what was found by a token such as `[EMAIL_1]`. `require_approval` makes the run wait. `flag` records a finding only. */
  action: PolicyAction
  params: RegexParams
}

export type ReleasedAgent = {
  /** The id of an agent. */
  id: string
  /** Always `agent`. */
  object: 'agent'
  /** The name of the agent. */
  name: string
  /** What the agent does, for people. */
  description: string | null
  status: Open<AgentStatus>
  kind: Open<AgentKind>
  source: Open<AgentSource>
  /** The catalog agent that was hired; null for a custom agent. */
  catalog_key: string | null
  /** The version of the catalog agent that was hired. */
  catalog_version: number | null
  /** The current version in the catalog. To adopt it, send `PATCH {"catalog_version": n}`. */
  catalog_latest: number | null
  /** The newest released version, fully or as a canary. */
  version: number
  /** Model, instructions and tools, or the endpoint of a remote agent. */
  config: { [key: string]: unknown }
  /** JSON Schema of the input. */
  input_schema: { [key: string]: unknown } | null
  /** JSON Schema of the output. */
  output_schema: { [key: string]: unknown } | null
  limits: AgentLimits
  /** The ids of the policies attached to it. Read-only: `POST /policies/{id}/attachments` attaches one. */
  policies: string[]
  /** Your own key-value pairs. */
  metadata: { [key: string]: string }
  /** When it was created. */
  created_at: string
  /** When it was last changed. */
  updated_at: string
  /** When it was archived; null if it is active. */
  archived_at: string | null
  /** US dollars a month, UTC; null: none. */
  monthly_budget_usd: number | null
  budget_action: Open<BudgetAction>
  /** The deployment that this request created; null if nothing changed. */
  deployment: Deployment | null
}

export type RequiredAction = {
  /** Send it as `action_id` with your decision. */
  id: string
  type: Open<RequiredActionType>
  /** The question, for people. */
  message: string
  /** The tool call in question, with its arguments. */
  tool_call: { [key: string]: unknown } | null
  /** JSON Schema of the payload to send with `respond`. */
  response_schema: { [key: string]: unknown } | null
  /** When it was created. */
  created_at: string
  /** The run fails with `action_timeout` at this time. */
  expires_at: string
}

/** `approval`: allow or reject a tool call. `input`: provide information. `reconcile`: say what became of a tool call with unknown outcome. `raise_budget`: let the run go on beyond a budget, or raise that. */
export type RequiredActionType = 'approval' | 'input' | 'reconcile' | 'raise_budget'

export type RerunPipeline = {
  /** The first step that runs again. */
  from_step: string
}

export type ResetMemberPassword = {
  /** The member whose password is reset. */
  member_id: string
}

export type ResetPassword = {
  /** The part of the link after `#token=`. */
  token: string
  /** 12 to 1000 characters of any kind. */
  password: string
}

export type RevokedApiKey = {
  /** The id of an API key. */
  id: string
  /** Always `api_key`. */
  object: 'api_key'
  /** The name of the key, for people. */
  name: string
  kind: Open<ApiKeyKind>
  /** The first characters of the key: `ars_live_` or `ars_demo_`. */
  prefix: string
  /** The last four characters of the key. */
  hint: string
  /** The permissions that it holds. */
  scopes: Open<Scope>[]
  /** The only agents that the key can use; null: all agents of the organisation. */
  agent_ids: string[] | null
  /** When the key stops working; null: never. */
  expires_at: string | null
  /** When the key was last used. Updated about every 10 seconds. */
  last_used_at: string | null
  /** The key or person that created it; null for the operator. */
  created_by: string | null
  /** When it was created. */
  created_at: string
  /** When the key was revoked. */
  revoked_at: string | null
  /** The key that replaces it. */
  rotated_to: string | null
  /** When a rotated key stops working. */
  grace_until: string | null
  /** When the key was sent over plain HTTP, where others can read it. Rotate such a key. */
  exposed_at: string | null
  /** US dollars a month, UTC; null: none. */
  monthly_budget_usd: number | null
  budget_action: Open<BudgetAction>
  /** How many keys below this one the request revoked. 0 without `descendants=true`. */
  descendants_revoked: number
}

/** What a person can do in an organisation. Each role includes the roles after it. */
export type Role = 'owner' | 'admin' | 'developer' | 'viewer'

export type RollBackDeployment = {
  /** The reason; it is recorded. */
  reason: string
}

/** The figure of the canary that the rule evaluates. */
export type RollbackMetric = 'failure_rate' | 'latency_p95_ms' | 'cost_per_run_usd'

export type RollbackRule = {
  /** The figure of the canary that the rule evaluates. */
  metric: RollbackMetric
  /** The canary is rolled back if the metric is above this value with 99 % confidence. Rates are 0 to 1. */
  above: number
  /** The minimum number of ended canary runs before the rule is evaluated. Default: `50`. */
  min_runs?: number | undefined
  /** The rule evaluates runs that were created within this time. Default: `3600`. */
  window_seconds?: number | undefined
}

/** The deployment that was rolled back. */
export type RolledBackDeployment = {
  /** The id of a deployment. */
  id: string
  /** Always `deployment`. */
  object: 'deployment'
  /** The id of an agent. */
  agent_id: string
  /** The version of the agent that it releases. */
  version: number
  status: Open<DeploymentStatus>
  /** The share of new runs that use this version. */
  traffic_percent: number
  /** When the canary is rolled back automatically. */
  rollback_rules: DeploymentRule[]
  /** The deployment that it replaced. */
  previous_deployment_id: string | null
  source: Open<DeploymentSource>
  /** The key or person that created it; null for the operator and the service. */
  created_by: string | null
  /** When it was created. */
  created_at: string
  /** When it was rolled back; null otherwise. */
  rolled_back_at: string | null
  /** Why it was rolled back; null otherwise. */
  rollback_reason: string | null
  /** Why it was rolled back. */
  reason: string
}

/** How the new version is released. Default: `all_at_once`. */
export type Rollout =
  | RolloutAllAtOnce
  | RolloutCanary

export type RolloutAllAtOnce = {
  /** All new runs use the new version. */
  strategy: 'all_at_once'
}

export type RolloutCanary = {
  /** A share of the new runs uses the new version. */
  strategy: 'canary'
  /** The share of runs that use the new version. */
  traffic_percent: number
  /** When the canary is rolled back automatically. Default: `[]`. */
  rollback_rules?: readonly RollbackRule[] | undefined
}

export type RotateSigningSecret = {
  /** Hours for which the old secret signs too. Default: `24`. */
  overlap_hours?: number | undefined
}

export type RotateWebhookSecret = {
  /** Your own signing secret, `whsec_…`. If omitted, the service creates one. */
  secret?: string | undefined
  /** Hours for which the old secret signs too. */
  overlap_hours?: number | undefined
}

/** A rollback rule and the figures by which it is evaluated. */
export type RuleComparison = {
  metric: Open<RollbackMetric>
  /** The value above which the canary is rolled back. */
  above: number
  /** The minimum number of ended canary runs. */
  min_runs: number
  /** The age of the runs that are evaluated. */
  window_seconds: number
  /** The metric of the canary in the window of the rule; null without runs. */
  canary: MetricEstimate | null
  /** The metric of the running version in the window of the rule; null without runs. */
  running: MetricEstimate | null
  /** How many runs of the canary must still end before the rule is evaluated. */
  runs_needed: number
  /** True: `canary.at_least` is above the threshold and `canary.value` is worse than `running.value`, so a canary is rolled back. */
  is_broken: boolean
}

/** One execution of an agent. */
export type Run = {
  /** The id of a run. */
  id: string
  status: Open<RunStatus>
  /** The result; null before the end. Text is in the field `result`. */
  output: { [key: string]: unknown } | null
  /** Milliseconds from `created_at` to `finished_at`; null before the end. */
  latency_ms: number | null
  /** Input and output tokens together. Informational: the quota counts runs. */
  tokens_used: number
  /** When it was created. */
  created_at: string
  /** The agent that executes the run. */
  agent_id: string
  /** Always `run`. */
  object: 'run'
  /** The version of the agent that executes the run. */
  agent_version: number
  /** The deployment that selected this version. */
  deployment_id: string | null
  /** The input of the request; empty after the data was erased. */
  input: { [key: string]: unknown }
  /** Why the run failed; null otherwise. */
  error: RunError | null
  /** Open decisions of a run in `requires_action`. */
  required_actions: RequiredAction[]
  usage: RunUsage
  timing: RunTiming
  /** The metadata of the request. */
  metadata: { [key: string]: string }
  /** The pipeline run that this run belongs to. */
  pipeline_run_id: string | null
  /** The run that created this run. */
  parent_run_id: string | null
  /** The key or person that created it. A short-lived token counts as its creator. */
  created_by: string
  /** Start of the first step; null before. */
  started_at: string | null
  /** End of the run; null before. */
  finished_at: string | null
  /** When the data of the run was erased: input, output, metadata, steps, and the message and details of its error. Null: it was not. */
  erased_at: string | null
  /** Only with `view=summary`: the first 200 characters of `input` as JSON. */
  input_preview?: string
  /** Only with `view=summary`: the first 200 characters of `output` as JSON; null without output. */
  output_preview?: string | null
  /** The text of the output, which is its field `result`; null if that is no text. The client adds it. */
  output_text: string | null
}

/** At `budget_usd` the run fails (default) or waits. */
export type RunBudgetAction = 'fail' | 'park'

/** A run was cancelled. */
export type RunCancelledEvent = {
  /** The id of an event. */
  id: string
  /** The type of the event. */
  type: 'run.cancelled'
  /** When it happened. */
  created_at: string
  data: Run
}

/** The run was cancelled. The last frame of the stream. */
export type RunCancelledFrame = {
  /** Equal to `event` of the stream. */
  type: 'run.cancelled'
  /** The id of a run. */
  run_id: string
  /** When it happened. */
  created_at: string
  /** The whole run at its end. */
  run: Run
}

/** The run is being cancelled. */
export type RunCancellingFrame = {
  /** Equal to `event` of the stream. */
  type: 'run.cancelling'
  /** The id of a run. */
  run_id: string
  /** When it happened. */
  created_at: string
}

/** An agent run finished successfully. */
export type RunCompletedEvent = {
  /** The id of an event. */
  id: string
  /** The type of the event. */
  type: 'run.completed'
  /** When it happened. */
  created_at: string
  data: Run
}

/** The run has succeeded. The last frame of the stream. */
export type RunCompletedFrame = {
  /** Equal to `event` of the stream. */
  type: 'run.completed'
  /** The id of a run. */
  run_id: string
  /** When it happened. */
  created_at: string
  /** The whole run at its end. */
  run: Run
}

/** The run was accepted. */
export type RunCreatedFrame = {
  /** Equal to `event` of the stream. */
  type: 'run.created'
  /** The id of a run. */
  run_id: string
  /** When it happened. */
  created_at: string
}

export type RunDiagnosis = {
  /** The id of a run. */
  run_id: string
  status: Open<RunStatus>
  waiting_for: Open<RunWaitReason>
  /** The explanation, for people. */
  message: string
  /** When this wait began. */
  since: string | null
  /** Position in the queue. For a credential that does not see every run of the organisation: among the runs that it sees. */
  queue_position: number | null
  /** Runs that hold its slots, up to ten. Those that the credential sees. */
  blocked_by: string[]
  /** When the next attempt is due. */
  retry_at: string | null
  /** Open actions that wait for a decision. */
  action_ids: string[]
  /** When the run last made progress. */
  last_progress_at: string | null
  /** When the run times out next. */
  next_deadline_at: string | null
}

export type RunError = {
  code: Open<RunErrorCode>
  /** The cause in words. The text can change. */
  message: string
  /** Whether a new run with the same input can succeed. */
  retryable: boolean
  /** More about the cause, depending on `code`. */
  details: { [key: string]: unknown } | null
}

/** The cause, for programs. */
export type RunErrorCode = 'run_timeout' | 'queue_timeout' | 'action_timeout' | 'budget_exceeded' | 'budget_exhausted' | 'guardrail_blocked' | 'agent_error' | 'model_error' | 'tool_error' | 'output_invalid' | 'output_too_large' | 'storage_exceeded' | 'max_steps_exceeded' | 'internal_error'

/** An agent run failed or timed out; `error` has the cause. */
export type RunFailedEvent = {
  /** The id of an event. */
  id: string
  /** The type of the event. */
  type: 'run.failed'
  /** When it happened. */
  created_at: string
  data: Run
}

/** The run has failed. The last frame of the stream. */
export type RunFailedFrame = {
  /** Equal to `event` of the stream. */
  type: 'run.failed'
  /** The id of a run. */
  run_id: string
  /** When it happened. */
  created_at: string
  /** The whole run at its end. */
  run: Run
}

/**
 * The `data` of one frame of a stream, by `type`. Ignore frames of an unknown type.
 *
 * Other variants can come: handle the ones that you know.
 */
export type RunFrame =
  | RunCreatedFrame
  | RunStartedFrame
  | RunStepStartedFrame
  | RunStepCompletedFrame
  | RunToolCallStartedFrame
  | RunToolCallCompletedFrame
  | RunOutputDeltaFrame
  | RunOutputResetFrame
  | RunGuardrailFrame
  | RunSnapshotFrame
  | RunRequiresActionFrame
  | RunResumedFrame
  | RunCancellingFrame
  | RunCompletedFrame
  | RunFailedFrame
  | RunCancelledFrame

/** A policy has found something. The content itself is not shown. */
export type RunGuardrailFrame = {
  /** Equal to `event` of the stream. */
  type: 'run.guardrail'
  /** The id of a run. */
  run_id: string
  /** When it happened. */
  created_at: string
  /** The number of the step; 0 for the input. */
  step: number
  /** Where it was found. */
  stage: Open<PolicyStage>
  /** The id of a policy. */
  policy_id: string
  /** The version of the policy. */
  policy_version: number
  /** The id of the rule within the policy. */
  rule: string
  /** The check of the rule. */
  check: string
  /** What the rule does. */
  action: Open<PolicyAction>
  /** `false`: the policy is in shadow mode, so nothing happened. */
  enforced: boolean
  /** Why, in words. */
  reason: string
  /** How many pieces were found. */
  count: number
}

/** One page of a list. */
export type RunList = {
  /** Always `list`. */
  object: 'list'
  /** The items of this page. */
  data: Run[]
  /** Whether more items follow. */
  has_more: boolean
  /** The first id of this page, for `before`. */
  first_id: string | null
  /** The last id of this page, for `after`. */
  last_id: string | null
}

/** A part of the text that the agent produces. */
export type RunOutputDeltaFrame = {
  /** Equal to `event` of the stream. */
  type: 'run.output.delta'
  /** The id of a run. */
  run_id: string
  /** When it happened. */
  created_at: string
  /** The number of the step, from 1. */
  step: number
  /** Text to append to the output of this step. */
  delta: string
}

/** A step is repeated or ended in tool calls: drop the text of its deltas. */
export type RunOutputResetFrame = {
  /** Equal to `event` of the stream. */
  type: 'run.output.reset'
  /** The id of a run. */
  run_id: string
  /** When it happened. */
  created_at: string
  /** The number of the step, from 1. */
  step: number
}

/** A run waits for a person. */
export type RunRequiresActionEvent = {
  /** The id of an event. */
  id: string
  /** The type of the event. */
  type: 'run.requires_action'
  /** When it happened. */
  created_at: string
  data: Run
}

/** The run waits for a person. */
export type RunRequiresActionFrame = {
  /** Equal to `event` of the stream. */
  type: 'run.requires_action'
  /** The id of a run. */
  run_id: string
  /** When it happened. */
  created_at: string
  /** The open decisions. */
  required_actions: RequiredAction[]
}

/** The run continues after a decision. */
export type RunResumedFrame = {
  /** Equal to `event` of the stream. */
  type: 'run.resumed'
  /** The id of a run. */
  run_id: string
  /** When it happened. */
  created_at: string
}

/** A link with which anyone can read one run. */
export type RunShare = {
  /** The id of a link to a run. */
  id: string
  /** Always `run_share`. */
  object: 'run_share'
  /** The only run that the link shows. */
  run_id: string
  /** The key or person that made the link. The link ends with it. */
  created_by: string
  /** When it was created. */
  created_at: string
  /** When the link stops working. */
  expires_at: string
}

/** One page of a list. */
export type RunShareList = {
  /** Always `list`. */
  object: 'list'
  /** The items of this page. */
  data: RunShare[]
  /** Whether more items follow. */
  has_more: boolean
  /** The first id of this page, for `before`. */
  first_id: string | null
  /** The last id of this page, for `after`. */
  last_id: string | null
}

/** Stands for earlier frames that are no longer kept: the state of the run. */
export type RunSnapshotFrame = {
  /** Equal to `event` of the stream. */
  type: 'run.snapshot'
  /** The id of a run. */
  run_id: string
  /** When it happened. */
  created_at: string
  /** The run as it is now. */
  run: Run
}

/** The first step of the run begins. */
export type RunStartedFrame = {
  /** Equal to `event` of the stream. */
  type: 'run.started'
  /** The id of a run. */
  run_id: string
  /** When it happened. */
  created_at: string
}

/** The state of a run. It ends as `completed`, `failed` or `cancelled`. */
export type RunStatus = 'queued' | 'running' | 'requires_action' | 'cancelling' | 'completed' | 'failed' | 'cancelled'

export type RunStep = {
  /** Always `run_step`. */
  object: 'run_step'
  /** The number of the step, from 1. */
  number: number
  /** `model`: a model call. `tools`: tool calls. `remote`: a call of a remote agent. */
  type: Open<RunStepType>
  /** `failed`: the run failed in this step, or ended before the step did. */
  status: Open<RunStepStatus>
  /** The model that answered, as `provider/model`; null without a model call. */
  model: string | null
  /** The text that the model produced in this step. */
  text: string | null
  /** The tool calls of this step. */
  tool_calls: RunToolCall[]
  /** Decisions of people in this step, with their reasons. */
  decisions: ActionDecision[]
  /** The failed tries of the model provider or remote agent in this step, the last 10 at most. A step that succeeded at once has none. */
  attempts: StepAttempt[]
  usage: RunUsage
  /** When the step began. */
  started_at: string
  /** When the step ended; null before. */
  finished_at: string | null
  /** Milliseconds from begin to end; null before the end. */
  duration_ms: number | null
}

/** A step has ended and is stored. */
export type RunStepCompletedFrame = {
  /** Equal to `event` of the stream. */
  type: 'run.step.completed'
  /** The id of a run. */
  run_id: string
  /** When it happened. */
  created_at: string
  /** The number of the step, from 1. */
  step: number
  status: Open<RunStepStatus>
  /** The model that answered; null without one. */
  model: string | null
  /** Tokens and cost of the step. */
  usage: RunUsage
  /** Milliseconds from begin to end. */
  duration_ms: number
}

/** One page of a list. */
export type RunStepList = {
  /** Always `list`. */
  object: 'list'
  /** The items of this page. */
  data: RunStep[]
  /** Whether more items follow. */
  has_more: boolean
  /** The first id of this page, for `before`. */
  first_id: string | null
  /** The last id of this page, for `after`. */
  last_id: string | null
}

/** A step begins. */
export type RunStepStartedFrame = {
  /** Equal to `event` of the stream. */
  type: 'run.step.started'
  /** The id of a run. */
  run_id: string
  /** When it happened. */
  created_at: string
  /** The number of the step, from 1. */
  step: number
  step_type: Open<RunStepType>
  /** The model of the agent, as `provider/model`; null without a model call. */
  model: string | null
}

/** `completed` or `failed`. */
export type RunStepStatus = 'running' | 'completed' | 'failed'

/** What the step does. */
export type RunStepType = 'model' | 'tools' | 'remote'

/** Where the time of the run was spent. */
export type RunTiming = {
  /** Milliseconds before the first step; null before it. */
  queue_ms: number | null
  /** Milliseconds in execution; null before the end. */
  execution_ms: number | null
  /** Milliseconds of waiting for people. */
  waiting_ms: number
}

export type RunToolCall = {
  /** The name of the tool. */
  name: string
  /** The connector of the tool; null for built-in tools. */
  connector_id: string | null
  /** The arguments of the call. */
  arguments: { [key: string]: unknown }
  status: Open<ToolCallStatus>
  /** The result of the tool; null before. */
  result?: unknown
  /** The approval or rejection of this call, with its reason. */
  decision: ActionDecision | null
  /** When the call began; null before. */
  started_at: string | null
  /** When the call ended; null before. */
  finished_at: string | null
}

/** A tool call has ended. */
export type RunToolCallCompletedFrame = {
  /** Equal to `event` of the stream. */
  type: 'run.tool_call.completed'
  /** The id of a run. */
  run_id: string
  /** When it happened. */
  created_at: string
  /** The number of the step, from 1. */
  step: number
  /** The number of the tool call within the step. */
  call: number
  /** The name of the tool. */
  name: string
  status: Open<ToolCallOutcome>
  /** The result of the tool, or its error. */
  result?: unknown
}

/** A tool is called. */
export type RunToolCallStartedFrame = {
  /** Equal to `event` of the stream. */
  type: 'run.tool_call.started'
  /** The id of a run. */
  run_id: string
  /** When it happened. */
  created_at: string
  /** The number of the step, from 1. */
  step: number
  /** The number of the tool call within the step. */
  call: number
  /** The name of the tool. */
  name: string
  /** The arguments of the call. */
  arguments: { [key: string]: unknown }
}

/** Tokens and cost of the model calls. */
export type RunUsage = {
  /** Tokens that models read. */
  input_tokens: number
  /** Tokens that models wrote. */
  output_tokens: number
  /** Input tokens that were read from a cache. */
  cached_input_tokens: number
  /** Input tokens that were written to a cache. */
  cache_write_tokens: number
  /** Output tokens that models spent on reasoning. */
  reasoning_tokens: number
  /** The cost in US dollars; null if a model has no price. */
  cost_usd: number | null
}

/** `slot`: a free slot. `worker`: a worker to take it. `provider`: the current step, such as a model call. `action`: a person. `nothing`: it has ended. */
export type RunWaitReason = 'slot' | 'worker' | 'provider' | 'action' | 'nothing'

export type RunsListView = 'full' | 'summary'

export type RunsWatchDeltas = 'true' | 'false'

/** Starts an agent or a pipeline at its dates. */
export type Schedule = {
  /** The id of a schedule. */
  id: string
  /** Always `schedule`. */
  object: 'schedule'
  /** The name of the schedule. */
  name: string
  status: Open<ScheduleStatus>
  /** Five fields: minute, hour, day of month, month, day of week. Null: the schedule has another timing. */
  cron: string | null
  /** The IANA time zone of `cron`, such as Europe/Berlin. Dates in an hour that the clocks skip fire once, after it; in an hour that they show twice they fire once. */
  time_zone: string | null
  /** Seconds between two dates, from the time at which this was set. Null: the schedule has another timing. */
  interval_seconds: number | null
  /** The only date. Null: the schedule has another timing. */
  once_at: string | null
  /** The agent that each firing runs; null: the target is a pipeline. */
  agent_id: string | null
  /** The pipeline that each firing runs; null: the target is an agent. */
  pipeline_id: string | null
  /** The input of each run. */
  input: { [key: string]: unknown }
  /** The metadata of each run. */
  metadata: { [key: string]: string }
  missed: Open<ScheduleMissed>
  overlap: Open<ScheduleOverlap>
  /** US dollars a month, UTC, for the runs of this schedule; null: none. When they are spent, firings are skipped. */
  monthly_budget_usd: number | null
  /** The cost of its runs that ended in this month. */
  spent_usd: number
  /** Why it is paused; null: it is not. */
  pause_reason: Open<SchedulePauseReason> | null
  /** When it was paused; null: it is not. */
  paused_at: string | null
  /** The next five dates, or as many as there are. Empty while it is paused. */
  next_dates: string[]
  /** The key or person as which its runs start. The right is checked at every firing. Changing target or input makes the caller the creator. */
  created_by: string
  /** When it was created. */
  created_at: string
  /** When it was changed last. */
  updated_at: string
}

/** A date of a schedule, and what came of it. */
export type ScheduleFiring = {
  /** The id of a firing of a schedule. */
  id: string
  /** Always `schedule_firing`. */
  object: 'schedule_firing'
  /** The id of a schedule. */
  schedule_id: string
  kind: Open<ScheduleFiringKind>
  /** The date that was due, or the time of the request. */
  date: string
  /** The first of the dates up to `date` that were missed. This firing stands for all of them. Null: none was. */
  missed_from: string | null
  status: Open<ScheduleFiringStatus>
  /** Why it was skipped (`missed`, `overlap`, `budget_exhausted`, `schedule_paused`, `schedule_deleted`), or why it failed: the code of the error, or `outcome_unknown` if the service stopped for a day while it started the target; null: neither. */
  code: string | null
  /** Why it does not start now; null: it starts, or it does not wait. */
  waiting: Waiting | null
  /** The run that it started; null: none. */
  run_id: string | null
  /** The pipeline run that it started; null: none. */
  pipeline_run_id: string | null
  /** When it was created. */
  created_at: string
  /** When it started; null: it did not. */
  started_at: string | null
  /** When it was skipped or failed, or when its run was found to have ended; null before. */
  ended_at: string | null
}

/** `request`: somebody started it with `POST /schedules/{id}/run`. */
export type ScheduleFiringKind = 'date' | 'request'

/** One page of a list. */
export type ScheduleFiringList = {
  /** Always `list`. */
  object: 'list'
  /** The items of this page. */
  data: ScheduleFiring[]
  /** Whether more items follow. */
  has_more: boolean
  /** The first id of this page, for `before`. */
  first_id: string | null
  /** The last id of this page, for `after`. */
  last_id: string | null
}

/** `due`: it is about to start. `queued`: it waits for an earlier firing. */
export type ScheduleFiringStatus = 'due' | 'queued' | 'started' | 'skipped' | 'failed'

/** One page of a list. */
export type ScheduleList = {
  /** Always `list`. */
  object: 'list'
  /** The items of this page. */
  data: Schedule[]
  /** Whether more items follow. */
  has_more: boolean
  /** The first id of this page, for `before`. */
  first_id: string | null
  /** The last id of this page, for `after`. */
  last_id: string | null
}

/** A date that the service reaches over 5 minutes late is missed. `skip`: it does not fire. `once`: the last missed date fires for all of them. */
export type ScheduleMissed = 'skip' | 'once'

/** What a firing does while an earlier one runs. `skip`: it does not start. `queue`: it waits; at most 10 wait. `allow`: it starts. */
export type ScheduleOverlap = 'skip' | 'queue' | 'allow'

/** `requested`: somebody paused it. Otherwise the service did: `creator_gone`: the key was revoked or has expired, or the person has left. `forbidden`: the creator may not start the target any more. `target_not_available`: the agent or pipeline is archived. */
export type SchedulePauseReason = 'requested' | 'creator_gone' | 'forbidden' | 'target_not_available'

/** The service paused a schedule, because its creator may not start its target any more; `pause_reason` has the cause. */
export type SchedulePausedEvent = {
  /** The id of an event. */
  id: string
  /** The type of the event. */
  type: 'schedule.paused'
  /** When it happened. */
  created_at: string
  data: Schedule
}

/** `paused`: it does not fire. `ended`: it has no further date. */
export type ScheduleStatus = 'active' | 'paused' | 'ended'

export type SchedulesListStatus = 'active' | 'paused'

/** A permission: resource and kind of access. */
export type Scope = 'runs:read' | 'runs:write' | 'runs:approve' | 'runs:erase' | 'runs:share' | 'agents:read' | 'agents:write' | 'webhooks:read' | 'webhooks:write' | 'keys:read' | 'keys:write' | 'usage:read' | 'analytics:read' | 'pipelines:read' | 'pipelines:write' | 'schedules:read' | 'schedules:write' | 'policies:read' | 'policies:write' | 'connectors:read' | 'connectors:write' | 'alerts:read' | 'alerts:write' | 'events:read' | 'audit:read' | 'members:write'

/** The parameters of the check. */
export type SecretsParams = {
}

export type SecretsRule = {
  id?: string | undefined
  /** The check. */
  check: 'secrets'
  stages: readonly PolicyStage[]
  /** `redact` replaces what was found by a token such as `[EMAIL_1]`. `require_approval` makes the run wait. `flag` records a finding only. */
  action: PolicyAction
  params?: SecretsParams | undefined
}

export type SendAction = {
  /** `approve` or `reject` an approval or a `raise_budget`, `respond` to an input or reconcile question, or send a `message`. */
  type: SendActionType
  /** Which open action you decide. Optional if exactly one is open. Always send the id of the question that was read: a decision without it can reach another question that opened meanwhile. */
  action_id?: string | undefined
  /** The reason; it is recorded. */
  comment?: string | undefined
  /** Required for `respond`: a value that matches `response_schema`. Required for `message`: `{"message": "…"}`. */
  payload?: unknown | undefined
}

/** `approve` or `reject` an approval or a `raise_budget`, `respond` to an input or reconcile question, or send a `message`. */
export type SendActionType = 'approve' | 'reject' | 'respond' | 'message'

export type SendPipelineAction = {
  /** The decision on an approval step. `reject` fails the step with `approval_rejected`. */
  type: PipelineDecisionType
  /** Which open action you decide: the key of its approval step. Optional if exactly one approval step waits. */
  action_id?: string | undefined
  /** The reason; it is recorded. */
  comment?: string | undefined
  /** With `approve`: a value that matches `response_schema`, if there is one. It is the `payload` of the output of the step. */
  payload?: unknown | undefined
}

/** A browser session of a person. */
export type Session = {
  /** Always `session`. */
  object: 'session'
  /** The kind of credential. */
  type: 'session'
  /** The id of a session. */
  id: string
  user: User
  organisation: Organisation
  role: Open<Role>
  /** The permissions that it holds. */
  scopes: Open<Scope>[]
  /** All organisations of the person, with the role in each. */
  organisations: Membership[]
  /** The latest end of the session. It ends earlier if it is not used. */
  expires_at: string
}

export type SessionRecord = {
  /** The id of a session. */
  id: string
  /** Always `session_record`. */
  object: 'session_record'
  /** The id of an organisation. */
  organisation_id: string
  /** Whether this request uses it. */
  is_current: boolean
  /** When it was created. */
  created_at: string
  /** When it was last used, accurate to about a minute. */
  seen_at: string
  /** When it ends at the latest. */
  expires_at: string
  /** When it ended; null if it is active. */
  ended_at: string | null
  /** The IP address at login. */
  address: string | null
  /** The browser at login. */
  user_agent: string | null
}

/** One page of a list. */
export type SessionRecordList = {
  /** Always `list`. */
  object: 'list'
  /** The items of this page. */
  data: SessionRecord[]
  /** Whether more items follow. */
  has_more: boolean
  /** The first id of this page, for `before`. */
  first_id: string | null
  /** The last id of this page, for `after`. */
  last_id: string | null
}

export type SessionToken = {
  /** Always `session_token`. */
  object: 'session_token'
  /** The complete token. Only this response contains it. */
  token: string
  /** The permissions that it holds. */
  scopes: Open<Scope>[]
  /** The only run that the token can use; null: the runs that it creates. */
  run_id: string | null
  /** When the token stops working. */
  expires_at: string
}

export type SetProviderKey = {
  /** A vendor of models whose key an organisation can enter. */
  provider: KeyedProvider
  /** The API key of the vendor. */
  key: string
}

export type ShareRun = {
  /** Lifetime in seconds, at most 2592000 (30 days). A key that ends earlier shortens it. Default: `604800`. */
  expires_in_seconds?: number | undefined
}

export type ShowAgentPrompt = {
  /** Omitted: only `config` counts. */
  agent_id?: string | undefined
  /** Default: the newest released version. */
  version?: number | undefined
  /** Replaces fields of the agent, or describes one that is not saved. */
  config?: PromptConfigInput | undefined
  /** The input of a run. */
  input: { readonly [key: string]: unknown }
}

export type StepAttempt = {
  /** When the try began. */
  started_at: string
  error: StepAttemptError
}

/** Why the try failed. */
export type StepAttemptError = {
  /** The error code, as in the `error` of a run. */
  code: string
  /** What went wrong, for people, at most 300 characters. */
  message: string
}

/** How the policy delays streams of output. */
export type StreamDelay = {
  mode: Open<StreamDelayMode>
  /** How many characters are held back; null: all. */
  chars: number | null
}

/** `window`: the newest characters are held back. `chunk`: text is checked in pieces. `whole`: text appears when all of it is checked. */
export type StreamDelayMode = 'none' | 'window' | 'chunk' | 'whole'

export type SwitchOrganisation = {
  /** The id of an organisation. */
  organisation_id: string
}

/** The type of the value. */
export type TemplateParamType = 'string' | 'string_list' | 'number' | 'boolean' | 'object'

/** A test event was requested; it is sent to one webhook only. */
export type TestEvent = {
  /** The id of an event. */
  id: string
  /** The type of the event. */
  type: 'test'
  /** When it happened. */
  created_at: string
  data: TestEventData
}

/** The data of a test event. */
export type TestEventData = {
  /** A fixed text. */
  message: string
  /** The id of a webhook. */
  webhook_id: string
}

export type TestWebhook = {
  /** The type of the sample. Default: `test`. */
  event_type?: string | undefined
}

/** A short-lived token. */
export type TokenCredential = {
  /** Always `me`. */
  object: 'me'
  /** The kind of credential. */
  type: 'session_token'
  /** The key or user that created the token. */
  id: string
  organisation: Organisation
  /** The permissions that it holds. */
  scopes: Open<Scope>[]
}

/** `failed`: the agent was told what went wrong. */
export type ToolCallOutcome = 'completed' | 'failed'

/** `waiting`: a person must approve it. `started`: it is under way. */
export type ToolCallStatus = 'waiting' | 'started' | 'completed' | 'failed'

/** How the tool changed. */
export type ToolChange = 'new' | 'changed' | 'gone'

/** The number of tools by state. Agents get approved tools only. */
export type ToolCounts = {
  /** Tools that agents can use. */
  approved: number
  /** Tools that were never approved. */
  pending: number
  /** Tools that differ from what was approved. */
  changed: number
  /** Tools that the server no longer lists. */
  gone: number
}

/** The annotations of the server, with the defaults of MCP where it sends none. */
export type ToolHints = {
  /** It changes nothing. */
  read_only: boolean
  /** It can delete or overwrite. */
  destructive: boolean
  /** A repeated call has no further effect. */
  idempotent: boolean
  /** It reaches systems outside the server. */
  open_world: boolean
}

/** A tool as its server lists it. */
export type ToolManifest = {
  /** The name of the tool. */
  name: string
  /** The name for people. */
  title: string | null
  /** What the tool does. Models read it. */
  description: string
  /** JSON Schema of the arguments. */
  input_schema: { [key: string]: unknown }
  /** JSON Schema of the result. */
  output_schema: { [key: string]: unknown } | null
  hints: ToolHints
}

/** `approved`: agents can use it. The others are off: `pending` was never approved, `changed` differs from what was approved, `gone` is no longer listed by the server. */
export type ToolState = 'approved' | 'pending' | 'changed' | 'gone'

/** What the trial could see. */
export type TrialCoverage = {
  /** Runs that were judged. */
  runs: number
  /** Inputs, texts, tool calls and results that were judged. */
  contents: number
  /** Runs whose data was erased. */
  erased: number
  /** About how many runs are older than the retention time, so they are deleted. */
  expired: number
  /** Judged runs in which an earlier policy has redacted something. */
  redacted: number
}

/** How long the checks of one content took, in milliseconds. */
export type TrialDelay = {
  /** Of half of the contents at most; null: none was checked. */
  p50: number | null
  /** Of 95 % of the contents at most. */
  p95: number | null
}

/** How far it is. */
export type TrialProgress = {
  /** Runs that were looked at. */
  seen: number
  /** About how many there are to look at; null: not counted yet. */
  total: number | null
}

/** An example of what a rule has found. */
export type TrialSample = {
  /** The id of a run. */
  run_id: string
  /** The id of the rule. */
  rule: string
  stage: Open<PolicyStage>
  action: Open<PolicyAction>
  /** The text around what was found, which is masked. */
  excerpt: string
}

/** What a rule would have done. */
export type TriedRule = {
  /** The id of the rule. */
  rule: string
  check: Open<PolicyCheck>
  action: Open<PolicyAction>
  /** Contents at the stages of the rule. */
  contents: number
  /** Contents that it would have blocked. */
  blocked: number
  /** Contents that it would have redacted. */
  redacted: number
  /** Contents for which it would have asked a person. */
  asked: number
  /** Contents that it would have flagged. */
  flagged: number
  /** Runs in which it has found something. */
  runs: number
  /** Contents that could not be checked. Live, they count as found. */
  failed: number
  /** Contents that a remote check did not see, for lack of `max_cost_usd`. */
  skipped: number
}

export type TryPolicy = {
  /** Runs created from this time. */
  since: string | Date
  /** At most 31 days after `since`. Default: now. */
  until?: string | Date | undefined
  /** Only runs of this agent. */
  agent_id?: string | undefined
  /** The most runs to look at. Of more runs, some are chosen evenly. Default: `10000`. */
  sample?: number | undefined
  /** Makes remote checks too, and stops them at this cost. */
  max_cost_usd?: number | undefined
}

/** Why the service cannot process the request. `/docs/errors` explains each. New reasons can be added. */
export type UnavailableReason = 'shed' | 'pool_busy' | 'blocked' | 'database_busy' | 'database_away' | 'database_read_only' | 'disk_full' | 'organisation_closed' | 'key_service_away' | 'contended' | 'check_unmade' | 'credential_unchecked'

export type UpdateAgent = {
  /** The name of the agent. */
  name?: string | undefined
  /** What the agent does, for people. */
  description?: string | null | undefined
  config?: AgentConfigInput | undefined
  /** JSON Schema of the input. */
  input_schema?: { readonly [key: string]: unknown } | null | undefined
  /** JSON Schema of the output. */
  output_schema?: { readonly [key: string]: unknown } | null | undefined
  limits?: AgentLimitsInput | null | undefined
  /** The ids of the policies attached to it. Read-only: `POST /policies/{id}/attachments` attaches one. */
  policies?: readonly string[] | null | undefined
  /** Your own key-value pairs. They are merged; null removes a key. */
  metadata?: { readonly [key: string]: string | null } | null | undefined
  /** Adopts this version of the catalog agent. Your own changes since you hired it are kept. */
  catalog_version?: number | undefined
  /** The version that your change is based on. If a newer one exists, nothing changes (`version_conflict`). */
  version?: number | undefined
  rollout?: Rollout | undefined
  /** US dollars a month, UTC; null: none. */
  monthly_budget_usd?: number | null | undefined
  /** `refuse`: new runs are rejected. `park`: runs wait before their next model call. `notify`: only events are sent. */
  budget_action?: BudgetAction | undefined
}

export type UpdateAlertRule = {
  /** The name of the rule. */
  name?: string | undefined
  /** The side of the threshold on which the rule fires. */
  operator?: AlertOperator | undefined
  /** In the unit of the metric. */
  threshold?: number | undefined
  /** The time over which the value is computed: whole minutes. */
  window_seconds?: number | undefined
  /** How long the value must be beyond the threshold before the rule fires. */
  for_seconds?: number | undefined
  /** For shares and percentiles: with fewer runs or deliveries, the window has no value. */
  min_sample_size?: number | undefined
  /** How urgent it is. */
  severity?: AlertSeverity | undefined
  /** Whether it is evaluated. */
  enabled?: boolean | undefined
}

export type UpdateApiKey = {
  /** The name of the key, for people. */
  name?: string | undefined
  /** The permissions of the key. There is no wildcard. */
  scopes?: readonly string[] | undefined
  /** Limits the key to these agents. Null or omitted: all agents of the organisation. */
  agent_ids?: readonly string[] | null | undefined
  /** When the key stops working. Null or omitted: never. A key that ends can only create keys that end no later; the organisation may limit the lifetime. */
  expires_at?: string | Date | null | undefined
  /** US dollars a month, UTC; null: none. */
  monthly_budget_usd?: number | null | undefined
  /** `refuse`: new runs are rejected. `park`: runs wait before their next model call. `notify`: only events are sent. */
  budget_action?: BudgetAction | undefined
}

export type UpdateConnector = {
  /** The name of the connector. */
  name?: string | undefined
  /** Another address is another server: all tools wait for approval again. */
  url?: string | undefined
  /** Replaces the credential. Required with a new `url` if the connector has a credential. */
  auth?: ConnectorAuthInput | undefined
}

export type UpdateMe = {
  /** Your name. */
  name: string
}

export type UpdateMember = {
  /** What a person can do in an organisation. Each role includes the roles after it. */
  role: Role
}

export type UpdateNotifications = {
  /** The kinds that you want. Default: for owners and admins all but `alert_info`; for others none. */
  kinds: readonly NotificationKind[]
}

export type UpdateOrganisation = {
  /** The name of the organisation. */
  name?: string | undefined
  /** US dollars a month, UTC; null: none. */
  monthly_budget_usd?: number | null | undefined
  /** `refuse`: new runs are rejected. `park`: runs wait before their next model call. `notify`: only events are sent. */
  budget_action?: BudgetAction | undefined
}

export type UpdatePipeline = {
  /** The name of the pipeline. */
  name?: string | undefined
  /** What the pipeline does, for people. */
  description?: string | null | undefined
  /** Replaces the whole definition. */
  definition?: PipelineDefinitionInput | undefined
  /** Your own key-value pairs. They are merged; null removes a key. */
  metadata?: { readonly [key: string]: string | null } | null | undefined
  /** The version that your change is based on. If a newer one exists, nothing changes (`version_conflict`). */
  version?: number | undefined
}

export type UpdatePolicy = {
  /** The name of the policy. */
  name?: string | undefined
  /** What the policy is for. */
  description?: string | undefined
  /** `shadow`: it judges and records findings, and changes nothing. It ends after 14 days unless you renew it. */
  mode?: PolicyMode | undefined
  /** Replaces all rules and makes a new version. */
  rules?: readonly PolicyRuleInput[] | undefined
  /** The version that your change is based on. If a newer one exists, nothing changes (`version_conflict`). */
  version?: number | undefined
}

export type UpdateSchedule = {
  /** The name of the schedule. */
  name?: string | undefined
  /** Five fields: minute, hour, day of month, month, day of week. Null: the schedule has another timing. */
  cron?: string | null | undefined
  /** The IANA time zone of `cron`, such as Europe/Berlin. Dates in an hour that the clocks skip fire once, after it; in an hour that they show twice they fire once. */
  time_zone?: string | undefined
  /** Seconds between two dates, from the time at which this was set. Null: the schedule has another timing. */
  interval_seconds?: number | null | undefined
  /** The only date. Null: the schedule has another timing. */
  once_at?: string | Date | null | undefined
  /** The agent that each firing runs; null: the target is a pipeline. */
  agent_id?: string | null | undefined
  /** The pipeline that each firing runs; null: the target is an agent. */
  pipeline_id?: string | null | undefined
  /** The input of each run. */
  input?: { readonly [key: string]: unknown } | undefined
  /** The metadata of each run. */
  metadata?: { readonly [key: string]: string } | undefined
  /** A date that the service reaches over 5 minutes late is missed. `skip`: it does not fire. `once`: the last missed date fires for all of them. */
  missed?: ScheduleMissed | undefined
  /** What a firing does while an earlier one runs. `skip`: it does not start. `queue`: it waits; at most 10 wait. `allow`: it starts. */
  overlap?: ScheduleOverlap | undefined
  /** US dollars a month, UTC, for the runs of this schedule; null: none. When they are spent, firings are skipped. */
  monthly_budget_usd?: number | null | undefined
}

export type UpdateWebhook = {
  /** HTTPS on a public host, port 443 or a port that the operator allows. */
  url?: string | undefined
  /** Event types; `*` selects all. */
  events?: readonly string[] | undefined
  /** False pauses the webhook. True also enables a webhook that the service has disabled. */
  active?: boolean | undefined
  /** Your own note. */
  description?: string | null | undefined
}

/** The parameters of the check. */
export type UrlAllowParams = {
  /** The rule acts on addresses of all other hosts. */
  hosts: readonly string[]
}

export type UrlAllowRule = {
  id?: string | undefined
  /** The check. */
  check: 'url_allow'
  stages: readonly PolicyStage[]
  /** `redact` replaces what was found by a token such as `[EMAIL_1]`. `require_approval` makes the run wait. `flag` records a finding only. */
  action: PolicyAction
  params: UrlAllowParams
}

/** The limits of the plan, and how much of them a month has used. */
export type Usage = {
  /** Always `usage`. */
  object: 'usage'
  plan: Open<Plan>
  period: UsagePeriod
  calls: UsageCalls
  rate_limit: UsageRateLimit
  concurrency: UsageConcurrency
  storage: UsageStorage
  /** Runs that ended before this time are in the figures below. */
  as_of: string
  totals: UsageFigures
  /** Most runs first, at most 1,000. */
  by_agent: UsageOfAgent[]
  /** A rotated pair counts as its first key. Empty for a narrowed key. */
  by_api_key: UsageOfApiKey[]
  /** Oldest first. Days without runs are left out. */
  by_day: UsageOfDay[]
}

/** Accepted runs of the organisation. Exact at all times. */
export type UsageCalls = {
  /** Accepted runs. */
  used: number
  /** The quota. 1,000,000,000,000 and more: no limit. */
  limit: number
  /** How many are left. */
  remaining: number
}

/** Of now. */
export type UsageConcurrency = {
  /** Runs that execute. */
  used: number
  /** The most at the same time. */
  limit: number
}

/** Figures of ended runs. */
export type UsageFigures = {
  /** Ended runs. */
  runs: number
  /** Completed runs. */
  completed: number
  /** Failed runs. */
  failed: number
  /** Cancelled runs. */
  cancelled: number
  /** Tokens that models read. */
  input_tokens: number
  /** Tokens that models wrote. */
  output_tokens: number
  /** The part of the input tokens that the provider had cached. */
  cached_tokens: number
  /** The cost of model calls, by the prices of the operator. */
  cost_usd: number
  /** Runs whose cost is not known, because a model has no price. */
  unpriced_runs: number
}

export type UsageOfAgent = {
  /** The id of an agent. */
  agent_id: string
  /** The name; null if it is gone. */
  name: string | null
  /** Its figures. */
  figures: UsageFigures
}

export type UsageOfApiKey = {
  /** Null: people, in the dashboard. */
  api_key_id: string | null
  /** The name; null if it is gone. */
  name: string | null
  /** Its figures. */
  figures: UsageFigures
}

export type UsageOfDay = {
  /** UTC. */
  date: string
  /** Its figures. */
  figures: UsageFigures
}

/** A calendar month, UTC. */
export type UsagePeriod = {
  /** The begin of the month. */
  start: string
  /** When the quota starts anew. */
  end: string
}

/** Of each API key and person. */
export type UsageRateLimit = {
  /** Requests per minute. */
  requests_per_minute: number
  /** The most requests at once. */
  burst: number
}

/** About a minute old. */
export type UsageStorage = {
  /** Stored bytes. */
  used_bytes: number
  /** The most stored bytes. */
  limit_bytes: number
}

/** A person. */
export type User = {
  /** The id of a user. */
  id: string
  /** The e-mail address. */
  email: string
  /** The name. */
  name: string
}

/** The versions before and after the change. */
export type VersionChange = {
  /** The version before. */
  old: number
  /** The version now. */
  new: number
}

/** Why it is not worked on now. */
export type Waiting = {
  reason: Open<WaitingReason>
  /** The explanation, for people, with numbers of your organisation. A key that is narrowed to agents gets those of its agents. */
  message: string
}

/** `turn`: a free place of the workers. `share`: the places that the organisation may have are in use by its other work. `line`: earlier work of the organisation, such as an earlier firing. `destination`: your endpoint. `retry`: the next attempt is not due yet. */
export type WaitingReason = 'turn' | 'share' | 'line' | 'destination' | 'retry'

/** An endpoint that receives events. */
export type Webhook = {
  /** The id of a webhook. */
  id: string
  /** Always `webhook`. */
  object: 'webhook'
  /** The endpoint that receives the events. */
  url: string
  /** Event types; `*` selects all. */
  events: string[]
  /** Those of `events` that the service does not send yet, because they are planned. */
  planned_events: string[]
  /** Whether deliveries are sent. */
  active: boolean
  /** Your own note. */
  description: string | null
  /** The last characters of the signing secret. */
  secret_hint: string
  status: Open<WebhookStatus>
  /** When it was disabled; null if it is active. */
  disabled_at: string | null
  disabled_reason: Open<WebhookDisabledReason> | null
  /** Since when all deliveries have failed. */
  failing_since: string | null
  /** Events since this time may not have been delivered. To send them, use `POST /webhooks/{id}/recover`. */
  missed_since: string | null
  last_day: WebhookActivity
  /** When it was created. */
  created_at: string
}

/** The deliveries that ended in the last 24 hours: the current hour and the 23 hours before it. Deliveries that were never sent, because the webhook was paused or deleted, are not counted. */
export type WebhookActivity = {
  /** Deliveries that ended. */
  deliveries: number
  /** Deliveries that the endpoint acknowledged. */
  succeeded: number
  /** Deliveries whose last attempt failed. */
  failed: number
  /** The share of deliveries that succeeded, 0 to 1; null without deliveries. */
  success_rate: number | null
}

/** The service disabled a webhook; `reason` has the cause. */
export type WebhookDisabledEvent = {
  /** The id of an event. */
  id: string
  /** The type of the event. */
  type: 'webhook.disabled'
  /** When it happened. */
  created_at: string
  data: DisabledWebhook
}

/** `paused`: by a request. `gone`: the endpoint responded with 410. `failing`: all deliveries failed for days. */
export type WebhookDisabledReason = 'paused' | 'gone' | 'failing'

/** One page of a list. */
export type WebhookList = {
  /** Always `list`. */
  object: 'list'
  /** The items of this page. */
  data: Webhook[]
  /** Whether more items follow. */
  has_more: boolean
  /** The first id of this page, for `before`. */
  first_id: string | null
  /** The last id of this page, for `after`. */
  last_id: string | null
}

/** `failing`: the latest deliveries failed. `disabled`: nothing is sent. `deleted`: only in the response that deletes it. */
export type WebhookStatus = 'healthy' | 'failing' | 'disabled' | 'deleted'

export type WebhookWithSecret = {
  /** The id of a webhook. */
  id: string
  /** Always `webhook`. */
  object: 'webhook'
  /** The endpoint that receives the events. */
  url: string
  /** Event types; `*` selects all. */
  events: string[]
  /** Those of `events` that the service does not send yet, because they are planned. */
  planned_events: string[]
  /** Whether deliveries are sent. */
  active: boolean
  /** Your own note. */
  description: string | null
  /** The last characters of the signing secret. */
  secret_hint: string
  status: Open<WebhookStatus>
  /** When it was disabled; null if it is active. */
  disabled_at: string | null
  disabled_reason: Open<WebhookDisabledReason> | null
  /** Since when all deliveries have failed. */
  failing_since: string | null
  /** Events since this time may not have been delivered. To send them, use `POST /webhooks/{id}/recover`. */
  missed_since: string | null
  last_day: WebhookActivity
  /** When it was created. */
  created_at: string
  /** The signing secret. Shown once; null in a replay. */
  secret: string | null
}

export type WebhooksListStatus = 'healthy' | 'failing' | 'disabled'

/** The parameters of `runs.list`. */
export type RunsListParams = {
  /** 1 to 100 items. Default: `20`. */
  limit?: number | undefined
  /** The items after this id. */
  after?: string | undefined
  /** The items before this id. */
  before?: string | undefined
  /** The id of an agent. */
  agent_id?: string | undefined
  /** Only runs of this version of the agent. Needs `agent_id`. */
  agent_version?: number | undefined
  /** Only runs of this deployment. */
  deployment_id?: string | undefined
  /** One or more of queued, running, requires_action, cancelling, completed, failed, cancelled, separated by commas. */
  status?: RunStatus | readonly RunStatus[] | undefined
  /** Only runs that failed with one of these codes, separated by commas. */
  error_code?: RunErrorCode | readonly RunErrorCode[] | undefined
  /** Only runs that this API key (`key_…`) or person (`usr_…`) created. */
  created_by?: string | undefined
  /** Only items that were created at or after this time. */
  created_after?: string | Date | undefined
  /** Only items that were created before this time. */
  created_before?: string | Date | undefined
  /** The id of a pipeline run. */
  pipeline_run_id?: string | undefined
  /** Only runs that this run created. */
  parent_run_id?: string | undefined
  /** Send as `metadata[key]=value`. Runs must match all given pairs. */
  metadata?: { readonly [key: string]: string } | undefined
  /** Only these runs, at most 100 ids, separated by commas. Unknown ids match nothing. */
  ids?: string | readonly string[] | undefined
  /** `summary`: `input` is `{}`, `output` is null, and `input_preview` and `output_preview` have their first 200 characters. */
  view?: RunsListView | undefined
}

/** The parameters of `runs.create`. */
export type RunsCreateParams = CreateRun

/** The parameters of `runs.stream`. */
export type RunsStreamParams = CreateRun

/** The parameters of `runs.watch`. */
export type RunsWatchParams = {
  /** Returns the frames after this id. Equivalent to the header `Last-Event-ID`. */
  after?: number | undefined
  /** `false`: leaves out `run.output.delta` and `run.output.reset`, for a client that shows no text while it is produced. Default: `"true"`. */
  deltas?: RunsWatchDeltas | undefined
}

/** The parameters of `runs.steps`. */
export type RunsStepsParams = {
  /** 1 to 100 items. Default: `20`. */
  limit?: number | undefined
  /** The items after this id. */
  after?: number | undefined
  /** The items before this id. */
  before?: number | undefined
}

/** The parameters of `runs.held`. */
export type RunsHeldParams = {
  /** Which open action. Default: the oldest one that holds content. */
  action_id?: string | undefined
}

/** The parameters of `runs.act`. */
export type RunsActParams = SendAction

/** The parameters of `runs.shares`. */
export type RunsSharesParams = {
  /** 1 to 100 items. Default: `20`. */
  limit?: number | undefined
  /** The items after this id. */
  after?: string | undefined
  /** The items before this id. */
  before?: string | undefined
}

/** The parameters of `runs.share`. */
export type RunsShareParams = ShareRun

/** The parameters of `agents.list`. */
export type AgentsListParams = {
  /** 1 to 100 items. Default: `20`. */
  limit?: number | undefined
  /** The items after this id. */
  after?: string | undefined
  /** The items before this id. */
  before?: string | undefined
  /** One or more of active, archived, separated by commas. */
  status?: AgentStatus | readonly AgentStatus[] | undefined
  /** One or more of catalog, custom, separated by commas. */
  source?: AgentSource | readonly AgentSource[] | undefined
  /** Text to search for in name and description. */
  q?: string | undefined
}

/** The parameters of `agents.update`. */
export type AgentsUpdateParams = UpdateAgent

/** The parameters of `agents.rotateSigningSecret`. */
export type AgentsRotateSigningSecretParams = RotateSigningSecret

/** The parameters of `agents.hire`. */
export type AgentsHireParams = HireAgent

/** The parameters of `agents.create`. */
export type AgentsCreateParams = CreateAgent

/** The parameters of `agents.prompt`. */
export type AgentsPromptParams = ShowAgentPrompt

/** The parameters of `agents.versions`. */
export type AgentsVersionsParams = {
  /** 1 to 100 items. Default: `20`. */
  limit?: number | undefined
  /** The items after this id. */
  after?: number | undefined
  /** The items before this id. */
  before?: number | undefined
}

/** The parameters of `agents.diff`. */
export type AgentsDiffParams = {
  /** The version to compare with. */
  to: number
}

/** The parameters of `catalog.list`. */
export type CatalogListParams = {
  /** 1 to 100 items. Default: `20`. */
  limit?: number | undefined
  /** The items after this id. */
  after?: string | undefined
  /** The items before this id. */
  before?: string | undefined
  /** Text to search for. */
  q?: string | undefined
}

/** The parameters of `models.list`. */
export type ModelsListParams = {
  /** 1 to 100 items. Default: `20`. */
  limit?: number | undefined
  /** The items after this id. */
  after?: string | undefined
  /** The items before this id. */
  before?: string | undefined
  /** Text to search for in the id. */
  q?: string | undefined
}

/** The parameters of `providerKeys.list`. */
export type ProviderKeysListParams = {
  /** 1 to 100 items. Default: `20`. */
  limit?: number | undefined
  /** The items after this id. */
  after?: string | undefined
  /** The items before this id. */
  before?: string | undefined
}

/** The parameters of `providerKeys.set`. */
export type ProviderKeysSetParams = SetProviderKey

/** The parameters of `deployments.list`. */
export type DeploymentsListParams = {
  /** 1 to 100 items. Default: `20`. */
  limit?: number | undefined
  /** The items after this id. */
  after?: string | undefined
  /** The items before this id. */
  before?: string | undefined
  /** The id of an agent. */
  agent_id?: string | undefined
  /** One or more of active, canary, superseded, rolled_back, separated by commas. */
  status?: DeploymentStatus | readonly DeploymentStatus[] | undefined
}

/** The parameters of `deployments.promote`. */
export type DeploymentsPromoteParams = PromoteDeployment

/** The parameters of `deployments.rollback`. */
export type DeploymentsRollbackParams = RollBackDeployment

/** The parameters of `connectors.list`. */
export type ConnectorsListParams = {
  /** 1 to 100 items. Default: `20`. */
  limit?: number | undefined
  /** The items after this id. */
  after?: string | undefined
  /** The items before this id. */
  before?: string | undefined
}

/** The parameters of `connectors.create`. */
export type ConnectorsCreateParams = CreateConnector

/** The parameters of `connectors.update`. */
export type ConnectorsUpdateParams = UpdateConnector

/** The parameters of `connectors.approveTool`. */
export type ConnectorsApproveToolParams = ApproveTool

/** The parameters of `webhooks.list`. */
export type WebhooksListParams = {
  /** 1 to 100 items. Default: `20`. */
  limit?: number | undefined
  /** The items after this id. */
  after?: string | undefined
  /** The items before this id. */
  before?: string | undefined
  /** One or more of healthy, failing, disabled, separated by commas. */
  status?: WebhooksListStatus | readonly WebhooksListStatus[] | undefined
}

/** The parameters of `webhooks.create`. */
export type WebhooksCreateParams = CreateWebhook

/** The parameters of `webhooks.update`. */
export type WebhooksUpdateParams = UpdateWebhook

/** The parameters of `webhooks.rotateSecret`. */
export type WebhooksRotateSecretParams = RotateWebhookSecret

/** The parameters of `webhooks.test`. */
export type WebhooksTestParams = TestWebhook

/** The parameters of `webhooks.deliveries`. */
export type WebhooksDeliveriesParams = {
  /** 1 to 100 items. Default: `20`. */
  limit?: number | undefined
  /** The items after this id. */
  after?: string | undefined
  /** The items before this id. */
  before?: string | undefined
  /** One or more of pending, succeeded, failed, separated by commas. */
  status?: DeliveryStatus | readonly DeliveryStatus[] | undefined
  /** Only deliveries of this event. */
  event_id?: string | undefined
  /** One or more types, separated by commas. */
  event_type?: EventType | readonly EventType[] | undefined
  /** Only items that were created at or after this time. */
  created_after?: string | Date | undefined
  /** Only items that were created before this time. */
  created_before?: string | Date | undefined
}

/** The parameters of `webhooks.missed`. */
export type WebhooksMissedParams = {
  /** 1 to 100 items. Default: `20`. */
  limit?: number | undefined
  /** The items after this id. */
  after?: string | undefined
  /** The items before this id. */
  before?: string | undefined
  /** Only items that were created at or after this time. */
  created_after?: string | Date | undefined
  /** Only items that were created before this time. */
  created_before?: string | Date | undefined
}

/** The parameters of `webhooks.recover`. */
export type WebhooksRecoverParams = RecoverWebhook

/** The parameters of `webhooks.recoveries`. */
export type WebhooksRecoveriesParams = {
  /** 1 to 100 items. Default: `20`. */
  limit?: number | undefined
  /** The items after this id. */
  after?: string | undefined
  /** The items before this id. */
  before?: string | undefined
}

/** The parameters of `events.list`. */
export type EventsListParams = {
  /** 1 to 100 items. Default: `20`. */
  limit?: number | undefined
  /** The items after this id. */
  after?: string | undefined
  /** The items before this id. */
  before?: string | undefined
  /** One or more types, separated by commas. */
  type?: EventsListType | readonly EventsListType[] | undefined
  /** Only items that were created at or after this time. */
  created_after?: string | Date | undefined
  /** Only items that were created before this time. */
  created_before?: string | Date | undefined
}

/** The parameters of `events.watch`. */
export type EventsWatchParams = {
  /** One or more types, separated by commas. */
  type?: EventsListType | readonly EventsListType[] | undefined
  /** Returns the events after this id. Equivalent to the header `Last-Event-ID`. */
  after?: string | undefined
  /** Returns events since this time. */
  since?: string | Date | undefined
}

/** The parameters of `apiKeys.list`. */
export type ApiKeysListParams = {
  /** 1 to 100 items. Default: `20`. */
  limit?: number | undefined
  /** The items after this id. */
  after?: string | undefined
  /** The items before this id. */
  before?: string | undefined
  /** Only keys that this key or person created. */
  created_by?: string | undefined
}

/** The parameters of `apiKeys.create`. */
export type ApiKeysCreateParams = CreateApiKey

/** The parameters of `apiKeys.update`. */
export type ApiKeysUpdateParams = UpdateApiKey

/** The parameters of `apiKeys.revoke`. */
export type ApiKeysRevokeParams = {
  /** Whether to revoke the keys below this one as well. Default: `"false"`. */
  descendants?: ApiKeysRevokeDescendants | undefined
}

/** The parameters of `sessionTokens.create`. */
export type SessionTokensCreateParams = CreateSessionToken

/** The parameters of `auth.login`. */
export type AuthLoginParams = Login

/** The parameters of `auth.updateMe`. */
export type AuthUpdateMeParams = UpdateMe

/** The parameters of `auth.switchOrganisation`. */
export type AuthSwitchOrganisationParams = SwitchOrganisation

/** The parameters of `auth.changePassword`. */
export type AuthChangePasswordParams = ChangePassword

/** The parameters of `auth.resetPassword`. */
export type AuthResetPasswordParams = ResetPassword

/** The parameters of `auth.proveEmail`. */
export type AuthProveEmailParams = ProveEmail

/** The parameters of `auth.acceptInvitation`. */
export type AuthAcceptInvitationParams = AcceptInvitation

/** The parameters of `sessions.list`. */
export type SessionsListParams = {
  /** 1 to 100 items. Default: `20`. */
  limit?: number | undefined
  /** The items after this id. */
  after?: string | undefined
  /** The items before this id. */
  before?: string | undefined
}

/** The parameters of `organisation.update`. */
export type OrganisationUpdateParams = UpdateOrganisation

/** The parameters of `members.list`. */
export type MembersListParams = {
  /** 1 to 100 items. Default: `20`. */
  limit?: number | undefined
  /** The items after this id. */
  after?: string | undefined
  /** The items before this id. */
  before?: string | undefined
}

/** The parameters of `members.directory`. */
export type MembersDirectoryParams = {
  /** 1 to 100 items. Default: `20`. */
  limit?: number | undefined
  /** The items after this id. */
  after?: string | undefined
  /** The items before this id. */
  before?: string | undefined
}

/** The parameters of `members.invitations`. */
export type MembersInvitationsParams = {
  /** 1 to 100 items. Default: `20`. */
  limit?: number | undefined
  /** The items after this id. */
  after?: string | undefined
  /** The items before this id. */
  before?: string | undefined
}

/** The parameters of `members.invite`. */
export type MembersInviteParams = InviteMember

/** The parameters of `members.updateNotifications`. */
export type MembersUpdateNotificationsParams = UpdateNotifications

/** The parameters of `members.update`. */
export type MembersUpdateParams = UpdateMember

/** The parameters of `members.remove`. */
export type MembersRemoveParams = {
  /** What happens to the active API keys of the person. */
  keys?: MembersRemoveKeys | undefined
}

/** The parameters of `members.resetPassword`. */
export type MembersResetPasswordParams = ResetMemberPassword

/** The parameters of `alertDestinations.list`. */
export type AlertDestinationsListParams = {
  /** 1 to 100 items. Default: `20`. */
  limit?: number | undefined
  /** The items after this id. */
  after?: string | undefined
  /** The items before this id. */
  before?: string | undefined
}

/** The parameters of `alertDestinations.create`. */
export type AlertDestinationsCreateParams = CreateAlertDestination

/** The parameters of `auditLog.list`. */
export type AuditLogListParams = {
  /** 1 to 100 items. Default: `20`. */
  limit?: number | undefined
  /** The items after this id. */
  after?: string | undefined
  /** The items before this id. */
  before?: string | undefined
  /** Entries of this API key or person. */
  actor?: string | undefined
  /** Entries with this action, such as `api_key.revoked`. */
  action?: string | undefined
  /** Entries about this resource. */
  subject?: string | undefined
  /** Only items that were created at or after this time. */
  created_after?: string | Date | undefined
  /** Only items that were created before this time. */
  created_before?: string | Date | undefined
}

/** The parameters of `usage.get`. */
export type UsageGetParams = {
  /** A month of the last 13, UTC. Default: this month. */
  month?: string | undefined
}

/** The parameters of `analytics.get`. */
export type AnalyticsGetParams = {
  /** Default: 24 hours before `to`. */
  from?: string | Date | undefined
  /** Default: now. */
  to?: string | Date | undefined
  /** Default: by the length of the period. Up to 24 hours by minute (of the last 8 days), 62 days by hour, 400 days by day. */
  interval?: AnalyticsInterval | undefined
  /** Runs of this agent. */
  agent_id?: string | undefined
  /** Needs `agent_id`. */
  agent_version?: number | undefined
  /** Runs that this API key created. */
  api_key_id?: string | undefined
  /** Where days begin. Default: UTC. */
  time_zone?: string | undefined
  /** Also by agent, version, error code or API key. */
  group_by?: AnalyticsGetGroupBy | undefined
}

/** The parameters of `analytics.export`. */
export type AnalyticsExportParams = {
  /** Default: 24 hours before `to`. */
  from?: string | Date | undefined
  /** Default: now. */
  to?: string | Date | undefined
  /** Default: by the length of the period. Up to 24 hours by minute (of the last 8 days), 62 days by hour, 400 days by day. */
  interval?: AnalyticsInterval | undefined
  /** Runs of this agent. */
  agent_id?: string | undefined
  /** Needs `agent_id`. */
  agent_version?: number | undefined
  /** Runs that this API key created. */
  api_key_id?: string | undefined
  /** Where days begin. Default: UTC. */
  time_zone?: string | undefined
}

/** The parameters of `alertRules.list`. */
export type AlertRulesListParams = {
  /** 1 to 100 items. Default: `20`. */
  limit?: number | undefined
  /** The items after this id. */
  after?: string | undefined
  /** The items before this id. */
  before?: string | undefined
  /** The id of an agent. */
  agent_id?: string | undefined
}

/** The parameters of `alertRules.create`. */
export type AlertRulesCreateParams = CreateAlertRule

/** The parameters of `alertRules.update`. */
export type AlertRulesUpdateParams = UpdateAlertRule

/** The parameters of `alertRules.preview`. */
export type AlertRulesPreviewParams = PreviewAlertRule

/** The parameters of `alerts.list`. */
export type AlertsListParams = {
  /** 1 to 100 items. Default: `20`. */
  limit?: number | undefined
  /** The items after this id. */
  after?: string | undefined
  /** The items before this id. */
  before?: string | undefined
  /** One or more of firing, resolved, separated by commas. */
  status?: AlertStatus | readonly AlertStatus[] | undefined
  /** One or more of info, warning, critical, separated by commas. */
  severity?: AlertSeverity | readonly AlertSeverity[] | undefined
  /** The id of an alert rule. */
  rule_id?: string | undefined
  /** The id of an agent. */
  agent_id?: string | undefined
}

/** The parameters of `budgets.list`. */
export type BudgetsListParams = {
  /** 1 to 100 items. Default: `20`. */
  limit?: number | undefined
  /** The items after this id. */
  after?: string | undefined
  /** The items before this id. */
  before?: string | undefined
}

/** The parameters of `policies.list`. */
export type PoliciesListParams = {
  /** 1 to 100 items. Default: `20`. */
  limit?: number | undefined
  /** The items after this id. */
  after?: string | undefined
  /** The items before this id. */
  before?: string | undefined
  /** One or more of active, ended, archived, separated by commas. */
  status?: PolicyStatus | readonly PolicyStatus[] | undefined
}

/** The parameters of `policies.create`. */
export type PoliciesCreateParams = CreatePolicy

/** The parameters of `policies.update`. */
export type PoliciesUpdateParams = UpdatePolicy

/** The parameters of `policies.versions`. */
export type PoliciesVersionsParams = {
  /** 1 to 100 items. Default: `20`. */
  limit?: number | undefined
  /** The items after this id. */
  after?: number | undefined
  /** The items before this id. */
  before?: number | undefined
}

/** The parameters of `policies.attachments`. */
export type PoliciesAttachmentsParams = {
  /** 1 to 100 items. Default: `20`. */
  limit?: number | undefined
  /** The items after this id. */
  after?: string | undefined
  /** The items before this id. */
  before?: string | undefined
}

/** The parameters of `policies.attach`. */
export type PoliciesAttachParams = AttachPolicy

/** The parameters of `policyTemplates.list`. */
export type PolicyTemplatesListParams = {
  /** 1 to 100 items. Default: `20`. */
  limit?: number | undefined
  /** The items after this id. */
  after?: string | undefined
  /** The items before this id. */
  before?: string | undefined
}

/** The parameters of `policyTrials.list`. */
export type PolicyTrialsListParams = {
  /** 1 to 100 items. Default: `20`. */
  limit?: number | undefined
  /** The items after this id. */
  after?: string | undefined
  /** The items before this id. */
  before?: string | undefined
}

/** The parameters of `policyTrials.create`. */
export type PolicyTrialsCreateParams = TryPolicy

/** The parameters of `pipelines.list`. */
export type PipelinesListParams = {
  /** 1 to 100 items. Default: `20`. */
  limit?: number | undefined
  /** The items after this id. */
  after?: string | undefined
  /** The items before this id. */
  before?: string | undefined
  /** One or more of active, archived, separated by commas. */
  status?: PipelineStatus | readonly PipelineStatus[] | undefined
  /** Text to search for in name and description. */
  q?: string | undefined
}

/** The parameters of `pipelines.create`. */
export type PipelinesCreateParams = CreatePipeline

/** The parameters of `pipelines.check`. */
export type PipelinesCheckParams = CheckPipeline

/** The parameters of `pipelines.update`. */
export type PipelinesUpdateParams = UpdatePipeline

/** The parameters of `pipelines.versions`. */
export type PipelinesVersionsParams = {
  /** 1 to 100 items. Default: `20`. */
  limit?: number | undefined
  /** The items after this id. */
  after?: number | undefined
  /** The items before this id. */
  before?: number | undefined
}

/** The parameters of `pipelines.diff`. */
export type PipelinesDiffParams = {
  /** The version to compare with. */
  to: number
}

/** The parameters of `pipelineRuns.create`. */
export type PipelineRunsCreateParams = CreatePipelineRun

/** The parameters of `pipelineRuns.list`. */
export type PipelineRunsListParams = {
  /** 1 to 100 items. Default: `20`. */
  limit?: number | undefined
  /** The items after this id. */
  after?: string | undefined
  /** The items before this id. */
  before?: string | undefined
  /** The id of a pipeline. */
  pipeline_id?: string | undefined
  /** One or more of running, cancelling, completed, failed, cancelled, separated by commas. */
  status?: PipelineRunStatus | readonly PipelineRunStatus[] | undefined
  /** Only items that were created at or after this time. */
  created_after?: string | Date | undefined
  /** Only items that were created before this time. */
  created_before?: string | Date | undefined
}

/** The parameters of `pipelineRuns.items`. */
export type PipelineRunsItemsParams = {
  /** 1 to 100 items. Default: `20`. */
  limit?: number | undefined
  /** The items after this id. */
  after?: number | undefined
  /** The items before this id. */
  before?: number | undefined
}

/** The parameters of `pipelineRuns.act`. */
export type PipelineRunsActParams = SendPipelineAction

/** The parameters of `pipelineRuns.rerun`. */
export type PipelineRunsRerunParams = RerunPipeline

/** The parameters of `schedules.list`. */
export type SchedulesListParams = {
  /** 1 to 100 items. Default: `20`. */
  limit?: number | undefined
  /** The items after this id. */
  after?: string | undefined
  /** The items before this id. */
  before?: string | undefined
  /** The id of an agent. */
  agent_id?: string | undefined
  /** The id of a pipeline. */
  pipeline_id?: string | undefined
  /** One or more of active, paused, separated by commas. */
  status?: SchedulesListStatus | readonly SchedulesListStatus[] | undefined
}

/** The parameters of `schedules.create`. */
export type SchedulesCreateParams = CreateSchedule

/** The parameters of `schedules.update`. */
export type SchedulesUpdateParams = UpdateSchedule

/** The parameters of `schedules.firings`. */
export type SchedulesFiringsParams = {
  /** 1 to 100 items. Default: `20`. */
  limit?: number | undefined
  /** The items after this id. */
  after?: string | undefined
  /** The items before this id. */
  before?: string | undefined
  /** One or more of due, queued, started, skipped, failed, separated by commas. */
  status?: ScheduleFiringStatus | readonly ScheduleFiringStatus[] | undefined
}

/** The parameters of `batches.list`. */
export type BatchesListParams = {
  /** 1 to 100 items. Default: `20`. */
  limit?: number | undefined
  /** The items after this id. */
  after?: string | undefined
  /** The items before this id. */
  before?: string | undefined
  /** Only batches of this agent. */
  agent_id?: string | undefined
}

/** The parameters of `batches.create`. */
export type BatchesCreateParams = CreateBatch

/** The parameters of `batches.results`. */
export type BatchesResultsParams = {
  /** 1 to 100 items. Default: `20`. */
  limit?: number | undefined
  /** The items after this id. */
  after?: string | undefined
  /** The items before this id. */
  before?: string | undefined
}

/** Every event, by its type. */
export type EventByType = {
  /** An agent run finished successfully */
  'run.completed': RunCompletedEvent
  /** An agent run failed or timed out; error has the cause */
  'run.failed': RunFailedEvent
  /** A new deployment was created */
  'deployment.created': DeploymentCreatedEvent
  /** A deployment was rolled back; reason has the cause */
  'deployment.rollback': DeploymentRollbackEvent
  /** A monitoring alert fired */
  'alert.triggered': AlertTriggeredEvent
  /** What GET /agents/{id} shows has changed: by an update, a rollback, archiving or unarchiving */
  'agent.updated': AgentUpdatedEvent
  /** A pipeline run finished; status says how */
  'pipeline.completed': PipelineCompletedEvent
  /** A run waits for a person */
  'run.requires_action': RunRequiresActionEvent
  /** A run was cancelled */
  'run.cancelled': RunCancelledEvent
  /** The service disabled a webhook; reason has the cause */
  'webhook.disabled': WebhookDisabledEvent
  /** A server lists a tool that nobody has approved as it is; the tool is off */
  'connector.tool_changed': ConnectorToolChangedEvent
  /** An alert was resolved; resolution has the cause */
  'alert.resolved': AlertResolvedEvent
  /** An API key expires within 7 days. Sent once per expiry date; not for keys valid for 7 days or less */
  'api_key.expiring': ApiKeyExpiringEvent
  /** An API key was sent over plain HTTP; revoked_at shows whether the service revoked it */
  'api_key.exposed': ApiKeyExposedEvent
  /** A test event was requested; it is sent to one webhook only */
  'test': TestEvent
  /** The cost of a month reached 80 % or 100 % of a budget. Sent once for each of them in a month; reached_percent says which */
  'budget.reached': BudgetReachedEvent
  /** A policy was created, changed, archived, attached or detached, or its time in mode shadow ended */
  'policy.updated': PolicyUpdatedEvent
  /** The service paused a schedule, because its creator may not start its target any more; pause_reason has the cause */
  'schedule.paused': SchedulePausedEvent
  /** A batch ended; status says how */
  'batch.completed': BatchCompletedEvent
}
