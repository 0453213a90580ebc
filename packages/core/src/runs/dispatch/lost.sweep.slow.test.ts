import type { DurableHandler } from '@ars/platform/durable/worker'
import { createLog } from '@ars/platform/log/log'
import { asClient } from '@ars/testkit/client'
import { fakeClock } from '@ars/testkit/clock'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWorkers } from '../../../test/engine-workers.slow.ts'
import { type EngineWorld, openEngineWorld } from '../../../test/engine-world.ts'
import { runsBounds } from '../bounds.ts'
import { type Segment, segmentKey } from '../run/segment.ts'
import { lostSweep } from './lost.sweep.ts'

const log = createLog({ level: 'silent' })
let world: EngineWorld
beforeAll(async () => {
  world = await openEngineWorld()
})
afterAll(() => world.close())

const begun = new Set<string>()

const plain: DurableHandler<{ object: string }> = async (durable, { object }) => {
  begun.add(object)
  await new Promise((resolve) => durable.signal.addEventListener('abort', resolve))
  throw new Error('The worker is gone')
}

const sweepOf = (service: string, answers: boolean) => {
  const clock = fakeClock()
  const sent: Segment[] = []
  let lost = 0
  const sweep = lostSweep({
    system: world.system,
    engine: world.engine,
    dispatcher: { send: (segment) => void sent.push(segment) },
    health: { answeredMs: () => (answers ? clock.monotonicMs() : Number.NEGATIVE_INFINITY) },
    clock,
    log,
    onLost: () => void lost++,
    services: [service],
  })
  return { clock, sent, count: () => lost, run: () => sweep.run() }
}

const epochOf = (run: string): Promise<number> =>
  asClient(world.database.superuserUrl, async (client) => {
    const { rows } = await client.query('select epoch from run_heads where run_id = $1', [run])
    return rows[0].epoch
  })

test('invocations that nobody answers for 15 s are ended, 200 a round, and their runs start again (runsBounds.lostInvocationsEnded)', async () => {
  const workers = await startWorkers(world, { plain })
  try {
    const worker = await workers.startWorker()
    const segment = await world.startRun()
    const send = (object: string, key: string) =>
      world.engine.send({ service: workers.service, handler: 'plain', object }, { object }, key)
    await send('the-run', segmentKey(segment))
    let left = 204
    const sendOthers = async () => {
      while (left-- > 0) await send(`other-${left}`, `other-${left}`)
    }
    await Promise.all(Array.from({ length: 4 }, sendOthers))
    await expect
      .poll(async () => (begun.size === 205 ? workers.statuses() : {}), { timeout: 60_000 })
      .toEqual({ running: 205 })
    worker.set('refused')
    // One may be in an attempt at this moment.
    await expect.poll(async () => (await workers.statuses())['backing-off'], { timeout: 60_000 }).toBeGreaterThan(200)

    const playRound = async ({ clock, run }: Pick<ReturnType<typeof sweepOf>, 'clock' | 'run'>) => {
      await run()
      clock.advance(runsBounds.invocationRefused.ms)
      await run()
    }
    const deaf = sweepOf(workers.service, false)
    await playRound(deaf)
    expect(deaf.count()).toBe(0)

    const sweep = sweepOf(workers.service, true)
    await playRound(sweep)
    expect(sweep.count()).toBeGreaterThan(0)
    expect(sweep.count()).toBeLessThanOrEqual(200)
    await expect
      .poll(
        async () => {
          await playRound(sweep)
          return sweep.count()
        },
        { timeout: 60_000 },
      )
      .toBe(205)
    expect(sweep.sent).toEqual([{ ...segment, epoch: 2 }])
    expect(await epochOf(segment.run)).toBe(2)
    await expect.poll(workers.statuses).toEqual({})
  } finally {
    await workers.close()
  }
})

test('an invocation without a journal is retried at the newest address; if that refuses it for 15 s, it is ended', async () => {
  const answered: string[] = []
  const workers = await startWorkers(world, {
    plain: async (durable) => {
      answered.push('began')
      await new Promise((resolve) => durable.signal.addEventListener('abort', resolve))
      throw new Error('The worker is gone')
    },
  })
  try {
    const old = await workers.startWorker()
    const segment = await world.startRun()
    await world.engine.send({ service: workers.service, handler: 'plain', object: 'a' }, {}, segmentKey(segment))
    await expect.poll(() => answered.length).toBe(1)
    const newest = await workers.startWorker()
    old.set('refused')
    await expect.poll(() => answered.length).toBe(2)
    await expect.poll(workers.statuses).toEqual({ running: 1 })

    newest.set('refused')
    const sweep = sweepOf(workers.service, true)
    const backsOff = () => expect.poll(workers.statuses, { interval: 20 }).toEqual({ 'backing-off': 1 })
    await backsOff()
    await sweep.run()
    sweep.clock.advance(runsBounds.invocationRefused.ms - 1)
    await backsOff()
    await sweep.run()
    expect(sweep.count()).toBe(0)
    sweep.clock.advance(1)
    await backsOff()
    await sweep.run()
    expect(sweep.count()).toBe(1)
    expect(sweep.sent).toEqual([{ ...segment, epoch: 2 }])
  } finally {
    await workers.close()
  }
})

test('an invocation whose attempts differ is ended at once, and its run starts again', async () => {
  let attempts = 0
  const workers = await startWorkers(world, {
    plain: async (durable) => {
      durable.keep('attempt', String(++attempts))
      throw new Error('The worker is gone')
    },
  })
  try {
    await workers.startWorker()
    const segment = await world.startRun()
    await world.engine.send({ service: workers.service, handler: 'plain', object: 'a' }, {}, segmentKey(segment))
    const sweep = sweepOf(workers.service, false)
    await expect
      .poll(async () => {
        await sweep.run()
        return sweep.count()
      })
      .toBe(1)
    expect(sweep.sent).toEqual([{ ...segment, epoch: 2 }])
    await expect.poll(workers.statuses).toEqual({})
  } finally {
    await workers.close()
  }
})

test('the engine stores no answer of a handler, so that the next attempt cannot differ from it', async () => {
  const answering = { plain: async () => 'done' } as unknown as Record<string, DurableHandler<unknown>>
  const workers = await startWorkers(world, answering)
  try {
    await workers.startWorker()
    const answer = await world.engine.call({ service: workers.service, handler: 'plain', object: 'a' }, {})
    expect(answer).toBeUndefined()
  } finally {
    await workers.close()
  }
})
