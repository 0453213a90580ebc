import { limits } from '@ars/contract'
import { type Clock, systemClock } from '@ars/platform/clock'
import { type Database, openDatabase } from '@ars/platform/db/database'
import { DatabaseUnavailable } from '@ars/platform/db/unavailable'
import { createLog } from '@ars/platform/log/log'
import { createTestDatabase, type TestDatabase } from '@ars/testkit/database'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RunRows, runRows, startedClaimId } from '../../../test/run-rows.ts'
import { createDeltas } from './delta.service.ts'
import type { News } from './feed.service.ts'

const log = createLog({ level: 'silent' })
let database: TestDatabase
let app: Database
let rows: RunRows
beforeAll(async () => {
  database = await createTestDatabase()
  app = openDatabase({ url: database.appUrl, name: 'app', size: 4, log, acquireTimeoutMs: 30_000 })
  rows = runRows(database)
})
afterAll(async () => {
  await app.close()
  await database.drop()
})

/** A worker with an unreliable database. Records its notifications and counts its statements. */
const startWorker = (change: Partial<Database> = {}, clock: Clock = systemClock) => {
  const told: { run: string; news: News }[] = []
  const statements: string[] = []
  const steady: Database = { ...app, ...change }
  const counting: Database = {
    ...steady,
    once: (org, statement) => {
      statements.push(statement.name ?? '')
      return steady.once(org, statement)
    },
  }
  const feed = {
    tell: (_org: string, run: string, news: News) => void told.push({ run, news }),
    follow: () => Promise.reject(new Error('nobody follows')),
    watch: () => Promise.reject(new Error('nobody watches')),
    close: () => undefined,
  }
  const deltas = createDeltas({ app: counting, feed, clock, log })
  const lost: string[] = []
  const open = (run: string, at: { org?: string; attempt?: number; step?: number } = {}) =>
    deltas.open({ org: rows.org, run, epoch: 1, attempt: 1, claimId: startedClaimId, step: 1, ...at }, () =>
      lost.push(run),
    )
  return { open, told, lost, statements }
}

const textOf = async (run: string) => (await rows.deltas(run)).map(({ data }) => data.delta).join('')

describe('the streamed text of a step', () => {
  test('is stored in order and numbered without gaps before the stream is closed, and published after that', async () => {
    const run = await rows.start()
    const { open, told } = startWorker()
    const stream = open(run)
    for (const word of ['one ', 'two ', 'three']) stream.write(word)
    await stream.close()
    expect(await textOf(run)).toBe('one two three')
    expect(told.map(({ news }) => news.frames?.map(({ seq }) => seq))).toEqual([[4]])
    expect(await rows.tell(run, 'run.step.completed')).toBe(5)
  })

  test('is sent at once after a pause and then batched until the next tick', async () => {
    const run = await rows.start()
    const { open, statements } = startWorker()
    const stream = open(run)
    stream.write('first')
    await expect.poll(() => textOf(run)).toBe('first')
    for (let n = 0; n < 50; n++) stream.write('.')
    expect(statements).toHaveLength(1)
    await stream.close()
    expect((await rows.deltas(run)).map(({ data }) => data.delta)).toEqual(['first', '.'.repeat(50)])
  })

  test('is returned unchanged, with any characters', async () => {
    const run = await rows.start()
    const { open } = startWorker()
    const words = ['"quoted" \\ \n\r\u2028\0', '\ud83d', '\ude00 half and half', '{"json":1}', "'; drop table runs --"]
    const stream = open(run)
    for (const word of words) {
      stream.write(word)
      await rows.deltas(run)
    }
    await stream.close()
    expect(await textOf(run)).toBe(words.join(''))
    for (const { data } of await rows.deltas(run)) expect(data.delta.isWellFormed()).toBe(true)
  })

  test('is split into several deltas when it is long', async () => {
    const run = await rows.start()
    const { open } = startWorker()
    const stream = open(run)
    const long = Array.from({ length: 20_000 }, (_, n) => n).join(' ')
    stream.write(long)
    await stream.close()
    expect((await rows.deltas(run)).length).toBeGreaterThan(5)
    expect(await textOf(run)).toBe(long)
  })

  test('is bounded: text beyond the limit of a run is dropped', async () => {
    const run = await rows.start()
    const { open } = startWorker()
    const stream = open(run)
    stream.write('kept')
    stream.write('x'.repeat(limits.outputBytes))
    stream.write('not kept either')
    await stream.close()
    expect(await textOf(run)).toBe('kept')
  })
})

test('the deltas of many runs of an organisation are stored in one statement', async () => {
  const runs = await Promise.all(Array.from({ length: 40 }, () => rows.start()))
  const { open, statements } = startWorker()
  const streams = runs.map((run) => open(run))
  for (const [at, stream] of streams.entries()) stream.write(`run ${at}`)
  await Promise.all(streams.map((stream) => stream.close()))
  expect(statements).toHaveLength(1)
  expect(await Promise.all(runs.map(textOf))).toEqual(runs.map((_, at) => `run ${at}`))
})

test('organisations do not share a statement', async () => {
  const other = runRows(database)
  const [mine, theirs] = [await rows.start(), await other.start()]
  const { open, statements, lost } = startWorker()
  const streams = [open(mine), open(theirs, { org: other.org }), open(theirs)]
  for (const stream of streams) stream.write('hello')
  await Promise.all(streams.map((stream) => stream.close()))
  expect(statements).toHaveLength(2)
  expect(lost).toEqual([theirs])
  expect(await textOf(theirs)).toBe('hello')
})

test.for(['take_over', 'cancel', 'park'] as const)(
  'a worker that no longer owns the run gets an error and writes nothing: %s',
  async (change) => {
    const run = await rows.start()
    const { open, lost, told } = startWorker()
    const stream = open(run)
    stream.write('before')
    await expect.poll(() => textOf(run)).toBe('before')
    await rows.move(run, change)
    stream.write('after')
    await stream.close()
    expect(lost).toEqual([run])
    stream.write('much later')
    expect(await textOf(run)).toBe('before')
    expect(told).toHaveLength(1)
  },
)

describe('while the database is unavailable', () => {
  test('text is buffered and stored after recovery, once and in order', async () => {
    const run = await rows.start()
    let failures = 3
    const { open, lost } = startWorker({
      once: (org, statement) =>
        failures-- > 0 ? Promise.reject(new DatabaseUnavailable('away')) : app.once(org, statement),
    })
    const stream = open(run)
    stream.write('kept ')
    stream.write('all along')
    await stream.close()
    expect(lost).toEqual([])
    expect(await textOf(run)).toBe('kept all along')
  })

  test('an unacknowledged commit is not repeated', async () => {
    const run = await rows.start()
    let unanswered = 0
    const { open } = startWorker({
      once: async (org, statement) => {
        const answer = await app.once(org, statement)
        if (statement.name === 'deltas.store' && unanswered++ % 2 === 0) throw new DatabaseUnavailable('cut')
        return answer
      },
    })
    const words = ['one ', 'two ', 'three ', 'four']
    const stream = open(run)
    for (const word of words) {
      stream.write(word)
      await expect.poll(async () => (await textOf(run)).endsWith(word)).toBeTruthy()
    }
    await stream.close()
    expect(unanswered).toBeGreaterThan(2)
    expect(await textOf(run)).toBe(words.join(''))
    const seqs = (await rows.deltas(run)).map(({ seq }) => seq)
    expect(seqs).toEqual(seqs.map((_, at) => at + 4))
  })

  test('the end of a step waits for a bounded time (runsBounds.deltaTriesAtClose)', { timeout: 30_000 }, async () => {
    const run = await rows.start()
    // Each look at the clock is a minute later, so that no pause between two attempts is left.
    let minutes = 0
    const clock = { ...systemClock, monotonicMs: () => ++minutes * 60_000 }
    const { open } = startWorker({ once: () => Promise.reject(new DatabaseUnavailable('away')) }, clock)
    const stream = open(run)
    stream.write('lost')
    await expect(stream.close()).rejects.toThrow('away')
  })
})
