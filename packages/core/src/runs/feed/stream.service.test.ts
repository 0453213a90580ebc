import { systemClock } from '@ars/platform/clock'
import { type Database, openDatabase } from '@ars/platform/db/database'
import { DatabaseUnavailable } from '@ars/platform/db/unavailable'
import { createLog } from '@ars/platform/log/log'
import { newKek, sealOf } from '@ars/platform/redis/message-seal.fixture'
import { openPubSub, type PubSub } from '@ars/platform/redis/pub-sub'
import { asClient } from '@ars/testkit/client'
import { createTestDatabase, type TestDatabase } from '@ars/testkit/database'
import { testRedisUrl } from '@ars/testkit/stack'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseFrames, recordingSink } from '../../../test/recording-sink.ts'
import { type RunRows, runRows, startedClaimId } from '../../../test/run-rows.ts'
import { createHistoryWatch } from '../../events/index.ts'
import { findRun } from '../run/run.store.ts'
import { runIdOf, toWireRun } from '../run/run.ts'
import { createDeltas } from './delta.service.ts'
import { createFeed, type Feed } from './feed.service.ts'
import { createStreams, type StreamService } from './stream.service.ts'

const log = createLog({ level: 'silent' })
let database: TestDatabase
let app: Database
const seal = sealOf([newKek('test')])
let feedReads: Database
let pubSub: PubSub
let rows: RunRows
let worker: Feed
const gateways: { feed: Feed; streams: StreamService }[] = []

beforeAll(async () => {
  database = await createTestDatabase()
  app = openDatabase({ url: database.appUrl, name: 'app', size: 4, log, acquireTimeoutMs: 30_000 })
  feedReads = openDatabase({ url: database.feedUrl, name: 'feed', size: 2, log, acquireTimeoutMs: 30_000 })
  pubSub = await openPubSub({ url: testRedisUrl(), log })
  rows = runRows(database)
  worker = createFeed({ feedReads, pubSub, seal, log })
  for (let n = 0; n < 2; n++) gateways.push(await openGateway())
})
afterAll(async () => {
  for (const { feed } of gateways) feed.close()
  worker.close()
  pubSub.close()
  await Promise.all([app.close(), feedReads.close()])
  await database.drop()
})

const readRun = async (org: string, run: string) => {
  const found = await findRun(app, org, run)
  return found && toWireRun(found)
}

const openGateway = async (db = app) => {
  const ownPubSub = await openPubSub({ url: testRedisUrl(), log })
  const history = createHistoryWatch({ feedReads, pubSub: ownPubSub, log, lookEveryMs: 250 })
  const feed = createFeed({ feedReads, pubSub: ownPubSub, seal, history, log })
  const close = (): void => {
    history.close()
    feed.close()
    ownPubSub.close()
  }
  return {
    feed: { ...feed, close },
    streams: createStreams({ app: db, feed, log, readRun }),
  }
}

const listen = async (run: string, after = 0, { streams } = gateways[0]!) => {
  const sink = recordingSink()
  const stop = (await streams.open(rows.org, run, after)).attach(sink)
  return Object.assign(sink, { stop, ended: () => expect.poll(() => sink.outcome).not.toBe('open') })
}

/** Three deltas, then the end: numbers 1 to 7. */
const endedRun = async (words = ['one ', 'two ', 'three']) => {
  const run = await rows.start()
  const deltas = createDeltas({ app, feed: worker, clock: systemClock, log })
  for (const word of words) {
    const stream = deltas.open(
      { org: rows.org, run, epoch: 1, attempt: 1, claimId: startedClaimId, step: 1 },
      () => undefined,
    )
    stream.write(word)
    await stream.close()
  }
  await rows.finish(run, { result: words.join('') })
  return run
}

describe('the stream of a run that has ended', () => {
  test('contains every frame in order, the whole run in the last one, and ends', async () => {
    const run = await endedRun()
    const sink = await listen(run)
    expect(sink.outcome).toBe('ended')
    expect(sink.frames().map(({ id, event }) => `${id} ${event}`)).toEqual([
      '1 run.created',
      '2 run.started',
      '3 run.step.started',
      '4 run.output.delta',
      '5 run.output.delta',
      '6 run.output.delta',
      '7 run.completed',
    ])
    for (const { data, event } of sink.frames()) expect(data).toMatchObject({ type: event, run_id: runIdOf(run) })
    expect(sink.frames().at(-1)?.data.run).toEqual(await readRun(rows.org, run))
  })

  test('resumed from any id sends the same remainder, byte for byte, on every gateway', async () => {
    const run = await endedRun()
    const whole = (await listen(run)).text
    for (let after = 0; after <= 7; after++) {
      const sink = await listen(run, after, gateways[after % 2])
      expect(sink.outcome).toBe('ended')
      expect(sink.text).toBe(whole.slice(whole.indexOf(`id: ${after + 1}\n`)).slice(0, after === 7 ? 0 : undefined))
    }
  })

  test('cannot be resumed after a frame that does not exist', async () => {
    const run = await endedRun()
    await expect(listen(run, 8)).rejects.toMatchObject({ code: 'invalid_request', param: 'Last-Event-ID' })
  })

  test('is read in pages of bounded size (runsBounds.framesTogether)', async () => {
    const run = await endedRun(Array.from({ length: 30 }, (_, n) => `${n}:${'x'.repeat(10_000)} `))
    const sink = recordingSink()
    const sizes: number[] = []
    const write = sink.write
    sink.write = (frames, count) => {
      sizes.push(frames.length)
      return write(frames, count)
    }
    ;(await gateways[0]!.streams.open(rows.org, run, 0)).attach(sink)
    await expect.poll(() => sink.outcome).toBe('ended')
    expect(sizes.length).toBeGreaterThan(2)
    const text = sink.frames().map(({ data }) => data.delta ?? '')
    expect(sink.frames().at(-1)?.data.run.output.result).toBe(text.join(''))
  })

  test('waits for a slow reader and continues where it stopped', async () => {
    const run = await endedRun(Array.from({ length: 30 }, () => 'y'.repeat(10_000)))
    const sink = recordingSink()
    sink.isSlow = true
    ;(await gateways[0]!.streams.open(rows.org, run, 0)).attach(sink)
    const first = sink.ids().length
    expect(first).toBeLessThan(34)
    await (await listen(run)).ended()
    expect(sink.ids()).toHaveLength(first)
    const outcome = () => {
      sink.resume()
      return sink.outcome
    }
    await expect.poll(outcome).toBe('ended')
    expect(sink.ids()).toEqual(Array.from({ length: 34 }, (_, at) => at + 1))
  })
})

describe('where frames are no longer stored', () => {
  test('one snapshot carries the state, with the id of the last missing frame', async () => {
    const run = await endedRun()
    await rows.erase(run, 'run_deltas')
    const sink = await listen(run)
    expect(sink.frames().map(({ id, event }) => `${id} ${event}`)).toEqual([
      '1 run.created',
      '2 run.started',
      '3 run.step.started',
      '6 run.snapshot',
      '7 run.completed',
    ])
    expect(sink.frames()[3]?.data.run.output).toEqual({ result: 'one two three' })
    expect((await listen(run, 4)).ids()).toEqual([6, 7])
    expect((await listen(run, 6)).ids()).toEqual([7])
  })

  test('a run with only its record left still shows how it ended', async () => {
    const run = await endedRun()
    await rows.erase(run, 'run_deltas')
    await rows.erase(run, 'run_events')
    const sink = await listen(run)
    expect(sink.frames().map(({ id, event }) => `${id} ${event}`)).toEqual(['6 run.snapshot', '7 run.completed'])
    expect((await listen(run, 6)).frames().map(({ event }) => event)).toEqual(['run.completed'])
    expect(sink.outcome).toBe('ended')
  })
})

describe('the stream of a run in flight', () => {
  const speak = (run: string) =>
    createDeltas({ app, feed: worker, clock: systemClock, log }).open(
      { org: rows.org, run, epoch: 1, attempt: 1, claimId: startedClaimId, step: 1 },
      () => undefined,
    )

  test('is the same for all readers, regardless of when they joined, on both gateways', async () => {
    const run = await rows.start()
    const early = [await listen(run, 0, gateways[0]), await listen(run, 0, gateways[1])]
    const stream = speak(run)
    const late: Awaited<ReturnType<typeof listen>>[] = []
    for (let n = 0; n < 40; n++) {
      stream.write(`word ${n} `)
      if (n % 10 === 5) late.push(await listen(run, n % 3, gateways[n % 2]))
      // A database query takes as long as a model takes for a word.
      await rows.deltas(run)
    }
    await stream.close()
    await rows.finish(run, { result: 'done' })
    const [end] = (await listen(run)).frames().slice(-1)
    worker.tell(rows.org, run, { seq: end?.id ?? 0, ended: true })
    const whole = await listen(run)
    for (const sink of early) {
      await sink.ended()
      expect(sink.text).toBe(whole.text)
    }
    for (const sink of late) {
      await sink.ended()
      expect(whole.text.endsWith(sink.text)).toBe(true)
    }
    const stored = (await rows.deltas(run)).map(({ data }) => data.delta).join('')
    expect(
      whole
        .frames()
        .map(({ data }) => data.delta ?? '')
        .join(''),
    ).toBe(stored)
    expect(stored).toBe(Array.from({ length: 40 }, (_, n) => `word ${n} `).join(''))
  })

  test('loses nothing when every notification is lost', async () => {
    const run = await rows.start()
    const deaf = { ...pubSub, subscribe: () => Promise.resolve(), isUp: () => false }
    const feed = createFeed({ feedReads, pubSub: deaf, log, lookEveryMs: 50 })
    const sink = recordingSink()
    ;(await createStreams({ app, feed, log, readRun }).open(rows.org, run, 0)).attach(sink)
    const stream = speak(run)
    stream.write('unheard')
    await stream.close()
    await expect.poll(() => sink.ids().length).toBe(4)
    await rows.finish(run, { result: 'unheard' })
    await expect.poll(() => sink.outcome).toBe('ended')
    expect(sink.ids()).toEqual([1, 2, 3, 4, 5])
    feed.close()
  })

  test('recovers a notification that was lost between two others', async () => {
    const run = await rows.start()
    const sink = await listen(run)
    const lossy: Feed = {
      ...worker,
      tell: (org, id, news) => (news.seq % 3 === 2 ? undefined : worker.tell(org, id, news)),
    }
    const deltas = createDeltas({ app, feed: lossy, clock: systemClock, log })
    for (const word of ['a', 'b', 'c', 'd', 'e', 'f']) {
      const stream = deltas.open(
        { org: rows.org, run, epoch: 1, attempt: 1, claimId: startedClaimId, step: 1 },
        () => undefined,
      )
      stream.write(word)
      await stream.close()
    }
    await expect.poll(() => sink.ids().length).toBe(9)
    expect(sink.ids()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
    sink.stop()
  })

  test('forwards a delta that arrives in order without a database query', async () => {
    const run = await rows.start()
    let reads = 0
    const counting: Database = {
      ...app,
      batch: (...args) => {
        reads++
        return app.batch(...args)
      },
    }
    const gateway = await openGateway(counting)
    const sink = await listen(run, 0, gateway)
    expect(reads).toBe(1)
    const stream = speak(run)
    for (const word of ['a', 'b', 'c']) {
      stream.write(word)
      await expect.poll(() => sink.text.includes(`"delta":"${word}"`)).toBeTruthy()
    }
    await stream.close()
    expect(reads).toBe(1)
    sink.stop()
    gateway.feed.close()
  })

  test('is not closed when the notifications of many runs are lost at once: they are read a few at a time (runsBounds.feedReads)', async () => {
    const runs = await Promise.all(Array.from({ length: 12 }, () => rows.start()))
    let underWay = 0
    // Like a pool with four connections for its streams and no queue.
    const narrow: Database = {
      ...app,
      batch: async (...args) => {
        if (underWay === 4) throw new DatabaseUnavailable('No connection')
        underWay++
        try {
          return await app.batch(...args)
        } finally {
          underWay--
        }
      },
    }
    const gateway = await openGateway(narrow)
    const sinks: Awaited<ReturnType<typeof listen>>[] = []
    for (const run of runs) sinks.push(await listen(run, 0, gateway))
    const last = await Promise.all(runs.map((run) => rows.tell(run, 'run.step.completed', { step: 1 })))
    for (const [at, run] of runs.entries()) worker.tell(rows.org, run, { seq: last[at] ?? 0 })
    await expect.poll(() => sinks.every(({ ids, outcome }) => ids().at(-1) === 4 || outcome !== 'open')).toBeTruthy()
    expect(sinks.map(({ outcome }) => outcome)).toEqual(runs.map(() => 'open'))
    expect(sinks.map(({ ids }) => ids())).toEqual(runs.map(() => [1, 2, 3, 4]))
    for (const sink of sinks) sink.stop()
    gateway.feed.close()
  })

  test('can be opened by many readers concurrently: they share the reads', async () => {
    const run = await rows.start()
    let reads = 0
    const counting: Database = {
      ...app,
      batch: (...args) => {
        reads++
        return app.batch(...args)
      },
    }
    const gateway = await openGateway(counting)
    const sinks = await Promise.all(Array.from({ length: 70 }, () => listen(run, 0, gateway)))
    expect(reads).toBe(1)
    worker.tell(rows.org, run, { seq: await rows.tell(run, 'run.step.completed', { step: 1 }) })
    await expect.poll(() => sinks.every(({ ids }) => ids().at(-1) === 4)).toBeTruthy()
    expect(sinks.map(({ ids }) => ids())).toEqual(sinks.map(() => [1, 2, 3, 4]))
    for (const sink of sinks) sink.stop()
    gateway.feed.close()
  })

  test('is closed, to be resumed, when the database is unavailable', async () => {
    const run = await rows.start()
    let isAway = false
    const unsteady: Database = {
      ...app,
      batch: (...args) => (isAway ? Promise.reject(new DatabaseUnavailable('away')) : app.batch(...args)),
    }
    const gateway = await openGateway(unsteady)
    const sink = await listen(run, 0, gateway)
    isAway = true
    worker.tell(rows.org, run, { seq: await rows.tell(run, 'run.step.completed', { step: 1 }) })
    await sink.ended()
    expect(sink.outcome).toBe('interrupted')
    isAway = false
    expect((await listen(run, sink.ids().at(-1), gateway)).ids()).toEqual([4])
    gateway.feed.close()
  })
})

test('a run of another organisation is not found, and its readers are not disturbed', async () => {
  const run = await rows.start()
  const mine = await listen(run)
  const other = runRows(database)
  await expect(gateways[0]!.streams.open(other.org, run, 0)).rejects.toMatchObject({ code: 'not_found' })
  const seq = await rows.tell(run, 'run.step.completed', { step: 1 })
  worker.tell(rows.org, run, { seq })
  await expect.poll(() => mine.ids().at(-1)).toBe(seq)
  expect(parseFrames(mine.text).at(-1)?.event).toBe('run.step.completed')
  mine.stop()
})

// Last, because all gateways close their streams.
describe('when the history of the database went back', () => {
  const say = async (run: string, ...words: string[]): Promise<void> => {
    const deltas = createDeltas({ app, feed: worker, clock: systemClock, log })
    for (const word of words) {
      const target = { org: rows.org, run, epoch: 1, attempt: 1, claimId: startedClaimId, step: 1 }
      const stream = deltas.open(target, () => undefined)
      stream.write(word)
      await stream.close()
    }
  }

  test('the stream of a run is closed after a new epoch, although its numbers have passed the old ones since', async () => {
    const run = await rows.start()
    const sink = await listen(run)
    await say(run, 'one ', 'two ', 'three ')
    await expect.poll(() => sink.ids()).toEqual([1, 2, 3, 4, 5, 6])
    await rows.lose(run, 4)
    await asClient(database.superuserUrl, (client) => client.query('update event_clock set epoch = gen_random_uuid()'))
    await sink.ended()
    expect(sink.outcome).toBe('interrupted')
    await expect(listen(run, 6)).rejects.toMatchObject({ code: 'invalid_request', param: 'Last-Event-ID' })
    await say(run, 'zwei ', 'drei ')
    const again = await listen(run, 4)
    expect(again.frames().map(({ id, data }) => [id, data.delta])).toEqual([
      [5, 'zwei '],
      [6, 'drei '],
    ])
    again.stop()
  })

  test('the stream of a run is closed when its number is lower than one that was heard, without a new epoch', async () => {
    const run = await rows.start()
    const sink = await listen(run)
    await say(run, 'one ', 'two ')
    await expect.poll(() => sink.ids()).toEqual([1, 2, 3, 4, 5])
    await rows.lose(run, 3)
    await sink.ended()
    expect(sink.outcome).toBe('interrupted')
  })

  test('a reader that is read for and has more than the run is closed at once', async () => {
    const run = await rows.start()
    const sink = await listen(run)
    await say(run, 'one ', 'two ')
    await expect.poll(() => sink.ids()).toEqual([1, 2, 3, 4, 5])
    await rows.lose(run, 3)
    await rows.finish(run, { result: 'else' })
    worker.tell(rows.org, run, { seq: 4, ended: true })
    await sink.ended()
    expect(sink.outcome).toBe('interrupted')
    expect((await listen(run)).frames().at(-1)).toMatchObject({ id: 4, event: 'run.completed' })
  })
})
