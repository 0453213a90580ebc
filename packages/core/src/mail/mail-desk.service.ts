import { type IdMaker, toUuid } from '@ars/platform/id'
import type { SecretService } from '../secrets/index.ts'
import { linkSealContext } from './mail.ts'

/** Where other slices prepare mails with links. Undefined in its place: mail is off, and links are passed on by hand. */
export type MailDesk = {
  /**
   * Seals a link for a new mail. It reads the key of the organisation, so it comes before the transaction that writes
   * the mail with `queueMail`.
   */
  seal(org: string, link: string): Promise<{ id: string; link: Buffer }>
}

export const createMailDesk = ({ secrets, newId }: { secrets: SecretService; newId: IdMaker }): MailDesk => ({
  seal: async (org, link) => {
    const id = toUuid(newId('mail'))
    return { id, link: await secrets.seal(org, link, linkSealContext(id)) }
  },
})
