import type { Clock } from '@ars/platform/clock'
import type { Database } from '@ars/platform/db/database'
import { type IdMaker, toUuid } from '@ars/platform/id'
import type { Log } from '@ars/platform/log/log'
import { createSampler } from '@ars/platform/sampler'
import type { Ctx } from '../ctx.ts'
import { recordAudit } from './audit.store.ts'
import { auditOf } from './audit.ts'
import { auditBounds } from './bounds.ts'

/** Records that a known caller was refused for lack of permission: a sample, after the response. */
export type RefusalNotes = {
  note(caller: Refused, refusal: { operation: string; message: string }): void
  /** Waits for notes that are being written. */
  close(): Promise<void>
}

type Refused = Pick<Ctx, 'org' | 'actor' | 'address' | 'requestId'>
type Deps = { app: Database; clock: Clock; newId: IdMaker; log: Log }

const perMinute = auditBounds.refusalsNoted.count
const maxOrganisations = auditBounds.organisationsNoted.count
/** More at once are dropped: a flood of refusals must not take the connections of requests. */
const maxNotes = auditBounds.notesUnderWay.count

export const createRefusalNotes = ({ app, clock, newId, log }: Deps): RefusalNotes => {
  const sampler = createSampler({ clock, perMinute, maxKeys: maxOrganisations })
  const notes = new Set<Promise<void>>()
  return {
    note: (caller, after) => {
      if (notes.size >= maxNotes || !sampler.admits(caller.org)) return
      const entry = auditOf(caller, toUuid(newId('aud')), { action: 'access.refused', subject: null, after })
      const note = app
        .transaction(caller.org, (tx) => recordAudit(tx, caller.org, entry))
        .catch((error: unknown) => log.warn('a refusal could not be audited', { error }))
        .finally(() => notes.delete(note))
      notes.add(note)
    },
    close: async () => {
      await Promise.all(notes)
    },
  }
}
