import type { Log } from '@ars/platform/log/log'
import type { Metrics } from './metrics.ts'

/** Reports an internal error to the log, with the request id, and to a counter. The span of the request has the error's code. */
export type ErrorSink = (
  error: unknown,
  at: { operation: string; requestId: string; runId?: string | undefined },
) => void

export const createErrorSink =
  (log: Log, metrics: Metrics): ErrorSink =>
  (error, { operation, requestId, runId }) => {
    log.error('request failed', { request_id: requestId, operation, run_id: runId, error })
    metrics.serverError(operation)
  }
