import { limits, type Operation } from '@ars/contract'
import type { Prefer } from '@ars/core/ctx'
import { Fault } from '@ars/core/fault'
import { type ValidationFault, validate } from '@ars/platform/validation'
import { serverBounds } from '../../bounds.ts'

/** Reads an operation's input out of a request: path, query or body, checked against the contract. */
export const parseInput = (
  operation: Operation,
  request: { params: unknown; query: unknown; body: unknown },
): Record<string, unknown> => {
  const readsQuery = operation.method === 'GET' || operation.method === 'DELETE'
  // A missing body counts as an object without fields; the operation's schema reports the required ones.
  const body = request.body === undefined ? {} : request.body
  const rest = readsQuery ? readQuery(operation, request.query as Record<string, unknown>) : body
  if (!isObject(rest)) throw new Fault('invalid_request', 'The body must be a JSON object.')
  const params = request.params as Record<string, string>
  for (const name of Object.keys(params)) {
    if (!Object.hasOwn(rest, name)) continue
    const part = readsQuery ? 'query' : 'body'
    throw new Fault('invalid_request', `${name} is part of the path. Remove it from the ${part}.`, { param: name })
  }
  const result = validate(operation.input, { ...rest, ...params })
  if ('data' in result) return result.data
  const noun = readsQuery ? 'query parameter' : 'field'
  const details = result.faults.slice(0, maxDetails).map((fault) => toDetail(fault, noun))
  // A malformed id in the path cannot name an existing resource.
  const lost = details.find(({ param }) => param !== null && Object.hasOwn(params, param))
  if (lost) throw new Fault('not_found', describeLost(lost.param ?? '', params), { param: lost.param })
  const [first] = details
  throw new Fault('invalid_request', first?.message ?? 'The request is malformed.', {
    param: first?.param ?? null,
    details,
  })
}

/**
 * `Idempotency-Key`: sent once, 1 to 255 printable ASCII characters, unquoted. A POST on which it would have no effect
 * refuses it, because its sender relies on it.
 */
export const parseIdempotencyKey = (
  { method, idempotent }: Pick<Operation, 'method' | 'idempotent'>,
  rawHeaders: readonly string[],
): string | undefined => {
  if (method !== 'POST') return undefined
  const values = headerValues(rawHeaders, 'idempotency-key')
  const [value] = values
  if (value === undefined) return undefined
  if (!idempotent) {
    const message = 'This operation does not accept an Idempotency-Key. Send the request without one.'
    throw new Fault('invalid_request', message, { param: 'Idempotency-Key' })
  }
  if (
    values.length > 1 ||
    !/^[\x20-\x7e]+$/.test(value) ||
    value.startsWith('"') ||
    value.length > limits.idempotencyKeyChars
  ) {
    throw new Fault(
      'invalid_request',
      'Send Idempotency-Key once, with 1 to 255 printable ASCII characters and without quotes.',
      {
        param: 'Idempotency-Key',
      },
    )
  }
  return value
}

/** `Prefer` (RFC 7240): `wait=N` takes precedence over `respond-async`, N is clamped, other preferences are ignored. */
export const parsePrefer = (header: string | undefined): Prefer => {
  if (header === undefined) return noPreference
  const preferences = header.split(',').map((part) => part.trim().toLowerCase())
  const wait = preferences
    .map((part) => /^wait\s*=\s*"?(\d{1,9})"?$/.exec(part)?.[1])
    .find((seconds) => seconds !== undefined)
  if (wait !== undefined) {
    const seconds = Math.min(Math.max(Number(wait), 1), limits.waitMaxSeconds)
    return { waitMs: seconds * 1_000, applied: `wait=${seconds}` }
  }
  if (preferences.includes('respond-async')) return { waitMs: 0, applied: 'respond-async' }
  return noPreference
}

const noPreference: Prefer = { waitMs: limits.waitDefaultSeconds * 1_000, applied: undefined }

/** Each parameter may be sent once, as a plain string; `metadata[key]=value` becomes the field `metadata`. */
const readQuery = (operation: Operation, query: Record<string, unknown>): Record<string, unknown> => {
  const hasMetadata = operation.method === 'GET' && Object.hasOwn(operation.input.shape, 'metadata')
  const rest: Record<string, unknown> = {}
  const metadata: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(query)) {
    if (Array.isArray(value)) throw refuseParameter(name, 'must be sent only once')
    if (String(value).includes('\0')) throw refuseParameter(name, 'must not contain the character U+0000')
    const key = hasMetadata ? /^metadata\[(.+)\]$/s.exec(name)?.[1] : undefined
    // Code that copies this key into an object drops it, and a dropped filter would match too many rows.
    if (name === '__proto__' || key === '__proto__' || key?.includes('][') || key?.includes('\0')) {
      throw refuseParameter(name, 'is not a known query parameter')
    }
    if (key === undefined) rest[name] = value
    else metadata[key] = value
  }
  if (Object.keys(metadata).length === 0) return rest
  if (Object.hasOwn(rest, 'metadata')) throw refuseParameter('metadata', 'must be sent as metadata[key]=value')
  return { ...rest, metadata }
}

const refuseParameter = (name: string, message: string): Fault => {
  const param = shorten(name)
  const detail = { param, message: `${param} ${message}.` }
  return new Fault('invalid_request', detail.message, { param, details: [detail] })
}

// Bounds the response: it does not echo all of a large request.
const maxDetails = serverBounds.detailsTold.count
const maxParamChars = serverBounds.paramTold.chars

const shorten = (param: string): string => (param.length <= maxParamChars ? param : `${param.slice(0, maxParamChars)}…`)

type Detail = { param: string | null; message: string }

const toDetail = ({ path, message, unknown }: ValidationFault, noun: string): Detail => {
  if (path.length === 0) return { param: null, message: `The request ${message}.` }
  const param = shorten(path.map(String).join('.'))
  if (!unknown) return { param, message: `${param} ${message}.` }
  const hint = unknown.similar === null ? '' : ` Did you mean "${unknown.similar.map(String).join('.')}"?`
  return { param, message: `Unknown ${noun} "${param}".${hint}` }
}

const describeLost = (param: string, params: Readonly<Record<string, string>>): string => {
  const value = params[param] ?? ''
  return value === '' ? `The ${param} in the path is empty.` : `${shorten(value)} does not exist.`
}

const headerValues = (rawHeaders: readonly string[], name: string): string[] =>
  rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name)

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Rejects clients that do not accept an event stream. */
export const requireEventStream = (accept: string | undefined): void =>
  requireAccepted(accept, ['text/event-stream', 'text/*', '*/*'])

export const requireJson = (accept: string | undefined): void => {
  if (accept === '*/*' || accept === 'application/json') return
  requireAccepted(accept, ['application/json', 'application/*', '*/*'])
}

export const requireJsonLines = (accept: string | undefined): void =>
  requireAccepted(accept, ['application/jsonl', 'application/*', '*/*'])

/** Whether an operation that returns CSV returns JSON instead: only to a client that accepts it by name, and no CSV. */
export const prefersJson = (accept: string | undefined): boolean => {
  const accepted = new Map((accept ?? '').split(',').map(parseRange))
  return (accepted.get('application/json') ?? 0) > (accepted.get('text/csv') ?? 0)
}

export const requireCsv = (accept: string | undefined): void => {
  if (!prefersJson(accept)) requireAccepted(accept, ['text/csv', 'text/*', '*/*'])
}

/** The most specific media range decides. */
const requireAccepted = (accept: string | undefined, ranges: readonly [string, string, string]): void => {
  if (accept === undefined || accept.trim() === '') return
  const accepted = new Map(accept.split(',').map(parseRange))
  const quality = ranges.map((range) => accepted.get(range)).find((q) => q !== undefined)
  if (quality === undefined || quality <= 0) {
    throw new Fault('not_acceptable', `This operation returns ${ranges[0]}, which the Accept header excludes.`)
  }
}

const parseRange = (range: string): [string, number] => {
  const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
  const quality = parameters.find((parameter) => parameter.startsWith('q='))
  return [type, quality === undefined ? 1 : Number(quality.slice(2)) || 0]
}
