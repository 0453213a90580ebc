import type { PoolMetrics } from '@ars/platform/thread-pool'
import type { Meter } from '@opentelemetry/api'

/** The metrics of the service. Durations are in seconds. */
export type Metrics = {
  request(operation: string, status: number, seconds: number): void
  serverError(operation: string): void
  connectionRefused(reason: 'address' | 'all'): void
  bytesRefused(budget: Budget, reason: 'organisation' | 'all'): void
  transferTooSlow(budget: Budget): void
  /** Read at each scrape. */
  observeBytes(held: () => Record<Budget, number>): void
  poolWait(pool: string, seconds: number): void
  poolError(pool: string, reason: string): void
  /** Read at each scrape: by pool, whether it can connect. */
  observeDatabases(up: () => ReadonlyMap<string, boolean>): void
  /** Read at each scrape. */
  observeRefusedMessages(refused: () => number): void
  step(seconds: number, word: string): void
  queueToStart(seconds: number): void
  runEnded(run: { status: string; code: string | null }): void
  invocationLost(reason: string): void
  /** `seconds` is undefined if nothing was sent. */
  deliveryAttempt(outcome: string, seconds: number | undefined): void
  deliveryLag(seconds: number): void
  toolOff(change: string): void
  /** Read at each scrape. */
  observePasswords(computed: () => number): void
  observeThreads(read: () => PoolMetrics): void
}

/** Request bodies in flight, or responses that their clients have not taken yet. */
type Budget = 'requests' | 'responses'

export const createMetrics = (meter: Meter): Metrics => {
  const requests = meter.createCounter('ars_requests', { description: 'Requests by operation and status.' })
  const requestSeconds = meter.createHistogram('ars_request_duration_seconds', {
    unit: 's',
    description: 'From the request headers to the end of the response.',
  })
  const serverErrors = meter.createCounter('ars_server_errors', {
    description: 'Responses with status 500. Each is in the log.',
  })
  const refused = meter.createCounter('ars_connections_refused', {
    description: 'Connections closed on arrival because a limit per address or in total was reached.',
  })
  const bytesRefused = meter.createCounter('ars_bytes_refused', {
    description: 'Requests refused because a byte budget, or the share of the organisation in it, was used up.',
  })
  const tooSlow = meter.createCounter('ars_transfers_too_slow', {
    description: 'Request bodies refused, and connections closed, because the client was below the minimum rate.',
  })
  const bytesHeld = meter.createObservableGauge('ars_bytes_held', {
    description: 'Bytes of request bodies in flight, and of responses that their clients have not taken yet.',
  })
  const poolWaits = meter.createHistogram('ars_pool_wait_seconds', {
    unit: 's',
    description: 'Wait for a database connection.',
  })
  const poolErrors = meter.createCounter('ars_pool_errors', {
    description: 'Failures of a database pool, by reason.',
  })
  const databaseUp = meter.createObservableGauge('ars_database_up', {
    description: '1: the last attempt of the pool to connect succeeded; 0: it failed.',
  })
  const refusedMessages = meter.createObservableCounter('ars_redis_messages_refused', {
    description: 'Messages from Redis that were not sealed with our key, and were ignored.',
  })
  const steps = meter.createHistogram('ars_step_duration_seconds', {
    unit: 's',
    description: 'Duration of a step, from claim to commit.',
  })
  const queued = meter.createHistogram('ars_queue_to_start_seconds', {
    unit: 's',
    description: 'From accepting a run to its first step.',
  })
  const runsEnded = meter.createCounter('ars_runs_ended', {
    description: 'Runs that this process ended, by status and error code. The code is empty unless the run failed.',
  })
  const invocationsLost = meter.createCounter('ars_engine_invocations_lost', {
    description: 'Invocations that the engine retried in vain and that were ended, by reason. Their runs start again.',
  })
  const attempts = meter.createCounter('ars_delivery_attempts', {
    description: 'Webhook delivery attempts by outcome.',
  })
  const attemptSeconds = meter.createHistogram('ars_delivery_attempt_duration_seconds', {
    unit: 's',
    description: 'From the DNS look-up of an endpoint to the end of its response.',
  })
  const lag = meter.createHistogram('ars_delivery_lag_seconds', {
    unit: 's',
    description: 'From an event to the end of its first attempt.',
  })
  const toolsOff = meter.createCounter('ars_tools_turned_off', {
    description: 'Tools that a server added, changed or removed and that are off until approved, by change.',
  })
  const passwords = meter.createObservableCounter('ars_passwords_computed', {
    description: 'Passwords that were checked or hashed.',
  })
  const tasks = meter.createObservableCounter('ars_computation_tasks', {
    description: 'Tasks of the thread pool by outcome: done, out_of_time, out_of_memory, busy.',
  })
  const replaced = meter.createObservableCounter('ars_computation_threads_replaced', {
    description: 'Threads that were stopped at a limit and replaced.',
  })
  const cpu = meter.createObservableCounter('ars_computation_cpu_seconds', {
    unit: 's',
    description: 'CPU time of the tasks of the thread pool.',
  })
  const waiting = meter.createObservableGauge('ars_computation_waiting', {
    description: 'Tasks that wait for a thread.',
  })
  return {
    request: (operation, status, seconds) => {
      requests.add(1, { operation, status })
      requestSeconds.record(seconds, { operation })
    },
    connectionRefused: (reason) => refused.add(1, { reason }),
    bytesRefused: (budget, reason) => bytesRefused.add(1, { budget, reason }),
    transferTooSlow: (budget) => tooSlow.add(1, { budget }),
    observeBytes: (held) =>
      bytesHeld.addCallback((gauge) => {
        for (const [budget, bytes] of Object.entries(held())) gauge.observe(bytes, { budget })
      }),
    serverError: (operation) => serverErrors.add(1, { operation }),
    poolWait: (pool, seconds) => poolWaits.record(seconds, { pool }),
    poolError: (pool, reason) => poolErrors.add(1, { pool, reason }),
    observeDatabases: (up) =>
      databaseUp.addCallback((gauge) => {
        for (const [pool, isUp] of up()) gauge.observe(isUp ? 1 : 0, { pool })
      }),
    observeRefusedMessages: (refused) => refusedMessages.addCallback((counter) => counter.observe(refused())),
    step: (seconds, word) => steps.record(seconds, { word }),
    invocationLost: (reason) => invocationsLost.add(1, { reason }),
    queueToStart: (seconds) => queued.record(seconds),
    runEnded: ({ status, code }) => runsEnded.add(1, { status, code: code ?? '' }),
    deliveryAttempt: (outcome, seconds) => {
      attempts.add(1, { outcome })
      if (seconds !== undefined) attemptSeconds.record(seconds, { outcome })
    },
    deliveryLag: (seconds) => lag.record(seconds),
    toolOff: (change) => toolsOff.add(1, { change }),
    observeThreads: (read) => {
      tasks.addCallback((counter) => {
        const { done, outOfTime, outOfMemory, busy } = read()
        counter.observe(done, { outcome: 'done' })
        counter.observe(outOfTime, { outcome: 'out_of_time' })
        counter.observe(outOfMemory, { outcome: 'out_of_memory' })
        counter.observe(busy, { outcome: 'busy' })
      })
      replaced.addCallback((counter) => counter.observe(read().replaced))
      cpu.addCallback((counter) => counter.observe(read().cpuMs / 1_000))
      waiting.addCallback((gauge) => gauge.observe(read().waiting))
    },
    observePasswords: (computed) => passwords.addCallback((counter) => counter.observe(computed())),
  }
}
