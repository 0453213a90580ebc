import { setTimeout as sleep } from 'node:timers/promises'
import { type ExportResult, ExportResultCode } from '@opentelemetry/core'
import { OTLPExporterBase, OTLPExporterError } from '@opentelemetry/otlp-exporter-base'
import { convertLegacyHttpOptions, createOtlpHttpExportDelegate } from '@opentelemetry/otlp-exporter-base/node-http'
import {
  JsonTraceSerializer,
  ProtobufTraceSerializer,
  TraceExporterMetricsHelper,
} from '@opentelemetry/otlp-transformer'
import { BatchSpanProcessor, type ReadableSpan, type SpanExporter, type SpanProcessor } from '@opentelemetry/sdk-trace'
import { platformBounds } from '../bounds.ts'
import type { Log } from '../log/log.ts'

/**
 * Sends spans to the operator's collector, in the background. Nobody waits for it. The SDK has the queue, the batches, the
 * retries and the encoding. Beside it stand the bound of the queue in bytes, and the counts by reason.
 */
export type SpanExport = {
  readonly processor: SpanProcessor
  counts(): SpanCounts
  /** Sends what is left, for a few seconds at most. */
  close(): Promise<void>
}

/**
 * `queue_full`: the collector takes fewer spans than there are. `unavailable`: it did not answer. `refused`: it answered with
 * an error. `rejected`: it accepted the request without these spans.
 */
type DropReason = 'queue_full' | 'unavailable' | 'refused' | 'rejected'

export type SpanCounts = { readonly exported: number; readonly dropped: Readonly<Record<DropReason, number>> }

const limitsOfExport = {
  maxSpans: platformBounds.spansQueued.count,
  maxBytes: platformBounds.spansQueued.bytes,
  maxBatchSpans: platformBounds.spanBatch.count,
  /** A batch waits this long for more spans. */
  gatherMs: 1000,
  requestTimeoutMs: platformBounds.spanRequest.ms,
  closeMs: platformBounds.spanClose.ms,
}

export type ExportLimits = typeof limitsOfExport

const serializers = {
  'http/protobuf': { contentType: 'application/x-protobuf', serializer: ProtobufTraceSerializer },
  'http/json': { contentType: 'application/json', serializer: JsonTraceSerializer },
}

export type ExportProtocol = keyof typeof serializers

export type ExportOptions = {
  /** The whole address, with the path. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly protocol: ExportProtocol
  readonly log: Log
  readonly limits?: Partial<ExportLimits> | undefined
}

export const createSpanExport = ({ log, limits: changed, ...target }: ExportOptions): SpanExport => {
  const limits = { ...limitsOfExport, ...changed }
  const dropped: Record<DropReason, number> = { queue_full: 0, unavailable: 0, refused: 0, rejected: 0 }
  let exported = 0
  /** Everything that the SDK holds, queued or on its way. */
  let heldSpans = 0
  let heldBytes = 0
  let isFailing = false
  let isClosed = false
  let isGivenUp = false

  const { exporter, takeRejected } = createExporter(target, limits.requestTimeoutMs)

  const ended = (spans: readonly ReadableSpan[], result: ExportResult): void => {
    if (isGivenUp) return
    heldSpans -= spans.length
    for (const span of spans) heldBytes -= bytesOf(span)
    if (result.code === ExportResultCode.SUCCESS) {
      const rejected = Math.min(spans.length, takeRejected())
      exported += spans.length - rejected
      dropped.rejected += rejected
      if (isFailing) log.info('spans are exported again')
      isFailing = false
      return
    }
    const failure = failureOf(result.error)
    dropped[failure.drop] += spans.length
    if (!isFailing) log.warn('spans could not be exported', { reason: failure.reason })
    isFailing = true
  }

  const counting: SpanExporter = {
    export: (spans, done) => {
      const end = (result: ExportResult): void => {
        ended(spans, result)
        done(result)
      }
      try {
        exporter.export(spans, end)
      } catch (error) {
        end({ code: ExportResultCode.FAILED, error: error as Error })
      }
    },
    shutdown: () => exporter.shutdown(),
  }

  const batches = new BatchSpanProcessor({
    exporter: counting,
    maxQueueSize: limits.maxSpans,
    maxExportBatchSize: limits.maxBatchSpans,
    scheduledDelayMillis: limits.gatherMs,
  })

  return {
    processor: {
      onStart: () => undefined,
      onEnd: (span) => {
        const bytes = bytesOf(span)
        if (isClosed || heldSpans >= limits.maxSpans || heldBytes + bytes > limits.maxBytes) {
          dropped.queue_full++
          return
        }
        heldSpans++
        heldBytes += bytes
        batches.onEnd(span)
      },
      forceFlush: () => batches.forceFlush(),
      shutdown: () => batches.shutdown(),
    },
    counts: () => ({ exported, dropped: { ...dropped } }),
    close: async () => {
      isClosed = true
      const late = new AbortController()
      const bound = sleep(limits.closeMs, undefined, { signal: late.signal }).catch(() => undefined)
      await Promise.race([batches.shutdown().catch(() => undefined), bound])
      late.abort()
      isGivenUp = true
      dropped.unavailable += heldSpans
      heldSpans = 0
    },
  }
}

/**
 * As `OTLPTraceExporter` of the SDK is made, with one difference: the SDK only logs how many spans a collector rejected. What
 * is not given here, the SDK reads from the variables `OTEL_EXPORTER_OTLP_…`: time-out, compression and certificates.
 */
const createExporter = ({ url, headers, protocol }: Omit<ExportOptions, 'log' | 'limits'>, maxTimeoutMs: number) => {
  const { contentType, serializer } = serializers[protocol]
  const options = convertLegacyHttpOptions({ url, headers }, 'TRACES', 'v1/traces', { 'Content-Type': contentType })
  let rejected = 0
  const delegate = createOtlpHttpExportDelegate(
    { ...options, timeoutMillis: Math.min(options.timeoutMillis, maxTimeoutMs) },
    {
      serializeRequest: (spans: ReadableSpan[]) => serializer.serializeRequest(spans),
      // It is called right before the result is reported.
      deserializeResponse: (data) => {
        const response = serializer.deserializeResponse(data)
        const count = Number(response.partialSuccess?.rejectedSpans ?? 0)
        rejected = Number.isSafeInteger(count) && count > 0 ? count : 0
        return response
      },
    },
    'otlp_http_span_exporter',
    TraceExporterMetricsHelper,
    undefined,
  )
  const takeRejected = (): number => {
    const count = rejected
    rejected = 0
    return count
  }
  return { exporter: new OTLPExporterBase(delegate), takeRejected }
}

/** The address and the headers may contain a credential, and an answer anything, so only a code or the kind of the error is named. */
const failureOf = (error: Error | undefined): { drop: 'refused' | 'unavailable'; reason: string } => {
  if (error instanceof OTLPExporterError && error.code !== undefined)
    return { drop: 'refused', reason: `status ${error.code}` }
  const code = error && 'code' in error ? String(error.code) : undefined
  return { drop: 'unavailable', reason: code ?? error?.name ?? 'error' }
}

/** What a span weighs in memory: the objects of the SDK, as measured, and at most two bytes for each character of its texts. */
const bytesOf = (span: ReadableSpan): number => {
  let chars = span.name.length
  for (const value of Object.values(span.attributes)) {
    if (typeof value === 'string') chars += value.length
    else if (Array.isArray(value)) for (const item of value) chars += String(item).length
  }
  return bytesOfSpan + 2 * chars
}

const bytesOfSpan = 3072
