import type { Meter } from '@opentelemetry/api'

/** The instruments, by what an operator asks. Durations are in seconds. */
export type Figures = {
  request(operation: string, status: number, seconds: number): void
  serverError(operation: string): void
  connectionRefused(reason: 'address' | 'all'): void
  poolWait(pool: string, seconds: number): void
  step(seconds: number, word: string): void
  queueToStart(seconds: number): void
  /** `seconds` is undefined where nothing was sent. */
  deliveryAttempt(outcome: string, seconds: number | undefined): void
  deliveryLag(seconds: number): void
  /** Asked at each scrape. */
  observePasswords(computed: () => number): void
}

export const createFigures = (meter: Meter): Figures => {
  const requests = meter.createCounter('ars_requests', { description: 'Requests answered, by operation and status.' })
  const requestSeconds = meter.createHistogram('ars_request_duration_seconds', {
    unit: 's',
    description: 'From the request’s headers to the end of the answer.',
  })
  const serverErrors = meter.createCounter('ars_server_errors', { description: 'Answers 500; each is in the log.' })
  const refused = meter.createCounter('ars_connections_refused', {
    description: 'Connections closed as soon as they were made, because the address or all together had too many.',
  })
  const poolWaits = meter.createHistogram('ars_pool_wait_seconds', {
    unit: 's',
    description: 'How long a caller waited for a database connection.',
  })
  const steps = meter.createHistogram('ars_step_duration_seconds', {
    unit: 's',
    description: 'A step, claim to stored.',
  })
  const queued = meter.createHistogram('ars_queue_to_start_seconds', {
    unit: 's',
    description: 'From the acceptance of a run to its first step.',
  })
  const attempts = meter.createCounter('ars_delivery_attempts', {
    description: 'Attempts to deliver an event to a webhook, by what came of them.',
  })
  const attemptSeconds = meter.createHistogram('ars_delivery_attempt_duration_seconds', {
    unit: 's',
    description: 'From the look-up of an endpoint’s name to the end of its answer.',
  })
  const lag = meter.createHistogram('ars_delivery_lag_seconds', {
    unit: 's',
    description: 'From an event to the end of its first attempt.',
  })
  const passwords = meter.createObservableCounter('ars_passwords_computed', {
    description: 'Slow hashes computed, one for each password that was looked at.',
  })
  return {
    request: (operation, status, seconds) => {
      requests.add(1, { operation, status })
      requestSeconds.record(seconds, { operation })
    },
    connectionRefused: (reason) => refused.add(1, { reason }),
    serverError: (operation) => serverErrors.add(1, { operation }),
    poolWait: (pool, seconds) => poolWaits.record(seconds, { pool }),
    step: (seconds, word) => steps.record(seconds, { word }),
    queueToStart: (seconds) => queued.record(seconds),
    deliveryAttempt: (outcome, seconds) => {
      attempts.add(1, { outcome })
      if (seconds !== undefined) attemptSeconds.record(seconds, { outcome })
    },
    deliveryLag: (seconds) => lag.record(seconds),
    observePasswords: (computed) => passwords.addCallback((counter) => counter.observe(computed())),
  }
}
