import { limits } from '@ars/contract'
import type { Letter } from './layout.ts'
import type { LinkMailKind } from './mail.ts'
import { plainName } from './plain-name.ts'

/** What a mail with a link says. The token is in the link only. The name of the organisation is text of a customer. */
export const linkLetter = (
  kind: LinkMailKind,
  { organisation, link, service }: { organisation: string; link: string; service: string },
): Letter => letters[kind]({ organisation: plainName(organisation), link, service })

type Facts = { organisation: string; link: string; service: string }

const letters: Readonly<Record<LinkMailKind, (facts: Facts) => Letter>> = {
  invitation: ({ organisation, link, service }) => ({
    subject: `Invitation to “${organisation}”`,
    paragraphs: [
      `You are invited to join the organisation “${organisation}” on ${service}.`,
      `The link works once, within ${limits.invitationDays} days. Do not pass it on: another person could join in your place.`,
    ],
    action: { label: 'Accept the invitation', url: link },
    footer: 'Somebody entered your address to invite you. If you do not expect this, ignore this mail.',
  }),
  password_reset: ({ organisation, link, service }) => ({
    subject: 'Set a new password',
    paragraphs: [
      `An administrator of “${organisation}” created a link for you to set a new password on ${service}.`,
      `The link works once, within ${limits.passwordResetHours} hours. It ends all your sessions.`,
    ],
    action: { label: 'Set a new password', url: link },
    footer: 'If you did not ask for a new password, ask your administrator before you follow the link.',
  }),
  email_proof: ({ organisation, link, service }) => ({
    subject: 'Confirm your e-mail address',
    paragraphs: [
      `A member of “${organisation}” on ${service} asked to confirm that this address is theirs.`,
      `If that was you, open the link in the browser in which you are logged in. It works once, within ${limits.emailProofHours} hours.`,
    ],
    action: { label: 'Confirm the address', url: link },
    footer: 'If it was not you, ignore this mail. Without the link, the address stays unconfirmed.',
  }),
}
