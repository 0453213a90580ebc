import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { z } from 'zod'
import { readTraces } from './otlp-protobuf.ts'

/** A collector of traces that takes OTLP over HTTP, as Protobuf or JSON, and refuses everything else with 400. */
export type OtlpReceiver = {
  readonly url: string
  /** The accepted spans, in the order of their arrival. */
  spans(): ReceivedSpan[]
  /** The accepted requests as bytes, unzipped. Texts stand in them as they are, in UTF-8. */
  bodies(): readonly string[]
  headers(): readonly IncomingHttpHeaders[]
  /** Why requests were refused. A test expects none. */
  faults(): readonly string[]
  /** How the next requests are answered: undefined takes them, `hang` never answers. */
  answer(way: Way | undefined): void
  close(): Promise<void>
}

/** Without `times`, all requests are answered so, until the next call of `answer`. */
type Way = 'hang' | { status: number; headers?: Record<string, string>; body?: string | Buffer; times?: number }

export type ReceivedSpan = {
  traceId: string
  spanId: string
  parentSpanId: string | undefined
  traceState: string | undefined
  name: string
  kind: number
  startNano: bigint
  endNano: bigint
  hasFailed: boolean
  attributes: Readonly<Record<string, unknown>>
  resource: Readonly<Record<string, unknown>>
  schemaUrl: string
}

const Value = z.union([
  z.strictObject({ stringValue: z.string() }),
  z.strictObject({ boolValue: z.boolean() }),
  // Collectors read the JSON form as a text or as a number.
  z.strictObject({ intValue: z.union([z.string().regex(/^-?\d+$/), z.int()]) }),
  z.strictObject({ doubleValue: z.number() }),
  z.strictObject({ arrayValue: z.strictObject({ values: z.array(z.strictObject({ stringValue: z.string() })) }) }),
])
const Attributes = z
  .array(z.strictObject({ key: z.string().min(1), value: Value }))
  .refine((list) => new Set(list.map(({ key }) => key)).size === list.length, 'an attribute is there twice')
const nano = z.string().regex(/^\d{19}$/)
const hex = (chars: number) => z.string().regex(new RegExp(`^(?!0+$)[0-9a-f]{${chars}}$`))
const none = z.literal(0).default(0)
const nothing = z.array(z.never()).default([])
const Span = z
  .strictObject({
    traceId: hex(32),
    spanId: hex(16),
    traceState: z.string().max(512).optional(),
    parentSpanId: hex(16).optional(),
    flags: z.int().min(0),
    name: z.string().min(1),
    kind: z.int().min(1).max(5),
    startTimeUnixNano: nano,
    endTimeUnixNano: nano,
    attributes: Attributes,
    droppedAttributesCount: none,
    // Events, links and messages could quote content.
    events: nothing,
    droppedEventsCount: none,
    links: nothing,
    droppedLinksCount: none,
    status: z.strictObject({ code: z.union([z.literal(0), z.literal(2)]) }),
  })
  .refine((span) => BigInt(span.endTimeUnixNano) >= BigInt(span.startTimeUnixNano), 'it ends before it begins')
const schemaUrl = z.url()
const Request = z.strictObject({
  resourceSpans: z
    .array(
      z.strictObject({
        resource: z.strictObject({
          attributes: Attributes,
          droppedAttributesCount: none,
          schemaUrl: schemaUrl.optional(),
        }),
        scopeSpans: z.array(
          z.strictObject({
            scope: z.strictObject({
              name: z.string().min(1),
              version: z.string(),
              attributes: nothing,
              droppedAttributesCount: none,
            }),
            spans: z.array(Span).min(1),
            schemaUrl,
          }),
        ),
        schemaUrl,
      }),
    )
    .min(1),
})

type Options = {
  /** Takes requests over TLS only. */
  readonly tls?: { readonly cert: string; readonly key: string }
}

export const startOtlpReceiver = async ({ tls }: Options = {}): Promise<OtlpReceiver> => {
  const spans: ReceivedSpan[] = []
  const bodies: string[] = []
  const headers: IncomingHttpHeaders[] = []
  const faults: string[] = []
  let way: Way | undefined

  const take = (request: IncomingMessage, body: Buffer, response: ServerResponse): void => {
    try {
      const type = request.headers['content-type']
      const read = type === undefined ? undefined : readers.get(type)
      if (request.method !== 'POST' || request.url !== '/v1/traces' || !read)
        throw new Error(`${request.method} ${request.url} as ${type}`)
      const plain = request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body
      const { resourceSpans } = Request.parse(read(plain))
      bodies.push(plain.toString())
      spans.push(...resourceSpans.flatMap(spansOf))
      response.writeHead(200, { 'content-type': type }).end(type === 'application/json' ? '{}' : '')
    } catch (error) {
      faults.push(error instanceof z.ZodError ? z.prettifyError(error) : String(error))
      response.writeHead(400).end()
    }
  }

  const listener = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    headers.push(request.headers)
    if (way === 'hang') return
    if (!way) return take(request, Buffer.concat(chunks), response)
    response.writeHead(way.status, way.headers).end(way.body)
    if (way.times !== undefined) way = way.times > 1 ? { ...way, times: way.times - 1 } : undefined
  }
  const server = tls ? createTlsServer(tls, listener) : createServer(listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: () => [...spans],
    bodies: () => bodies,
    headers: () => headers,
    faults: () => faults,
    answer: (next) => {
      way = next
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const readers = new Map<string, (body: Buffer) => unknown>([
  ['application/x-protobuf', readTraces],
  ['application/json', (body) => JSON.parse(body.toString())],
])

const spansOf = (sent: z.output<typeof Request>['resourceSpans'][number]): ReceivedSpan[] =>
  sent.scopeSpans.flatMap(({ spans }) =>
    spans.map((span) => ({
      traceId: span.traceId,
      spanId: span.spanId,
      parentSpanId: span.parentSpanId,
      traceState: span.traceState,
      name: span.name,
      kind: span.kind,
      startNano: BigInt(span.startTimeUnixNano),
      endNano: BigInt(span.endTimeUnixNano),
      hasFailed: span.status.code === 2,
      attributes: valuesOf(span.attributes),
      resource: valuesOf(sent.resource.attributes),
      schemaUrl: sent.schemaUrl,
    })),
  )

const valuesOf = (attributes: z.output<typeof Attributes>): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, plain(value)]))

const plain = (value: z.output<typeof Value>): unknown => {
  if ('intValue' in value) return Number(value.intValue)
  if ('arrayValue' in value) return value.arrayValue.values.map(({ stringValue }) => stringValue)
  return Object.values(value)[0]
}
