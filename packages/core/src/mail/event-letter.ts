import type { Letter } from './layout.ts'
import type { EventMailKind } from './mail.ts'
import { plainName } from './plain-name.ts'

/** An event that a mail is about. `data` is that of webhooks; other slices write it, so each field may be missing. */
export type MailedEvent = { id: string; data: Readonly<Record<string, unknown>> }

/** What a mail about an event says. `dashboard`: the address of the dashboard, without a slash at the end. */
export const eventLetter = (
  kind: EventMailKind,
  { event, organisation, dashboard }: { event: MailedEvent; organisation: string; dashboard: string },
): Letter => ({
  ...letters[kind](event.data, { event: event.id, dashboard }),
  footer: `You get this mail as a member of “${plainName(organisation)}”. Choose your mails at ${dashboard}/settings/profile.`,
})

type Data = MailedEvent['data']
type Places = { event: string; dashboard: string }
type Content = Omit<Letter, 'footer'>

const letters: Readonly<Record<EventMailKind, (data: Data, places: Places) => Content>> = {
  'alert.triggered': (data, places) => alertLetter(data, places, 'fires'),
  'alert.resolved': (data, places) => alertLetter(data, places, 'is resolved'),
  'budget.reached': (data, { event, dashboard }) => {
    const percent = textOf(data.reached_percent)
    return {
      subject: percent === '' ? 'A budget is reached' : `${percent} % of a budget is used`,
      paragraphs: ['The spend of this month has reached a limit of a budget.'],
      facts: factsOf([
        ['Budget of', textOf(data.id)],
        ['Limit', usd(data.monthly_budget_usd)],
        ['Spent', usd(data.spent_usd)],
        ['Action', textOf(data.budget_action)],
      ]),
      action: { label: 'Open the event', url: `${dashboard}/events/${event}` },
    }
  },
  'webhook.disabled': (data, { dashboard }) => ({
    subject: 'Webhook disabled',
    paragraphs: ['The service disabled a webhook. Events wait there until it is enabled, and can be recovered then.'],
    facts: factsOf([
      ['Endpoint', textOf(data.url)],
      ['Reason', textOf(data.reason)],
      ['Missed since', textOf(data.missed_since)],
    ]),
    action: { label: 'Open the webhook', url: `${dashboard}/webhooks/${textOf(data.id)}` },
  }),
  'api_key.expiring': (data, { dashboard }) => ({
    subject: `API key expires soon: ${plainName(textOf(data.name))}`,
    paragraphs: ['An API key ends soon. Programs that use it will be refused from then on. Rotate it before.'],
    facts: factsOf([
      ['Key', `${textOf(data.name)} (…${textOf(data.hint)})`],
      ['Ends', textOf(data.expires_at)],
    ]),
    action: { label: 'Open the key', url: `${dashboard}/settings/api-keys/${textOf(data.id)}` },
  }),
}

const alertLetter = (data: Data, { event, dashboard }: Places, what: string): Content => {
  const { name, facts } = alertFacts(data)
  const test = data.test === true ? 'Test: ' : ''
  return {
    subject: `${test}[${textOf(data.severity) || 'alert'}] ${name} ${what}`,
    paragraphs: [`${test}The alert “${name}” ${what}.`],
    facts,
    action: { label: 'Open the event', url: `${dashboard}/events/${event}` },
  }
}

/** The name of an alert, and its figures in words. */
const alertFacts = (data: Data): { name: string; facts: [string, string][] } => {
  const rule = objectOf(data.rule)
  const snapshot = objectOf(data.snapshot)
  const metric = textOf(snapshot.metric ?? rule.metric)
  return {
    name: plainName(textOf(rule.name)) || metric || 'Alert',
    facts: factsOf([
      ['Severity', textOf(data.severity)],
      ['Metric', metric],
      ['Value', textOf(snapshot.value)],
      ['Threshold', textOf(snapshot.threshold ?? rule.threshold)],
      ['Samples', textOf(snapshot.sample_size)],
      ['Agent', textOf(rule.agent_id)],
      ['Triggered', textOf(data.triggered_at)],
      ['Resolved', textOf(data.resolved_at)],
    ]),
  }
}

const factsOf = (rows: [string, string][]): [string, string][] => rows.filter(([, value]) => value !== '')

const textOf = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '')

const usd = (value: unknown): string => (textOf(value) === '' ? '' : `$${textOf(value)}`)

const objectOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
