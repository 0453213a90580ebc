import { expect, test } from 'vitest'
import { platformBounds } from '../bounds.ts'
import { systemClock } from '../clock.ts'
import { createLoad, type Load, Overloaded } from '../overload.ts'
import { createBatcher } from './batcher.ts'
import { DatabaseBusy, DatabaseUnavailable } from './unavailable.ts'

/** As Postgres reports a statement that took too long. */
const timeout = Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' })

const doubling = (
  options: { keyOf?: (item: number) => string; bytesOf?: (item: number) => number; load?: Load } = {},
) => {
  const batches: { group: string; items: readonly number[] }[] = []
  const releases: (() => void)[] = []
  const gather = createBatcher<number, number>({
    most: 4,
    underWay: 1,
    ...options,
    flush: async (group, items) => {
      batches.push({ group, items })
      await new Promise<void>((resolve) => releases.push(resolve))
      if (items.includes(13)) throw new Error('13 is a bad row')
      if (items.includes(99)) throw new DatabaseUnavailable('gone')
      if (items.includes(57) && items.length > 1) throw new DatabaseUnavailable('slow', { cause: timeout })
      return items.map((item) => item * 2)
    },
  })
  const releaseAll = async (): Promise<void> => {
    for (let quiet = 0; quiet < 5; ) {
      const release = releases.shift()
      if (release) quiet = 0
      else quiet++
      release?.()
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  return { gather, batches, releaseAll }
}

test('a single caller is flushed at once, and concurrent callers are flushed together up to the limit', async () => {
  const { gather, batches, releaseAll } = doubling()
  const first = gather('a', 1)
  await new Promise((resolve) => setImmediate(resolve))
  const rest = [2, 3, 4, 5, 6].map((item) => gather('a', item))
  await releaseAll()
  expect(await Promise.all([first, ...rest])).toEqual([2, 4, 6, 8, 10, 12])
  expect(batches.map(({ items }) => items)).toEqual([[1], [2, 3, 4, 5], [6]])
})

test('groups are not mixed and do not wait for each other', async () => {
  const { gather, batches, releaseAll } = doubling()
  const results = Promise.all([gather('a', 1), gather('b', 2), gather('a', 3)])
  await releaseAll()
  expect(await results).toEqual([2, 4, 6])
  expect(batches).toEqual([
    { group: 'a', items: [1, 3] },
    { group: 'b', items: [2] },
  ])
})

test('an invalid row fails alone', async () => {
  const { gather, releaseAll } = doubling()
  const results = Promise.allSettled([gather('a', 1), gather('a', 13), gather('a', 3)])
  await releaseAll()
  expect((await results).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
})

test('an unavailable database fails all items at once, without a retry for each', async () => {
  const { gather, batches, releaseAll } = doubling()
  const results = Promise.allSettled([gather('a', 1), gather('a', 99)])
  await releaseAll()
  expect((await results).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(batches).toHaveLength(1)
})

test('two items with the same key are never in one statement', async () => {
  const { gather, batches, releaseAll } = doubling({ keyOf: (item) => String(item % 10) })
  const results = Promise.all([gather('a', 1), gather('a', 11), gather('a', 2)])
  await releaseAll()
  expect(await results).toEqual([2, 22, 4])
  expect(batches.map(({ items }) => items)).toEqual([[1, 2], [11]])
})

test('items beyond the queue limit are rejected at once as unavailable', async () => {
  const { gather, releaseAll } = doubling()
  const results = Promise.allSettled(Array.from({ length: 2_010 }, (_, item) => gather('a', (item % 9) + 100)))
  await releaseAll()
  const refused = (await results).filter(({ status }) => status === 'rejected')
  expect(refused).toHaveLength(10)
  expect((refused[0] as PromiseRejectedResult).reason).toBeInstanceOf(DatabaseUnavailable)
})

test('callers that would be served too late are rejected at once, and waiting callers are served', async () => {
  const load = createLoad(systemClock, { maxCommits: 10 })
  const { gather, batches, releaseAll } = doubling({ load: { ...load, mustShed: ({ waiting }) => waiting >= 4 } })
  const results = Promise.allSettled([1, 2, 3, 4, 5, 6].map((item) => gather('a', item)))
  await releaseAll()
  expect((await results).map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
    'fulfilled',
    'fulfilled',
    'rejected',
    'rejected',
  ])
  expect(batches).toEqual([{ group: 'a', items: [1, 2, 3, 4] }])
  await expect(results.then(([, , , , fifth]) => (fifth as PromiseRejectedResult).reason)).resolves.toBeInstanceOf(
    Overloaded,
  )
  load.close()
})

test('with many groups some connections stay free for others, and every group is served', async () => {
  const load = createLoad(systemClock, { maxCommits: 2 })
  let [underWay, most] = [0, 0]
  const gather = createBatcher<number, number>({
    most: 4,
    underWay: 1,
    load,
    flush: async (_group, items) => {
      most = Math.max(most, ++underWay)
      await new Promise((resolve) => setImmediate(resolve))
      underWay--
      return items
    },
  })
  const names = Array.from({ length: 20 }, (_, n) => `group ${n}`)
  const results = await Promise.all([...names, ...names].map((name, n) => gather(name, n)))
  expect(results).toEqual(Array.from({ length: 40 }, (_, n) => n))
  expect(most).toBe(2)
  load.close()
})

test('when the database is unavailable, the callers behind the failed flush fail too', async () => {
  const load = createLoad(systemClock, { maxCommits: 10 })
  const { gather, batches, releaseAll } = doubling({ load })
  const first = gather('a', 99)
  await new Promise((resolve) => setImmediate(resolve))
  const results = Promise.allSettled([first, gather('a', 1), gather('a', 2)])
  await releaseAll()
  expect((await results).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  expect(batches).toEqual([{ group: 'a', items: [99] }])
  load.close()
})

test('a batch is bounded in bytes, and a larger item is flushed alone', async () => {
  const mebibytes = (item: number) => (item * platformBounds.flush.bytes) / 4
  const { gather, batches, releaseAll } = doubling({ bytesOf: mebibytes })
  const results = Promise.all([1, 2, 1, 9, 1, 3].map((item) => gather('a', item)))
  await releaseAll()
  expect(await results).toEqual([2, 4, 2, 18, 2, 6])
  expect(batches.map(({ items }) => items)).toEqual([[1, 2, 1], [9], [1, 3]])
})

test('small items pass a large one that does not fit', async () => {
  const { gather, batches, releaseAll } = doubling({ bytesOf: (item) => (item === 5 ? platformBounds.flush.bytes : 1) })
  const results = Promise.all([1, 5, 2].map((item) => gather('a', item)))
  await releaseAll()
  await results
  expect(batches.map(({ items }) => items)).toEqual([[1, 2], [5]])
})

test('a batch that exceeds the statement timeout is split where items can be large, except under a load, whose callers try again', async () => {
  const large = doubling({ bytesOf: () => 1 })
  const split = Promise.all([large.gather('a', 1), large.gather('a', 57)])
  await large.releaseAll()
  expect(await split).toEqual([2, 114])
  const load = createLoad(systemClock, { maxCommits: 10 })
  for (const whole of [doubling(), doubling({ bytesOf: () => 1, load })]) {
    const failed = Promise.allSettled([whole.gather('a', 1), whole.gather('a', 57)])
    await whole.releaseAll()
    expect((await failed).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  }
  load.close()
})

test('a group with as many waiting items as its row allows rejects the next one, and other groups are served', async () => {
  const { gather, releaseAll } = doubling()
  const waiting = Array.from({ length: platformBounds.groupWaiting.count }, (_, at) => gather('a', 100 + at))
  await expect(gather('a', 2)).rejects.toThrow(Overloaded)
  const other = gather('b', 3)
  await releaseAll()
  expect(await other).toBe(6)
  expect(await Promise.all(waiting)).toHaveLength(platformBounds.groupWaiting.count)
})

/** As Postgres reports a lock that somebody held for longer than the lock timeout. */
const lockTimeout = new DatabaseBusy('The database did not finish the statement', {
  cause: Object.assign(new Error('canceling statement due to lock timeout'), { code: '55P03' }),
})

/** Its first flushes meet a lock. */
const locked = (times: number, load: Load) => {
  const outcomes: string[] = []
  let flushes = 0
  const gather = createBatcher<number, number>({
    most: 4,
    underWay: 1,
    load: {
      ...load,
      begin: (items) => {
        const end = load.begin(items)
        return (outcome, error) => {
          outcomes.push(outcome)
          end(outcome, error)
        }
      },
    },
    flush: async (_group, items) => {
      if (flushes++ < times) throw lockTimeout
      return items.map((item) => item * 2)
    },
  })
  return { gather, outcomes, flushes: () => flushes }
}

test('a flush that meets a lock is tried again, and the database does not count as away', async () => {
  const load = createLoad(systemClock, { maxCommits: 10 })
  const { gather, outcomes } = locked(2, load)
  expect(await Promise.all([1, 2, 3].map((item) => gather('a', item)))).toEqual([2, 4, 6])
  expect(outcomes).toEqual(['blocked', 'blocked', 'done'])
  load.close()
})

test('a flush that meets a lock as often as its row allows fails, and the next caller is served', async () => {
  const load = createLoad(systemClock, { maxCommits: 10 })
  const { gather, flushes } = locked(platformBounds.lockedFlush.count, load)
  await expect(gather('a', 1)).rejects.toBe(lockTimeout)
  expect(flushes()).toBe(platformBounds.lockedFlush.count)
  // Nobody is turned away because the last commit failed.
  expect(load.mustShed({ waiting: 1, together: 4, underWay: 1 })).toBe(false)
  expect(await gather('a', 2)).toBe(4)
  load.close()
})

test('callers who are not even tried while the database is away are told why it is', async () => {
  const load = createLoad(systemClock, { maxCommits: 10 })
  const full = Object.assign(new Error('could not extend file: No space left on device'), { code: '53100' })
  const releases: (() => void)[] = []
  const gather = createBatcher<number, number>({
    most: 4,
    underWay: 1,
    load,
    flush: async () => {
      await new Promise<void>((resolve) => releases.push(resolve))
      throw new DatabaseBusy('The database did not finish the statement', { cause: full })
    },
  })
  const whyOf = (calling: Promise<number>) => calling.catch((error: DatabaseUnavailable) => error.why)
  const first = whyOf(gather('a', 1))
  await new Promise((resolve) => setImmediate(resolve))
  releases.shift()?.()
  expect(await first).toBe('disk_full')
  const probe = whyOf(gather('a', 2))
  await new Promise((resolve) => setImmediate(resolve))
  const turnedAway = gather('a', 3)
  await expect(turnedAway).rejects.toBeInstanceOf(Overloaded)
  expect(await whyOf(turnedAway)).toBe('disk_full')
  releases.shift()?.()
  expect(await probe).toBe('disk_full')
  load.close()
})
