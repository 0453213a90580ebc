import { type EmailProof, limits } from '@ars/contract'
import { randomBytes, sha256 } from '@ars/platform/crypto'
import type { Database } from '@ars/platform/db/database'
import { type IdMaker, toUuid } from '@ars/platform/id'
import type { Ctx } from '../ctx.ts'
import { Fault } from '../fault.ts'
import type { MailDesk } from '../mail/index.ts'
import { notesOfPerson, recordAll } from './audit-note.service.ts'
import { linkInvalid } from './login.service.ts'
import { linkOf } from './member.ts'
import { consumeProof, findProof, insertProof } from './proof.store.ts'
import { ownSession } from './session.service.ts'
import { tokenBytes } from './session.ts'
import { findUser, isEmailProven, lockUser, proveEmail } from './user.store.ts'

/** A person shows that they read the mail of their address. */
export type ProofService = {
  /** Mails a link to the address of the person. */
  send(ctx: Ctx): Promise<EmailProof>
  /**
   * Takes the link in a session of the same account. Otherwise a stranger could open an account with this address, and the
   * owner of the address would prove it for the stranger by following the link.
   */
  prove(ctx: Ctx, token: string): Promise<EmailProof>
}

type Deps = { auth: Database; newId: IdMaker; config: { publicUrl: string }; mail?: MailDesk | undefined }

export const createProofs = ({ auth, newId, config, mail }: Deps): ProofService => ({
  send: async (ctx) => {
    const { user } = ownSession(ctx)
    if (!mail) throw new Fault('mail_disabled', 'This installation sends no mail')
    const person = await findUser(auth, user)
    if (!person) throw new Fault('unauthorized', 'The session has ended')
    const { email } = person
    const token = randomBytes(tokenBytes).toString('base64url')
    // Before the transaction, because sealing may read a key with another connection.
    const letter = await mail.seal(ctx.org, linkOf(config.publicUrl, 'email-proof', token))
    const proven = await auth.transaction(ctx.org, async (tx) => {
      await lockUser(tx, user)
      if (await isEmailProven(tx, user)) return true
      await insertProof(tx, { id: toUuid(newId('prf')), user, email, hash: sha256(token) })
      const toBeQueued = { kind: 'email_proof', email, to: { address: email } } as const
      if (!(await mail.queue(tx, ctx.org, { ...letter, ...toBeQueued }))) throw tooMany()
      return false
    })
    return { object: 'email_proof', email, proven }
  },
  prove: async (ctx, token) => {
    const { user } = ownSession(ctx)
    const proof = await findProof(auth, sha256(token))
    if (proof?.user_id !== user) throw linkInvalid()
    const { email } = proof
    await auth.transaction(null, async (tx) => {
      await lockUser(tx, user)
      if (!(await consumeProof(tx, proof.id))) throw linkInvalid()
      if (!(await proveEmail(tx, user, email)))
        throw new Fault('email_taken', 'Another account has proven this e-mail address')
      const act = { action: 'user.email_proven', after: { email } }
      await recordAll(tx, await notesOfPerson(tx, { visitor: ctx, newId, user }, act))
    })
    return { object: 'email_proof', email, proven: true }
  },
})

const tooMany = (): Fault =>
  new Fault(
    'limit_reached',
    `At most ${limits.linkMailsPerAddressPerDay} mails with links are sent to an address within 24 hours; try again later`,
  )
