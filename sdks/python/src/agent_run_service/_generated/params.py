# Made by `pnpm gen` from packages/contract/openapi.json. Change the contract, not this file.

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, TypeAlias, Union

from typing_extensions import NotRequired, TypedDict

AgentKind: TypeAlias = Literal["llm", "remote"]
"""`llm`: the service calls a model. `remote`: the service calls your HTTPS endpoint."""

AgentSource: TypeAlias = Literal["catalog", "custom"]
"""Whether it was hired from the catalog or created by the organisation."""

AgentStatus: TypeAlias = Literal["active", "archived"]
"""`archived`: it accepts no new runs and no changes."""

AlertMetric: TypeAlias = Literal["failure_rate", "latency_p95_ms", "queue_wait_p95_ms", "runs_per_minute", "tokens_per_hour", "cost_per_hour_usd", "error_code_count", "webhook_failure_rate", "quota_used", "action_waiting_minutes"]
"""
The value that is watched. `failure_rate`, `webhook_failure_rate` and `quota_used` are shares from 0 to 1.
`action_waiting_minutes` is the age of the oldest decision that a run waits for.
"""

AlertOperator: TypeAlias = Literal["above", "below"]
"""The side of the threshold on which the rule fires."""

AlertSeverity: TypeAlias = Literal["info", "warning", "critical"]
"""How urgent it is."""

AlertStatus: TypeAlias = Literal["firing", "resolved"]
"""Whether the rule still fires."""

AnalyticsGetGroupBy: TypeAlias = Literal["agent", "version", "error_code", "api_key"]

AnalyticsInterval: TypeAlias = Literal["minute", "hour", "day"]
"""The length of a point of the series."""

ApiKeyKind: TypeAlias = Literal["live", "demo"]
"""A `demo` key has low limits, cannot use connectors, and sees only the runs that it created."""

ApiKeysRevokeDescendants: TypeAlias = Literal["true", "false"]

Approver: TypeAlias = Literal["anyone", "person"]
"""`person`: not with an API key. Default: `anyone`."""

BudgetAction: TypeAlias = Literal["refuse", "park", "notify"]
"""`refuse`: new runs are rejected. `park`: runs wait before their next model call. `notify`: only events are sent."""

DeliveryStatus: TypeAlias = Literal["pending", "succeeded", "failed"]
"""`pending`: an attempt is due or under way."""

DeploymentStatus: TypeAlias = Literal["active", "canary", "superseded", "rolled_back"]
"""`canary`: a share of new runs uses it. `superseded`: a later deployment replaced it."""

EventType: TypeAlias = Literal["run.completed", "run.failed", "deployment.created", "deployment.rollback", "alert.triggered", "agent.updated", "pipeline.completed", "run.requires_action", "run.cancelled", "webhook.disabled", "connector.tool_changed", "alert.resolved", "api_key.expiring", "api_key.exposed", "test", "budget.reached", "policy.updated", "schedule.paused", "batch.completed"]

EventsListType: TypeAlias = Literal["run.completed", "run.failed", "deployment.created", "deployment.rollback", "alert.triggered", "agent.updated", "pipeline.completed", "run.requires_action", "run.cancelled", "webhook.disabled", "connector.tool_changed", "alert.resolved", "api_key.expiring", "api_key.exposed", "budget.reached", "policy.updated", "schedule.paused", "batch.completed"]

KeyedProvider: TypeAlias = Literal["openai", "anthropic", "google"]
"""A vendor of models whose key an organisation can enter."""

MembersRemoveKeys: TypeAlias = Literal["revoke", "keep"]

NotificationKind: TypeAlias = Literal["alert_critical", "alert_warning", "alert_info", "budget_reached", "webhook_disabled", "api_key_expiring"]
"""What you get mails about."""

PiiKind: TypeAlias = Literal["email", "phone", "card", "iban", "ip", "national_id"]
"""A kind of personal data."""

PipelineDecisionType: TypeAlias = Literal["approve", "reject"]
"""The decision."""

PipelineErrorPolicy: TypeAlias = Literal["fail", "continue"]
"""`fail`: the pipeline run fails. `continue`: the output of the step is null."""

PipelineRunStatus: TypeAlias = Literal["running", "cancelling", "completed", "failed", "cancelled"]
"""The state of a pipeline run. It ends as `completed`, `failed` or `cancelled`."""

PipelineStatus: TypeAlias = Literal["active", "archived"]
"""`archived`: it accepts no new runs and no changes."""

PolicyAction: TypeAlias = Literal["block", "require_approval", "redact", "flag"]
"""
`redact` replaces what was found by a token such as `[EMAIL_1]`. `require_approval` makes the run wait. `flag`
records a finding only.
"""

PolicyMode: TypeAlias = Literal["enforce", "shadow"]
"""`shadow`: it judges and records findings, and changes nothing. It ends after 14 days unless you renew it."""

PolicyStage: TypeAlias = Literal["input", "action_payload", "tool_call", "tool_result", "output"]
"""Where a rule looks: what enters a run (`input`, `action_payload`), calls and results of tools, the output."""

PolicyStatus: TypeAlias = Literal["active", "ended", "archived"]
"""`ended`: its time in mode `shadow` is over, so it judges nothing until you set a mode."""

Role: TypeAlias = Literal["owner", "admin", "developer", "viewer"]
"""What a person can do in an organisation. Each role includes the roles after it."""

RollbackMetric: TypeAlias = Literal["failure_rate", "latency_p95_ms", "cost_per_run_usd"]
"""The figure of the canary that the rule evaluates."""

RunBudgetAction: TypeAlias = Literal["fail", "park"]
"""At `budget_usd` the run fails (default) or waits."""

RunErrorCode: TypeAlias = Literal["run_timeout", "queue_timeout", "action_timeout", "budget_exceeded", "budget_exhausted", "guardrail_blocked", "agent_error", "model_error", "tool_error", "output_invalid", "output_too_large", "storage_exceeded", "max_steps_exceeded", "internal_error"]
"""The cause, for programs."""

RunStatus: TypeAlias = Literal["queued", "running", "requires_action", "cancelling", "completed", "failed", "cancelled"]
"""The state of a run. It ends as `completed`, `failed` or `cancelled`."""

RunsListView: TypeAlias = Literal["full", "summary"]

RunsWatchDeltas: TypeAlias = Literal["true", "false"]

ScheduleFiringStatus: TypeAlias = Literal["due", "queued", "started", "skipped", "failed"]
"""`due`: it is about to start. `queued`: it waits for an earlier firing."""

ScheduleMissed: TypeAlias = Literal["skip", "once"]
"""
A date that the service reaches over 5 minutes late is missed. `skip`: it does not fire. `once`: the last missed
date fires for all of them.
"""

ScheduleOverlap: TypeAlias = Literal["skip", "queue", "allow"]
"""
What a firing does while an earlier one runs. `skip`: it does not start. `queue`: it waits; at most 10 wait.
`allow`: it starts.
"""

SchedulesListStatus: TypeAlias = Literal["active", "paused"]

SendActionType: TypeAlias = Literal["approve", "reject", "respond", "message"]
"""
`approve` or `reject` an approval or a `raise_budget`, `respond` to an input or reconcile question, or send a
`message`.
"""

WebhooksListStatus: TypeAlias = Literal["healthy", "failing", "disabled"]


class AcceptInvitationParams(TypedDict):
    token: str
    """The part of the link after `#token=`."""
    name: NotRequired[str]
    """For a new account."""
    password: str
    """12 to 1000 characters of any kind."""


class AgentConfigInputParams(TypedDict):
    """
    Use the fields of the agent’s kind. Null clears an optional field. An invalid configuration returns 422 with the
    path of each error.
    """
    model: NotRequired[str]
    """`provider/model`. Required for `llm`."""
    fallback_models: NotRequired[Sequence[str] | None]
    """Called in order while the models before answer 429 or 5xx or are unreachable. For `llm`."""
    instructions: NotRequired[str | None]
    """System prompt. For `llm`."""
    input_template: NotRequired[str | None]
    """
    The first user message, with placeholders such as `${{ input.question }}` (CEL) that the input of a run fills.
    Without it the model receives `query` as text if it is the only field, and otherwise the input as JSON. For
    `llm`.
    """
    temperature: NotRequired[float | None]
    """Sampling temperature. For `llm`."""
    max_output_tokens: NotRequired[int | None]
    """Maximum output tokens of one model call. For `llm`."""
    tools: NotRequired[Sequence[AgentToolParams] | None]
    """Connectors whose tools the agent can use. For `llm`."""
    script: NotRequired[Sequence[Any] | None]
    """For `llm` with the model `simulated/script`: the scripted turns."""
    url: NotRequired[str]
    """Your endpoint: HTTPS on a public host. Required for `remote`."""
    auth: NotRequired[ConnectorAuthInputParams]
    """How the service authenticates at your endpoint; stored encrypted. For `remote`."""


class AgentLimitsInputParams(TypedDict):
    """Null or omitted: the limits of the plan apply."""
    timeout_seconds: NotRequired[int | None]
    """Seconds after which a run fails with `run_timeout`."""
    max_steps: NotRequired[int | None]
    """The maximum number of steps of a run."""
    budget_usd: NotRequired[float | None]
    """The maximum cost of a run in US dollars."""
    budget_action: NotRequired[RunBudgetAction | None]
    """What happens at `budget_usd`."""
    max_concurrent_runs: NotRequired[int | None]
    """The maximum number of runs at the same time."""
    approval: NotRequired[ApprovalRuleInputParams | None]


class AgentToolParams(TypedDict):
    connector_id: str
    """The id of a connector."""
    allow: NotRequired[Sequence[str]]
    """The tools that the agent can use, if they are approved. Omitted: all approved tools. Empty: none."""
    require_approval: NotRequired[Sequence[str]]
    """
    Tools whose calls wait for a person, beside those that do by default: tools without `readOnlyHint` whose
    `destructiveHint` is not false. An empty list asks nobody, not even by default.
    """


class ApprovalRuleInputParams(TypedDict):
    """Who may approve actions of its runs, beside the scope `runs:approve`."""
    by: NotRequired[Approver]
    """`person`: not with an API key. Default: `anyone`."""
    not_starter: NotRequired[bool]
    """Another principal than the one that started the run must approve. A key counts as the person who created it."""


class ApproveToolParams(TypedDict):
    hash: str
    """The `hash` of the tool that you have read."""


class AttachPolicyParams(TypedDict):
    subject_id: str
    """The organisation (`org_…`), an agent (`ag_…`) or an API key (`key_…`)."""
    new_runs_only: NotRequired[bool]
    """True: runs that were accepted before are not affected. False: `block` and `require_approval` reach them."""


class BatchItemParams(TypedDict):
    """An input of a batch."""
    input: Mapping[str, Any]
    """The input of the run."""
    custom_id: NotRequired[str]
    """Your name for the item, unique in the batch. Its result has it."""


class BearerAuthParams(TypedDict):
    type: Literal["bearer"]
    """How the credential is sent."""
    token: str
    """Stored encrypted and never returned."""


class ChangePasswordParams(TypedDict):
    current_password: str
    """The current password."""
    new_password: str
    """12 to 1000 characters of any kind."""


class CheckPipelineParams(TypedDict):
    definition: PipelineDefinitionInputParams


class CreateAgentParams(TypedDict):
    name: str
    """The name of the agent."""
    description: NotRequired[str | None]
    """What the agent does, for people."""
    kind: NotRequired[AgentKind]
    """`llm`: the service calls a model. `remote`: the service calls your HTTPS endpoint."""
    config: AgentConfigInputParams
    input_schema: NotRequired[Mapping[str, Any] | None]
    """JSON Schema of the input."""
    output_schema: NotRequired[Mapping[str, Any] | None]
    """JSON Schema of the output."""
    limits: NotRequired[AgentLimitsInputParams]
    policies: NotRequired[Sequence[str]]
    """The ids of the policies attached to it. Read-only: `POST /policies/{id}/attachments` attaches one."""
    metadata: NotRequired[Mapping[str, str]]
    """Your own key-value pairs."""


class CreateAlertDestinationParams(TypedDict):
    type: Literal["slack"]
    url: str
    """The URL is a secret: who has it can post to the channel."""


class CreateAlertRuleParams(TypedDict):
    name: str
    """The name of the rule."""
    metric: AlertMetric
    """
    The value that is watched. `failure_rate`, `webhook_failure_rate` and `quota_used` are shares from 0 to 1.
    `action_waiting_minutes` is the age of the oldest decision that a run waits for.
    """
    error_code: NotRequired[RunErrorCode | None]
    """For `error_code_count`: the failures that are counted."""
    agent_id: NotRequired[str | None]
    """The agent; null: the whole organisation."""
    operator: NotRequired[AlertOperator]
    """The side of the threshold on which the rule fires."""
    threshold: float
    """In the unit of the metric."""
    window_seconds: NotRequired[int]
    """The time over which the value is computed: whole minutes."""
    for_seconds: NotRequired[int]
    """How long the value must be beyond the threshold before the rule fires."""
    min_sample_size: NotRequired[int]
    """For shares and percentiles: with fewer runs or deliveries, the window has no value."""
    severity: NotRequired[AlertSeverity]
    """How urgent it is."""
    enabled: NotRequired[bool]
    """Whether it is evaluated."""


class CreateApiKeyParams(TypedDict):
    name: str
    """The name of the key, for people."""
    kind: NotRequired[ApiKeyKind]
    """Default: `live`. A demo key has low limits, cannot use connectors, and sees only the runs that it created."""
    scopes: Sequence[str]
    """
    One or more of runs:read, runs:write, runs:approve, runs:erase, runs:share, agents:read, agents:write,
    webhooks:read, webhooks:write, keys:read, keys:write, usage:read, analytics:read, pipelines:read,
    pipelines:write, schedules:read, schedules:write, policies:read, policies:write, connectors:read,
    connectors:write, alerts:read, alerts:write, events:read, audit:read, members:write. There is no wildcard.
    """
    agent_ids: NotRequired[Sequence[str] | None]
    """Limits the key to these agents. Null or omitted: all agents of the organisation."""
    expires_at: NotRequired[datetime | None]
    """
    When the key stops working. Null or omitted: never. A key that ends can only create keys that end no later; the
    organisation may limit the lifetime.
    """


class CreateBatchParams(TypedDict):
    agent_id: str
    """The id of an agent."""
    items: Sequence[BatchItemParams]
    """1 to 10000 items, one run for each. An input is checked against the agent’s `input_schema` when its run starts."""
    metadata: NotRequired[Mapping[str, str]]
    """Your own key-value pairs. Each run of the batch gets them."""
    timeout_seconds: NotRequired[int]
    """The timeout of each run. Default: the agent’s timeout."""


class CreateConnectorParams(TypedDict):
    name: str
    """The name of the connector."""
    url: str
    """An MCP server with streamable HTTP: HTTPS on a public host."""
    auth: NotRequired[ConnectorAuthInputParams]
    """How the service authenticates at the server. Default: no authentication."""
    approve_tools: NotRequired[bool]
    """
    Whether you approve the tools that the server lists now. Default: true. Tools whose names are easily confused
    with one another are never approved in this way.
    """


class CreatePipelineParams(TypedDict):
    name: str
    """The name of the pipeline."""
    description: NotRequired[str | None]
    """What the pipeline does, for people."""
    definition: PipelineDefinitionInputParams
    metadata: NotRequired[Mapping[str, str]]
    """Your own key-value pairs."""


class CreatePipelineRunParams(TypedDict):
    input: NotRequired[Mapping[str, Any]]
    """The input. Expressions read it as `input`. Default: `{}`."""
    metadata: NotRequired[Mapping[str, str]]
    """Your own key-value pairs."""
    timeout_seconds: NotRequired[int]
    """The pipeline run fails with `timeout` after this time, waits for people included. Default: 86400."""


class CreatePolicyParams(TypedDict):
    name: NotRequired[str]
    """The name. Default: that of the template. Required with `rules`."""
    description: NotRequired[str]
    """What the policy is for."""
    mode: NotRequired[PolicyMode]
    """`shadow`: it judges and records findings, and changes nothing. It ends after 14 days unless you renew it."""
    rules: NotRequired[Sequence[PolicyRuleInputParams]]
    """The rules. Send these or `template`."""
    template: NotRequired[str]
    """The key of a template."""
    params: NotRequired[Mapping[str, Any]]
    """The parameters of the template."""


class CreateRunParams(TypedDict):
    agent_id: str
    """The id of an agent."""
    input: Mapping[str, Any]
    """The input of the agent. It must match the agent’s `input_schema`, if there is one."""
    metadata: NotRequired[Mapping[str, str]]
    """Your own key-value pairs, returned unchanged. You can filter runs by them."""
    timeout_seconds: NotRequired[int]
    """
    The run fails with `run_timeout` after this time. Default: the agent’s timeout, else 600; the plan sets the
    maximum. Time spent waiting for people does not count.
    """


class CreateScheduleParams(TypedDict):
    name: str
    """The name of the schedule."""
    cron: NotRequired[str | None]
    """Five fields: minute, hour, day of month, month, day of week. Null: the schedule has another timing."""
    time_zone: NotRequired[str]
    """
    The IANA time zone of `cron`, such as Europe/Berlin. Dates in an hour that the clocks skip fire once, after it;
    in an hour that they show twice they fire once.
    """
    interval_seconds: NotRequired[int | None]
    """Seconds between two dates, from the time at which this was set. Null: the schedule has another timing."""
    once_at: NotRequired[datetime | None]
    """The only date. Null: the schedule has another timing."""
    agent_id: NotRequired[str | None]
    """The agent that each firing runs; null: the target is a pipeline."""
    pipeline_id: NotRequired[str | None]
    """The pipeline that each firing runs; null: the target is an agent."""
    input: NotRequired[Mapping[str, Any]]
    """The input of each run."""
    metadata: NotRequired[Mapping[str, str]]
    """The metadata of each run."""
    missed: NotRequired[ScheduleMissed]
    """
    A date that the service reaches over 5 minutes late is missed. `skip`: it does not fire. `once`: the last missed
    date fires for all of them.
    """
    overlap: NotRequired[ScheduleOverlap]
    """
    What a firing does while an earlier one runs. `skip`: it does not start. `queue`: it waits; at most 10 wait.
    `allow`: it starts.
    """
    monthly_budget_usd: NotRequired[float | None]
    """US dollars a month, UTC, for the runs of this schedule; null: none. When they are spent, firings are skipped."""


class CreateSessionTokenParams(TypedDict):
    scopes: Sequence[str]
    """The permissions of the key. There is no wildcard."""
    run_id: NotRequired[str]
    """Limits the token to this run. Omitted: the token sees only the runs that it creates itself."""
    expires_in: NotRequired[int]
    """Lifetime in seconds."""


class CreateWebhookParams(TypedDict):
    url: str
    """HTTPS on a public host, port 443 or a port that the operator allows."""
    events: Sequence[str]
    """Event types; `*` selects all."""
    secret: NotRequired[str]
    """Your own signing secret, `whsec_…`. If omitted, the service creates one."""
    active: NotRequired[bool]
    """Whether deliveries are sent. Default: true."""
    description: NotRequired[str | None]
    """Your own note."""


class ExpressionParams(TypedDict):
    """The parameters of the check."""
    expression: str
    """A CEL expression. If it is true, the rule acts."""
    message: str
    """The reason, for people."""


class ExpressionRuleParams(TypedDict):
    id: NotRequired[str]
    check: Literal["expression"]
    """The check."""
    stages: Sequence[PolicyStage]
    action: PolicyAction
    """
    `redact` replaces what was found by a token such as `[EMAIL_1]`. `require_approval` makes the run wait. `flag`
    records a finding only.
    """
    params: ExpressionParams


class HeaderAuthParams(TypedDict):
    type: Literal["header"]
    """How the credential is sent."""
    header: str
    """The name of the header."""
    value: str
    """Stored encrypted and never returned."""


class HireAgentParams(TypedDict):
    name: NotRequired[str]
    """Default: the name in the catalog."""
    config: NotRequired[AgentConfigInputParams]
    """Values that differ from the catalog, such as `model`. Objects are merged, lists are replaced."""
    metadata: NotRequired[Mapping[str, str]]
    """Your own key-value pairs."""


class HttpParams(TypedDict):
    """The parameters of the check."""
    url: str
    """HTTPS on a public host."""
    time_limit_ms: NotRequired[int]
    """Milliseconds. A rule that blocks also blocks when no answer comes in time."""
    credential: NotRequired[str]
    """
    Sent as `Authorization: Bearer` and as `X-Api-Key`. Stored encrypted and never returned. Omitted: a saved one is
    kept.
    """
    credential_set: NotRequired[bool]
    """False removes a saved credential. Answers have it if there is one."""


class HttpRuleParams(TypedDict):
    id: NotRequired[str]
    check: Literal["http"]
    """The check."""
    stages: Sequence[PolicyStage]
    action: PolicyAction
    """
    `redact` replaces what was found by a token such as `[EMAIL_1]`. `require_approval` makes the run wait. `flag`
    records a finding only.
    """
    params: HttpParams


class InviteMemberParams(TypedDict):
    email: str
    """Case and surrounding spaces are ignored."""
    role: Role
    """What a person can do in an organisation. Each role includes the roles after it."""


class JsonSchemaParams(TypedDict):
    """The parameters of the check."""
    schema: Mapping[str, Any]
    """The content must match this JSON Schema."""


class JsonSchemaRuleParams(TypedDict):
    id: NotRequired[str]
    check: Literal["json_schema"]
    """The check."""
    stages: Sequence[PolicyStage]
    action: PolicyAction
    """
    `redact` replaces what was found by a token such as `[EMAIL_1]`. `require_approval` makes the run wait. `flag`
    records a finding only.
    """
    params: JsonSchemaParams


class KeywordsParams(TypedDict):
    """The parameters of the check."""
    words: Sequence[str]
    """Words and phrases, in any case."""
    whole_words: NotRequired[bool]
    """False: also within longer words."""


class KeywordsRuleParams(TypedDict):
    id: NotRequired[str]
    check: Literal["keywords"]
    """The check."""
    stages: Sequence[PolicyStage]
    action: PolicyAction
    """
    `redact` replaces what was found by a token such as `[EMAIL_1]`. `require_approval` makes the run wait. `flag`
    records a finding only.
    """
    params: KeywordsParams


class LoginParams(TypedDict):
    email: str
    """Case and surrounding spaces are ignored."""
    password: str
    """The current password."""
    organisation_id: NotRequired[str]
    """
    The organisation that the session acts for. Default: the one that you joined first. Name it if your address has
    accounts in several organisations: without it, two of them are tried.
    """


class MaxLengthParams(TypedDict):
    """The parameters of the check."""
    chars: int
    """The most characters."""


class MaxLengthRuleParams(TypedDict):
    id: NotRequired[str]
    check: Literal["max_length"]
    """The check."""
    stages: Sequence[PolicyStage]
    action: PolicyAction
    """
    `redact` replaces what was found by a token such as `[EMAIL_1]`. `require_approval` makes the run wait. `flag`
    records a finding only.
    """
    params: MaxLengthParams


class ModelParams(TypedDict):
    """The parameters of the check."""
    model: str
    """A model of `GET /models`."""
    instructions: str
    """What the model shall find, in words."""
    time_limit_ms: NotRequired[int]
    """Milliseconds. A rule that blocks also blocks when no answer comes in time."""


class ModelRuleParams(TypedDict):
    id: NotRequired[str]
    check: Literal["model"]
    """The check."""
    stages: Sequence[PolicyStage]
    action: PolicyAction
    """
    `redact` replaces what was found by a token such as `[EMAIL_1]`. `require_approval` makes the run wait. `flag`
    records a finding only.
    """
    params: ModelParams


class NoAuthParams(TypedDict):
    type: Literal["none"]
    """How the credential is sent."""


class PiiParams(TypedDict):
    """The parameters of the check."""
    kinds: NotRequired[Sequence[PiiKind]]
    """The kinds to look for. Default: all."""
    countries: NotRequired[Sequence[str]]
    """ISO codes of countries, for phone numbers without a + and for national ids."""


class PiiRuleParams(TypedDict):
    id: NotRequired[str]
    check: Literal["pii"]
    """The check."""
    stages: Sequence[PolicyStage]
    action: PolicyAction
    """
    `redact` replaces what was found by a token such as `[EMAIL_1]`. `require_approval` makes the run wait. `flag`
    records a finding only.
    """
    params: NotRequired[PiiParams]


class PipelineApprovalInputParams(TypedDict):
    """A question to a person."""
    message: str
    """The question, for people. It can have placeholders `${{ … }}`."""
    response_schema: NotRequired[Mapping[str, Any]]
    """JSON Schema of the payload of the decision."""


class PipelineDefinitionInputParams(TypedDict):
    """The steps and the output."""
    steps: Sequence[PipelineStepInputParams]
    """The steps. A step starts when all steps in its `depends_on` have ended."""
    output: NotRequired[Any]
    """A JSON value with placeholders `${{ … }}`. Without it, the output has the output of each final step by its key."""


class PipelineRetryInputParams(TypedDict):
    """When a failed item is tried again."""
    attempts: int
    """The maximum number of attempts of an item, including the first."""
    on: Sequence[str]
    """The error codes after which another attempt starts."""


class PipelineStepInputParams(TypedDict):
    """A step: one with `agent_id`, or an `approval`."""
    key: str
    """Unique within the pipeline. Expressions read `steps.<key>.output`."""
    depends_on: NotRequired[Sequence[str]]
    """The keys of the steps that must end before."""
    when: NotRequired[str]
    """A CEL expression. If it is false, the step is skipped."""
    on_error: NotRequired[PipelineErrorPolicy]
    """What a failure of the step means for the pipeline run. Default: `fail`."""
    timeout_seconds: NotRequired[int]
    """The timeout of one run of the step, or how long an approval step waits for a person. At most 86400 for a run."""
    agent_id: NotRequired[str]
    """The agent that the step runs. Required, unless the step is an approval."""
    input: NotRequired[Any]
    """The input of the run: a JSON value with placeholders `${{ … }}`."""
    for_each: NotRequired[str]
    """A CEL expression that returns a list. The step runs once for each item and returns the list of outputs."""
    max_parallel: NotRequired[int]
    """The maximum number of items at the same time. Default: 10."""
    on_item_error: NotRequired[PipelineErrorPolicy]
    """What a failed item means for the step. Default: `fail`."""
    retry: NotRequired[PipelineRetryInputParams]
    approval: NotRequired[PipelineApprovalInputParams]


class PresidioParams(TypedDict):
    """The parameters of the check."""
    url: str
    """HTTPS on a public host."""
    language: NotRequired[str]
    """The language of the texts."""
    entities: NotRequired[Sequence[str]]
    """The entities to look for. Empty: all."""
    min_score: NotRequired[float]
    """Findings with a lower score are ignored."""
    time_limit_ms: NotRequired[int]
    """Milliseconds. A rule that blocks also blocks when no answer comes in time."""
    credential: NotRequired[str]
    """
    Sent as `Authorization: Bearer` and as `X-Api-Key`. Stored encrypted and never returned. Omitted: a saved one is
    kept.
    """
    credential_set: NotRequired[bool]
    """False removes a saved credential. Answers have it if there is one."""


class PresidioRuleParams(TypedDict):
    id: NotRequired[str]
    check: Literal["presidio"]
    """The check."""
    stages: Sequence[PolicyStage]
    action: PolicyAction
    """
    `redact` replaces what was found by a token such as `[EMAIL_1]`. `require_approval` makes the run wait. `flag`
    records a finding only.
    """
    params: PresidioParams


class PreviewAlertRuleParams(TypedDict):
    metric: AlertMetric
    """
    The value that is watched. `failure_rate`, `webhook_failure_rate` and `quota_used` are shares from 0 to 1.
    `action_waiting_minutes` is the age of the oldest decision that a run waits for.
    """
    error_code: NotRequired[RunErrorCode | None]
    """For `error_code_count`: the failures that are counted."""
    agent_id: NotRequired[str | None]
    """The agent; null: the whole organisation."""
    operator: NotRequired[AlertOperator]
    """The side of the threshold on which the rule fires."""
    threshold: float
    """In the unit of the metric."""
    window_seconds: NotRequired[int]
    """The time over which the value is computed: whole minutes."""
    for_seconds: NotRequired[int]
    """How long the value must be beyond the threshold before the rule fires."""
    min_sample_size: NotRequired[int]
    """For shares and percentiles: with fewer runs or deliveries, the window has no value."""


class PromoteDeploymentParams(TypedDict):
    traffic_percent: NotRequired[int]
    """The new share of runs. Omitted: the canary becomes active."""


class PromptConfigInputParams(TypedDict):
    """Replaces these fields of the agent. Null: as if the agent had none."""
    instructions: NotRequired[str | None]
    """System prompt. For `llm`."""
    input_template: NotRequired[str | None]
    """
    The first user message, with placeholders such as `${{ input.question }}` (CEL) that the input of a run fills.
    Without it the model receives `query` as text if it is the only field, and otherwise the input as JSON. For
    `llm`.
    """


class ProveEmailParams(TypedDict):
    token: str
    """The part of the link after `#token=`."""


class RecoverWebhookParams(TypedDict):
    since: datetime
    """The start of the time that is searched."""
    until: NotRequired[datetime]
    """Default: now."""


class RegexParams(TypedDict):
    """The parameters of the check."""
    pattern: str
    """A regular expression for RE2: without look-around and back-references."""
    case_sensitive: NotRequired[bool]
    """Whether the case of letters matters."""
    max_match_chars: NotRequired[int]
    """The longest match. A stream holds back this many characters."""


class RegexRuleParams(TypedDict):
    id: NotRequired[str]
    check: Literal["regex"]
    """The check."""
    stages: Sequence[PolicyStage]
    action: PolicyAction
    """
    `redact` replaces what was found by a token such as `[EMAIL_1]`. `require_approval` makes the run wait. `flag`
    records a finding only.
    """
    params: RegexParams


class RerunPipelineParams(TypedDict):
    from_step: str
    """The first step that runs again."""


class ResetMemberPasswordParams(TypedDict):
    member_id: str
    """The member whose password is reset."""


class ResetPasswordParams(TypedDict):
    token: str
    """The part of the link after `#token=`."""
    password: str
    """12 to 1000 characters of any kind."""


class RollBackDeploymentParams(TypedDict):
    reason: str
    """The reason; it is recorded."""


class RollbackRuleParams(TypedDict):
    metric: RollbackMetric
    """The figure of the canary that the rule evaluates."""
    above: float
    """The canary is rolled back if the metric is above this value with 99 % confidence. Rates are 0 to 1."""
    min_runs: NotRequired[int]
    """The minimum number of ended canary runs before the rule is evaluated."""
    window_seconds: NotRequired[int]
    """The rule evaluates runs that were created within this time."""


class RolloutAllAtOnceParams(TypedDict):
    strategy: Literal["all_at_once"]
    """All new runs use the new version."""


class RolloutCanaryParams(TypedDict):
    strategy: Literal["canary"]
    """A share of the new runs uses the new version."""
    traffic_percent: int
    """The share of runs that use the new version."""
    rollback_rules: NotRequired[Sequence[RollbackRuleParams]]
    """When the canary is rolled back automatically."""


class RotateSigningSecretParams(TypedDict):
    overlap_hours: NotRequired[int]
    """Hours for which the old secret signs too."""


class RotateWebhookSecretParams(TypedDict):
    secret: NotRequired[str]
    """Your own signing secret, `whsec_…`. If omitted, the service creates one."""
    overlap_hours: NotRequired[int]
    """Hours for which the old secret signs too."""


class SecretsParams(TypedDict):
    """The parameters of the check."""


class SecretsRuleParams(TypedDict):
    id: NotRequired[str]
    check: Literal["secrets"]
    """The check."""
    stages: Sequence[PolicyStage]
    action: PolicyAction
    """
    `redact` replaces what was found by a token such as `[EMAIL_1]`. `require_approval` makes the run wait. `flag`
    records a finding only.
    """
    params: NotRequired[SecretsParams]


class SendActionParams(TypedDict):
    type: SendActionType
    """
    `approve` or `reject` an approval or a `raise_budget`, `respond` to an input or reconcile question, or send a
    `message`.
    """
    action_id: NotRequired[str]
    """
    Which open action you decide. Optional if exactly one is open. Always send the id of the question that was read:
    a decision without it can reach another question that opened meanwhile.
    """
    comment: NotRequired[str]
    """The reason; it is recorded."""
    payload: NotRequired[Any]
    """Required for `respond`: a value that matches `response_schema`. Required for `message`: `{"message": "…"}`."""


class SendPipelineActionParams(TypedDict):
    type: PipelineDecisionType
    """The decision on an approval step. `reject` fails the step with `approval_rejected`."""
    action_id: NotRequired[str]
    """Which open action you decide: the key of its approval step. Optional if exactly one approval step waits."""
    comment: NotRequired[str]
    """The reason; it is recorded."""
    payload: NotRequired[Any]
    """
    With `approve`: a value that matches `response_schema`, if there is one. It is the `payload` of the output of
    the step.
    """


class SetProviderKeyParams(TypedDict):
    provider: KeyedProvider
    """A vendor of models whose key an organisation can enter."""
    key: str
    """The API key of the vendor."""


class ShareRunParams(TypedDict):
    expires_in_seconds: NotRequired[int]
    """Lifetime in seconds, at most 2592000 (30 days). A key that ends earlier shortens it."""


class ShowAgentPromptParams(TypedDict):
    agent_id: NotRequired[str]
    """Omitted: only `config` counts."""
    version: NotRequired[int]
    """Default: the newest released version."""
    config: NotRequired[PromptConfigInputParams]
    """Replaces fields of the agent, or describes one that is not saved."""
    input: Mapping[str, Any]
    """The input of a run."""


class SwitchOrganisationParams(TypedDict):
    organisation_id: str
    """The id of an organisation."""


class TestWebhookParams(TypedDict):
    event_type: NotRequired[str]
    """The type of the sample. Default: `test`."""


class TryPolicyParams(TypedDict):
    since: datetime
    """Runs created from this time."""
    until: NotRequired[datetime]
    """At most 31 days after `since`. Default: now."""
    agent_id: NotRequired[str]
    """Only runs of this agent."""
    sample: NotRequired[int]
    """The most runs to look at. Of more runs, some are chosen evenly."""
    max_cost_usd: NotRequired[float]
    """Makes remote checks too, and stops them at this cost."""


class UpdateAgentParams(TypedDict):
    name: NotRequired[str]
    """The name of the agent."""
    description: NotRequired[str | None]
    """What the agent does, for people."""
    config: NotRequired[AgentConfigInputParams]
    input_schema: NotRequired[Mapping[str, Any] | None]
    """JSON Schema of the input."""
    output_schema: NotRequired[Mapping[str, Any] | None]
    """JSON Schema of the output."""
    limits: NotRequired[AgentLimitsInputParams | None]
    policies: NotRequired[Sequence[str] | None]
    """The ids of the policies attached to it. Read-only: `POST /policies/{id}/attachments` attaches one."""
    metadata: NotRequired[Mapping[str, str | None] | None]
    """Your own key-value pairs. They are merged; null removes a key."""
    catalog_version: NotRequired[int]
    """Adopts this version of the catalog agent. Your own changes since you hired it are kept."""
    version: NotRequired[int]
    """The version that your change is based on. If a newer one exists, nothing changes (`version_conflict`)."""
    rollout: NotRequired[RolloutParams]
    monthly_budget_usd: NotRequired[float | None]
    """US dollars a month, UTC; null: none."""
    budget_action: NotRequired[BudgetAction]
    """`refuse`: new runs are rejected. `park`: runs wait before their next model call. `notify`: only events are sent."""


class UpdateAlertRuleParams(TypedDict):
    name: NotRequired[str]
    """The name of the rule."""
    operator: NotRequired[AlertOperator]
    """The side of the threshold on which the rule fires."""
    threshold: NotRequired[float]
    """In the unit of the metric."""
    window_seconds: NotRequired[int]
    """The time over which the value is computed: whole minutes."""
    for_seconds: NotRequired[int]
    """How long the value must be beyond the threshold before the rule fires."""
    min_sample_size: NotRequired[int]
    """For shares and percentiles: with fewer runs or deliveries, the window has no value."""
    severity: NotRequired[AlertSeverity]
    """How urgent it is."""
    enabled: NotRequired[bool]
    """Whether it is evaluated."""


class UpdateApiKeyParams(TypedDict):
    name: NotRequired[str]
    """The name of the key, for people."""
    scopes: NotRequired[Sequence[str]]
    """The permissions of the key. There is no wildcard."""
    agent_ids: NotRequired[Sequence[str] | None]
    """Limits the key to these agents. Null or omitted: all agents of the organisation."""
    expires_at: NotRequired[datetime | None]
    """
    When the key stops working. Null or omitted: never. A key that ends can only create keys that end no later; the
    organisation may limit the lifetime.
    """
    monthly_budget_usd: NotRequired[float | None]
    """US dollars a month, UTC; null: none."""
    budget_action: NotRequired[BudgetAction]
    """`refuse`: new runs are rejected. `park`: runs wait before their next model call. `notify`: only events are sent."""


class UpdateConnectorParams(TypedDict):
    name: NotRequired[str]
    """The name of the connector."""
    url: NotRequired[str]
    """Another address is another server: all tools wait for approval again."""
    auth: NotRequired[ConnectorAuthInputParams]
    """Replaces the credential. Required with a new `url` if the connector has a credential."""


class UpdateMeParams(TypedDict):
    name: str
    """Your name."""


class UpdateMemberParams(TypedDict):
    role: Role
    """What a person can do in an organisation. Each role includes the roles after it."""


class UpdateNotificationsParams(TypedDict):
    kinds: Sequence[NotificationKind]
    """The kinds that you want. Default: for owners and admins all but `alert_info`; for others none."""


class UpdateOrganisationParams(TypedDict):
    name: NotRequired[str]
    """The name of the organisation."""
    monthly_budget_usd: NotRequired[float | None]
    """US dollars a month, UTC; null: none."""
    budget_action: NotRequired[BudgetAction]
    """`refuse`: new runs are rejected. `park`: runs wait before their next model call. `notify`: only events are sent."""


class UpdatePipelineParams(TypedDict):
    name: NotRequired[str]
    """The name of the pipeline."""
    description: NotRequired[str | None]
    """What the pipeline does, for people."""
    definition: NotRequired[PipelineDefinitionInputParams]
    """Replaces the whole definition."""
    metadata: NotRequired[Mapping[str, str | None] | None]
    """Your own key-value pairs. They are merged; null removes a key."""
    version: NotRequired[int]
    """The version that your change is based on. If a newer one exists, nothing changes (`version_conflict`)."""


class UpdatePolicyParams(TypedDict):
    name: NotRequired[str]
    """The name of the policy."""
    description: NotRequired[str]
    """What the policy is for."""
    mode: NotRequired[PolicyMode]
    """`shadow`: it judges and records findings, and changes nothing. It ends after 14 days unless you renew it."""
    rules: NotRequired[Sequence[PolicyRuleInputParams]]
    """Replaces all rules and makes a new version."""
    version: NotRequired[int]
    """The version that your change is based on. If a newer one exists, nothing changes (`version_conflict`)."""


class UpdateScheduleParams(TypedDict):
    name: NotRequired[str]
    """The name of the schedule."""
    cron: NotRequired[str | None]
    """Five fields: minute, hour, day of month, month, day of week. Null: the schedule has another timing."""
    time_zone: NotRequired[str]
    """
    The IANA time zone of `cron`, such as Europe/Berlin. Dates in an hour that the clocks skip fire once, after it;
    in an hour that they show twice they fire once.
    """
    interval_seconds: NotRequired[int | None]
    """Seconds between two dates, from the time at which this was set. Null: the schedule has another timing."""
    once_at: NotRequired[datetime | None]
    """The only date. Null: the schedule has another timing."""
    agent_id: NotRequired[str | None]
    """The agent that each firing runs; null: the target is a pipeline."""
    pipeline_id: NotRequired[str | None]
    """The pipeline that each firing runs; null: the target is an agent."""
    input: NotRequired[Mapping[str, Any]]
    """The input of each run."""
    metadata: NotRequired[Mapping[str, str]]
    """The metadata of each run."""
    missed: NotRequired[ScheduleMissed]
    """
    A date that the service reaches over 5 minutes late is missed. `skip`: it does not fire. `once`: the last missed
    date fires for all of them.
    """
    overlap: NotRequired[ScheduleOverlap]
    """
    What a firing does while an earlier one runs. `skip`: it does not start. `queue`: it waits; at most 10 wait.
    `allow`: it starts.
    """
    monthly_budget_usd: NotRequired[float | None]
    """US dollars a month, UTC, for the runs of this schedule; null: none. When they are spent, firings are skipped."""


class UpdateWebhookParams(TypedDict):
    url: NotRequired[str]
    """HTTPS on a public host, port 443 or a port that the operator allows."""
    events: NotRequired[Sequence[str]]
    """Event types; `*` selects all."""
    active: NotRequired[bool]
    """False pauses the webhook. True also enables a webhook that the service has disabled."""
    description: NotRequired[str | None]
    """Your own note."""


class UrlAllowParams(TypedDict):
    """The parameters of the check."""
    hosts: Sequence[str]
    """The rule acts on addresses of all other hosts."""


class UrlAllowRuleParams(TypedDict):
    id: NotRequired[str]
    check: Literal["url_allow"]
    """The check."""
    stages: Sequence[PolicyStage]
    action: PolicyAction
    """
    `redact` replaces what was found by a token such as `[EMAIL_1]`. `require_approval` makes the run wait. `flag`
    records a finding only.
    """
    params: UrlAllowParams

ConnectorAuthInputParams: TypeAlias = Union[NoAuthParams, BearerAuthParams, HeaderAuthParams]

PolicyRuleInputParams: TypeAlias = Union[RegexRuleParams, KeywordsRuleParams, PiiRuleParams, SecretsRuleParams, JsonSchemaRuleParams, UrlAllowRuleParams, MaxLengthRuleParams, ExpressionRuleParams, ModelRuleParams, HttpRuleParams, PresidioRuleParams]

RolloutParams: TypeAlias = Union[RolloutAllAtOnceParams, RolloutCanaryParams]
"""How the new version is released. Default: `all_at_once`."""

__all__ = [
    "AcceptInvitationParams",
    "AgentConfigInputParams",
    "AgentKind",
    "AgentLimitsInputParams",
    "AgentSource",
    "AgentStatus",
    "AgentToolParams",
    "AlertMetric",
    "AlertOperator",
    "AlertSeverity",
    "AlertStatus",
    "AnalyticsGetGroupBy",
    "AnalyticsInterval",
    "ApiKeyKind",
    "ApiKeysRevokeDescendants",
    "ApprovalRuleInputParams",
    "ApproveToolParams",
    "Approver",
    "AttachPolicyParams",
    "BatchItemParams",
    "BearerAuthParams",
    "BudgetAction",
    "ChangePasswordParams",
    "CheckPipelineParams",
    "ConnectorAuthInputParams",
    "CreateAgentParams",
    "CreateAlertDestinationParams",
    "CreateAlertRuleParams",
    "CreateApiKeyParams",
    "CreateBatchParams",
    "CreateConnectorParams",
    "CreatePipelineParams",
    "CreatePipelineRunParams",
    "CreatePolicyParams",
    "CreateRunParams",
    "CreateScheduleParams",
    "CreateSessionTokenParams",
    "CreateWebhookParams",
    "DeliveryStatus",
    "DeploymentStatus",
    "EventType",
    "EventsListType",
    "ExpressionParams",
    "ExpressionRuleParams",
    "HeaderAuthParams",
    "HireAgentParams",
    "HttpParams",
    "HttpRuleParams",
    "InviteMemberParams",
    "JsonSchemaParams",
    "JsonSchemaRuleParams",
    "KeyedProvider",
    "KeywordsParams",
    "KeywordsRuleParams",
    "LoginParams",
    "MaxLengthParams",
    "MaxLengthRuleParams",
    "MembersRemoveKeys",
    "ModelParams",
    "ModelRuleParams",
    "NoAuthParams",
    "NotificationKind",
    "PiiKind",
    "PiiParams",
    "PiiRuleParams",
    "PipelineApprovalInputParams",
    "PipelineDecisionType",
    "PipelineDefinitionInputParams",
    "PipelineErrorPolicy",
    "PipelineRetryInputParams",
    "PipelineRunStatus",
    "PipelineStatus",
    "PipelineStepInputParams",
    "PolicyAction",
    "PolicyMode",
    "PolicyRuleInputParams",
    "PolicyStage",
    "PolicyStatus",
    "PresidioParams",
    "PresidioRuleParams",
    "PreviewAlertRuleParams",
    "PromoteDeploymentParams",
    "PromptConfigInputParams",
    "ProveEmailParams",
    "RecoverWebhookParams",
    "RegexParams",
    "RegexRuleParams",
    "RerunPipelineParams",
    "ResetMemberPasswordParams",
    "ResetPasswordParams",
    "Role",
    "RollBackDeploymentParams",
    "RollbackMetric",
    "RollbackRuleParams",
    "RolloutAllAtOnceParams",
    "RolloutCanaryParams",
    "RolloutParams",
    "RotateSigningSecretParams",
    "RotateWebhookSecretParams",
    "RunBudgetAction",
    "RunErrorCode",
    "RunStatus",
    "RunsListView",
    "RunsWatchDeltas",
    "ScheduleFiringStatus",
    "ScheduleMissed",
    "ScheduleOverlap",
    "SchedulesListStatus",
    "SecretsParams",
    "SecretsRuleParams",
    "SendActionParams",
    "SendActionType",
    "SendPipelineActionParams",
    "SetProviderKeyParams",
    "ShareRunParams",
    "ShowAgentPromptParams",
    "SwitchOrganisationParams",
    "TestWebhookParams",
    "TryPolicyParams",
    "UpdateAgentParams",
    "UpdateAlertRuleParams",
    "UpdateApiKeyParams",
    "UpdateConnectorParams",
    "UpdateMeParams",
    "UpdateMemberParams",
    "UpdateNotificationsParams",
    "UpdateOrganisationParams",
    "UpdatePipelineParams",
    "UpdatePolicyParams",
    "UpdateScheduleParams",
    "UpdateWebhookParams",
    "UrlAllowParams",
    "UrlAllowRuleParams",
    "WebhooksListStatus",
]
