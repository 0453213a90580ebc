import { fromUuid } from '@ars/platform/id'
import type { ReceivedLine, ReceiverLine } from '../receiver-journal.ts'
import type { DeliveryFacts } from './delivery-facts.ts'
import { orgId, otherRunId, otherUuid, runId, uuid } from './records.fixture.ts'

const webhookId = '01a1dd3d-2000-7000-8000-000000000001'
export const url = 'https://127.0.7.1:1/hook'
const events = ['01a1dd3d-3000-7000-8000-000000000001', '01a1dd3d-3000-7000-8000-000000000002'] as const
const deliveries = ['01a1dd3d-4000-7000-8000-000000000001', '01a1dd3d-4000-7000-8000-000000000002'] as const
export const eventId: string = fromUuid('evt', events[0])
export const failedEventId: string = fromUuid('evt', events[1])

const begin = Date.parse('2026-01-01T00:00:00Z')
const at = (ms: number): Date => new Date(begin + ms)
const attempt = (delivery: number, number: number, ms: number, status: number) => ({
  delivery_id: deliveries[delivery] ?? '',
  number,
  at: at(ms),
  duration_ms: 20,
  http_status: status,
  error: status < 300 ? null : `answered ${status}`,
})

/** Two ends: one acknowledged at the second attempt, one refused three times. Every checker must be content with it. */
export const soundDeliveries = (): DeliveryFacts => {
  const event = (n: 0 | 1, type: string, subject: string) => ({
    id: events[n],
    org_id: orgId,
    type,
    subject_id: subject,
    created_at: at(0),
  })
  const delivery = (n: 0 | 1, status: string) => ({
    id: deliveries[n],
    webhook_id: webhookId,
    event_id: events[n],
    status,
    source: 'event',
    error: null,
  })
  return {
    records: {
      webhooks: [{ id: webhookId, org_id: orgId, url, events: ['*'], is_active: true, created_at: at(-1000) }],
      events: [event(0, 'run.completed', uuid), event(1, 'run.failed', otherUuid)],
      deliveries: [delivery(0, 'succeeded'), delivery(1, 'failed')],
      attempts: [
        attempt(0, 1, 50, 500),
        attempt(0, 2, 1100, 200),
        attempt(1, 1, 50, 500),
        attempt(1, 2, 1100, 500),
        attempt(1, 3, 6200, 301),
      ],
    },
    journal: [
      ...post(1, 52, { status: 500 }),
      ...post(2, 53, { status: 500, id: failedEventId }),
      ...post(3, 1102, { status: 200 }),
      ...post(4, 1103, { status: 500, id: failedEventId }),
      ...post(5, 6202, { status: 301, id: failedEventId }),
    ],
  }
}

/** A POST that came at that millisecond, and its answer. */
export const post = (
  request: number,
  ms: number,
  { status = 200, id = eventId, ...rest }: { status?: number; id?: string } & Partial<ReceivedLine> = {},
): ReceiverLine[] => {
  const isFailed = id === failedEventId
  return [
    {
      kind: 'received',
      request,
      at: begin + ms,
      at_ms: ms,
      url,
      event_id: id,
      type: isFailed ? 'run.failed' : 'run.completed',
      subject: isFailed ? otherRunId : runId,
      timestamp: Math.floor((begin + ms) / 1000),
      sha256: isFailed ? 'b'.repeat(64) : 'a'.repeat(64),
      bytes: 100,
      plain_by: [0],
      standard_by: [0],
      signatures: 1,
      plan: String(status),
      ...rest,
    },
    { kind: 'answered', request, at_ms: ms + 5, status },
  ]
}
