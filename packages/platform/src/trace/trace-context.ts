import {
  defaultTextMapGetter,
  defaultTextMapSetter,
  ROOT_CONTEXT,
  type SpanContext,
  TraceFlags,
  trace,
} from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { platformBounds } from '../bounds.ts'

/** The place of a piece of work in a distributed trace, as W3C Trace Context describes it. It is passed explicitly. */
export type TraceContext = SpanContext

/** Whether the spans of this trace are recorded. */
export const isSampled = ({ traceFlags }: TraceContext): boolean => (traceFlags & TraceFlags.SAMPLED) !== 0

// The first bit says that the trace is recorded, the second that its id is random. Others are not defined.
const knownFlags = 3

const propagator = new W3CTraceContextPropagator()
const maxTraceparentChars = platformBounds.traceparent.chars
const maxStateChars = platformBounds.tracestate.chars

/** The caller's context. Null: none was sent, or it is malformed, which the standard says to ignore. Headers sent twice are malformed. */
export const readTraceContext = (traceparent: unknown, tracestate: unknown): TraceContext | null => {
  if (typeof traceparent !== 'string' || traceparent.length > maxTraceparentChars) return null
  const isUsable = typeof tracestate === 'string' && tracestate.length <= maxStateChars
  const carrier = isUsable ? { traceparent, tracestate } : { traceparent }
  const context = trace.getSpanContext(propagator.extract(ROOT_CONTEXT, carrier, defaultTextMapGetter))
  if (!context) return null
  const { traceState, ...rest } = context
  const known = { ...rest, traceFlags: context.traceFlags & knownFlags }
  return traceState?.serialize() ? { ...known, traceState } : known
}

/** The headers that hand the context to another service. In MCP, `_meta` holds the same fields. */
export const traceHeaders = (context: TraceContext | undefined): Record<string, string> => {
  const headers = {}
  if (context) propagator.inject(trace.setSpanContext(ROOT_CONTEXT, context), headers, defaultTextMapSetter)
  return headers
}

/** As one text, to be stored. */
export const storedTraceContext = (context: TraceContext): string => Object.values(traceHeaders(context)).join(' ')

export const openTraceContext = (stored: string): TraceContext | undefined => {
  const end = stored.indexOf(' ')
  const context =
    end === -1 ? readTraceContext(stored, undefined) : readTraceContext(stored.slice(0, end), stored.slice(end + 1))
  return context ?? undefined
}
