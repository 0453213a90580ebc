import { limits } from '@ars/contract'
import type { StreamAnswer } from '@ars/platform/egress/egress'
import { EgressFailed } from '@ars/platform/egress/failure'
import { createLog } from '@ars/platform/log/log'
import { createWorkLoop, type WorkLoop } from '@ars/platform/work/loop'
import { fakeClock, moveDatabaseClock } from '@ars/testkit/clock'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { type EndpointQueueWorld, openEndpointQueueWorld } from '../../../test/endpoint-queue-world.ts'
import { relayEvents } from '../../../test/relay-events.ts'
import { webhooksBounds } from '../bounds.ts'
import { createSender, deliveryBounds } from './sender.service.ts'

let world: EndpointQueueWorld
beforeAll(async () => {
  world = await openEndpointQueueWorld(4)
})
afterAll(() => world.close())
beforeEach(() => world.query('truncate webhooks, events, deliveries, delivery_heads, delivery_attempts cascade'))

const nothing: StreamAnswer['body'] = {
  [Symbol.asyncIterator]: () => ({ next: async () => ({ value: undefined, done: true }) }),
}

type Outside = Partial<{
  post(org: string): Promise<number>
  bodyOf(): Promise<string | null>
  open(): Promise<string>
  lines: string[]
}>

type Sender = Pick<WorkLoop, 'nudge' | 'drain' | 'isIdle'>

/** The loop of a sender whose endpoints, bodies and keys are set by the test. */
const openSender = (
  outside: Outside,
  places = 128,
): { sender: Sender; posts: () => number; clock: ReturnType<typeof fakeClock> } => {
  const clock = fakeClock()
  let posts = 0
  const stream = async ({ org = '' }: { org?: string | undefined }): Promise<StreamAnswer> => {
    posts++
    const status = (await outside.post?.(org)) ?? 204
    return { status, headers: new Headers(), remoteAddress: '192.0.2.1', body: nothing }
  }
  const open = outside.open ?? (() => Promise.resolve('whsec_secret'))
  const log = createLog({ level: 'info', write: (line) => outside.lines?.push(line) })
  const { queue } = createSender({
    deliveries: world.system,
    deliveryEgress: { stream },
    secrets: { open, seal: () => Promise.reject(), fingerprint: () => Promise.reject() },
    disable: () => Promise.resolve(),
    bodyOf: outside.bodyOf ?? (() => Promise.resolve('{}')),
    clock,
    log,
    onAttempt: () => undefined,
  })
  const metrics = { onTurn: () => undefined }
  const loop = createWorkLoop(queue, deliveryBounds(places), { clock, log, metrics })
  onTestFinished(() => loop.drain())
  let nudge = (): void => {
    loop.start()
    nudge = loop.nudge
  }
  const sender = { ...loop, nudge: () => nudge() }
  return { sender, posts: () => posts, clock }
}

const plantDeliveries = async (count: number, endpoints = 1, type = 'agent.updated'): Promise<string> => {
  const org = await world.addOrganisation()
  for (let n = 0; n < endpoints; n++) await world.addWebhook(org)
  await world.addEvents(org, count, { type })
  while ((await relayEvents(world.system))?.length);
  return org
}

const settle = (sender: Sender): Promise<void> => untilTrue(async () => sender.isIdle())
const untilTrue = async (probe: () => Promise<boolean>): Promise<void> => {
  while (!(await probe())) await new Promise((resolve) => setTimeout(resolve, 10))
}

type Row = { status: string; number: number | null; attempts: number; error: string | null }
const rows = (): Promise<Row[]> =>
  world.query<Row>(
    `select d.status, h.number::integer, (select count(*)::integer from delivery_attempts a where a.delivery_id = d.id) as attempts,
            d.error from deliveries d left join delivery_heads h on h.delivery_id = d.id order by d.id`,
  )

test('all due deliveries are sent, even if an endpoint has ten and the worker few slots', async () => {
  await plantDeliveries(25, 2)
  const { sender, posts } = openSender({}, 16)
  sender.nudge()
  await untilTrue(async () => (await rows()).every(({ status }) => status === 'succeeded'))
  expect(posts()).toBe(50)
})

test('endpoints that do not answer leave places for organisations that used little', async () => {
  const slow: string[] = []
  for (let n = 0; n < 4; n++) slow.push(await plantDeliveries(20, 2))
  let answer = Promise.withResolvers<number>()
  const posted: string[] = []
  const post = (org: string): Promise<number> => {
    posted.push(org)
    return slow.includes(org) ? answer.promise : Promise.resolve(204)
  }
  const { sender, clock } = openSender({ post }, 16)
  sender.nudge()
  await untilTrue(async () => posted.length === 16)
  // Each has its share, and nobody knew before that they are slow.
  expect(slow.map((org) => posted.filter((each) => each === org).length)).toEqual([4, 4, 4, 4])
  clock.advance(9_000)
  const first = answer
  answer = Promise.withResolvers<number>()
  first.resolve(204)
  await untilTrue(async () => posted.length === 30)
  const quiet = await plantDeliveries(1)
  sender.nudge()
  await untilTrue(async () => posted.includes(quiet))
  expect(posted).toHaveLength(31)
  answer.resolve(204)
  sender.drain()
  await settle(sender)
})

test('bodies of at most 256 MiB are loaded at once', async () => {
  await plantDeliveries(10, 4)
  const body = Promise.withResolvers<string>()
  let asked = 0
  const { sender } = openSender({
    bodyOf: () => {
      asked++
      return body.promise
    },
  })
  sender.nudge()
  const isHeld = async () => (await rows()).filter(({ number }) => number === 1).length === 32
  await untilTrue(isHeld)
  expect(asked).toBe(Math.floor(webhooksBounds.bodiesInFlight.bytes / (limits.outputBytes + 2 * limits.bodyBytes)))
  body.resolve('{}')
  await untilTrue(async () => (await rows()).every(({ status }) => status === 'succeeded'))
})

test('each attempt has a log line with the id of the run that the event is about', async () => {
  await plantDeliveries(1, 1, 'run.completed')
  const lines: string[] = []
  const { sender } = openSender({ lines, post: () => Promise.resolve(500) })
  sender.nudge()
  await untilTrue(async () => lines.length > 0)
  const [event] = await world.query<{ id: string; subject_id: string }>('select id, subject_id from events')
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({
      msg: 'delivery attempt ended',
      run_id: event?.subject_id,
      event_id: event?.id,
      attempt: 1,
      outcome: 'failed',
      http_status: 500,
    }),
  ])
  await settle(sender)
})

test('a delivery that cannot be prepared is not sent and uses no attempt', async () => {
  await plantDeliveries(1)
  let isAway = true
  const open = () => (isAway ? Promise.reject(new Error('the key service is away')) : Promise.resolve('whsec_secret'))
  const { sender, posts } = openSender({ open })
  sender.nudge()
  await settle(sender)
  expect([posts(), await rows()]).toEqual([0, [{ status: 'pending', number: 0, attempts: 0, error: null }]])
  isAway = false
  await moveDatabaseClock(world.database.ownerUrl, 1000)
  sender.nudge()
  await settle(sender)
  expect([posts(), await rows()]).toMatchObject([1, [{ status: 'succeeded', attempts: 1 }]])
})

test('a delivery that gets no connection of ours is sent later and uses no attempt', async () => {
  await plantDeliveries(1)
  let isBusy = true
  const post = () =>
    isBusy ? Promise.reject(new EgressFailed('No connection', { kind: 'busy' })) : Promise.resolve(204)
  const { sender, posts } = openSender({ post })
  sender.nudge()
  await settle(sender)
  expect([posts(), await rows()]).toEqual([1, [{ status: 'pending', number: 0, attempts: 0, error: null }]])
  isBusy = false
  await moveDatabaseClock(world.database.ownerUrl, 1000)
  sender.nudge()
  await settle(sender)
  expect([posts(), await rows()]).toMatchObject([2, [{ status: 'succeeded', attempts: 1 }]])
})

test('an attempt that would outlive its lease is not started', async () => {
  await plantDeliveries(1)
  const { sender, posts, clock } = openSender({
    bodyOf: async () => {
      clock.advance(4001)
      return '{}'
    },
  })
  sender.nudge()
  await settle(sender)
  expect([posts(), await rows()]).toMatchObject([0, [{ status: 'pending', number: 0, attempts: 0 }]])
})

test('a draining sender releases unsent deliveries and starts none', async () => {
  await plantDeliveries(1)
  const body = Promise.withResolvers<string>()
  let asked = 0
  const { sender, posts } = openSender({
    bodyOf: () => {
      asked++
      return body.promise
    },
  })
  sender.nudge()
  await untilTrue(async () => asked === 1)
  sender.drain()
  body.resolve('{}')
  await settle(sender)
  sender.nudge()
  expect([posts(), sender.isIdle(), await rows()]).toMatchObject([0, true, [{ status: 'pending', number: 0 }]])
})

test('an event that is no longer stored ends its delivery, with a message', async () => {
  await plantDeliveries(1)
  const { sender, posts } = openSender({ bodyOf: () => Promise.resolve(null) })
  sender.nudge()
  await settle(sender)
  expect(posts()).toBe(0)
  expect(await rows()).toMatchObject([
    { status: 'failed', attempts: 0, error: expect.stringMatching(/no longer kept/) },
  ])
})

test('every endpoint behaviour is recorded; our own failures are recorded as interrupted', async () => {
  await plantDeliveries(1)
  const ends = [
    () => Promise.reject(new EgressFailed('Gone for lunch', { kind: 'reset' })),
    () => Promise.reject(new Error('a bug')),
  ]
  const { sender } = openSender({ post: () => ends.shift()?.() ?? Promise.resolve(200) })
  for (const pauseMs of [0, 1000, 5000]) {
    await moveDatabaseClock(world.database.ownerUrl, pauseMs)
    sender.nudge()
    await settle(sender)
  }
  const attempts = await world.query<{ error: string | null }>('select error from delivery_attempts order by number')
  expect(attempts.map(({ error }) => error)).toEqual([
    'reset: Gone for lunch',
    'interrupted: The attempt failed on our side',
    null,
  ])
  expect(await rows()).toMatchObject([{ status: 'succeeded', attempts: 3 }])
})
