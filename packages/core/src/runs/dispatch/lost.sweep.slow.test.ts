import type { DurableHandler } from '@ars/platform/durable/worker'
import { createLog } from '@ars/platform/log/log'
import { asClient } from '@ars/testkit/client'
import { fakeClock } from '@ars/testkit/clock'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWorkers } from '../../../test/engine-workers.slow.ts'
import { type EngineWorld, openEngineWorld } from '../../../test/engine-world.ts'
import { type Segment, segmentKey } from '../run/segment.ts'
import { lostSweep } from './lost.sweep.ts'
import { maxRefusedMs } from './lost.ts'

const log = createLog({ level: 'silent' })
let world: EngineWorld
beforeAll(async () => {
  world = await openEngineWorld()
})
afterAll(() => world.close())

const begun = new Set<string>()

/** What an invocation of an earlier release looked like: with a journal, and so pinned to the address of its worker. */
const journalled: DurableHandler<{ object: string }> = async (durable, { object }) => {
  durable.keep('step', 'one')
  // The journal is sent with the end of an attempt.
  if (!begun.has(object)) {
    begun.add(object)
    throw new Error('The worker falls')
  }
  await new Promise((resolve) => durable.signal.addEventListener('abort', resolve))
  throw new Error('The worker is gone')
}

const sweepOf = (service: string, answers: boolean) => {
  const clock = fakeClock()
  const sent: Segment[] = []
  const reasons: string[] = []
  const sweep = lostSweep({
    system: world.system,
    engine: world.engine,
    dispatcher: { send: (segment) => void sent.push(segment) },
    health: { answeredMs: () => (answers ? clock.monotonicMs() : Number.NEGATIVE_INFINITY) },
    clock,
    log,
    onLost: (reason) => void reasons.push(reason),
    services: [service],
  })
  return { clock, sent, reasons, run: () => sweep.run() }
}

const epochOf = (run: string): Promise<number> =>
  asClient(world.database.superuserUrl, async (client) => {
    const { rows } = await client.query('select epoch from run_heads where run_id = $1', [run])
    return rows[0].epoch
  })

test('invocations that are pinned to an address that workers have left are ended, 200 a round, and their runs start again', async () => {
  const workers = await startWorkers(world, { journalled })
  try {
    const old = await workers.startWorker()
    const segment = await world.startRun()
    const send = (object: string, key: string) =>
      world.engine.send({ service: workers.service, handler: 'journalled', object }, { object }, key)
    await send('the-run', segmentKey(segment))
    let left = 204
    const sendOthers = async () => {
      while (left-- > 0) await send(`other-${left}`, `other-${left}`)
    }
    await Promise.all(Array.from({ length: 4 }, sendOthers))
    await expect
      .poll(async () => (begun.size === 205 ? workers.statuses() : {}), { timeout: 60_000 })
      .toEqual({ running: 205 })
    await workers.startWorker()
    old.set('refused')
    // One may be in an attempt at this moment.
    await expect.poll(async () => (await workers.statuses())['backing-off'], { timeout: 60_000 }).toBeGreaterThan(200)

    const deaf = sweepOf(workers.service, false)
    await deaf.run()
    expect(deaf.reasons).toEqual([])

    const sweep = sweepOf(workers.service, true)
    await sweep.run()
    expect(sweep.reasons.length).toBeGreaterThan(0)
    expect(sweep.reasons.length).toBeLessThanOrEqual(200)
    await expect
      .poll(
        async () => {
          await sweep.run()
          return sweep.reasons
        },
        { timeout: 60_000 },
      )
      .toEqual(Array.from({ length: 205 }, () => 'moved'))
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
    sweep.clock.advance(maxRefusedMs - 1)
    await backsOff()
    await sweep.run()
    expect(sweep.reasons).toEqual([])
    sweep.clock.advance(1)
    await backsOff()
    await sweep.run()
    expect(sweep.reasons).toEqual(['refused'])
    expect(sweep.sent).toEqual([{ ...segment, epoch: 2 }])
  } finally {
    await workers.close()
  }
})

test('an invocation whose journal does not match its handler is ended, and one that runs is not', async () => {
  let tries = 0
  const workers = await startWorkers(world, {
    odd: async (durable) => {
      tries++
      if (tries > 1) return 'stale'
      durable.keep('step', 'one')
      throw new Error('The worker falls')
    },
    journalled,
  })
  try {
    await workers.startWorker()
    await world.engine.send({ service: workers.service, handler: 'odd', object: 'a' }, {}, 'odd')
    await world.engine.send({ service: workers.service, handler: 'journalled', object: 'b' }, { object: 'b' }, 'slow')
    const sweep = sweepOf(workers.service, true)
    await expect
      .poll(async () => {
        await sweep.run()
        return sweep.reasons
      })
      .toEqual(['mismatch'])
    await expect.poll(workers.statuses).toEqual({ running: 1 })
    expect(sweep.sent).toEqual([])
  } finally {
    await workers.close()
  }
})
