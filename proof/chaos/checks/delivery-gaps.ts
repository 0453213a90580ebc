import { fromUuid } from '@ars/platform/id'
import type { DeliveryRecords } from '../delivery-records.ts'
import { type DeliveryFacts, pairOf, postsOf } from './delivery-facts.ts'

/** After the first failed attempt, and after the second. */
const gapsMs = [1000, 5000] as const

/** As received, and as recorded. A second delivery of the same event begins anew, so such are left to the record. */
export const checkGaps = ({ records, journal }: DeliveryFacts): string[] => {
  const urls = new Map(records.webhooks.map(({ id, url }) => [id, url]))
  const perPair = Map.groupBy(
    records.deliveries,
    ({ webhook_id, event_id }) => `${urls.get(webhook_id)} ${fromUuid('evt', event_id)}`,
  )
  const received = [...Map.groupBy(postsOf({ journal }), pairOf)]
    .filter(([pair]) => perPair.get(pair)?.length === 1)
    .flatMap(([pair, same]) =>
      same.slice(1).flatMap((post, at) => {
        const gap = post.at_ms - (same[at]?.at_ms ?? 0)
        const least = gapsMs[at] ?? 0
        return gap < least ? [`${pair}: ${Math.round(gap)} ms before POST ${at + 2}`] : []
      }),
    )
  const recorded = gapsOf(records).filter(({ afterEndMs, leastMs }) => afterEndMs < leastMs - roundingMs)
  return [
    ...received,
    ...recorded.map(({ id, number, afterEndMs }) => `delivery ${id}: ${afterEndMs} ms before attempt ${number}`),
  ]
}

/** Dates and durations are kept in whole milliseconds. */
const roundingMs = 2

export type Gap = {
  id: string
  /** Of the attempt that followed. */
  number: number
  leastMs: number
  /** Between the end of the one before and its begin. An attempt whose end nobody saw counts from its begin. */
  afterEndMs: number
  /** Whether a rest of the endpoint, or a crash, may lie in between. */
  wasInterrupted: boolean
}

export const gapsOf = ({ attempts }: Pick<DeliveryRecords, 'attempts'>): Gap[] =>
  [...Map.groupBy(attempts, ({ delivery_id }) => delivery_id)].flatMap(([id, all]) => {
    const ordered = all.toSorted((a, b) => a.number - b.number)
    return ordered.slice(1).flatMap((attempt, at) => {
      const before = ordered[at]
      const leastMs = gapsMs[at]
      if (!before || leastMs === undefined) return []
      const endedMs = before.at.getTime() + (before.duration_ms ?? 0)
      const gap = { id, number: attempt.number, leastMs, afterEndMs: attempt.at.getTime() - endedMs }
      return [{ ...gap, wasInterrupted: before.duration_ms === null }]
    })
  })
