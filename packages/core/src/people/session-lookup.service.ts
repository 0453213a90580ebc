import type { Clock } from '@ars/platform/clock'
import { sha256 } from '@ars/platform/crypto'
import type { Database } from '@ars/platform/db/database'
import { fromUuid } from '@ars/platform/id'
import type { Log } from '@ars/platform/log/log'
import { startSweeps } from '@ars/platform/periodic'
import type { Wakeups } from '@ars/platform/redis/redis'
import type { Caller } from '../ctx.ts'
import { scopesOf } from './role.ts'
import { findLiveSession, type LiveSession, noteSeen } from './session.store.ts'
import { isWellFormedToken } from './session.ts'

export type SessionLookup = {
  /** Whose session this is, or null. */
  authenticate(token: string): Promise<Caller | null>
  /** What was believed of these is believed no more, here at once and in the other processes as soon as they hear it. */
  forget(about: Stale): void
  /** Writes down what is still to be written of sessions in use. */
  flush(): Promise<void>
  close(): Promise<void>
}

/** A session, all sessions of a person, or those of a person in one organisation; UUIDs. */
export type Stale = { session?: string; user?: string; org?: string }

// What has ended or changed must do so everywhere within 5 s, with Redis away too: so long a process believes what it
// has read.
const cacheMs = 4_000
const cachedMost = 10_000
// That a session is in use is written at most once a minute.
const seenEverySeconds = 60
const seenMost = 10_000
const flushEveryMs = 10_000
const channel = 'people:changed'

type Known = { id: string; org: string; user: string }
type Remembered = { caller: Promise<Caller | null>; untilMs: number; known: Known | null }

type Deps = {
  auth: Database
  wakeups: Wakeups
  clock: Clock
  log: Log
  /** Told of each session or person (a UUID) that has changed, because tokens hang on them. */
  forgetTokens?: ((uuid: string) => void) | undefined
}

export const createSessionLookup = ({ auth, wakeups, clock, log, forgetTokens }: Deps): SessionLookup => {
  const remembered = new Map<string, Remembered>()
  const seen = new Set<string>()

  const drop = (stale: Stale): void => {
    for (const [name, { known }] of remembered) {
      // What is still being read may have been read too early.
      if (known === null || fits(known, stale)) remembered.delete(name)
    }
  }
  const subscribed = wakeups.subscribe(channel, (message) => drop(parseStale(message)))

  const lookUp = async (hash: Buffer, entry: Remembered, nowMs: number): Promise<Caller | null> => {
    const row = await findLiveSession(auth, hash)
    if (!row) return null
    entry.known = { id: row.id, org: row.org_id, user: row.user_id }
    entry.untilMs = nowMs + Math.min(cacheMs, row.lives_ms)
    if (row.unseen_seconds >= seenEverySeconds && seen.size < seenMost) seen.add(row.id)
    return callerOf(row)
  }

  const flush = async (): Promise<void> => {
    if (seen.size === 0) return
    const ids = [...seen]
    await noteSeen(auth, ids)
    for (const id of ids) seen.delete(id)
  }
  const sweeps = startSweeps([{ name: 'sessions-seen', everyMs: flushEveryMs, run: flush }], log)

  return {
    authenticate: (token) => {
      if (!isWellFormedToken(token)) return Promise.resolve(null)
      const hash = sha256(token)
      const name = hash.toString('base64')
      const nowMs = clock.monotonicMs()
      const known = remembered.get(name)
      if (known && known.untilMs > nowMs) return known.caller
      const entry: Remembered = { caller: Promise.resolve(null), untilMs: nowMs + cacheMs, known: null }
      entry.caller = lookUp(hash, entry, nowMs)
      // Full: forget the oldest. Who is unknown is not remembered, so that strangers cannot fill the cache.
      remembered.delete(name)
      if (remembered.size >= cachedMost) remembered.delete(remembered.keys().next().value as string)
      remembered.set(name, entry)
      const dropThis = (): void => {
        if (remembered.get(name) === entry) remembered.delete(name)
      }
      entry.caller.then((found) => {
        if (!found) dropThis()
      }, dropThis)
      return entry.caller
    },
    forget: (stale) => {
      drop(stale)
      wakeups.publish(channel, JSON.stringify(stale))
      const changed = stale.session ?? stale.user
      if (changed !== undefined) forgetTokens?.(changed)
    },
    flush,
    close: async () => {
      await sweeps.close()
      await subscribed
      wakeups.unsubscribe(channel)
      await flush().catch((error: unknown) => log.warn('it could not be noted which sessions are in use', { error }))
    },
  }
}

const callerOf = (row: LiveSession): Caller => ({
  org: row.org_id,
  actor: { type: 'user', id: fromUuid('usr', row.user_id) },
  credential: 'session',
  scopes: scopesOf(row.role),
  agentIds: null,
  runId: null,
  isDemo: false,
  bucket: { id: row.user_id, requestsPerMinute: row.requests_per_minute, burst: row.burst },
  retiring: null,
  sessionId: fromUuid('ses', row.id),
})

const fits = (known: Known, { session, user, org }: Stale): boolean =>
  (session === undefined || session === known.id) &&
  (user === undefined || user === known.user) &&
  (org === undefined || org === known.org)

/** What cannot be read means everything: to forget too much only costs a look. */
const parseStale = (message: string): Stale => {
  try {
    return JSON.parse(message) as Stale
  } catch {
    return {}
  }
}
