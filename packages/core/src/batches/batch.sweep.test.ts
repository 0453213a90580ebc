import type { Database } from '@ars/platform/db/database'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Tenant } from '../../test/admission-world.ts'
import { type BatchWorld, openBatchWorld } from '../../test/batch-world.ts'
import { dyingAfter } from '../../test/dying-database.ts'
import { claimRows } from '../work-rows.store.ts'
import { cancelBatch, countWaitingItems, findBatch } from './batch.store.ts'
import { batchWork, lockHeld, releaseBatch, wakeBatches } from './batch-work.store.ts'
import { batchesBounds } from './bounds.ts'

let world: BatchWorld
beforeAll(async () => {
  world = await openBatchWorld()
})
afterAll(() => world.close())
beforeEach(() => world.clear())

const look = async ({ org }: Tenant, id: string) => {
  const batch = await findBatch(world.app, org, { id, agentIds: null })
  if (!batch) throw new Error('The batch is missing')
  return batch
}
const isOver = async (tenant: Tenant, id: string): Promise<boolean> => (await look(tenant, id)).finished_at !== null

/** Sweeps until the batch has ended. */
const take = async () => {
  const bounds = { count: 1, heavyCount: 1, perOrg: 2, uses: [], leaseSeconds: 30 }
  return (await claimRows(world.system, batchWork, bounds)).items
}

const finish = async (tenant: Tenant, id: string, round: () => Promise<unknown> = () => world.sweep()) => {
  for (let rounds = 0; rounds < 200 && !(await isOver(tenant, id)); rounds++) {
    await round()
    await world.completeAdmitted(tenant)
    await world.expireLeases()
  }
  return look(tenant, id)
}

/** How many runs the items have, and how many runs exist, by their input. */
const runsOf = async ({ org }: Tenant, id: string) => {
  const [row] = await world.query(
    `select (select count(distinct run_id)::integer from batch_items where batch_id = $1) as claimed,
            (select count(*)::integer from runs where org_id = $2) as runs,
            (select count(distinct input ->> 'n')::integer from runs where org_id = $2) as inputs,
            (select count(*)::integer from batch_items i join runs r on r.id = i.run_id
              where i.batch_id = $1 and r.input ->> 'n' = i.number::text) as matching,
            (select count(*)::integer from batch_waits where batch_id = $1) as waits`,
    [id, org],
  )
  return row
}
const exactly = (items: number) => ({ claimed: items, runs: items, inputs: items, matching: items, waits: 0 })

test('two workers at once start exactly one run for each item, and the end is noted once', async () => {
  const tenant = await world.addTenant(20)
  const id = await world.newBatch(tenant, 60)
  const batch = await finish(tenant, id, async () => {
    await Promise.all([world.sweep(), world.expireLeases().then(() => world.sweep())])
  })
  expect(batch).toMatchObject({ status: 'completed', completed: 60, failed: 0, refused: 0, running: 0 })
  expect(await runsOf(tenant, id)).toEqual(exactly(60))
  expect(world.ended).toMatchObject([{ id, status: 'completed', completed: 60 }])
})

test('a worker that dies at any statement starts no item twice and leaves none out', async () => {
  const tenant = await world.addTenant(10)
  const id = await world.newBatch(tenant, 40)
  for (let most = 1; most <= 40 && !(await isOver(tenant, id)); most++) {
    const dying = dyingAfter(world.app, most)
    await world.sweep({ app: dying, start: world.startOn(dying) })
    await world.expireLeases()
    if (most % 3 === 0) await world.completeAdmitted(tenant)
  }
  expect(await finish(tenant, id)).toMatchObject({ status: 'completed', completed: 40, refused: 0 })
  expect(await runsOf(tenant, id)).toEqual(exactly(40))
  expect(world.ended).toHaveLength(1)
})

test('a worker that was held up longer than its lease starts nothing that another one has started', async () => {
  const tenant = await world.addTenant(10)
  const id = await world.newBatch(tenant, 12)
  const start = world.startOn(world.app)
  let isHeldUp = true
  const lost: unknown[] = []
  await world.sweep({
    start: async (caller, item) => {
      if (isHeldUp) {
        isHeldUp = false
        await world.expireLeases()
        await world.sweep()
      }
      try {
        return await start(caller, item)
      } catch (error) {
        lost.push(error)
        throw error
      }
    },
  })
  expect(lost.length).toBeGreaterThan(0)
  expect(await finish(tenant, id)).toMatchObject({ status: 'completed', completed: 12 })
  expect(await runsOf(tenant, id)).toEqual(exactly(12))
})

test('a worker that was frozen decides nothing about a batch that another one has', async () => {
  const tenant = await world.addTenant(4)
  await world.newBatch(tenant, 3)
  const [frozen] = await take()
  await world.expireLeases()
  const [held] = await take()
  if (!frozen || !held) throw new Error('The batch is not due')
  const lock = (batch: typeof held) => world.app.transaction(tenant.org, (tx) => lockHeld(tx, tenant.org, batch))
  expect(await lock(frozen)).toBeNull()
  expect(await lock(held)).toMatchObject({ id: held.id })
})

test('runs of batches never fill the queue, and the last fifth of the organisation stays free', async () => {
  const tenant = await world.addTenant(10)
  const id = await world.newBatch(tenant, 200)
  await world.sweep()
  expect(await world.admitted(tenant)).toBe(8)
  const waiting = () =>
    world.query('select run_id from run_heads where org_id = $1 and waits_for is not null', [tenant.org])
  expect((await waiting()).length).toBeLessThanOrEqual(5)
  const [run] = await world.accept(tenant, 1, 1_000)
  expect(run?.started).toBe(true)
  await world.expireLeases()
  await world.sweep()
  expect((await waiting()).length).toBeLessThanOrEqual(5)
  expect((await look(tenant, id)).running).toBeLessThanOrEqual(13)
})

test('a cancelled batch starts nothing more, cancels its runs and keeps what has ended', async () => {
  const tenant = await world.addTenant(10)
  const id = await world.newBatch(tenant, 50)
  await world.sweep()
  const completed = await world.completeAdmitted(tenant)
  await world.app.transaction(tenant.org, (tx) => cancelBatch(tx, tenant.org, id))
  const before = await world.query('select id from runs where org_id = $1', [tenant.org])
  const batch = await finish(tenant, id)
  expect(batch).toMatchObject({ status: 'cancelled', completed, cancelled: before.length - completed, running: 0 })
  expect(batch.dropped).toBe(50 - before.length)
  expect(await world.query('select id from runs where org_id = $1', [tenant.org])).toHaveLength(before.length)
  expect(await world.query('select run_id from run_heads where org_id = $1', [tenant.org])).toEqual([])
  expect(world.ended).toMatchObject([{ id, status: 'cancelled' }])
})

test('a run that a cancel did not reach is cancelled again after 30 seconds', async () => {
  const tenant = await world.addTenant(10)
  const id = await world.newBatch(tenant, 3)
  await world.sweep()
  await world.app.transaction(tenant.org, (tx) => cancelBatch(tx, tenant.org, id))
  let passedOn = 0
  const sweepAfter = async (seconds: number): Promise<number> => {
    const earlier = [id, seconds]
    await world.query(
      'update batch_waits set cancelled_at = cancelled_at - make_interval(secs => $2::integer) where batch_id = $1',
      earlier,
    )
    await world.expireLeases()
    passedOn = 0
    await world.sweep({ cancelRun: async () => void passedOn++ })
    return passedOn
  }
  expect([await sweepAfter(0), await sweepAfter(20), await sweepAfter(11)]).toEqual([3, 0, 3])
})

test('a refusal that passes waits, and every other one is the result of its item', async () => {
  const tenant = await world.addTenant(10)
  const id = await world.newBatch(tenant, 10)
  const start = world.startOn(world.app)
  let refusals = 3
  const over: Parameters<BatchWorld['sweep']>[0] = {
    start: async (caller, item) => {
      if (item.batchItem.number % 5 === 0) return { kind: 'refused', code: 'input_invalid', message: 'No such field' }
      if (refusals-- > 0) return { kind: 'refused', code: 'concurrency_exceeded', message: '', retryAfterSeconds: 1 }
      return start(caller, item)
    },
  }
  await world.sweep(over)
  const [{ left } = {}] = await world.query('select due_at > app_now() as left from batches where id = $1', [id])
  expect(left).toBe(true)
  const batch = await finish(tenant, id, () => world.sweep(over))
  expect(batch).toMatchObject({ status: 'completed', completed: 8, refused: 2 })
  expect(
    await world.query(`select number, code, run_id from batch_items where batch_id = $1 and state = 'refused'`, [id]),
  ).toEqual([0, 5].map((number) => ({ number, code: 'input_invalid', run_id: null })))
})

test('a refusal that asks for a longer pause than batchesBounds.retryPause is tried again after this', async () => {
  const tenant = await world.addTenant(10)
  const id = await world.newBatch(tenant, 1)
  const start = async () =>
    ({ kind: 'refused', code: 'concurrency_exceeded', message: '', retryAfterSeconds: 3_600 }) as const
  await world.sweep({ start })
  const [{ left = 0 } = {}] = await world.query(
    'select extract(epoch from due_at - app_now())::float8 as left from batches where id = $1',
    [id],
  )
  expect(left).toBeGreaterThan(0)
  expect(left).toBeLessThanOrEqual(batchesBounds.retryPause.seconds)
})

test('the right of the creator is checked at each start', async () => {
  const tenant = await world.addTenant(10)
  const id = await world.newBatch(tenant, 30)
  let asked = 0
  await finish(tenant, id, () =>
    world.sweep({
      callerOf: async (org) =>
        ++asked > 12 ? null : ({ org, scopes: new Set(['runs:write']) } as unknown as Awaited<ReturnType<Asked>>),
    }),
  )
  expect(await look(tenant, id)).toMatchObject({ status: 'completed', completed: 12, refused: 18 })
  expect(await world.query('select distinct code from batch_items where code is not null')).toEqual([
    { code: 'forbidden' },
  ])
})
type Asked = NonNullable<NonNullable<Parameters<BatchWorld['sweep']>[0]>['callerOf']>

test('the event of an ended run makes its batch due', async () => {
  const tenant = await world.addTenant(4)
  const id = await world.newBatch(tenant, 2)
  await world.sweep()
  const isDue = async () => (await world.query('select due_at <= app_now() as due from batches where id = $1', [id]))[0]
  expect(await isDue()).toEqual({ due: false })
  await world.completeAdmitted(tenant)
  const events = (await world.query('select id from events where org_id = $1 order by id', [tenant.org])).map(
    (row) => row.id as string,
  )
  const batch = { ids: events, firstId: events[0] as string, lastId: events.at(-1) as string }
  await world.system.transaction(null, (tx) => wakeBatches(tx, batch))
  expect(await isDue()).toEqual({ due: true })
  await world.sweep()
  expect(await look(tenant, id)).toMatchObject({ status: 'completed', completed: 2 })
})

test('items that wait for a run are counted over all organisations', async () => {
  const tenant = await world.addTenant(4)
  const id = await world.newBatch(tenant, 5)
  const before = await countWaitingItems(world.system)
  expect(before).toBeGreaterThanOrEqual(5)
  await finish(tenant, id)
  expect(before - (await countWaitingItems(world.system))).toBe(5)
})

test('the event of a run that ended while a worker gives its batch back makes the batch due', async () => {
  const tenant = await world.addTenant(4)
  const id = await world.newBatch(tenant, 2)
  await world.sweep()
  await world.completeAdmitted(tenant)
  const events = (await world.query('select id from events where org_id = $1 order by id', [tenant.org])).map(
    (row) => row.id as string,
  )
  const ended = { ids: events, firstId: events[0] as string, lastId: events.at(-1) as string }
  await world.query('update batches set due_at = app_now() where id = $1', [id])
  const [held] = await take()
  if (!held) throw new Error('The batch is not due')
  let waking: Promise<unknown> = Promise.resolve()
  let isAwake = false
  await world.app.transaction(tenant.org, async (tx) => {
    await lockHeld(tx, tenant.org, held)
    await releaseBatch(tx, tenant.org, held, 300)
    waking = world.system
      .transaction(null, (other) => wakeBatches(other, ended))
      .then(() => {
        isAwake = true
      })
    // The wake has read the batch as it was before this transaction: it waits for its lock, or it is over.
    await expect.poll(async () => isAwake || (await isLockAwaited())).toBe(true)
  })
  await waking
  const [row] = await world.query('select due_at <= app_now() as due from batches where id = $1', [id])
  expect(row).toEqual({ due: true })
})

const isLockAwaited = async (): Promise<boolean> => {
  const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  return (await world.query(waiting)).length > 0
}

test('items that were not started within the time of a batch are refused (batchLimits.batchMaxDays)', async () => {
  const tenant = await world.addTenant(4)
  const id = await world.newBatch(tenant, 5)
  await world.query(`update batches set created_at = app_now() - interval '8 days' where id = $1`, [id])
  expect(await finish(tenant, id)).toMatchObject({ status: 'completed', refused: 5 })
})

test('an item whose start fails the service five times in a row is refused, and the others have their runs', async () => {
  const tenant = await world.addTenant(10)
  const id = await world.newBatch(tenant, 5)
  const start = world.startOn(world.app)
  const poisoned: Parameters<typeof world.sweep>[0] = {
    start: (caller, item) => (item.batchItem.number === 2 ? Promise.reject(new Error('poison')) : start(caller, item)),
  }
  const batch = await finish(tenant, id, async () => {
    await world.sweep(poisoned)
    await world.expireLeases()
  })
  expect(batch).toMatchObject({ status: 'completed', completed: 4, refused: 1 })
  const [item] = await world.query('select state, code from batch_items where batch_id = $1 and number = 2', [id])
  expect(item).toEqual({ state: 'refused', code: 'internal_error' })
})

test('an item that fails the service ends alone, also if the others find no place meanwhile', async () => {
  const tenant = await world.addTenant(10)
  const id = await world.newBatch(tenant, 5)
  const start = world.startOn(world.app)
  let isFull = true
  const poisoned: Parameters<typeof world.sweep>[0] = {
    start: (caller, item) => {
      if (item.batchItem.number === 0) return Promise.reject(new Error('poison'))
      const full = { kind: 'refused', code: 'concurrency_exceeded', message: '', retryAfterSeconds: 1 } as const
      return isFull ? Promise.resolve(full) : start(caller, item)
    },
  }
  const round = async () => {
    await world.sweep(poisoned)
    await world.expireLeases()
  }
  for (let rounds = 0; rounds < 10 && (await look(tenant, id)).refused === 0; rounds++) await round()
  expect(await look(tenant, id)).toMatchObject({ status: 'running', refused: 1 })
  isFull = false
  expect(await finish(tenant, id, round)).toMatchObject({ status: 'completed', completed: 4, refused: 1 })
  expect(
    await world.query(`select number, code from batch_items where batch_id = $1 and state = 'refused'`, [id]),
  ).toEqual([{ number: 0, code: 'internal_error' }])
})

test('a batch whose turns all fail ends: the items that wait are refused (batchesBounds.batchTries)', async () => {
  const tenant = await world.addTenant(10)
  const id = await world.newBatch(tenant, 3)
  const once: Database['once'] = (org, each) =>
    each.name === 'batches.startable' ? Promise.reject(new Error('poison')) : world.app.once(org, each)
  const batch = await finish(tenant, id, async () => {
    await world.sweep({ app: { ...world.app, once } })
    await world.expireLeases()
  })
  expect(batch).toMatchObject({ status: 'completed', completed: 0, refused: 3 })
})

test('the items of a batch are erased in rounds of batchesBounds.erasuresTogether', async () => {
  const { count } = batchesBounds.erasuresTogether
  const tenant = await world.addTenant(10)
  const id = await world.newBatch(tenant, 2 * count + 50)
  await world.query(
    `update batches set status = 'completed', finished_at = app_now(), erase_asked_at = app_now(), due_at = app_now() where id = $1`,
    [id],
  )
  const erased: unknown[] = []
  const app: Database = {
    ...world.app,
    transaction: (org, work) =>
      world.app.transaction(org, (tx) =>
        work({
          ...tx,
          query: (statement) => {
            if (statement.name === 'batches.erase_items') erased.push(statement.values.slice(-2))
            return tx.query(statement)
          },
        }),
      ),
  }
  await world.sweep({ app })
  expect(erased).toEqual([
    [0, count],
    [count, 2 * count],
    [2 * count, 2 * count + 50],
  ])
})
