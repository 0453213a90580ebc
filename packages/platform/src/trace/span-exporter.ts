import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { platformBounds } from '../bounds.ts'
import type { Log } from '../log/log.ts'
import { encodeEnvelope, type SpanSource } from './otlp.ts'

/** Sends spans to the operator's collector, in the background. Nobody waits for it. */
export type SpanExporter = {
  /** Takes an encoded span, or drops and counts it. */
  add(span: string): void
  counts(): SpanCounts
  /** Sends what is left, for a few seconds at most. */
  close(): Promise<void>
}

/**
 * `queue_full`: the collector takes fewer spans than there are. `unavailable`: it did not answer. `refused`: it answered with
 * an error. `rejected`: it accepted the request without these spans.
 */
export type DropReason = 'queue_full' | 'unavailable' | 'refused' | 'rejected'

export type SpanCounts = { readonly exported: number; readonly dropped: Readonly<Record<DropReason, number>> }

export type ExporterLimits = {
  readonly maxQueuedSpans: number
  readonly maxQueuedBytes: number
  readonly maxBatchSpans: number
  readonly maxBatchBytes: number
  /** A batch waits this long for more spans. */
  readonly gatherMs: number
  readonly requestTimeoutMs: number
  readonly tries: number
  readonly firstRetryMs: number
  readonly maxRetryMs: number
  readonly closeMs: number
}

const exporterLimits: ExporterLimits = {
  maxQueuedSpans: platformBounds.spansQueued.count,
  maxQueuedBytes: platformBounds.spansQueued.bytes,
  maxBatchSpans: platformBounds.spanBatch.count,
  maxBatchBytes: platformBounds.spanBatch.bytes,
  gatherMs: 1000,
  requestTimeoutMs: platformBounds.spanRequest.ms,
  tries: platformBounds.spanTries.count,
  firstRetryMs: 500,
  maxRetryMs: platformBounds.spanRetryPause.ms,
  closeMs: platformBounds.spanClose.ms,
}

// The statuses after which OTLP says to send again.
const passingStatuses: readonly number[] = [429, 502, 503, 504]
const maxAnswerBytes = platformBounds.spanAnswer.bytes

type Options = {
  /** The address of the collector; `/v1/traces` is appended. */
  readonly endpoint: string
  readonly headers: Readonly<Record<string, string>>
  readonly source: SpanSource
  readonly log: Log
  readonly limits?: Partial<ExporterLimits> | undefined
}

type Batch = { readonly spans: number; readonly body: string }

export const createSpanExporter = ({ endpoint, headers, source, log, ...rest }: Options): SpanExporter => {
  const limits = { ...exporterLimits, ...rest.limits }
  const url = new URL(endpoint)
  const path = `${url.pathname.replace(/\/+$/, '')}/v1/traces`
  const pool = new Pool(url.origin, { connections: 1, pipelining: 1 })
  const { before, after } = encodeEnvelope(source)
  const closing = new AbortController()
  const dropped: Record<DropReason, number> = { queue_full: 0, unavailable: 0, refused: 0, rejected: 0 }
  let queue: string[] = []
  let queuedBytes = 0
  let exported = 0
  let timer: NodeJS.Timeout | undefined
  let sending: Promise<void> | undefined
  let isFailing = false
  let isClosed = false

  const add = (span: string): void => {
    const bytes = Buffer.byteLength(span)
    if (isClosed || queue.length >= limits.maxQueuedSpans || queuedBytes + bytes > limits.maxQueuedBytes) {
      dropped.queue_full++
      return
    }
    queue.push(span)
    queuedBytes += bytes
    if (sending !== undefined) return
    if (queue.length >= limits.maxBatchSpans) begin()
    else timer ??= setTimeout(begin, limits.gatherMs).unref()
  }

  const begin = (): void => {
    clearTimeout(timer)
    timer = undefined
    sending ??= sendAll()
      .catch((error: unknown) => log.error('span export failed on our side', { error }))
      .finally(() => {
        sending = undefined
        if (queue.length > 0 && !isClosed) timer ??= setTimeout(begin, limits.gatherMs).unref()
      })
  }

  /** Until less than a batch is left; the rest waits for more. */
  const sendAll = async (): Promise<void> => {
    do await send(takeBatch())
    while (queue.length >= limits.maxBatchSpans || (isClosed && queue.length > 0))
  }

  const takeBatch = (): Batch => {
    let spans = 0
    let bytes = 0
    for (const span of queue) {
      const more = Buffer.byteLength(span)
      if (spans === limits.maxBatchSpans || (spans > 0 && bytes + more > limits.maxBatchBytes)) break
      spans++
      bytes += more
    }
    const body = before + queue.slice(0, spans).join(',') + after
    queue = queue.slice(spans)
    queuedBytes -= bytes
    return { spans, body }
  }

  /** It never rejects for what the collector does. */
  const send = async ({ spans, body }: Batch): Promise<void> => {
    for (let tries = 1; ; tries++) {
      const outcome = await post(body)
      if (outcome.kind === 'accepted') {
        const rejected = Math.min(spans, outcome.rejected)
        exported += spans - rejected
        dropped.rejected += rejected
        if (isFailing) log.info('spans are exported again')
        isFailing = false
        return
      }
      if (!isFailing) log.warn('spans could not be exported', { reason: outcome.reason })
      isFailing = true
      const isLast = !outcome.isPassing || tries >= limits.tries || closing.signal.aborted
      if (isLast) {
        dropped[outcome.isPassing ? 'unavailable' : 'refused'] += spans
        return
      }
      const waitMs = outcome.retryAfterMs ?? limits.firstRetryMs * 2 ** (tries - 1)
      await sleep(Math.min(waitMs, limits.maxRetryMs), undefined, { signal: closing.signal, ref: false }).catch(
        () => undefined,
      )
    }
  }

  const post = async (body: string): Promise<Outcome> => {
    try {
      const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(limits.requestTimeoutMs)])
      const response = await pool.request({
        method: 'POST',
        path,
        headers: { ...headers, 'content-type': 'application/json' },
        body,
        signal,
      })
      const { statusCode: status } = response
      const text = await beginningOf(response.body)
      if (status >= 200 && status < 300) return { kind: 'accepted', rejected: rejectedIn(text) }
      const retryAfter = Number(response.headers['retry-after'])
      const retryAfterMs = Number.isFinite(retryAfter) && retryAfter >= 0 ? retryAfter * 1000 : undefined
      return { kind: 'failed', reason: `status ${status}`, isPassing: passingStatuses.includes(status), retryAfterMs }
    } catch (error) {
      // The address and the headers may contain a credential, so the log names only the kind of the error.
      const { name, code } = error as { name?: string; code?: string }
      return { kind: 'failed', reason: code ?? name ?? 'error', isPassing: true, retryAfterMs: undefined }
    }
  }

  return {
    add,
    counts: () => ({ exported, dropped: { ...dropped } }),
    close: async () => {
      isClosed = true
      const late = setTimeout(() => closing.abort(), limits.closeMs)
      await sending
      if (queue.length > 0) begin()
      await sending
      clearTimeout(late)
      await pool.destroy()
    },
  }
}

type Outcome =
  | { kind: 'accepted'; rejected: number }
  | { kind: 'failed'; reason: string; isPassing: boolean; retryAfterMs: number | undefined }

const beginningOf = async (body: AsyncIterable<Uint8Array>): Promise<string> => {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    bytes += chunk.byteLength
    if (bytes > maxAnswerBytes) break
  }
  return Buffer.concat(chunks).toString()
}

/** How many spans of an accepted request the collector did not take. */
const rejectedIn = (text: string): number => {
  try {
    const answer = JSON.parse(text) as { partialSuccess?: { rejectedSpans?: unknown } } | null
    const count = Number(answer?.partialSuccess?.rejectedSpans ?? 0)
    return Number.isSafeInteger(count) && count > 0 ? count : 0
  } catch {
    return 0
  }
}
