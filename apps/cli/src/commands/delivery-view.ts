import type { Delivery, DeliveryAttempt } from '@agent-run-service/sdk'
import { cliBounds } from '../bounds.ts'
import { duration, localTime, timeOfDay } from '../moment.ts'
import { fields } from '../table.ts'
import { statusStyle, type Terminal } from '../terminal.ts'
import { clean, oneLine } from '../text.ts'

/** One line: `attempt 1  10:03:22  503 in 12 ms  responded 503`. */
export const describeAttempt = (terminal: Terminal, attempt: DeliveryAttempt): string => {
  const { number, at, http_status: status, duration_ms: ms, error, response } = attempt
  const answer = status === null ? 'no answer' : String(status)
  const words = error ?? response?.body ?? ''
  const parts = [
    `attempt ${number}`,
    timeOfDay(at),
    terminal.paint(error === null ? 'good' : 'bad', ms === null ? answer : `${answer} in ${duration(ms)}`),
    oneLine(words, cliBounds.attemptLine.chars),
  ]
  return parts.filter((part) => part !== '').join('  ')
}

export const describeDelivery = (terminal: Terminal, delivery: Delivery): string => {
  const head = fields([
    ['id', delivery.id],
    ['status', terminal.paint(statusStyle(delivery.status), delivery.status)],
    ['event', `${delivery.event_type} ${delivery.event_id}`],
    ['source', delivery.source],
    ['created', localTime(delivery.created_at)],
    ['next attempt', delivery.next_attempt_at && localTime(delivery.next_attempt_at)],
    ['waits', delivery.waiting === null ? null : delivery.waiting.message],
    ['error', delivery.error === null ? null : clean(delivery.error)],
  ])
  // The request body is the same on each attempt, so it is shown once.
  const sent = delivery.attempts.find(({ request }) => request.body !== null)?.request.body
  const attempts = delivery.attempts.map((attempt) => describeExchange(terminal, attempt))
  const body = sent ? [`${terminal.paint('strong', 'Sent')}\n${clean(sent)}`] : []
  return [head, ...attempts, ...body].join('\n\n')
}

const describeExchange = (terminal: Terminal, attempt: DeliveryAttempt): string => {
  const { request, response } = attempt
  const lines = [
    ...headersOf('>', request.headers),
    ...headersOf('<', response?.headers ?? null),
    ...(response?.body
      ? clean(response.body)
          .split('\n')
          .map((line) => `< ${line}`)
      : []),
  ]
  return [describeAttempt(terminal, attempt), ...lines.map((line) => `  ${line}`)].join('\n')
}

const headersOf = (arrow: string, headers: Readonly<Record<string, string>> | null): string[] =>
  Object.entries(headers ?? {}).map(([name, value]) => `${arrow} ${clean(name)}: ${clean(value)}`)

/** The last answer of the receiver, in a cell. */
export const lastAnswer = ({ error, attempts }: Delivery): string => {
  const last = attempts.at(-1)
  return oneLine(error ?? last?.error ?? String(last?.http_status ?? ''), cliBounds.shortValue.chars)
}
