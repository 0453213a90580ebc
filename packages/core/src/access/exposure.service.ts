import type { Database } from '@ars/platform/db/database'
import { type IdMaker, toUuid } from '@ars/platform/id'
import type { Log } from '@ars/platform/log/log'
import { recordAudit } from '../audit/index.ts'
import type { Caller } from '../ctx.ts'
import { recordEvent } from '../events/index.ts'
import { flagExposed } from './access.store.ts'
import { findKeyNow } from './api-key.store.ts'
import { toWireKey } from './api-key.ts'
import { entryOf, serviceAt } from './author.ts'

/** Handles a key that was sent over plain HTTP. */
export type PlainHttpKey = 'flag' | 'revoke'

export type Exposures = {
  /** Flags the key, at most once an hour, so that a client that keeps calling does not fill the audit log. */
  note(caller: Caller, request: { address: string; requestId: string }): Promise<{ revoked: boolean }>
}

export const createExposures = (deps: {
  app: Database
  newId: IdMaker
  log: Log
  plainHttpKey: PlainHttpKey
  forget: (keyId: string) => void
}): Exposures => ({
  note: async ({ org, actor }, request) => {
    const keyId = toUuid(actor.id)
    const revoke = deps.plainHttpKey === 'revoke'
    const flagged = await deps.app.transaction(org, async (tx) => {
      const row = await flagExposed(tx, org, { keyId, revoke })
      if (!row) return null
      const key = await findKeyNow(tx, org, keyId)
      if (!key) throw new Error('A key was flagged and is not there')
      await recordEvent(tx, org, {
        id: toUuid(deps.newId('evt')),
        type: 'api_key.exposed',
        subjectId: keyId,
        data: toWireKey(key),
      })
      const after = { exposed_at: row.exposed_at, revoked_at: row.revoked_at }
      const act = { action: 'api_key.exposed', subject: actor.id, after }
      await recordAudit(tx, org, entryOf(serviceAt(request), toUuid(deps.newId('aud')), act))
      return row
    })
    if (!flagged) return { revoked: revoke }
    if (revoke) deps.forget(keyId)
    deps.log.warn('api key seen on plain http', {
      key_id: actor.id,
      org_id: org,
      address: request.address,
      request_id: request.requestId,
      revoked: revoke,
    })
    return { revoked: revoke }
  },
})
