/** Grafana dashboards, as data: a row of panels each, a query for each line. */
export type Dashboard = { uid: string; title: string; description: string; panels: readonly Panel[] }

type Panel = {
  title: string
  unit: 'short' | 's' | 'reqps' | 'bytes' | 'percentunit' | 'currencyUSD' | 'dateTimeFromNow'
  queries: readonly Query[]
}
type Query = { expr: string; legend: string }

const rate = (metric: string, by: string, labels = ''): string =>
  `sum by (${by}) (rate(${metric}${labels && `{${labels}}`}[$__rate_interval]))`

const quantiles = (metric: string, by = ''): Query[] =>
  [0.5, 0.99].map((quantile) => ({
    expr: `histogram_quantile(${quantile}, sum by (${['le', by].filter(Boolean).join(', ')}) (rate(${metric}_bucket[$__rate_interval])))`,
    legend: `p${quantile * 100}${by && ` {{${by}}}`}`,
  }))

const one = (title: string, unit: Panel['unit'], expr: string, legend: string): Panel => ({
  title,
  unit,
  queries: [{ expr, legend }],
})

export const dashboards: readonly Dashboard[] = [
  {
    uid: 'ars-runs',
    title: 'Agent Run Service: runs',
    description: 'From the acceptance of a run to its end.',
    panels: [
      one('Runs ended', 'reqps', rate('ars_runs_ended_total', 'status'), '{{status}}'),
      one('Failed runs by code', 'reqps', rate('ars_runs_ended_total', 'code', 'status="failed"'), '{{code}}'),
      one('Active runs', 'short', 'max by (status) (ars_runs_active)', '{{status}}'),
      {
        title: 'Slots',
        unit: 'short',
        queries: [
          { expr: 'max(ars_cell_slots_used)', legend: 'used' },
          { expr: 'max(ars_cell_slots)', legend: 'all' },
        ],
      },
      { title: 'Acceptance to first step', unit: 's', queries: quantiles('ars_queue_to_start_seconds') },
      { title: 'Steps', unit: 's', queries: quantiles('ars_step_duration_seconds', 'word') },
      { title: 'Calls of models', unit: 's', queries: quantiles('ars_model_call_duration_seconds', 'provider') },
      one(
        'Failed calls of models',
        'percentunit',
        `${rate('ars_model_call_duration_seconds_count', 'provider', 'outcome="error"')} / ${rate('ars_model_call_duration_seconds_count', 'provider')}`,
        '{{provider}}',
      ),
      one('Tokens', 'reqps', rate('ars_model_tokens_total', 'model, direction'), '{{model}} {{direction}}'),
      one('Cost per hour', 'currencyUSD', 'sum by (model) (increase(ars_model_cost_usd_total[1h]))', '{{model}}'),
    ],
  },
  {
    uid: 'ars-deliveries',
    title: 'Agent Run Service: webhooks',
    description: 'From an event to its delivery.',
    panels: [
      one('Attempts', 'reqps', rate('ars_delivery_attempts_total', 'outcome'), '{{outcome}}'),
      { title: 'Event to first attempt', unit: 's', queries: quantiles('ars_delivery_lag_seconds') },
      {
        title: 'Duration of an attempt',
        unit: 's',
        queries: quantiles('ars_delivery_attempt_duration_seconds', 'outcome'),
      },
      one('Deliveries', 'short', 'max by (state) (ars_deliveries_waiting)', '{{state}}'),
      one('Events without a position', 'short', 'max(ars_events_untold)', 'events'),
      one('Connections', 'short', 'sum by (pool, state) (ars_egress_connections)', '{{pool}} {{state}}'),
      one('Calls without a connection', 'reqps', rate('ars_egress_refused_total', 'pool'), '{{pool}}'),
    ],
  },
  {
    uid: 'ars-background',
    title: 'Agent Run Service: background work',
    description: 'Pipelines, schedules, batches, figures and alert rules of customers.',
    panels: [
      {
        title: 'Work that is due',
        unit: 's',
        queries: [
          { expr: 'max(ars_pipelines_lag_seconds)', legend: 'pipeline runs' },
          { expr: 'max(ars_schedules_lag_seconds)', legend: 'schedules' },
          { expr: 'max(ars_usage_lag_seconds)', legend: 'figures of ended runs' },
          { expr: 'max(ars_alert_rules_lag_seconds)', legend: 'alert rules' },
        ],
      },
      one('Dates of schedules', 'reqps', rate('ars_schedule_firings_total', 'outcome'), '{{outcome}}'),
      one('Items of batches without a run', 'short', 'max(ars_batch_items_waiting)', 'items'),
      one('Turns of work queues', 'reqps', rate('ars_work_turns_total', 'queue, end'), '{{queue}} {{end}}'),
      one('Alerts of customers that fire', 'short', 'max(ars_alerts_firing)', 'alerts'),
    ],
  },
  {
    uid: 'ars-database',
    title: 'Agent Run Service: database',
    description: 'Pools, periodic jobs and dates.',
    panels: [
      one('Pools that can connect', 'short', 'min by (pool) (ars_database_up)', '{{pool}}'),
      one(
        'Share of connections in use',
        'percentunit',
        'sum by (pool) (ars_pool_connections{state="in_use"}) / sum by (pool) (ars_pool_size)',
        '{{pool}}',
      ),
      one(
        'Statements that wait for a connection',
        'short',
        'sum by (pool) (ars_pool_connections{state="waiting"})',
        '{{pool}}',
      ),
      { title: 'Wait for a connection', unit: 's', queries: quantiles('ars_pool_wait_seconds', 'pool') },
      one('Failures', 'reqps', rate('ars_pool_errors_total', 'pool, reason'), '{{pool}} {{reason}}'),
      one('Failed periodic jobs', 'reqps', rate('ars_sweep_failures_total', 'sweep'), '{{sweep}}'),
      one(
        'Since the last success of a periodic job',
        's',
        'time() - max by (sweep) (ars_sweep_last_success_timestamp_seconds)',
        '{{sweep}}',
      ),
      {
        title: 'Days',
        unit: 'dateTimeFromNow',
        queries: [
          { expr: 'max(ars_partitions_until_timestamp_seconds) * 1000', legend: 'partitions until' },
          { expr: 'max(ars_oldest_data_timestamp_seconds) * 1000', legend: 'oldest day' },
        ],
      },
    ],
  },
  {
    uid: 'ars-engine',
    title: 'Agent Run Service: engine',
    description: 'The engine, and Redis.',
    panels: [
      one('Engine responds', 'short', 'min by (instance) (ars_engine_up)', '{{instance}}'),
      one('Partitions that answer', 'short', 'max by (partition) (ars_engine_canary_up)', '{{partition}}'),
      one('Round trip of a probe', 's', 'max by (partition) (ars_engine_canary_seconds)', '{{partition}}'),
      one('Oldest start without a worker', 's', 'max(ars_outbox_lag_seconds)', 'age'),
      one('Lost invocations', 'reqps', rate('ars_engine_invocations_lost_total', 'instance'), '{{instance}}'),
      one('Redis answers', 'short', 'min by (instance) (ars_redis_up)', '{{instance}}'),
      one('Forged messages', 'reqps', rate('ars_redis_messages_refused_total', 'instance'), '{{instance}}'),
    ],
  },
  {
    uid: 'ars-gateway',
    title: 'Agent Run Service: gateways and processes',
    description: 'Requests, streams and what the processes use.',
    panels: [
      one('Requests by status', 'reqps', rate('ars_requests_total', 'status'), '{{status}}'),
      one('Refused requests by code', 'reqps', rate('ars_requests_refused_total', 'code'), '{{code}}'),
      one('Responses with 500', 'reqps', rate('ars_server_errors_total', 'operation'), '{{operation}}'),
      { title: 'Duration', unit: 's', queries: quantiles('ars_request_duration_seconds', 'operation') },
      {
        title: 'Streams and waiting calls',
        unit: 'short',
        queries: [
          { expr: 'sum(ars_streams_open)', legend: 'streams' },
          { expr: 'sum(ars_calls_waiting)', legend: 'calls' },
        ],
      },
      one('Bytes held', 'bytes', 'sum by (instance, budget) (ars_bytes_held)', '{{instance}} {{budget}}'),
      one('Refused connections', 'reqps', rate('ars_connections_refused_total', 'reason'), '{{reason}}'),
      one('Cores in use', 'short', 'rate(process_cpu_seconds_total[$__rate_interval])', '{{instance}}'),
      one('Event loop delay, p99', 's', 'ars_event_loop_delay_p99_seconds', '{{instance}}'),
      one('Memory', 'bytes', 'process_resident_memory_bytes', '{{instance}}'),
      one(
        'Garbage collection',
        'percentunit',
        rate('nodejs_gc_duration_seconds_sum', 'instance, kind'),
        '{{instance}} {{kind}}',
      ),
      one('Open files', 'percentunit', 'process_open_fds / process_max_fds', '{{instance}}'),
      one(
        'Certificate expires',
        'dateTimeFromNow',
        'min by (instance) (ars_certificate_expiry_timestamp_seconds) * 1000',
        '{{instance}}',
      ),
      one('Releases', 'short', 'count by (version, role) (ars_build_info)', '{{version}} {{role}}'),
    ],
  },
]

const columns = 2
const height = 8

/** The files of `deploy/grafana`, by path. */
export const dashboardFiles = (): Record<string, string> =>
  Object.fromEntries(
    dashboards.map((dashboard) => [
      `deploy/grafana/${dashboard.uid}.json`,
      `${JSON.stringify(toGrafana(dashboard), null, 2)}\n`,
    ]),
  )

const toGrafana = ({ uid, title, description, panels }: Dashboard) => ({
  uid,
  title,
  description,
  tags: ['ars'],
  schemaVersion: 39,
  timezone: 'utc',
  refresh: '30s',
  time: { from: 'now-6h', to: 'now' },
  templating: { list: [{ name: 'datasource', type: 'datasource', query: 'prometheus' }] },
  panels: panels.map((panel, at) => ({
    id: at + 1,
    type: panel.unit === 'dateTimeFromNow' ? 'stat' : 'timeseries',
    title: panel.title,
    datasource: { type: 'prometheus', uid: '$datasource' },
    gridPos: { x: (at % columns) * (24 / columns), y: Math.floor(at / columns) * height, w: 24 / columns, h: height },
    fieldConfig: { defaults: { unit: panel.unit }, overrides: [] },
    targets: panel.queries.map(({ expr, legend }, n) => ({
      refId: String.fromCharCode(65 + n),
      expr,
      legendFormat: legend,
    })),
  })),
})
