import { type Load, Overloaded } from '../overload.ts'
import { DatabaseUnavailable } from './unavailable.ts'

/**
 * Puts the rows of callers that come at the same time into one statement and one commit. Whoever comes while nothing is
 * under way goes at once; the others go together with the next. So an idle service is as quick as without it, and a
 * busy one pays for a commit once per handful of callers.
 */
export type Gather<Item, Result> = (group: string, item: Item) => Promise<Result>

export type GatherOptions<Item, Result> = {
  /** Answers one result per item, in the same order. */
  flush(group: string, items: readonly Item[]): Promise<readonly Result[]>
  /** Items of one flush at the most. */
  most: number
  /** Flushes of one group under way at the same time. */
  underWay: number
  /** Two items of the same key are never in one flush; undefined: it does not matter. */
  keyOf?(item: Item): string | undefined
  /** Says when a newcomer is told at once that it would be served too late, and how many flushes there may be in all. */
  load?: Load
}

/** A group that has so many waiting takes no more: better told at once than served too late. */
const waitingMost = 2_000

type Waiting<Item, Result> = { item: Item; resolve(result: Result): void; reject(error: unknown): void }
type Group<Item, Result> = { waiting: Waiting<Item, Result>[]; underWay: number; itemsUnderWay: number }

export const createGather = <Item, Result>(options: GatherOptions<Item, Result>): Gather<Item, Result> => {
  const { load } = options
  const allUnderWay = load?.commitsMost ?? Number.POSITIVE_INFINITY
  const groups = new Map<string, Group<Item, Result>>()
  /** Groups that may not begin because too many others are under way, in the order in which they asked. */
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
      // Those behind it would wait as long again, and be told the same.
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
      if (group.waiting.length >= waitingMost) return reject(new Overloaded('Too many wait for a commit'))
      const together = options.most * options.underWay
      if (load?.mustShed({ waiting: group.waiting.length, together, underWay: group.itemsUnderWay })) {
        return reject(new Overloaded('Those who wait already come first'))
      }
      groups.set(name, group)
      group.waiting.push({ item, resolve, reject })
      // After this turn of the event loop: callers of the same turn go together.
      if (group.waiting.length === 1) setImmediate(flushNext, name, group)
    })
}

const takeBatch = <Item, Result>(
  group: Group<Item, Result>,
  { most, keyOf }: GatherOptions<Item, Result>,
): Waiting<Item, Result>[] => {
  const keys = new Set<string>()
  const batch: Waiting<Item, Result>[] = []
  const left: Waiting<Item, Result>[] = []
  for (const waiting of group.waiting) {
    const key = keyOf?.(waiting.item)
    const fits = batch.length < most && (key === undefined || !keys.has(key))
    if (fits && key !== undefined) keys.add(key)
    if (fits) batch.push(waiting)
    else left.push(waiting)
  }
  group.waiting = left
  return batch
}

/** Answers why the database could not be asked, if it could not. It never rejects: whoever waits is told. */
const flushBatch = async <Item, Result>(
  name: string,
  batch: readonly Waiting<Item, Result>[],
  options: GatherOptions<Item, Result>,
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
    end?.(error instanceof DatabaseUnavailable ? 'away' : 'done')
    if (error instanceof DatabaseUnavailable || batch.length === 1) {
      for (const { reject } of batch) reject(error)
      return error instanceof DatabaseUnavailable ? error : undefined
    }
    // One bad row must not cost the others theirs: each goes alone, and the bad one fails alone.
    await Promise.all(batch.map((waiting) => flushBatch(name, [waiting], options)))
  }
  return undefined
}
