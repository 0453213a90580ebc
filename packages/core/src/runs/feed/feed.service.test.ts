import type { Run as WireRun } from '@ars/contract'
import { type Database, openDatabase } from '@ars/platform/db/database'
import { createLog } from '@ars/platform/log/log'
import type { PubSub } from '@ars/platform/redis/pub-sub'
import { createTestDatabase, type TestDatabase } from '@ars/testkit/database'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type RunRows, runRows } from '../../../test/run-rows.ts'
import { createFeed, type News } from './feed.service.ts'

const log = createLog({ level: 'silent' })
let database: TestDatabase
let feedReads: Database
let rows: RunRows
beforeAll(async () => {
  database = await createTestDatabase()
  feedReads = openDatabase({ url: database.feedUrl, name: 'feed', size: 2, log })
  rows = runRows(database)
})
afterAll(async () => {
  await feedReads.close()
  await database.drop()
})

/** Redis as one process sees it: its publications come back, unless the connection is cut. */
const startFeed = ({ isUp = true } = {}) => {
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
  return { feed: createFeed({ feedReads, pubSub, log }), sent, subscriptions: listeners }
}

const wireRun = { id: 'run_x', output: { result: 'x' } } as unknown as WireRun

describe('a caller that waits for a run', () => {
  test('receives the run when the end notification contains it', async () => {
    const { feed } = startFeed()
    const follower = await feed.follow('a')
    feed.tell('a', { seq: 5, ended: true, run: wireRun })
    expect(await follower.settled).toEqual(wireRun)
    feed.close()
  })

  test('must read the run when it is large, and when it waits for a person', async () => {
    const { feed, sent } = startFeed()
    const [large, parked] = [await feed.follow('a'), await feed.follow('b')]
    feed.tell('a', { seq: 5, ended: true, run: { ...wireRun, output: { result: 'x'.repeat(100_000) } } })
    feed.tell('b', { seq: 6, parked: true })
    expect(await Promise.all([large.settled, parked.settled])).toEqual([null, null])
    expect(sent[0]).toBe('{"seq":5,"ended":true}')
    feed.close()
  })

  test('learns of an end, and of an open action, without a notification', { timeout: 20_000 }, async () => {
    const [ended, parked] = [await rows.start(), await rows.start()]
    const { feed } = startFeed({ isUp: false })
    const followers = [await feed.follow(ended), await feed.follow(parked)]
    for (const follower of followers) follower.arm()
    await rows.finish(ended, {})
    await rows.move(parked, 'park')
    expect(await Promise.all(followers.map(({ settled }) => settled))).toEqual([null, null])
    feed.close()
  })

  test('does not treat a run that is not stored yet as ended', { timeout: 20_000 }, async () => {
    const { feed } = startFeed({ isUp: false })
    const unarmed = await feed.follow('00000000-0000-7000-8000-000000000001')
    const armed = await feed.follow('00000000-0000-7000-8000-000000000002')
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
    await feed.watch('a', (news) => heard.push(news))
    feed.tell('a', { seq: 1 })
    feed.tell('a', { seq: 2 })
    await vi.waitUntil(() => heard.length > 0)
    feed.tell('a', { seq: 3, frames: [{ seq: 3, text: 'x' }] })
    feed.tell('a', { seq: 4, frames: [{ seq: 4, text: 'y' }] })
    expect(heard.map(({ seq }) => seq)).toEqual([2, 3, 4])
    feed.close()
  })

  test('learns of a number without a notification', { timeout: 20_000 }, async () => {
    const run = await rows.start()
    const { feed } = startFeed({ isUp: false })
    const heard: News[] = []
    const watch = await feed.watch(run, (news) => heard.push(news))
    watch.arm()
    await vi.waitUntil(() => heard.length === 1, { timeout: 5_000 })
    const seq = await rows.tell(run, 'run.step.completed')
    await vi.waitUntil(() => heard.length === 2, { timeout: 5_000 })
    expect(heard).toEqual([{ seq: 3 }, { seq }])
    feed.close()
  })
})

describe('a subscription', () => {
  test('is shared by all waiters and watchers, is established before any of them continues, and closes with the last', async () => {
    const { feed, subscriptions } = startFeed()
    const all = await Promise.all([feed.follow('a'), feed.watch('a', () => undefined), feed.follow('a')])
    expect([...subscriptions.keys()]).toEqual(['run:a'])
    for (const each of all.slice(1)) each.close()
    expect(subscriptions.size).toBe(1)
    all[0]?.close()
    expect(subscriptions.size).toBe(0)
    feed.close()
  })

  test('closes at the end of the run, even if a waiter does not close it', async () => {
    const { feed, subscriptions } = startFeed()
    await feed.follow('a')
    feed.tell('a', { seq: 2, ended: true })
    await vi.waitUntil(() => subscriptions.size === 0)
    expect(subscriptions.size).toBe(0)
    feed.close()
  })

  test('survives an invalid message', async () => {
    const { feed, subscriptions } = startFeed()
    const follower = await feed.follow('a')
    subscriptions.get('run:a')?.('{nonsense')
    feed.tell('a', { seq: 2, ended: true })
    expect(await follower.settled).toBeNull()
    feed.close()
  })
})
