import { limits, type Operation } from '@ars/contract'
import type { Prefer } from '@ars/core/ctx'
import { Fault } from '@ars/core/fault'

/** Reads an operation's input out of a request: path, query or body, checked against the contract. */
export const parseInput = (
  operation: Operation,
  request: { params: unknown; query: unknown; body: unknown },
): Record<string, unknown> => {
  const readsQuery = operation.method === 'GET' || operation.method === 'DELETE'
  // No body is an object without fields: whether one is missing is for the operation to say.
  const body = request.body === undefined ? {} : request.body
  const rest = readsQuery ? readQuery(operation, request.query as Record<string, unknown>) : body
  if (!isObject(rest)) throw new Fault('invalid_request', 'The body must be a JSON object')
  const params = request.params as Record<string, string>
  for (const name of Object.keys(params)) {
    if (Object.hasOwn(rest, name)) throw new Fault('invalid_request', `${name} stands in the path`, { param: name })
  }
  const parsed = operation.input.safeParse({ ...rest, ...params })
  if (parsed.success) return parsed.data
  const details = parsed.error.issues.flatMap(toDetails).slice(0, detailsMost)
  // An id that cannot exist names a thing that does not exist.
  const lost = details.find(({ param }) => param !== null && Object.hasOwn(params, param))
  if (lost) throw new Fault('not_found', `There is no ${params[lost.param ?? '']}`, { param: lost.param })
  const [first] = details
  throw new Fault('invalid_request', first ? describe(first) : 'The request is malformed', {
    param: first?.param ?? null,
    details,
  })
}

/** `Idempotency-Key`: once, 1–255 printable ASCII characters, without quotes around it. */
export const parseIdempotencyKey = (rawHeaders: readonly string[]): string | undefined => {
  const values = headerValues(rawHeaders, 'idempotency-key')
  const [value] = values
  if (value === undefined) return undefined
  if (
    values.length > 1 ||
    !/^[\x20-\x7e]+$/.test(value) ||
    value.startsWith('"') ||
    value.length > limits.idempotencyKeyChars
  ) {
    throw new Fault(
      'invalid_request',
      'Idempotency-Key must be sent once, 1 to 255 printable ASCII characters, unquoted',
      {
        param: 'Idempotency-Key',
      },
    )
  }
  return value
}

/** `Prefer` (RFC 7240): `wait=N` wins over `respond-async`; what is out of range is clamped; the rest is ignored. */
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

/** Each parameter at most once and as plain text; `metadata[key]=value` becomes the field `metadata`. */
const readQuery = (operation: Operation, query: Record<string, unknown>): Record<string, unknown> => {
  const hasMetadata = operation.method === 'GET' && Object.hasOwn(operation.input.shape, 'metadata')
  const rest: Record<string, unknown> = {}
  const metadata: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(query)) {
    if (Array.isArray(value)) throw refuseParameter(name, 'is given more than once')
    if (String(value).includes('\0')) throw refuseParameter(name, 'holds the character U+0000')
    const key = hasMetadata ? /^metadata\[(.+)\]$/s.exec(name)?.[1] : undefined
    // Whoever copies this key into an object loses it, and a filter that is lost would find too much.
    if (name === '__proto__' || key === '__proto__' || key?.includes('][') || key?.includes('\0')) {
      throw refuseParameter(name, 'is not a field of this request')
    }
    if (key === undefined) rest[name] = value
    else metadata[key] = value
  }
  if (Object.keys(metadata).length === 0) return rest
  if (Object.hasOwn(rest, 'metadata')) throw refuseParameter('metadata', 'must be given as metadata[key]=value')
  return { ...rest, metadata }
}

const refuseParameter = (name: string, message: string): Fault => {
  const detail = { param: shorten(name), message }
  return new Fault('invalid_request', describe(detail), { param: detail.param, details: [detail] })
}

// An answer names what is wrong, but does not send back all of a large request.
const detailsMost = 100
const paramCharsMost = 200

const shorten = (param: string): string =>
  param.length <= paramCharsMost ? param : `${param.slice(0, paramCharsMost)}…`

type Detail = { param: string | null; message: string }

const toDetails = (issue: {
  code: string
  path: readonly PropertyKey[]
  message: string
  keys?: readonly string[]
}): Detail[] => {
  const path = issue.path.map(String)
  if (issue.code === 'unrecognized_keys') {
    return (issue.keys ?? []).map((key) => ({
      param: shorten([...path, key].join('.')),
      message: 'is not a field of this request',
    }))
  }
  return [{ param: path.length === 0 ? null : shorten(path.join('.')), message: issue.message }]
}

const describe = ({ param, message }: Detail): string => (param === null ? message : `${param}: ${message}`)

const headerValues = (rawHeaders: readonly string[], name: string): string[] =>
  rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name)

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
