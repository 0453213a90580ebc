import type { Tx } from '@ars/platform/db/database'
import type { Keyring } from '@ars/platform/envelope'
import { type IdMaker, toUuid } from '@ars/platform/id'
import type { SecretService } from '../secrets/index.ts'
import { type LinkMailKind, linkSealContext } from './mail.ts'
import { type MailHeld, type NewMail, queueMail } from './mail-queue.store.ts'
import { createRecipients } from './recipient.service.ts'

/** Where other slices prepare mails with links. Undefined in its place: mail is off, and links are passed on by hand. */
export type MailDesk = {
  /**
   * Seals a link for a new mail. It reads the key of the organisation, so it comes before the transaction that writes
   * the mail with `queue`.
   */
  seal(org: string, link: string): Promise<SealedMail>
  /** Runs in the transaction of the cause. False: the mail was not written, and the link is passed on by hand. */
  queue(tx: Tx, org: string, mail: SealedMail & ToBeQueued): Promise<boolean>
}

type SealedMail = Pick<NewMail, 'id' | 'link'>
/** `email`: the address that `to` stands for. */
type ToBeQueued = { kind: LinkMailKind; email: string; to: NewMail['to'] }

/** A mail was not written. */
export type OnMailHeld = (mail: { kind: LinkMailKind; reason: MailHeld }) => void

type Deps = { secrets: SecretService; keyring: Keyring; newId: IdMaker; onMailHeld?: OnMailHeld | undefined }

export const createMailDesk = ({ secrets, keyring, newId, onMailHeld }: Deps): MailDesk => {
  const recipientOf = createRecipients(keyring)
  return {
    seal: async (org, link) => {
      const id = toUuid(newId('mail'))
      return { id, link: await secrets.seal(org, link, linkSealContext(id)) }
    },
    queue: async (tx, org, { id, link, kind, email, to }) => {
      const reason = await queueMail(tx, org, { id, kind, link, to, recipient: recipientOf(org, email) })
      if (reason !== null) onMailHeld?.({ kind, reason })
      return reason === null
    },
  }
}
