import { setTimeout as wait } from 'node:timers/promises'
import { type AgentRunService, ApiError, ConnectionError, type Event, type EventType } from '@agent-run-service/sdk'
import { cliBounds } from './bounds.ts'
import { type Forwarded, forward } from './forward.ts'
import { signatureHeaders } from './signature.ts'

export type Listening = {
  client: AgentRunService
  /** Null: events are shown and not forwarded. */
  forwardTo: URL | null
  secret: string
  /** Event types separated by commas; undefined: all. */
  types: string | undefined
  /** Undefined: from now. */
  since: string | undefined
  timeoutMs: number
  signal: AbortSignal
  onReady(): void
  onEvent(heard: Heard): void
}

/** An event and the response of the local program; null if it was not forwarded. */
export type Heard = { event: Event; forwarded: Forwarded | null }

export type Tally = { acknowledged: number; failed: number; seen: number }

/**
 * Follows the events and forwards them in order, one at a time. Nothing is read ahead of a slow program, so nothing
 * accumulates. Retries while the service is unavailable. Ends with the signal.
 */
export const listen = async (listening: Listening): Promise<Tally> => {
  const { client, types, signal } = listening
  const tally: Tally = { acknowledged: 0, failed: 0, seen: 0 }
  try {
    let begin = await beginOf(listening)
    listening.onReady()
    for (let delayMs = usualDelayMs(); ; delayMs = usualDelayMs()) {
      try {
        const filters = {
          ...begin,
          ...(types === undefined ? {} : { type: types.split(',') as Exclude<EventType, 'test'>[] }),
        }
        // The client would back off more and more. A person is watching this stream, so the reconnect delay stays
        // short.
        for await (const event of client.events.watch(filters, { signal, resumeForMs: 0, maxRetries: 0 })) {
          await take(listening, tally, event)
          begin = { after: event.id }
        }
      } catch (error) {
        delayMs = delayAfter(error) ?? delayMs
      }
      await wait(delayMs, undefined, { signal })
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
  return tally
}

/** 1 to 3 s with jitter, so that clients do not reconnect at the same moment. */
const usualDelayMs = (): number => 1_000 + Math.random() * 2_000

const delayMaxMs = cliBounds.reconnectPause.ms

/** The delay that the service requested, if any. A permanent failure ends the command. */
const delayAfter = (error: unknown): number | null => {
  if (error instanceof ConnectionError) return null
  if (!(error instanceof ApiError) || (error.status !== 429 && error.status < 500)) throw error
  return error.retryAfterMs === null ? null : Math.min(error.retryAfterMs, delayMaxMs)
}

/**
 * The position of "now" as an event id instead of a time: a stream that breaks before its first frame can still resume,
 * and clocks need not agree.
 */
const beginOf = async ({ client, since, signal }: Listening): Promise<Begin> => {
  if (since !== undefined) return { since }
  const { data } = await client.events.list({ limit: 1 }, { signal })
  return data[0] ? { after: data[0].id } : { since: new Date(0).toISOString() }
}

type Begin = { since: string } | { after: string }

const take = async (listening: Listening, tally: Tally, event: Event): Promise<void> => {
  const { forwardTo, signal } = listening
  // The exact bytes of a webhook delivery; the stream escapes some line breaks in addition.
  const body = JSON.stringify(event)
  const forwarded = forwardTo && (await handOn(listening, forwardTo, { event, body }))
  tally.seen++
  if (forwarded) tally[forwarded.error === null ? 'acknowledged' : 'failed']++
  listening.onEvent({ event, forwarded })
  signal.throwIfAborted()
}

const handOn = (
  { secret, timeoutMs, signal }: Listening,
  url: URL,
  { event, body }: { event: Event; body: string },
): Promise<Forwarded> =>
  forward({
    url,
    body,
    headers: signatureHeaders({ secret, id: event.id, at: new Date(), body }),
    timeoutMs,
    signal,
  })
