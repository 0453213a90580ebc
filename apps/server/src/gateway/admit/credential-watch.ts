import type { Caller } from '@ars/core/ctx'
import { Fault } from '@ars/core/fault'
import type { Clock } from '@ars/platform/clock'
import { sha256 } from '@ars/platform/crypto'
import type { FastifyRequest } from 'fastify'
import { serverBounds } from '../../bounds.ts'
import { readCredential } from './credential.ts'

/**
 * `ended`: the credential is no longer valid. `lessened`: it has lost a scope or an agent since the request was admitted.
 * `unconfirmed`: the database could not be asked for too long.
 */
export type Lapse = 'ended' | 'lessened' | 'unconfirmed'

/**
 * Admission checks a credential once. This watches it for as long as the request is open: streams, and requests that
 * wait for a run. There is one look-up per credential and interval, regardless of its number of requests.
 */
export type CredentialWatch = {
  /** Calls `onLapse` at most once. Returns the function that stops watching. */
  add(request: FastifyRequest, onLapse: (lapse: Lapse) => void): () => void
  /** For a request that was admitted a while ago and acts now. Null: the credential still has its permissions. */
  check(request: FastifyRequest): Promise<Lapse | null>
  /** One round over all watched credentials. It runs at intervals. */
  recheck(): Promise<void>
  close(): void
}

export type CredentialWatchDeps = {
  access: { authenticate(bearer: string): Promise<Caller | null> }
  people: { confirmSession(cookie: string): Promise<Caller | null> }
  clock: Clock
  recheckMs?: number
}

/**
 * A process trusts a cached credential for 4 s (`caller-cache.service.ts`), so a credential that ends is noticed
 * within 4.5 s even when Redis is away.
 */
export const credentialRecheckMs = 500
/** Look-ups of one round that wait for the database at once. */
const maxLookUpsAtOnce = serverBounds.credentialLookups.count
/** After this many credentials a round lets other work of the process run. */
const maxPerTurn = serverBounds.credentialsOfTurn.count
/**
 * While the database is away, no credential can be revoked either, and streams continue. A gateway that alone has lost
 * the database must not serve them for ever.
 */
const maxUnconfirmedMs = serverBounds.credentialUnconfirmed.ms

type Watcher = { readonly then: Caller; readonly onLapse: (lapse: Lapse) => void }
type Watched = {
  readonly request: FastifyRequest
  readonly watchers: Set<Watcher>
  /** The last answer. The cache returns the same object again, and the comparison is then skipped. */
  confirmed: Caller | null
  confirmedMs: number
}

export const createCredentialWatch = (deps: CredentialWatchDeps): CredentialWatch => {
  const { access, people, clock } = deps
  // By the hash of the credential. It holds no more than there are open requests.
  const watched = new Map<string, Watched>()

  const identify = (request: FastifyRequest): Promise<Caller | null> => {
    const credential = readCredential(request.raw)
    if (!('text' in credential)) return Promise.resolve(null)
    const { kind, text } = credential
    return kind === 'bearer' ? access.authenticate(text) : people.confirmSession(text)
  }

  const recheckOne = async (name: string, one: Watched): Promise<void> => {
    const now = await identify(one.request).catch(() => 'unavailable' as const)
    if (now === 'unavailable') {
      if (clock.monotonicMs() - one.confirmedMs >= maxUnconfirmedMs) lapse(name, one, () => 'unconfirmed')
      return
    }
    one.confirmedMs = clock.monotonicMs()
    if (now !== null && now === one.confirmed) return
    one.confirmed = now
    lapse(name, one, ({ then }) => lapseBetween(then, now))
  }

  const lapse = (name: string, one: Watched, judge: (watcher: Watcher) => Lapse | null): void => {
    for (const watcher of [...one.watchers]) {
      const found = judge(watcher)
      if (found === null) continue
      forget(name, one, watcher)
      watcher.onLapse(found)
    }
  }

  const forget = (name: string, one: Watched, watcher: Watcher): void => {
    one.watchers.delete(watcher)
    if (one.watchers.size === 0 && watched.get(name) === one) watched.delete(name)
  }

  let round: Promise<void> | undefined
  const recheck = (): Promise<void> => {
    round ??= recheckAll().finally(() => {
      round = undefined
    })
    return round
  }

  const recheckAll = async (): Promise<void> => {
    const waiting = [...watched].values()
    let done = 0
    let nextTurn: Promise<void> | undefined
    const work = async (): Promise<void> => {
      for (const [name, one] of waiting) {
        await recheckOne(name, one)
        // Cached answers never leave the queue of microtasks, so all look-ups wait for the next turn.
        if (++done % maxPerTurn === 0) nextTurn = new Promise((resolve) => setImmediate(resolve))
        await nextTurn
      }
    }
    await Promise.all(Array.from({ length: maxLookUpsAtOnce }, work))
  }
  const timer = setInterval(() => void recheck(), deps.recheckMs ?? credentialRecheckMs)
  timer.unref()

  return {
    add: (request, onLapse) => {
      const credential = readCredential(request.raw)
      const text = 'text' in credential ? credential.text : ''
      const name = sha256(text).toString('base64')
      const then = request.caller as Caller
      const one = watched.get(name) ?? {
        request,
        watchers: new Set(),
        confirmed: null,
        confirmedMs: clock.monotonicMs(),
      }
      watched.set(name, one)
      // A request that was admitted with other permissions than the last answer is compared in the next round.
      if (one.confirmed !== then) one.confirmed = null
      const watcher: Watcher = { then, onLapse }
      one.watchers.add(watcher)
      return () => forget(name, one, watcher)
    },
    check: async (request) => lapseBetween(request.caller as Caller, await identify(request)),
    recheck,
    close: () => clearInterval(timer),
  }
}

/** Added permissions are no lapse: the request goes on with those that it was admitted with. */
const lapseBetween = (then: Caller, now: Caller | null): Lapse | null => {
  if (now === null) return 'ended'
  if (now === then) return null
  const keepsScopes = [...then.scopes].every((scope) => now.scopes.has(scope))
  const keepsAgents = isWithin(then.agentIds, now.agentIds)
  const isSame = then.org === now.org && then.runId === now.runId && then.isDemo === now.isDemo
  return isSame && keepsScopes && keepsAgents ? null : 'lessened'
}

const isWithin = (then: ReadonlySet<string> | null, now: ReadonlySet<string> | null): boolean =>
  now === null || (then !== null && [...then].every((id) => now.has(id)))

/** The refusal of a request that waited while its credential lapsed. */
export const faultOf = (lapse: Lapse): Fault => faults[lapse]()

const faults: Readonly<Record<Lapse, () => Fault>> = {
  ended: () => new Fault('unauthorized', 'The credential ended while the request was open.'),
  lessened: () => new Fault('forbidden', 'The credential lost permissions while the request was open.'),
  unconfirmed: () =>
    new Fault('unavailable', 'The credential could not be checked again.', {
      reason: 'credential_unchecked',
      retryAfterSeconds: 1,
    }),
}
