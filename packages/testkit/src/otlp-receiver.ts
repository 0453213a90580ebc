import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { z } from 'zod'

/** A collector of traces that takes OTLP over HTTP with JSON and refuses everything else with 400. */
export type OtlpReceiver = {
  readonly url: string
  /** The accepted spans, in the order of their arrival. */
  spans(): ReceivedSpan[]
  /** The accepted requests, as they were sent. */
  bodies(): readonly string[]
  headers(): readonly IncomingHttpHeaders[]
  /** Why requests were refused. A test expects none. */
  faults(): readonly string[]
  /** How the next requests are answered: undefined takes them, `hang` never answers. */
  answer(way: Way | undefined): void
  close(): Promise<void>
}

type Way = 'hang' | { status: number; headers?: Record<string, string>; body?: string }

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
  z.strictObject({ intValue: z.string().regex(/^-?\d+$/) }),
  z.strictObject({ doubleValue: z.number() }),
  z.strictObject({ arrayValue: z.strictObject({ values: z.array(z.strictObject({ stringValue: z.string() })) }) }),
])
const Attributes = z
  .array(z.strictObject({ key: z.string().min(1), value: Value }))
  .refine((list) => new Set(list.map(({ key }) => key)).size === list.length, 'an attribute is there twice')
const nano = z.string().regex(/^\d{19}$/)
const hex = (chars: number) => z.string().regex(new RegExp(`^(?!0+$)[0-9a-f]{${chars}}$`))
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
    status: z.strictObject({ code: z.literal(2) }).optional(),
  })
  .refine((span) => BigInt(span.endTimeUnixNano) >= BigInt(span.startTimeUnixNano), 'it ends before it begins')
const schemaUrl = z.url()
const Request = z.strictObject({
  resourceSpans: z
    .array(
      z.strictObject({
        resource: z.strictObject({ attributes: Attributes }),
        scopeSpans: z.array(
          z.strictObject({
            scope: z.strictObject({ name: z.string().min(1), version: z.string() }),
            spans: z.array(Span).min(1),
            schemaUrl,
          }),
        ),
        schemaUrl,
      }),
    )
    .min(1),
})

export const startOtlpReceiver = async (): Promise<OtlpReceiver> => {
  const spans: ReceivedSpan[] = []
  const bodies: string[] = []
  const headers: IncomingHttpHeaders[] = []
  const faults: string[] = []
  let way: Way | undefined

  const take = (text: string, response: ServerResponse): void => {
    const parsed = Request.safeParse(parse(text))
    if (!parsed.success) {
      faults.push(z.prettifyError(parsed.error))
      response.writeHead(400).end()
      return
    }
    bodies.push(text)
    spans.push(...parsed.data.resourceSpans.flatMap(spansOf))
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  }

  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    headers.push(request.headers)
    if (way === 'hang') return
    if (way) return response.writeHead(way.status, way.headers).end(way.body)
    if (
      request.method === 'POST' &&
      request.url === '/v1/traces' &&
      request.headers['content-type'] === 'application/json'
    )
      return take(text, response)
    faults.push(`${request.method} ${request.url} as ${request.headers['content-type']}`)
    response.writeHead(404).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
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

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return 'no JSON'
  }
}

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
      hasFailed: span.status !== undefined,
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
