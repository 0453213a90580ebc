# Made by `pnpm gen` from packages/contract/openapi.json. Change the contract, not this file.

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, Union

from pydantic import AwareDatetime, Discriminator, Field, Tag

from .._models import Model as _Base
from .._models import tag_of

AgentKind: TypeAlias = Union[Literal["llm", "remote"], str]

AgentLimitsValueApprovalBy: TypeAlias = Union[Literal["anyone", "person"], str]

AgentSource: TypeAlias = Union[Literal["catalog", "custom"], str]

AgentStatus: TypeAlias = Union[Literal["active", "archived"], str]

AlertSnapshotMetric: TypeAlias = Union[Literal["failure_rate", "latency_p95_ms", "queue_wait_p95_ms", "runs_per_minute", "tokens_per_hour", "quota_used", "webhook_failure_rate"], str]

AlertStatus: TypeAlias = Union[Literal["firing", "resolved"], str]

ApiKeyKind: TypeAlias = Union[Literal["live", "demo"], str]

AuditActorType: TypeAlias = Union[Literal["key", "user", "operator", "service"], str]

BearerType: TypeAlias = Union[Literal["api_key", "session_token"], str]

ChangedToolsToolChange: TypeAlias = Union[Literal["new", "changed", "gone"], str]

ConnectorAuthType: TypeAlias = Union[Literal["none", "bearer", "header"], str]

ConnectorStatus: TypeAlias = Union[Literal["active", "deleted"], str]

ConnectorToolState: TypeAlias = Union[Literal["approved", "pending", "changed", "gone"], str]
"""
`approved`: agents can use it. The others are off: `pending` was never approved, `changed` differs from what was
approved, `gone` is no longer listed by the server.
"""

DecisionType: TypeAlias = Union[Literal["approve", "reject", "respond"], str]
"""The decision."""

DeliverySource: TypeAlias = Union[Literal["event", "test", "redelivery", "recovery"], str]

DeliveryStatus: TypeAlias = Union[Literal["pending", "succeeded", "failed"], str]

DeploymentSource: TypeAlias = Union[Literal["hire", "create", "update", "rollback"], str]

DeploymentStatus: TypeAlias = Union[Literal["active", "canary", "superseded", "rolled_back"], str]

ErrorErrorType: TypeAlias = Union[Literal["invalid_request_error", "authentication_error", "permission_error", "rate_limit_error", "api_error"], str]

InvitationStatus: TypeAlias = Union[Literal["open", "accepted", "revoked", "expired"], str]

RecoveryStatus: TypeAlias = Union[Literal["running", "completed", "cancelled"], str]

RequiredActionType: TypeAlias = Union[Literal["approval", "input", "reconcile"], str]
"""
`approval`: allow or reject a tool call. `input`: provide information. `reconcile`: say what became of a tool call
with unknown outcome.
"""

Role: TypeAlias = Union[Literal["owner", "admin", "developer", "viewer"], str]
"""What a person can do in an organisation. Each role includes the roles after it."""

RollbackRuleMetric: TypeAlias = Union[Literal["failure_rate", "latency_p95_ms", "cost_per_run_usd"], str]

RunErrorCode: TypeAlias = Union[Literal["run_timeout", "queue_timeout", "action_timeout", "budget_exceeded", "guardrail_blocked", "agent_error", "model_error", "tool_error", "output_invalid", "output_too_large", "storage_exceeded", "max_steps_exceeded", "internal_error"], str]
"""The cause, for programs."""

RunStatus: TypeAlias = Union[Literal["queued", "running", "requires_action", "cancelling", "completed", "failed", "cancelled"], str]
"""The state of a run. It ends as `completed`, `failed` or `cancelled`."""

RunStepStatus: TypeAlias = Union[Literal["running", "completed"], str]
"""Whether the step has ended."""

RunStepType: TypeAlias = Union[Literal["model", "tools", "remote"], str]
"""`model`: a model call. `tools`: tool calls. `remote`: a call of a remote agent."""

RunWaitReason: TypeAlias = Union[Literal["slot", "worker", "provider", "action", "nothing"], str]
"""
`slot`: a free slot. `worker`: a worker to take it. `provider`: the current step, such as a model call. `action`: a
person. `nothing`: it has ended.
"""

Scope: TypeAlias = Union[Literal["runs:read", "runs:write", "runs:approve", "runs:erase", "agents:read", "agents:write", "webhooks:read", "webhooks:write", "keys:read", "keys:write", "usage:read", "analytics:read", "pipelines:read", "pipelines:write", "policies:read", "policies:write", "connectors:read", "connectors:write", "alerts:read", "alerts:write", "events:read", "audit:read", "members:write"], str]
"""A permission: resource and kind of access."""

SessionOrganisationPlan: TypeAlias = Union[Literal["demo", "free", "developer", "business", "enterprise"], str]

ToolCallOutcome: TypeAlias = Union[Literal["completed", "failed"], str]
"""`failed`: the agent was told what went wrong."""

ToolCallStatus: TypeAlias = Union[Literal["waiting", "started", "completed", "failed"], str]
"""`waiting`: a person must approve it. `started`: it is under way."""

WebhookDisabledReason: TypeAlias = Union[Literal["paused", "gone", "failing"], str]
"""`paused`: by a request. `gone`: the endpoint responded with 410. `failing`: all deliveries failed for days."""

WebhookStatus: TypeAlias = Union[Literal["healthy", "failing", "disabled"], str]
"""`failing`: the latest deliveries failed. `disabled`: nothing is sent."""


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


class Agent(_Base):
    id: str
    """The id of an agent."""
    object: Literal["agent"]
    name: str
    description: str | None
    status: AgentStatus
    kind: AgentKind
    source: AgentSource
    catalog_key: str | None
    catalog_version: int | None
    """The version of the catalog agent that was hired."""
    catalog_latest: int | None
    """The current version in the catalog. To adopt it, send `PATCH {"catalog_version": n}`."""
    version: int
    """The newest released version, fully or as a canary."""
    config: dict[str, Any]
    """Model, instructions and tools, or the endpoint of a remote agent."""
    input_schema: dict[str, Any] | None
    """JSON Schema that the input of a run must match."""
    output_schema: dict[str, Any] | None
    """JSON Schema that the output of a run must match."""
    limits: AgentLimitsValue
    policies: list[str]
    metadata: dict[str, str]
    created_at: AwareDatetime
    updated_at: AwareDatetime
    archived_at: AwareDatetime | None


class AgentDiff(_Base):
    object: Literal["agent_diff"]
    agent_id: str
    """The id of an agent."""
    from_: int = Field(alias="from")
    to: int
    changes: list[AgentDiffChange]


class AgentDiffChange(_Base):
    path: str
    old: Any = None
    """The old value; null if there was none."""
    new: Any = None
    """The new value; null if there is none."""


class AgentLimitsValue(_Base):
    timeout_seconds: int | None
    max_steps: int | None
    budget_usd: float | None
    max_concurrent_runs: int | None
    approval: AgentLimitsValueApproval | None
    """Who may approve actions of its runs; null: anyone with `runs:approve`."""


class AgentLimitsValueApproval(_Base):
    """Who may approve actions of its runs; null: anyone with `runs:approve`."""
    by: AgentLimitsValueApprovalBy
    not_starter: bool


class AgentList(_Base):
    object: Literal["list"]
    data: list[Agent]
    has_more: bool
    """Whether more items follow in the direction of the request. A page of large items ends before `limit`."""
    first_id: str | None
    """The first id of this page. Send it as `before` for newer items."""
    last_id: str | None
    """The last id of this page. Send it as `after` for older items."""


class AgentStats(_Base):
    object: Literal["agent_stats"]
    agent_id: str
    """The id of an agent."""
    runs: AgentStatsRuns
    """The number of runs in each state. Runs that have ended are not counted."""
    is_capped: bool
    """True: counting stopped at 10,000 runs in all."""


class AgentStatsRuns(_Base):
    """The number of runs in each state. Runs that have ended are not counted."""
    queued: int
    running: int
    requires_action: int
    cancelling: int


class AgentUpdatedEvent(_Base):
    """The configuration of an agent changed."""
    id: str
    """The id of an event."""
    type: Literal["agent.updated"]
    """The type of the event."""
    created_at: AwareDatetime
    """When it happened."""
    data: ChangedAgent


class AgentVersion(_Base):
    object: Literal["agent_version"]
    agent_id: str
    """The id of an agent."""
    version: int
    name: str
    description: str | None
    config: dict[str, Any]
    """Model, instructions and tools, or the endpoint of a remote agent."""
    input_schema: dict[str, Any] | None
    """JSON Schema that the input of a run must match."""
    output_schema: dict[str, Any] | None
    """JSON Schema that the output of a run must match."""
    limits: AgentLimitsValue
    policies: list[str]
    metadata: dict[str, str]
    created_by: str | None
    """The key or person that created the version; null for the operator."""
    created_at: AwareDatetime


class AgentVersionList(_Base):
    object: Literal["list"]
    data: list[AgentVersion]
    has_more: bool
    """Whether more items follow in the direction of the request. A page of large items ends before `limit`."""
    first_id: str | None
    """The first id of this page. Send it as `before` for newer items."""
    last_id: str | None
    """The last id of this page. Send it as `after` for older items."""


class AgentWithSecret(_Base):
    id: str
    """The id of an agent."""
    object: Literal["agent"]
    name: str
    description: str | None
    status: AgentStatus
    kind: AgentKind
    source: AgentSource
    catalog_key: str | None
    catalog_version: int | None
    """The version of the catalog agent that was hired."""
    catalog_latest: int | None
    """The current version in the catalog. To adopt it, send `PATCH {"catalog_version": n}`."""
    version: int
    """The newest released version, fully or as a canary."""
    config: dict[str, Any]
    """Model, instructions and tools, or the endpoint of a remote agent."""
    input_schema: dict[str, Any] | None
    """JSON Schema that the input of a run must match."""
    output_schema: dict[str, Any] | None
    """JSON Schema that the output of a run must match."""
    limits: AgentLimitsValue
    policies: list[str]
    metadata: dict[str, str]
    created_at: AwareDatetime
    updated_at: AwareDatetime
    archived_at: AwareDatetime | None
    signing_secret: str | None
    """The new secret. Only this response contains it. Null for a replay."""


class Alert(_Base):
    id: str
    """The id of an alert."""
    object: Literal["alert"]
    rule: dict[str, Any]
    status: AlertStatus
    severity: str
    triggered_at: AwareDatetime
    resolved_at: AwareDatetime | None
    snapshot: AlertSnapshot


class AlertSnapshot(_Base):
    metric: AlertSnapshotMetric
    value: float
    threshold: float
    window_start: AwareDatetime
    window_end: AwareDatetime
    sample_size: int
    series: list[Any]


class AlertTriggeredEvent(_Base):
    """A monitoring alert fired."""
    id: str
    """The id of an event."""
    type: Literal["alert.triggered"]
    """The type of the event."""
    created_at: AwareDatetime
    """When it happened."""
    data: Alert


class ApiKey(_Base):
    id: str
    """The id of an API key."""
    object: Literal["api_key"]
    name: str
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
    revoked_at: AwareDatetime | None
    """When the key was revoked."""
    rotated_to: str | None
    """The key that replaces it."""
    grace_until: AwareDatetime | None
    """When a rotated key stops working."""
    exposed_at: AwareDatetime | None
    """When the key was sent over plain HTTP, where others can read it. Rotate such a key."""


class ApiKeyExpiringEvent(_Base):
    """An API key ends within 7 days. Sent once for each key and end, and not for keys that live for 7 days or less."""
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
    object: Literal["list"]
    data: list[ApiKey]
    has_more: bool
    """Whether more items follow in the direction of the request. A page of large items ends before `limit`."""
    first_id: str | None
    """The first id of this page. Send it as `before` for newer items."""
    last_id: str | None
    """The last id of this page. Send it as `after` for older items."""


class AuditActor(_Base):
    """Who did it. A short-lived token counts as its creator."""
    type: AuditActorType
    id: str | None
    """The API key or person; user and host of an operator’s command; null for the service."""


class AuditEntry(_Base):
    id: str
    """The id of an entry of the audit log."""
    object: Literal["audit_entry"]
    number: int
    """The position in the log of the organisation: 1, 2, 3 … without gaps."""
    hash: str
    """SHA-256 in hexadecimal of the hash of the entry before and `canonical`. The first entry follows the byte 0."""
    canonical: str
    """The text that the hash covers: a JSON array of the fields of the entry."""
    actor: AuditActor
    action: str
    """Resource and action, such as `api_key.revoked`."""
    subject: str | None
    """The id of the affected resource."""
    address: str | None
    """The IP address of the client."""
    request_id: str | None
    before: dict[str, Any] | None
    """The changed values before the operation. Never contains secrets."""
    after: dict[str, Any] | None
    """The changed values after the operation. Never contains secrets."""
    created_at: AwareDatetime


class AuditEntryList(_Base):
    object: Literal["list"]
    data: list[AuditEntry]
    has_more: bool
    """Whether more items follow in the direction of the request. A page of large items ends before `limit`."""
    first_id: str | None
    """The first id of this page. Send it as `before` for newer items."""
    last_id: str | None
    """The last id of this page. Send it as `after` for older items."""


class Bearer(_Base):
    object: Literal["me"]
    type: BearerType
    id: str
    """The API key; for a token, the key or user that created it."""
    organisation: Organisation
    scopes: list[Scope]
    """The permissions that it holds."""


class CatalogAgent(_Base):
    id: str
    """Same as `key`; used for paging."""
    object: Literal["catalog_agent"]
    key: str
    version: int
    """Increases when the agent changes. Hired agents can adopt the newer version."""
    name: str
    description: str
    category: str
    kind: Literal["llm"]
    config: dict[str, Any]
    input_schema: dict[str, Any] | None
    output_schema: dict[str, Any] | None
    limits: dict[str, Any]
    needs_connector: bool
    """The agent uses tools: hire it with one of your connectors."""
    sample_input: dict[str, Any]
    sample_output: dict[str, Any] | None


class CatalogAgentList(_Base):
    object: Literal["list"]
    data: list[CatalogAgent]
    has_more: bool
    """Whether more items follow in the direction of the request. A page of large items ends before `limit`."""
    first_id: str | None
    """The first id of this page. Send it as `before` for newer items."""
    last_id: str | None
    """The last id of this page. Send it as `after` for older items."""


class ChangedAgent(_Base):
    agent_id: str
    """The id of an agent."""
    version: ChangedAgentVersion
    changed: list[str]
    """The paths of the changed fields."""
    old: dict[str, Any]
    """The old values by path; null if there was none."""
    new: dict[str, Any]
    """The new values by path; null if there is none."""
    actor: ChangedAgentActor


class ChangedAgentActor(_Base):
    type: str
    id: str


class ChangedAgentVersion(_Base):
    old: int
    new: int


class ChangedTools(_Base):
    connector_id: str
    """The id of a connector."""
    name: str
    """The name of the connector."""
    tools: list[ChangedToolsTool]
    """The tools that are off because of this change, at most 100."""
    total: int
    """The number of these tools."""


class ChangedToolsTool(_Base):
    name: str
    change: ChangedToolsToolChange
    fields: list[str]
    """The fields that differ from what was approved."""


class Connector(_Base):
    id: str
    """The id of a connector."""
    object: Literal["connector"]
    name: str
    url: str
    auth: ConnectorAuth
    status: ConnectorStatus
    tools: ConnectorTools
    """The number of tools by state. Agents get approved tools only."""
    tools_listed_at: AwareDatetime | None
    """When the server last listed its tools; null if it never did."""
    tools_error: str | None
    """Why the tools could not be listed when the connector was added or its address was changed."""
    created_at: AwareDatetime


class ConnectorAuth(_Base):
    type: ConnectorAuthType
    header: str | None
    """The header that carries the credential, for type `header`."""
    hint: str | None
    """The last characters of the credential."""


class ConnectorList(_Base):
    object: Literal["list"]
    data: list[Connector]
    has_more: bool
    """Whether more items follow in the direction of the request. A page of large items ends before `limit`."""
    first_id: str | None
    """The first id of this page. Send it as `before` for newer items."""
    last_id: str | None
    """The last id of this page. Send it as `after` for older items."""


class ConnectorTool(_Base):
    name: str
    object: Literal["connector_tool"]
    connector_id: str
    """The id of a connector."""
    state: ConnectorToolState
    """
    `approved`: agents can use it. The others are off: `pending` was never approved, `changed` differs from what was
    approved, `gone` is no longer listed by the server.
    """
    hash: str | None
    """SHA-256 of the manifest that the server lists now. Send it to approve the tool."""
    manifest: ToolManifest | None
    """As the server lists it now; null if it does not."""
    approved_hash: str | None
    approved_manifest: ToolManifest | None
    """As it was approved. Null if nobody has approved it, and in state `approved`, where it equals `manifest`."""
    changes: list[str]
    """In state `changed`: the fields that differ, like `description` or `hints.read_only`."""
    looks_like: str | None
    """In state `pending`: an approved tool whose name is easily confused with this one."""
    approved_by: str | None
    approved_at: AwareDatetime | None
    changed_at: AwareDatetime


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
    object: Literal["list"]
    data: list[ConnectorTool]
    has_more: bool
    """Whether more items follow in the direction of the request. A page of large items ends before `limit`."""
    first_id: str | None
    """The first id of this page. Send it as `before` for newer items."""
    last_id: str | None
    """The last id of this page. Send it as `after` for older items."""


class ConnectorTools(_Base):
    """The number of tools by state. Agents get approved tools only."""
    approved: int
    pending: int
    changed: int
    gone: int


class Delivery(_Base):
    id: str
    """The id of a delivery."""
    object: Literal["delivery"]
    webhook_id: str
    """The id of a webhook."""
    event_id: str
    """The id of an event."""
    event_type: str
    status: DeliveryStatus
    source: DeliverySource
    attempts: list[DeliveryAttempt]
    next_attempt_at: AwareDatetime | None
    error: str | None
    """Why the delivery ended without another attempt."""
    created_at: AwareDatetime
    ended_at: AwareDatetime | None


class DeliveryAttempt(_Base):
    number: int
    at: AwareDatetime
    duration_ms: int | None
    """Null if the worker crashed during the attempt."""
    http_status: int | None
    error: str | None
    """Why the attempt failed; null if it was acknowledged."""
    request: DeliveryAttemptRequest
    response: DeliveryAttemptResponse | None


class DeliveryAttemptRequest(_Base):
    headers: dict[str, str] | None
    body: str | None
    """The signed body. Null in lists and after erasure."""


class DeliveryAttemptResponse(_Base):
    headers: dict[str, str]
    body: str
    """The first 16 KiB."""


class DeliveryList(_Base):
    object: Literal["list"]
    data: list[Delivery]
    has_more: bool
    """Whether more items follow in the direction of the request. A page of large items ends before `limit`."""
    first_id: str | None
    """The first id of this page. Send it as `before` for newer items."""
    last_id: str | None
    """The last id of this page. Send it as `after` for older items."""


class Deployment(_Base):
    id: str
    """The id of a deployment."""
    object: Literal["deployment"]
    agent_id: str
    """The id of an agent."""
    version: int
    status: DeploymentStatus
    traffic_percent: int
    rollback_rules: list[DeploymentRule]
    previous_deployment_id: str | None
    """The id of a deployment."""
    source: DeploymentSource
    created_by: str | None
    """The key or person that created it; null for the operator and the service."""
    created_at: AwareDatetime
    rolled_back_at: AwareDatetime | None
    rollback_reason: str | None


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
    object: Literal["list"]
    data: list[Deployment]
    has_more: bool
    """Whether more items follow in the direction of the request. A page of large items ends before `limit`."""
    first_id: str | None
    """The first id of this page. Send it as `before` for newer items."""
    last_id: str | None
    """The last id of this page. Send it as `after` for older items."""


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
    metric: RollbackRuleMetric
    above: float
    min_runs: int
    window_seconds: int


class DisabledWebhook(_Base):
    id: str
    """The id of a webhook."""
    object: Literal["webhook"]
    url: str
    events: list[str]
    """Event types; `*` selects all."""
    active: bool
    """Whether deliveries are sent."""
    description: str | None
    secret_hint: str
    """The last characters of the signing secret."""
    status: WebhookStatus
    """`failing`: the latest deliveries failed. `disabled`: nothing is sent."""
    disabled_at: AwareDatetime | None
    disabled_reason: WebhookDisabledReason | None
    """`paused`: by a request. `gone`: the endpoint responded with 410. `failing`: all deliveries failed for days."""
    failing_since: AwareDatetime | None
    missed_since: AwareDatetime | None
    """Events since this time may not have been delivered. To send them, use `POST /webhooks/{id}/recover`."""
    created_at: AwareDatetime
    reason: str


class Error(_Base):
    error: ErrorError


class ErrorError(_Base):
    type: ErrorErrorType
    code: str
    """Stable, for programs. The error page lists all codes. New codes can be added."""
    message: str
    """For people. The text can change."""
    param: str | None
    """The path of the invalid field."""
    request_id: str
    """Identifies the request in the logs of the service."""
    doc_url: str
    """The description of this code."""
    details: list[ErrorErrorDetail]
    """Every error that was found in the request."""


class ErrorErrorDetail(_Base):
    param: str | None
    message: str


class EventList(_Base):
    object: Literal["list"]
    data: list[Event]
    has_more: bool
    """Whether more items follow in the direction of the request. A page of large items ends before `limit`."""
    first_id: str | None
    """The first id of this page. Send it as `before` for newer items."""
    last_id: str | None
    """The last id of this page. Send it as `after` for older items."""


class Invitation(_Base):
    id: str
    """The id of an invitation."""
    object: Literal["invitation"]
    email: str
    role: Role
    status: InvitationStatus
    invited_by: str | None
    """The user or API key that sent it; null for the operator of the service."""
    created_at: AwareDatetime
    expires_at: AwareDatetime


class InvitationList(_Base):
    object: Literal["list"]
    data: list[Invitation]
    has_more: bool
    """Whether more items follow in the direction of the request. A page of large items ends before `limit`."""
    first_id: str | None
    """The first id of this page. Send it as `before` for newer items."""
    last_id: str | None
    """The last id of this page. Send it as `after` for older items."""


class Member(_Base):
    id: str
    """The id of a member."""
    object: Literal["member"]
    user_id: str
    """The id of a user."""
    email: str
    name: str
    role: Role
    created_at: AwareDatetime


class MemberList(_Base):
    object: Literal["list"]
    data: list[Member]
    has_more: bool
    """Whether more items follow in the direction of the request. A page of large items ends before `limit`."""
    first_id: str | None
    """The first id of this page. Send it as `before` for newer items."""
    last_id: str | None
    """The last id of this page. Send it as `after` for older items."""


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
    object: Literal["list"]
    data: list[Model]
    has_more: bool
    """Whether more items follow in the direction of the request. A page of large items ends before `limit`."""
    first_id: str | None
    """The first id of this page. Send it as `before` for newer items."""
    last_id: str | None
    """The last id of this page. Send it as `after` for older items."""


class ModelPrice(_Base):
    """
    Null: the operator configured none. Runs on this model have no `cost_usd`, and agents on it cannot have a
    budget.
    """
    input_usd_per_million: float
    """US dollars for a million input tokens."""
    output_usd_per_million: float
    """US dollars for a million output tokens."""


class NewAgent(_Base):
    id: str
    """The id of an agent."""
    object: Literal["agent"]
    name: str
    description: str | None
    status: AgentStatus
    kind: AgentKind
    source: AgentSource
    catalog_key: str | None
    catalog_version: int | None
    """The version of the catalog agent that was hired."""
    catalog_latest: int | None
    """The current version in the catalog. To adopt it, send `PATCH {"catalog_version": n}`."""
    version: int
    """The newest released version, fully or as a canary."""
    config: dict[str, Any]
    """Model, instructions and tools, or the endpoint of a remote agent."""
    input_schema: dict[str, Any] | None
    """JSON Schema that the input of a run must match."""
    output_schema: dict[str, Any] | None
    """JSON Schema that the output of a run must match."""
    limits: AgentLimitsValue
    policies: list[str]
    metadata: dict[str, str]
    created_at: AwareDatetime
    updated_at: AwareDatetime
    archived_at: AwareDatetime | None
    deployment: Deployment | None
    """The deployment that this request created; null if nothing changed."""
    signing_secret: str | None
    """
    A remote agent verifies our requests with this secret. Only this response contains it. Null for other agents and
    for a replay.
    """


class NewApiKey(_Base):
    id: str
    """The id of an API key."""
    object: Literal["api_key"]
    name: str
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
    revoked_at: AwareDatetime | None
    """When the key was revoked."""
    rotated_to: str | None
    """The key that replaces it."""
    grace_until: AwareDatetime | None
    """When a rotated key stops working."""
    exposed_at: AwareDatetime | None
    """When the key was sent over plain HTTP, where others can read it. Rotate such a key."""
    key: str | None
    """The complete key. Only this response contains it. Null in a replay of an earlier request."""


class NewInvitation(_Base):
    id: str
    """The id of an invitation."""
    object: Literal["invitation"]
    email: str
    role: Role
    status: InvitationStatus
    invited_by: str | None
    """The user or API key that sent it; null for the operator of the service."""
    created_at: AwareDatetime
    expires_at: AwareDatetime
    link: str
    """Only this response contains the link. Give it only to this person."""


class Organisation(_Base):
    id: str
    """The id of an organisation."""
    name: str
    plan: SessionOrganisationPlan
    max_key_lifetime_days: int | None
    """The longest life of a new API key, in days; null: no limit."""


class PasswordReset(_Base):
    object: Literal["password_reset"]
    user: User


class PasswordResetLink(_Base):
    object: Literal["password_reset_link"]
    member_id: str
    """The id of a member."""
    link: str
    """Only this response contains the link. Give it only to this person."""
    expires_at: AwareDatetime


class PipelineCompletedEvent(_Base):
    """A pipeline run finished."""
    id: str
    """The id of an event."""
    type: Literal["pipeline.completed"]
    """The type of the event."""
    created_at: AwareDatetime
    """When it happened."""
    data: PipelineRun


class PipelineRun(_Base):
    id: str
    """The id of a pipeline run."""
    object: Literal["pipeline_run"]
    pipeline_id: str
    status: str
    steps: list[PipelineRunStep]
    input: dict[str, Any]
    output: dict[str, Any] | None
    error: dict[str, Any] | None
    latency_ms: int | None
    tokens_used: int
    created_at: AwareDatetime
    finished_at: AwareDatetime | None


class PipelineRunStep(_Base):
    key: str
    run_id: str | None
    status: str


class Recovery(_Base):
    id: str
    """The id of a recovery."""
    object: Literal["recovery"]
    webhook_id: str
    """The id of a webhook."""
    since: AwareDatetime
    until: AwareDatetime
    status: RecoveryStatus
    progress: RecoveryProgress
    created_at: AwareDatetime
    ended_at: AwareDatetime | None


class RecoveryList(_Base):
    object: Literal["list"]
    data: list[Recovery]
    has_more: bool
    """Whether more items follow in the direction of the request. A page of large items ends before `limit`."""
    first_id: str | None
    """The first id of this page. Send it as `before` for newer items."""
    last_id: str | None
    """The last id of this page. Send it as `after` for older items."""


class RecoveryProgress(_Base):
    found: int
    """Unacknowledged events found; each becomes a delivery."""
    delivered: int
    failed: int
    scanned_until: AwareDatetime | None
    """Events up to this time were checked."""


class RefreshedConnector(_Base):
    object: Literal["connector_refresh"]
    connector: Connector
    off: list[ConnectorTool]
    """The tools that are not approved as they are listed now."""
    refused: list[RefreshedConnectorRefused]
    """Listed tools that can never be approved, at most 100. Characters outside ASCII are shown as `U+0435`."""


class RefreshedConnectorRefused(_Base):
    name: str
    reason: str


class ReleasedAgent(_Base):
    id: str
    """The id of an agent."""
    object: Literal["agent"]
    name: str
    description: str | None
    status: AgentStatus
    kind: AgentKind
    source: AgentSource
    catalog_key: str | None
    catalog_version: int | None
    """The version of the catalog agent that was hired."""
    catalog_latest: int | None
    """The current version in the catalog. To adopt it, send `PATCH {"catalog_version": n}`."""
    version: int
    """The newest released version, fully or as a canary."""
    config: dict[str, Any]
    """Model, instructions and tools, or the endpoint of a remote agent."""
    input_schema: dict[str, Any] | None
    """JSON Schema that the input of a run must match."""
    output_schema: dict[str, Any] | None
    """JSON Schema that the output of a run must match."""
    limits: AgentLimitsValue
    policies: list[str]
    metadata: dict[str, str]
    created_at: AwareDatetime
    updated_at: AwareDatetime
    archived_at: AwareDatetime | None
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
    expires_at: AwareDatetime
    """The run fails with `action_timeout` at this time."""


class RevokedApiKey(_Base):
    id: str
    """The id of an API key."""
    object: Literal["api_key"]
    name: str
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
    revoked_at: AwareDatetime | None
    """When the key was revoked."""
    rotated_to: str | None
    """The key that replaces it."""
    grace_until: AwareDatetime | None
    """When a rotated key stops working."""
    exposed_at: AwareDatetime | None
    """When the key was sent over plain HTTP, where others can read it. Rotate such a key."""
    descendants_revoked: int
    """How many keys below this one the request revoked. 0 without `descendants=true`."""


class RolledBackDeployment(_Base):
    id: str
    """The id of a deployment."""
    object: Literal["deployment"]
    agent_id: str
    """The id of an agent."""
    version: int
    status: DeploymentStatus
    traffic_percent: int
    rollback_rules: list[DeploymentRule]
    previous_deployment_id: str | None
    """The id of a deployment."""
    source: DeploymentSource
    created_by: str | None
    """The key or person that created it; null for the operator and the service."""
    created_at: AwareDatetime
    rolled_back_at: AwareDatetime | None
    rollback_reason: str | None
    reason: str


class Run(_Base):
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
    created_by: str | None
    """The key or person that created it. A short-lived token counts as its creator. Null: not recorded."""
    started_at: AwareDatetime | None
    """Start of the first step; null before."""
    finished_at: AwareDatetime | None
    """End of the run; null before."""
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
    """The type of the frame, equal to `event` of the stream."""
    run_id: str
    """The id of a run."""
    created_at: AwareDatetime
    """When it happened."""
    run: RunSnapshotFrameRun
    """The whole run at its end."""


class RunCancellingFrame(_Base):
    """The run is being cancelled."""
    type: Literal["run.cancelling"]
    """The type of the frame, equal to `event` of the stream."""
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
    """The type of the frame, equal to `event` of the stream."""
    run_id: str
    """The id of a run."""
    created_at: AwareDatetime
    """When it happened."""
    run: RunSnapshotFrameRun
    """The whole run at its end."""


class RunCreatedFrame(_Base):
    """The run was accepted."""
    type: Literal["run.created"]
    """The type of the frame, equal to `event` of the stream."""
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
    """Position in the queue."""
    blocked_by: list[str]
    """Runs of the organisation that hold its slots, up to ten."""
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
    """The type of the frame, equal to `event` of the stream."""
    run_id: str
    """The id of a run."""
    created_at: AwareDatetime
    """When it happened."""
    run: RunSnapshotFrameRun
    """The whole run at its end."""


class RunList(_Base):
    object: Literal["list"]
    data: list[Run]
    has_more: bool
    """Whether more items follow in the direction of the request. A page of large items ends before `limit`."""
    first_id: str | None
    """The first id of this page. Send it as `before` for newer items."""
    last_id: str | None
    """The last id of this page. Send it as `after` for older items."""


class RunOutputDeltaFrame(_Base):
    """A part of the text that the agent produces."""
    type: Literal["run.output.delta"]
    """The type of the frame, equal to `event` of the stream."""
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
    """The type of the frame, equal to `event` of the stream."""
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
    """The type of the frame, equal to `event` of the stream."""
    run_id: str
    """The id of a run."""
    created_at: AwareDatetime
    """When it happened."""
    required_actions: list[RequiredAction]
    """The open decisions."""


class RunResumedFrame(_Base):
    """The run continues after a decision."""
    type: Literal["run.resumed"]
    """The type of the frame, equal to `event` of the stream."""
    run_id: str
    """The id of a run."""
    created_at: AwareDatetime
    """When it happened."""


class RunSnapshotFrame(_Base):
    """Stands for earlier frames that are no longer kept: the state of the run."""
    type: Literal["run.snapshot"]
    """The type of the frame, equal to `event` of the stream."""
    run_id: str
    """The id of a run."""
    created_at: AwareDatetime
    """When it happened."""
    run: RunSnapshotFrameRun
    """The run as it is now."""


class RunSnapshotFrameRun(_Base):
    """The run as it is now."""
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
    created_by: str | None
    """The key or person that created it. A short-lived token counts as its creator. Null: not recorded."""
    started_at: AwareDatetime | None
    """Start of the first step; null before."""
    finished_at: AwareDatetime | None
    """End of the run; null before."""
    input_preview: str | None = None
    """Only with `view=summary`: the first 200 characters of `input` as JSON."""
    output_preview: str | None = None
    """Only with `view=summary`: the first 200 characters of `output` as JSON; null without output."""


class RunStartedFrame(_Base):
    """The first step of the run begins."""
    type: Literal["run.started"]
    """The type of the frame, equal to `event` of the stream."""
    run_id: str
    """The id of a run."""
    created_at: AwareDatetime
    """When it happened."""


class RunStep(_Base):
    object: Literal["run_step"]
    number: int
    """The number of the step, from 1."""
    type: RunStepType
    status: RunStepStatus
    model: str | None
    """The model, as `provider/model`; null without a model call."""
    text: str | None
    """The text that the model produced in this step."""
    tool_calls: list[RunToolCall]
    """The tool calls of this step."""
    decisions: list[ActionDecision]
    """Decisions of people in this step, with their reasons."""
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
    """The type of the frame, equal to `event` of the stream."""
    run_id: str
    """The id of a run."""
    created_at: AwareDatetime
    """When it happened."""
    step: int
    """The number of the step, from 1."""


class RunStepList(_Base):
    object: Literal["list"]
    data: list[RunStep]
    has_more: bool
    """Whether more items follow in the direction of the request. A page of large items ends before `limit`."""
    first_id: str | None
    """The first id of this page. Send it as `before` for newer items."""
    last_id: str | None
    """The last id of this page. Send it as `after` for older items."""


class RunStepStartedFrame(_Base):
    """A step begins."""
    type: Literal["run.step.started"]
    """The type of the frame, equal to `event` of the stream."""
    run_id: str
    """The id of a run."""
    created_at: AwareDatetime
    """When it happened."""
    step: int
    """The number of the step, from 1."""


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
    """The type of the frame, equal to `event` of the stream."""
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
    """The type of the frame, equal to `event` of the stream."""
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
    cost_usd: float | None
    """The cost in US dollars; null if a model has no price."""


class Session(_Base):
    object: Literal["session"]
    type: Literal["session"]
    id: str
    """The id of a session."""
    user: User
    organisation: SessionOrganisation
    """The organisation that this session acts for."""
    role: Role
    scopes: list[Scope]
    """The permissions that it holds."""
    organisations: list[SessionOrganisationValue]
    """All organisations of the person, with the role in each."""
    expires_at: AwareDatetime
    """The latest end of the session. It ends earlier if it is not used."""


class SessionOrganisation(_Base):
    """The organisation that this session acts for."""
    id: str
    """The id of an organisation."""
    name: str
    plan: SessionOrganisationPlan
    max_key_lifetime_days: int | None
    """The longest life of a new API key, in days; null: no limit."""


class SessionOrganisationValue(_Base):
    id: str
    """The id of an organisation."""
    name: str
    role: Role


class SessionRecord(_Base):
    id: str
    """The id of a session."""
    object: Literal["session_record"]
    organisation_id: str
    """The id of an organisation."""
    is_current: bool
    created_at: AwareDatetime
    seen_at: AwareDatetime
    """When it was last used, accurate to about a minute."""
    expires_at: AwareDatetime
    ended_at: AwareDatetime | None
    address: str | None
    """The IP address at login."""
    user_agent: str | None


class SessionRecordList(_Base):
    object: Literal["list"]
    data: list[SessionRecord]
    has_more: bool
    """Whether more items follow in the direction of the request. A page of large items ends before `limit`."""
    first_id: str | None
    """The first id of this page. Send it as `before` for newer items."""
    last_id: str | None
    """The last id of this page. Send it as `after` for older items."""


class SessionToken(_Base):
    object: Literal["session_token"]
    token: str
    """The complete token. Only this response contains it."""
    scopes: list[Scope]
    """The permissions that it holds."""
    run_id: str | None
    """The only run that the token can use; null: the runs that it creates."""
    expires_at: AwareDatetime


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
    message: str
    webhook_id: str
    """The id of a webhook."""


class ToolManifest(_Base):
    name: str
    title: str | None
    description: str
    input_schema: dict[str, Any]
    output_schema: dict[str, Any] | None
    hints: ToolManifestHints
    """The annotations of the server, with the defaults of MCP where it sends none."""


class ToolManifestHints(_Base):
    """The annotations of the server, with the defaults of MCP where it sends none."""
    read_only: bool
    destructive: bool
    idempotent: bool
    open_world: bool


class User(_Base):
    id: str
    """The id of a user."""
    email: str
    name: str


class Webhook(_Base):
    id: str
    """The id of a webhook."""
    object: Literal["webhook"]
    url: str
    events: list[str]
    """Event types; `*` selects all."""
    active: bool
    """Whether deliveries are sent."""
    description: str | None
    secret_hint: str
    """The last characters of the signing secret."""
    status: WebhookStatus
    """`failing`: the latest deliveries failed. `disabled`: nothing is sent."""
    disabled_at: AwareDatetime | None
    disabled_reason: WebhookDisabledReason | None
    """`paused`: by a request. `gone`: the endpoint responded with 410. `failing`: all deliveries failed for days."""
    failing_since: AwareDatetime | None
    missed_since: AwareDatetime | None
    """Events since this time may not have been delivered. To send them, use `POST /webhooks/{id}/recover`."""
    created_at: AwareDatetime


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
    object: Literal["list"]
    data: list[Webhook]
    has_more: bool
    """Whether more items follow in the direction of the request. A page of large items ends before `limit`."""
    first_id: str | None
    """The first id of this page. Send it as `before` for newer items."""
    last_id: str | None
    """The last id of this page. Send it as `after` for older items."""


class WebhookWithSecret(_Base):
    id: str
    """The id of a webhook."""
    object: Literal["webhook"]
    url: str
    events: list[str]
    """Event types; `*` selects all."""
    active: bool
    """Whether deliveries are sent."""
    description: str | None
    secret_hint: str
    """The last characters of the signing secret."""
    status: WebhookStatus
    """`failing`: the latest deliveries failed. `disabled`: nothing is sent."""
    disabled_at: AwareDatetime | None
    disabled_reason: WebhookDisabledReason | None
    """`paused`: by a request. `gone`: the endpoint responded with 410. `failing`: all deliveries failed for days."""
    failing_since: AwareDatetime | None
    missed_since: AwareDatetime | None
    """Events since this time may not have been delivered. To send them, use `POST /webhooks/{id}/recover`."""
    created_at: AwareDatetime
    secret: str | None
    """The signing secret. Shown once; null in a replay."""


class UnknownEvent(_Base):
    """A kind of Event that this version does not know."""

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
    "api_key.expiring": "ApiKeyExpiringEvent",
    "api_key.exposed": "ApiKeyExposedEvent",
    "test": "TestEvent",
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
        Annotated[ApiKeyExpiringEvent, Tag("ApiKeyExpiringEvent")],
        Annotated[ApiKeyExposedEvent, Tag("ApiKeyExposedEvent")],
        Annotated[TestEvent, Tag("TestEvent")],
        Annotated[UnknownEvent, Tag("UnknownEvent")],
    ],
    Discriminator(tag_of("type", _EVENT_KINDS, "UnknownEvent")),
]
"""An event; `data` depends on `type`. New types can be added: name the types that you want."""


class UnknownMe(_Base):
    """A kind of Me that this version does not know."""

    type: str
    id: str
    """The id of a session."""
    scopes: list[Scope]
    """The permissions that it holds."""

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...


_ME_KINDS = {
    "session": "Session",
    "api_key": "Bearer",
    "session_token": "Bearer",
}

Me: TypeAlias = Annotated[
    Union[
        Annotated[Session, Tag("Session")],
        Annotated[Bearer, Tag("Bearer")],
        Annotated[UnknownMe, Tag("UnknownMe")],
    ],
    Discriminator(tag_of("type", _ME_KINDS, "UnknownMe")),
]


class UnknownRunFrame(_Base):
    """A kind of RunFrame that this version does not know."""

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
    Agent,
    AgentDiff,
    AgentDiffChange,
    AgentLimitsValue,
    AgentLimitsValueApproval,
    AgentList,
    AgentStats,
    AgentStatsRuns,
    AgentUpdatedEvent,
    AgentVersion,
    AgentVersionList,
    AgentWithSecret,
    Alert,
    AlertSnapshot,
    AlertTriggeredEvent,
    ApiKey,
    ApiKeyExpiringEvent,
    ApiKeyExposedEvent,
    ApiKeyList,
    AuditActor,
    AuditEntry,
    AuditEntryList,
    Bearer,
    CatalogAgent,
    CatalogAgentList,
    ChangedAgent,
    ChangedAgentActor,
    ChangedAgentVersion,
    ChangedTools,
    ChangedToolsTool,
    Connector,
    ConnectorAuth,
    ConnectorList,
    ConnectorTool,
    ConnectorToolChangedEvent,
    ConnectorToolList,
    ConnectorTools,
    Delivery,
    DeliveryAttempt,
    DeliveryAttemptRequest,
    DeliveryAttemptResponse,
    DeliveryList,
    Deployment,
    DeploymentCreatedEvent,
    DeploymentList,
    DeploymentRollbackEvent,
    DeploymentRule,
    DisabledWebhook,
    Error,
    ErrorError,
    ErrorErrorDetail,
    UnknownEvent,
    EventList,
    Invitation,
    InvitationList,
    UnknownMe,
    Member,
    MemberList,
    Model,
    ModelList,
    ModelPrice,
    NewAgent,
    NewApiKey,
    NewInvitation,
    Organisation,
    PasswordReset,
    PasswordResetLink,
    PipelineCompletedEvent,
    PipelineRun,
    PipelineRunStep,
    Recovery,
    RecoveryList,
    RecoveryProgress,
    RefreshedConnector,
    RefreshedConnectorRefused,
    ReleasedAgent,
    RequiredAction,
    RevokedApiKey,
    RolledBackDeployment,
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
    RunList,
    RunOutputDeltaFrame,
    RunOutputResetFrame,
    RunRequiresActionEvent,
    RunRequiresActionFrame,
    RunResumedFrame,
    RunSnapshotFrame,
    RunSnapshotFrameRun,
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
    Session,
    SessionOrganisation,
    SessionOrganisationValue,
    SessionRecord,
    SessionRecordList,
    SessionToken,
    TestEvent,
    TestEventData,
    ToolManifest,
    ToolManifestHints,
    User,
    Webhook,
    WebhookDisabledEvent,
    WebhookList,
    WebhookWithSecret,
):
    _form.model_rebuild()

__all__ = [
    "ActionDecision",
    "Agent",
    "AgentDiff",
    "AgentDiffChange",
    "AgentKind",
    "AgentLimitsValue",
    "AgentLimitsValueApproval",
    "AgentLimitsValueApprovalBy",
    "AgentList",
    "AgentSource",
    "AgentStats",
    "AgentStatsRuns",
    "AgentStatus",
    "AgentUpdatedEvent",
    "AgentVersion",
    "AgentVersionList",
    "AgentWithSecret",
    "Alert",
    "AlertSnapshot",
    "AlertSnapshotMetric",
    "AlertStatus",
    "AlertTriggeredEvent",
    "ApiKey",
    "ApiKeyExpiringEvent",
    "ApiKeyExposedEvent",
    "ApiKeyKind",
    "ApiKeyList",
    "AuditActor",
    "AuditActorType",
    "AuditEntry",
    "AuditEntryList",
    "Bearer",
    "BearerType",
    "CatalogAgent",
    "CatalogAgentList",
    "ChangedAgent",
    "ChangedAgentActor",
    "ChangedAgentVersion",
    "ChangedTools",
    "ChangedToolsTool",
    "ChangedToolsToolChange",
    "Connector",
    "ConnectorAuth",
    "ConnectorAuthType",
    "ConnectorList",
    "ConnectorStatus",
    "ConnectorTool",
    "ConnectorToolChangedEvent",
    "ConnectorToolList",
    "ConnectorToolState",
    "ConnectorTools",
    "DecisionType",
    "Delivery",
    "DeliveryAttempt",
    "DeliveryAttemptRequest",
    "DeliveryAttemptResponse",
    "DeliveryList",
    "DeliverySource",
    "DeliveryStatus",
    "Deployment",
    "DeploymentCreatedEvent",
    "DeploymentList",
    "DeploymentRollbackEvent",
    "DeploymentRule",
    "DeploymentSource",
    "DeploymentStatus",
    "DisabledWebhook",
    "Error",
    "ErrorError",
    "ErrorErrorDetail",
    "ErrorErrorType",
    "Event",
    "EventList",
    "Invitation",
    "InvitationList",
    "InvitationStatus",
    "Me",
    "Member",
    "MemberList",
    "Model",
    "ModelList",
    "ModelPrice",
    "NewAgent",
    "NewApiKey",
    "NewInvitation",
    "Organisation",
    "PasswordReset",
    "PasswordResetLink",
    "PipelineCompletedEvent",
    "PipelineRun",
    "PipelineRunStep",
    "Recovery",
    "RecoveryList",
    "RecoveryProgress",
    "RecoveryStatus",
    "RefreshedConnector",
    "RefreshedConnectorRefused",
    "ReleasedAgent",
    "RequiredAction",
    "RequiredActionType",
    "RevokedApiKey",
    "Role",
    "RollbackRuleMetric",
    "RolledBackDeployment",
    "Run",
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
    "RunList",
    "RunOutputDeltaFrame",
    "RunOutputResetFrame",
    "RunRequiresActionEvent",
    "RunRequiresActionFrame",
    "RunResumedFrame",
    "RunSnapshotFrame",
    "RunSnapshotFrameRun",
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
    "Scope",
    "Session",
    "SessionOrganisation",
    "SessionOrganisationPlan",
    "SessionOrganisationValue",
    "SessionRecord",
    "SessionRecordList",
    "SessionToken",
    "TestEvent",
    "TestEventData",
    "ToolCallOutcome",
    "ToolCallStatus",
    "ToolManifest",
    "ToolManifestHints",
    "UnknownEvent",
    "UnknownMe",
    "UnknownRunFrame",
    "User",
    "Webhook",
    "WebhookDisabledEvent",
    "WebhookDisabledReason",
    "WebhookList",
    "WebhookStatus",
    "WebhookWithSecret",
]
