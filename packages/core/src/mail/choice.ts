import { type NotificationKind, notificationKinds, type Role } from '@ars/contract'

/** What owners and admins get mails about until they choose. Others get none. */
export const choicesOfAdmins: readonly NotificationKind[] = notificationKinds.filter((kind) => kind !== 'alert_info')

export const defaultChoices = (role: Role): readonly NotificationKind[] =>
  role === 'owner' || role === 'admin' ? choicesOfAdmins : []
