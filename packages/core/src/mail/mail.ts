/** Mails with a link. They are written where the link is made. */
export const linkMailKinds = ['invitation', 'password_reset', 'email_proof'] as const
export type LinkMailKind = (typeof linkMailKinds)[number]

/** The events that members get mails about. The kind of the mail is the name of the event. */
export const mailedEvents = [
  'alert.triggered',
  'alert.resolved',
  'budget.reached',
  'webhook.disabled',
  'api_key.expiring',
] as const
export type EventMailKind = (typeof mailedEvents)[number]

export type MailKind = LinkMailKind | EventMailKind

export type MailOutcome = 'sent' | 'failed' | 'dropped'

/** The pause after each failed attempt; the attempt after the last pause is the last one. */
const pausesSeconds = [10, 60, 300, 1_800, 7_200, 21_600, 43_200] as const

export const maxMailAttempts = pausesSeconds.length + 1

/** Null: there is no further attempt. */
export const pauseAfter = (attempts: number): number | null => pausesSeconds[attempts - 1] ?? null

/** What a sealed link belongs to. */
export const linkSealContext = (mailId: string): string => `mail ${mailId} link`

/**
 * What counts the mails to an address, as keyed hashes, so that the counts name nobody. The first hash is of the active key of the
 * installation; those of its earlier keys still count after a rotation.
 */
export type Recipient = {
  address: readonly Buffer[]
  /** Of the address and the organisation, for invitations that are repeated. */
  invited: readonly Buffer[]
}
