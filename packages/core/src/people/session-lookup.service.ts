import type { Clock } from '@ars/platform/clock'
import { sha256 } from '@ars/platform/crypto'
import type { Database } from '@ars/platform/db/database'
import { fromUuid } from '@ars/platform/id'
import type { Log } from '@ars/platform/log/log'
import { createPerSecondLimit } from '@ars/platform/per-second-limit'
import { startSweeps } from '@ars/platform/periodic'
import type { PubSub } from '@ars/platform/redis/pub-sub'
import type { Caller } from '../ctx.ts'
import { peopleBounds } from './bounds.ts'
import { scopesOf } from './role.ts'
import { findLiveSession, type LiveSession, noteSeen } from './session.store.ts'
import { isWellFormedToken } from './session.ts'

export type SessionLookup = {
  /** The session, or null. */
  authenticate(token: string): Promise<Caller | null>
  /** The same for a request that is still open: it does not count as a use, so an idle session ends under its streams. */
  confirm(token: string): Promise<Caller | null>
  /** Drops cached sessions here at once, and in other processes when they receive the message. */
  forget(about: Stale): void
  /** Stores the pending times of use. */
  flush(): Promise<void>
  close(): Promise<void>
}

/** A session, all sessions of a person, or those of a person in one organisation, as UUIDs. */
export type Stale = { session?: string; user?: string; org?: string }

// Ended or changed sessions must be rejected everywhere within 5 s, also without Redis: a process caches a session
// for at most this long.
const cacheMs = 4_000
const maxCached = peopleBounds.sessionsKnown.count
// The time of use of a session is stored at most once a minute.
const seenEverySeconds = 60
const maxSeen = peopleBounds.sessionsSeen.count
const flushEveryMs = 10_000
const channel = 'people:changed'
const maxHeardPerSecond = peopleBounds.sessionChangesHeard.count

type KnownUser = { id: string; org: string; user: string; isUseDue: boolean }
type Remembered = { caller: Promise<Caller | null>; untilMs: number; known: KnownUser | null }

type Deps = {
  auth: Database
  pubSub: PubSub
  clock: Clock
  log: Log
  /** Called with the UUID of each session or person that has changed, because tokens depend on them. */
  forgetTokens?: ((uuid: string) => void) | undefined
}

export const createSessionLookup = ({ auth, pubSub, clock, log, forgetTokens }: Deps): SessionLookup => {
  const remembered = new Map<string, Remembered>()
  const seen = new Set<string>()

  const drop = (stale: Stale): void => {
    for (const [name, { known }] of remembered) {
      // A read that is still in flight may have started too early.
      if (known === null || fits(known, stale)) remembered.delete(name)
    }
  }
  // Messages may be forged: each costs look-ups, never a wrong answer. Beyond this rate they are ignored, and a change
  // takes effect when the cached session expires.
  const heard = createPerSecondLimit(clock, maxHeardPerSecond)
  const subscribed = pubSub.subscribe(channel, (message) => {
    if (heard.take()) drop(parseStale(message))
  })

  const lookUp = async (hash: Buffer, entry: Remembered, nowMs: number): Promise<Caller | null> => {
    const row = await findLiveSession(auth, hash)
    if (!row) return null
    const isUseDue = row.unseen_seconds >= seenEverySeconds
    entry.known = { id: row.id, org: row.org_id, user: row.user_id, isUseDue }
    entry.untilMs = nowMs + Math.min(cacheMs, row.lives_ms)
    return callerOf(row)
  }

  const noteUse = ({ known }: Remembered): void => {
    if (known?.isUseDue !== true || seen.size >= maxSeen) return
    known.isUseDue = false
    seen.add(known.id)
  }

  const find = (token: string): Remembered | null => {
    if (!isWellFormedToken(token)) return null
    const hash = sha256(token)
    const name = hash.toString('base64')
    const nowMs = clock.monotonicMs()
    const known = remembered.get(name)
    if (known && known.untilMs > nowMs) return known
    const entry: Remembered = { caller: Promise.resolve(null), untilMs: nowMs + cacheMs, known: null }
    entry.caller = lookUp(hash, entry, nowMs)
    // The cache is full: evict the oldest. Unknown sessions are not cached, so that invalid cookies cannot fill it.
    remembered.delete(name)
    if (remembered.size >= maxCached) remembered.delete(remembered.keys().next().value as string)
    remembered.set(name, entry)
    const dropThis = (): void => {
      if (remembered.get(name) === entry) remembered.delete(name)
    }
    entry.caller.then((found) => {
      if (!found) dropThis()
    }, dropThis)
    return entry
  }

  const flush = async (): Promise<void> => {
    if (seen.size === 0) return
    const ids = [...seen]
    await noteSeen(auth, ids)
    for (const id of ids) seen.delete(id)
  }
  const sweeps = startSweeps([{ name: 'sessions-seen', everyMs: flushEveryMs, run: flush }], log)

  return {
    authenticate: async (token) => {
      const entry = find(token)
      if (!entry) return null
      const caller = await entry.caller
      noteUse(entry)
      return caller
    },
    confirm: (token) => find(token)?.caller ?? Promise.resolve(null),
    forget: (stale) => {
      drop(stale)
      pubSub.publish(channel, JSON.stringify(stale))
      const changed = stale.session ?? stale.user
      if (changed !== undefined) forgetTokens?.(changed)
    },
    flush,
    close: async () => {
      await sweeps.close()
      await subscribed
      pubSub.unsubscribe(channel)
      await flush().catch((error: unknown) => log.warn('it could not be noted which sessions are in use', { error }))
    },
  }
}

const callerOf = (row: LiveSession): Caller => ({
  org: row.org_id,
  policySetId: row.policy_set_id,
  actor: { type: 'user', id: fromUuid('usr', row.user_id) },
  credential: 'session',
  scopes: scopesOf(row.role),
  agentIds: null,
  runId: null,
  isDemo: false,
  runOwner: null,
  bucket: { id: row.user_id, requestsPerMinute: row.requests_per_minute, burst: row.burst },
  retiring: null,
  sessionId: fromUuid('ses', row.id),
})

const fits = (known: KnownUser, { session, user, org }: Stale): boolean =>
  (session === undefined || session === known.id) &&
  (user === undefined || user === known.user) &&
  (org === undefined || org === known.org)

/** A message that cannot be parsed clears the whole cache: that only costs lookups. */
const parseStale = (message: string): Stale => {
  try {
    return (JSON.parse(message) as Stale | null) ?? {}
  } catch {
    return {}
  }
}
