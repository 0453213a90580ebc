import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { DatabaseUnavailable } from '../db/unavailable.ts'
import { createLog } from '../log/log.ts'
import { createWorkLoop } from './loop.ts'
import { type ClaimAsk, type ClaimedItem, type Outcome, type Turn, usualBounds, type WorkBounds } from './queue.ts'
import { pauseMsOf } from './turn.ts'

const log = createLog({ level: 'silent' })

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

type Row = ClaimedItem & { isDue: boolean }
type Under = { item: ClaimedItem; turn: Turn; end(outcome: Outcome): void; fail(error: Error): void }

const rowOf = (org: string, id: string, tries = 0): Row => ({ org, id, claim: '1', tries, lagMs: 0, isDue: true })

/** A queue in memory. Turns end when the test says so. */
const openWorld = (rows: Row[], bounds: Partial<WorkBounds> = {}) => {
  let nowMs = 0
  const asks: ClaimAsk[] = []
  const renewed: string[][] = []
  const back: { id: string; afterMs: number; tries: number }[] = []
  const buried: string[] = []
  const ends: string[] = []
  const underWay = new Map<string, Under>()
  const lost = new Set<string>()
  let fault: Error | undefined
  const loop = createWorkLoop<ClaimedItem>(
    {
      name: 'rows',
      claim: async (ask) => {
        asks.push(ask)
        if (fault) throw fault
        const full = ask.uses.filter(({ places }) => places >= ask.perOrg).map(({ org }) => org)
        const due = rows.filter(({ isDue, org }) => isDue && !full.includes(org))
        const items = due.slice(0, ask.count)
        for (const row of items) row.isDue = false
        return { items, isMore: due.length > items.length }
      },
      renew: async (items) => {
        renewed.push(items.map(({ id }) => id))
        return new Set(items.map(({ id }) => id).filter((id) => !lost.has(id)))
      },
      work: (item, turn) =>
        new Promise((resolve, reject) => underWay.set(item.id, { item, turn, end: resolve, fail: reject })),
      giveBack: async ({ id }, { afterMs, tries }) => void back.push({ id, afterMs, tries }),
      bury: async ({ id }) => void buried.push(id),
    },
    { ...usualBounds, places: 4, keptPlaces: 1, perOrg: 2, ...bounds },
    {
      clock: { now: () => new Date(nowMs), monotonicMs: () => nowMs },
      log,
      metrics: { onTurn: (_, end) => void ends.push(end) },
    },
  )
  loop.start()
  onTestFinished(() => loop.drain())
  const pass = async (ms: number): Promise<void> => {
    for (let left = ms; left > 0; left -= 1_000) {
      nowMs += Math.min(left, 1_000)
      await vi.advanceTimersByTimeAsync(Math.min(left, 1_000))
    }
  }
  const settle = () => vi.advanceTimersByTimeAsync(0)
  const at = (id: string): Under => {
    const found = underWay.get(id)
    if (!found) throw new Error(`${id} was not claimed`)
    return found
  }
  const end = async (id: string, outcome: Outcome = { kind: 'done' }): Promise<void> => {
    at(id).end(outcome)
    underWay.delete(id)
    await settle()
  }
  const fails = async (id: string, error: Error): Promise<void> => {
    at(id).fail(error)
    await settle()
  }
  const setFault = (error: Error | undefined): void => {
    fault = error
  }
  return { loop, asks, renewed, back, buried, ends, underWay, lost, pass, settle, at, end, fails, setFault, rows }
}

test('a place that becomes free is filled at once, while the other turns go on', async () => {
  const rows = ['a', 'b', 'c', 'd', 'e'].map((org) => rowOf(org, `${org}1`))
  const world = openWorld(rows)
  await world.settle()
  expect([...world.underWay.keys()]).toEqual(['a1', 'b1', 'c1', 'd1'])
  await world.end('c1')
  expect([...world.underWay.keys()]).toEqual(['a1', 'b1', 'd1', 'e1'])
})

test('an organisation that has all its places gets the next item as soon as one of them is free', async () => {
  const world = openWorld([rowOf('a', 'a1'), rowOf('a', 'a2')])
  await world.settle()
  world.rows.push(rowOf('a', 'a3'))
  world.loop.nudge()
  await world.settle()
  expect([...world.underWay.keys()]).toEqual(['a1', 'a2'])
  await world.end('a1')
  expect([...world.underWay.keys()]).toEqual(['a2', 'a3'])
})

test('a claim says which organisations used much lately, and leaves the kept places to the others', async () => {
  const world = openWorld([rowOf('slow', 's1'), rowOf('slow', 's2')])
  await world.settle()
  await world.pass(2_000)
  expect(world.asks.at(-1)).toMatchObject({ count: 2, heavyCount: 1, perOrg: 2 })
  expect(world.asks.at(-1)?.uses).toEqual([
    { org: 'slow', places: 2, usedMs: expect.any(Number), isHeavy: true, isResting: false },
  ])
  await world.end('s1')
  await world.end('s2')
  await world.pass(1_000)
  expect(world.asks.at(-1)?.uses).toMatchObject([{ org: 'slow', places: 0, isHeavy: true }])
  // Use is forgotten: half of it each minute.
  await world.pass(20 * 60_000)
  expect(world.asks.at(-1)?.uses).toEqual([])
})

test('the leases of all items are prolonged together, and a turn ends when its item is lost (platformBounds.workLease)', async () => {
  const world = openWorld([rowOf('a', 'a1'), rowOf('b', 'b1')], { turnMs: 20_000 })
  await world.settle()
  await world.pass(10_000)
  expect(world.renewed).toEqual([['a1', 'b1']])
  world.lost.add('a1')
  await world.pass(10_000)
  expect([world.at('a1').turn.signal.aborted, world.at('b1').turn.signal.aborted]).toEqual([true, false])
  await world.fails('a1', new Error('aborted'))
  expect([world.ends, world.back]).toEqual([['lost'], []])
})

test('a turn that takes too long is aborted, counts as a failure, and loses its place even if it goes on (platformBounds.turn, platformBounds.turnLengths)', async () => {
  const world = openWorld([rowOf('a', 'a1')])
  await world.settle()
  await world.pass(5_000)
  expect(world.at('a1').turn.mayGoOn()).toBe(false)
  expect(world.at('a1').turn.signal.aborted).toBe(false)
  await world.pass(10_000)
  expect(world.at('a1').turn.signal.aborted).toBe(true)
  expect(world.loop.isIdle()).toBe(false)
  await world.pass(5_000)
  expect(world.back).toEqual([{ id: 'a1', afterMs: pauseMsOf(1), tries: 1 }])
  expect([world.ends, world.loop.isIdle()]).toEqual([['failed'], true])
})

test('an item that fails five times in a row is ended (platformBounds.workTries)', async () => {
  const world = openWorld([rowOf('a', 'a1', 3), rowOf('b', 'b1', 4)])
  await world.settle()
  await world.fails('a1', new Error('poison'))
  await world.fails('b1', new Error('poison'))
  expect([world.back, world.buried]).toEqual([[{ id: 'a1', afterMs: 8_000, tries: 4 }], ['b1']])
  expect(world.ends).toEqual(['failed', 'buried'])
})

test('a turn without progress counts, progress forgets what was before, and an outage or a wait counts nothing', async () => {
  const world = openWorld(['a', 'b', 'c', 'd'].map((org) => rowOf(org, `${org}1`, 2)))
  await world.settle()
  await world.end('a1', { kind: 'again', progressed: false })
  await world.end('b1', { kind: 'again', progressed: true })
  await world.fails('c1', new DatabaseUnavailable('away'))
  await world.end('d1', { kind: 'later', afterMs: 700, progressed: false })
  expect(world.back).toEqual([
    { id: 'a1', afterMs: 4_000, tries: 3 },
    { id: 'b1', afterMs: 0, tries: 0 },
    { id: 'c1', afterMs: 5_000, tries: 2 },
    { id: 'd1', afterMs: 700, tries: 2 },
  ])
})

test('a drained loop claims nothing, asks its turns to end, and is idle when they have ended', async () => {
  const world = openWorld([rowOf('a', 'a1')])
  await world.settle()
  world.loop.drain()
  expect([world.at('a1').turn.mayGoOn(), world.loop.isIdle()]).toEqual([false, false])
  world.rows.push(rowOf('b', 'b1'))
  world.loop.nudge()
  await world.pass(5_000)
  expect([...world.underWay.keys()]).toEqual(['a1'])
  await world.end('a1', { kind: 'again', progressed: true })
  expect([world.loop.isIdle(), world.back]).toEqual([true, [{ id: 'a1', afterMs: 0, tries: 0 }]])
  expect(vi.getTimerCount()).toBe(0)
})

test('an organisation that was refused rests, and the others go on', async () => {
  const world = openWorld([rowOf('a', 'a1')])
  await world.settle()
  await world.end('a1', { kind: 'done', restMs: 2_500 })
  await world.pass(1_000)
  expect(world.asks.at(-1)?.uses).toMatchObject([{ org: 'a', places: 0, isResting: true }])
  await world.pass(2_000)
  expect(world.asks.at(-1)?.uses).toMatchObject([])
})

test('a claim says whether the timer asks or somebody nudged', async () => {
  const world = openWorld([])
  await world.settle()
  await world.pass(1_000)
  world.loop.nudge()
  await world.settle()
  await world.pass(1_000)
  expect(world.asks.map(({ isByTimer }) => isByTimer)).toEqual([false, true, false, true])
})

test('a nudge during a look leads to another one, and a look that fails is repeated by the timer', async () => {
  const world = openWorld([])
  world.loop.nudge()
  await world.settle()
  expect(world.asks).toHaveLength(2)
  world.setFault(new DatabaseUnavailable('away'))
  world.loop.nudge()
  await world.settle()
  world.setFault(undefined)
  world.rows.push(rowOf('a', 'a1'))
  expect(world.underWay.size).toBe(0)
  await world.pass(1_000)
  expect([...world.underWay.keys()]).toEqual(['a1'])
})

test('an item that this process claims again while it still works on it has one holder', async () => {
  const row = rowOf('a', 'a1')
  const world = openWorld([row])
  await world.settle()
  const older = world.at('a1')
  row.isDue = true
  await world.pass(1_000)
  const newer = world.at('a1')
  expect([older === newer, older.turn.signal.aborted, newer.turn.signal.aborted]).toEqual([false, true, false])
  older.end({ kind: 'done' })
  await world.settle()
  expect(world.loop.isIdle()).toBe(false)
})

test('turns hold a bounded number of bytes together, and give them back when they end', async () => {
  const world = openWorld(
    ['a', 'b', 'c'].map((org) => rowOf(org, `${org}1`)),
    { maxBytes: 100 },
  )
  await world.settle()
  const taken: string[] = []
  const take = async (id: string, bytes: number) => {
    const held = await world.at(id).turn.takeBytes(bytes)
    taken.push(id)
    return held
  }
  const first = await take('a1', 90)
  void take('b1', 60)
  void take('c1', 60)
  await world.settle()
  expect(taken).toEqual(['a1'])
  first.correct(40)
  await world.settle()
  expect(taken).toEqual(['a1', 'b1'])
  await world.fails('a1', new Error('ended'))
  expect(taken).toEqual(['a1', 'b1'])
  await world.end('b1')
  expect(taken).toEqual(['a1', 'b1', 'c1'])
})

test('bytes that are granted after the turn has ended are given back', async () => {
  const world = openWorld([rowOf('a', 'a1'), rowOf('b', 'b1')], { maxBytes: 100 })
  await world.settle()
  await world.at('a1').turn.takeBytes(100)
  const late = world.at('b1').turn.takeBytes(100)
  await world.end('b1')
  await world.end('a1')
  await late
  world.rows.push(rowOf('c', 'c1'))
  world.loop.nudge()
  await world.settle()
  expect(await world.at('c1').turn.takeBytes(100)).toBeDefined()
})

test('a busy process gathers places that become free, and takes them with one claim', async () => {
  const rows = Array.from({ length: 6 }, (_, n) => rowOf(`o${n}`, `${n}`))
  const world = openWorld(rows, { gather: { from: 2, ms: 5 } })
  await world.settle()
  const claims = world.asks.length
  await world.end('0')
  await world.end('1')
  expect([world.asks.length, world.underWay.size]).toEqual([claims, 2])
  await vi.advanceTimersByTimeAsync(5)
  expect([world.asks.length, [...world.underWay.keys()]]).toEqual([claims + 1, ['2', '3', '4', '5']])
})
