import type { EventType } from './event-data.ts'

/** A sample of the `data` of each event type, for test events, the document and the reference. Its ids refer to nothing. */
export const eventSample = (type: EventType): Readonly<Record<string, unknown>> => samples[type]

const idOf = (prefix: string): string => `${prefix}_00000000000000000000000000`

const begun = '2026-01-15T09:30:00.000Z'
const ended = '2026-01-15T09:30:02.150Z'

const run = {
  id: idOf('run'),
  status: 'completed',
  output: { result: 'The invoice is due on 31 January 2026.' },
  latency_ms: 2150,
  tokens_used: 1312,
  created_at: begun,
  agent_id: idOf('ag'),
  object: 'run',
  agent_version: 3,
  deployment_id: idOf('dep'),
  input: { query: 'When is invoice 2026-014 due?' },
  error: null,
  required_actions: [],
  usage: {
    input_tokens: 1204,
    output_tokens: 108,
    cached_input_tokens: 1024,
    cache_write_tokens: 0,
    reasoning_tokens: 0,
    cost_usd: 0.0042,
  },
  timing: { queue_ms: 12, execution_ms: 2138, waiting_ms: 0 },
  metadata: { ticket: '4711' },
  pipeline_run_id: null,
  parent_run_id: null,
  created_by: idOf('key'),
  started_at: '2026-01-15T09:30:00.012Z',
  finished_at: ended,
  erased_at: null,
} as const

const unfinished = { output: null, latency_ms: null, finished_at: null } as const

const deployment = {
  id: idOf('dep'),
  object: 'deployment',
  agent_id: idOf('ag'),
  version: 3,
  status: 'active',
  traffic_percent: 100,
  rollback_rules: [],
  previous_deployment_id: idOf('dep'),
  source: 'update',
  created_by: idOf('key'),
  created_at: begun,
  rolled_back_at: null,
  rollback_reason: null,
} as const

const apiKey = {
  id: idOf('key'),
  object: 'api_key',
  name: 'Billing system',
  kind: 'live',
  prefix: 'ars_live_',
  hint: 'x7Qd',
  scopes: ['runs:read', 'runs:write'],
  agent_ids: null,
  expires_at: '2026-01-22T09:30:00.000Z',
  last_used_at: begun,
  created_by: idOf('usr'),
  created_at: '2025-10-24T09:30:00.000Z',
  revoked_at: null,
  rotated_to: null,
  grace_until: null,
  exposed_at: null,
  monthly_budget_usd: null,
  budget_action: 'refuse',
} as const

const minute = (at: number, value: number) => ({ at: `2026-01-15T09:${at}:00.000Z`, value })

const alert = {
  id: idOf('alt'),
  object: 'alert',
  rule: {
    id: idOf('alr'),
    name: 'Too many failures',
    metric: 'failure_rate',
    error_code: null,
    agent_id: null,
    operator: 'above',
    threshold: 0.05,
    window_seconds: 300,
    for_seconds: 0,
    min_sample_size: 10,
    severity: 'critical',
  },
  status: 'firing',
  severity: 'critical',
  triggered_at: ended,
  resolved_at: null,
  resolution: null,
  snapshot: {
    metric: 'failure_rate',
    value: 0.14,
    threshold: 0.05,
    window_start: '2026-01-15T09:26:00.000Z',
    window_end: ended,
    sample_size: 100,
    series: [minute(26, 0.02), minute(27, 0.08), minute(28, 0.2), minute(29, 0.25), minute(30, 0.25)],
  },
  test: false,
} as const

const rollbackReason =
  'The rule failure_rate above 5 % is broken: the canary had 21 % (42 of 200 runs), at least 14.57 % with 99 % ' +
  'confidence; the running version had 1 % (18 of 1800 runs) in the same 3600 s.'

const samples: Readonly<Record<EventType, Readonly<Record<string, unknown>>>> = {
  'run.completed': run,
  'run.failed': {
    ...run,
    status: 'failed',
    output: null,
    error: {
      code: 'run_timeout',
      message: 'The run did not end in the time it was given',
      retryable: false,
      details: null,
    },
  },
  'run.requires_action': {
    ...run,
    ...unfinished,
    status: 'requires_action',
    required_actions: [
      {
        id: idOf('act'),
        type: 'approval',
        message: 'The agent wants to call pay_invoice',
        tool_call: { name: 'pay_invoice', arguments: { invoice: '2026-014' } },
        response_schema: null,
        created_at: '2026-01-15T09:30:02.150Z',
        expires_at: '2026-01-16T09:30:02.150Z',
      },
    ],
    timing: { queue_ms: 12, execution_ms: null, waiting_ms: 0 },
  },
  'run.cancelled': { ...run, status: 'cancelled', output: null },
  'deployment.created': deployment,
  'deployment.rollback': {
    ...deployment,
    status: 'rolled_back',
    traffic_percent: 10,
    rollback_rules: [{ metric: 'failure_rate', above: 0.05, min_runs: 50, window_seconds: 3600 }],
    rolled_back_at: ended,
    rollback_reason: rollbackReason,
    reason: rollbackReason,
  },
  'alert.triggered': alert,
  'alert.resolved': {
    ...alert,
    status: 'resolved',
    resolved_at: '2026-01-15T09:42:10.000Z',
    resolution: 'recovered',
  },
  'agent.updated': {
    agent_id: idOf('ag'),
    version: { old: 2, new: 3 },
    changed: ['config.instructions'],
    old: { 'config.instructions': 'Answer questions about invoices.' },
    new: { 'config.instructions': 'Answer questions about invoices in one sentence.' },
    actor: { type: 'key', id: idOf('key') },
  },
  'pipeline.completed': {
    id: idOf('plr'),
    object: 'pipeline_run',
    pipeline_id: idOf('pl'),
    status: 'completed',
    steps: [{ key: 'read', run_id: idOf('run'), status: 'completed' }],
    input: { document: 'invoice-2026-014.pdf' },
    output: { result: 'The invoice is due on 31 January 2026.' },
    error: null,
    latency_ms: 2150,
    tokens_used: 1312,
    created_at: begun,
    finished_at: ended,
  },
  'webhook.disabled': {
    id: idOf('wh'),
    object: 'webhook',
    url: 'https://hooks.example.com/agents',
    events: ['run.completed', 'run.failed'],
    planned_events: [],
    active: false,
    description: 'Notifies the billing system',
    secret_hint: 'x4Yb',
    status: 'disabled',
    disabled_at: ended,
    disabled_reason: 'failing',
    failing_since: '2026-01-10T09:30:00.000Z',
    missed_since: '2026-01-10T09:30:00.000Z',
    created_at: '2025-11-02T08:00:00.000Z',
    reason: 'Every delivery has failed for 5 days',
  },
  'connector.tool_changed': {
    connector_id: idOf('con'),
    name: 'Payments',
    tools: [
      { name: 'send_payment', change: 'changed', fields: ['description', 'hints.read_only'] },
      { name: 'send_payment_v2', change: 'new', fields: [] },
    ],
    total: 2,
  },
  'api_key.expiring': apiKey,
  'api_key.exposed': { ...apiKey, expires_at: null, exposed_at: ended },
  'budget.reached': {
    id: idOf('ag'),
    object: 'budget',
    monthly_budget_usd: 50,
    budget_action: 'park',
    spent_usd: 40.12,
    reached_percent: 80,
    resets_at: '2026-02-01T00:00:00.000Z',
  },
  'policy.updated': {
    policy_id: idOf('pol'),
    name: 'Redact personal data',
    change: 'attached',
    version: 1,
    mode: 'enforce',
    subject_id: idOf('ag'),
    actor: { type: 'user', id: idOf('usr') },
  },
  test: { message: 'This is a test. Nothing has happened.', webhook_id: idOf('wh') },
}
