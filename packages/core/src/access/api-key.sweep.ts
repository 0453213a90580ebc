import type { Database } from '@ars/platform/db/database'
import { fromUuid, type IdMaker, toUuid } from '@ars/platform/id'
import type { Log } from '@ars/platform/log/log'
import type { Sweep } from '@ars/platform/periodic'
import { recordEvent } from '../events/index.ts'
import { type ExpiringKey, listExpiring, noteExpiring } from './api-key.store.ts'
import { toWireKey } from './api-key.ts'
import { accessBounds } from './bounds.ts'

const everyMs = 60_000
const atATime = accessBounds.expiringKeysTogether.count
/** The rest waits for the next sweep, so that many keys do not block the worker. */
const maxRounds = accessBounds.expiringKeyRounds.count

/**
 * Announces keys that end within 7 days, once for each key and end. The mark and the event are one transaction, so any
 * number of workers announce once. A changed `expires_at` is announced again.
 */
export const apiKeySweep = (deps: { system: Database; newId: IdMaker; log: Log }): Sweep => ({
  name: 'expiring-keys',
  everyMs,
  run: async () => {
    for (let round = 0; round < maxRounds; round++) {
      const due = await listExpiring(deps.system, atATime)
      for (const key of due) {
        // One key that cannot be announced must not block the others.
        await announce(deps, key).catch((error: unknown) => {
          deps.log.error('the end of a key could not be announced', { key_id: fromUuid('key', key.id), error })
        })
      }
      if (due.length < atATime) return
    }
  },
})

const announce = (deps: { system: Database; newId: IdMaker }, { org_id, id }: ExpiringKey): Promise<void> =>
  deps.system.transaction(org_id, async (tx) => {
    const key = await noteExpiring(tx, org_id, id)
    if (!key) return
    await recordEvent(tx, org_id, {
      id: toUuid(deps.newId('evt')),
      type: 'api_key.expiring',
      subjectId: id,
      data: toWireKey(key),
    })
  })
