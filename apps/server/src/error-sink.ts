import type { Log } from '@ars/platform/log/log'
import { SpanStatusCode, trace } from '@opentelemetry/api'
import type { Figures } from './figures.ts'

/** Where every failure of ours goes: the log, a counter and the trace, all under the request's id. */
export type ErrorSink = (error: unknown, at: { operation: string; requestId: string }) => void

export const createErrorSink =
  (log: Log, figures: Figures): ErrorSink =>
  (error, { operation, requestId }) => {
    log.error('request failed', { request_id: requestId, operation, error })
    figures.serverError(operation)
    const span = trace.getTracer('ars').startSpan(operation, { attributes: { 'ars.request_id': requestId } })
    span.recordException(error instanceof Error ? error : new Error(String(error)))
    span.setStatus({ code: SpanStatusCode.ERROR })
    span.end()
  }
