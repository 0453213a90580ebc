import { platformBounds } from '../bounds.ts'
import { Overloaded } from '../overload.ts'
import {
  type Batcher,
  type BatcherOptions,
  createBatcher,
  flushBatch,
  maxBatchBytes,
  maxWaiting,
  type Waiting,
} from './batcher.ts'
import { DatabaseBusy, DatabaseUnavailable, isLockTimeout } from './unavailable.ts'

/** An item and the group that it belongs to. */
export type Grouped<Item> = { readonly group: string; readonly item: Item }

export type SharedBatcherOptions<Item, Result> = BatcherOptions<Item, Result> & {
  /**
   * Flushes items of several groups. Returns one result per item, in the same order. An item without a result is flushed
   * again with items of its group only: it would have waited for a lock, or this flush cannot decide about it.
   */
  flushTogether(items: readonly Grouped<Item>[]): Promise<readonly (Result | undefined)[]>
  /** Whether an item may be in one flush with items of other groups. Undefined: each may. */
  mayShare?(item: Item, group: string): boolean
}

/** In all groups together. */
const maxWaitingInAll = platformBounds.allGroupsWaiting.count
/** A larger item is flushed with its group only, so that the others do not wait for it. */
const maxSharedBytes = platformBounds.sharedItem.bytes
/** Concurrent flushes. The second one starts only with a full batch: two half batches cost more than a full one. */
const maxFlushes = platformBounds.sharedFlushes.count
/** A flush that takes longer, because it waits for a lock, gives way: the other groups do not wait for it. */
const giveWayMs = 100
/** A group whose item has failed is flushed separately for this many items: a bad item costs the others one repeat. */
const itemsApart = 256
/** Groups that are remembered to be flushed separately. A forgotten one is detected again. */
const maxApart = platformBounds.groupsFlushedApart.count

type Group<Item, Result> = { name: string; waiting: Waiting<Item, Result>[]; isUnderWay: boolean }
type GroupItems<Item, Result> = { group: Group<Item, Result>; items: Waiting<Item, Result>[] }

/**
 * A batcher that also combines the items of several groups into one flush. The groups take turns, item by item, so that a
 * group with many items does not crowd out the others. A group is in one flush at a time. A flush that holds one group
 * only is the flush of that group.
 */
export const createSharedBatcher = <Item, Result>(
  options: SharedBatcherOptions<Item, Result>,
): Batcher<Item, Result> => {
  const { load } = options
  const maxInAll = load?.maxCommits ?? Number.POSITIVE_INFINITY
  const separate = createBatcher<Item, Result>(options)
  /** Groups with waiting items, in the order of their turns. */
  const groups = new Map<string, Group<Item, Result>>()
  /** Groups that are flushed separately, and for how many items still. */
  const apart = new Map<string, number>()
  /** `flushes`: those that others wait for. `inAll`: also those that have given way. */
  const counts = { waiting: 0, flushes: 0, inAll: 0, itemsUnderWay: 0 }
  let isScheduled = false

  const noteApart = (group: string): void => {
    if (apart.size >= maxApart) apart.delete(apart.keys().next().value as string)
    apart.set(group, itemsApart)
  }

  const isApart = (group: string): boolean => {
    const left = apart.get(group)
    if (left === undefined) return false
    if (left <= 1) apart.delete(group)
    else apart.set(group, left - 1)
    return true
  }

  const flushNext = (): void => {
    isScheduled = false
    while (counts.flushes < maxFlushes && counts.inAll < maxInAll) {
      const ready = readyGroups()
      if (ready.length === 0) return
      if (counts.flushes > 0 && !isFull(ready)) return
      const taken = takeTurns(ready, options)
      counts.waiting -= sizeOf(taken)
      void flushBatches(taken)
    }
  }

  const readyGroups = (): Group<Item, Result>[] => {
    const ready: Group<Item, Result>[] = []
    for (const group of groups.values()) {
      if (!group.isUnderWay && group.waiting.length > 0) ready.push(group)
      // More groups than items in a flush are never needed.
      if (ready.length === options.most) break
    }
    return ready
  }

  const isFull = (ready: readonly Group<Item, Result>[]): boolean =>
    ready.reduce((sum, { waiting }) => sum + waiting.length, 0) >= options.most

  const flushBatches = async (taken: readonly GroupItems<Item, Result>[]): Promise<void> => {
    const size = sizeOf(taken)
    counts.inAll++
    counts.itemsUnderWay += size
    const hold = holdOthers()
    for (const { group } of taken) {
      group.isUnderWay = true
      // The next turn is that of the others.
      groups.delete(group.name)
      groups.set(group.name, group)
    }
    const [only, another] = taken
    const { unavailable, repeats } =
      only && !another
        ? { unavailable: await flushBatch(only.group.name, only.items, options), repeats: [] }
        : await flushSeveral(taken)
    // Later callers would wait as long, so they are rejected too. A lock or a timeout concerns the group of the flush only.
    if (load && unavailable) rejectWaiting(unavailable, unavailable instanceof DatabaseBusy ? taken : undefined)
    hold.end()
    counts.inAll--
    counts.itemsUnderWay -= size
    for (const { group } of taken) if (!repeats.some((repeat) => repeat.group === group)) release(group)
    for (const repeat of repeats) void repeatSeparately(repeat)
    flushNext()
  }

  const holdOthers = (): { end(): void } => {
    let isHolding = true
    counts.flushes++
    const end = (): void => {
      clearTimeout(timer)
      if (isHolding) counts.flushes--
      isHolding = false
    }
    const timer = setTimeout(() => {
      end()
      flushNext()
    }, giveWayMs)
    return { end }
  }

  const flushSeveral = async (
    taken: readonly GroupItems<Item, Result>[],
  ): Promise<{ unavailable?: DatabaseUnavailable; repeats: readonly GroupItems<Item, Result>[] }> => {
    const rows = taken.flatMap(({ group, items }) => items.map((waiting) => ({ group: group.name, waiting })))
    const end = load?.begin(rows.length)
    try {
      const results = await options.flushTogether(rows.map(({ group, waiting: { item } }) => ({ group, item })))
      end?.('done')
      const left = new Set<Waiting<Item, Result>>()
      for (const [at, { waiting }] of rows.entries()) {
        const result = results[at]
        if (result === undefined) left.add(waiting)
        else waiting.resolve(result)
      }
      const repeats = taken.map(({ group, items }) => ({ group, items: items.filter((each) => left.has(each)) }))
      return { repeats: repeats.filter(({ items }) => items.length > 0) }
    } catch (error) {
      const isAway = error instanceof DatabaseUnavailable && !(error instanceof DatabaseBusy)
      const notAway = isBlocked(error) ? 'blocked' : 'done'
      end?.(isAway ? 'away' : notAway, error)
      // One item, or a lock that one of them waits for, must not fail the others.
      if (!isAway) return { repeats: taken }
      for (const { waiting } of rows) waiting.reject(error)
      return { unavailable: error, repeats: [] }
    }
  }

  /** No other flush waits for this one. */
  const repeatSeparately = async ({ group, items }: GroupItems<Item, Result>): Promise<void> => {
    const noted = items.map((waiting) => ({
      ...waiting,
      reject: (error: unknown) => {
        if (!(error instanceof DatabaseUnavailable) || error instanceof DatabaseBusy) noteApart(group.name)
        waiting.reject(error)
      },
    }))
    await flushBatch(group.name, noted, options)
    release(group)
    flushNext()
  }

  const release = (group: Group<Item, Result>): void => {
    group.isUnderWay = false
    if (group.waiting.length === 0) groups.delete(group.name)
  }

  const rejectWaiting = (error: DatabaseUnavailable, only?: readonly GroupItems<Item, Result>[]): void => {
    for (const group of only?.map((taken) => taken.group) ?? groups.values()) {
      const rejected = group.waiting.splice(0)
      counts.waiting -= rejected.length
      for (const { reject } of rejected) reject(error)
      if (!group.isUnderWay) groups.delete(group.name)
    }
  }

  /** How many items are flushed before the next one of a group: as many of each group as this one has, because they take turns. */
  const aheadOf = (own: number): number => {
    if (groups.size <= 1) return own
    let ahead = 0
    for (const { waiting } of groups.values()) ahead += Math.min(waiting.length, own + 1)
    return ahead
  }

  return (name, item) => {
    const bytes = options.bytesOf?.(item) ?? 0
    if (bytes > maxSharedBytes || options.mayShare?.(item, name) === false || isApart(name)) {
      return separate(name, item)
    }
    return new Promise((resolve, reject) => {
      const group = groups.get(name) ?? { name, waiting: [], isUnderWay: false }
      if (group.waiting.length >= maxWaiting || counts.waiting >= maxWaitingInAll) {
        return reject(new Overloaded('Too many wait for a commit'))
      }
      const waiting = aheadOf(group.waiting.length)
      if (load?.mustShed({ waiting, together: options.most * options.underWay, underWay: counts.itemsUnderWay })) {
        return reject(load.rejection('Those who wait already come first'))
      }
      groups.set(name, group)
      group.waiting.push({ item, bytes, resolve, reject })
      counts.waiting++
      if (isScheduled || (counts.flushes > 0 && counts.waiting < options.most)) return
      // Runs after this turn of the event loop, so that callers of the same turn share a flush.
      isScheduled = true
      setImmediate(flushNext)
    })
  }
}

const isBlocked = (error: unknown): boolean => error instanceof DatabaseBusy && isLockTimeout(error.cause)

const sizeOf = <Item, Result>(taken: readonly GroupItems<Item, Result>[]): number =>
  taken.reduce((sum, { items }) => sum + items.length, 0)

/** Takes one item of each group after the other, until the flush is full or no item fits. */
const takeTurns = <Item, Result>(
  groups: readonly Group<Item, Result>[],
  { most, keyOf }: BatcherOptions<Item, Result>,
): GroupItems<Item, Result>[] => {
  const turns = groups.map((group) => ({
    group,
    next: 0,
    keys: new Set<string>(),
    items: [] as Waiting<Item, Result>[],
  }))
  const all = { items: 0, bytes: 0 }
  const takeOne = (turn: (typeof turns)[number]): boolean => {
    while (turn.next < turn.group.waiting.length) {
      const waiting = turn.group.waiting[turn.next++] as Waiting<Item, Result>
      const key = keyOf?.(waiting.item)
      const fits = all.items === 0 || all.bytes + waiting.bytes <= maxBatchBytes
      if (!fits || (key !== undefined && turn.keys.has(key))) continue
      if (key !== undefined) turn.keys.add(key)
      turn.items.push(waiting)
      all.items++
      all.bytes += waiting.bytes
      return true
    }
    return false
  }
  let inTurn = turns
  while (all.items < most && inTurn.length > 0) inTurn = inTurn.filter((turn) => all.items < most && takeOne(turn))
  const taken = turns.filter(({ items }) => items.length > 0)
  for (const { group, items } of taken) {
    const gone = new Set(items)
    group.waiting = group.waiting.filter((each) => !gone.has(each))
  }
  return taken
}
