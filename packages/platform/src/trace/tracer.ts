import {
  ROOT_CONTEXT,
  type Attributes as SdkAttributes,
  type Span as SdkSpan,
  type Tracer as SdkTracer,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import { platformBounds } from '../bounds.ts'
import type { Clock } from '../clock.ts'
import { isSampled, readTraceContext, type TraceContext } from './trace-context.ts'

/**
 * Makes spans with the OpenTelemetry SDK. Contexts are passed explicitly, because statements are shared between runs: a
 * current span would belong to one run of a batch. A process without a collector has no tracer and does none of this.
 */
export type Tracer = {
  /** Continues the trace of a caller, or begins one if the sampler says so. Undefined: the request is in no trace. */
  enter(headers: TraceHeaders, start: SpanStart): Traced | undefined
  /** A span under `parent`. Undefined: the trace is not recorded. */
  start(parent: TraceContext, start: SpanStart): Span | undefined
  /** A span that has ended already. */
  record(parent: TraceContext, start: SpanStart, times: { readonly from: Date; readonly to: Date }): void
}

type TraceHeaders = Readonly<Record<string, unknown>>

/** `context` is what the request hands on. Without a `span` the caller or the sampler has decided that the trace is not recorded. */
export type Traced = { readonly context: TraceContext; readonly span: Span | undefined }

type Attributes = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>

export type SpanStart = {
  readonly name: string
  readonly kind: Lowercase<keyof typeof SpanKind>
  readonly attributes: Attributes
  /** How long ago it began; 0 if missing. */
  readonly agoMs?: number | undefined
}

export type Span = {
  /** The context of what happens inside the span. */
  readonly context: TraceContext
  /** Only the first call counts. */
  end(outcome?: SpanEnd): void
}

type SpanEnd = {
  readonly attributes?: Attributes
  /** Set if it failed: a code, never a message, because messages may quote content. */
  readonly error?: string | undefined
}

type Options = {
  readonly sdk: SdkTracer
  /** The attributes that may leave the process. */
  readonly allowed: ReadonlySet<string>
  readonly clock: Pick<Clock, 'monotonicMs'>
}

const kinds = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
}
const maxNameChars = platformBounds.spanText.chars
const maxItems = platformBounds.spanList.count

export const createTracer = ({ sdk, allowed, clock }: Options): Tracer => {
  const begin = (parent: TraceContext | null, start: SpanStart, from?: Date): SdkSpan | undefined => {
    const span = sdk.startSpan(
      start.name.slice(0, maxNameChars),
      {
        kind: kinds[start.kind],
        attributes: attributesOf(start.attributes),
        // The SDK takes a number of this size for a time of the monotonic clock, from which it computes the duration.
        startTime: from ?? clock.monotonicMs() - (start.agoMs ?? 0),
      },
      parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT,
    )
    return span.isRecording() ? span : undefined
  }

  const open = (parent: TraceContext | null, start: SpanStart): Span | undefined => {
    const span = begin(parent, start)
    if (!span) return
    return {
      context: span.spanContext(),
      end: ({ attributes, error } = {}) => {
        if (!span.isRecording()) return
        if (attributes) span.setAttributes(attributesOf(attributes))
        if (error !== undefined) {
          span.setAttributes(attributesOf({ 'error.type': error })).setStatus({ code: SpanStatusCode.ERROR })
        }
        span.end(clock.monotonicMs())
      },
    }
  }

  const attributesOf = (attributes: Attributes): SdkAttributes => {
    const found: SdkAttributes = {}
    for (const [key, value] of Object.entries(attributes)) {
      if (allowed.has(key)) found[key] = typeof value === 'object' ? value.slice(0, maxItems) : value
    }
    return found
  }

  return {
    enter: ({ traceparent, tracestate }, start) => {
      const parent = traceparent === undefined ? null : readTraceContext(traceparent, tracestate)
      const span = open(parent, start)
      if (span) return { context: span.context, span }
      return parent ? { context: parent, span } : undefined
    },
    start: (parent, start) => (isSampled(parent) ? open(parent, start) : undefined),
    record: (parent, start, { from, to }) => {
      if (isSampled(parent)) begin(parent, start, from)?.end(to)
    },
  }
}
