import type { NotificationKind, Role } from '@ars/contract'
import type { Tx } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'

/** A member with the choice of mails. `kinds` is null until the member chooses. */
export type Chooser = {
  member_id: string
  role: Role
  email: string
  is_proven: boolean
  kinds: NotificationKind[] | null
}

export const findChooser = async (tx: Tx, org: string, user: string): Promise<Chooser | null> => {
  const [row] = await tx.query(find({ org, userId: user }))
  return row ?? null
}

export const setChoice = async (
  tx: Tx,
  org: string,
  { memberId, kinds }: { memberId: string; kinds: readonly NotificationKind[] },
): Promise<void> => {
  await tx.query(set({ org, memberId, kinds }))
}

const find = statement<{ org: Uuid; userId: Uuid }, Chooser>(
  'mail.find_chooser',
  sql`select m.id as member_id, m.role, u.email, u.email_proven_at is not null as is_proven, c.kinds
     from members m join users u on u.id = m.user_id left join notification_choices c on c.member_id = m.id
    where m.org_id = :org and m.user_id = :userId`,
)

const set = statement<{ org: Uuid; memberId: Uuid; kinds: readonly string[] }>(
  'mail.set_choice',
  sql`insert into notification_choices (member_id, org_id, kinds) values (:memberId, :org, :kinds::text[])
   on conflict (member_id) do update set kinds = excluded.kinds, updated_at = app_now()`,
)
