import type { ErrorCode, Operation } from '@ars/contract'
import type { Caller } from '@ars/core/ctx'
import type { Limits } from '@ars/core/limits'
import { fromUuid } from '@ars/platform/id'
import type { FastifyRequest } from 'fastify'
import { type Credential, readCredential } from './credential.ts'
import { tellAnyOrigin, tellRate, tellRetirement } from './head.ts'
import { hasJsonType, readPage } from './same-origin.ts'
import type { Strangers } from './strangers.ts'

/** A refusal that was expected. It is no error object: whoever floods us with bad keys gets no stack traces made. */
export type Refusal = { readonly code: ErrorCode; readonly message: string; readonly retryAfterSeconds?: number }

export type AdmissionDeps = {
  access: { authenticate(bearer: string): Promise<Caller | null> }
  people: { authenticateSession(cookie: string): Promise<Caller | null> }
  limits: Pick<Limits, 'take' | 'takeLookup'>
  strangers: Strangers
  /** The origin of our own pages. */
  ownOrigin: string
}

export type AdmittedRoute = {
  operation: Operation
  /** There is a way to find the twin of a request that was accepted before. */
  canReplay: boolean
}

/**
 * Who asks, how often, and whether they may: authenticate → rate → same origin → scope → the one run of a token. The
 * rate comes right after the credential, so that every answer to somebody known tells what is left. Null: admitted.
 */
export const admit = async (
  deps: AdmissionDeps,
  request: FastifyRequest,
  route: AdmittedRoute,
): Promise<Refusal | null> => {
  const { operation } = route
  const { head } = request
  if (operation.scope === 'anyone') {
    request.caller = nobody
    if (operation.method !== 'GET' && pageOf(deps, request) === 'foreign') return crossSite
    return holdStrangers(deps.strangers, request, '')
  }
  const credential = readCredential(request.raw)
  // The refusal of a token that has expired must be readable for the page that used it, too.
  if (operation.crossOrigin && credential.kind === 'bearer' && credential.text.startsWith('ars_st_')) {
    tellAnyOrigin(head)
  }
  const caller = await identify(deps, request, credential)
  if ('code' in caller) return caller
  request.caller = caller
  if (caller.retiring) tellRetirement(head, caller.retiring)

  const verdict = await deps.limits.take(caller.bucket)
  tellRate(head, verdict)
  if (!verdict.allowed) {
    const refusal = tooFast(verdict.retryAfterSeconds)
    // A retry of something that was accepted is answered, whatever the rate: its twin is looked for first.
    const mayBeTwin = route.canReplay && operation.idempotent && request.headers['idempotency-key'] !== undefined
    if (!mayBeTwin || !(await deps.limits.takeLookup(caller.bucket)).allowed) return refusal
    request.refusedUnlessTwin = refusal
  }
  if (credential.kind === 'cookie' && operation.method !== 'GET' && !isFromOwnPage(deps, request)) return crossSite
  return judgeScope(caller, operation) ?? judgeRun(caller, operation, request)
}

/** One answer for every reason: a stranger learns nothing about which keys exist. */
const unauthorized: Refusal = { code: 'unauthorized', message: 'The API key is missing or invalid' }

const crossSite: Refusal = {
  code: 'cross_site_forbidden',
  message: 'A browser session may be used by the pages of this service only, with a JSON content type',
}

const tooFast = (retryAfterSeconds: number): Refusal => ({
  code: 'rate_limited',
  message: `Too many requests for this key; try again in ${retryAfterSeconds} s`,
  retryAfterSeconds,
})

const identify = async (
  { strangers, access, people }: AdmissionDeps,
  request: FastifyRequest,
  credential: Credential,
): Promise<Caller | Refusal> => {
  const text = credential.kind === 'none' ? '' : credential.text
  const held = holdStrangers(strangers, request, text)
  if (held) return held
  if (credential.kind !== 'none') {
    const caller = await (credential.kind === 'bearer' ? access.authenticate(text) : people.authenticateSession(text))
    if (caller) {
      strangers.passed(text)
      return caller
    }
  }
  strangers.failed(request.address, text)
  return unauthorized
}

const holdStrangers = (strangers: Strangers, request: FastifyRequest, credential: string): Refusal | null => {
  const retryAfterSeconds = strangers.waitSeconds(request.address, credential)
  if (retryAfterSeconds === 0) return null
  const message = `Too many requests from this address failed to authenticate; try again in ${retryAfterSeconds} s`
  return { code: 'rate_limited', message, retryAfterSeconds }
}

const pageOf = ({ ownOrigin }: AdmissionDeps, request: FastifyRequest) => readPage(request.headers, ownOrigin)

const isFromOwnPage = (deps: AdmissionDeps, request: FastifyRequest): boolean =>
  pageOf(deps, request) === 'own' && (request.method === 'DELETE' || hasJsonType(request.headers))

const judgeScope = (caller: Caller, { scope }: Operation): Refusal | null => {
  if (scope === 'anyone' || scope === 'signed_in' || caller.scopes.has(scope)) return null
  const who = caller.credential === 'key' ? 'This key' : 'This session'
  return { code: 'forbidden', message: `${who} lacks the scope ${scope}` }
}

/** A token that was made for one run touches that one and nothing else. */
const judgeRun = (caller: Caller, { path }: Operation, request: FastifyRequest): Refusal | null => {
  if (caller.runId === null) return null
  const { id } = request.params as { id?: string }
  if (path.startsWith('/runs/{id}') && id === fromUuid('run', caller.runId)) return null
  return { code: 'forbidden', message: 'This token was made for another run' }
}

// For operations that anyone may call. It has no organisation, so whoever forgets to look for one reads nothing.
const nobody: Caller = {
  org: '',
  actor: { type: 'user', id: '' },
  credential: 'session',
  scopes: new Set(),
  agentIds: null,
  runId: null,
  isDemo: false,
  bucket: { id: '', requestsPerMinute: 1, burst: 1 },
  retiring: null,
  sessionId: null,
}
