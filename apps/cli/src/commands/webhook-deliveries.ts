import { setTimeout as wait } from 'node:timers/promises'
import type { AgentRunService, Delivery } from '@agent-run-service/sdk'
import type { Command } from 'commander'
import { withExamples } from '../describe.ts'
import { exitCodes } from '../exit-code.ts'
import { duration, localTime } from '../moment.ts'
import { acting, type Session } from '../session.ts'
import { statusStyle, type Terminal } from '../terminal.ts'
import { oneLine } from '../text.ts'
import { describeAttempt } from './delivery-view.ts'

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
