import { setTimeout as wait } from 'node:timers/promises'
import type { AgentRunService, Delivery, DeliveryStatus, EventType } from '@agent-run-service/sdk'
import { type Command, Option } from 'commander'
import { cliBounds } from '../bounds.ts'
import { withExamples } from '../describe.ts'
import { exitCodes } from '../exit-code.ts'
import { type PageOptions, pageOf, tellPage, withPaging } from '../list.ts'
import { duration, localTime } from '../moment.ts'
import { acting, type Session } from '../session.ts'
import { statusStyle, type Terminal } from '../terminal.ts'
import { oneLine } from '../text.ts'
import { describeAttempt, describeDelivery } from './delivery-view.ts'

/** The polling interval for the end of a delivery. Three attempts with their pauses take at least 6 s. */
const lookEveryMs = 300

export const addDeliveryCommands = (webhooks: Command): void => {
  withExamples(
    webhooks
      .command('test <id>')
      .description('send a test event and wait for the outcome')
      .option('--event <type>', 'send a sample of this event type instead')
      .option('--no-wait', 'do not wait for the outcome')
      .action(acting(test)),
    'ars webhooks test wh_01m7ek7549ej9s2d1m7z8n0ycp',
    'ars webhooks test wh_01m7ek7549ej9s2d1m7z8n0ycp --event run.completed',
  )
  withExamples(
    withPaging(webhooks.command('deliveries <id>').description('list the deliveries of a webhook, newest first'))
      .addOption(new Option('--status <status>', 'only those').choices(['pending', 'succeeded', 'failed']))
      .option('--event <type>', 'only events of this type')
      .action(acting(list)),
    'ars webhooks deliveries wh_01m7ek7549ej9s2d1m7z8n0ycp --status failed',
  )
  withExamples(
    webhooks
      .command('delivery <id> <delivery>')
      .description('show one delivery with the request and response of each attempt')
      .action(acting(get)),
    'ars webhooks delivery wh_01m7ek7549ej9s2d1m7z8n0ycp dlv_01m7ek7549ej9s2d1m7z8n0ycp',
  )
  withExamples(
    webhooks
      .command('redeliver <id> <delivery>')
      .description('send an event again with the same id and body, and wait for the outcome')
      .option('--no-wait', 'do not wait for the outcome')
      .action(acting(redeliver)),
    'ars webhooks redeliver wh_01m7ek7549ej9s2d1m7z8n0ycp dlv_01m7ek7549ej9s2d1m7z8n0ycp',
  )
}

const test = async (session: Session, id: string, { event, wait: waits }: { event?: string; wait: boolean }) => {
  const client = session.client()
  const delivery = await client.webhooks.test(id, event ? { event_type: event } : {}, { signal: session.signal })
  return await tellOutcome(session, client, { delivery, waits })
}

const redeliver = async (session: Session, id: string, deliveryId: string, options: { wait: boolean }) => {
  const client = session.client()
  const delivery = await client.webhooks.redeliver(id, deliveryId, { signal: session.signal })
  return await tellOutcome(session, client, { delivery, waits: options.wait })
}

/** Prints the outcome of a delivery. A failed delivery makes the command fail. */
const tellOutcome = async (
  { terminal, signal }: Session,
  client: AgentRunService,
  { delivery, waits }: { delivery: Delivery; waits: boolean },
) => {
  const { id, webhook_id: webhookId, event_id: eventId, event_type: type } = delivery
  if (!terminal.isJson) terminal.note(`Sending ${type} ${eventId} to ${webhookId} as ${id}`)
  const ended = waits ? await follow(client, { delivery, terminal, signal }) : delivery
  terminal.result(ended, () => verdict(terminal, ended))
  return ended.status === 'failed' ? exitCodes.failed : undefined
}

const follow = async (
  client: AgentRunService,
  { delivery, terminal, signal }: { delivery: Delivery; terminal: Terminal; signal: AbortSignal },
): Promise<Delivery> => {
  let told = 0
  for (;;) {
    const now = await client.webhooks.delivery(delivery.webhook_id, delivery.id, { signal })
    for (const attempt of now.attempts.slice(told)) {
      if (!terminal.isJson) terminal.note(describeAttempt(terminal, attempt))
    }
    told = now.attempts.length
    if (now.status !== 'pending') return now
    terminal.progress(
      now.next_attempt_at ? `next attempt at ${localTime(now.next_attempt_at)}` : 'waiting for the response',
    )
    await wait(lookEveryMs, undefined, { signal })
  }
}

const verdict = (terminal: Terminal, { status, attempts, error, webhook_id, id }: Delivery): string => {
  const word = terminal.paint(statusStyle(status), status)
  const last = attempts.at(-1)
  if (status === 'pending') return `${word}: check it with ars webhooks delivery ${webhook_id} ${id}`
  if (status === 'succeeded') {
    const answer = last?.response?.body ? `: ${oneLine(last.response.body)}` : ''
    return `${word} with ${last?.http_status} in ${duration(last?.duration_ms ?? null)}${answer}`
  }
  const why = oneLine(error ?? last?.error ?? 'unknown reason')
  return `${word} after ${attempts.length} ${attempts.length === 1 ? 'attempt' : 'attempts'}: ${why}`
}

// The service validates the type.
type ListOptions = PageOptions & { status?: DeliveryStatus; event?: EventType }

const list = async ({ terminal, client, signal }: Session, id: string, options: ListOptions) => {
  const { status, event } = options
  const filters = { ...pageOf(options), ...(status && { status }), ...(event && { event_type: event }) }
  await tellPage(terminal, await client().webhooks.deliveries(id, filters, { signal }), {
    all: options.all,
    columns: {
      ID: ({ id }) => id,
      CREATED: ({ created_at }) => localTime(created_at),
      STATUS: ({ status }) => status,
      EVENT: ({ event_type }) => event_type,
      SOURCE: ({ source }) => source,
      ATTEMPTS: ({ attempts }) => String(attempts.length),
      'LAST ANSWER': lastAnswer,
    },
    nothing: 'No deliveries found.',
  })
  return undefined
}

const lastAnswer = ({ error, attempts }: Delivery): string => {
  const last = attempts.at(-1)
  return oneLine(error ?? last?.error ?? String(last?.http_status ?? ''), cliBounds.shortValue.chars)
}

const get = async ({ terminal, client, signal }: Session, id: string, deliveryId: string) => {
  const delivery = await client().webhooks.delivery(id, deliveryId, { signal })
  terminal.result(delivery, () => describeDelivery(terminal, delivery))
  return undefined
}
