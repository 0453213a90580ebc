import type { Database } from '@ars/platform/db/database'
import { type Sweep, whilePagesAreFull } from '@ars/platform/periodic'
import { mailBounds } from './bounds.ts'
import { deleteEndedMails, deleteOldRecipients } from './mail-send.store.ts'

const rowsPerPage = mailBounds.oldRowsTogether.count

/** Deletes mails some days after their end, and counts of recipients after a day. */
export const endedMailSweep = ({ deliveries }: { deliveries: Database }): Sweep => ({
  name: 'ended mails',
  everyMs: 600_000,
  run: async () => {
    await whilePagesAreFull(rowsPerPage, () => deleteEndedMails(deliveries, rowsPerPage))
    await whilePagesAreFull(rowsPerPage, () => deleteOldRecipients(deliveries, rowsPerPage))
  },
})
