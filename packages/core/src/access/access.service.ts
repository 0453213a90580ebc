import { scopes as allScopes, type Plan, plans, type Scope } from '@ars/contract'
import type { Clock } from '@ars/platform/clock'
import { randomBytes, sha256 } from '@ars/platform/crypto'
import type { Database } from '@ars/platform/db/database'
import { fromUuid, type IdMaker, toUuid } from '@ars/platform/id'
import type { Caller } from '../ctx.ts'
import { findKeyByHash, insertKey, insertOrganisation } from './access.store.ts'
import { apiKeyRandomBytes, describeApiKey, formatApiKey, isWellFormedApiKey } from './api-key.ts'

export type AccessService = {
  /** Who holds this key, or null. A key whose checksum is wrong is refused without asking the database. */
  authenticate(key: string): Promise<Caller | null>
  /** On the largest plan unless told: whoever installs the service has it for themselves. */
  createOrganisation(name: string, options?: { plan?: Plan }): Promise<{ org: string }>
  /** The whole key is in this answer and nowhere else afterwards. */
  createKey(org: string, options: { name: string; scopes?: readonly Scope[] }): Promise<{ id: string; key: string }>
}

// A revoked key must stop everywhere within 5 s; this is the longest that a process believes what it read.
const cacheMs = 4000
const cachedKeysMost = 10_000

type Remembered = { caller: Promise<Caller | null>; untilMs: number }

export const createAccess = (deps: { auth: Database; app: Database; clock: Clock; newId: IdMaker }): AccessService => {
  const remembered = new Map<string, Remembered>()

  const lookUp = async (hash: Buffer): Promise<Caller | null> => {
    const row = await findKeyByHash(deps.auth, hash)
    if (!row) return null
    return { org: row.org_id, keyId: fromUuid('key', row.id), scopes: new Set(row.scopes as Scope[]) }
  }

  return {
    authenticate: (key) => {
      if (!isWellFormedApiKey(key)) return Promise.resolve(null)
      const hash = sha256(key)
      const name = hash.toString('base64')
      const nowMs = deps.clock.monotonicMs()
      const known = remembered.get(name)
      if (known && known.untilMs > nowMs) return known.caller
      const caller = lookUp(hash)
      // Full: forget the oldest. A failed or unknown key is not remembered, so that strangers cannot fill the cache.
      if (remembered.size >= cachedKeysMost) remembered.delete(remembered.keys().next().value as string)
      remembered.set(name, { caller, untilMs: nowMs + cacheMs })
      caller.then(
        (found) => found ?? remembered.delete(name),
        () => remembered.delete(name),
      )
      return caller
    },
    createOrganisation: async (name, { plan = 'business' } = {}) => {
      const org = toUuid(deps.newId('org'))
      await insertOrganisation(deps.app, org, { name, plan, concurrentRuns: plans[plan].concurrentRuns })
      return { org }
    },
    createKey: async (org, { name, scopes = allScopes }) => {
      const key = formatApiKey('live', randomBytes(apiKeyRandomBytes))
      const id = deps.newId('key')
      await insertKey(deps.app, org, { id: toUuid(id), name, hash: sha256(key), ...describeApiKey(key), scopes })
      return { id, key }
    },
  }
}
