import { expect, test } from 'vitest'
import { platformBounds } from '../bounds.ts'
import { systemClock } from '../clock.ts'
import { createLoad, type Load, Overloaded } from '../overload.ts'
import { createSharedBatcher, type Grouped } from './shared-batcher.ts'
import { DatabaseBusy, DatabaseUnavailable } from './unavailable.ts'

const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

/** Doubles numbers. 13 is a bad row, 55 waits for a lock if it is not alone, 56 always, 77 cannot be decided together, 99 ends the connection. */
const doubling = (options: { most?: number; bytesOf?: (item: number) => number; load?: Load } = {}) => {
  const together: string[][] = []
  const separate: string[] = []
  const releases: (() => void)[] = []
  const gather = createSharedBatcher<number, number>({
    most: options.most ?? 4,
    underWay: 1,
    ...(options.bytesOf && { bytesOf: options.bytesOf }),
    ...(options.load && { load: options.load }),
    keyOf: (item) => String(item % 1000),
    flush: async (group, items) => {
      separate.push(`${group} ${items.join(' ')}`)
      await new Promise<void>((resolve) => releases.push(resolve))
      if (items.includes(13)) throw new Error('13 is a bad row')
      if (items.includes(56)) throw new DatabaseBusy('lock timeout')
      return items.map((item) => item * 2)
    },
    flushTogether: async (items: readonly Grouped<number>[]) => {
      together.push(items.map(({ group, item }) => `${group} ${item}`))
      await new Promise<void>((resolve) => releases.push(resolve))
      if (items.some(({ item }) => item === 13)) throw new Error('13 is a bad row')
      if (items.some(({ item }) => item === 55)) throw new DatabaseBusy('lock timeout')
      if (items.some(({ item }) => item === 99)) throw new DatabaseUnavailable('gone')
      return items.map(({ item }) => (item === 77 ? undefined : item * 2))
    },
  })
  const releaseAll = async (): Promise<void> => {
    for (let quiet = 0; quiet < 5; ) {
      const release = releases.shift()
      if (release) quiet = 0
      else quiet++
      release?.()
      await nextTurn()
    }
  }
  return { gather, together, separate, releases, releaseAll }
}

test('callers of several groups who come at the same time share a flush', async () => {
  const { gather, together, separate, releaseAll } = doubling()
  const results = Promise.all([gather('a', 1), gather('b', 2), gather('a', 3)])
  await releaseAll()
  expect(await results).toEqual([2, 4, 6])
  expect(together).toEqual([['a 1', 'a 3', 'b 2']])
  expect(separate).toEqual([])
})

test('a flush that holds one group only is the flush of that group', async () => {
  const { gather, together, separate, releaseAll } = doubling()
  const results = Promise.all([gather('a', 1), gather('a', 2)])
  await releaseAll()
  expect(await results).toEqual([2, 4])
  expect([together, separate]).toEqual([[], ['a 1 2']])
})

test('groups take turns, so that a group with many items does not crowd out the others', async () => {
  const { gather, together, releaseAll } = doubling()
  const results = Promise.all([
    ...[1, 2, 3, 4, 5, 6, 7, 8].map((item) => gather('many', item)),
    gather('b', 20),
    gather('c', 30),
    gather('d', 40),
  ])
  await releaseAll()
  expect(await results).toHaveLength(11)
  expect(together[0]).toEqual(['many 1', 'b 20', 'c 30', 'd 40'])
})

test('a group is in one flush at a time, and two items with one key are in different flushes', async () => {
  const { gather, together, separate, releaseAll } = doubling({ most: 8 })
  const results = Promise.all([gather('a', 1), gather('a', 1001), gather('b', 1)])
  await releaseAll()
  expect(await results).toEqual([2, 2002, 2])
  expect(together).toEqual([['a 1', 'b 1']])
  expect(separate).toEqual(['a 1001'])
})

test('a second flush starts beside the first only when it is full (platformBounds.sharedFlushes)', async () => {
  const { gather, together, releaseAll } = doubling({ most: 2 })
  const results = [gather('a', 1), gather('b', 2)]
  await nextTurn()
  results.push(gather('c', 3))
  await nextTurn()
  expect(together).toHaveLength(1)
  results.push(gather('d', 4), gather('e', 5))
  await nextTurn()
  expect(together).toEqual([
    ['a 1', 'b 2'],
    ['c 3', 'd 4'],
  ])
  await releaseAll()
  expect(await Promise.all(results)).toEqual([2, 4, 6, 8, 10])
})

test('a bad item costs the others one repeat, and its group is flushed separately from then on', async () => {
  const { gather, together, separate, releaseAll } = doubling()
  const first = Promise.allSettled([gather('a', 1), gather('bad', 13), gather('c', 3)])
  await releaseAll()
  expect((await first).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(separate).toEqual(['a 1', 'bad 13', 'c 3'])
  const next = Promise.allSettled([gather('a', 1), gather('bad', 13), gather('c', 3)])
  await releaseAll()
  await next
  expect(together.at(-1)).toEqual(['a 1', 'c 3'])
})

test('of more groups with bad items than platformBounds.groupsFlushedApart the first ones share flushes again', async () => {
  const { count } = platformBounds.groupsFlushedApart
  const together: string[][] = []
  const gather = createSharedBatcher<number, number>({
    ...{ most: 500, underWay: 1 },
    flush: async (_, items) => {
      if (items.includes(13)) throw new Error('13 is a bad row')
      return [...items]
    },
    flushTogether: async (items) => {
      together.push(items.map(({ group }) => group))
      if (items.some(({ item }) => item === 13)) throw new Error('13 is a bad row')
      return items.map(({ item }) => item)
    },
  })
  // A flush of one group says nothing about the others, so the last one has two.
  for (let from = 0; from < count + 2; from += 500)
    await Promise.allSettled(
      Array.from({ length: Math.min(500, count + 2 - from) }, (_, n) => gather(`group ${from + n}`, 13)),
    )
  together.length = 0
  await Promise.all(['group 0', 'group 2', 'good'].map((group) => gather(group, 1)))
  expect(together).toEqual([['group 0', 'good']])
})

test('a flush that met a lock is repeated, each group separately', async () => {
  const { gather, separate, releaseAll } = doubling()
  const results = Promise.all([gather('a', 1), gather('b', 55)])
  await releaseAll()
  expect(await results).toEqual([2, 110])
  expect(separate).toEqual(['a 1', 'b 55'])
})

test('an item that cannot be decided together is flushed with its group, and no other waits for that', async () => {
  const { gather, together, separate, releases, releaseAll } = doubling()
  const undecided = gather('slow', 77)
  const decided = gather('b', 2)
  await nextTurn()
  releases.shift()?.()
  expect(await decided).toBe(4)
  // The repeat of `slow` is under way, and other groups go on.
  const others = Promise.all([gather('b', 3), gather('c', 4)])
  await nextTurn()
  expect(together.at(-1)).toEqual(['b 3', 'c 4'])
  await releaseAll()
  expect(await undecided).toBe(154)
  expect(await others).toEqual([6, 8])
  expect(separate).toEqual(['slow 77'])
})

test('other groups do not wait for a flush that takes long', async () => {
  const { gather, together, separate, releases, releaseAll } = doubling()
  const slow = gather('slow', 1)
  await nextTurn()
  expect(separate).toEqual(['slow 1'])
  const others = Promise.all([gather('b', 2), gather('c', 3)])
  const ofSlow = gather('slow', 4)
  await expect.poll(() => together).toEqual([['b 2', 'c 3']])
  releases.pop()?.()
  expect(await others).toEqual([4, 6])
  await releaseAll()
  expect(await Promise.all([slow, ofSlow])).toEqual([2, 8])
})

test('an unavailable database fails all items of the flush at once, without a repeat', async () => {
  const { gather, separate, releaseAll } = doubling()
  const results = Promise.allSettled([gather('a', 1), gather('b', 99)])
  await releaseAll()
  expect((await results).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(separate).toEqual([])
})

test('callers of one group who wait behind a lock are rejected with it, and those of other groups are served', async () => {
  const load: Load = {
    maxCommits: 4,
    mustShed: () => false,
    rejection: (message) => new Overloaded(message),
    begin: () => () => undefined,
    close: () => undefined,
  }
  const { gather, together, releaseAll } = doubling({ load })
  const locked = Promise.allSettled([gather('locked', 56)])
  await nextTurn()
  const rest = Promise.allSettled([gather('locked', 1), gather('b', 2), gather('c', 3)])
  await releaseAll()
  const statuses = [...(await locked), ...(await rest)].map(({ status }) => status)
  expect(statuses).toEqual(['rejected', 'rejected', 'fulfilled', 'fulfilled'])
  expect(together).toEqual([['b 2', 'c 3']])
})

test('a large item is flushed with its group only (platformBounds.sharedItem)', async () => {
  const { gather, together, separate, releaseAll } = doubling({ bytesOf: (item) => (item === 5 ? 1_000_000 : 10) })
  const results = Promise.all([gather('a', 5), gather('b', 2), gather('c', 3)])
  await releaseAll()
  expect(await results).toEqual([10, 4, 6])
  expect(together).toEqual([['b 2', 'c 3']])
  expect(separate).toEqual(['a 5'])
})

test('a group beyond its limit of waiting items is rejected, and the others are not', async () => {
  const { gather, releaseAll } = doubling()
  const crowd = Promise.allSettled(Array.from({ length: 2_003 }, (_, item) => gather('many', item + 100_000)))
  const other = gather('b', 2)
  await releaseAll()
  const refused = (await crowd).filter(({ status }) => status === 'rejected')
  expect(refused).toHaveLength(3)
  expect((refused[0] as PromiseRejectedResult).reason).toBeInstanceOf(Overloaded)
  expect(await other).toBe(4)
})

test('all groups together hold as many waiting items as their row allows, and the next one is rejected', async () => {
  const { gather, releaseAll } = doubling({ most: platformBounds.groupWaiting.count })
  const groups = platformBounds.allGroupsWaiting.count / platformBounds.groupWaiting.count
  const waiting = Array.from({ length: platformBounds.allGroupsWaiting.count }, (_, at) =>
    gather(`${at % groups}`, 100 + at),
  )
  await expect(gather('last', 1)).rejects.toThrow(Overloaded)
  await releaseAll()
  expect(await Promise.all(waiting)).toHaveLength(platformBounds.allGroupsWaiting.count)
})

test('a flush of several groups that meets a lock does not count as a commit, and the database does not count as away', async () => {
  const load = createLoad(systemClock, { maxCommits: 10 })
  const outcomes: string[] = []
  const cause = Object.assign(new Error('canceling statement due to lock timeout'), { code: '55P03' })
  const busy = new DatabaseBusy('The database did not finish the statement', { cause })
  let flushes = 0
  const gather = createSharedBatcher<number, number>({
    most: 4,
    underWay: 1,
    load: { ...load, begin: () => (outcome) => outcomes.push(outcome) },
    flush: async (_group, items) => {
      if (flushes++ < 2) throw busy
      return items
    },
    flushTogether: () => Promise.reject(busy),
  })
  expect(await Promise.all([gather('a', 1), gather('b', 2)])).toEqual([1, 2])
  expect(outcomes).toEqual(['blocked', 'blocked', 'blocked', 'done', 'done'])
  load.close()
})
