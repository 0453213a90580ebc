# Made by `pnpm gen` from packages/contract/openapi.json. Change the contract, not this file.

from __future__ import annotations

from .._operation import Operation

RUNS_LIST = Operation(id="runs.list", method="GET", path="/runs", takes="query")
RUNS_CREATE = Operation(id="runs.create", method="POST", path="/runs", takes="body", idempotent=True, waits=True)
RUNS_STREAM = Operation(id="runs.stream", method="POST", path="/runs/stream", takes="body", idempotent=True)
RUNS_GET = Operation(id="runs.get", method="GET", path="/runs/{id}")
RUNS_CANCEL = Operation(id="runs.cancel", method="DELETE", path="/runs/{id}")
RUNS_WATCH = Operation(id="runs.watch", method="GET", path="/runs/{id}/stream", takes="query")
RUNS_STEPS = Operation(id="runs.steps", method="GET", path="/runs/{id}/steps", takes="query")
RUNS_DIAGNOSE = Operation(id="runs.diagnose", method="GET", path="/runs/{id}/diagnosis")
RUNS_HELD = Operation(id="runs.held", method="GET", path="/runs/{id}/held", takes="query")
RUNS_ACT = Operation(id="runs.act", method="POST", path="/runs/{id}/action", takes="body", idempotent=True)
RUNS_ERASE = Operation(id="runs.erase", method="DELETE", path="/runs/{id}/data")
RUNS_SHARES = Operation(id="runs.shares", method="GET", path="/runs/{id}/shares", takes="query")
RUNS_SHARE = Operation(id="runs.share", method="POST", path="/runs/{id}/shares", takes="body", has_optional_body=True, idempotent=True)
RUNS_REVOKE_SHARE = Operation(id="runs.revokeShare", method="DELETE", path="/runs/{id}/shares/{share_id}")
AGENTS_LIST = Operation(id="agents.list", method="GET", path="/agents", takes="query")
AGENTS_GET = Operation(id="agents.get", method="GET", path="/agents/{id}")
AGENTS_UPDATE = Operation(id="agents.update", method="PATCH", path="/agents/{id}", takes="body")
AGENTS_ARCHIVE = Operation(id="agents.archive", method="DELETE", path="/agents/{id}")
AGENTS_UNARCHIVE = Operation(id="agents.unarchive", method="POST", path="/agents/{id}/unarchive")
AGENTS_ROTATE_SIGNING_SECRET = Operation(id="agents.rotateSigningSecret", method="POST", path="/agents/{id}/rotate-signing-secret", takes="body", has_optional_body=True, idempotent=True)
AGENTS_HIRE = Operation(id="agents.hire", method="POST", path="/agents/{catalog_key}/deploy", takes="body", has_optional_body=True, idempotent=True)
AGENTS_CREATE = Operation(id="agents.create", method="POST", path="/agents/custom", takes="body", idempotent=True)
AGENTS_PROMPT = Operation(id="agents.prompt", method="POST", path="/agents/prompt", takes="body")
AGENTS_VERSIONS = Operation(id="agents.versions", method="GET", path="/agents/{id}/versions", takes="query")
AGENTS_VERSION = Operation(id="agents.version", method="GET", path="/agents/{id}/versions/{version}")
AGENTS_DIFF = Operation(id="agents.diff", method="GET", path="/agents/{id}/versions/{version}/diff", takes="query")
AGENTS_STATS = Operation(id="agents.stats", method="GET", path="/agents/{id}/stats")
CATALOG_LIST = Operation(id="catalog.list", method="GET", path="/catalog", takes="query")
CATALOG_GET = Operation(id="catalog.get", method="GET", path="/catalog/{key}")
MODELS_LIST = Operation(id="models.list", method="GET", path="/models", takes="query")
PROVIDER_KEYS_LIST = Operation(id="providerKeys.list", method="GET", path="/provider-keys", takes="query")
PROVIDER_KEYS_SET = Operation(id="providerKeys.set", method="POST", path="/provider-keys", takes="body")
PROVIDER_KEYS_DELETE = Operation(id="providerKeys.delete", method="DELETE", path="/provider-keys/{id}")
DEPLOYMENTS_LIST = Operation(id="deployments.list", method="GET", path="/deployments", takes="query")
DEPLOYMENTS_GET = Operation(id="deployments.get", method="GET", path="/deployments/{id}")
DEPLOYMENTS_COMPARE = Operation(id="deployments.compare", method="GET", path="/deployments/{id}/comparison")
DEPLOYMENTS_PROMOTE = Operation(id="deployments.promote", method="POST", path="/deployments/{id}/promote", takes="body", has_optional_body=True)
DEPLOYMENTS_ROLLBACK = Operation(id="deployments.rollback", method="POST", path="/deployments/{id}/rollback", takes="body")
CONNECTORS_LIST = Operation(id="connectors.list", method="GET", path="/connectors", takes="query")
CONNECTORS_CREATE = Operation(id="connectors.create", method="POST", path="/connectors", takes="body", idempotent=True)
CONNECTORS_GET = Operation(id="connectors.get", method="GET", path="/connectors/{id}")
CONNECTORS_UPDATE = Operation(id="connectors.update", method="PATCH", path="/connectors/{id}", takes="body")
CONNECTORS_DELETE = Operation(id="connectors.delete", method="DELETE", path="/connectors/{id}")
CONNECTORS_REFRESH = Operation(id="connectors.refresh", method="POST", path="/connectors/{id}/refresh")
CONNECTORS_LIST_TOOLS = Operation(id="connectors.listTools", method="GET", path="/connectors/{id}/tools")
CONNECTORS_APPROVE_TOOL = Operation(id="connectors.approveTool", method="POST", path="/connectors/{id}/tools/{name}/approve", takes="body")
WEBHOOKS_LIST = Operation(id="webhooks.list", method="GET", path="/webhooks", takes="query")
WEBHOOKS_CREATE = Operation(id="webhooks.create", method="POST", path="/webhooks", takes="body", idempotent=True)
WEBHOOKS_GET = Operation(id="webhooks.get", method="GET", path="/webhooks/{id}")
WEBHOOKS_UPDATE = Operation(id="webhooks.update", method="PATCH", path="/webhooks/{id}", takes="body")
WEBHOOKS_DELETE = Operation(id="webhooks.delete", method="DELETE", path="/webhooks/{id}")
WEBHOOKS_ROTATE_SECRET = Operation(id="webhooks.rotateSecret", method="POST", path="/webhooks/{id}/rotate-secret", takes="body", has_optional_body=True, idempotent=True)
WEBHOOKS_TEST = Operation(id="webhooks.test", method="POST", path="/webhooks/{id}/test", takes="body", has_optional_body=True, idempotent=True)
WEBHOOKS_DELIVERIES = Operation(id="webhooks.deliveries", method="GET", path="/webhooks/{id}/deliveries", takes="query")
WEBHOOKS_DELIVERY = Operation(id="webhooks.delivery", method="GET", path="/webhooks/{id}/deliveries/{delivery_id}")
WEBHOOKS_REDELIVER = Operation(id="webhooks.redeliver", method="POST", path="/webhooks/{id}/deliveries/{delivery_id}/redeliver", idempotent=True)
WEBHOOKS_MISSED = Operation(id="webhooks.missed", method="GET", path="/webhooks/{id}/missed", takes="query")
WEBHOOKS_RECOVER = Operation(id="webhooks.recover", method="POST", path="/webhooks/{id}/recover", takes="body", idempotent=True)
WEBHOOKS_RECOVERIES = Operation(id="webhooks.recoveries", method="GET", path="/webhooks/{id}/recoveries", takes="query")
WEBHOOKS_RECOVERY = Operation(id="webhooks.recovery", method="GET", path="/webhooks/{id}/recoveries/{recovery_id}")
WEBHOOKS_CANCEL_RECOVERY = Operation(id="webhooks.cancelRecovery", method="DELETE", path="/webhooks/{id}/recoveries/{recovery_id}")
EVENTS_LIST = Operation(id="events.list", method="GET", path="/events", takes="query")
EVENTS_GET = Operation(id="events.get", method="GET", path="/events/{id}")
EVENTS_WATCH = Operation(id="events.watch", method="GET", path="/events/stream", takes="query")
API_KEYS_LIST = Operation(id="apiKeys.list", method="GET", path="/api-keys", takes="query")
API_KEYS_CREATE = Operation(id="apiKeys.create", method="POST", path="/api-keys", takes="body", idempotent=True)
API_KEYS_GET = Operation(id="apiKeys.get", method="GET", path="/api-keys/{id}")
API_KEYS_UPDATE = Operation(id="apiKeys.update", method="PATCH", path="/api-keys/{id}", takes="body")
API_KEYS_REVOKE = Operation(id="apiKeys.revoke", method="DELETE", path="/api-keys/{id}", takes="query")
API_KEYS_ROTATE = Operation(id="apiKeys.rotate", method="POST", path="/api-keys/{id}/rotate", idempotent=True)
SESSION_TOKENS_CREATE = Operation(id="sessionTokens.create", method="POST", path="/session-tokens", takes="body")
AUTH_LOGIN = Operation(id="auth.login", method="POST", path="/api/auth/login", takes="body", anonymous=True)
AUTH_LOGOUT = Operation(id="auth.logout", method="POST", path="/api/auth/logout")
AUTH_ME = Operation(id="auth.me", method="GET", path="/api/auth/me")
AUTH_UPDATE_ME = Operation(id="auth.updateMe", method="PATCH", path="/api/auth/me", takes="body")
AUTH_SWITCH_ORGANISATION = Operation(id="auth.switchOrganisation", method="POST", path="/api/auth/organisation", takes="body")
AUTH_CHANGE_PASSWORD = Operation(id="auth.changePassword", method="POST", path="/api/auth/password", takes="body")
AUTH_RESET_PASSWORD = Operation(id="auth.resetPassword", method="POST", path="/api/auth/password-reset", takes="body", anonymous=True)
AUTH_SEND_EMAIL_PROOF = Operation(id="auth.sendEmailProof", method="POST", path="/api/auth/email-proof-links")
AUTH_PROVE_EMAIL = Operation(id="auth.proveEmail", method="POST", path="/api/auth/email-proof", takes="body")
AUTH_ACCEPT_INVITATION = Operation(id="auth.acceptInvitation", method="POST", path="/api/auth/invitation", takes="body", anonymous=True)
SESSIONS_LIST = Operation(id="sessions.list", method="GET", path="/sessions", takes="query")
SESSIONS_END = Operation(id="sessions.end", method="DELETE", path="/sessions/{id}")
ORGANISATION_GET = Operation(id="organisation.get", method="GET", path="/organisation")
ORGANISATION_UPDATE = Operation(id="organisation.update", method="PATCH", path="/organisation", takes="body", has_optional_body=True)
MEMBERS_LIST = Operation(id="members.list", method="GET", path="/members", takes="query")
MEMBERS_DIRECTORY = Operation(id="members.directory", method="GET", path="/members/directory", takes="query")
MEMBERS_INVITATIONS = Operation(id="members.invitations", method="GET", path="/members/invitations", takes="query")
MEMBERS_INVITE = Operation(id="members.invite", method="POST", path="/members/invitations", takes="body")
MEMBERS_REVOKE_INVITATION = Operation(id="members.revokeInvitation", method="DELETE", path="/members/invitations/{id}")
MEMBERS_NOTIFICATIONS = Operation(id="members.notifications", method="GET", path="/members/me/notifications")
MEMBERS_UPDATE_NOTIFICATIONS = Operation(id="members.updateNotifications", method="PATCH", path="/members/me/notifications", takes="body")
MEMBERS_UPDATE = Operation(id="members.update", method="PATCH", path="/members/{id}", takes="body")
MEMBERS_REMOVE = Operation(id="members.remove", method="DELETE", path="/members/{id}", takes="query")
MEMBERS_RESET_PASSWORD = Operation(id="members.resetPassword", method="POST", path="/members/password-resets", takes="body")
ALERT_DESTINATIONS_LIST = Operation(id="alertDestinations.list", method="GET", path="/alert-destinations", takes="query")
ALERT_DESTINATIONS_CREATE = Operation(id="alertDestinations.create", method="POST", path="/alert-destinations", takes="body", idempotent=True)
ALERT_DESTINATIONS_DELETE = Operation(id="alertDestinations.delete", method="DELETE", path="/alert-destinations/{id}")
AUDIT_LOG_LIST = Operation(id="auditLog.list", method="GET", path="/audit-log", takes="query")
USAGE_GET = Operation(id="usage.get", method="GET", path="/usage", takes="query")
ANALYTICS_GET = Operation(id="analytics.get", method="GET", path="/analytics", takes="query")
ANALYTICS_EXPORT = Operation(id="analytics.export", method="GET", path="/analytics/export", takes="query")
ALERT_RULES_LIST = Operation(id="alertRules.list", method="GET", path="/alert-rules", takes="query")
ALERT_RULES_CREATE = Operation(id="alertRules.create", method="POST", path="/alert-rules", takes="body", idempotent=True)
ALERT_RULES_GET = Operation(id="alertRules.get", method="GET", path="/alert-rules/{id}")
ALERT_RULES_UPDATE = Operation(id="alertRules.update", method="PATCH", path="/alert-rules/{id}", takes="body")
ALERT_RULES_DELETE = Operation(id="alertRules.delete", method="DELETE", path="/alert-rules/{id}")
ALERT_RULES_TEST = Operation(id="alertRules.test", method="POST", path="/alert-rules/{id}/test")
ALERT_RULES_PREVIEW = Operation(id="alertRules.preview", method="POST", path="/alert-rules/preview", takes="body")
ALERTS_LIST = Operation(id="alerts.list", method="GET", path="/alerts", takes="query")
ALERTS_GET = Operation(id="alerts.get", method="GET", path="/alerts/{id}")
BUDGETS_LIST = Operation(id="budgets.list", method="GET", path="/budgets", takes="query")
POLICIES_LIST = Operation(id="policies.list", method="GET", path="/policies", takes="query")
POLICIES_CREATE = Operation(id="policies.create", method="POST", path="/policies", takes="body", has_optional_body=True, idempotent=True)
POLICIES_GET = Operation(id="policies.get", method="GET", path="/policies/{id}")
POLICIES_UPDATE = Operation(id="policies.update", method="PATCH", path="/policies/{id}", takes="body")
POLICIES_ARCHIVE = Operation(id="policies.archive", method="DELETE", path="/policies/{id}")
POLICIES_VERSIONS = Operation(id="policies.versions", method="GET", path="/policies/{id}/versions", takes="query")
POLICIES_ATTACHMENTS = Operation(id="policies.attachments", method="GET", path="/policies/{id}/attachments", takes="query")
POLICIES_ATTACH = Operation(id="policies.attach", method="POST", path="/policies/{id}/attachments", takes="body", idempotent=True)
POLICIES_DETACH = Operation(id="policies.detach", method="DELETE", path="/policies/{id}/attachments/{attachment_id}")
POLICY_TEMPLATES_LIST = Operation(id="policyTemplates.list", method="GET", path="/policy-templates", takes="query")
POLICY_TEMPLATES_GET = Operation(id="policyTemplates.get", method="GET", path="/policy-templates/{key}")
POLICY_TRIALS_LIST = Operation(id="policyTrials.list", method="GET", path="/policies/{id}/trials", takes="query")
POLICY_TRIALS_CREATE = Operation(id="policyTrials.create", method="POST", path="/policies/{id}/trials", takes="body", idempotent=True)
POLICY_TRIALS_GET = Operation(id="policyTrials.get", method="GET", path="/policies/{id}/trials/{trial_id}")
POLICY_TRIALS_CANCEL = Operation(id="policyTrials.cancel", method="DELETE", path="/policies/{id}/trials/{trial_id}")
PIPELINES_LIST = Operation(id="pipelines.list", method="GET", path="/pipelines", takes="query")
PIPELINES_CREATE = Operation(id="pipelines.create", method="POST", path="/pipelines", takes="body", idempotent=True)
PIPELINES_CHECK = Operation(id="pipelines.check", method="POST", path="/pipelines/check", takes="body")
PIPELINES_GET = Operation(id="pipelines.get", method="GET", path="/pipelines/{id}")
PIPELINES_UPDATE = Operation(id="pipelines.update", method="PATCH", path="/pipelines/{id}", takes="body")
PIPELINES_ARCHIVE = Operation(id="pipelines.archive", method="DELETE", path="/pipelines/{id}")
PIPELINES_UNARCHIVE = Operation(id="pipelines.unarchive", method="POST", path="/pipelines/{id}/unarchive")
PIPELINES_VERSIONS = Operation(id="pipelines.versions", method="GET", path="/pipelines/{id}/versions", takes="query")
PIPELINES_VERSION = Operation(id="pipelines.version", method="GET", path="/pipelines/{id}/versions/{version}")
PIPELINES_DIFF = Operation(id="pipelines.diff", method="GET", path="/pipelines/{id}/versions/{version}/diff", takes="query")
PIPELINE_RUNS_CREATE = Operation(id="pipelineRuns.create", method="POST", path="/pipelines/{id}/runs", takes="body", has_optional_body=True, idempotent=True)
PIPELINE_RUNS_LIST = Operation(id="pipelineRuns.list", method="GET", path="/pipeline-runs", takes="query")
PIPELINE_RUNS_GET = Operation(id="pipelineRuns.get", method="GET", path="/pipeline-runs/{id}")
PIPELINE_RUNS_CANCEL = Operation(id="pipelineRuns.cancel", method="DELETE", path="/pipeline-runs/{id}")
PIPELINE_RUNS_WATCH = Operation(id="pipelineRuns.watch", method="GET", path="/pipeline-runs/{id}/stream")
PIPELINE_RUNS_ITEMS = Operation(id="pipelineRuns.items", method="GET", path="/pipeline-runs/{id}/steps/{key}/items", takes="query")
PIPELINE_RUNS_DIAGNOSE = Operation(id="pipelineRuns.diagnose", method="GET", path="/pipeline-runs/{id}/diagnosis")
PIPELINE_RUNS_ACT = Operation(id="pipelineRuns.act", method="POST", path="/pipeline-runs/{id}/action", takes="body", idempotent=True)
PIPELINE_RUNS_RERUN = Operation(id="pipelineRuns.rerun", method="POST", path="/pipeline-runs/{id}/rerun", takes="body", idempotent=True)
PIPELINE_RUNS_ERASE = Operation(id="pipelineRuns.erase", method="DELETE", path="/pipeline-runs/{id}/data")
SCHEDULES_LIST = Operation(id="schedules.list", method="GET", path="/schedules", takes="query")
SCHEDULES_CREATE = Operation(id="schedules.create", method="POST", path="/schedules", takes="body", idempotent=True)
SCHEDULES_GET = Operation(id="schedules.get", method="GET", path="/schedules/{id}")
SCHEDULES_UPDATE = Operation(id="schedules.update", method="PATCH", path="/schedules/{id}", takes="body")
SCHEDULES_DELETE = Operation(id="schedules.delete", method="DELETE", path="/schedules/{id}")
SCHEDULES_PAUSE = Operation(id="schedules.pause", method="POST", path="/schedules/{id}/pause")
SCHEDULES_RESUME = Operation(id="schedules.resume", method="POST", path="/schedules/{id}/resume")
SCHEDULES_RUN = Operation(id="schedules.run", method="POST", path="/schedules/{id}/run", idempotent=True)
SCHEDULES_FIRINGS = Operation(id="schedules.firings", method="GET", path="/schedules/{id}/firings", takes="query")
BATCHES_LIST = Operation(id="batches.list", method="GET", path="/batches", takes="query")
BATCHES_CREATE = Operation(id="batches.create", method="POST", path="/batches", takes="body", idempotent=True)
BATCHES_GET = Operation(id="batches.get", method="GET", path="/batches/{id}")
BATCHES_CANCEL = Operation(id="batches.cancel", method="DELETE", path="/batches/{id}")
BATCHES_RESULTS = Operation(id="batches.results", method="GET", path="/batches/{id}/results", takes="query")
BATCHES_ERASE = Operation(id="batches.erase", method="DELETE", path="/batches/{id}/data")

OPERATIONS: dict[str, Operation] = {
    "runs.list": RUNS_LIST,
    "runs.create": RUNS_CREATE,
    "runs.stream": RUNS_STREAM,
    "runs.get": RUNS_GET,
    "runs.cancel": RUNS_CANCEL,
    "runs.watch": RUNS_WATCH,
    "runs.steps": RUNS_STEPS,
    "runs.diagnose": RUNS_DIAGNOSE,
    "runs.held": RUNS_HELD,
    "runs.act": RUNS_ACT,
    "runs.erase": RUNS_ERASE,
    "runs.shares": RUNS_SHARES,
    "runs.share": RUNS_SHARE,
    "runs.revokeShare": RUNS_REVOKE_SHARE,
    "agents.list": AGENTS_LIST,
    "agents.get": AGENTS_GET,
    "agents.update": AGENTS_UPDATE,
    "agents.archive": AGENTS_ARCHIVE,
    "agents.unarchive": AGENTS_UNARCHIVE,
    "agents.rotateSigningSecret": AGENTS_ROTATE_SIGNING_SECRET,
    "agents.hire": AGENTS_HIRE,
    "agents.create": AGENTS_CREATE,
    "agents.prompt": AGENTS_PROMPT,
    "agents.versions": AGENTS_VERSIONS,
    "agents.version": AGENTS_VERSION,
    "agents.diff": AGENTS_DIFF,
    "agents.stats": AGENTS_STATS,
    "catalog.list": CATALOG_LIST,
    "catalog.get": CATALOG_GET,
    "models.list": MODELS_LIST,
    "providerKeys.list": PROVIDER_KEYS_LIST,
    "providerKeys.set": PROVIDER_KEYS_SET,
    "providerKeys.delete": PROVIDER_KEYS_DELETE,
    "deployments.list": DEPLOYMENTS_LIST,
    "deployments.get": DEPLOYMENTS_GET,
    "deployments.compare": DEPLOYMENTS_COMPARE,
    "deployments.promote": DEPLOYMENTS_PROMOTE,
    "deployments.rollback": DEPLOYMENTS_ROLLBACK,
    "connectors.list": CONNECTORS_LIST,
    "connectors.create": CONNECTORS_CREATE,
    "connectors.get": CONNECTORS_GET,
    "connectors.update": CONNECTORS_UPDATE,
    "connectors.delete": CONNECTORS_DELETE,
    "connectors.refresh": CONNECTORS_REFRESH,
    "connectors.listTools": CONNECTORS_LIST_TOOLS,
    "connectors.approveTool": CONNECTORS_APPROVE_TOOL,
    "webhooks.list": WEBHOOKS_LIST,
    "webhooks.create": WEBHOOKS_CREATE,
    "webhooks.get": WEBHOOKS_GET,
    "webhooks.update": WEBHOOKS_UPDATE,
    "webhooks.delete": WEBHOOKS_DELETE,
    "webhooks.rotateSecret": WEBHOOKS_ROTATE_SECRET,
    "webhooks.test": WEBHOOKS_TEST,
    "webhooks.deliveries": WEBHOOKS_DELIVERIES,
    "webhooks.delivery": WEBHOOKS_DELIVERY,
    "webhooks.redeliver": WEBHOOKS_REDELIVER,
    "webhooks.missed": WEBHOOKS_MISSED,
    "webhooks.recover": WEBHOOKS_RECOVER,
    "webhooks.recoveries": WEBHOOKS_RECOVERIES,
    "webhooks.recovery": WEBHOOKS_RECOVERY,
    "webhooks.cancelRecovery": WEBHOOKS_CANCEL_RECOVERY,
    "events.list": EVENTS_LIST,
    "events.get": EVENTS_GET,
    "events.watch": EVENTS_WATCH,
    "apiKeys.list": API_KEYS_LIST,
    "apiKeys.create": API_KEYS_CREATE,
    "apiKeys.get": API_KEYS_GET,
    "apiKeys.update": API_KEYS_UPDATE,
    "apiKeys.revoke": API_KEYS_REVOKE,
    "apiKeys.rotate": API_KEYS_ROTATE,
    "sessionTokens.create": SESSION_TOKENS_CREATE,
    "auth.login": AUTH_LOGIN,
    "auth.logout": AUTH_LOGOUT,
    "auth.me": AUTH_ME,
    "auth.updateMe": AUTH_UPDATE_ME,
    "auth.switchOrganisation": AUTH_SWITCH_ORGANISATION,
    "auth.changePassword": AUTH_CHANGE_PASSWORD,
    "auth.resetPassword": AUTH_RESET_PASSWORD,
    "auth.sendEmailProof": AUTH_SEND_EMAIL_PROOF,
    "auth.proveEmail": AUTH_PROVE_EMAIL,
    "auth.acceptInvitation": AUTH_ACCEPT_INVITATION,
    "sessions.list": SESSIONS_LIST,
    "sessions.end": SESSIONS_END,
    "organisation.get": ORGANISATION_GET,
    "organisation.update": ORGANISATION_UPDATE,
    "members.list": MEMBERS_LIST,
    "members.directory": MEMBERS_DIRECTORY,
    "members.invitations": MEMBERS_INVITATIONS,
    "members.invite": MEMBERS_INVITE,
    "members.revokeInvitation": MEMBERS_REVOKE_INVITATION,
    "members.notifications": MEMBERS_NOTIFICATIONS,
    "members.updateNotifications": MEMBERS_UPDATE_NOTIFICATIONS,
    "members.update": MEMBERS_UPDATE,
    "members.remove": MEMBERS_REMOVE,
    "members.resetPassword": MEMBERS_RESET_PASSWORD,
    "alertDestinations.list": ALERT_DESTINATIONS_LIST,
    "alertDestinations.create": ALERT_DESTINATIONS_CREATE,
    "alertDestinations.delete": ALERT_DESTINATIONS_DELETE,
    "auditLog.list": AUDIT_LOG_LIST,
    "usage.get": USAGE_GET,
    "analytics.get": ANALYTICS_GET,
    "analytics.export": ANALYTICS_EXPORT,
    "alertRules.list": ALERT_RULES_LIST,
    "alertRules.create": ALERT_RULES_CREATE,
    "alertRules.get": ALERT_RULES_GET,
    "alertRules.update": ALERT_RULES_UPDATE,
    "alertRules.delete": ALERT_RULES_DELETE,
    "alertRules.test": ALERT_RULES_TEST,
    "alertRules.preview": ALERT_RULES_PREVIEW,
    "alerts.list": ALERTS_LIST,
    "alerts.get": ALERTS_GET,
    "budgets.list": BUDGETS_LIST,
    "policies.list": POLICIES_LIST,
    "policies.create": POLICIES_CREATE,
    "policies.get": POLICIES_GET,
    "policies.update": POLICIES_UPDATE,
    "policies.archive": POLICIES_ARCHIVE,
    "policies.versions": POLICIES_VERSIONS,
    "policies.attachments": POLICIES_ATTACHMENTS,
    "policies.attach": POLICIES_ATTACH,
    "policies.detach": POLICIES_DETACH,
    "policyTemplates.list": POLICY_TEMPLATES_LIST,
    "policyTemplates.get": POLICY_TEMPLATES_GET,
    "policyTrials.list": POLICY_TRIALS_LIST,
    "policyTrials.create": POLICY_TRIALS_CREATE,
    "policyTrials.get": POLICY_TRIALS_GET,
    "policyTrials.cancel": POLICY_TRIALS_CANCEL,
    "pipelines.list": PIPELINES_LIST,
    "pipelines.create": PIPELINES_CREATE,
    "pipelines.check": PIPELINES_CHECK,
    "pipelines.get": PIPELINES_GET,
    "pipelines.update": PIPELINES_UPDATE,
    "pipelines.archive": PIPELINES_ARCHIVE,
    "pipelines.unarchive": PIPELINES_UNARCHIVE,
    "pipelines.versions": PIPELINES_VERSIONS,
    "pipelines.version": PIPELINES_VERSION,
    "pipelines.diff": PIPELINES_DIFF,
    "pipelineRuns.create": PIPELINE_RUNS_CREATE,
    "pipelineRuns.list": PIPELINE_RUNS_LIST,
    "pipelineRuns.get": PIPELINE_RUNS_GET,
    "pipelineRuns.cancel": PIPELINE_RUNS_CANCEL,
    "pipelineRuns.watch": PIPELINE_RUNS_WATCH,
    "pipelineRuns.items": PIPELINE_RUNS_ITEMS,
    "pipelineRuns.diagnose": PIPELINE_RUNS_DIAGNOSE,
    "pipelineRuns.act": PIPELINE_RUNS_ACT,
    "pipelineRuns.rerun": PIPELINE_RUNS_RERUN,
    "pipelineRuns.erase": PIPELINE_RUNS_ERASE,
    "schedules.list": SCHEDULES_LIST,
    "schedules.create": SCHEDULES_CREATE,
    "schedules.get": SCHEDULES_GET,
    "schedules.update": SCHEDULES_UPDATE,
    "schedules.delete": SCHEDULES_DELETE,
    "schedules.pause": SCHEDULES_PAUSE,
    "schedules.resume": SCHEDULES_RESUME,
    "schedules.run": SCHEDULES_RUN,
    "schedules.firings": SCHEDULES_FIRINGS,
    "batches.list": BATCHES_LIST,
    "batches.create": BATCHES_CREATE,
    "batches.get": BATCHES_GET,
    "batches.cancel": BATCHES_CANCEL,
    "batches.results": BATCHES_RESULTS,
    "batches.erase": BATCHES_ERASE,
}
"""Every operation by its `operationId`."""
