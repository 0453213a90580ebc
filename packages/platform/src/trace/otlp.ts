import { platformBounds } from '../bounds.ts'
import type { TraceContext } from './trace-context.ts'

export type SpanKind = 'internal' | 'server' | 'client' | 'producer' | 'consumer'

type AttributeValue = string | number | boolean | readonly string[]
export type Attributes = Readonly<Record<string, AttributeValue | undefined>>

/** A span that has ended. Times are milliseconds since 1970. */
export type EndedSpan = {
  readonly context: TraceContext
  readonly parentSpanId: string | undefined
  readonly name: string
  readonly kind: SpanKind
  readonly startMs: number
  readonly endMs: number
  readonly attributes: Attributes
  readonly hasFailed: boolean
}

/** What all spans of a process share. */
export type SpanSource = {
  readonly resource: Attributes
  readonly scope: { readonly name: string; readonly version: string; readonly schemaUrl: string }
}

const kinds: Readonly<Record<SpanKind, number>> = { internal: 1, server: 2, client: 3, producer: 4, consumer: 5 }
const errorStatus = { code: 2 }
const maxChars = platformBounds.spanText.chars
const maxItems = platformBounds.spanList.count

/** One span in the JSON form of OTLP. Attributes that are not in `allowed` are left out. */
export const encodeSpan = (span: EndedSpan, allowed: ReadonlySet<string>): string =>
  JSON.stringify({
    traceId: span.context.traceId,
    spanId: span.context.spanId,
    traceState: span.context.state,
    parentSpanId: span.parentSpanId,
    flags: span.context.flags,
    name: span.name.slice(0, maxChars),
    kind: kinds[span.kind],
    startTimeUnixNano: toNano(span.startMs),
    endTimeUnixNano: toNano(Math.max(span.startMs, span.endMs)),
    attributes: encodeAttributes(span.attributes, allowed),
    status: span.hasFailed ? errorStatus : undefined,
  })

/** The request for a batch of encoded spans: the texts around them. */
export const encodeEnvelope = ({ resource, scope }: SpanSource): { before: string; after: string } => {
  const place = JSON.stringify({ attributes: encodeAttributes(resource) })
  const { schemaUrl, ...named } = scope
  const schema = `"schemaUrl":${JSON.stringify(schemaUrl)}`
  return {
    before: `{"resourceSpans":[{"resource":${place},"scopeSpans":[{"scope":${JSON.stringify(named)},"spans":[`,
    after: `],${schema}}],${schema}}]}`,
  }
}

// In whole microseconds, because nanoseconds since 1970 do not fit into a number.
const toNano = (ms: number): string => `${Math.round(ms * 1000)}000`

const encodeAttributes = (attributes: Attributes, allowed?: ReadonlySet<string>) =>
  Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined || allowed?.has(key) === false ? [] : [{ key, value: encodeValue(value) }],
  )

const encodeValue = (value: AttributeValue): Record<string, unknown> => {
  if (typeof value === 'string') return { stringValue: value.slice(0, maxChars) }
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value === 'number')
    return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value }
  return { arrayValue: { values: value.slice(0, maxItems).map((text) => ({ stringValue: text.slice(0, maxChars) })) } }
}
