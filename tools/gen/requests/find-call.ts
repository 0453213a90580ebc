import type { ClientModel, ClientOperation, Field, Parameter, Resource, TypeUse } from '../client-model.ts'
import type { Json, Request, Text } from './request.ts'
import { ShellOnly } from './shell.ts'

/** A request as a call of the operation that it belongs to. */
export type Call = {
  readonly resource: Resource
  readonly operation: ClientOperation
  readonly ids: readonly { readonly value: Json; readonly type: TypeUse }[]
  /** Of the query or of the body, with their types. */
  readonly fields: readonly { readonly field: Field; readonly value: Json }[]
  /** Seconds that the service waits for the result; false: it does not wait. */
  readonly wait?: number | false
  readonly idempotencyKey?: Text
  readonly lastEventId?: Text
  readonly headers: readonly { readonly name: string; readonly value: Text }[]
  readonly showsHeaders: boolean
}

export const findCall = (model: ClientModel, request: Request): Call => {
  const { resource, operation, ids } = findOperation(model, request)
  const { headers, ...options } = optionsOf(request, operation)
  return {
    resource,
    operation,
    ids,
    fields: operation.body ? bodyFields(model, request, operation) : queryFields(request, operation),
    ...options,
    headers,
    showsHeaders: request.showsHeaders,
  }
}

/** Words of the path win over a parameter: `/agents/custom` is not `/agents/{id}`. */
const findOperation = (
  { resources }: ClientModel,
  { method, path }: Request,
): Pick<Call, 'resource' | 'operation' | 'ids'> => {
  const segments = segmentsOf(path)
  const found = resources
    .flatMap((resource) => resource.operations.map((operation) => ({ resource, operation })))
    .filter(({ operation }) => operation.method === method)
    .flatMap(({ resource, operation }) => {
      const parts = operation.path.split('/').slice(1)
      const fits = parts.every((part, n) => part.startsWith('{') || isWord(segments[n], part))
      if (parts.length !== segments.length || !fits) return []
      const own = segments.filter((_, n) => parts[n]?.startsWith('{'))
      const ids = operation.pathParameters.map(({ type }, n) => ({ value: jsonOf(own[n] ?? [], type), type }))
      return [{ resource, operation, ids }]
    })
    .sort((one, other) => one.ids.length - other.ids.length)
  if (!found[0]) throw new ShellOnly(`no method of the SDKs sends ${method} ${JSON.stringify(path)}`)
  return found[0]
}

const isWord = (segment: Text | undefined, word: string): boolean => segment?.length === 1 && segment[0] === word

const segmentsOf = (path: Text): Text[] => {
  const segments: Text[] = []
  for (const part of path) {
    const [first = '', ...others] = typeof part === 'string' ? part.split('/') : [part]
    if (first !== '') segments.push([...(segments.pop() ?? []), first])
    segments.push(...others.map((each) => (each === '' ? [] : [each])))
  }
  return segments
}

const optionsOf = (
  { headers }: Request,
  { waits, idempotent, answer }: ClientOperation,
): Pick<Call, 'wait' | 'idempotencyKey' | 'lastEventId' | 'headers'> => {
  const take = (wanted: string, can: boolean): Text | undefined =>
    can ? headers.find(({ name }) => name.toLowerCase() === wanted)?.value : undefined
  const prefer = take('prefer', waits)
  const idempotencyKey = take('idempotency-key', idempotent)
  const lastEventId = take('last-event-id', answer.kind === 'stream')
  const [, seconds] = /^wait=(\d+)$/.exec(String(prefer?.[0])) ?? []
  return {
    ...(prefer && { wait: seconds ? Number(seconds) : false }),
    ...(idempotencyKey && { idempotencyKey }),
    ...(lastEventId && { lastEventId }),
    headers: headers.filter(({ value }) => ![prefer, idempotencyKey, lastEventId].includes(value)),
  }
}

const bodyFields = (model: ClientModel, { body }: Request, { id, body: form }: ClientOperation): Call['fields'] => {
  const type = model.types.find(({ name }) => name === form?.type)
  if (type?.kind !== 'object') throw new ShellOnly(`the body of ${id} has several forms`)
  const { json } = body ?? {}
  const given = typeof json === 'object' && json !== null && 'fields' in json ? json.fields : []
  return given.map(([name, value]) => {
    const field = type.fields.find((each) => each.name === name)
    if (!field) throw new ShellOnly(`${id} has no field ${name}`)
    return { field, value }
  })
}

/** A name such as `metadata[ticket]` is a pair of the map `metadata`. */
const queryFields = ({ query }: Request, { id, query: parameters }: ClientOperation): Call['fields'] =>
  query.map(({ name, value }) => {
    const [, base = name, key] = /^(\w+)\[(\w+)\]$/.exec(name) ?? []
    const field = parameters.find((each) => each.name === base)
    if (!field) throw new ShellOnly(`${id} has no parameter ${name}`)
    return { field, value: key === undefined ? parameterOf(field, value) : { fields: [[key, { quoted: value }]] } }
  })

const parameterOf = ({ type, style }: Parameter, text: Text): Json => {
  const [only] = text
  if (style === 'comma' && type.kind === 'list' && text.length === 1 && typeof only === 'string')
    return only.split(',').map((each) => ({ quoted: [each] }))
  return style === 'comma' ? [{ quoted: text }] : jsonOf(text, type)
}

/** A text of the path or of the query in the type of its parameter. */
const jsonOf = (text: Text, { kind }: TypeUse): Json => {
  const [only] = text
  if (kind === 'boolean') return only === 'true'
  if (kind !== 'integer' && kind !== 'number') return { quoted: text }
  return typeof only === 'string' ? Number(only) : { bare: only ?? '' }
}
