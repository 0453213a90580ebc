import { limits } from '@ars/contract'
import type { Clock } from '@ars/platform/clock'
import type { Egress, StreamAnswer } from '@ars/platform/egress/egress'
import { EgressFailed, EgressRefused } from '@ars/platform/egress/failure'
import { fromUuid } from '@ars/platform/id'
import { bodySignature, signatureHeaders } from '@ars/platform/signature'
import { openTraceContext, type TraceContext, traceHeaders } from '@ars/platform/trace/trace-context'
import type { Tracer } from '@ars/platform/trace/tracer'
import { deliverySpan } from '../../span.ts'
import { deliveryHeader, testHeader } from '../webhook/delivery.ts'
import { keptBody, keptHeaders, meaningOf } from './attempt.ts'
import type { EndedAttempt } from './delivery-end.store.ts'
import type { Claimed } from './endpoint-queue.store.ts'

/** The content of an attempt, ready to be sent. */
export type DeliveryRequest = { claimed: Claimed; body: string; secrets: readonly [current: string, old?: string] }

/** One POST. It never throws for what the endpoint does: every outcome is returned with a description. */
export const sendAttempt = async (
  { egress, clock, tracer }: { egress: Pick<Egress, 'stream'>; clock: Clock; tracer?: Tracer | undefined },
  { claimed, body, secrets }: DeliveryRequest,
): Promise<EndedAttempt> => {
  const beganMs = clock.monotonicMs()
  const parent = claimed.trace_context === null ? undefined : openTraceContext(claimed.trace_context)
  const span = parent && tracer?.start(parent, deliverySpan(claimed))
  const headers = headersOf(claimed, { body, secrets, at: clock.now(), trace: span?.context ?? parent })
  const end = (rest: Pick<EndedAttempt, 'outcome' | 'error'> & Partial<EndedAttempt>): EndedAttempt => {
    const status = rest.httpStatus ?? undefined
    const error = rest.outcome === 'acknowledged' ? undefined : String(status ?? rest.outcome)
    span?.end({ attributes: { 'http.response.status_code': status }, error })
    return {
      deliveryId: claimed.delivery_id,
      webhookId: claimed.webhook_id,
      number: claimed.number,
      durationMs: Math.round(clock.monotonicMs() - beganMs),
      httpStatus: null,
      requestHeaders: headers,
      responseHeaders: null,
      responseBody: null,
      ...rest,
    }
  }
  let answered: Partial<EndedAttempt> = {}
  try {
    const answer = await egress.stream({
      org: claimed.org_id,
      url: claimed.url,
      method: 'POST',
      headers,
      body,
      deadlineMs: timeoutMs,
      idleTimeoutMs: timeoutMs,
      maxWaitMs: connectionWaitMs,
    })
    answered = { httpStatus: answer.status, responseHeaders: keptHeaders(answer.headers), responseBody: '' }
    const responseBody = keptBody(await beginningOf(answer))
    return end({ ...answered, ...meaningOf(answer.status), responseBody })
  } catch (error) {
    // Our connections were used up. The endpoint was not called, so nothing counts against it.
    if (error instanceof EgressFailed && error.kind === 'busy') return end({ outcome: 'unsent', error: null })
    return end({ ...answered, outcome: 'failed', error: wordsFor(error) })
  }
}

const timeoutMs = limits.deliveryTimeoutSeconds * 1000
// The wait for a connection, in addition to the time of the endpoint. Both must end before the lease.
const connectionWaitMs = 1000

const headersOf = (
  claimed: Claimed,
  {
    body,
    secrets,
    at,
    trace,
  }: Pick<DeliveryRequest, 'body' | 'secrets'> & { at: Date; trace: TraceContext | undefined },
): Record<string, string> => {
  const [current, old] = secrets
  return {
    'content-type': 'application/json',
    'user-agent': 'agent-run-service-webhooks',
    ...signatureHeaders({ secrets, id: fromUuid('evt', claimed.event_id), at, body }),
    // This header holds one signature only, so while the old secret is valid it is signed with that one.
    'x-service-signature': bodySignature(old ?? current, body),
    ...traceHeaders(trace),
    [deliveryHeader]: fromUuid('dlv', claimed.delivery_id),
    ...(claimed.is_test && { [testHeader]: 'true' }),
  }
}

/**
 * Reads up to the size that is kept. The connection of a longer response is closed; after a shorter one it is reused.
 */
const beginningOf = async ({ body }: StreamAnswer): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    bytes += chunk.byteLength
    if (bytes > limits.deliveryAnswerBytes) break
  }
  return Buffer.concat(chunks).subarray(0, limits.deliveryAnswerBytes)
}

const wordsFor = (error: unknown): string => {
  if (error instanceof EgressRefused) return `refused: ${error.reason}`
  if (error instanceof EgressFailed) {
    return error.kind === 'timeout'
      ? `timeout: The endpoint did not answer within ${limits.deliveryTimeoutSeconds} seconds`
      : `${error.kind}: ${error.message}`
  }
  throw error
}
