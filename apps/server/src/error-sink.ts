import type { Log } from '@ars/platform/log/log'
import { SpanStatusCode, trace } from '@opentelemetry/api'
import type { Metrics } from './metrics.ts'

/** Reports an internal error to the log, a counter and the trace, with the request id. */
export type ErrorSink = (
  error: unknown,
  at: { operation: string; requestId: string; runId?: string | undefined },
) => void

export const createErrorSink =
  (log: Log, metrics: Metrics): ErrorSink =>
  (error, { operation, requestId, runId }) => {
    log.error('request failed', { request_id: requestId, operation, run_id: runId, error })
    metrics.serverError(operation)
    const span = trace.getTracer('ars').startSpan(operation, { attributes: { 'ars.request_id': requestId } })
    span.recordException(error instanceof Error ? error : new Error(String(error)))
    span.setStatus({ code: SpanStatusCode.ERROR })
    span.end()
  }
