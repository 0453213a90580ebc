import { type ErrorCode, type Operation, requiredScopes, type Scope, type UnavailableReason } from '@ars/contract'
import type { Caller } from '@ars/core/ctx'
import type { Limits } from '@ars/core/limits'
import { fromUuid } from '@ars/platform/id'
import type { FastifyRequest } from 'fastify'
import { tellAnyOrigin, tellListedOrigin, tellRate, tellRetirement } from '../answer/response-headers.ts'
import type { AuthFailureThrottle } from './auth-failure-throttle.ts'
import { type Credential, readCredential } from './credential.ts'
import { hasJsonType, listedOrigin, type Origins, readPage } from './same-origin.ts'

/** An expected refusal. It is not an error object, so that a flood of invalid keys creates no stack traces. */
export type Refusal = { readonly message: string; readonly retryAfterSeconds?: number } & (
  | { readonly code: Exclude<ErrorCode, 'unavailable'> }
  | { readonly code: 'unavailable'; readonly reason: UnavailableReason }
)

export type AdmissionDeps = {
  access: { authenticate(bearer: string): Promise<Caller | null> }
  people: { authenticateSession(cookie: string): Promise<Caller | null> }
  limits: Pick<Limits, 'take' | 'takeLookup'>
  /** The operator's limit over all keys and sessions of an organisation. Undefined: none. */
  organisationRequestsPerMinute: number | undefined
  authFailures: AuthFailureThrottle
  /** The origins whose pages may use sessions. */
  origins: Origins
}

export type AdmittedRoute = {
  operation: Operation
  /** Whether the operation can find an idempotent replay. */
  canReplay: boolean
}

/**
 * Admission: authenticate → rate → same origin → expected organisation → kind → scope → the single run of a token. The rate comes right after the
 * credential, so that every authenticated response carries the rate headers. Null: admitted.
 */
export const admit = async (
  deps: AdmissionDeps,
  request: FastifyRequest,
  route: AdmittedRoute,
): Promise<Refusal | null> => {
  const { operation } = route
  const { responseHeaders } = request
  const listed = listedOrigin(request.headers, deps.origins)
  // With a key or a token the listed origins are like all others.
  if (listed !== null && request.headers.authorization === undefined) tellListedOrigin(responseHeaders, listed)
  if (operation.scope === 'anyone') {
    request.caller = nobody
    if (operation.method !== 'GET' && pageOf(deps, request) === 'foreign') return crossSite
    return throttleAuthFailures(deps.authFailures, request, '')
  }
  const credential = readCredential(request.raw)
  // The page that used an expired token must be able to read the refusal.
  if (operation.crossOrigin && credential.kind === 'bearer' && credential.text.startsWith('ars_st_')) {
    tellAnyOrigin(responseHeaders)
  }
  const caller = await identify(deps, request, credential)
  if ('code' in caller) return caller
  request.caller = caller
  if (caller.retiring) tellRetirement(responseHeaders, caller.retiring)

  const verdict = await deps.limits.take(caller.bucket)
  tellRate(responseHeaders, verdict)
  const refusal = verdict.allowed ? await throttleOrganisation(deps, caller) : tooFast(verdict.retryAfterSeconds)
  if (refusal) {
    // A retry of an accepted request is answered regardless of the rate, so the replay is looked up first.
    const mayBeReplay = route.canReplay && operation.idempotent && request.headers['idempotency-key'] !== undefined
    if (!mayBeReplay || !(await deps.limits.takeLookup(caller.bucket)).allowed) return refusal
    request.refusedUnlessReplay = refusal
  }
  if (credential.kind === 'cookie' && operation.method !== 'GET' && !isFromOwnPage(deps, request)) return crossSite
  return (
    checkOrganisation(caller, request) ??
    checkKind(caller, operation) ??
    checkScope(caller, operation) ??
    checkRun(caller, operation, request)
  )
}

/** The same response for every reason, so that it reveals nothing about existing keys. */
const unauthorized: Refusal = { code: 'unauthorized', message: 'The API key is missing or invalid' }

/** Nothing was sent, so this message reveals nothing either. */
const noCredential: Refusal = {
  code: 'unauthorized',
  message: 'No credential was sent. Use Authorization: Bearer <API key>.',
}

const crossSite: Refusal = {
  code: 'cross_site_forbidden',
  message: 'Only pages of this service may use a browser session, and only with Content-Type: application/json.',
}

const tooFast = (retryAfterSeconds: number): Refusal => ({
  code: 'rate_limited',
  message: `Too many requests with this key. Retry in ${retryAfterSeconds} s.`,
  retryAfterSeconds,
})

/**
 * After the bucket of the key, so that a key over its own limit takes nothing from the others. The rate headers stay those of
 * the key.
 */
const throttleOrganisation = async (
  { limits, organisationRequestsPerMinute: most }: AdmissionDeps,
  { org }: Caller,
): Promise<Refusal | null> => {
  if (most === undefined) return null
  const { allowed, retryAfterSeconds } = await limits.take({ id: `${org}:all`, requestsPerMinute: most, burst: most })
  if (allowed) return null
  const message = `Too many requests of this organisation. Retry in ${retryAfterSeconds} s.`
  return { code: 'rate_limited', message, retryAfterSeconds }
}

const identify = async (
  { authFailures, access, people }: AdmissionDeps,
  request: FastifyRequest,
  credential: Credential,
): Promise<Caller | Refusal> => {
  const text = 'text' in credential ? credential.text : ''
  const held = throttleAuthFailures(authFailures, request, text)
  if (held) return held
  if ('text' in credential) {
    const caller = await (credential.kind === 'bearer' ? access.authenticate(text) : people.authenticateSession(text))
    if (caller) {
      authFailures.passed(text)
      return caller
    }
  }
  authFailures.failed(request.address, text)
  return credential.kind === 'none' ? noCredential : unauthorized
}

const throttleAuthFailures = (
  authFailures: AuthFailureThrottle,
  request: FastifyRequest,
  credential: string,
): Refusal | null => {
  const retryAfterSeconds = authFailures.waitSeconds(request.address, credential)
  if (retryAfterSeconds === 0) return null
  const message = `Too many failed authentications from this address. Retry in ${retryAfterSeconds} s.`
  return { code: 'rate_limited', message, retryAfterSeconds }
}

const pageOf = ({ origins }: AdmissionDeps, request: FastifyRequest) => readPage(request.headers, origins)

const isFromOwnPage = (deps: AdmissionDeps, request: FastifyRequest): boolean =>
  pageOf(deps, request) === 'own' && (request.method === 'DELETE' || hasJsonType(request.headers))

/**
 * A precondition: the header never selects an organisation. All tabs of a browser share one cookie, so a login in one
 * tab changes the organisation of the others.
 */
const checkOrganisation = ({ org }: Caller, { headers }: FastifyRequest): Refusal | null => {
  const expected = headers['ars-organisation']
  if (expected === undefined || expected === fromUuid('org', org)) return null
  return {
    code: 'organisation_mismatch',
    message: 'This credential does not act for the organisation in the header ARS-Organisation.',
  }
}

/** Before the body is read: a scope that only some inputs require may take the place of the operation's own. */
const checkScope = (caller: Caller, { scope, conditionalScopes = [], session }: Operation): Refusal | null => {
  if (scope === 'anyone' || scope === 'signed_in' || caller.scopes.has(scope)) return null
  if (session === 'suffices' && caller.credential === 'session') return null
  if (conditionalScopes.some((other) => other.instead && caller.scopes.has(other.scope))) return null
  return lacks(caller, scope)
}

/** The scopes that this input requires. */
export const checkInputScopes = (
  caller: Caller,
  operation: Operation,
  input: Readonly<Record<string, unknown>>,
): Refusal | null => {
  if (operation.conditionalScopes === undefined && operation.alsoScopes === undefined) return null
  const lacking = requiredScopes(operation, input).find((scope) => !caller.scopes.has(scope))
  return lacking === undefined ? null : lacks(caller, lacking)
}

const lacks = ({ credential }: Caller, scope: Scope): Refusal => ({
  code: 'forbidden',
  message: `This ${credential} lacks the scope ${scope}.`,
})

/** The kind of the credential, whatever its scopes are: the token of a link only reads. */
const checkKind = ({ credential }: Caller, { shared, lasting, session }: Operation): Refusal | null => {
  if (credential === 'share' && !shared) return onlyReads
  if (credential !== 'session' && session === 'required') return onlyPeople
  return credential === 'token' && lasting ? notLasting : null
}

/** A token that was issued for one run can access only that run. */
const checkRun = (caller: Caller, { path }: Operation, request: FastifyRequest): Refusal | null => {
  if (caller.runId === null) return null
  const { id } = request.params as { id?: string }
  if (path.startsWith('/runs/{id}') && id === fromUuid('run', caller.runId)) return null
  return { code: 'forbidden', message: 'This token was issued for another run.' }
}

const onlyReads: Refusal = {
  code: 'forbidden',
  message: 'This link lets you read one run, its steps and its stream, and nothing else.',
}

const onlyPeople: Refusal = { code: 'forbidden', message: 'Only a person in a browser session can do this.' }

const notLasting: Refusal = {
  code: 'forbidden',
  message: 'A short-lived token cannot do this: the result would outlive the token.',
}

// The caller of operations without authentication. It has no organisation, so queries by organisation return nothing.
const nobody: Caller = {
  org: '',
  policySetId: null,
  actor: { type: 'user', id: '' },
  credential: 'session',
  scopes: new Set(),
  agentIds: null,
  runId: null,
  isDemo: false,
  runOwner: null,
  bucket: { id: '', requestsPerMinute: 1, burst: 1 },
  retiring: null,
  sessionId: null,
}
