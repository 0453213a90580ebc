import { toUuid } from '@ars/platform/id'
import type { Records } from '../records.ts'
import { isSuccess, type Operation } from './operations.ts'

type Event = Records['events'][number]

/** Written from the contract and not taken from the service: a judge does not borrow the accused's book of law. */
const moves: Readonly<Record<string, readonly string[]>> = {
  queued: ['running', 'failed', 'cancelled'],
  running: ['requires_action', 'completed', 'failed', 'cancelling'],
  requires_action: ['running', 'failed', 'cancelled'],
  cancelling: ['cancelled'],
  completed: [],
  failed: [],
  cancelled: [],
}
const terminalEvents = new Map([
  ['run.completed', 'completed'],
  ['run.failed', 'failed'],
  ['run.cancelled', 'cancelled'],
])

/** C3, as stored: one end for each ended run, a feed without gaps, and nothing after the end. */
export const checkHistories = (records: Records): string[] => {
  const events = Map.groupBy(records.events, ({ run_id }) => run_id)
  const results = Map.groupBy(records.results, ({ run_id }) => run_id)
  const heads = new Set(records.heads.map(({ run_id }) => run_id))
  const announcements = Map.groupBy(records.announcements, ({ run_id }) => run_id)
  return records.runs.flatMap(({ id }) => {
    const ends = results.get(id) ?? []
    // Other announcements, of a question to a person for example, may come as they like.
    const told = (announcements.get(id) ?? []).filter(({ type }) => terminalEvents.has(type))
    const status = ends[0]?.status
    return [
      ...(ends.length > 1 ? [`has ${ends.length} results`] : []),
      ...(ends.length > 0 && heads.has(id) ? ['has ended and is active'] : []),
      ...(told.length === ends.length ? [] : [`was announced ${told.length} times and ended ${ends.length} times`]),
      ...told.filter(({ type }) => terminalEvents.get(type) !== status).map(({ type }) => `was announced as ${type}`),
      ...faultsOfFeed(events.get(id) ?? [], status),
    ].map((fault) => `run ${id} ${fault}`)
  })
}

/** C3, as seen: what clients read one after the other can follow from each other, and an end is the stored end. */
export const checkObservations = (operations: readonly Operation[], records: Records): string[] => {
  const stored = new Map(records.results.map(({ run_id, status }) => [run_id, status]))
  const reads = operations
    .filter(isSuccess)
    .toSorted((a, b) => (a.answer?.at_ms ?? 0) - (b.answer?.at_ms ?? 0))
    .flatMap(({ at_ms, answer }) =>
      answer?.run_id && answer.run_status
        ? [{ id: answer.run_id, status: answer.run_status, sentAt: at_ms, heardAt: answer.at_ms }]
        : [],
    )
  return [...Map.groupBy(reads, ({ id }) => id)].flatMap(([id, seen]) =>
    seen.flatMap(({ status, sentAt }, at) => {
      // Of two calls under way at once either may have been answered first: only a finished one comes before.
      const before = seen.slice(0, at).findLast(({ heardAt }) => heardAt <= sentAt)
      const end = stored.get(toUuid(id))
      return [
        ...(before && !isReachable(before.status, status) ? [`run ${id} was ${before.status}, then ${status}`] : []),
        ...(isTerminal(status) && status !== end ? [`run ${id} was read as ${status} and is ${end ?? 'active'}`] : []),
      ]
    }),
  )
}

const faultsOfFeed = (feed: readonly Event[], status: string | undefined): string[] => {
  const ordered = feed.toSorted((a, b) => a.seq - b.seq)
  const gap = ordered.findIndex(({ seq }, at) => seq !== at + 1)
  const ends = ordered.filter(({ type }) => terminalEvents.has(type))
  const wanted = status === undefined ? 0 : 1
  const completed = ordered.filter(({ type }) => type === 'run.step.completed').map(({ step }) => step)
  return [
    ...(gap === -1 ? [] : [`has a gap in its feed before ${ordered[gap]?.seq}`]),
    ...(ordered[0]?.type === 'run.created' ? [] : ['does not begin with run.created']),
    ...(ends.length === wanted ? [] : [`has ${ends.length} terminal events instead of ${wanted}`]),
    ...ends
      .filter(({ type }) => terminalEvents.get(type) !== status)
      .map(({ type }) => `tells of ${type} and is ${status ?? 'active'}`),
    ...(ends.length > 0 && ordered.at(-1) !== ends[0] ? ['goes on after its end'] : []),
    ...(completed.every((step, at) => step === at + 1) ? [] : [`tells of its steps as ${completed.join(', ')}`]),
  ]
}

const isTerminal = (status: string): boolean => moves[status]?.length === 0

const isReachable = (from: string, to: string): boolean => {
  const seen = new Set([from])
  for (const status of seen) for (const next of moves[status] ?? []) seen.add(next)
  return seen.has(to)
}
