import { isDeepStrictEqual } from 'node:util'
import { type Bindings, differences } from './match.ts'
import type { Received, Session } from './session.ts'
import type { ExpectedRequest, Json, JsonObject } from './types.ts'

// A timer may fire a little early.
const timerToleranceMs = 30
const closeDeadlineMs = 10_000

/** Everything that is wrong with what a client sent and what its calls returned. Empty: the case passed. */
export const judge = async (session: Session, outcomes: readonly Json[], apiKey: string): Promise<string[]> => {
  const { oneCase, received } = session
  const { exchanges = [], calls } = oneCase
  const counted = received.filter(({ isAlso }) => !isAlso)
  const bound: Bindings = new Map()
  const found = [
    ...received.flatMap((one, n) => checkAlways(one, `request ${n + 1}`, apiKey)),
    ...exchanges.flatMap(({ request }, n) => checkRequest(request, counted, n, bound)),
    ...calls.flatMap(({ expect }, n) => differences(expect, outcomes[n], `outcome ${n + 1}`, bound)),
    ...calls.flatMap(({ expect }, n) => unexpectedError(expect, outcomes[n], `outcome ${n + 1}`)),
  ]
  if (counted.length > exchanges.length)
    found.push(`${counted.length} requests were sent, expected ${exchanges.length}`)
  if (outcomes.length !== calls.length)
    found.push(`${outcomes.length} outcomes were reported, expected ${calls.length}`)
  for (const [n, { reply }] of exchanges.entries()) {
    const one = counted[n]
    if (reply.client_closes && one && !(await closesInTime(one)))
      found.push(`request ${n + 1} was not ended by the client`)
  }
  return found
}

const unexpectedError = (expect: JsonObject, outcome: Json | undefined, at: string): string[] => {
  const { error } = (outcome ?? {}) as JsonObject
  return error === undefined || 'error' in expect ? [] : [`${at} is an error: ${JSON.stringify(error).slice(0, 500)}`]
}

const closesInTime = async ({ isClosedByClient }: Received): Promise<boolean> => {
  const closed = isClosedByClient.then(() => true)
  const { promise: late, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => resolve(false), closeDeadlineMs)
  const isClosed = await Promise.race([closed, late])
  clearTimeout(timer)
  return isClosed
}

/** Every request of every SDK. */
const checkAlways = ({ method, headers, body }: Received, at: string, apiKey: string): string[] => {
  const faults: string[] = []
  if (headers.authorization !== `Bearer ${apiKey}`) faults.push(`${at} has no Authorization with the key`)
  if (!headers['user-agent']?.startsWith('agent-run-service')) faults.push(`${at} has another User-Agent`)
  if (!headers.accept) faults.push(`${at} has no Accept`)
  const hasBody = body !== ''
  const isJson = headers['content-type']?.startsWith('application/json') ?? false
  if (hasBody && !isJson) faults.push(`${at} has a body without Content-Type: application/json`)
  if (hasBody && (method === 'GET' || method === 'DELETE')) faults.push(`${at} is a ${method} with a body`)
  return faults
}

const checkRequest = (expected: ExpectedRequest, all: readonly Received[], n: number, bound: Bindings): string[] => {
  const actual = all[n]
  const at = `request ${n + 1}`
  if (!actual) return [`${at} (${expected.method} ${expected.path}) was not sent`]
  const faults: string[] = []
  if (actual.method !== expected.method) faults.push(`${at} is ${actual.method}, expected ${expected.method}`)
  // Languages escape different characters: the decoded segments count.
  if (!isDeepStrictEqual(segments(actual.path), segments(expected.path))) {
    faults.push(`${at} goes to ${actual.path}, expected ${expected.path}`)
  }
  faults.push(...checkQuery(expected.query ?? {}, actual.query, at, bound))
  faults.push(...differences(expected.headers ?? {}, actual.headers as JsonObject, `${at}.headers`, bound))
  if (expected.body !== undefined) faults.push(...checkBody(expected.body, actual.body, at))
  const repeated = expected.repeats === undefined ? undefined : all[expected.repeats]
  if (repeated) faults.push(...checkRepeated(repeated, actual, at))
  const { sinceReplyMs } = actual
  if (expected.after_ms !== undefined && (sinceReplyMs ?? 0) < expected.after_ms - timerToleranceMs) {
    faults.push(`${at} came ${Math.round(sinceReplyMs ?? 0)} ms after the last reply, expected ${expected.after_ms} ms`)
  }
  return faults
}

const segments = (path: string): string[] => path.split('/').map((each) => decodeURIComponent(each))

const checkQuery = (expected: JsonObject, query: string, at: string, bound: Bindings): string[] => {
  const actual = Object.fromEntries(new URLSearchParams(query))
  const surplus = Object.keys(actual).filter((name) => !(name in expected))
  const faults = differences(expected, actual, `${at}.query`, bound)
  return surplus.length === 0 ? faults : [...faults, `${at} has the query parameters ${surplus.join(', ')}`]
}

const checkBody = (expected: Json, body: string, at: string): string[] => {
  try {
    if (isDeepStrictEqual(JSON.parse(body), expected)) return []
  } catch {
    // Not JSON: reported below.
  }
  return [`${at} has the body ${body.slice(0, 300)}, expected ${JSON.stringify(expected).slice(0, 300)}`]
}

const checkRepeated = (first: Received, again: Received, at: string): string[] => {
  const same = (['method', 'path', 'query', 'body'] as const).filter((part) => first[part] !== again[part])
  const isKeySame = first.headers['idempotency-key'] === again.headers['idempotency-key']
  return [...same, ...(isKeySame ? [] : ['Idempotency-Key'])].map(
    (part) => `${at} repeats a request with another ${part}`,
  )
}
