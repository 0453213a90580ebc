import type { Run as WireRun } from '@ars/contract'
import { type Database, openDatabase } from '@ars/platform/db/database'
import { createLog } from '@ars/platform/log/log'
import { newKek, sealOf } from '@ars/platform/redis/message-seal.fixture'
import type { PubSub } from '@ars/platform/redis/pub-sub'
import { createTestDatabase, type TestDatabase } from '@ars/testkit/database'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RunRows, runRows } from '../../../test/run-rows.ts'
import { createFeed, type News } from './feed.service.ts'

const log = createLog({ level: 'silent' })
const org = '01890a5d-ac96-774b-bcce-b302099a8057'
const kek = newKek('test')
let database: TestDatabase
let feedReads: Database
let rows: RunRows
beforeAll(async () => {
  database = await createTestDatabase()
  feedReads = openDatabase({ url: database.feedUrl, name: 'feed', size: 2, log, acquireTimeoutMs: 30_000 })
  rows = runRows(database)
})
afterAll(async () => {
  await feedReads.close()
  await database.drop()
})

/** Redis as one process sees it: its publications come back, unless the connection is cut. */
const startFeed = ({ isUp = true, hasKey = true } = {}) => {
  const listeners = new Map<string, (message: string) => void>()
  const sent: string[] = []
  const pubSub: PubSub = {
    publish: (channel, message) => {
      sent.push(message)
      if (isUp) listeners.get(channel)?.(message)
    },
    subscribe: async (channel, listen) => {
      expect(listeners.has(channel)).toBe(false)
      await Promise.resolve()
      listeners.set(channel, listen)
    },
    unsubscribe: (channel) => void listeners.delete(channel),
    isUp: () => isUp,
    version: () => Promise.resolve('7'),
    close: () => undefined,
  }
  return {
    feed: createFeed({
      ...{ feedReads, pubSub, seal: hasKey ? sealOf([kek]) : undefined, log },
      ...(!isUp && { lookEveryMs: 50 }),
    }),
    sent,
    subscriptions: listeners,
  }
}

const wireRun = { id: 'run_x', output: { result: 'x' } } as unknown as WireRun

describe('a caller that waits for a run', () => {
  test('receives the run when the end notification contains it', async () => {
    const { feed } = startFeed()
    const follower = await feed.follow(org, 'a')
    feed.tell(org, 'a', { seq: 5, ended: true, run: wireRun })
    expect(await follower.settled).toEqual(wireRun)
    feed.close()
  })

  test('must read the run when it is large, and when it waits for a person (runsBounds.feedMessage)', async () => {
    const parkedRun = await rows.start()
    await rows.move(parkedRun, 'park')
    const { feed, sent } = startFeed()
    const [large, parked] = [await feed.follow(org, 'a'), await feed.follow(rows.org, parkedRun)]
    parked.arm()
    feed.tell(org, 'a', { seq: 5, ended: true, run: { ...wireRun, output: { result: 'x'.repeat(100_000) } } })
    feed.tell(rows.org, parkedRun, { seq: 6, parked: true })
    expect(await Promise.all([large.settled, parked.settled])).toEqual([null, null])
    expect(sent[0]?.length).toBeLessThan(200)
    feed.close()
  })

  test('learns of an end, and of an open action, without a notification', { timeout: 20_000 }, async () => {
    const [ended, parked] = [await rows.start(), await rows.start()]
    const { feed } = startFeed({ isUp: false })
    const followers = [await feed.follow(org, ended), await feed.follow(org, parked)]
    for (const follower of followers) follower.arm()
    await rows.finish(ended, {})
    await rows.move(parked, 'park')
    expect(await Promise.all(followers.map(({ settled }) => settled))).toEqual([null, null])
    feed.close()
  })

  test('does not treat a run that is not stored yet as ended', { timeout: 20_000 }, async () => {
    const { feed } = startFeed({ isUp: false })
    const unarmed = await feed.follow(org, '00000000-0000-7000-8000-000000000001')
    const armed = await feed.follow(org, '00000000-0000-7000-8000-000000000002')
    armed.arm()
    expect(await armed.settled).toBeNull()
    expect(await Promise.race([unarmed.settled, Promise.resolve('waits')])).toBe('waits')
    feed.close()
  })
})

describe('a reader that watches a run', () => {
  test('receives all published frames, and of bare numbers only the last', async () => {
    const { feed } = startFeed()
    const heard: News[] = []
    await feed.watch(org, 'a', (news) => heard.push(news))
    feed.tell(org, 'a', { seq: 1 })
    feed.tell(org, 'a', { seq: 2 })
    await expect.poll(() => heard.length).toBeGreaterThan(0)
    feed.tell(org, 'a', { seq: 3, frames: [{ seq: 3, text: 'x' }] })
    feed.tell(org, 'a', { seq: 4, frames: [{ seq: 4, text: 'y' }] })
    expect(heard.map(({ seq }) => seq)).toEqual([2, 3, 4])
    feed.close()
  })

  test('learns of a number without a notification', { timeout: 20_000 }, async () => {
    const run = await rows.start()
    const { feed } = startFeed({ isUp: false })
    const heard: News[] = []
    const watch = await feed.watch(org, run, (news) => heard.push(news))
    watch.arm()
    await expect.poll(() => heard.length).toBe(1)
    const seq = await rows.tell(run, 'run.step.completed')
    await expect.poll(() => heard.length).toBe(2)
    expect(heard).toEqual([{ seq: 3 }, { seq }])
    feed.close()
  })
})

describe('a subscription', () => {
  test('is shared by all waiters and watchers, is established before any of them continues, and closes with the last', async () => {
    const { feed, subscriptions } = startFeed()
    const all = await Promise.all([feed.follow(org, 'a'), feed.watch(org, 'a', () => undefined), feed.follow(org, 'a')])
    expect([...subscriptions.keys()]).toEqual([`run:${org}:a`])
    for (const each of all.slice(1)) each.close()
    expect(subscriptions.size).toBe(1)
    all[0]?.close()
    expect(subscriptions.size).toBe(0)
    feed.close()
  })

  test('closes at the end of the run, even if a waiter does not close it', async () => {
    const { feed, subscriptions } = startFeed()
    await feed.follow(org, 'a')
    feed.tell(org, 'a', { seq: 2, ended: true })
    await expect.poll(() => subscriptions.size).toBe(0)
    expect(subscriptions.size).toBe(0)
    feed.close()
  })

  test.for(['{nonsense', 'null', '7', '', 's1.00000000.AAAA'])('survives an invalid message: %s', async (nonsense) => {
    const { feed, subscriptions } = startFeed()
    const follower = await feed.follow(org, 'a')
    subscriptions.get(`run:${org}:a`)?.(nonsense)
    feed.tell(org, 'a', { seq: 2, ended: true })
    expect(await follower.settled).toBeNull()
    feed.close()
  })
})

describe('Redis is not trusted', () => {
  test('it sees neither output nor state, and without a key it sees numbers only', async () => {
    const news: News = { seq: 5, ended: true, run: wireRun, frames: [{ seq: 4, text: 'WHISPERED' }] }
    const sealed = startFeed()
    sealed.feed.tell(org, 'a', news)
    sealed.feed.tell(org, 'a', { seq: 6, parked: true })
    for (const message of sealed.sent) expect(message).toMatch(/^s1\.[0-9a-f]{8}\.[A-Za-z0-9+/=]+$/)
    const bare = startFeed({ hasKey: false })
    bare.feed.tell(org, 'a', news)
    expect(bare.sent).toEqual(['5'])
    sealed.feed.close()
    bare.feed.close()
  })

  test.for([true, false])('a forged message ends no wait and shows no frame, with a key: %s', async (hasKey) => {
    const run = await rows.start()
    const { feed, subscriptions } = startFeed({ hasKey })
    const heard: News[] = []
    const watch = await feed.watch(rows.org, run, (news) => heard.push(news))
    const follower = await feed.follow(rows.org, run)
    watch.arm()
    const forged = { seq: 9, ended: true, run: { ...wireRun, id: 'run_forged' }, frames: [{ seq: 4, text: 'forged' }] }
    const channel = `run:${rows.org}:${run}`
    const stranger = sealOf([newKek('test')])
    for (const message of [
      JSON.stringify(forged),
      '9',
      stranger.seal(['run', rows.org, run], JSON.stringify(forged)),
    ]) {
      subscriptions.get(channel)?.(message)
    }
    // The hint leads to the true state of the run.
    await expect.poll(() => heard.length).toBeGreaterThan(0)
    expect(heard).toEqual([{ seq: 3 }])
    expect(await Promise.race([follower.settled, Promise.resolve('waits')])).toBe('waits')
    feed.close()
  })

  test('a sealed message of another run or organisation is refused', async () => {
    const { feed, sent, subscriptions } = startFeed()
    const heard: News[] = []
    await feed.watch(org, 'a', (news) => heard.push(news))
    feed.tell(org, 'b', { seq: 4, frames: [{ seq: 4, text: 'of another run' }] })
    feed.tell(rows.org, 'a', { seq: 4, frames: [{ seq: 4, text: 'of another organisation' }] })
    for (const message of sent) subscriptions.get(`run:${org}:a`)?.(message)
    expect(sent).toHaveLength(2)
    expect(heard).toEqual([])
    feed.close()
  })

  test('a repeated message that a run waits for a person does not end a wait after the run has continued', async () => {
    const run = await rows.start()
    const { feed, sent, subscriptions } = startFeed()
    feed.tell(rows.org, run, { seq: 3, parked: true })
    const heard: News[] = []
    const follower = await feed.follow(rows.org, run)
    ;(await feed.watch(rows.org, run, (news) => heard.push(news))).arm()
    subscriptions.get(`run:${rows.org}:${run}`)?.(sent[0] ?? '')
    const seq = await rows.tell(run, 'run.step.completed')
    feed.tell(rows.org, run, { seq, frames: [{ seq, text: 'x' }] })
    await expect.poll(() => heard.some((news) => news.seq === seq)).toBeTruthy()
    expect(heard.some(({ parked }) => parked === true)).toBe(false)
    expect(await Promise.race([follower.settled, Promise.resolve('waits')])).toBe('waits')
    feed.close()
  })

  test('a run that ends before it is known to be stored is found without a key', async () => {
    const run = await rows.start()
    const { feed } = startFeed({ hasKey: false })
    const follower = await feed.follow(rows.org, run)
    await rows.finish(run, {})
    feed.tell(rows.org, run, { seq: 4, ended: true, run: wireRun })
    expect(await Promise.race([follower.settled, Promise.resolve('waits')])).toBe('waits')
    follower.arm()
    expect(await follower.settled).toBeNull()
    feed.close()
  })

  test('a flood of forged messages costs a few queries', async () => {
    const run = await rows.start()
    let queries = 0
    const counting: Database = {
      ...feedReads,
      once: (...args) => {
        queries++
        return feedReads.once(...args)
      },
    }
    const listeners = new Map<string, (message: string) => void>()
    const pubSub = {
      publish: () => undefined,
      subscribe: async (channel: string, listen: (message: string) => void) => void listeners.set(channel, listen),
      unsubscribe: () => undefined,
      isUp: () => true,
    } as unknown as PubSub
    const feed = createFeed({ feedReads: counting, pubSub, seal: sealOf([kek]), log })
    const heard: News[] = []
    ;(await feed.watch(rows.org, run, (news) => heard.push(news))).arm()
    for (let n = 0; n < 10_000; n++) listeners.get(`run:${rows.org}:${run}`)?.(String(n))
    await expect.poll(() => heard.length).toBeGreaterThan(0)
    expect(queries).toBeLessThan(5)
    feed.close()
  })
})
