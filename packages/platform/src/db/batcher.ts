import { platformBounds } from '../bounds.ts'
import { type CommitOutcome, type Load, Overloaded } from '../overload.ts'
import { reasonOf } from './pool-health.ts'
import { DatabaseUnavailable, isLockTimeout, OrganisationClosed } from './unavailable.ts'

/**
 * Combines the rows of concurrent callers into one statement and one commit. A caller that finds no flush in flight
 * starts at once; later callers share the next flush. An idle service has no extra latency, and a busy one pays for one
 * commit per batch.
 */
export type Batcher<Item, Result> = (group: string, item: Item) => Promise<Result>

export type BatcherOptions<Item, Result> = {
  /** Returns one result per item, in the same order. */
  flush(group: string, items: readonly Item[]): Promise<readonly Result[]>
  /** The maximum number of items in one flush. */
  most: number
  /** Concurrent flushes of one group. */
  underWay: number
  /**
   * The bytes of an item, about. A flush holds at most `maxBatchBytes`, and a larger item is flushed alone: one statement
   * with many large results would block the event loop and exceed the statement timeout. Undefined: items are small.
   */
  bytesOf?(item: Item): number
  /** Two items with the same key are never in one flush. Undefined: no restriction. */
  keyOf?(item: Item): string | undefined
  /**
   * Decides when a new caller is rejected because it would be served too late, and limits concurrent flushes in total.
   */
  load?: Load
}

/** A group with this many waiting items rejects new ones: an early rejection is better than a late response. */
export const maxWaiting = platformBounds.groupWaiting.count

export const maxBatchBytes = platformBounds.flush.bytes

/** A flush that met a lock has written nothing and is tried again: a migration holds its locks for a moment. */
const maxTries = platformBounds.lockedFlush.count

export type Waiting<Item, Result> = {
  item: Item
  bytes: number
  resolve(result: Result): void
  reject(error: unknown): void
}
type Group<Item, Result> = { waiting: Waiting<Item, Result>[]; underWay: number; itemsUnderWay: number }

export const createBatcher = <Item, Result>(options: BatcherOptions<Item, Result>): Batcher<Item, Result> => {
  const { load } = options
  const allUnderWay = load?.maxCommits ?? Number.POSITIVE_INFINITY
  const groups = new Map<string, Group<Item, Result>>()
  /** Groups that wait for a flush slot, in order. */
  const queued = new Set<string>()
  let inAll = 0

  const flushNext = (name: string, group: Group<Item, Result>): void => {
    if (group.waiting.length === 0) {
      if (group.underWay === 0) groups.delete(name)
      return
    }
    if (group.underWay >= options.underWay) return
    if (inAll >= allUnderWay) return void queued.add(name)
    const batch = takeBatch(group, options)
    group.underWay++
    group.itemsUnderWay += batch.length
    inAll++
    void flushBatch(name, batch, options).then((unavailable) => {
      // Later callers would wait as long, so they are rejected too.
      if (load && unavailable) for (const { reject } of group.waiting.splice(0)) reject(unavailable)
      group.underWay--
      group.itemsUnderWay -= batch.length
      inAll--
      flushQueued()
      flushNext(name, group)
    })
    flushNext(name, group)
  }

  const flushQueued = (): void => {
    const [next] = queued
    if (next === undefined) return
    queued.delete(next)
    const group = groups.get(next)
    if (group) flushNext(next, group)
  }

  return (name, item) =>
    new Promise((resolve, reject) => {
      const group = groups.get(name) ?? { waiting: [], underWay: 0, itemsUnderWay: 0 }
      if (group.waiting.length >= maxWaiting) return reject(new Overloaded('Too many wait for a commit'))
      const together = options.most * options.underWay
      if (load?.mustShed({ waiting: group.waiting.length, together, underWay: group.itemsUnderWay })) {
        return reject(load.rejection('Those who wait already come first'))
      }
      groups.set(name, group)
      group.waiting.push({ item, bytes: options.bytesOf?.(item) ?? 0, resolve, reject })
      // Runs after this turn of the event loop, so that callers of the same turn share a flush.
      if (group.waiting.length === 1) setImmediate(flushNext, name, group)
    })
}

const takeBatch = <Item, Result>(
  group: Group<Item, Result>,
  { most, keyOf }: BatcherOptions<Item, Result>,
): Waiting<Item, Result>[] => {
  const keys = new Set<string>()
  const batch: Waiting<Item, Result>[] = []
  const left: Waiting<Item, Result>[] = []
  let bytes = 0
  for (const waiting of group.waiting) {
    const key = keyOf?.(waiting.item)
    const isSmallEnough = batch.length === 0 || bytes + waiting.bytes <= maxBatchBytes
    const fits = batch.length < most && isSmallEnough && (key === undefined || !keys.has(key))
    if (fits) bytes += waiting.bytes
    if (fits && key !== undefined) keys.add(key)
    if (fits) batch.push(waiting)
    else left.push(waiting)
  }
  group.waiting = left
  return batch
}

/** Returns why the database was unavailable, if it was. Never rejects: the error goes to the waiting callers. */
export const flushBatch = async <Item, Result>(
  name: string,
  batch: readonly Waiting<Item, Result>[],
  options: BatcherOptions<Item, Result>,
  attempt = 1,
): Promise<DatabaseUnavailable | undefined> => {
  const end = options.load?.begin(batch.length)
  try {
    const results = await options.flush(
      name,
      batch.map(({ item }) => item),
    )
    end?.('done')
    for (const [at, { resolve }] of batch.entries()) resolve(results[at] as Result)
  } catch (error) {
    const outcome = outcomeOf(error)
    end?.(outcome, error)
    if (outcome === 'blocked' && attempt < maxTries) return flushBatch(name, batch, options, attempt + 1)
    // With a load, a database that is too slow means less work: its callers try again later.
    const isTooMuch = options.bytesOf !== undefined && !options.load && isStatementTimeout(error)
    if ((error instanceof DatabaseUnavailable && !isTooMuch) || batch.length === 1) {
      for (const { reject } of batch) reject(error)
      return error instanceof DatabaseUnavailable ? error : undefined
    }
    // One invalid row must not fail the others, and a batch may be too much for one statement: each item is retried alone.
    await Promise.all(batch.map((waiting) => flushBatch(name, [waiting], options)))
  }
  return undefined
}

const outcomeOf = (error: unknown): CommitOutcome => {
  if (!(error instanceof DatabaseUnavailable) || error instanceof OrganisationClosed) return 'done'
  return isLockTimeout(error.cause) ? 'blocked' : 'away'
}

const isStatementTimeout = (error: unknown): boolean =>
  error instanceof DatabaseUnavailable && reasonOf(error.cause) === 'statement_timeout'
