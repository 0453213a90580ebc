import type { AlertDestination } from '@ars/contract'
import { fromUuid } from '@ars/platform/id'
import { mailBounds } from './bounds.ts'
import type { Letter } from './layout.ts'

/** Where alerts are posted besides mails. The URL is sealed, because it is all that a poster needs. */
export type Destination = { id: string; type: AlertDestination['type']; hint: string; created_at: Date }

export const destinationToWire = ({ id, type, hint, created_at }: Destination): AlertDestination => ({
  id: fromUuid('dst', id),
  object: 'alert_destination',
  type,
  url_hint: hint,
  created_at: created_at.toISOString(),
})

const hintChars = 4
const maxHintChars = mailBounds.urlHint.chars

/** The host and the last characters: enough to tell two apart, too little to post. */
export const hintOf = (url: string): string => `${new URL(url).hostname}/…${url.slice(-hintChars)}`.slice(-maxHintChars)

/** What a sealed URL belongs to. */
export const urlSealContext = (id: string): string => `alert destination ${id} url`

const maxMessageChars = mailBounds.message.chars

/** The letter as a message in Slack's format. Nothing in it can mention a person or hide a link. */
export const slackMessage = ({ subject, facts = [], action }: Letter): string =>
  JSON.stringify({
    text: [
      `*${escaped(subject)}*`,
      ...facts.map(([name, value]) => `${name}: ${escaped(value)}`),
      `<${action.url}|${escaped(action.label)}>`,
    ].join('\n'),
  })

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .slice(0, maxMessageChars)
    .replaceAll(/[&<>]/g, (char) => entities[char] ?? char)
