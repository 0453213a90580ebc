import {
  apiBasePath,
  contract,
  type ErrorCode,
  errors,
  eventTypes,
  limits,
  protocolErrors,
  scopes,
} from '@ars/contract'
import { clientOperation } from './client-operations.ts'
import type { ClientModel, ErrorKind, EventKind, NamedType, TypeUse } from './client-shape.ts'
import { collectTypes, pascal, type TypeCollector } from './client-types.ts'
import { allOperations, type Document, type RequestBody, resolve, type Schema } from './document.ts'
import { buildDocument, type Contract } from './openapi.ts'
import { openValues } from './openapi-enums.ts'
import { tagOf } from './openapi-info.ts'
import { packageVersion } from './package-version.ts'

export type * from './client-shape.ts'

/** The language-neutral model of the client: the document, read for those who write client libraries. */
export const clientModel = (from: Contract = contract, document: Document = buildDocument(from)): ClientModel => {
  const types = collectTypes(document, enumNames(document))
  // Short names first: `Webhook` gives its name to what it shares with `DisabledWebhook`.
  const names = Object.keys((document.components?.schemas ?? {}) as object).sort(
    (one, other) => one.length - other.length,
  )
  for (const name of names) {
    types.use({ $ref: `#/components/schemas/${name}` }, { name, field: name })
  }
  const events = eventsOf(document, types)
  const found = allOperations(document).flatMap(({ address, operation }) => {
    const [resource = '', name = ''] = operation.operationId.split('.')
    const row = from[resource]?.[name]
    if (!row) throw new Error(`${operation.operationId} has no row in the contract`)
    // Lines are a download. A program iterates over the list of the same things.
    if (row.lines) return []
    return [{ resource, operation: clientOperation(document, types, { address, operation, row }) }]
  })
  const resources = [...Map.groupBy(found, ({ resource }) => resource)].map(([name, own]) => ({
    name,
    docs: tagDocs(document, name),
    operations: own.map(({ operation }) => operation),
  }))
  const operations = found.map(({ operation }) => operation)
  const sent = reachable(types, [
    ...operations.flatMap(({ body }) => (body ? [namedUse(body.type)] : [])),
    ...operations.flatMap(({ query, pathParameters }) => [...query, ...pathParameters].map(({ type }) => type)),
  ])
  const received = reachable(types, [
    ...operations.map(({ answer }) => answerType(answer)),
    ...events.map(({ envelope }) => namedUse(envelope)),
    namedUse('Error'),
  ])
  return {
    version: packageVersion,
    basePath: apiBasePath,
    resources,
    types: [...types.types.values()]
      .map((form) => {
        const use = { sent: sent.has(form.name), received: received.has(form.name) }
        return { ...form, ...use, ...('open' in form && { open: use.received }) } as NamedType
      })
      .sort((left, right) => (left.name < right.name ? -1 : 1)),
    events,
    errors: errorKinds(),
    limits,
  }
}

/** The names of enumerations by their values. A request has a closed copy of a component, which shares its name. */
const enumNames = (document: Document): ReadonlyMap<string, readonly string[]> => {
  const schemas = Object.entries((document.components?.schemas ?? {}) as Readonly<Record<string, Schema>>)
  const components = schemas.flatMap(([name, schema]): [string, string][] => {
    const values = schema.enum ?? openValues(schema)
    return values ? [[values.join(), name]] : []
  })
  const all: [string, string][] = [
    [scopes.join(), 'Scope'],
    [Object.keys(eventTypes).join(), 'EventType'],
    ...components,
  ]
  return new Map(
    Object.entries(Object.groupBy(all, ([values]) => values)).map(([values, named = []]) => [
      values,
      named.map(([, name]) => name),
    ]),
  )
}

/** The envelopes of the events. The union `Event` has one variant for each type. */
const eventsOf = (document: Document, types: TypeCollector): EventKind[] =>
  Object.entries(document.webhooks ?? {}).flatMap(([type, { post }]) => {
    const body = post?.requestBody && resolve<RequestBody>(document, post.requestBody)
    const schema = body?.content['application/json']?.schema
    if (!schema) return []
    const name = `${pascal(type)}Event`
    const envelope = types.use(schema, { name, field: `event ${type}` })
    const form = envelope.kind === 'named' ? types.types.get(envelope.name) : undefined
    const data = form?.kind === 'object' && form.fields.find((field) => field.name === 'data')?.type
    if (!form || !data) throw new Error(`The event ${type} has no data`)
    const { summary = '' } = post as { summary?: string }
    return [{ type, docs: summary, data, envelope: form.name }]
  })

const errorKinds = (): ErrorKind[] =>
  (Object.keys(errors) as ErrorCode[])
    .map((code) => ({ code, ...errors[code], everywhere: (protocolErrors as readonly string[]).includes(code) }))
    .sort((left, right) => (left.code < right.code ? -1 : 1))

const tagDocs = (document: Document, resource: string): string => {
  const { tags = [] } = document as { tags?: readonly { name: string; description: string }[] }
  return tags.find(({ name }) => name === tagOf(resource))?.description ?? ''
}

const namedUse = (name: string): TypeUse => ({ kind: 'named', name, nullable: false })

const answerType = (answer: ClientModel['resources'][number]['operations'][number]['answer']): TypeUse => {
  if (answer.kind === 'page') return namedUse(answer.type)
  return answer.kind === 'stream' ? answer.frame : answer.type
}

/** The names of all types that are part of these. */
const reachable = ({ types }: TypeCollector, roots: readonly TypeUse[]): ReadonlySet<string> => {
  const seen = new Set<string>()
  const visit = (type: TypeUse): void => {
    if (type.kind === 'list') visit(type.items)
    if (type.kind === 'map') visit(type.values)
    if (type.kind !== 'named' || seen.has(type.name)) return
    seen.add(type.name)
    const form = types.get(type.name)
    if (form?.kind === 'object') for (const field of form.fields) visit(field.type)
    if (form?.kind === 'union') for (const variant of form.variants) visit(variant)
  }
  for (const root of roots) visit(root)
  return seen
}
