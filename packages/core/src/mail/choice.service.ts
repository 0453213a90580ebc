import { type NotificationKind, type Notifications, notificationKinds } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import { type IdMaker, toUuid } from '@ars/platform/id'
import { auditOf, recordAudit } from '../audit/index.ts'
import type { Ctx } from '../ctx.ts'
import { Fault } from '../fault.ts'
import { type Chooser, findChooser, setChoice } from './choice.store.ts'
import { defaultChoices } from './choice.ts'

/** What a member gets mails about, in the organisation of the session. */
export type ChoiceService = {
  get(ctx: Ctx): Promise<Notifications>
  set(ctx: Ctx, kinds: readonly NotificationKind[]): Promise<Notifications>
}

type Deps = { app: Database; newId: IdMaker; isMailOn: boolean }

export const createChoices = ({ app, newId, isMailOn }: Deps): ChoiceService => {
  const toWire = ({ email, is_proven, ...chooser }: Chooser): Notifications => ({
    object: 'notifications',
    kinds: kindsOf(chooser),
    email,
    email_proven: is_proven,
    mail_enabled: isMailOn,
  })

  return {
    get: (ctx) =>
      app.transaction(ctx.org, async (tx) => toWire(present(await findChooser(tx, ctx.org, toUuid(ctx.actor.id))))),
    set: (ctx, asked) =>
      app.transaction(ctx.org, async (tx) => {
        const chooser = present(await findChooser(tx, ctx.org, toUuid(ctx.actor.id)))
        const kinds = notificationKinds.filter((kind) => asked.includes(kind))
        await setChoice(tx, ctx.org, { memberId: chooser.member_id, kinds })
        const act = { action: 'member.notifications_changed', before: { kinds: kindsOf(chooser) }, after: { kinds } }
        await recordAudit(tx, ctx.org, auditOf(ctx, toUuid(newId('aud')), { ...act, subject: ctx.actor.id }))
        return toWire({ ...chooser, kinds })
      }),
  }
}

const kindsOf = ({ kinds, role }: Pick<Chooser, 'kinds' | 'role'>): NotificationKind[] => [
  ...(kinds ?? defaultChoices(role)),
]

const present = (chooser: Chooser | null): Chooser => {
  if (!chooser) throw new Fault('unauthorized', 'The session has ended')
  return chooser
}
