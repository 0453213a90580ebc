/**
 * Every metric of the service: the one source of the instruments, of docs/reference/metrics.md and of the checks of
 * alert rules and dashboards. Names are those that Prometheus stores.
 */
export type MetricRow = {
  kind: 'counter' | 'gauge' | 'histogram'
  /** `backup`: written by a command, and served by no process. */
  role: 'gateway' | 'worker' | 'both' | 'backup'
  labels: readonly string[]
  description: string
  /** When an operator must look. */
  actWhen?: string
  /** Every worker reads the same value from the database: use the maximum, not the sum. */
  isShared?: true
}

const pools = 'Pools: `app`, `steps`, `auth`, `logins`, `feedReads`, `system`, `deliveries`.'

export const metricList = {
  ars_build_info: {
    kind: 'gauge',
    role: 'both',
    labels: ['version', 'role'],
    description: 'Always 1. The labels say which release a process runs, and in which role.',
  },
  ars_requests_total: {
    kind: 'counter',
    role: 'gateway',
    labels: ['operation', 'status'],
    description: 'Responses.',
    actWhen: 'the share of 5xx rises',
  },
  ars_request_duration_seconds: {
    kind: 'histogram',
    role: 'gateway',
    labels: ['operation'],
    description: 'From the request headers to the end of the response, including the wait for a result.',
  },
  ars_requests_refused_total: {
    kind: 'counter',
    role: 'gateway',
    labels: ['code', 'reason'],
    description:
      'Error responses by their code, and of `unavailable` by its reason (docs/reference/errors.md#unavailable). Absent until the first.',
    actWhen: '`unavailable` or `internal_error` increases',
  },
  ars_server_errors_total: {
    kind: 'counter',
    role: 'gateway',
    labels: ['operation'],
    description: 'Responses with 500. The log has each, by request id. Absent until the first.',
    actWhen: 'it increases',
  },
  ars_streams_open: { kind: 'gauge', role: 'gateway', labels: [], description: 'Streams that are open.' },
  ars_calls_waiting: {
    kind: 'gauge',
    role: 'gateway',
    labels: [],
    description: 'Requests that wait for the end of a run.',
  },
  ars_certificate_expiry_timestamp_seconds: {
    kind: 'gauge',
    role: 'gateway',
    labels: [],
    description: 'When the certificate in use expires.',
    actWhen: 'it is less than 14 days ahead',
  },
  ars_connections_refused_total: {
    kind: 'counter',
    role: 'gateway',
    labels: ['reason'],
    description:
      'New connections that were closed. `address`: one address reached `ARS_CONNECTIONS_PER_ADDRESS`; `all`: the gateway reached `ARS_CONNECTIONS_MAX`. Absent until the first.',
    actWhen: 'it increases: an attack, or many clients behind one address',
  },
  ars_bytes_held: {
    kind: 'gauge',
    role: 'gateway',
    labels: ['budget'],
    description: 'Bytes of `requests` (bodies in flight) and `responses` (not read yet).',
    actWhen: 'near `ARS_REQUEST_BYTES_MAX` or `ARS_RESPONSE_BYTES_MAX`',
  },
  ars_bytes_refused_total: {
    kind: 'counter',
    role: 'gateway',
    labels: ['budget', 'reason'],
    description:
      'Requests refused by these budgets. `organisation`: its quarter was used; `all`: the whole budget. Absent until the first.',
    actWhen: '`all` increases: raise the budget, or add a gateway',
  },
  ars_transfers_too_slow_total: {
    kind: 'counter',
    role: 'gateway',
    labels: ['budget'],
    description:
      'Bodies refused and readers disconnected below the minimum rate (`ARS_TRANSFER_BYTES_PER_SECOND`). Absent until the first.',
    actWhen: 'it increases: an attack, or a broken network',
  },
  ars_passwords_computed_total: {
    kind: 'counter',
    role: 'gateway',
    labels: [],
    description: 'Passwords that were checked or hashed.',
    actWhen: 'it grows faster than people log in: passwords are being guessed',
  },
  ars_runs_active: {
    kind: 'gauge',
    role: 'worker',
    labels: ['status'],
    description: 'Active runs of the installation.',
    actWhen: '`queued` grows',
    isShared: true,
  },
  ars_runs_ended_total: {
    kind: 'counter',
    role: 'both',
    labels: ['status', 'code'],
    description:
      'Runs that this process ended. `code` is the error code of a failed run, otherwise empty. Absent until the first, but `internal_error` begins with 0.',
    actWhen: '`internal_error` increases, or the share of failed runs rises',
  },
  ars_budget_refusals_total: {
    kind: 'counter',
    role: 'gateway',
    labels: [],
    description: 'Runs, and texts for a model that judges, that were refused because a monthly budget is used up.',
  },
  ars_cell_slots: {
    kind: 'gauge',
    role: 'worker',
    labels: [],
    description: 'Runs that may be admitted together (`ARS_CELL_SLOTS`).',
    isShared: true,
  },
  ars_cell_slots_used: {
    kind: 'gauge',
    role: 'worker',
    labels: [],
    description: 'Runs that are admitted: they start or run.',
    actWhen: 'it stays at `ars_cell_slots` while runs are queued: add workers, then slots',
    isShared: true,
  },
  ars_queue_to_start_seconds: {
    kind: 'histogram',
    role: 'worker',
    labels: [],
    description: 'From the acceptance of a run to its first step.',
    actWhen: 'above 1',
  },
  ars_step_duration_seconds: {
    kind: 'histogram',
    role: 'worker',
    labels: ['word'],
    description:
      'One step, from claim to commit. `continue` and `done`: committed; `moved`: handed over by a stopping worker; `stale`: taken over or timed out.',
    actWhen: '`stale` grows',
  },
  ars_model_call_duration_seconds: {
    kind: 'histogram',
    role: 'worker',
    labels: ['provider', 'model', 'account', 'outcome'],
    description:
      'One call of a model, without retries: `ok`, `error`, or `aborted` because the run stopped. `model` is the name in `models.yaml`, with its star, or `other`. `account` is `organisation` if an organisation has entered the key, otherwise `operator`.',
    actWhen: 'the share of `error` rises for a provider with `account="operator"`',
  },
  ars_model_tokens_total: {
    kind: 'counter',
    role: 'worker',
    labels: ['provider', 'model', 'direction'],
    description: 'Tokens that providers reported, `input` or `output`.',
  },
  ars_model_cost_usd_total: {
    kind: 'counter',
    role: 'worker',
    labels: ['provider', 'model'],
    description: 'Their cost by the prices in `models.yaml`. Models without a price are left out.',
  },
  ars_guardrail_remote_seconds: {
    kind: 'histogram',
    role: 'both',
    labels: ['check', 'outcome'],
    description:
      'Checks of policies that a model or a host makes: `model`, `http` or `presidio`. Outcomes: `pass`, `violation`, `error`, `timeout`, `open` (not asked, because it failed too often lately), `busy` (too many of one organisation).',
    actWhen: 'the share of `timeout` rises for `model`: its provider is slow, and rules that block fail closed',
  },
  ars_model_fallbacks_total: {
    kind: 'counter',
    role: 'worker',
    labels: ['from', 'to'],
    description:
      'Calls that went on to a fallback model, because the model before it could not answer now or lately. Names as in `models.yaml`.',
    actWhen: 'grows for a model: its provider limits or fails',
  },
  ars_outbox_lag_seconds: {
    kind: 'gauge',
    role: 'worker',
    labels: [],
    description: 'Age of the oldest start that no worker has claimed.',
    actWhen: 'above 5: the engine or the workers are down',
    isShared: true,
  },
  ars_engine_up: {
    kind: 'gauge',
    role: 'both',
    labels: [],
    description: '1 if the engine responded within 2 s when it was asked at this scrape.',
    actWhen: '0',
  },
  ars_engine_canary_up: {
    kind: 'gauge',
    role: 'worker',
    labels: ['partition'],
    description: '1 if the partition answered its last probe through a worker.',
    actWhen: '0 for a minute',
  },
  ars_engine_canary_seconds: {
    kind: 'gauge',
    role: 'worker',
    labels: ['partition'],
    description: 'Round trip of this probe.',
  },
  ars_engine_invocations_lost_total: {
    kind: 'counter',
    role: 'worker',
    labels: [],
    description:
      'Invocations that the engine retried in vain, because no worker answered at the address for 15 s; their runs were restarted. Absent until the first.',
    actWhen: 'it increases: the engine cannot reach some workers',
  },
  ars_sweep_last_success_timestamp_seconds: {
    kind: 'gauge',
    role: 'worker',
    labels: ['sweep'],
    description: 'When the periodic job last succeeded in this process. Absent until then.',
    actWhen: 'older than ten intervals',
  },
  ars_sweep_interval_seconds: {
    kind: 'gauge',
    role: 'worker',
    labels: ['sweep'],
    description: 'How often the periodic job runs.',
  },
  ars_sweep_failures_total: {
    kind: 'counter',
    role: 'worker',
    labels: ['sweep'],
    description: 'Rounds of the periodic job that failed. The log has each. Absent until the first.',
    actWhen: 'it increases for 5 minutes',
  },
  ars_partitions_until_timestamp_seconds: {
    kind: 'gauge',
    role: 'worker',
    labels: [],
    description: 'The end of the last day for which every table has a partition.',
    actWhen: 'less than 3 days ahead: runs are refused when it is reached',
    isShared: true,
  },
  ars_oldest_data_timestamp_seconds: {
    kind: 'gauge',
    role: 'worker',
    labels: [],
    description: 'The begin of the oldest day of runs that is stored.',
    actWhen: 'more than two days beyond `ARS_RETENTION_DAYS`: old days are not dropped',
    isShared: true,
  },
  ars_kept_history_bytes: {
    kind: 'gauge',
    role: 'worker',
    labels: [],
    description: 'Bytes of the histories of runs that the worker keeps between their steps.',
    actWhen: 'it stays at the limit: further histories are read from the database at each step',
  },
  ars_kept_history_limit_bytes: {
    kind: 'gauge',
    role: 'worker',
    labels: [],
    description: 'The limit of `ars_kept_history_bytes`, from `ARS_HISTORY_BYTES_MAX`.',
  },
  ars_events_untold: {
    kind: 'gauge',
    role: 'worker',
    labels: [],
    description: 'Events not yet assigned to webhooks and streams.',
    actWhen: 'it grows',
    isShared: true,
  },
  ars_usage_lag_seconds: {
    kind: 'gauge',
    role: 'worker',
    labels: [],
    description: 'The age of the oldest ended run that is not in the figures of usage, analytics and alert rules.',
    actWhen: 'it exceeds 60: alert rules keep their state until the figures are current',
    isShared: true,
  },
  ars_deliveries_waiting: {
    kind: 'gauge',
    role: 'worker',
    labels: ['state'],
    description: 'Webhook deliveries, `waiting` or `under_way`.',
    actWhen: '`waiting` grows',
    isShared: true,
  },
  ars_delivery_attempts_total: {
    kind: 'counter',
    role: 'worker',
    labels: ['outcome'],
    description: 'Delivery attempts. Absent until the first.',
    actWhen: 'the share of failures rises for all customers',
  },
  ars_delivery_attempt_duration_seconds: {
    kind: 'histogram',
    role: 'worker',
    labels: ['outcome'],
    description: 'From the DNS look-up of an endpoint to the end of its response.',
  },
  ars_delivery_lag_seconds: {
    kind: 'histogram',
    role: 'worker',
    labels: [],
    description: 'From an event to the end of its first attempt.',
    actWhen: 'above 5',
  },
  ars_mails_waiting: {
    kind: 'gauge',
    role: 'worker',
    labels: [],
    description: 'Mails that wait for their first attempt or for a repetition.',
    actWhen: 'it grows: the mail server refuses; see `ars-server doctor`',
    isShared: true,
  },
  ars_mails_ended_total: {
    kind: 'counter',
    role: 'worker',
    labels: ['kind', 'outcome'],
    description:
      'Mails by their end: `sent`, `failed`, or `dropped` because the person left or the event is gone. Absent until the first.',
    actWhen: '`failed` increases',
  },
  ars_mails_held_total: {
    kind: 'counter',
    role: 'gateway',
    labels: ['kind', 'reason'],
    description:
      'Mails with links that were not written: too many for the `recipient` or the `organisation`, an invitation `repeated` too early, or an address that is not proven is `unreachable`. Absent until the first.',
    actWhen: '`recipient` increases: somebody has mails sent to strangers',
  },
  ars_tools_turned_off_total: {
    kind: 'counter',
    role: 'worker',
    labels: ['change'],
    description: 'Tools that a server added, changed or removed: `new`, `changed`, `gone`. Absent until the first.',
    actWhen: 'many at once: a widely used server has changed',
  },
  ars_connector_tools_off: {
    kind: 'gauge',
    role: 'worker',
    labels: ['state'],
    description: 'Tools that agents cannot use: `pending`, `changed`, `gone`.',
    isShared: true,
  },
  ars_alert_rules_evaluated_total: {
    kind: 'counter',
    role: 'worker',
    labels: [],
    description: 'Evaluations of alert rules. Each rule is evaluated about every 10 seconds.',
  },
  ars_pipeline_runs_ended_total: {
    kind: 'counter',
    role: 'worker',
    labels: ['status'],
    description: 'Pipeline runs that ended: `completed`, `failed`, `cancelled`.',
  },
  ars_pipeline_runs_active: {
    kind: 'gauge',
    role: 'worker',
    labels: [],
    description: 'Pipeline runs that have not ended.',
    isShared: true,
  },
  ars_pipelines_lag_seconds: {
    kind: 'gauge',
    role: 'worker',
    labels: [],
    description: 'How long the pipeline run that waits longest for a worker has been due. 0: none is.',
    actWhen: 'above 60: too few workers, or the database is slow',
    isShared: true,
  },
  ars_work_turns_total: {
    kind: 'counter',
    role: 'worker',
    labels: ['queue', 'end'],
    description:
      'Turns of items of work queues, such as `pipeline-runs`, by their end: `done`, `again` (there is more to do), `later` (it waits for something else), `failed`, `unavailable` (the database was away), `lost` (another worker has it), `buried` (it failed five times in a row and was ended).',
    actWhen: '`failed` or `buried` grows: the log says `a turn of an item failed`, with its id and its cause',
  },
  ars_work_turn_seconds: {
    kind: 'histogram',
    role: 'worker',
    labels: ['queue'],
    description: 'Duration of a turn of an item. A turn is asked to end after 5 seconds, and aborted after 15.',
  },
  ars_work_lag_seconds: {
    kind: 'histogram',
    role: 'worker',
    labels: ['queue'],
    description: 'From the time at which an item was due to the begin of its turn.',
  },
  ars_schedule_firings_total: {
    kind: 'counter',
    role: 'worker',
    labels: ['outcome'],
    description:
      'Dates of schedules, and requests to fire one: `started`, `skipped`, `failed`. Missed dates are not counted.',
    actWhen: '`failed` grows: see the code in `GET /schedules/{id}/firings`',
  },
  ars_schedules_lag_seconds: {
    kind: 'gauge',
    role: 'worker',
    labels: [],
    description: 'How long the oldest schedule or firing is due. 0: none is.',
    actWhen: 'above 60: too few workers, or the database is slow',
  },
  ars_batch_items_waiting: {
    kind: 'gauge',
    role: 'worker',
    labels: [],
    description: 'Items of batches of all organisations without a run. Batches use the capacity that other runs leave.',
  },
  ars_alert_rules_lag_seconds: {
    kind: 'gauge',
    role: 'worker',
    labels: [],
    description: 'How long the alert rule that waits longest has been due.',
    actWhen: 'above 60: alerts of customers come late. Also above 60 while the figures of ended runs are that old',
    isShared: true,
  },
  ars_alerts_firing: {
    kind: 'gauge',
    role: 'worker',
    labels: [],
    description: 'Alerts of customers that fire.',
    isShared: true,
  },
  ars_egress_connections: {
    kind: 'gauge',
    role: 'worker',
    labels: ['pool', 'state'],
    description:
      'Connections to customers’ hosts: `in_use`, `idle`, and calls `waiting` for one. Pools: `calls` (agents and tools), `deliveries` (webhooks).',
    actWhen: '`waiting` stays above 0: one organisation has used its share, or all share too few workers',
  },
  ars_egress_refused_total: {
    kind: 'counter',
    role: 'worker',
    labels: ['pool'],
    description: 'Calls given up because no connection was free.',
    actWhen: 'it increases',
  },
  ars_pool_connections: {
    kind: 'gauge',
    role: 'both',
    labels: ['pool', 'state'],
    description: `Database connections: \`in_use\`, \`idle\`, and statements \`waiting\` for one. ${pools}`,
    actWhen: '`waiting` stays above 0',
  },
  ars_pool_size: {
    kind: 'gauge',
    role: 'both',
    labels: ['pool'],
    description: 'The most connections that the pool opens.',
  },
  ars_pool_wait_seconds: {
    kind: 'histogram',
    role: 'both',
    labels: ['pool'],
    description: 'Wait for a database connection.',
    actWhen: 'p99 near 0.5, where requests get 503',
  },
  ars_pool_errors_total: {
    kind: 'counter',
    role: 'both',
    labels: ['pool', 'reason'],
    description:
      'Failures of a pool. `busy`: no free connection in time; `authentication`, `unreachable`, `too_many_connections`, `read_only`, … Absent until the first.',
    actWhen: 'it increases. The log has one `warn` per pool, cause and minute',
  },
  ars_database_up: {
    kind: 'gauge',
    role: 'both',
    labels: ['pool'],
    description: '1 if the last attempt of the pool to connect succeeded.',
    actWhen: '0',
  },
  ars_database_writable: {
    kind: 'gauge',
    role: 'both',
    labels: ['pool'],
    description: '0 if the server of the pool is read-only or its disk is full. The process is not ready then.',
    actWhen: '0',
  },
  ars_database_transaction_age: {
    kind: 'gauge',
    role: 'worker',
    labels: [],
    description: 'The age of the oldest transaction id of Postgres, which stops writes near 2,147 million.',
    actWhen: 'above 1,500 million: vacuum does not get through',
    isShared: true,
  },
  ars_replication_slot_retained_bytes: {
    kind: 'gauge',
    role: 'worker',
    labels: ['slot'],
    description: 'WAL that the reader of a replication slot still lacks: a standby, or the archive of back-ups.',
    actWhen: 'it grows: the reader is away or too slow',
    isShared: true,
  },
  ars_peer_certificate_expiry_timestamp_seconds: {
    kind: 'gauge',
    role: 'both',
    labels: ['component'],
    description: 'When the certificate of `postgres` or `redis` expires. Absent without TLS.',
    actWhen: 'it is less than 14 days ahead',
  },
  ars_backup_base_timestamp_seconds: {
    kind: 'gauge',
    role: 'worker',
    labels: [],
    description:
      'When the newest base back-up of `ars-server backup` ended. 0: there is none, although `ARS_BACKUPS` is `service`.',
    actWhen: 'it is more than two days ago',
    isShared: true,
  },
  ars_backup_archive_timestamp_seconds: {
    kind: 'gauge',
    role: 'worker',
    labels: [],
    description:
      'Until when the archive of `ars-server backup` has everything that was committed. 0: it has nothing, although `ARS_BACKUPS` is `service`.',
    actWhen: 'it is more than ten minutes ago',
    isShared: true,
  },
  ars_database_disk_free_bytes: {
    kind: 'gauge',
    role: 'worker',
    labels: [],
    description:
      'Free space of the disk of Postgres. Absent if Postgres is on another machine, or `ars_system` may not see where its files are (`pg_read_all_settings`).',
    actWhen: 'it is used up in a few days',
    isShared: true,
  },
  ars_redis_up: {
    kind: 'gauge',
    role: 'both',
    labels: [],
    description:
      '1 if Redis answers. Without it runs go on, streams are slower, and rate limits are counted per process.',
    actWhen: '0',
  },
  ars_redis_messages_refused_total: {
    kind: 'counter',
    role: 'both',
    labels: [],
    description: 'Messages from Redis that were not sealed with your key, and were ignored.',
    actWhen: 'it increases after a key rotation is complete: somebody else writes to Redis',
  },
  ars_trace_spans_exported_total: {
    kind: 'counter',
    role: 'both',
    labels: [],
    description:
      'Spans that the collector of traces has accepted (docs/operate/traces.md). Absent without a collector.',
  },
  ars_trace_spans_dropped_total: {
    kind: 'counter',
    role: 'both',
    labels: ['reason'],
    description:
      'Spans that were dropped: `queue_full`, `unavailable`, `refused`, `rejected`. Runs are not affected. Absent without a collector.',
    actWhen: 'it increases: the collector is slow, away or refuses the credential',
  },
  ars_computation_tasks_total: {
    kind: 'counter',
    role: 'both',
    labels: ['outcome'],
    description: 'Checks of JSON Schemas in threads: `done`, `out_of_time`, `out_of_memory`, `busy`.',
    actWhen: 'any but `done` grows: a customer sends hostile schemas, or there are too few cores',
  },
  ars_computation_threads_replaced_total: {
    kind: 'counter',
    role: 'both',
    labels: [],
    description: 'Threads that were stopped at a limit and replaced.',
    actWhen: 'it grows: see `ars_computation_tasks_total`',
  },
  ars_computation_cpu_seconds_total: {
    kind: 'counter',
    role: 'both',
    labels: [],
    description: 'CPU time of these checks.',
    actWhen: 'it grows by nearly one second per second and core',
  },
  ars_computation_waiting: {
    kind: 'gauge',
    role: 'both',
    labels: [],
    description: 'Checks that wait for a thread.',
    actWhen: 'above 100: requests will be 503 soon',
  },
  ars_event_loop_delay_p99_seconds: {
    kind: 'gauge',
    role: 'both',
    labels: [],
    description: 'Delay of the event loop since the last scrape.',
    actWhen: 'above 0.1: not enough CPU',
  },
  process_cpu_seconds_total: {
    kind: 'counter',
    role: 'both',
    labels: [],
    description: 'CPU time of the process.',
  },
  ars_log_writable: {
    kind: 'gauge',
    role: 'both',
    labels: [],
    description: '1 if the last write of the log succeeded. The process works on without its log.',
    actWhen: '0',
  },
  ars_log_lines_lost_total: {
    kind: 'counter',
    role: 'both',
    labels: [],
    description: 'Lines of the log that were dropped because it could not be written.',
    actWhen: 'it increases',
  },
  process_start_time_seconds: {
    kind: 'gauge',
    role: 'both',
    labels: [],
    description: 'When the process started.',
  },
  process_resident_memory_bytes: {
    kind: 'gauge',
    role: 'both',
    labels: [],
    description: 'Resident memory.',
    actWhen: 'near the limit of the container',
  },
  process_open_fds: {
    kind: 'gauge',
    role: 'both',
    labels: [],
    description: 'Open file descriptors. Absent where there is no /proc.',
  },
  process_max_fds: {
    kind: 'gauge',
    role: 'both',
    labels: [],
    description: 'The limit of open file descriptors. Absent where there is no /proc.',
  },
  nodejs_version_info: { kind: 'gauge', role: 'both', labels: ['version'], description: 'Always 1.' },
  nodejs_heap_size_used_bytes: { kind: 'gauge', role: 'both', labels: [], description: 'Used heap.' },
  nodejs_heap_size_total_bytes: { kind: 'gauge', role: 'both', labels: [], description: 'Heap.' },
  nodejs_external_memory_bytes: {
    kind: 'gauge',
    role: 'both',
    labels: [],
    description: 'Memory outside the heap, such as buffers.',
  },
  nodejs_gc_duration_seconds: {
    kind: 'histogram',
    role: 'both',
    labels: ['kind'],
    description: 'Garbage collections: `minor`, `major`, `incremental`, `weakcb`.',
    actWhen: '`major` takes more than a tenth of the time: too little memory',
  },
} as const satisfies Readonly<Record<string, MetricRow>>

export type MetricName = keyof typeof metricList
