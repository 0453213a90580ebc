# Made by `pnpm gen` from packages/contract/openapi.json. Change the contract, not this file.

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, Union

from pydantic import AwareDatetime, Discriminator, Field, Tag

from .._models import Model as _Base
from .._models import WithOutput as _WithOutput
from .._models import tag_of

ActorType: TypeAlias = Union[Literal["key", "user", "operator", "service"], str]
"""The kind of actor."""

AgentKind: TypeAlias = Union[Literal["llm", "remote"], str]
"""`llm`: the service calls a model. `remote`: the service calls your HTTPS endpoint."""

AgentSource: TypeAlias = Union[Literal["catalog", "custom"], str]
"""Whether it was hired from the catalog or created by the organisation."""

AgentStatus: TypeAlias = Union[Literal["active", "archived"], str]
"""`archived`: it accepts no new runs and no changes."""

AlertMetric: TypeAlias = Union[Literal["failure_rate", "latency_p95_ms", "queue_wait_p95_ms", "runs_per_minute", "tokens_per_hour", "cost_per_hour_usd", "error_code_count", "webhook_failure_rate", "quota_used", "action_waiting_minutes"], str]
"""
The value that is watched. `failure_rate`, `webhook_failure_rate` and `quota_used` are shares from 0 to 1.
`action_waiting_minutes` is the age of the oldest decision that a run waits for.
"""

AlertOperator: TypeAlias = Union[Literal["above", "below"], str]
"""The side of the threshold on which the rule fires."""

AlertResolution: TypeAlias = Union[Literal["recovered", "rule_changed", "rule_deleted"], str]
"""Why it was resolved. `rule_changed`: also because it was disabled."""

AlertRuleState: TypeAlias = Union[Literal["ok", "pending", "firing"], str]
"""`pending`: the value is beyond the threshold, for less than `for_seconds` so far."""

AlertSeverity: TypeAlias = Union[Literal["info", "warning", "critical"], str]
"""How urgent it is."""

AlertStatus: TypeAlias = Union[Literal["firing", "resolved"], str]
"""Whether the rule still fires."""

AnalyticsInterval: TypeAlias = Union[Literal["minute", "hour", "day"], str]
"""The length of a point of the series."""

ApiKeyKind: TypeAlias = Union[Literal["live", "demo"], str]
"""A `demo` key has low limits, cannot use connectors, and sees only the runs that it created."""

Approver: TypeAlias = Union[Literal["anyone", "person"], str]
"""`person`: not with an API key. Default: `anyone`."""

BatchItemStatus: TypeAlias = Union[Literal["waiting", "queued", "running", "requires_action", "cancelling", "completed", "failed", "cancelled"], str]
"""`waiting`: it has no run yet. Otherwise the state of its run; `failed` also if it was refused."""

BatchStatus: TypeAlias = Union[Literal["running", "cancelling", "completed", "cancelled"], str]
"""The state of a batch. It is `completed` when every item has finished, whether it succeeded or failed."""

BudgetAction: TypeAlias = Union[Literal["refuse", "park", "notify"], str]
"""`refuse`: new runs are rejected. `park`: runs wait before their next model call. `notify`: only events are sent."""

ConnectorAuthType: TypeAlias = Union[Literal["none", "bearer", "header"], str]
"""How the credential is sent."""

ConnectorStatus: TypeAlias = Union[Literal["active", "deleted"], str]
"""Whether it can be used."""

DecisionType: TypeAlias = Union[Literal["approve", "reject", "respond"], str]
"""The decision."""

DeliverySource: TypeAlias = Union[Literal["event", "test", "redelivery", "recovery"], str]
"""Why it was created."""

DeliveryStatus: TypeAlias = Union[Literal["pending", "succeeded", "failed"], str]
"""`pending`: an attempt is due or under way."""

DeploymentSource: TypeAlias = Union[Literal["hire", "create", "update", "rollback"], str]
"""The operation that created it."""

DeploymentStatus: TypeAlias = Union[Literal["active", "canary", "superseded", "rolled_back"], str]
"""`canary`: a share of new runs uses it. `superseded`: a later deployment replaced it."""

ErrorType: TypeAlias = Union[Literal["invalid_request_error", "authentication_error", "permission_error", "rate_limit_error", "api_error"], str]
"""The kind of error, by status."""

InvitationStatus: TypeAlias = Union[Literal["open", "accepted", "revoked", "expired"], str]
"""Only an `open` invitation can be accepted."""

KeyedProvider: TypeAlias = Union[Literal["openai", "anthropic", "google"], str]
"""A vendor of models whose key an organisation can enter."""

NotificationKind: TypeAlias = Union[Literal["alert_critical", "alert_warning", "alert_info", "budget_reached", "webhook_disabled", "api_key_expiring"], str]
"""What you get mails about."""

PipelineDecisionType: TypeAlias = Union[Literal["approve", "reject"], str]
"""The decision."""

PipelineErrorPolicy: TypeAlias = Union[Literal["fail", "continue"], str]
"""`fail`: the pipeline run fails. `continue`: the output of the step is null."""

PipelineItemErrorPolicy: TypeAlias = Union[Literal["fail", "continue"], str]
"""`fail`: no further item starts, and the step fails. `continue`: the output of the item is null."""

PipelineItemStatus: TypeAlias = Union[Literal["waiting", "running", "completed", "failed", "cancelled"], str]
"""`waiting`: the attempt has no run yet, or waits for its retry."""

PipelineRunStatus: TypeAlias = Union[Literal["running", "cancelling", "completed", "failed", "cancelled"], str]
"""The state of a pipeline run. It ends as `completed`, `failed` or `cancelled`."""

PipelineStatus: TypeAlias = Union[Literal["active", "archived"], str]
"""`archived`: it accepts no new runs and no changes."""

PipelineStepStatus: TypeAlias = Union[Literal["pending", "running", "completed", "failed", "skipped", "cancelled"], str]
"""
`pending`: steps that it depends on have not ended. `running`: items of it run, or it waits for a person. `skipped`:
its `when` was false, or a step before it was skipped.
"""

PipelineWaitReason: TypeAlias = Union[Literal["worker", "share", "runs", "action", "retry", "nothing"], str]
"""
`worker`: a worker to advance it. `share`: other pipeline runs of the organisation, which use its share of the
workers. `runs`: runs of its steps. `action`: a person. `retry`: the next attempt of an item. `nothing`: it has
ended.
"""

Plan: TypeAlias = Union[Literal["demo", "free", "developer", "business", "enterprise", "none"], str]
"""The plan, which sets the limits. `none`: no plan; the operator has set the limits."""

PolicyAction: TypeAlias = Union[Literal["block", "require_approval", "redact", "flag"], str]
"""
`redact` replaces what was found by a token such as `[EMAIL_1]`. `require_approval` makes the run wait. `flag`
records a finding only.
"""

PolicyChange: TypeAlias = Union[Literal["created", "updated", "archived", "attached", "detached", "shadow_ended"], str]
"""What happened to the policy."""

PolicyCheck: TypeAlias = Union[Literal["regex", "keywords", "pii", "secrets", "json_schema", "url_allow", "max_length", "expression", "model", "http", "presidio"], str]
"""What a rule looks for."""

PolicyMode: TypeAlias = Union[Literal["enforce", "shadow"], str]
"""`shadow`: it judges and records findings, and changes nothing. It ends after 14 days unless you renew it."""

PolicyStage: TypeAlias = Union[Literal["input", "action_payload", "tool_call", "tool_result", "output"], str]
"""Where a rule looks: what enters a run (`input`, `action_payload`), calls and results of tools, the output."""

PolicyStatus: TypeAlias = Union[Literal["active", "ended", "archived"], str]
"""`ended`: its time in mode `shadow` is over, so it judges nothing until you set a mode."""

PolicySubjectType: TypeAlias = Union[Literal["organisation", "agent", "api_key"], str]
"""The kind of the thing that the policy is attached to."""

PolicyTrialStatus: TypeAlias = Union[Literal["queued", "running", "completed", "failed", "cancelled"], str]
"""Its state."""

PromptRole: TypeAlias = Union[Literal["system", "user"], str]
"""`system`: the instructions. `user`: the input."""

RecoveryStatus: TypeAlias = Union[Literal["running", "completed", "cancelled"], str]
"""Its state."""

RequiredActionType: TypeAlias = Union[Literal["approval", "input", "reconcile", "raise_budget"], str]
"""
`approval`: allow or reject a tool call. `input`: provide information. `reconcile`: say what became of a tool call
with unknown outcome. `raise_budget`: let the run go on beyond a budget, or raise that.
"""

Role: TypeAlias = Union[Literal["owner", "admin", "developer", "viewer"], str]
"""What a person can do in an organisation. Each role includes the roles after it."""

RollbackMetric: TypeAlias = Union[Literal["failure_rate", "latency_p95_ms", "cost_per_run_usd"], str]
"""The figure of the canary that the rule evaluates."""

RunBudgetAction: TypeAlias = Union[Literal["fail", "park"], str]
"""At `budget_usd` the run fails (default) or waits."""

RunErrorCode: TypeAlias = Union[Literal["run_timeout", "queue_timeout", "action_timeout", "budget_exceeded", "budget_exhausted", "guardrail_blocked", "agent_error", "model_error", "tool_error", "output_invalid", "output_too_large", "storage_exceeded", "max_steps_exceeded", "internal_error"], str]
"""The cause, for programs."""

RunStatus: TypeAlias = Union[Literal["queued", "running", "requires_action", "cancelling", "completed", "failed", "cancelled"], str]
"""The state of a run. It ends as `completed`, `failed` or `cancelled`."""

RunStepStatus: TypeAlias = Union[Literal["running", "completed", "failed"], str]
"""`completed` or `failed`."""

RunStepType: TypeAlias = Union[Literal["model", "tools", "remote"], str]
"""What the step does."""

RunWaitReason: TypeAlias = Union[Literal["slot", "worker", "provider", "action", "nothing"], str]
"""
`slot`: a free slot. `worker`: a worker to take it. `provider`: the current step, such as a model call. `action`: a
person. `nothing`: it has ended.
"""

ScheduleFiringKind: TypeAlias = Union[Literal["date", "request"], str]
"""`request`: somebody started it with `POST /schedules/{id}/run`."""

ScheduleFiringStatus: TypeAlias = Union[Literal["due", "queued", "started", "skipped", "failed"], str]
"""`due`: it is about to start. `queued`: it waits for an earlier firing."""

ScheduleMissed: TypeAlias = Union[Literal["skip", "once"], str]
"""
A date that the service reaches over 5 minutes late is missed. `skip`: it does not fire. `once`: the last missed
date fires for all of them.
"""

ScheduleOverlap: TypeAlias = Union[Literal["skip", "queue", "allow"], str]
"""
What a firing does while an earlier one runs. `skip`: it does not start. `queue`: it waits; at most 10 wait.
`allow`: it starts.
"""

SchedulePauseReason: TypeAlias = Union[Literal["requested", "creator_gone", "forbidden", "target_not_available"], str]
"""
`requested`: somebody paused it. Otherwise the service did: `creator_gone`: the key was revoked or has expired, or
the person has left. `forbidden`: the creator may not start the target any more. `target_not_available`: the agent
or pipeline is archived.
"""

ScheduleStatus: TypeAlias = Union[Literal["active", "paused", "ended"], str]
"""`paused`: it does not fire. `ended`: it has no further date."""

Scope: TypeAlias = Union[Literal["runs:read", "runs:write", "runs:approve", "runs:erase", "runs:share", "agents:read", "agents:write", "webhooks:read", "webhooks:write", "keys:read", "keys:write", "usage:read", "analytics:read", "pipelines:read", "pipelines:write", "schedules:read", "schedules:write", "policies:read", "policies:write", "connectors:read", "connectors:write", "alerts:read", "alerts:write", "events:read", "audit:read", "members:write"], str]
"""A permission: resource and kind of access."""

StreamDelayMode: TypeAlias = Union[Literal["none", "window", "chunk", "whole"], str]
"""
`window`: the newest characters are held back. `chunk`: text is checked in pieces. `whole`: text appears when all of
it is checked.
"""

TemplateParamType: TypeAlias = Union[Literal["string", "string_list", "number", "boolean", "object"], str]
"""The type of the value."""

ToolCallOutcome: TypeAlias = Union[Literal["completed", "failed"], str]
"""`failed`: the agent was told what went wrong."""

ToolCallStatus: TypeAlias = Union[Literal["waiting", "started", "completed", "failed"], str]
"""`waiting`: a person must approve it. `started`: it is under way."""

ToolChange: TypeAlias = Union[Literal["new", "changed", "gone"], str]
"""How the tool changed."""

ToolState: TypeAlias = Union[Literal["approved", "pending", "changed", "gone"], str]
"""
`approved`: agents can use it. The others are off: `pending` was never approved, `changed` differs from what was
approved, `gone` is no longer listed by the server.
"""

UnavailableReason: TypeAlias = Union[Literal["shed", "pool_busy", "blocked", "database_busy", "database_away", "database_read_only", "disk_full", "organisation_closed", "key_service_away", "contended", "check_unmade", "credential_unchecked"], str]
"""Why the service cannot process the request. `/docs/errors` explains each. New reasons can be added."""

WaitingReason: TypeAlias = Union[Literal["turn", "share", "line", "destination", "retry"], str]
"""
`turn`: a free place of the workers. `share`: the places that the organisation may have are in use by its other
work. `line`: earlier work of the organisation, such as an earlier firing. `destination`: your endpoint. `retry`:
the next attempt is not due yet.
"""

WebhookDisabledReason: TypeAlias = Union[Literal["paused", "gone", "failing"], str]
"""`paused`: by a request. `gone`: the endpoint responded with 410. `failing`: all deliveries failed for days."""

WebhookStatus: TypeAlias = Union[Literal["healthy", "failing", "disabled", "deleted"], str]
"""
`failing`: the latest deliveries failed. `disabled`: nothing is sent. `deleted`: only in the response that deletes
it.
"""


class ActionDecision(_Base):
    action_id: str
    """The id of an action."""
    type: DecisionType
    by: str
    """Who decided: an API key (`key_…`) or a person (`usr_…`)."""
    comment: str | None
    """The reason that was given."""
    at: AwareDatetime
    """When it was decided."""


class ActiveRuns(_Base):
    """The number of runs in each state. Runs that have ended are not counted."""
    queued: int
    """Runs that wait for a slot."""
    running: int
    """Runs in execution."""
    requires_action: int
    """Runs that wait for a person."""
    cancelling: int
    """Runs that are being cancelled."""


class Actor(_Base):
    """Who did it. A short-lived token counts as its creator."""
    type: ActorType
    id: str | None
    """The API key or person; user and host of an operator’s command; null for the service."""


class Agent(_Base):
    """A program that runs on a model or behind your endpoint."""
    id: str
    """The id of an agent."""
    object: Literal["agent"]
    """Always `agent`."""
    name: str
    """The name of the agent."""
    description: str | None
    """What the agent does, for people."""
    status: AgentStatus
    kind: AgentKind
    source: AgentSource
    catalog_key: str | None
    """The catalog agent that was hired; null for a custom agent."""
    catalog_version: int | None
    """The version of the catalog agent that was hired."""
    catalog_latest: int | None
    """The current version in the catalog. To adopt it, send `PATCH {"catalog_version": n}`."""
    version: int
    """The newest released version, fully or as a canary."""
    config: dict[str, Any]
    """Model, instructions and tools, or the endpoint of a remote agent."""
    input_schema: dict[str, Any] | None
    """JSON Schema of the input."""
    output_schema: dict[str, Any] | None
    """JSON Schema of the output."""
    limits: AgentLimits
    policies: list[str]
    """The ids of the policies attached to it. Read-only: `POST /policies/{id}/attachments` attaches one."""
    metadata: dict[str, str]
    """Your own key-value pairs."""
    created_at: AwareDatetime
    """When it was created."""
    updated_at: AwareDatetime
    """When it was last changed."""
    archived_at: AwareDatetime | None
    """When it was archived; null if it is active."""
    monthly_budget_usd: float | None
    """US dollars a month, UTC; null: none."""
    budget_action: BudgetAction


class AgentChange(_Base):
    path: str
    """The path of the field."""
    old: Any = None
    """The old value; null if there was none."""
    new: Any = None
    """The new value; null if there is none."""


class AgentDiff(_Base):
    object: Literal["agent_diff"]
    """Always `agent_diff`."""
    agent_id: str
    """The id of an agent."""
    from_: int = Field(alias="from")
    """The version that is compared."""
    to: int
    """The version that it is compared with."""
    changes: list[AgentChange]
    """The fields that differ."""


class AgentFigures(_Base):
    agent_id: str
    """The id of an agent."""
    name: str | None
    """The name; null if it is gone."""
    figures: AnalyticsFigures
    """Its figures."""


class AgentLimits(_Base):
    """The limits of its runs. Null: the limit of the plan applies."""
    timeout_seconds: int | None
    """Seconds after which a run fails with `run_timeout`."""
    max_steps: int | None
    """The maximum number of steps of a run."""
    budget_usd: float | None
    """The maximum cost of a run in US dollars."""
    budget_action: RunBudgetAction | None
    """What happens at `budget_usd`."""
    max_concurrent_runs: int | None
    """The maximum number of runs at the same time."""
    approval: ApprovalRule | None
    """Who may approve actions of its runs; null: anyone with `runs:approve`."""


class AgentList(_Base):
    """One page of a list."""
    object: Literal["list"]
    """Always `list`."""
    data: list[Agent]
    """The items of this page."""
    has_more: bool
    """Whether more items follow."""
    first_id: str | None
    """The first id of this page, for `before`."""
    last_id: str | None
    """The last id of this page, for `after`."""


class AgentPrompt(_Base):
    """The messages that a model receives in the first step of a run."""
    object: Literal["agent_prompt"]
    """Always `agent_prompt`."""
    agent_id: str | None
    """Null: the configuration is not saved."""
    version: int | None
    """The version of the agent; null without an agent."""
    messages: list[PromptMessage]
    """In the order in which the model receives them."""


class AgentStats(_Base):
    object: Literal["agent_stats"]
    """Always `agent_stats`."""
    agent_id: str
    """The id of an agent."""
    runs: ActiveRuns
    is_capped: bool
    """True: counting stopped at 10,000 runs in all."""


class AgentUpdatedEvent(_Base):
    """What `GET /agents/{id}` shows has changed: by an update, a rollback, archiving or unarchiving."""
    id: str
    """The id of an event."""
    type: Literal["agent.updated"]
    """The type of the event."""
    created_at: AwareDatetime
    """When it happened."""
    data: ChangedAgent


class AgentVersion(_Base):
    """One version of an agent. It never changes."""
    object: Literal["agent_version"]
    """Always `agent_version`."""
    agent_id: str
    """The id of an agent."""
    version: int
    """The number of the version, from 1."""
    name: str
    """The name of the agent."""
    description: str | None
    """What the agent does, for people."""
    config: dict[str, Any]
    """Model, instructions and tools, or the endpoint of a remote agent."""
    input_schema: dict[str, Any] | None
    """JSON Schema of the input."""
    output_schema: dict[str, Any] | None
    """JSON Schema of the output."""
    limits: AgentLimits
    policies: list[str]
    """The ids of the policies attached to it. Read-only: `POST /policies/{id}/attachments` attaches one."""
    metadata: dict[str, str]
    """Your own key-value pairs."""
    created_by: str | None
    """The key or person that created the version; null for the operator."""
    created_at: AwareDatetime
    """When it was created."""


class AgentVersionList(_Base):
    """One page of a list."""
    object: Literal["list"]
    """Always `list`."""
    data: list[AgentVersion]
    """The items of this page."""
    has_more: bool
    """Whether more items follow."""
    first_id: str | None
    """The first id of this page, for `before`."""
    last_id: str | None
    """The last id of this page, for `after`."""


class AgentWithSecret(_Base):
    id: str
    """The id of an agent."""
    object: Literal["agent"]
    """Always `agent`."""
    name: str
    """The name of the agent."""
    description: str | None
    """What the agent does, for people."""
    status: AgentStatus
    kind: AgentKind
    source: AgentSource
    catalog_key: str | None
    """The catalog agent that was hired; null for a custom agent."""
    catalog_version: int | None
    """The version of the catalog agent that was hired."""
    catalog_latest: int | None
    """The current version in the catalog. To adopt it, send `PATCH {"catalog_version": n}`."""
    version: int
    """The newest released version, fully or as a canary."""
    config: dict[str, Any]
    """Model, instructions and tools, or the endpoint of a remote agent."""
    input_schema: dict[str, Any] | None
    """JSON Schema of the input."""
    output_schema: dict[str, Any] | None
    """JSON Schema of the output."""
    limits: AgentLimits
    policies: list[str]
    """The ids of the policies attached to it. Read-only: `POST /policies/{id}/attachments` attaches one."""
    metadata: dict[str, str]
    """Your own key-value pairs."""
    created_at: AwareDatetime
    """When it was created."""
    updated_at: AwareDatetime
    """When it was last changed."""
    archived_at: AwareDatetime | None
    """When it was archived; null if it is active."""
    monthly_budget_usd: float | None
    """US dollars a month, UTC; null: none."""
    budget_action: BudgetAction
    signing_secret: str | None
    """The new secret. Only this response contains it. Null for a replay."""


class Alert(_Base):
    """A rule that fired."""
    id: str
    """The id of an alert."""
    object: Literal["alert"]
    """Always `alert`."""
    rule: AlertTerms
    status: AlertStatus
    severity: AlertSeverity
    triggered_at: AwareDatetime
    """When it fired."""
    resolved_at: AwareDatetime | None
    """When it was resolved; null before."""
    resolution: AlertResolution | None
    snapshot: AlertSnapshot
    test: bool
    """Somebody tested the rule. A test is sent and not stored."""


class AlertDestination(_Base):
    """A chat channel that receives alerts."""
    id: str
    """The id of an alert destination."""
    object: Literal["alert_destination"]
    """Always `alert_destination`."""
    type: Literal["slack"]
    url_hint: str
    """The host and the last four characters of the URL. The rest is secret."""
    created_at: AwareDatetime
    """When it was created."""


class AlertDestinationList(_Base):
    """One page of a list."""
    object: Literal["list"]
    """Always `list`."""
    data: list[AlertDestination]
    """The items of this page."""
    has_more: bool
    """Whether more items follow."""
    first_id: str | None
    """The first id of this page, for `before`."""
    last_id: str | None
    """The last id of this page, for `after`."""


class AlertList(_Base):
    """One page of a list."""
    object: Literal["list"]
    """Always `list`."""
    data: list[Alert]
    """The items of this page."""
    has_more: bool
    """Whether more items follow."""
    first_id: str | None
    """The first id of this page, for `before`."""
    last_id: str | None
    """The last id of this page, for `after`."""


class AlertPreview(_Base):
    object: Literal["alert_preview"]
    """Always `alert_preview`."""
    from_: AwareDatetime = Field(alias="from")
    """The start of the time that was evaluated."""
    to: AwareDatetime
    """The end of the time that was evaluated."""
    fired: int
    """How many times it would have fired."""
    periods: list[FiringPeriod]
    """The last 100 of these times, oldest first."""


class AlertResolvedEvent(_Base):
    """An alert was resolved; `resolution` has the cause."""
    id: str
    """The id of an event."""
    type: Literal["alert.resolved"]
    """The type of the event."""
    created_at: AwareDatetime
    """When it happened."""
    data: Alert


class AlertRule(_Base):
    id: str
    """The id of an alert rule."""
    object: Literal["alert_rule"]
    """Always `alert_rule`."""
    name: str
    """The name of the rule."""
    metric: AlertMetric
    error_code: RunErrorCode | None
    """For `error_code_count`: the failures that are counted."""
    agent_id: str | None
    """The agent; null: the whole organisation."""
    operator: AlertOperator
    threshold: float
    """In the unit of the metric."""
    window_seconds: int
    """The time over which the value is computed: whole minutes."""
    for_seconds: int
    """How long the value must be beyond the threshold before the rule fires."""
    min_sample_size: int
    """For shares and percentiles: with fewer runs or deliveries, the window has no value."""
    severity: AlertSeverity
    enabled: bool
    """Whether it is evaluated."""
    state: AlertRuleState
    alert_id: str | None
    """The alert that fires now; null: none does."""
    stale: bool
    """The figures are older than 60 seconds, so the rule keeps its state until they are counted."""
    created_at: AwareDatetime
    """When it was created."""


class AlertRuleList(_Base):
    """One page of a list."""
    object: Literal["list"]
    """Always `list`."""
    data: list[AlertRule]
    """The items of this page."""
    has_more: bool
    """Whether more items follow."""
    first_id: str | None
    """The first id of this page, for `before`."""
    last_id: str | None
    """The last id of this page, for `after`."""


class AlertSeriesPoint(_Base):
    at: AwareDatetime
    """The start of the minute."""
    value: float | None
    """The value of that minute; null: it has none."""


class AlertSnapshot(_Base):
    """The values when the alert fired."""
    metric: AlertMetric
    value: float
    """The value of the metric."""
    threshold: float
    """The threshold of the rule."""
    window_start: AwareDatetime
    """The start of the time that was evaluated."""
    window_end: AwareDatetime
    """The end of the time that was evaluated."""
    sample_size: int
    """The number of runs or deliveries in the window."""
    series: list[AlertSeriesPoint]
    """The values of the window by minute, at most 60."""


class AlertTerms(_Base):
    """The rule as it was when it fired."""
    id: str
    """The id of an alert rule."""
    name: str
    """The name of the rule."""
    metric: AlertMetric
    error_code: RunErrorCode | None
    """For `error_code_count`: the failures that are counted."""
    agent_id: str | None
    """The agent; null: the whole organisation."""
    operator: AlertOperator
    threshold: float
    """In the unit of the metric."""
    window_seconds: int
    """The time over which the value is computed: whole minutes."""
    for_seconds: int
    """How long the value must be beyond the threshold before the rule fires."""
    min_sample_size: int
    """For shares and percentiles: with fewer runs or deliveries, the window has no value."""
    severity: AlertSeverity


class AlertTriggeredEvent(_Base):
    """A monitoring alert fired."""
    id: str
    """The id of an event."""
    type: Literal["alert.triggered"]
    """The type of the event."""
    created_at: AwareDatetime
    """When it happened."""
    data: Alert


class Analytics(_Base):
    """How the ended runs of a period went."""
    object: Literal["analytics"]
    """Always `analytics`."""
    from_: AwareDatetime = Field(alias="from")
    """The begin."""
    to: AwareDatetime
    """The end, which is not included."""
    interval: AnalyticsInterval
    time_zone: str
    """Where days begin."""
    as_of: AwareDatetime
    """Runs that ended before this time are counted."""
    totals: AnalyticsFigures
    previous: AnalyticsPrevious
    series: list[AnalyticsPoint]
    """Oldest first. Intervals without figures are left out."""
    top_from: AwareDatetime
    """The lists of agents begin here: with whole UTC days if the period has over 2 days."""
    top_agents: list[AgentFigures]
    """The 10 agents with the most runs."""
    slowest_agents: list[AgentFigures]
    """The 10 agents with the highest mean latency."""
    top_errors: list[AnalyticsError]
    """The 10 most frequent error codes."""
    groups: list[AnalyticsGroup] | None
    """By `group_by`, most runs first, at most 100; null without it."""


class AnalyticsError(_Base):
    code: str
    """The error code."""
    runs: int
    """Failed runs."""


class AnalyticsExport(_Base):
    """The series of `GET /analytics` as CSV."""
    object: Literal["analytics_export"]
    """Always `analytics_export`."""
    filename: str
    """A name for the file."""
    content: str
    """CSV (RFC 4180) with a header line, and one line per interval."""


class AnalyticsFigures(_Base):
    """Figures of ended runs. Percentiles are within 1 %."""
    runs: int
    """Ended runs."""
    completed: int
    """Completed runs."""
    failed: int
    """Failed runs."""
    cancelled: int
    """Cancelled runs."""
    input_tokens: int
    """Tokens that models read."""
    output_tokens: int
    """Tokens that models wrote."""
    cached_tokens: int
    """The part of the input tokens that the provider had cached."""
    cost_usd: float
    """The cost of model calls, by the prices of the operator."""
    unpriced_runs: int
    """Runs whose cost is not known, because a model has no price."""
    success_rate: float | None
    """Completed runs divided by completed and failed ones; null without any."""
    latency_p50_ms: float | None
    """The median from created to finished, without the time spent waiting for people, in ms; null without runs."""
    latency_p95_ms: float | None
    """The 95th percentile, in ms; null without runs."""
    latency_p99_ms: float | None
    """The 99th percentile, in ms; null without runs."""
    queue_wait_p95_ms: float | None
    """The 95th percentile of the wait for the first start, in ms; null without runs."""
    webhook_success_rate: float | None
    """Succeeded deliveries divided by ended ones, of the whole organisation; null without any."""
    guardrail_blocks: int
    """Runs and inputs that a guardrail blocked."""


class AnalyticsGroup(_Base):
    key: str | None
    """The id of an agent or an API key, a version, or an error code. Null: people."""
    name: str | None
    """The name; null if it is gone."""
    figures: AnalyticsFigures
    """Its figures."""


class AnalyticsPoint(_Base):
    started_at: AwareDatetime
    """The begin of the interval."""
    figures: AnalyticsFigures
    """Its figures."""


class AnalyticsPrevious(_Base):
    """The period of the same length before."""
    from_: AwareDatetime = Field(alias="from")
    """The begin."""
    to: AwareDatetime
    """The end, which is not included."""
    totals: AnalyticsFigures
    """Its figures."""


class ApiKey(_Base):
    """A credential of a program. The complete key is shown once."""
    id: str
    """The id of an API key."""
    object: Literal["api_key"]
    """Always `api_key`."""
    name: str
    """The name of the key, for people."""
    kind: ApiKeyKind
    prefix: str
    """The first characters of the key: `ars_live_` or `ars_demo_`."""
    hint: str
    """The last four characters of the key."""
    scopes: list[Scope]
    """The permissions that it holds."""
    agent_ids: list[str] | None
    """The only agents that the key can use; null: all agents of the organisation."""
    expires_at: AwareDatetime | None
    """When the key stops working; null: never."""
    last_used_at: AwareDatetime | None
    """When the key was last used. Updated about every 10 seconds."""
    created_by: str | None
    """The key or person that created it; null for the operator."""
    created_at: AwareDatetime
    """When it was created."""
    revoked_at: AwareDatetime | None
    """When the key was revoked."""
    rotated_to: str | None
    """The key that replaces it."""
    grace_until: AwareDatetime | None
    """When a rotated key stops working."""
    exposed_at: AwareDatetime | None
    """When the key was sent over plain HTTP, where others can read it. Rotate such a key."""
    monthly_budget_usd: float | None
    """US dollars a month, UTC; null: none."""
    budget_action: BudgetAction


class ApiKeyExpiringEvent(_Base):
    """An API key expires within 7 days. Sent once per expiry date; not for keys valid for 7 days or less."""
    id: str
    """The id of an event."""
    type: Literal["api_key.expiring"]
    """The type of the event."""
    created_at: AwareDatetime
    """When it happened."""
    data: ApiKey


class ApiKeyExposedEvent(_Base):
    """An API key was sent over plain HTTP; `revoked_at` shows whether the service revoked it."""
    id: str
    """The id of an event."""
    type: Literal["api_key.exposed"]
    """The type of the event."""
    created_at: AwareDatetime
    """When it happened."""
    data: ApiKey


class ApiKeyList(_Base):
    """One page of a list."""
    object: Literal["list"]
    """Always `list`."""
    data: list[ApiKey]
    """The items of this page."""
    has_more: bool
    """Whether more items follow."""
    first_id: str | None
    """The first id of this page, for `before`."""
    last_id: str | None
    """The last id of this page, for `after`."""


class ApprovalRule(_Base):
    """Who may approve actions of its runs."""
    by: Approver
    not_starter: bool
    """Another principal than the one that started the run must approve. A key counts as the person who created it."""


class AuditEntry(_Base):
    """One administrative operation."""
    id: str
    """The id of an entry of the audit log."""
    object: Literal["audit_entry"]
    """Always `audit_entry`."""
    number: int
    """The position in the log of the organisation: 1, 2, 3 … without gaps."""
    hash: str
    """SHA-256 in hexadecimal of the hash of the entry before and `canonical`. The first entry follows the byte 0."""
    canonical: str
    """The text that the hash covers: a JSON array of the fields of the entry."""
    actor: Actor
    action: str
    """Resource and action, such as `api_key.revoked`."""
    subject: str | None
    """The id of the affected resource."""
    address: str | None
    """The IP address of the client."""
    request_id: str | None
    """The request that did it; null without one."""
    before: dict[str, Any] | None
    """The changed values before the operation. Never contains secrets."""
    after: dict[str, Any] | None
    """The changed values after the operation. Never contains secrets."""
    created_at: AwareDatetime
    """When it was created."""


class AuditEntryList(_Base):
    """One page of a list."""
    object: Literal["list"]
    """Always `list`."""
    data: list[AuditEntry]
    """The items of this page."""
    has_more: bool
    """Whether more items follow."""
    first_id: str | None
    """The first id of this page, for `before`."""
    last_id: str | None
    """The last id of this page, for `after`."""


class Batch(_Base):
    """Many runs of one agent, in the background, without slowing other runs."""
    id: str
    """The id of a batch."""
    object: Literal["batch"]
    """Always `batch`."""
    agent_id: str
    """The agent of the runs."""
    status: BatchStatus
    progress: BatchProgress
    waiting: Waiting | None
    """Why no worker starts items of it now; null: a worker does, or nothing waits."""
    metadata: dict[str, str]
    """The metadata of the request; its runs have it too."""
    timeout_seconds: int | None
    """The timeout of each run; null: as its agent says."""
    created_by: str
    """The key or person that created it. Its runs are started in this name."""
    created_at: AwareDatetime
    """When it was created."""
    finished_at: AwareDatetime | None
    """When the last item ended; null before."""
    erased_at: AwareDatetime | None
    """When the data of the batch and of its runs was erased. Null: it was not."""


class BatchCompletedEvent(_Base):
    """A batch ended; `status` says how."""
    id: str
    """The id of an event."""
    type: Literal["batch.completed"]
    """The type of the event."""
    created_at: AwareDatetime
    """When it happened."""
    data: Batch


class BatchItemError(_Base):
    code: str
    """The code of the failed run, or of the refusal."""
    message: str
    """The cause in words. The text can change."""


class BatchList(_Base):
    """One page of a list."""
    object: Literal["list"]
    """Always `list`."""
    data: list[Batch]
    """The items of this page."""
    has_more: bool
    """Whether more items follow."""
    first_id: str | None
    """The first id of this page, for `before`."""
    last_id: str | None
    """The last id of this page, for `after`."""


class BatchProgress(_Base):
    """The items by their state."""
    items: int
    """All items."""
    waiting: int
    """Items without a run."""
    running: int
    """Items whose run has not ended."""
    completed: int
    """Items whose run has completed."""
    failed: int
    """Items whose run has failed, and items that were refused."""
    cancelled: int
    """Items whose run was cancelled, and items that were not started because of the cancel."""


class BatchResult(_WithOutput):
    """What became of an item of a batch."""
    id: str
    """The place of the item in the list, from 0."""
    object: Literal["batch_result"]
    """Always `batch_result`."""
    custom_id: str | None
    """Your name for the item; null: it has none, or was erased."""
    status: BatchItemStatus
    run_id: str | None
    """Its run; null: it has none."""
    output: dict[str, Any] | None
    """The output of the run; null without one."""
    error: BatchItemError | None
    """Why the item failed; null otherwise."""
    finished_at: AwareDatetime | None
    """The end of the run; null before, and without one."""


class BatchResultList(_Base):
    """One page of a list."""
    object: Literal["list"]
    """Always `list`."""
    data: list[BatchResult]
    """The items of this page."""
    has_more: bool
    """Whether more items follow."""
    first_id: str | None
    """The first id of this page, for `before`."""
    last_id: str | None
    """The last id of this page, for `after`."""


class Budget(_Base):
    """What may be spent in a month, and what was."""
    id: str
    """The organisation, agent or API key. Of rotated keys, the first one."""
    object: Literal["budget"]
    """Always `budget`."""
    monthly_budget_usd: float
    """The budget in US dollars."""
    budget_action: BudgetAction
    spent_usd: float
    """The cost of this month."""
    reached_percent: int
    """80 or 100: the share that was announced this month; else 0."""
    resets_at: AwareDatetime
    """The start of the next month."""


class BudgetList(_Base):
    """One page of a list."""
    object: Literal["list"]
    """Always `list`."""
    data: list[Budget]
    """The items of this page."""
    has_more: bool
    """Whether more items follow."""
    first_id: str | None
    """The first id of this page, for `before`."""
    last_id: str | None
    """The last id of this page, for `after`."""


class BudgetReachedEvent(_Base):
    """
    The cost of a month reached 80 % or 100 % of a budget. Sent once for each of them in a month; `reached_percent`
    says which.
    """
    id: str
    """The id of an event."""
    type: Literal["budget.reached"]
    """The type of the event."""
    created_at: AwareDatetime
    """When it happened."""
    data: Budget


class CatalogAgent(_Base):
    """An agent that can be hired."""
    id: str
    """Same as `key`; used for paging."""
    object: Literal["catalog_agent"]
    """Always `catalog_agent`."""
    key: str
    """The key to hire it with."""
    version: int
    """Increases when the agent changes. Hired agents can adopt the newer version."""
    name: str
    """The name of the agent."""
    description: str
    """What the agent does."""
    category: str
    """The group of the catalog that it belongs to."""
    kind: Literal["llm"]
    """Agents of the catalog call a model."""
    config: dict[str, Any]
    """Model, instructions and tools."""
    input_schema: dict[str, Any] | None
    """JSON Schema of the input."""
    output_schema: dict[str, Any] | None
    """JSON Schema of the output."""
    limits: dict[str, Any]
    """The limits of its runs."""
    needs_connector: bool
    """The agent uses tools: hire it with one of your connectors."""
    sample_input: dict[str, Any]
    """An input to try it with."""
    sample_output: dict[str, Any] | None
    """The output for this input, if it is always the same."""


class CatalogAgentList(_Base):
    """One page of a list."""
    object: Literal["list"]
    """Always `list`."""
    data: list[CatalogAgent]
    """The items of this page."""
    has_more: bool
    """Whether more items follow."""
    first_id: str | None
    """The first id of this page, for `before`."""
    last_id: str | None
    """The last id of this page, for `after`."""


class ChangedAgent(_Base):
    """The change of an agent."""
    agent_id: str
    """The id of an agent."""
    version: VersionChange
    changed: list[str]
    """The paths of the changed fields."""
    old: dict[str, Any]
    """The old values by path; null if there was none."""
    new: dict[str, Any]
    """The new values by path; null if there is none."""
    actor: Actor


class ChangedPolicy(_Base):
    """The change of a policy."""
    policy_id: str
    """The id of a policy."""
    name: str
    """The name of the policy."""
    change: PolicyChange
    version: int
    """The version now."""
    mode: PolicyMode
    subject_id: str | None
    """What it was attached to or detached from; null otherwise."""
    actor: Actor


class ChangedTool(_Base):
    name: str
    """The name of the tool."""
    change: ToolChange
    fields: list[str]
    """The fields that differ from what was approved."""


class ChangedTools(_Base):
    """The tools of a connector that changed."""
    connector_id: str
    """The id of a connector."""
    name: str
    """The name of the connector."""
    tools: list[ChangedTool]
    """The tools that are off because of this change, at most 100."""
    total: int
    """The number of these tools."""


class ComparisonInterval(_Base):
    started_at: AwareDatetime
    """The begin of the interval."""
    canary: ComparisonSeriesSide
    running: ComparisonSeriesSide
    """The running version in this interval."""


class ComparisonSeriesSide(_Base):
    """The canary in this interval."""
    runs: int
    """Ended runs that were created in this interval."""
    failures: int
    """Those of them that failed."""
    latency_p95_ms: float | None
    """The 95th percentile of their latency; null without runs."""
    cost_per_run_usd: float | None
    """Their mean cost; null if it is not known."""


class Connector(_Base):
    """An MCP server whose tools agents can use."""
    id: str
    """The id of a connector."""
    object: Literal["connector"]
    """Always `connector`."""
    name: str
    """The name of the connector."""
    url: str
    """The address of the MCP server."""
    auth: ConnectorAuth
    status: ConnectorStatus
    tools: ToolCounts
    tools_listed_at: AwareDatetime | None
    """When the server last listed its tools; null if it never did."""
    tools_error: str | None
    """Why the tools could not be listed when the connector was added or its address was changed."""
    created_by: str
    """The key or person that added it."""
    created_at: AwareDatetime
    """When it was created."""
    moved_by: str | None
    """
    The key or person that changed the address last. A key that did so, and the keys below it, cannot approve its
    tools. Null: the address is the first one.
    """


class ConnectorAuth(_Base):
    """How the service authenticates at the server."""
    type: ConnectorAuthType
    header: str | None
    """The header that carries the credential, for type `header`."""
    hint: str | None
    """The last characters of the credential."""


class ConnectorList(_Base):
    """One page of a list."""
    object: Literal["list"]
    """Always `list`."""
    data: list[Connector]
    """The items of this page."""
    has_more: bool
    """Whether more items follow."""
    first_id: str | None
    """The first id of this page, for `before`."""
    last_id: str | None
    """The last id of this page, for `after`."""


class ConnectorTool(_Base):
    name: str
    """The name of the tool."""
    object: Literal["connector_tool"]
    """Always `connector_tool`."""
    connector_id: str
    """The id of a connector."""
    state: ToolState
    hash: str | None
    """SHA-256 of the manifest that the server lists now. Send it to approve the tool."""
    manifest: ToolManifest | None
    """As the server lists it now; null if it does not."""
    approved_hash: str | None
    """SHA-256 of the manifest that was approved."""
    approved_manifest: ToolManifest | None
    """As it was approved. Null if nobody has approved it, and in state `approved`, where it equals `manifest`."""
    changes: list[str]
    """In state `changed`: the fields that differ, like `description` or `hints.read_only`."""
    looks_like: str | None
    """In state `pending`: an approved tool whose name is easily confused with this one."""
    approved_by: str | None
    """The key or person that approved it."""
    approved_at: AwareDatetime | None
    """When it was approved."""
    changed_at: AwareDatetime
    """When its state last changed."""


class ConnectorToolChangedEvent(_Base):
    """A server lists a tool that nobody has approved as it is; the tool is off."""
    id: str
    """The id of an event."""
    type: Literal["connector.tool_changed"]
    """The type of the event."""
    created_at: AwareDatetime
    """When it happened."""
    data: ChangedTools


class ConnectorToolList(_Base):
    """One page of a list."""
    object: Literal["list"]
    """Always `list`."""
    data: list[ConnectorTool]
    """The items of this page."""
    has_more: bool
    """Whether more items follow."""
    first_id: str | None
    """The first id of this page, for `before`."""
    last_id: str | None
    """The last id of this page, for `after`."""


class CreatedAgent(_Base):
    id: str
    """The id of an agent."""
    object: Literal["agent"]
    """Always `agent`."""
    name: str
    """The name of the agent."""
    description: str | None
    """What the agent does, for people."""
    status: AgentStatus
    kind: AgentKind
    source: AgentSource
    catalog_key: str | None
    """The catalog agent that was hired; null for a custom agent."""
    catalog_version: int | None
    """The version of the catalog agent that was hired."""
    catalog_latest: int | None
    """The current version in the catalog. To adopt it, send `PATCH {"catalog_version": n}`."""
    version: int
    """The newest released version, fully or as a canary."""
    config: dict[str, Any]
    """Model, instructions and tools, or the endpoint of a remote agent."""
    input_schema: dict[str, Any] | None
    """JSON Schema of the input."""
    output_schema: dict[str, Any] | None
    """JSON Schema of the output."""
    limits: AgentLimits
    policies: list[str]
    """The ids of the policies attached to it. Read-only: `POST /policies/{id}/attachments` attaches one."""
    metadata: dict[str, str]
    """Your own key-value pairs."""
    created_at: AwareDatetime
    """When it was created."""
    updated_at: AwareDatetime
    """When it was last changed."""
    archived_at: AwareDatetime | None
    """When it was archived; null if it is active."""
    monthly_budget_usd: float | None
    """US dollars a month, UTC; null: none."""
    budget_action: BudgetAction
    deployment: Deployment | None
    """The deployment that this request created; null if nothing changed."""
    signing_secret: str | None
    """
    A remote agent verifies our requests with this secret. Only this response contains it. Null for other agents and
    for a replay.
    """


class CreatedApiKey(_Base):
    id: str
    """The id of an API key."""
    object: Literal["api_key"]
    """Always `api_key`."""
    name: str
    """The name of the key, for people."""
    kind: ApiKeyKind
    prefix: str
    """The first characters of the key: `ars_live_` or `ars_demo_`."""
    hint: str
    """The last four characters of the key."""
    scopes: list[Scope]
    """The permissions that it holds."""
    agent_ids: list[str] | None
    """The only agents that the key can use; null: all agents of the organisation."""
    expires_at: AwareDatetime | None
    """When the key stops working; null: never."""
    last_used_at: AwareDatetime | None
    """When the key was last used. Updated about every 10 seconds."""
    created_by: str | None
    """The key or person that created it; null for the operator."""
    created_at: AwareDatetime
    """When it was created."""
    revoked_at: AwareDatetime | None
    """When the key was revoked."""
    rotated_to: str | None
    """The key that replaces it."""
    grace_until: AwareDatetime | None
    """When a rotated key stops working."""
    exposed_at: AwareDatetime | None
    """When the key was sent over plain HTTP, where others can read it. Rotate such a key."""
    monthly_budget_usd: float | None
    """US dollars a month, UTC; null: none."""
    budget_action: BudgetAction
    key: str | None
    """The complete key. Only this response contains it. Null in a replay of an earlier request."""


class CreatedInvitation(_Base):
    id: str
    """The id of an invitation."""
    object: Literal["invitation"]
    """Always `invitation`."""
    email: str
    """The invited e-mail address."""
    role: Role
    status: InvitationStatus
    invited_by: str | None
    """The user or API key that sent it; null for the operator of the service."""
    created_at: AwareDatetime
    """When it was created."""
    expires_at: AwareDatetime
    """When the link stops working."""
    link: str
    """Only this response contains the link. Give it only to this person."""
    mailed: bool
    """
    Whether the link is also sent by mail. False: this installation sends no mail, the address of the member is not
    proven, or a bound of mails is reached (3 to an address and 500 of an organisation within 24 hours; one
    invitation to an address per hour).
    """


class CreatedRunShare(_Base):
    id: str
    """The id of a link to a run."""
    object: Literal["run_share"]
    """Always `run_share`."""
    run_id: str
    """The only run that the link shows."""
    created_by: str
    """The key or person that made the link. The link ends with it."""
    created_at: AwareDatetime
    """When it was created."""
    expires_at: AwareDatetime
    """When the link stops working."""
    token: str | None
    """The complete token. Only this response contains it. Null in a replay of an earlier request."""
    url: str | None
    """
    The link to a page of the dashboard, with the token in its fragment. Only this response contains it. Null in a
    replay.
    """


class DeletedProviderKey(_Base):
    id: KeyedProvider
    object: Literal["provider_key"]
    """Always `provider_key`."""
    deleted: bool
    """Always true: the organisation has no key of this provider."""


class Delivery(_Base):
    """An event on its way to a webhook."""
    id: str
    """The id of a delivery."""
    object: Literal["delivery"]
    """Always `delivery`."""
    webhook_id: str
    """The id of a webhook."""
    event_id: str
    """The id of an event."""
    event_type: str
    """The type of the event."""
    status: DeliveryStatus
    source: DeliverySource
    attempts: list[DeliveryAttempt]
    """The attempts so far, oldest first."""
    waiting: Waiting | None
    """Why it is not sent now; null: an attempt is under way, or it has ended."""
    next_attempt_at: AwareDatetime | None
    """When the next attempt is due; null: none is."""
    error: str | None
    """Why the delivery ended without another attempt."""
    created_at: AwareDatetime
    """When it was created."""
    ended_at: AwareDatetime | None
    """When it ended; null before."""


class DeliveryAttempt(_Base):
    number: int
    """The number of the attempt, from 1."""
    at: AwareDatetime
    """When it began."""
    duration_ms: int | None
    """Null if the worker crashed during the attempt."""
    http_status: int | None
    """The status of the response; null without one."""
    error: str | None
    """Why the attempt failed; null if it was acknowledged."""
    request: DeliveryRequest
    response: DeliveryResponse | None


class DeliveryList(_Base):
    """One page of a list."""
    object: Literal["list"]
    """Always `list`."""
    data: list[Delivery]
    """The items of this page."""
    has_more: bool
    """Whether more items follow."""
    first_id: str | None
    """The first id of this page, for `before`."""
    last_id: str | None
    """The last id of this page, for `after`."""


class DeliveryRequest(_Base):
    """The request that was sent."""
    headers: dict[str, str] | None
    """The headers. Null in lists and after erasure."""
    body: str | None
    """The signed body. Null in lists and after erasure."""


class DeliveryResponse(_Base):
    """The response; null without one."""
    headers: dict[str, str]
    """The headers of the response."""
    body: str
    """The first 16 KiB."""


class Deployment(_Base):
    """The release of a version of an agent."""
    id: str
    """The id of a deployment."""
    object: Literal["deployment"]
    """Always `deployment`."""
    agent_id: str
    """The id of an agent."""
    version: int
    """The version of the agent that it releases."""
    status: DeploymentStatus
    traffic_percent: int
    """The share of new runs that use this version."""
    rollback_rules: list[DeploymentRule]
    """When the canary is rolled back automatically."""
    previous_deployment_id: str | None
    """The deployment that it replaced."""
    source: DeploymentSource
    created_by: str | None
    """The key or person that created it; null for the operator and the service."""
    created_at: AwareDatetime
    """When it was created."""
    rolled_back_at: AwareDatetime | None
    """When it was rolled back; null otherwise."""
    rollback_reason: str | None
    """Why it was rolled back; null otherwise."""


class DeploymentComparison(_Base):
    """A canary beside the running version."""
    object: Literal["deployment_comparison"]
    """Always `deployment_comparison`."""
    deployment_id: str
    """The id of a deployment."""
    status: DeploymentStatus
    until: AwareDatetime
    """The end of the window: now for a canary; else when it was promoted or rolled back."""
    window_seconds: int
    """
    Runs that were created within this time before `until` are compared: the longest window of the rules, 3,600
    without rules.
    """
    canary: DeploymentSide
    running: DeploymentSide | None
    """The version that was active when the deployment was created; null for the first deployment of an agent."""
    rules: list[RuleComparison]
    """The rollback rules, in their order."""
    bucket_seconds: int
    """The length of an interval of `series`."""
    series: list[ComparisonInterval]
    """The window in intervals, oldest first, 60 at most. An interval without an ended run is left out."""


class DeploymentCreatedEvent(_Base):
    """A new deployment was created."""
    id: str
    """The id of an event."""
    type: Literal["deployment.created"]
    """The type of the event."""
    created_at: AwareDatetime
    """When it happened."""
    data: Deployment


class DeploymentList(_Base):
    """One page of a list."""
    object: Literal["list"]
    """Always `list`."""
    data: list[Deployment]
    """The items of this page."""
    has_more: bool
    """Whether more items follow."""
    first_id: str | None
    """The first id of this page, for `before`."""
    last_id: str | None
    """The last id of this page, for `after`."""


class DeploymentRollbackEvent(_Base):
    """A deployment was rolled back; `reason` has the cause."""
    id: str
    """The id of an event."""
    type: Literal["deployment.rollback"]
    """The type of the event."""
    created_at: AwareDatetime
    """When it happened."""
    data: RolledBackDeployment


class DeploymentRule(_Base):
    metric: RollbackMetric
    above: float
    """The value above which the canary is rolled back."""
    min_runs: int
    """The minimum number of ended canary runs."""
    window_seconds: int
    """The age of the runs that are evaluated."""


class DeploymentSide(_Base):
    """The figures of one version in the window of the comparison."""
    deployment_id: str
    """The id of a deployment."""
    version: int
    """The version of the agent."""
    runs: int
    """The ended runs of the window, the newest 2000 at most. Cancelled runs are not counted."""
    failure_rate: MetricEstimate | None
    """Failed runs divided by ended runs, with Wilson bounds; null without runs."""
    latency_p50_ms: float | None
    """The median latency; null without runs."""
    latency_p95_ms: MetricEstimate | None
    """The 95th percentile of the latency, without the time spent waiting for people; null without runs."""
    cost_per_run_usd: MetricEstimate | None
    """The mean cost of a run whose cost is known; null without runs."""


class DisabledWebhook(_Base):
    """The webhook that was disabled."""
    id: str
    """The id of a webhook."""
    object: Literal["webhook"]
    """Always `webhook`."""
    url: str
    """The endpoint that receives the events."""
    events: list[str]
    """Event types; `*` selects all."""
    planned_events: list[str]
    """Those of `events` that the service does not send yet, because they are planned."""
    active: bool
    """Whether deliveries are sent."""
    description: str | None
    """Your own note."""
    secret_hint: str
    """The last characters of the signing secret."""
    status: WebhookStatus
    disabled_at: AwareDatetime | None
    """When it was disabled; null if it is active."""
    disabled_reason: WebhookDisabledReason | None
    failing_since: AwareDatetime | None
    """Since when all deliveries have failed."""
    missed_since: AwareDatetime | None
    """Events since this time may not have been delivered. To send them, use `POST /webhooks/{id}/recover`."""
    created_at: AwareDatetime
    """When it was created."""
    reason: str
    """Why it was disabled."""


class EmailProof(_Base):
    object: Literal["email_proof"]
    """Always `email_proof`."""
    email: str
    """The e-mail address."""
    proven: bool
    """Whether you have shown that you read its mail."""


class Error(_Base):
    error: ErrorContent


class ErrorContent(_Base):
    """The error."""
    type: ErrorType
    code: str
    """Stable, for programs. `/docs/errors` lists all codes. New codes can be added."""
    message: str
    """For people. The text can change."""
    reason: UnavailableReason | None
    """Why the service is `unavailable`; null for every other code."""
    param: str | None
    """The path of the invalid field."""
    request_id: str
    """Identifies the request in the logs of the service."""
    doc_url: str
    """The description of this code."""
    details: list[FieldError]
    """Every error that was found in the request."""


class EventList(_Base):
    """One page of a list."""
    object: Literal["list"]
    """Always `list`."""
    data: list[Event]
    """The items of this page."""
    has_more: bool
    """Whether more items follow."""
    first_id: str | None
    """The first id of this page, for `before`."""
    last_id: str | None
    """The last id of this page, for `after`."""


class FieldError(_Base):
    param: str | None
    """The path of the field; null: the whole request."""
    message: str
    """The error, for people."""


class FiringPeriod(_Base):
    from_: AwareDatetime = Field(alias="from")
    """When it would have fired."""
    to: AwareDatetime | None
    """When it would have resolved; null: it would still fire."""
    peak: float
    """The value farthest beyond the threshold."""


class HeldContent(_Base):
    """Content that a policy holds back until a person has decided."""
    object: Literal["held_content"]
    """Always `held_content`."""
    run_id: str
    """The id of a run."""
    action_id: str
    """The open action. Send your decision about the content with this id."""
    stage: PolicyStage
    policy_id: str
    """The policy that asks."""
    rule: str
    """The rule of the policy that asks, by its id."""
    content: Any = None
    """
    A text, or a JSON value: the input, the output of the agent, the arguments of a tool call, or the result of a
    tool.
    """


class Invitation(_Base):
    id: str
    """The id of an invitation."""
    object: Literal["invitation"]
    """Always `invitation`."""
    email: str
    """The invited e-mail address."""
    role: Role
    status: InvitationStatus
    invited_by: str | None
    """The user or API key that sent it; null for the operator of the service."""
    created_at: AwareDatetime
    """When it was created."""
    expires_at: AwareDatetime
    """When the link stops working."""


class InvitationList(_Base):
    """One page of a list."""
    object: Literal["list"]
    """Always `list`."""
    data: list[Invitation]
    """The items of this page."""
    has_more: bool
    """Whether more items follow."""
    first_id: str | None
    """The first id of this page, for `before`."""
    last_id: str | None
    """The last id of this page, for `after`."""


class KeyCredential(_Base):
    """An API key."""
    object: Literal["me"]
    """Always `me`."""
    type: Literal["api_key"]
    """The kind of credential."""
    id: str
    """The id of the API key."""
    organisation: Organisation
    scopes: list[Scope]
    """The permissions that it holds."""


class Member(_Base):
    """A person in the organisation."""
    id: str
    """The id of a member."""
    object: Literal["member"]
    """Always `member`."""
    user_id: str
    """The id of a user."""
    email: str
    """The e-mail address of the person."""
    name: str
    """The name of the person."""
    role: Role
    created_at: AwareDatetime
    """When it was created."""


class MemberList(_Base):
    """One page of a list."""
    object: Literal["list"]
    """Always `list`."""
    data: list[Member]
    """The items of this page."""
    has_more: bool
    """Whether more items follow."""
    first_id: str | None
    """The first id of this page, for `before`."""
    last_id: str | None
    """The last id of this page, for `after`."""


class MemberSummary(_Base):
    """A person in the organisation, without the e-mail address."""
    id: str
    """The id of a member."""
    object: Literal["member_summary"]
    """Always `member_summary`."""
    user_id: str
    """The id of a user."""
    name: str
    """The name of the person. Empty if the person has given none."""
    role: Role


class MemberSummaryList(_Base):
    """One page of a list."""
    object: Literal["list"]
    """Always `list`."""
    data: list[MemberSummary]
    """The items of this page."""
    has_more: bool
    """Whether more items follow."""
    first_id: str | None
    """The first id of this page, for `before`."""
    last_id: str | None
    """The last id of this page, for `after`."""


class Membership(_Base):
    id: str
    """The id of an organisation."""
    name: str
    """The name of the organisation."""
    role: Role


class MetricEstimate(_Base):
    """A figure of one side of a canary, with its bounds."""
    runs: int
    """The ended runs that have this figure."""
    value: float
    """The observed value."""
    at_least: float
    """The true value is not below this, with 99 % confidence."""
    at_most: float | None
    """The true value is not above this, with 99 % confidence; null: too few runs to say."""


class Model(_Base):
    id: str
    """`provider/model`, the value for `config.model` of an agent."""
    object: Literal["model"]
    """The type of this object."""
    provider: str
    """The part of the id before the slash."""
    is_pattern: bool
    """True: the id ends in `*`, which stands for any name. Replace it with a name of the provider."""
    price: ModelPrice | None
    """
    Null: the operator configured none. Runs on this model have no `cost_usd`, and agents on it cannot have a
    budget.
    """
    supports_tools: bool | None
    """Whether the model can call tools. Null: not known."""


class ModelList(_Base):
    """One page of a list."""
    object: Literal["list"]
    """Always `list`."""
    data: list[Model]
    """The items of this page."""
    has_more: bool
    """Whether more items follow."""
    first_id: str | None
    """The first id of this page, for `before`."""
    last_id: str | None
    """The last id of this page, for `after`."""


class ModelPrice(_Base):
    input_usd_per_million: float
    """US dollars for a million input tokens."""
    output_usd_per_million: float
    """US dollars for a million output tokens."""
    cached_input_usd_per_million: float
    """The same for input read from a cache."""
    cache_write_usd_per_million: float
    """The same for input written to a cache."""
    reasoning_usd_per_million: float
    """The same for reasoning tokens."""


class Notifications(_Base):
    object: Literal["notifications"]
    """Always `notifications`."""
    kinds: list[NotificationKind]
    """The kinds that you want. Default: for owners and admins all but `alert_info`; for others none."""
    email: str
    """Your e-mail address."""
    email_proven: bool
    """Whether it is proven. Others get no mail."""
    mail_enabled: bool
    """Whether this installation sends mail."""


class Organisation(_Base):
    """The organisation that the credential acts for."""
    id: str
    """The id of an organisation."""
    name: str
    """The name of the organisation."""
    plan: Plan
    max_key_lifetime_days: int | None
    """The longest life of a new API key, in days; null: no limit."""


class OrganisationDetails(_Base):
    """The organisation that the credential acts for, with its limits."""
    object: Literal["organisation"]
    """Always `organisation`."""
    id: str
    """The id of an organisation."""
    name: str
    """The name of the organisation."""
    plan: Plan
    max_key_lifetime_days: int | None
    """The longest life of a new API key, in days; null: no limit."""
    limits: OrganisationLimits
    monthly_budget_usd: float | None
    """US dollars a month, UTC; null: none."""
    budget_action: BudgetAction
    created_at: AwareDatetime
    """When it was created."""


class OrganisationLimits(_Base):
    """The limits of the plan, or others that the operator has set."""
    requests_per_minute: int
    """Requests per minute of one API key or person."""
    burst: int
    """The most requests of one API key or person at once."""
    calls_per_month: int
    """Runs per calendar month, UTC. 1,000,000,000,000 and more: no limit."""
    concurrent_runs: int
    """Runs that execute at the same time; others wait."""
    run_timeout_max_seconds: int
    """The longest timeout of a run, in seconds."""
    storage_bytes: int
    """The most bytes of runs that are stored."""
    run_retention_days: int
    """Days that ended runs and their events are kept."""


class PasswordReset(_Base):
    object: Literal["password_reset"]
    """Always `password_reset`."""
    user: User


class PasswordResetLink(_Base):
    object: Literal["password_reset_link"]
    """Always `password_reset_link`."""
    member_id: str
    """The id of a member."""
    link: str
    """Only this response contains the link. Give it only to this person."""
    mailed: bool
    """
    Whether the link is also sent by mail. False: this installation sends no mail, the address of the member is not
    proven, or a bound of mails is reached (3 to an address and 500 of an organisation within 24 hours; one
    invitation to an address per hour).
    """
    expires_at: AwareDatetime
    """When the link stops working."""


class Pipeline(_Base):
    """Steps that run agents and ask people, in the order of their dependencies."""
    id: str
    """The id of a pipeline."""
    object: Literal["pipeline"]
    """Always `pipeline`."""
    name: str
    """The name of the pipeline."""
    description: str | None
    """What the pipeline does, for people."""
    status: PipelineStatus
    version: int
    """The current version. New pipeline runs use it."""
    definition: PipelineDefinition
    metadata: dict[str, str]
    """Your own key-value pairs."""
    created_at: AwareDatetime
    """When it was created."""
    updated_at: AwareDatetime
    """When it was last changed."""
    archived_at: AwareDatetime | None
    """When it was archived; null if it is active."""


class PipelineApproval(_Base):
    """A question to a person."""
    message: str
    """The question, for people. It can have placeholders `${{ … }}`."""
    response_schema: dict[str, Any] | None = None
    """JSON Schema of the payload of the decision."""


class PipelineChange(_Base):
    path: str
    """The path of the field. A step has its key in it. `definition.steps` has the keys in order."""
    old: Any = None
    """The old value; null if there was none."""
    new: Any = None
    """The new value; null if there is none."""


class PipelineCheck(_Base):
    """The result of checking a definition."""
    object: Literal["pipeline_check"]
    """Always `pipeline_check`."""
    problems: list[PipelineProblem]
    """Everything that keeps the definition from being saved, at most 100. Empty: it can be saved."""


class PipelineCompletedEvent(_Base):
    """A pipeline run finished; `status` says how."""
    id: str
    """The id of an event."""
    type: Literal["pipeline.completed"]
    """The type of the event."""
    created_at: AwareDatetime
    """When it happened."""
    data: PipelineRun


class PipelineDefinition(_Base):
    """The steps of a pipeline and its output."""
    steps: list[PipelineStepDefinition]
    """The steps. A step starts when all steps in its `depends_on` have ended."""
    output: Any = None
    """A JSON value with placeholders `${{ … }}`. Without it, the output has the output of each final step by its key."""


class PipelineDiff(_Base):
    object: Literal["pipeline_diff"]
    """Always `pipeline_diff`."""
    pipeline_id: str
    """The id of a pipeline."""
    from_: int = Field(alias="from")
    """The version that is compared."""
    to: int
    """The version that it is compared with."""
    changes: list[PipelineChange]
    """The fields that differ."""


class PipelineItem(_Base):
    """One item of a step."""
    object: Literal["pipeline_item"]
    """Always `pipeline_item`."""
    item: int
    """The position of the item in the list of `for_each`, from 0."""
    attempt: int
    """The last attempt, from 1."""
    status: PipelineItemStatus
    run_id: str | None
    """The run of the last attempt; null without one."""
    error: PipelineStepError | None
    """Why the last attempt failed or was refused; null otherwise."""
    retry_at: AwareDatetime | None
    """When the next attempt starts; null: none is planned."""
    finished_at: AwareDatetime | None
    """When the item ended; null before."""


class PipelineItemCounts(_Base):
    """How far the items of the step are."""
    total: int
    """The number of items: 1 without `for_each`, 0 before the step starts."""
    completed: int
    """Items that have succeeded."""
    failed: int
    """Items that have failed or were cancelled."""
    running: int
    """Items that were started and have not ended."""


class PipelineItemList(_Base):
    """One page of a list."""
    object: Literal["list"]
    """Always `list`."""
    data: list[PipelineItem]
    """The items of this page."""
    has_more: bool
    """Whether more items follow."""
    first_id: str | None
    """The first id of this page, for `before`."""
    last_id: str | None
    """The last id of this page, for `after`."""


class PipelineList(_Base):
    """One page of a list."""
    object: Literal["list"]
    """Always `list`."""
    data: list[Pipeline]
    """The items of this page."""
    has_more: bool
    """Whether more items follow."""
    first_id: str | None
    """The first id of this page, for `before`."""
    last_id: str | None
    """The last id of this page, for `after`."""


class PipelineProblem(_Base):
    param: str
    """The path of the field."""
    message: str
    """The problem in words. The text can change."""
    position: int | None
    """Where it is in the text of the field, in UTF-16 code units from 0; null: the whole field."""


class PipelineRequiredAction(_Base):
    id: str
    """Send it as `action_id` with your decision. Of an approval step: its key."""
    type: RequiredActionType
    message: str
    """The question, for people."""
    tool_call: dict[str, Any] | None
    """The tool call in question, with its arguments."""
    response_schema: dict[str, Any] | None
    """JSON Schema of the payload to send with `respond`."""
    created_at: AwareDatetime
    """When it was created."""
    expires_at: AwareDatetime
    """The run fails with `action_timeout` at this time."""
    step: str
    """The key of the step that waits."""
    item: int
    """The item of the step, from 0."""
    run_id: str | None
    """
    The run that asks: send the decision to `POST /runs/{id}/action`. Null for an approval step: send it to `POST
    /pipeline-runs/{id}/action`.
    """


class PipelineRetry(_Base):
    """When a failed item is tried again."""
    attempts: int
    """The maximum number of attempts of an item, including the first."""
    on: list[str]
    """The error codes after which another attempt starts."""


class PipelineRun(_Base):
    """One execution of a pipeline."""
    id: str
    """The id of a pipeline run."""
    object: Literal["pipeline_run"]
    """Always `pipeline_run`."""
    pipeline_id: str
    """The pipeline."""
    status: PipelineRunStatus
    steps: list[PipelineStep]
    """The steps in order."""
    input: dict[str, Any]
    """The input of the pipeline; empty after the data was erased."""
    output: dict[str, Any] | None
    """The output of the pipeline; null without one. A value that is no object is in the field `result`."""
    error: PipelineRunError | None
    """Why it failed; null otherwise."""
    latency_ms: int | None
    """Milliseconds from creation to end; null before."""
    tokens_used: int
    """Input and output tokens of all steps."""
    created_at: AwareDatetime
    """When it was created."""
    finished_at: AwareDatetime | None
    """When it ended; null before."""
    pipeline_version: int
    """The version of the pipeline that it executes."""
    metadata: dict[str, str]
    """The metadata of the request."""
    required_actions: list[PipelineRequiredAction]
    """Open decisions of its steps."""
    rerun_of: str | None
    """The pipeline run whose outputs it reuses; null if it is no rerun."""
    from_step: str | None
    """The first step of a rerun that ran again; null otherwise."""
    cost_usd: float | None
    """The cost of all steps in US dollars; null if a model has no price."""
    created_by: str | None
    """The key or person that created it. Its steps run with the rights of that key or person."""
    erased_at: AwareDatetime | None
    """When its data was erased; null: it was not."""


class PipelineRunCancelledFrame(_Base):
    """The pipeline run was cancelled. The last frame of the stream."""
    type: Literal["pipeline_run.cancelled"]
    """Equal to `event` of the stream."""
    pipeline_run_id: str
    """The id of a pipeline run."""
    pipeline_run: PipelineRun
    """The whole pipeline run at its end."""


class PipelineRunCancellingFrame(_Base):
    """The pipeline run is being cancelled."""
    type: Literal["pipeline_run.cancelling"]
    """Equal to `event` of the stream."""
    pipeline_run_id: str
    """The id of a pipeline run."""


class PipelineRunCompletedFrame(_Base):
    """The pipeline run has succeeded. The last frame of the stream."""
    type: Literal["pipeline_run.completed"]
    """Equal to `event` of the stream."""
    pipeline_run_id: str
    """The id of a pipeline run."""
    pipeline_run: PipelineRun
    """The whole pipeline run at its end."""


class PipelineRunDiagnosis(_Base):
    pipeline_run_id: str
    """The id of a pipeline run."""
    status: PipelineRunStatus
    waiting_for: PipelineWaitReason
    message: str
    """The explanation, for people."""
    since: AwareDatetime | None
    """When this wait began."""
    steps: list[str]
    """The keys of the steps that run or wait."""
    run_ids: list[str]
    """Runs that it waits for, up to 10, oldest first."""
    action_ids: list[str]
    """Open actions that wait for a decision."""
    retry_at: AwareDatetime | None
    """When the next attempt is due."""
    last_progress_at: AwareDatetime | None
    """When it last made progress."""
    next_deadline_at: AwareDatetime | None
    """When it or a question of it times out next."""


class PipelineRunError(_Base):
    code: str
    """
    The cause, for programs: a code of a run or of a refused run, `expression_failed`, `approval_rejected`,
    `approval_expired`, `run_cancelled`, `too_many_runs`, `no_progress` or `timeout`.
    """
    message: str
    """The cause in words. The text can change."""
    step: str | None
    """The step that failed; null if none is the cause."""


class PipelineRunFailedFrame(_Base):
    """The pipeline run has failed. The last frame of the stream."""
    type: Literal["pipeline_run.failed"]
    """Equal to `event` of the stream."""
    pipeline_run_id: str
    """The id of a pipeline run."""
    pipeline_run: PipelineRun
    """The whole pipeline run at its end."""


class PipelineRunList(_Base):
    """One page of a list."""
    object: Literal["list"]
    """Always `list`."""
    data: list[PipelineRun]
    """The items of this page."""
    has_more: bool
    """Whether more items follow."""
    first_id: str | None
    """The first id of this page, for `before`."""
    last_id: str | None
    """The last id of this page, for `after`."""


class PipelineRunRequiresActionFrame(_Base):
    """The open decisions have changed."""
    type: Literal["pipeline_run.requires_action"]
    """Equal to `event` of the stream."""
    pipeline_run_id: str
    """The id of a pipeline run."""
    required_actions: list[PipelineRequiredAction]
    """The open decisions."""


class PipelineRunSnapshotFrame(_Base):
    """The first frame of every stream: the pipeline run as it is now."""
    type: Literal["pipeline_run.snapshot"]
    """Equal to `event` of the stream."""
    pipeline_run_id: str
    """The id of a pipeline run."""
    pipeline_run: PipelineRun
    """The pipeline run as it is now."""


class PipelineRunStepFrame(_Base):
    """A step has changed."""
    type: Literal["pipeline_run.step"]
    """Equal to `event` of the stream."""
    pipeline_run_id: str
    """The id of a pipeline run."""
    step: PipelineStep
    """The step as it is now."""


class PipelineStep(_Base):
    key: str
    """The key of the step in the pipeline."""
    run_id: str | None
    """The last run of the step; null if it did not run, with `for_each`, and for an approval."""
    status: PipelineStepStatus
    items: PipelineItemCounts
    error: PipelineStepError | None
    """Why the step failed; null otherwise."""
    decision: PipelineStepDecision | None
    """The decision on an approval step; null before, and for other steps."""
    started_at: AwareDatetime | None
    """When the step started; null before."""
    finished_at: AwareDatetime | None
    """When the step ended; null before."""


class PipelineStepDecision(_Base):
    type: PipelineDecisionType
    decided_by: str
    """The key or person that decided."""
    decided_at: AwareDatetime
    """When it was decided."""
    pipeline_run_id: str
    """The pipeline run that asked. In a rerun that keeps the decision, it is an earlier one."""


class PipelineStepDefinition(_Base):
    """A step, as it was sent: one with `agent_id` or an `approval`."""
    key: str
    """Unique within the pipeline. Expressions read `steps.<key>.output`."""
    depends_on: list[str] | None = None
    """The keys of the steps that must end before."""
    when: str | None = None
    """A CEL expression. If it is false, the step is skipped."""
    on_error: PipelineErrorPolicy | None = None
    """What a failure of the step means for the pipeline run. Default: `fail`."""
    timeout_seconds: int | None = None
    """The timeout of one run of the step, or how long an approval step waits for a person."""
    agent_id: str | None = None
    """The agent that the step runs. Required, unless the step is an approval."""
    input: Any = None
    """The input of the run: a JSON value with placeholders `${{ … }}`."""
    for_each: str | None = None
    """A CEL expression that returns a list. The step runs once for each item and returns the list of outputs."""
    max_parallel: int | None = None
    """The maximum number of items at the same time. Default: 10."""
    on_item_error: PipelineItemErrorPolicy | None = None
    """What a failed item means for the step. Default: `fail`."""
    retry: PipelineRetry | None = None
    approval: PipelineApproval | None = None


class PipelineStepError(_Base):
    code: str
    """
    The cause, for programs: a code of a run or of a refused run, `expression_failed`, `approval_rejected`,
    `approval_expired`, `run_cancelled`, `too_many_runs`, `no_progress` or `timeout`.
    """
    message: str
    """The cause in words. The text can change."""


class PipelineVersion(_Base):
    """One version of a pipeline. It never changes."""
    object: Literal["pipeline_version"]
    """Always `pipeline_version`."""
    pipeline_id: str
    """The id of a pipeline."""
    version: int
    """The number of the version, from 1."""
    name: str
    """The name of the pipeline."""
    description: str | None
    """What the pipeline does, for people."""
    definition: PipelineDefinition
    created_by: str | None
    """The key or person that created the version; null for the operator."""
    created_at: AwareDatetime
    """When it was created."""


class PipelineVersionList(_Base):
    """One page of a list."""
    object: Literal["list"]
    """Always `list`."""
    data: list[PipelineVersion]
    """The items of this page."""
    has_more: bool
    """Whether more items follow."""
    first_id: str | None
    """The first id of this page, for `before`."""
    last_id: str | None
    """The last id of this page, for `after`."""


class Policy(_Base):
    """Rules for everything that enters and leaves runs. It works where it is attached."""
    id: str
    """The id of a policy."""
    object: Literal["policy"]
    """Always `policy`."""
    name: str
    """The name of the policy."""
    description: str
    """What the policy is for."""
    status: PolicyStatus
    mode: PolicyMode
    shadow_until: AwareDatetime | None
    """When mode `shadow` ends; null in mode `enforce` and after the end."""
    version: int
    """Increases when the rules change."""
    template: str | None
    """The template that it was made from; null: none."""
    template_params: dict[str, Any] | None
    """The parameters of the template at that time."""
    rules: list[PolicyRule]
    """The rules of this version."""
    stream_delay: StreamDelay
    created_by: str
    """The id of an API key (`key_…`) or of a person (`usr_…`)."""
    created_at: AwareDatetime
    """When it was created."""
    updated_at: AwareDatetime
    """When it was last changed."""
    archived_at: AwareDatetime | None
    """When it was archived; null before."""


class PolicyAttachment(_Base):
    """Where a policy works."""
    id: str
    """The id of an attachment of a policy."""
    object: Literal["policy_attachment"]
    """Always `policy_attachment`."""
    policy_id: str
    """The id of a policy."""
    subject_type: PolicySubjectType
    subject_id: str
    """The organisation, agent or API key. All rotations of a key are one key."""
    new_runs_only: bool
    """Runs that were accepted before the attachment are not affected."""
    created_at: AwareDatetime
    """When it was created."""


class PolicyAttachmentList(_Base):
    """One page of a list."""
    object: Literal["list"]
    """Always `list`."""
    data: list[PolicyAttachment]
    """The items of this page."""
    has_more: bool
    """Whether more items follow."""
    first_id: str | None
    """The first id of this page, for `before`."""
    last_id: str | None
    """The last id of this page, for `after`."""


class PolicyList(_Base):
    """One page of a list."""
    object: Literal["list"]
    """Always `list`."""
    data: list[Policy]
    """The items of this page."""
    has_more: bool
    """Whether more items follow."""
    first_id: str | None
    """The first id of this page, for `before`."""
    last_id: str | None
    """The last id of this page, for `after`."""


class PolicyRule(_Base):
    """A check, where it looks, and what happens when it finds something."""
    id: str
    """Unique within the policy. Findings name the rule by it."""
    check: PolicyCheck
    stages: list[PolicyStage]
    """Where the rule looks."""
    action: PolicyAction
    params: dict[str, Any]
    """The parameters of the check, with their defaults."""


class PolicyTemplate(_Base):
    """A policy with parameters."""
    id: str
    """Same as `key`; used for paging."""
    object: Literal["policy_template"]
    """Always `policy_template`."""
    key: str
    """The key for `POST /policies`."""
    name: str
    """The name of the template."""
    description: str
    """What a policy of this template does."""
    params: list[PolicyTemplateParam]
    """What you can set."""
    rules: list[str]
    """The rules in words."""


class PolicyTemplateList(_Base):
    """One page of a list."""
    object: Literal["list"]
    """Always `list`."""
    data: list[PolicyTemplate]
    """The items of this page."""
    has_more: bool
    """Whether more items follow."""
    first_id: str | None
    """The first id of this page, for `before`."""
    last_id: str | None
    """The last id of this page, for `after`."""


class PolicyTemplateParam(_Base):
    name: str
    """The name of the parameter."""
    type: TemplateParamType
    description: str
    """What it means."""
    required: bool
    """Whether it has no default."""
    default: Any = None
    """The value if you send none; null: it is required."""
    values: list[str] | None
    """The values that it can have; null: any."""


class PolicyTrial(_Base):
    """What a policy would have done in past runs. Nothing is changed."""
    id: str
    """The id of a trial of a policy."""
    object: Literal["policy_trial"]
    """Always `policy_trial`."""
    policy_id: str
    """The id of a policy."""
    policy_version: int
    """The version that is tried."""
    since: AwareDatetime
    """Runs created from this time."""
    until: AwareDatetime
    """Runs created before this time."""
    agent_id: str | None
    """Only runs of this agent; null: all."""
    sample: int
    """The most runs that are looked at."""
    max_cost_usd: float | None
    """What remote checks may cost; null: none is made."""
    status: PolicyTrialStatus
    progress: TrialProgress
    coverage: TrialCoverage
    rules: list[TriedRule]
    """The rules, in their order."""
    delay_ms: TrialDelay
    cost_usd: float
    """What remote checks have cost."""
    samples: list[TrialSample]
    """At most 50 examples."""
    created_by: str
    """The id of an API key (`key_…`) or of a person (`usr_…`)."""
    created_at: AwareDatetime
    """When it was created."""
    ended_at: AwareDatetime | None
    """When it ended; null before."""


class PolicyTrialList(_Base):
    """One page of a list."""
    object: Literal["list"]
    """Always `list`."""
    data: list[PolicyTrial]
    """The items of this page."""
    has_more: bool
    """Whether more items follow."""
    first_id: str | None
    """The first id of this page, for `before`."""
    last_id: str | None
    """The last id of this page, for `after`."""


class PolicyUpdatedEvent(_Base):
    """A policy was created, changed, archived, attached or detached, or its time in mode `shadow` ended."""
    id: str
    """The id of an event."""
    type: Literal["policy.updated"]
    """The type of the event."""
    created_at: AwareDatetime
    """When it happened."""
    data: ChangedPolicy


class PolicyVersion(_Base):
    object: Literal["policy_version"]
    """Always `policy_version`."""
    policy_id: str
    """The id of a policy."""
    version: int
    """The number of the version."""
    rules: list[PolicyRule]
    """The rules of this version."""
    created_by: str
    """The id of an API key (`key_…`) or of a person (`usr_…`)."""
    created_at: AwareDatetime
    """When it was created."""


class PolicyVersionList(_Base):
    """One page of a list."""
    object: Literal["list"]
    """Always `list`."""
    data: list[PolicyVersion]
    """The items of this page."""
    has_more: bool
    """Whether more items follow."""
    first_id: str | None
    """The first id of this page, for `before`."""
    last_id: str | None
    """The last id of this page, for `after`."""


class PromptMessage(_Base):
    role: PromptRole
    content: str
    """The text that the model receives."""


class ProviderKey(_Base):
    """The key of a model provider with which the agents of the organisation are called. The key is never shown."""
    id: KeyedProvider
    object: Literal["provider_key"]
    """Always `provider_key`."""
    key_hint: str | None
    """The last characters of the key; null if it is short."""
    created_by: str
    """The key or person that entered it last."""
    created_at: AwareDatetime
    """When it was created."""
    updated_at: AwareDatetime
    """When it was entered last."""


class ProviderKeyList(_Base):
    """One page of a list."""
    object: Literal["list"]
    """Always `list`."""
    data: list[ProviderKey]
    """The items of this page."""
    has_more: bool
    """Whether more items follow."""
    first_id: str | None
    """The first id of this page, for `before`."""
    last_id: str | None
    """The last id of this page, for `after`."""


class Recovery(_Base):
    id: str
    """The id of a recovery."""
    object: Literal["recovery"]
    """Always `recovery`."""
    webhook_id: str
    """The id of a webhook."""
    since: AwareDatetime
    """The start of the time that is searched."""
    until: AwareDatetime
    """The end of the time that is searched."""
    status: RecoveryStatus
    progress: RecoveryProgress
    created_at: AwareDatetime
    """When it was created."""
    ended_at: AwareDatetime | None
    """When it ended; null before."""


class RecoveryList(_Base):
    """One page of a list."""
    object: Literal["list"]
    """Always `list`."""
    data: list[Recovery]
    """The items of this page."""
    has_more: bool
    """Whether more items follow."""
    first_id: str | None
    """The first id of this page, for `before`."""
    last_id: str | None
    """The last id of this page, for `after`."""


class RecoveryProgress(_Base):
    """How far it is."""
    found: int
    """Unacknowledged events found; each becomes a delivery."""
    delivered: int
    """Deliveries that succeeded."""
    failed: int
    """Deliveries that failed."""
    scanned_until: AwareDatetime | None
    """Events up to this time were checked."""


class RefreshedConnector(_Base):
    object: Literal["connector_refresh"]
    """Always `connector_refresh`."""
    connector: Connector
    off: list[ConnectorTool]
    """The tools that are not approved as they are listed now."""
    refused: list[RefusedTool]
    """Listed tools that can never be approved, at most 100. Characters outside ASCII are shown as `U+0435`."""


class RefusedTool(_Base):
    name: str
    """The name that the server lists."""
    reason: str
    """Why it can never be approved."""


class ReleasedAgent(_Base):
    id: str
    """The id of an agent."""
    object: Literal["agent"]
    """Always `agent`."""
    name: str
    """The name of the agent."""
    description: str | None
    """What the agent does, for people."""
    status: AgentStatus
    kind: AgentKind
    source: AgentSource
    catalog_key: str | None
    """The catalog agent that was hired; null for a custom agent."""
    catalog_version: int | None
    """The version of the catalog agent that was hired."""
    catalog_latest: int | None
    """The current version in the catalog. To adopt it, send `PATCH {"catalog_version": n}`."""
    version: int
    """The newest released version, fully or as a canary."""
    config: dict[str, Any]
    """Model, instructions and tools, or the endpoint of a remote agent."""
    input_schema: dict[str, Any] | None
    """JSON Schema of the input."""
    output_schema: dict[str, Any] | None
    """JSON Schema of the output."""
    limits: AgentLimits
    policies: list[str]
    """The ids of the policies attached to it. Read-only: `POST /policies/{id}/attachments` attaches one."""
    metadata: dict[str, str]
    """Your own key-value pairs."""
    created_at: AwareDatetime
    """When it was created."""
    updated_at: AwareDatetime
    """When it was last changed."""
    archived_at: AwareDatetime | None
    """When it was archived; null if it is active."""
    monthly_budget_usd: float | None
    """US dollars a month, UTC; null: none."""
    budget_action: BudgetAction
    deployment: Deployment | None
    """The deployment that this request created; null if nothing changed."""


class RequiredAction(_Base):
    id: str
    """Send it as `action_id` with your decision."""
    type: RequiredActionType
    message: str
    """The question, for people."""
    tool_call: dict[str, Any] | None
    """The tool call in question, with its arguments."""
    response_schema: dict[str, Any] | None
    """JSON Schema of the payload to send with `respond`."""
    created_at: AwareDatetime
    """When it was created."""
    expires_at: AwareDatetime
    """The run fails with `action_timeout` at this time."""


class RevokedApiKey(_Base):
    id: str
    """The id of an API key."""
    object: Literal["api_key"]
    """Always `api_key`."""
    name: str
    """The name of the key, for people."""
    kind: ApiKeyKind
    prefix: str
    """The first characters of the key: `ars_live_` or `ars_demo_`."""
    hint: str
    """The last four characters of the key."""
    scopes: list[Scope]
    """The permissions that it holds."""
    agent_ids: list[str] | None
    """The only agents that the key can use; null: all agents of the organisation."""
    expires_at: AwareDatetime | None
    """When the key stops working; null: never."""
    last_used_at: AwareDatetime | None
    """When the key was last used. Updated about every 10 seconds."""
    created_by: str | None
    """The key or person that created it; null for the operator."""
    created_at: AwareDatetime
    """When it was created."""
    revoked_at: AwareDatetime | None
    """When the key was revoked."""
    rotated_to: str | None
    """The key that replaces it."""
    grace_until: AwareDatetime | None
    """When a rotated key stops working."""
    exposed_at: AwareDatetime | None
    """When the key was sent over plain HTTP, where others can read it. Rotate such a key."""
    monthly_budget_usd: float | None
    """US dollars a month, UTC; null: none."""
    budget_action: BudgetAction
    descendants_revoked: int
    """How many keys below this one the request revoked. 0 without `descendants=true`."""


class RolledBackDeployment(_Base):
    """The deployment that was rolled back."""
    id: str
    """The id of a deployment."""
    object: Literal["deployment"]
    """Always `deployment`."""
    agent_id: str
    """The id of an agent."""
    version: int
    """The version of the agent that it releases."""
    status: DeploymentStatus
    traffic_percent: int
    """The share of new runs that use this version."""
    rollback_rules: list[DeploymentRule]
    """When the canary is rolled back automatically."""
    previous_deployment_id: str | None
    """The deployment that it replaced."""
    source: DeploymentSource
    created_by: str | None
    """The key or person that created it; null for the operator and the service."""
    created_at: AwareDatetime
    """When it was created."""
    rolled_back_at: AwareDatetime | None
    """When it was rolled back; null otherwise."""
    rollback_reason: str | None
    """Why it was rolled back; null otherwise."""
    reason: str
    """Why it was rolled back."""


class RuleComparison(_Base):
    """A rollback rule and the figures by which it is evaluated."""
    metric: RollbackMetric
    above: float
    """The value above which the canary is rolled back."""
    min_runs: int
    """The minimum number of ended canary runs."""
    window_seconds: int
    """The age of the runs that are evaluated."""
    canary: MetricEstimate | None
    """The metric of the canary in the window of the rule; null without runs."""
    running: MetricEstimate | None
    """The metric of the running version in the window of the rule; null without runs."""
    runs_needed: int
    """How many runs of the canary must still end before the rule is evaluated."""
    is_broken: bool
    """
    True: `canary.at_least` is above the threshold and `canary.value` is worse than `running.value`, so a canary is
    rolled back.
    """


class Run(_WithOutput):
    """One execution of an agent."""
    id: str
    """The id of a run."""
    status: RunStatus
    output: dict[str, Any] | None
    """The result; null before the end. Text is in the field `result`."""
    latency_ms: int | None
    """Milliseconds from `created_at` to `finished_at`; null before the end."""
    tokens_used: int
    """Input and output tokens together. Informational: the quota counts runs."""
    created_at: AwareDatetime
    """When it was created."""
    agent_id: str
    """The agent that executes the run."""
    object: Literal["run"]
    """Always `run`."""
    agent_version: int
    """The version of the agent that executes the run."""
    deployment_id: str | None
    """The deployment that selected this version."""
    input: dict[str, Any]
    """The input of the request; empty after the data was erased."""
    error: RunError | None
    """Why the run failed; null otherwise."""
    required_actions: list[RequiredAction]
    """Open decisions of a run in `requires_action`."""
    usage: RunUsage
    timing: RunTiming
    metadata: dict[str, str]
    """The metadata of the request."""
    pipeline_run_id: str | None
    """The pipeline run that this run belongs to."""
    parent_run_id: str | None
    """The run that created this run."""
    created_by: str
    """The key or person that created it. A short-lived token counts as its creator."""
    started_at: AwareDatetime | None
    """Start of the first step; null before."""
    finished_at: AwareDatetime | None
    """End of the run; null before."""
    erased_at: AwareDatetime | None
    """
    When the data of the run was erased: input, output, metadata, steps, and the message and details of its error.
    Null: it was not.
    """
    input_preview: str | None = None
    """Only with `view=summary`: the first 200 characters of `input` as JSON."""
    output_preview: str | None = None
    """Only with `view=summary`: the first 200 characters of `output` as JSON; null without output."""


class RunCancelledEvent(_Base):
    """A run was cancelled."""
    id: str
    """The id of an event."""
    type: Literal["run.cancelled"]
    """The type of the event."""
    created_at: AwareDatetime
    """When it happened."""
    data: Run


class RunCancelledFrame(_Base):
    """The run was cancelled. The last frame of the stream."""
    type: Literal["run.cancelled"]
    """Equal to `event` of the stream."""
    run_id: str
    """The id of a run."""
    created_at: AwareDatetime
    """When it happened."""
    run: Run
    """The whole run at its end."""


class RunCancellingFrame(_Base):
    """The run is being cancelled."""
    type: Literal["run.cancelling"]
    """Equal to `event` of the stream."""
    run_id: str
    """The id of a run."""
    created_at: AwareDatetime
    """When it happened."""


class RunCompletedEvent(_Base):
    """An agent run finished successfully."""
    id: str
    """The id of an event."""
    type: Literal["run.completed"]
    """The type of the event."""
    created_at: AwareDatetime
    """When it happened."""
    data: Run


class RunCompletedFrame(_Base):
    """The run has succeeded. The last frame of the stream."""
    type: Literal["run.completed"]
    """Equal to `event` of the stream."""
    run_id: str
    """The id of a run."""
    created_at: AwareDatetime
    """When it happened."""
    run: Run
    """The whole run at its end."""


class RunCreatedFrame(_Base):
    """The run was accepted."""
    type: Literal["run.created"]
    """Equal to `event` of the stream."""
    run_id: str
    """The id of a run."""
    created_at: AwareDatetime
    """When it happened."""


class RunDiagnosis(_Base):
    run_id: str
    """The id of a run."""
    status: RunStatus
    waiting_for: RunWaitReason
    message: str
    """The explanation, for people."""
    since: AwareDatetime | None
    """When this wait began."""
    queue_position: int | None
    """
    Position in the queue. For a credential that does not see every run of the organisation: among the runs that it
    sees.
    """
    blocked_by: list[str]
    """Runs that hold its slots, up to ten. Those that the credential sees."""
    retry_at: AwareDatetime | None
    """When the next attempt is due."""
    action_ids: list[str]
    """Open actions that wait for a decision."""
    last_progress_at: AwareDatetime | None
    """When the run last made progress."""
    next_deadline_at: AwareDatetime | None
    """When the run times out next."""


class RunError(_Base):
    code: RunErrorCode
    message: str
    """The cause in words. The text can change."""
    retryable: bool
    """Whether a new run with the same input can succeed."""
    details: dict[str, Any] | None
    """More about the cause, depending on `code`."""


class RunFailedEvent(_Base):
    """An agent run failed or timed out; `error` has the cause."""
    id: str
    """The id of an event."""
    type: Literal["run.failed"]
    """The type of the event."""
    created_at: AwareDatetime
    """When it happened."""
    data: Run


class RunFailedFrame(_Base):
    """The run has failed. The last frame of the stream."""
    type: Literal["run.failed"]
    """Equal to `event` of the stream."""
    run_id: str
    """The id of a run."""
    created_at: AwareDatetime
    """When it happened."""
    run: Run
    """The whole run at its end."""


class RunGuardrailFrame(_Base):
    """A policy has found something. The content itself is not shown."""
    type: Literal["run.guardrail"]
    """Equal to `event` of the stream."""
    run_id: str
    """The id of a run."""
    created_at: AwareDatetime
    """When it happened."""
    step: int
    """The number of the step; 0 for the input."""
    stage: PolicyStage
    """Where it was found."""
    policy_id: str
    """The id of a policy."""
    policy_version: int
    """The version of the policy."""
    rule: str
    """The id of the rule within the policy."""
    check: str
    """The check of the rule."""
    action: PolicyAction
    """What the rule does."""
    enforced: bool
    """`false`: the policy is in shadow mode, so nothing happened."""
    reason: str
    """Why, in words."""
    count: int
    """How many pieces were found."""


class RunList(_Base):
    """One page of a list."""
    object: Literal["list"]
    """Always `list`."""
    data: list[Run]
    """The items of this page."""
    has_more: bool
    """Whether more items follow."""
    first_id: str | None
    """The first id of this page, for `before`."""
    last_id: str | None
    """The last id of this page, for `after`."""


class RunOutputDeltaFrame(_Base):
    """A part of the text that the agent produces."""
    type: Literal["run.output.delta"]
    """Equal to `event` of the stream."""
    run_id: str
    """The id of a run."""
    created_at: AwareDatetime
    """When it happened."""
    step: int
    """The number of the step, from 1."""
    delta: str
    """Text to append to the output of this step."""


class RunOutputResetFrame(_Base):
    """A step is repeated or ended in tool calls: drop the text of its deltas."""
    type: Literal["run.output.reset"]
    """Equal to `event` of the stream."""
    run_id: str
    """The id of a run."""
    created_at: AwareDatetime
    """When it happened."""
    step: int
    """The number of the step, from 1."""


class RunRequiresActionEvent(_Base):
    """A run waits for a person."""
    id: str
    """The id of an event."""
    type: Literal["run.requires_action"]
    """The type of the event."""
    created_at: AwareDatetime
    """When it happened."""
    data: Run


class RunRequiresActionFrame(_Base):
    """The run waits for a person."""
    type: Literal["run.requires_action"]
    """Equal to `event` of the stream."""
    run_id: str
    """The id of a run."""
    created_at: AwareDatetime
    """When it happened."""
    required_actions: list[RequiredAction]
    """The open decisions."""


class RunResumedFrame(_Base):
    """The run continues after a decision."""
    type: Literal["run.resumed"]
    """Equal to `event` of the stream."""
    run_id: str
    """The id of a run."""
    created_at: AwareDatetime
    """When it happened."""


class RunShare(_Base):
    """A link with which anyone can read one run."""
    id: str
    """The id of a link to a run."""
    object: Literal["run_share"]
    """Always `run_share`."""
    run_id: str
    """The only run that the link shows."""
    created_by: str
    """The key or person that made the link. The link ends with it."""
    created_at: AwareDatetime
    """When it was created."""
    expires_at: AwareDatetime
    """When the link stops working."""


class RunShareList(_Base):
    """One page of a list."""
    object: Literal["list"]
    """Always `list`."""
    data: list[RunShare]
    """The items of this page."""
    has_more: bool
    """Whether more items follow."""
    first_id: str | None
    """The first id of this page, for `before`."""
    last_id: str | None
    """The last id of this page, for `after`."""


class RunSnapshotFrame(_Base):
    """Stands for earlier frames that are no longer kept: the state of the run."""
    type: Literal["run.snapshot"]
    """Equal to `event` of the stream."""
    run_id: str
    """The id of a run."""
    created_at: AwareDatetime
    """When it happened."""
    run: Run
    """The run as it is now."""


class RunStartedFrame(_Base):
    """The first step of the run begins."""
    type: Literal["run.started"]
    """Equal to `event` of the stream."""
    run_id: str
    """The id of a run."""
    created_at: AwareDatetime
    """When it happened."""


class RunStep(_Base):
    object: Literal["run_step"]
    """Always `run_step`."""
    number: int
    """The number of the step, from 1."""
    type: RunStepType
    """`model`: a model call. `tools`: tool calls. `remote`: a call of a remote agent."""
    status: RunStepStatus
    """`failed`: the run failed in this step, or ended before the step did."""
    model: str | None
    """The model that answered, as `provider/model`; null without a model call."""
    text: str | None
    """The text that the model produced in this step."""
    tool_calls: list[RunToolCall]
    """The tool calls of this step."""
    decisions: list[ActionDecision]
    """Decisions of people in this step, with their reasons."""
    attempts: list[StepAttempt]
    """
    The failed tries of the model provider or remote agent in this step, the last 10 at most. A step that succeeded
    at once has none.
    """
    usage: RunUsage
    started_at: AwareDatetime
    """When the step began."""
    finished_at: AwareDatetime | None
    """When the step ended; null before."""
    duration_ms: int | None
    """Milliseconds from begin to end; null before the end."""


class RunStepCompletedFrame(_Base):
    """A step has ended and is stored."""
    type: Literal["run.step.completed"]
    """Equal to `event` of the stream."""
    run_id: str
    """The id of a run."""
    created_at: AwareDatetime
    """When it happened."""
    step: int
    """The number of the step, from 1."""
    status: RunStepStatus
    model: str | None
    """The model that answered; null without one."""
    usage: RunUsage
    """Tokens and cost of the step."""
    duration_ms: int
    """Milliseconds from begin to end."""


class RunStepList(_Base):
    """One page of a list."""
    object: Literal["list"]
    """Always `list`."""
    data: list[RunStep]
    """The items of this page."""
    has_more: bool
    """Whether more items follow."""
    first_id: str | None
    """The first id of this page, for `before`."""
    last_id: str | None
    """The last id of this page, for `after`."""


class RunStepStartedFrame(_Base):
    """A step begins."""
    type: Literal["run.step.started"]
    """Equal to `event` of the stream."""
    run_id: str
    """The id of a run."""
    created_at: AwareDatetime
    """When it happened."""
    step: int
    """The number of the step, from 1."""
    step_type: RunStepType
    model: str | None
    """The model of the agent, as `provider/model`; null without a model call."""


class RunTiming(_Base):
    """Where the time of the run was spent."""
    queue_ms: int | None
    """Milliseconds before the first step; null before it."""
    execution_ms: int | None
    """Milliseconds in execution; null before the end."""
    waiting_ms: int
    """Milliseconds of waiting for people."""


class RunToolCall(_Base):
    name: str
    """The name of the tool."""
    connector_id: str | None
    """The connector of the tool; null for built-in tools."""
    arguments: dict[str, Any]
    """The arguments of the call."""
    status: ToolCallStatus
    result: Any = None
    """The result of the tool; null before."""
    decision: ActionDecision | None
    """The approval or rejection of this call, with its reason."""
    started_at: AwareDatetime | None
    """When the call began; null before."""
    finished_at: AwareDatetime | None
    """When the call ended; null before."""


class RunToolCallCompletedFrame(_Base):
    """A tool call has ended."""
    type: Literal["run.tool_call.completed"]
    """Equal to `event` of the stream."""
    run_id: str
    """The id of a run."""
    created_at: AwareDatetime
    """When it happened."""
    step: int
    """The number of the step, from 1."""
    call: int
    """The number of the tool call within the step."""
    name: str
    """The name of the tool."""
    status: ToolCallOutcome
    result: Any = None
    """The result of the tool, or its error."""


class RunToolCallStartedFrame(_Base):
    """A tool is called."""
    type: Literal["run.tool_call.started"]
    """Equal to `event` of the stream."""
    run_id: str
    """The id of a run."""
    created_at: AwareDatetime
    """When it happened."""
    step: int
    """The number of the step, from 1."""
    call: int
    """The number of the tool call within the step."""
    name: str
    """The name of the tool."""
    arguments: dict[str, Any]
    """The arguments of the call."""


class RunUsage(_Base):
    """Tokens and cost of the model calls."""
    input_tokens: int
    """Tokens that models read."""
    output_tokens: int
    """Tokens that models wrote."""
    cached_input_tokens: int
    """Input tokens that were read from a cache."""
    cache_write_tokens: int
    """Input tokens that were written to a cache."""
    reasoning_tokens: int
    """Output tokens that models spent on reasoning."""
    cost_usd: float | None
    """The cost in US dollars; null if a model has no price."""


class Schedule(_Base):
    """Starts an agent or a pipeline at its dates."""
    id: str
    """The id of a schedule."""
    object: Literal["schedule"]
    """Always `schedule`."""
    name: str
    """The name of the schedule."""
    status: ScheduleStatus
    cron: str | None
    """Five fields: minute, hour, day of month, month, day of week. Null: the schedule has another timing."""
    time_zone: str | None
    """
    The IANA time zone of `cron`, such as Europe/Berlin. Dates in an hour that the clocks skip fire once, after it;
    in an hour that they show twice they fire once.
    """
    interval_seconds: int | None
    """Seconds between two dates, from the time at which this was set. Null: the schedule has another timing."""
    once_at: AwareDatetime | None
    """The only date. Null: the schedule has another timing."""
    agent_id: str | None
    """The agent that each firing runs; null: the target is a pipeline."""
    pipeline_id: str | None
    """The pipeline that each firing runs; null: the target is an agent."""
    input: dict[str, Any]
    """The input of each run."""
    metadata: dict[str, str]
    """The metadata of each run."""
    missed: ScheduleMissed
    overlap: ScheduleOverlap
    monthly_budget_usd: float | None
    """US dollars a month, UTC, for the runs of this schedule; null: none. When they are spent, firings are skipped."""
    spent_usd: float
    """The cost of its runs that ended in this month."""
    pause_reason: SchedulePauseReason | None
    """Why it is paused; null: it is not."""
    paused_at: AwareDatetime | None
    """When it was paused; null: it is not."""
    next_dates: list[AwareDatetime]
    """The next five dates, or as many as there are. Empty while it is paused."""
    created_by: str
    """
    The key or person as which its runs start. The right is checked at every firing. Changing target or input makes
    the caller the creator.
    """
    created_at: AwareDatetime
    """When it was created."""
    updated_at: AwareDatetime
    """When it was changed last."""


class ScheduleFiring(_Base):
    """A date of a schedule, and what came of it."""
    id: str
    """The id of a firing of a schedule."""
    object: Literal["schedule_firing"]
    """Always `schedule_firing`."""
    schedule_id: str
    """The id of a schedule."""
    kind: ScheduleFiringKind
    date: AwareDatetime
    """The date that was due, or the time of the request."""
    missed_from: AwareDatetime | None
    """The first of the dates up to `date` that were missed. This firing stands for all of them. Null: none was."""
    status: ScheduleFiringStatus
    code: str | None
    """
    Why it was skipped (`missed`, `overlap`, `budget_exhausted`, `schedule_paused`, `schedule_deleted`), or why it
    failed: the code of the error, or `outcome_unknown` if the service stopped for a day while it started the
    target; null: neither.
    """
    waiting: Waiting | None
    """Why it does not start now; null: it starts, or it does not wait."""
    run_id: str | None
    """The run that it started; null: none."""
    pipeline_run_id: str | None
    """The pipeline run that it started; null: none."""
    created_at: AwareDatetime
    """When it was created."""
    started_at: AwareDatetime | None
    """When it started; null: it did not."""
    ended_at: AwareDatetime | None
    """When it was skipped or failed, or when its run was found to have ended; null before."""


class ScheduleFiringList(_Base):
    """One page of a list."""
    object: Literal["list"]
    """Always `list`."""
    data: list[ScheduleFiring]
    """The items of this page."""
    has_more: bool
    """Whether more items follow."""
    first_id: str | None
    """The first id of this page, for `before`."""
    last_id: str | None
    """The last id of this page, for `after`."""


class ScheduleList(_Base):
    """One page of a list."""
    object: Literal["list"]
    """Always `list`."""
    data: list[Schedule]
    """The items of this page."""
    has_more: bool
    """Whether more items follow."""
    first_id: str | None
    """The first id of this page, for `before`."""
    last_id: str | None
    """The last id of this page, for `after`."""


class SchedulePausedEvent(_Base):
    """
    The service paused a schedule, because its creator may not start its target any more; `pause_reason` has the
    cause.
    """
    id: str
    """The id of an event."""
    type: Literal["schedule.paused"]
    """The type of the event."""
    created_at: AwareDatetime
    """When it happened."""
    data: Schedule


class Session(_Base):
    """A browser session of a person."""
    object: Literal["session"]
    """Always `session`."""
    type: Literal["session"]
    """The kind of credential."""
    id: str
    """The id of a session."""
    user: User
    organisation: Organisation
    role: Role
    scopes: list[Scope]
    """The permissions that it holds."""
    organisations: list[Membership]
    """All organisations of the person, with the role in each."""
    expires_at: AwareDatetime
    """The latest end of the session. It ends earlier if it is not used."""


class SessionRecord(_Base):
    id: str
    """The id of a session."""
    object: Literal["session_record"]
    """Always `session_record`."""
    organisation_id: str
    """The id of an organisation."""
    is_current: bool
    """Whether this request uses it."""
    created_at: AwareDatetime
    """When it was created."""
    seen_at: AwareDatetime
    """When it was last used, accurate to about a minute."""
    expires_at: AwareDatetime
    """When it ends at the latest."""
    ended_at: AwareDatetime | None
    """When it ended; null if it is active."""
    address: str | None
    """The IP address at login."""
    user_agent: str | None
    """The browser at login."""


class SessionRecordList(_Base):
    """One page of a list."""
    object: Literal["list"]
    """Always `list`."""
    data: list[SessionRecord]
    """The items of this page."""
    has_more: bool
    """Whether more items follow."""
    first_id: str | None
    """The first id of this page, for `before`."""
    last_id: str | None
    """The last id of this page, for `after`."""


class SessionToken(_Base):
    object: Literal["session_token"]
    """Always `session_token`."""
    token: str
    """The complete token. Only this response contains it."""
    scopes: list[Scope]
    """The permissions that it holds."""
    run_id: str | None
    """The only run that the token can use; null: the runs that it creates."""
    expires_at: AwareDatetime
    """When the token stops working."""


class StepAttempt(_Base):
    started_at: AwareDatetime
    """When the try began."""
    error: StepAttemptError


class StepAttemptError(_Base):
    """Why the try failed."""
    code: str
    """The error code, as in the `error` of a run."""
    message: str
    """What went wrong, for people, at most 300 characters."""


class StreamDelay(_Base):
    """How the policy delays streams of output."""
    mode: StreamDelayMode
    chars: int | None
    """How many characters are held back; null: all."""


class TestEvent(_Base):
    """A test event was requested; it is sent to one webhook only."""
    id: str
    """The id of an event."""
    type: Literal["test"]
    """The type of the event."""
    created_at: AwareDatetime
    """When it happened."""
    data: TestEventData


class TestEventData(_Base):
    """The data of a test event."""
    message: str
    """A fixed text."""
    webhook_id: str
    """The id of a webhook."""


class TokenCredential(_Base):
    """A short-lived token."""
    object: Literal["me"]
    """Always `me`."""
    type: Literal["session_token"]
    """The kind of credential."""
    id: str
    """The key or user that created the token."""
    organisation: Organisation
    scopes: list[Scope]
    """The permissions that it holds."""


class ToolCounts(_Base):
    """The number of tools by state. Agents get approved tools only."""
    approved: int
    """Tools that agents can use."""
    pending: int
    """Tools that were never approved."""
    changed: int
    """Tools that differ from what was approved."""
    gone: int
    """Tools that the server no longer lists."""


class ToolHints(_Base):
    """The annotations of the server, with the defaults of MCP where it sends none."""
    read_only: bool
    """It changes nothing."""
    destructive: bool
    """It can delete or overwrite."""
    idempotent: bool
    """A repeated call has no further effect."""
    open_world: bool
    """It reaches systems outside the server."""


class ToolManifest(_Base):
    """A tool as its server lists it."""
    name: str
    """The name of the tool."""
    title: str | None
    """The name for people."""
    description: str
    """What the tool does. Models read it."""
    input_schema: dict[str, Any]
    """JSON Schema of the arguments."""
    output_schema: dict[str, Any] | None
    """JSON Schema of the result."""
    hints: ToolHints


class TrialCoverage(_Base):
    """What the trial could see."""
    runs: int
    """Runs that were judged."""
    contents: int
    """Inputs, texts, tool calls and results that were judged."""
    erased: int
    """Runs whose data was erased."""
    expired: int
    """About how many runs are older than the retention time, so they are deleted."""
    redacted: int
    """Judged runs in which an earlier policy has redacted something."""


class TrialDelay(_Base):
    """How long the checks of one content took, in milliseconds."""
    p50: float | None
    """Of half of the contents at most; null: none was checked."""
    p95: float | None
    """Of 95 % of the contents at most."""


class TrialProgress(_Base):
    """How far it is."""
    seen: int
    """Runs that were looked at."""
    total: int | None
    """About how many there are to look at; null: not counted yet."""


class TrialSample(_Base):
    """An example of what a rule has found."""
    run_id: str
    """The id of a run."""
    rule: str
    """The id of the rule."""
    stage: PolicyStage
    action: PolicyAction
    excerpt: str
    """The text around what was found, which is masked."""


class TriedRule(_Base):
    """What a rule would have done."""
    rule: str
    """The id of the rule."""
    check: PolicyCheck
    action: PolicyAction
    contents: int
    """Contents at the stages of the rule."""
    blocked: int
    """Contents that it would have blocked."""
    redacted: int
    """Contents that it would have redacted."""
    asked: int
    """Contents for which it would have asked a person."""
    flagged: int
    """Contents that it would have flagged."""
    runs: int
    """Runs in which it has found something."""
    failed: int
    """Contents that could not be checked. Live, they count as found."""
    skipped: int
    """Contents that a remote check did not see, for lack of `max_cost_usd`."""


class Usage(_Base):
    """The limits of the plan, and how much of them a month has used."""
    object: Literal["usage"]
    """Always `usage`."""
    plan: Plan
    period: UsagePeriod
    calls: UsageCalls
    rate_limit: UsageRateLimit
    concurrency: UsageConcurrency
    storage: UsageStorage
    as_of: AwareDatetime
    """Runs that ended before this time are in the figures below."""
    totals: UsageFigures
    by_agent: list[UsageOfAgent]
    """Most runs first, at most 1,000."""
    by_api_key: list[UsageOfApiKey]
    """A rotated pair counts as its first key. Empty for a narrowed key."""
    by_day: list[UsageOfDay]
    """Oldest first. Days without runs are left out."""


class UsageCalls(_Base):
    """Accepted runs of the organisation. Exact at all times."""
    used: int
    """Accepted runs."""
    limit: int
    """The quota. 1,000,000,000,000 and more: no limit."""
    remaining: int
    """How many are left."""


class UsageConcurrency(_Base):
    """Of now."""
    used: int
    """Runs that execute."""
    limit: int
    """The most at the same time."""


class UsageFigures(_Base):
    """Figures of ended runs."""
    runs: int
    """Ended runs."""
    completed: int
    """Completed runs."""
    failed: int
    """Failed runs."""
    cancelled: int
    """Cancelled runs."""
    input_tokens: int
    """Tokens that models read."""
    output_tokens: int
    """Tokens that models wrote."""
    cached_tokens: int
    """The part of the input tokens that the provider had cached."""
    cost_usd: float
    """The cost of model calls, by the prices of the operator."""
    unpriced_runs: int
    """Runs whose cost is not known, because a model has no price."""


class UsageOfAgent(_Base):
    agent_id: str
    """The id of an agent."""
    name: str | None
    """The name; null if it is gone."""
    figures: UsageFigures
    """Its figures."""


class UsageOfApiKey(_Base):
    api_key_id: str | None
    """Null: people, in the dashboard."""
    name: str | None
    """The name; null if it is gone."""
    figures: UsageFigures
    """Its figures."""


class UsageOfDay(_Base):
    date: str
    """UTC."""
    figures: UsageFigures
    """Its figures."""


class UsagePeriod(_Base):
    """A calendar month, UTC."""
    start: AwareDatetime
    """The begin of the month."""
    end: AwareDatetime
    """When the quota starts anew."""


class UsageRateLimit(_Base):
    """Of each API key and person."""
    requests_per_minute: int
    """Requests per minute."""
    burst: int
    """The most requests at once."""


class UsageStorage(_Base):
    """About a minute old."""
    used_bytes: int
    """Stored bytes."""
    limit_bytes: int
    """The most stored bytes."""


class User(_Base):
    """A person."""
    id: str
    """The id of a user."""
    email: str
    """The e-mail address."""
    name: str
    """The name."""


class VersionChange(_Base):
    """The versions before and after the change."""
    old: int
    """The version before."""
    new: int
    """The version now."""


class Waiting(_Base):
    """Why it is not worked on now."""
    reason: WaitingReason
    message: str
    """
    The explanation, for people, with numbers of your organisation. A key that is narrowed to agents gets those of
    its agents.
    """


class Webhook(_Base):
    """An endpoint that receives events."""
    id: str
    """The id of a webhook."""
    object: Literal["webhook"]
    """Always `webhook`."""
    url: str
    """The endpoint that receives the events."""
    events: list[str]
    """Event types; `*` selects all."""
    planned_events: list[str]
    """Those of `events` that the service does not send yet, because they are planned."""
    active: bool
    """Whether deliveries are sent."""
    description: str | None
    """Your own note."""
    secret_hint: str
    """The last characters of the signing secret."""
    status: WebhookStatus
    disabled_at: AwareDatetime | None
    """When it was disabled; null if it is active."""
    disabled_reason: WebhookDisabledReason | None
    failing_since: AwareDatetime | None
    """Since when all deliveries have failed."""
    missed_since: AwareDatetime | None
    """Events since this time may not have been delivered. To send them, use `POST /webhooks/{id}/recover`."""
    last_day: WebhookActivity
    created_at: AwareDatetime
    """When it was created."""


class WebhookActivity(_Base):
    """
    The deliveries that ended in the last 24 hours: the current hour and the 23 hours before it. Deliveries that
    were never sent, because the webhook was paused or deleted, are not counted.
    """
    deliveries: int
    """Deliveries that ended."""
    succeeded: int
    """Deliveries that the endpoint acknowledged."""
    failed: int
    """Deliveries whose last attempt failed."""
    success_rate: float | None
    """The share of deliveries that succeeded, 0 to 1; null without deliveries."""


class WebhookDisabledEvent(_Base):
    """The service disabled a webhook; `reason` has the cause."""
    id: str
    """The id of an event."""
    type: Literal["webhook.disabled"]
    """The type of the event."""
    created_at: AwareDatetime
    """When it happened."""
    data: DisabledWebhook


class WebhookList(_Base):
    """One page of a list."""
    object: Literal["list"]
    """Always `list`."""
    data: list[Webhook]
    """The items of this page."""
    has_more: bool
    """Whether more items follow."""
    first_id: str | None
    """The first id of this page, for `before`."""
    last_id: str | None
    """The last id of this page, for `after`."""


class WebhookWithSecret(_Base):
    id: str
    """The id of a webhook."""
    object: Literal["webhook"]
    """Always `webhook`."""
    url: str
    """The endpoint that receives the events."""
    events: list[str]
    """Event types; `*` selects all."""
    planned_events: list[str]
    """Those of `events` that the service does not send yet, because they are planned."""
    active: bool
    """Whether deliveries are sent."""
    description: str | None
    """Your own note."""
    secret_hint: str
    """The last characters of the signing secret."""
    status: WebhookStatus
    disabled_at: AwareDatetime | None
    """When it was disabled; null if it is active."""
    disabled_reason: WebhookDisabledReason | None
    failing_since: AwareDatetime | None
    """Since when all deliveries have failed."""
    missed_since: AwareDatetime | None
    """Events since this time may not have been delivered. To send them, use `POST /webhooks/{id}/recover`."""
    last_day: WebhookActivity
    created_at: AwareDatetime
    """When it was created."""
    secret: str | None
    """The signing secret. Shown once; null in a replay."""


class UnknownEvent(_Base):
    """A kind of Event that this version does not know."""

    if TYPE_CHECKING:
        type: Literal["unknown"]
    else:
        type: str

    id: str
    """The id of an event."""
    created_at: AwareDatetime
    """When it happened."""

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...


_EVENT_KINDS = {
    "run.completed": "RunCompletedEvent",
    "run.failed": "RunFailedEvent",
    "deployment.created": "DeploymentCreatedEvent",
    "deployment.rollback": "DeploymentRollbackEvent",
    "alert.triggered": "AlertTriggeredEvent",
    "agent.updated": "AgentUpdatedEvent",
    "pipeline.completed": "PipelineCompletedEvent",
    "run.requires_action": "RunRequiresActionEvent",
    "run.cancelled": "RunCancelledEvent",
    "webhook.disabled": "WebhookDisabledEvent",
    "connector.tool_changed": "ConnectorToolChangedEvent",
    "alert.resolved": "AlertResolvedEvent",
    "api_key.expiring": "ApiKeyExpiringEvent",
    "api_key.exposed": "ApiKeyExposedEvent",
    "test": "TestEvent",
    "budget.reached": "BudgetReachedEvent",
    "policy.updated": "PolicyUpdatedEvent",
    "schedule.paused": "SchedulePausedEvent",
    "batch.completed": "BatchCompletedEvent",
}

Event: TypeAlias = Annotated[
    Union[
        Annotated[RunCompletedEvent, Tag("RunCompletedEvent")],
        Annotated[RunFailedEvent, Tag("RunFailedEvent")],
        Annotated[DeploymentCreatedEvent, Tag("DeploymentCreatedEvent")],
        Annotated[DeploymentRollbackEvent, Tag("DeploymentRollbackEvent")],
        Annotated[AlertTriggeredEvent, Tag("AlertTriggeredEvent")],
        Annotated[AgentUpdatedEvent, Tag("AgentUpdatedEvent")],
        Annotated[PipelineCompletedEvent, Tag("PipelineCompletedEvent")],
        Annotated[RunRequiresActionEvent, Tag("RunRequiresActionEvent")],
        Annotated[RunCancelledEvent, Tag("RunCancelledEvent")],
        Annotated[WebhookDisabledEvent, Tag("WebhookDisabledEvent")],
        Annotated[ConnectorToolChangedEvent, Tag("ConnectorToolChangedEvent")],
        Annotated[AlertResolvedEvent, Tag("AlertResolvedEvent")],
        Annotated[ApiKeyExpiringEvent, Tag("ApiKeyExpiringEvent")],
        Annotated[ApiKeyExposedEvent, Tag("ApiKeyExposedEvent")],
        Annotated[TestEvent, Tag("TestEvent")],
        Annotated[BudgetReachedEvent, Tag("BudgetReachedEvent")],
        Annotated[PolicyUpdatedEvent, Tag("PolicyUpdatedEvent")],
        Annotated[SchedulePausedEvent, Tag("SchedulePausedEvent")],
        Annotated[BatchCompletedEvent, Tag("BatchCompletedEvent")],
        Annotated[UnknownEvent, Tag("UnknownEvent")],
    ],
    Discriminator(tag_of("type", _EVENT_KINDS, "UnknownEvent")),
]
"""An event; `data` depends on `type`. New types can be added: name the types that you want."""


class UnknownMe(_Base):
    """A kind of Me that this version does not know."""

    if TYPE_CHECKING:
        type: Literal["unknown"]
    else:
        type: str

    id: str
    """The id of a session."""
    organisation: Organisation
    scopes: list[Scope]
    """The permissions that it holds."""

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...


_ME_KINDS = {
    "session": "Session",
    "api_key": "KeyCredential",
    "session_token": "TokenCredential",
}

Me: TypeAlias = Annotated[
    Union[
        Annotated[Session, Tag("Session")],
        Annotated[KeyCredential, Tag("KeyCredential")],
        Annotated[TokenCredential, Tag("TokenCredential")],
        Annotated[UnknownMe, Tag("UnknownMe")],
    ],
    Discriminator(tag_of("type", _ME_KINDS, "UnknownMe")),
]


class UnknownPipelineRunFrame(_Base):
    """A kind of PipelineRunFrame that this version does not know."""

    if TYPE_CHECKING:
        type: Literal["unknown"]
    else:
        type: str

    pipeline_run_id: str
    """The id of a pipeline run."""

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...


_PIPELINERUNFRAME_KINDS = {
    "pipeline_run.snapshot": "PipelineRunSnapshotFrame",
    "pipeline_run.step": "PipelineRunStepFrame",
    "pipeline_run.requires_action": "PipelineRunRequiresActionFrame",
    "pipeline_run.cancelling": "PipelineRunCancellingFrame",
    "pipeline_run.completed": "PipelineRunCompletedFrame",
    "pipeline_run.failed": "PipelineRunFailedFrame",
    "pipeline_run.cancelled": "PipelineRunCancelledFrame",
}

PipelineRunFrame: TypeAlias = Annotated[
    Union[
        Annotated[PipelineRunSnapshotFrame, Tag("PipelineRunSnapshotFrame")],
        Annotated[PipelineRunStepFrame, Tag("PipelineRunStepFrame")],
        Annotated[PipelineRunRequiresActionFrame, Tag("PipelineRunRequiresActionFrame")],
        Annotated[PipelineRunCancellingFrame, Tag("PipelineRunCancellingFrame")],
        Annotated[PipelineRunCompletedFrame, Tag("PipelineRunCompletedFrame")],
        Annotated[PipelineRunFailedFrame, Tag("PipelineRunFailedFrame")],
        Annotated[PipelineRunCancelledFrame, Tag("PipelineRunCancelledFrame")],
        Annotated[UnknownPipelineRunFrame, Tag("UnknownPipelineRunFrame")],
    ],
    Discriminator(tag_of("type", _PIPELINERUNFRAME_KINDS, "UnknownPipelineRunFrame")),
]
"""The `data` of one frame of a stream, by `type`. Ignore frames of an unknown type."""


class UnknownRunFrame(_Base):
    """A kind of RunFrame that this version does not know."""

    if TYPE_CHECKING:
        type: Literal["unknown"]
    else:
        type: str

    run_id: str
    """The id of a run."""
    created_at: AwareDatetime
    """When it happened."""

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...


_RUNFRAME_KINDS = {
    "run.created": "RunCreatedFrame",
    "run.started": "RunStartedFrame",
    "run.step.started": "RunStepStartedFrame",
    "run.step.completed": "RunStepCompletedFrame",
    "run.tool_call.started": "RunToolCallStartedFrame",
    "run.tool_call.completed": "RunToolCallCompletedFrame",
    "run.output.delta": "RunOutputDeltaFrame",
    "run.output.reset": "RunOutputResetFrame",
    "run.guardrail": "RunGuardrailFrame",
    "run.snapshot": "RunSnapshotFrame",
    "run.requires_action": "RunRequiresActionFrame",
    "run.resumed": "RunResumedFrame",
    "run.cancelling": "RunCancellingFrame",
    "run.completed": "RunCompletedFrame",
    "run.failed": "RunFailedFrame",
    "run.cancelled": "RunCancelledFrame",
}

RunFrame: TypeAlias = Annotated[
    Union[
        Annotated[RunCreatedFrame, Tag("RunCreatedFrame")],
        Annotated[RunStartedFrame, Tag("RunStartedFrame")],
        Annotated[RunStepStartedFrame, Tag("RunStepStartedFrame")],
        Annotated[RunStepCompletedFrame, Tag("RunStepCompletedFrame")],
        Annotated[RunToolCallStartedFrame, Tag("RunToolCallStartedFrame")],
        Annotated[RunToolCallCompletedFrame, Tag("RunToolCallCompletedFrame")],
        Annotated[RunOutputDeltaFrame, Tag("RunOutputDeltaFrame")],
        Annotated[RunOutputResetFrame, Tag("RunOutputResetFrame")],
        Annotated[RunGuardrailFrame, Tag("RunGuardrailFrame")],
        Annotated[RunSnapshotFrame, Tag("RunSnapshotFrame")],
        Annotated[RunRequiresActionFrame, Tag("RunRequiresActionFrame")],
        Annotated[RunResumedFrame, Tag("RunResumedFrame")],
        Annotated[RunCancellingFrame, Tag("RunCancellingFrame")],
        Annotated[RunCompletedFrame, Tag("RunCompletedFrame")],
        Annotated[RunFailedFrame, Tag("RunFailedFrame")],
        Annotated[RunCancelledFrame, Tag("RunCancelledFrame")],
        Annotated[UnknownRunFrame, Tag("UnknownRunFrame")],
    ],
    Discriminator(tag_of("type", _RUNFRAME_KINDS, "UnknownRunFrame")),
]
"""The `data` of one frame of a stream, by `type`. Ignore frames of an unknown type."""

for _form in (
    ActionDecision,
    ActiveRuns,
    Actor,
    Agent,
    AgentChange,
    AgentDiff,
    AgentFigures,
    AgentLimits,
    AgentList,
    AgentPrompt,
    AgentStats,
    AgentUpdatedEvent,
    AgentVersion,
    AgentVersionList,
    AgentWithSecret,
    Alert,
    AlertDestination,
    AlertDestinationList,
    AlertList,
    AlertPreview,
    AlertResolvedEvent,
    AlertRule,
    AlertRuleList,
    AlertSeriesPoint,
    AlertSnapshot,
    AlertTerms,
    AlertTriggeredEvent,
    Analytics,
    AnalyticsError,
    AnalyticsExport,
    AnalyticsFigures,
    AnalyticsGroup,
    AnalyticsPoint,
    AnalyticsPrevious,
    ApiKey,
    ApiKeyExpiringEvent,
    ApiKeyExposedEvent,
    ApiKeyList,
    ApprovalRule,
    AuditEntry,
    AuditEntryList,
    Batch,
    BatchCompletedEvent,
    BatchItemError,
    BatchList,
    BatchProgress,
    BatchResult,
    BatchResultList,
    Budget,
    BudgetList,
    BudgetReachedEvent,
    CatalogAgent,
    CatalogAgentList,
    ChangedAgent,
    ChangedPolicy,
    ChangedTool,
    ChangedTools,
    ComparisonInterval,
    ComparisonSeriesSide,
    Connector,
    ConnectorAuth,
    ConnectorList,
    ConnectorTool,
    ConnectorToolChangedEvent,
    ConnectorToolList,
    CreatedAgent,
    CreatedApiKey,
    CreatedInvitation,
    CreatedRunShare,
    DeletedProviderKey,
    Delivery,
    DeliveryAttempt,
    DeliveryList,
    DeliveryRequest,
    DeliveryResponse,
    Deployment,
    DeploymentComparison,
    DeploymentCreatedEvent,
    DeploymentList,
    DeploymentRollbackEvent,
    DeploymentRule,
    DeploymentSide,
    DisabledWebhook,
    EmailProof,
    Error,
    ErrorContent,
    UnknownEvent,
    EventList,
    FieldError,
    FiringPeriod,
    HeldContent,
    Invitation,
    InvitationList,
    KeyCredential,
    UnknownMe,
    Member,
    MemberList,
    MemberSummary,
    MemberSummaryList,
    Membership,
    MetricEstimate,
    Model,
    ModelList,
    ModelPrice,
    Notifications,
    Organisation,
    OrganisationDetails,
    OrganisationLimits,
    PasswordReset,
    PasswordResetLink,
    Pipeline,
    PipelineApproval,
    PipelineChange,
    PipelineCheck,
    PipelineCompletedEvent,
    PipelineDefinition,
    PipelineDiff,
    PipelineItem,
    PipelineItemCounts,
    PipelineItemList,
    PipelineList,
    PipelineProblem,
    PipelineRequiredAction,
    PipelineRetry,
    PipelineRun,
    PipelineRunCancelledFrame,
    PipelineRunCancellingFrame,
    PipelineRunCompletedFrame,
    PipelineRunDiagnosis,
    PipelineRunError,
    PipelineRunFailedFrame,
    UnknownPipelineRunFrame,
    PipelineRunList,
    PipelineRunRequiresActionFrame,
    PipelineRunSnapshotFrame,
    PipelineRunStepFrame,
    PipelineStep,
    PipelineStepDecision,
    PipelineStepDefinition,
    PipelineStepError,
    PipelineVersion,
    PipelineVersionList,
    Policy,
    PolicyAttachment,
    PolicyAttachmentList,
    PolicyList,
    PolicyRule,
    PolicyTemplate,
    PolicyTemplateList,
    PolicyTemplateParam,
    PolicyTrial,
    PolicyTrialList,
    PolicyUpdatedEvent,
    PolicyVersion,
    PolicyVersionList,
    PromptMessage,
    ProviderKey,
    ProviderKeyList,
    Recovery,
    RecoveryList,
    RecoveryProgress,
    RefreshedConnector,
    RefusedTool,
    ReleasedAgent,
    RequiredAction,
    RevokedApiKey,
    RolledBackDeployment,
    RuleComparison,
    Run,
    RunCancelledEvent,
    RunCancelledFrame,
    RunCancellingFrame,
    RunCompletedEvent,
    RunCompletedFrame,
    RunCreatedFrame,
    RunDiagnosis,
    RunError,
    RunFailedEvent,
    RunFailedFrame,
    UnknownRunFrame,
    RunGuardrailFrame,
    RunList,
    RunOutputDeltaFrame,
    RunOutputResetFrame,
    RunRequiresActionEvent,
    RunRequiresActionFrame,
    RunResumedFrame,
    RunShare,
    RunShareList,
    RunSnapshotFrame,
    RunStartedFrame,
    RunStep,
    RunStepCompletedFrame,
    RunStepList,
    RunStepStartedFrame,
    RunTiming,
    RunToolCall,
    RunToolCallCompletedFrame,
    RunToolCallStartedFrame,
    RunUsage,
    Schedule,
    ScheduleFiring,
    ScheduleFiringList,
    ScheduleList,
    SchedulePausedEvent,
    Session,
    SessionRecord,
    SessionRecordList,
    SessionToken,
    StepAttempt,
    StepAttemptError,
    StreamDelay,
    TestEvent,
    TestEventData,
    TokenCredential,
    ToolCounts,
    ToolHints,
    ToolManifest,
    TrialCoverage,
    TrialDelay,
    TrialProgress,
    TrialSample,
    TriedRule,
    Usage,
    UsageCalls,
    UsageConcurrency,
    UsageFigures,
    UsageOfAgent,
    UsageOfApiKey,
    UsageOfDay,
    UsagePeriod,
    UsageRateLimit,
    UsageStorage,
    User,
    VersionChange,
    Waiting,
    Webhook,
    WebhookActivity,
    WebhookDisabledEvent,
    WebhookList,
    WebhookWithSecret,
):
    _form.model_rebuild()

__all__ = [
    "ActionDecision",
    "ActiveRuns",
    "Actor",
    "ActorType",
    "Agent",
    "AgentChange",
    "AgentDiff",
    "AgentFigures",
    "AgentKind",
    "AgentLimits",
    "AgentList",
    "AgentPrompt",
    "AgentSource",
    "AgentStats",
    "AgentStatus",
    "AgentUpdatedEvent",
    "AgentVersion",
    "AgentVersionList",
    "AgentWithSecret",
    "Alert",
    "AlertDestination",
    "AlertDestinationList",
    "AlertList",
    "AlertMetric",
    "AlertOperator",
    "AlertPreview",
    "AlertResolution",
    "AlertResolvedEvent",
    "AlertRule",
    "AlertRuleList",
    "AlertRuleState",
    "AlertSeriesPoint",
    "AlertSeverity",
    "AlertSnapshot",
    "AlertStatus",
    "AlertTerms",
    "AlertTriggeredEvent",
    "Analytics",
    "AnalyticsError",
    "AnalyticsExport",
    "AnalyticsFigures",
    "AnalyticsGroup",
    "AnalyticsInterval",
    "AnalyticsPoint",
    "AnalyticsPrevious",
    "ApiKey",
    "ApiKeyExpiringEvent",
    "ApiKeyExposedEvent",
    "ApiKeyKind",
    "ApiKeyList",
    "ApprovalRule",
    "Approver",
    "AuditEntry",
    "AuditEntryList",
    "Batch",
    "BatchCompletedEvent",
    "BatchItemError",
    "BatchItemStatus",
    "BatchList",
    "BatchProgress",
    "BatchResult",
    "BatchResultList",
    "BatchStatus",
    "Budget",
    "BudgetAction",
    "BudgetList",
    "BudgetReachedEvent",
    "CatalogAgent",
    "CatalogAgentList",
    "ChangedAgent",
    "ChangedPolicy",
    "ChangedTool",
    "ChangedTools",
    "ComparisonInterval",
    "ComparisonSeriesSide",
    "Connector",
    "ConnectorAuth",
    "ConnectorAuthType",
    "ConnectorList",
    "ConnectorStatus",
    "ConnectorTool",
    "ConnectorToolChangedEvent",
    "ConnectorToolList",
    "CreatedAgent",
    "CreatedApiKey",
    "CreatedInvitation",
    "CreatedRunShare",
    "DecisionType",
    "DeletedProviderKey",
    "Delivery",
    "DeliveryAttempt",
    "DeliveryList",
    "DeliveryRequest",
    "DeliveryResponse",
    "DeliverySource",
    "DeliveryStatus",
    "Deployment",
    "DeploymentComparison",
    "DeploymentCreatedEvent",
    "DeploymentList",
    "DeploymentRollbackEvent",
    "DeploymentRule",
    "DeploymentSide",
    "DeploymentSource",
    "DeploymentStatus",
    "DisabledWebhook",
    "EmailProof",
    "Error",
    "ErrorContent",
    "ErrorType",
    "Event",
    "EventList",
    "FieldError",
    "FiringPeriod",
    "HeldContent",
    "Invitation",
    "InvitationList",
    "InvitationStatus",
    "KeyCredential",
    "KeyedProvider",
    "Me",
    "Member",
    "MemberList",
    "MemberSummary",
    "MemberSummaryList",
    "Membership",
    "MetricEstimate",
    "Model",
    "ModelList",
    "ModelPrice",
    "NotificationKind",
    "Notifications",
    "Organisation",
    "OrganisationDetails",
    "OrganisationLimits",
    "PasswordReset",
    "PasswordResetLink",
    "Pipeline",
    "PipelineApproval",
    "PipelineChange",
    "PipelineCheck",
    "PipelineCompletedEvent",
    "PipelineDecisionType",
    "PipelineDefinition",
    "PipelineDiff",
    "PipelineErrorPolicy",
    "PipelineItem",
    "PipelineItemCounts",
    "PipelineItemErrorPolicy",
    "PipelineItemList",
    "PipelineItemStatus",
    "PipelineList",
    "PipelineProblem",
    "PipelineRequiredAction",
    "PipelineRetry",
    "PipelineRun",
    "PipelineRunCancelledFrame",
    "PipelineRunCancellingFrame",
    "PipelineRunCompletedFrame",
    "PipelineRunDiagnosis",
    "PipelineRunError",
    "PipelineRunFailedFrame",
    "PipelineRunFrame",
    "PipelineRunList",
    "PipelineRunRequiresActionFrame",
    "PipelineRunSnapshotFrame",
    "PipelineRunStatus",
    "PipelineRunStepFrame",
    "PipelineStatus",
    "PipelineStep",
    "PipelineStepDecision",
    "PipelineStepDefinition",
    "PipelineStepError",
    "PipelineStepStatus",
    "PipelineVersion",
    "PipelineVersionList",
    "PipelineWaitReason",
    "Plan",
    "Policy",
    "PolicyAction",
    "PolicyAttachment",
    "PolicyAttachmentList",
    "PolicyChange",
    "PolicyCheck",
    "PolicyList",
    "PolicyMode",
    "PolicyRule",
    "PolicyStage",
    "PolicyStatus",
    "PolicySubjectType",
    "PolicyTemplate",
    "PolicyTemplateList",
    "PolicyTemplateParam",
    "PolicyTrial",
    "PolicyTrialList",
    "PolicyTrialStatus",
    "PolicyUpdatedEvent",
    "PolicyVersion",
    "PolicyVersionList",
    "PromptMessage",
    "PromptRole",
    "ProviderKey",
    "ProviderKeyList",
    "Recovery",
    "RecoveryList",
    "RecoveryProgress",
    "RecoveryStatus",
    "RefreshedConnector",
    "RefusedTool",
    "ReleasedAgent",
    "RequiredAction",
    "RequiredActionType",
    "RevokedApiKey",
    "Role",
    "RollbackMetric",
    "RolledBackDeployment",
    "RuleComparison",
    "Run",
    "RunBudgetAction",
    "RunCancelledEvent",
    "RunCancelledFrame",
    "RunCancellingFrame",
    "RunCompletedEvent",
    "RunCompletedFrame",
    "RunCreatedFrame",
    "RunDiagnosis",
    "RunError",
    "RunErrorCode",
    "RunFailedEvent",
    "RunFailedFrame",
    "RunFrame",
    "RunGuardrailFrame",
    "RunList",
    "RunOutputDeltaFrame",
    "RunOutputResetFrame",
    "RunRequiresActionEvent",
    "RunRequiresActionFrame",
    "RunResumedFrame",
    "RunShare",
    "RunShareList",
    "RunSnapshotFrame",
    "RunStartedFrame",
    "RunStatus",
    "RunStep",
    "RunStepCompletedFrame",
    "RunStepList",
    "RunStepStartedFrame",
    "RunStepStatus",
    "RunStepType",
    "RunTiming",
    "RunToolCall",
    "RunToolCallCompletedFrame",
    "RunToolCallStartedFrame",
    "RunUsage",
    "RunWaitReason",
    "Schedule",
    "ScheduleFiring",
    "ScheduleFiringKind",
    "ScheduleFiringList",
    "ScheduleFiringStatus",
    "ScheduleList",
    "ScheduleMissed",
    "ScheduleOverlap",
    "SchedulePauseReason",
    "SchedulePausedEvent",
    "ScheduleStatus",
    "Scope",
    "Session",
    "SessionRecord",
    "SessionRecordList",
    "SessionToken",
    "StepAttempt",
    "StepAttemptError",
    "StreamDelay",
    "StreamDelayMode",
    "TemplateParamType",
    "TestEvent",
    "TestEventData",
    "TokenCredential",
    "ToolCallOutcome",
    "ToolCallStatus",
    "ToolChange",
    "ToolCounts",
    "ToolHints",
    "ToolManifest",
    "ToolState",
    "TrialCoverage",
    "TrialDelay",
    "TrialProgress",
    "TrialSample",
    "TriedRule",
    "UnavailableReason",
    "UnknownEvent",
    "UnknownMe",
    "UnknownPipelineRunFrame",
    "UnknownRunFrame",
    "Usage",
    "UsageCalls",
    "UsageConcurrency",
    "UsageFigures",
    "UsageOfAgent",
    "UsageOfApiKey",
    "UsageOfDay",
    "UsagePeriod",
    "UsageRateLimit",
    "UsageStorage",
    "User",
    "VersionChange",
    "Waiting",
    "WaitingReason",
    "Webhook",
    "WebhookActivity",
    "WebhookDisabledEvent",
    "WebhookDisabledReason",
    "WebhookList",
    "WebhookStatus",
    "WebhookWithSecret",
]
