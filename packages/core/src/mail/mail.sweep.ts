import type { Database } from '@ars/platform/db/database'
import { type Sweep, whilePagesAreFull } from '@ars/platform/periodic'
import { type MailPost, mailsPerBatch } from './mail-post.service.ts'
import { deleteEndedMails, deleteOldRecipients } from './mail-send.store.ts'

// A worker that stops waits for the end of a round, and a silent server makes a batch as long as its time limit.
const maxRoundMs = 10_000
const rowsPerPage = 1_000

/** Sends what is due. */
export const mailSweep = ({ post, clock }: { post: MailPost; clock: { monotonicMs(): number } }): Sweep => ({
  name: 'mails',
  everyMs: 1_000,
  run: async () => {
    const started = clock.monotonicMs()
    while ((await post.sendSome()) === mailsPerBatch && clock.monotonicMs() - started < maxRoundMs);
  },
})

/** Deletes mails some days after their end, and counts of recipients after a day. */
export const endedMailSweep = ({ deliveries }: { deliveries: Database }): Sweep => ({
  name: 'ended mails',
  everyMs: 600_000,
  run: async () => {
    await whilePagesAreFull(rowsPerPage, () => deleteEndedMails(deliveries, rowsPerPage))
    await whilePagesAreFull(rowsPerPage, () => deleteOldRecipients(deliveries, rowsPerPage))
  },
})
