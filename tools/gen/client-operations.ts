import type { Operation } from '@ars/contract'
import type { Answer, Body, ClientOperation, Parameter, TypeUse } from './client-shape.ts'
import { pascal, type TypeCollector } from './client-types.ts'
import * as documents from './document.ts'
import { type Document, type OperationObject, resolve, type Schema } from './document.ts'

/** Operations of these resources are for people with a browser and a password. */
const forPeople: ReadonlySet<string> = new Set(['auth', 'sessions'])

/** One operation of the document, with what its row of the contract says. */
export const clientOperation = (
  document: Document,
  types: TypeCollector,
  { address, operation, row }: { address: string; operation: OperationObject; row: Operation },
): ClientOperation => {
  const [method = '', path = ''] = address.split(' ')
  const [resource = '', name = ''] = operation.operationId.split('.')
  const { summary = '', description = '' } = operation as { summary?: string; description?: string }
  const owner = pascal(resource) + pascal(name)
  const parameters = (operation.parameters ?? []).map((each) => resolve<documents.Parameter>(document, each))
  const query = parameters.filter((each) => each.in === 'query').map((each) => parameterOf(types, each, owner))
  const byName = new Map(parameters.filter((each) => each.in === 'path').map((each) => [each.name, each]))
  const body = bodyOf(document, types, operation, `${owner}Params`)
  return {
    id: operation.operationId,
    name,
    method: method as ClientOperation['method'],
    path,
    summary: summary.replace(/\.$/, ''),
    docs: description.split('\n\n').filter(Boolean),
    pathParameters: [...path.matchAll(/\{(\w+)\}/g)].flatMap(([, each = '']) => {
      const found = byName.get(each)
      if (!found) throw new Error(`${operation.operationId} does not describe the parameter ${each} of its path`)
      return [parameterOf(types, found, owner)]
    }),
    query,
    ...(body && { body }),
    answer: answerOf(document, types, operation, query),
    idempotent: row.idempotent === true,
    waits: row.prefers === true,
    anonymous: row.scope === 'anyone',
    forPeople: forPeople.has(resource),
    errors: [...row.errors].sort(),
  }
}

const parameterOf = (types: TypeCollector, parameter: documents.Parameter, owner: string): Parameter => {
  const { name, required = false } = parameter
  const values = listedValues(parameter.schema)
  const schema: Schema = values ? { type: 'array', items: { type: 'string', enum: values } } : parameter.schema
  const type = types.use(schema, { name: owner + pascal(name), field: name })
  const styles: Partial<Record<TypeUse['kind'], Parameter['style']>> = { list: 'comma', map: 'deep' }
  return {
    name,
    type,
    required,
    docs: (parameter as { description?: string }).description ?? '',
    ...(schema.default !== undefined && { default: schema.default }),
    secret: false,
    style: styles[type.kind] ?? 'single',
  }
}

/** The values of a list that the document describes as a text: `^(a|b)(,(a|b))*$`. */
const listedValues = ({ pattern = '' }: Schema): string[] | undefined => {
  const [, choice] = /^\^\(([^()]+)\)\(,\(\1\)\)\*\$$/.exec(pattern) ?? []
  return choice?.replaceAll('\\.', '.').split('|')
}

const bodyOf = (
  document: Document,
  types: TypeCollector,
  operation: OperationObject,
  name: string,
): Body | undefined => {
  if (!operation.requestBody) return undefined
  const { required = false, content } = resolve<documents.RequestBody>(document, operation.requestBody)
  const schema = content['application/json']?.schema
  if (!schema) throw new Error(`${operation.operationId} takes something else than JSON`)
  const type = types.use(schema, { name, field: `body of ${operation.operationId}` })
  if (type.kind !== 'named') throw new Error(`${operation.operationId} takes something else than an object`)
  return { type: type.name, required, schema: standalone(document, schema) }
}

const answerOf = (
  document: Document,
  types: TypeCollector,
  operation: OperationObject,
  query: readonly Parameter[],
): Answer => {
  const { operationId } = operation
  const [response] = Object.entries(operation.responses).flatMap(([status, each]) =>
    status.startsWith('2') ? [resolve<documents.Response>(document, each)] : [],
  )
  const place = { name: `${pascal(operationId)}Answer`, field: `answer of ${operationId}` }
  const frames = response?.content?.['text/event-stream']?.['x-item-schema']
  if (frames) {
    const frame = types.use(frames, place)
    const ends = frame.kind === 'named' && frame.name === 'RunFrame'
    return { kind: 'stream', frame, ends, resumedBy: resumingOperation(document, operation) }
  }
  const schema = response?.content?.['application/json']?.schema
  if (!schema) throw new Error(`${operationId} answers with something else than JSON`)
  const type = types.use(schema, place)
  const form = type.kind === 'named' ? types.types.get(type.name) : undefined
  if (form?.kind !== 'object' || !form.pageOf) return { kind: 'record', type }
  return { kind: 'page', type: form.name, item: form.pageOf, paged: query.some(({ name }) => name === 'after') }
}

/** A stream that begins with a POST is resumed by the GET stream of the same resource. */
const resumingOperation = (document: Document, operation: OperationObject): string => {
  const [resource] = operation.operationId.split('.')
  const found = documents
    .allOperations(document)
    .find(
      ({ address, operation: { operationId, responses } }) =>
        operationId.startsWith(`${resource}.`) &&
        address.startsWith('GET ') &&
        Object.values(responses).some((each) => 'content' in each && each.content?.['text/event-stream']),
    )
  if (!found) throw new Error(`A stream of ${resource} cannot be resumed: it needs a GET`)
  return found.operation.operationId
}

/** A schema with everything that it refers to in its own `$defs`. */
const standalone = (document: Document, schema: Schema): Schema => {
  const definitions = new Map<string, unknown>()
  const copy = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(copy)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, part]) => {
        if (key !== '$ref' || typeof part !== 'string') return [key, copy(part)]
        const name = part.split('/').at(-1) ?? ''
        if (!definitions.has(name)) {
          definitions.set(name, undefined)
          definitions.set(name, copy(resolve<Schema>(document, { $ref: part })))
        }
        return [key, `#/$defs/${name}`]
      }),
    )
  }
  const root = copy(schema.$ref ? resolve<Schema>(document, { $ref: schema.$ref }) : schema) as Schema
  return { ...root, ...(definitions.size > 0 && { $defs: Object.fromEntries(definitions) }) } as Schema
}
