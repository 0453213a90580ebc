import type { ModelCallMetrics, OnFallback } from '@ars/core/models'
import type { PoolMetrics } from '@ars/platform/thread-pool'
import type { SpanCounts } from '@ars/platform/trace/span-export'
import type { WorkMetrics } from '@ars/platform/work/queue'
import type { Instruments } from './instruments.ts'

/** The metrics of the service that are counted. Durations are in seconds. Their meaning is in `metric-list.ts`. */
export type Metrics = {
  request(operation: string, status: number, seconds: number): void
  requestRefused(code: string, reason?: string): void
  serverError(operation: string): void
  connectionRefused(reason: 'address' | 'all'): void
  bytesRefused(budget: Budget, reason: 'organisation' | 'all'): void
  transferTooSlow(budget: Budget): void
  /** Read at each scrape. */
  observeBytes(held: () => Record<Budget, number>): void
  poolWait(pool: string, seconds: number): void
  poolError(pool: string, reason: string): void
  /** Read at each scrape. */
  observeRefusedMessages(refused: () => number): void
  step(seconds: number, word: string): void
  queueToStart(seconds: number): void
  runEnded(run: { status: string; code: string | null }): void
  budgetRefused(runs?: number): void
  modelCall(call: ModelCallMetrics): void
  modelFallback: OnFallback
  guardrailAsked(call: { check: string; outcome: string; durationMs: number }): void
  invocationLost(): void
  sweepFailed(sweep: string): void
  /** `seconds` is undefined if nothing was sent. */
  deliveryAttempt(outcome: string, seconds: number | undefined): void
  deliveryLag(seconds: number): void
  toolOff(change: string): void
  mailEnded(mail: { kind: string; outcome: string }): void
  mailHeld(mail: { kind: string; reason: string }): void
  rulesEvaluated(rules: number): void
  scheduleFired(outcome: 'started' | 'skipped' | 'failed', firings?: number): void
  pipelineRunEnded(status: string, runs?: number): void
  workTurn: WorkMetrics['onTurn']
  /** Read at each scrape. */
  observePasswords(computed: () => number): void
  observeThreads(read: () => PoolMetrics): void
  /** Read at each scrape. */
  observeSpans(read: () => SpanCounts): void
}

/** Request bodies in flight, or responses that their clients have not taken yet. */
type Budget = 'requests' | 'responses'

export const createMetrics = ({ counter, histogram, gauge, countedElsewhere }: Instruments): Metrics => {
  const requests = counter('ars_requests_total')
  const requestSeconds = histogram('ars_request_duration_seconds')
  const requestsRefused = counter('ars_requests_refused_total')
  const serverErrors = counter('ars_server_errors_total')
  const refused = counter('ars_connections_refused_total')
  const bytesRefused = counter('ars_bytes_refused_total')
  const tooSlow = counter('ars_transfers_too_slow_total')
  const poolWaits = histogram('ars_pool_wait_seconds')
  const poolErrors = counter('ars_pool_errors_total')
  const steps = histogram('ars_step_duration_seconds')
  const queued = histogram('ars_queue_to_start_seconds')
  const runsEnded = counter('ars_runs_ended_total')
  const budgetRefusals = counter('ars_budget_refusals_total')
  // A rate does not see the first value of a series, and this one has an alert.
  runsEnded.add(0, { status: 'failed', code: 'internal_error' })
  const modelSeconds = histogram('ars_model_call_duration_seconds')
  const tokens = counter('ars_model_tokens_total')
  const cost = counter('ars_model_cost_usd_total')
  const fallbacks = counter('ars_model_fallbacks_total')
  const guardrailSeconds = histogram('ars_guardrail_remote_seconds')
  const invocationsLost = counter('ars_engine_invocations_lost_total')
  const sweepFailures = counter('ars_sweep_failures_total')
  const attempts = counter('ars_delivery_attempts_total')
  const attemptSeconds = histogram('ars_delivery_attempt_duration_seconds')
  const lag = histogram('ars_delivery_lag_seconds')
  const toolsOff = counter('ars_tools_turned_off_total')
  const mailsEnded = counter('ars_mails_ended_total')
  const mailsHeld = counter('ars_mails_held_total')
  const rulesEvaluated = counter('ars_alert_rules_evaluated_total')
  const scheduleFirings = counter('ars_schedule_firings_total')
  const pipelineRunsEnded = counter('ars_pipeline_runs_ended_total')
  const workTurns = counter('ars_work_turns_total')
  const workTurnSeconds = histogram('ars_work_turn_seconds')
  const workLag = histogram('ars_work_lag_seconds')
  return {
    request: (operation, status, seconds) => {
      requests.add(1, { operation, status })
      requestSeconds.record(seconds, { operation })
    },
    requestRefused: (code, reason = '') => requestsRefused.add(1, { code, reason }),
    connectionRefused: (reason) => refused.add(1, { reason }),
    bytesRefused: (budget, reason) => bytesRefused.add(1, { budget, reason }),
    transferTooSlow: (budget) => tooSlow.add(1, { budget }),
    observeBytes: (held) =>
      gauge('ars_bytes_held', (observe) => {
        for (const [budget, bytes] of Object.entries(held())) observe(bytes, { budget })
      }),
    serverError: (operation) => serverErrors.add(1, { operation }),
    poolWait: (pool, seconds) => poolWaits.record(seconds, { pool }),
    poolError: (pool, reason) => poolErrors.add(1, { pool, reason }),
    observeSpans: (read) => {
      countedElsewhere('ars_trace_spans_exported_total', (observe) => observe(read().exported))
      countedElsewhere('ars_trace_spans_dropped_total', (observe) => {
        for (const [reason, count] of Object.entries(read().dropped)) observe(count, { reason })
      })
    },
    observeRefusedMessages: (messages) =>
      countedElsewhere('ars_redis_messages_refused_total', (observe) => observe(messages())),
    step: (seconds, word) => steps.record(seconds, { word }),
    invocationLost: () => invocationsLost.add(1),
    sweepFailed: (sweep) => sweepFailures.add(1, { sweep }),
    queueToStart: (seconds) => queued.record(seconds),
    scheduleFired: (outcome, firings = 1) => scheduleFirings.add(firings, { outcome }),
    pipelineRunEnded: (status, runs = 1) => pipelineRunsEnded.add(runs, { status }),
    workTurn: (queue, end, { turnMs, lagMs }) => {
      workTurns.add(1, { queue, end })
      workTurnSeconds.record(turnMs / 1_000, { queue })
      workLag.record(lagMs / 1_000, { queue })
    },
    budgetRefused: (runs = 1) => budgetRefusals.add(runs),
    runEnded: ({ status, code }) => runsEnded.add(1, { status, code: code ?? '' }),
    modelCall: ({ provider, model, account, outcome, durationMs, usage, costUsd }) => {
      modelSeconds.record(durationMs / 1_000, { provider, model, account, outcome })
      if (!usage) return
      tokens.add(usage.inputTokens, { provider, model, direction: 'input' })
      tokens.add(usage.outputTokens, { provider, model, direction: 'output' })
      if (costUsd !== null) cost.add(costUsd, { provider, model })
    },
    modelFallback: ({ from, to }) => fallbacks.add(1, { from, to }),
    guardrailAsked: ({ check, outcome, durationMs }) => guardrailSeconds.record(durationMs / 1_000, { check, outcome }),
    deliveryAttempt: (outcome, seconds) => {
      attempts.add(1, { outcome })
      if (seconds !== undefined) attemptSeconds.record(seconds, { outcome })
    },
    deliveryLag: (seconds) => lag.record(seconds),
    mailEnded: ({ kind, outcome }) => mailsEnded.add(1, { kind, outcome }),
    mailHeld: ({ kind, reason }) => mailsHeld.add(1, { kind, reason }),
    toolOff: (change) => toolsOff.add(1, { change }),
    rulesEvaluated: (rules) => rulesEvaluated.add(rules),
    observeThreads: (read) => {
      countedElsewhere('ars_computation_tasks_total', (observe) => {
        const { done, outOfTime, outOfMemory, busy } = read()
        observe(done, { outcome: 'done' })
        observe(outOfTime, { outcome: 'out_of_time' })
        observe(outOfMemory, { outcome: 'out_of_memory' })
        observe(busy, { outcome: 'busy' })
      })
      countedElsewhere('ars_computation_threads_replaced_total', (observe) => observe(read().replaced))
      countedElsewhere('ars_computation_cpu_seconds_total', (observe) => observe(read().cpuMs / 1_000))
      gauge('ars_computation_waiting', (observe) => observe(read().waiting))
    },
    observePasswords: (computed) => countedElsewhere('ars_passwords_computed_total', (observe) => observe(computed())),
  }
}
