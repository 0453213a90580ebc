import { platformBounds } from '../bounds.ts'

/** The place of a piece of work in a distributed trace, as W3C Trace Context describes it. Ids are lower-case hex. */
export type TraceContext = {
  readonly traceId: string
  readonly spanId: string
  readonly flags: number
  /** The `tracestate` of the caller, which is passed on unchanged. */
  readonly state: string | undefined
}

/** Whether the spans of this trace are recorded. */
export const isSampled = ({ flags }: TraceContext): boolean => (flags & sampledFlag) !== 0

export const sampledFlag = 1
// The first bit says that the trace is recorded, the second that its id is random. Others are not defined.
const knownFlags = 3

// A future version may append fields after a hyphen.
const pattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-[\x21-\x7e]*)?$/
const maxTraceparentChars = platformBounds.traceparent.chars
const maxStateChars = platformBounds.tracestate.chars
const maxStateMembers = platformBounds.tracestate.count

/** The caller's context. Null: none was sent, or it is malformed, which the standard says to ignore. Headers sent twice are malformed. */
export const readTraceContext = (traceparent: unknown, tracestate: unknown): TraceContext | null => {
  if (typeof traceparent !== 'string' || traceparent.length > maxTraceparentChars) return null
  const [, version, traceId = '', spanId = '', flags = '', more] = pattern.exec(traceparent) ?? []
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return null
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return null
  return { traceId, spanId, flags: Number.parseInt(flags, 16) & knownFlags, state: readState(tracestate) }
}

const readState = (tracestate: unknown): string | undefined => {
  if (typeof tracestate !== 'string' || tracestate === '' || tracestate.length > maxStateChars) return
  const isUsable = /^[\x20-\x7e]+$/.test(tracestate) && tracestate.split(',').length <= maxStateMembers
  return isUsable ? tracestate : undefined
}

/** The headers that hand the context to another service. In MCP, `_meta` holds the same fields. */
export const traceHeaders = (context: TraceContext | undefined): Record<string, string> =>
  context === undefined
    ? {}
    : {
        traceparent: traceparentOf(context),
        ...(context.state === undefined ? {} : { tracestate: context.state }),
      }

const traceparentOf = ({ traceId, spanId, flags }: TraceContext): string =>
  `00-${traceId}-${spanId}-${flags.toString(16).padStart(2, '0')}`

/** As one text, to be stored. */
export const storedTraceContext = (context: TraceContext): string =>
  context.state === undefined ? traceparentOf(context) : `${traceparentOf(context)} ${context.state}`

export const openTraceContext = (stored: string): TraceContext | undefined => {
  const end = stored.indexOf(' ')
  const context =
    end === -1 ? readTraceContext(stored, undefined) : readTraceContext(stored.slice(0, end), stored.slice(end + 1))
  return context ?? undefined
}
