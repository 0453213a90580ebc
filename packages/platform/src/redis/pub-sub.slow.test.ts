import { openLink } from '@ars/testkit/slow/link'
import { testRedisUrl } from '@ars/testkit/stack'
import { expect, onTestFinished, test } from 'vitest'
import { createLog } from '../log/log.ts'
import { connectRedis, whenConnected } from './connection.ts'
import { openPubSub } from './pub-sub.ts'

const lines: string[] = []
const log = createLog({ level: 'info', write: (line) => lines.push(line) })

const open = async () => {
  const link = await openLink(testRedisUrl())
  const pubSub = await openPubSub({ url: link.url, log })
  onTestFinished(() => {
    pubSub.close()
    link.close()
  })
  return { link, pubSub }
}

test('a subscription to a Redis that hangs ends, and is made when Redis is back (platformBounds.redisSubscribe)', {
  timeout: 60_000,
}, async () => {
  const { link, pubSub } = await open()
  const heard: string[] = []
  const channel = `test:${Math.random()}`
  link.set('hung')
  await pubSub.subscribe(channel, (message) => heard.push(message))
  expect(pubSub.isUp()).toBe(false)
  link.set('up')
  const hears = () => {
    pubSub.publish(channel, 'hello')
    return heard.includes('hello')
  }
  await expect.poll(hears).toBe(true)
  await expect.poll(() => pubSub.isUp()).toBe(true)
})

test('a Redis that hangs is unavailable, although no connection is lost and nobody asks (platformBounds.redisPing)', {
  timeout: 60_000,
}, async () => {
  const { link, pubSub } = await open()
  expect(pubSub.isUp()).toBe(true)
  lines.length = 0
  link.set('hung')
  await expect.poll(() => pubSub.isUp()).toBe(false)
  expect(lines.join('')).toContain('redis is unavailable')
  link.set('up')
  await expect.poll(() => pubSub.isUp()).toBe(true)
  expect(lines.join('')).toContain('redis is available again')
})

test('a quiet subscriber answers pings and keeps its connection', { timeout: 30_000 }, async () => {
  const { link, pubSub } = await open()
  const heard: string[] = []
  const channel = `test:${Math.random()}`
  await pubSub.subscribe(channel, (message) => heard.push(message))
  const opened = link.opened()
  let looks = 0
  // Several pings long.
  await expect.poll(() => looks++ > 12, { interval: 200 }).toBeTruthy()
  pubSub.publish(channel, 'still here')
  await expect.poll(() => heard.length).toBe(1)
  expect(link.opened()).toBe(opened)
})

test('a connection that Redis accepts and does not answer is made again (platformBounds.redisConnect)', {
  timeout: 60_000,
}, async () => {
  const { link, pubSub } = await open()
  link.set('refused')
  await expect.poll(() => pubSub.isUp()).toBe(false)
  link.set('hung')
  const opened = link.opened()
  // The sender and the listener, each twice: the first connection of each is accepted and hears nothing.
  await expect.poll(() => link.opened() >= opened + 4, { timeout: 50_000 }).toBeTruthy()
  link.set('up')
  await expect.poll(() => pubSub.isUp()).toBe(true)
  expect(link.opened()).toBeGreaterThanOrEqual(opened + 4)
})

test('a Redis that was away is distrusted for 2 s, because messages were lost', { timeout: 60_000 }, async () => {
  const { link, pubSub } = await open()
  link.set('refused')
  await expect.poll(() => pubSub.isUp()).toBe(false)
  link.set('up')
  await expect.poll(() => pubSub.isUp()).toBe(true)
  expect(performance.now() - link.lastOpenedMs()).toBeGreaterThanOrEqual(2_000)
})

test('the version of a Redis that hangs is an error (platformBounds.redisVersion)', { timeout: 60_000 }, async () => {
  const { link, pubSub } = await open()
  expect(await pubSub.version()).toMatch(/^\d+\./)
  link.set('hung')
  await expect(pubSub.version()).rejects.toThrow()
})

test.each(['refused', 'hung'] as const)(
  'a channel that nobody follows any more after an outage (%s) is not subscribed again',
  {
    timeout: 60_000,
  },
  async (outage) => {
    const { link, pubSub } = await open()
    const channel = `test:${Math.random()}`
    const witness = connectRedis({ url: testRedisUrl(), name: 'witness', log })
    onTestFinished(() => witness.destroy())
    await whenConnected([witness])
    const subscribers = async () => (await witness.pubSubNumSub([channel]))[channel]
    await pubSub.subscribe(channel, () => undefined)
    expect(await subscribers()).toBe(1)
    link.set(outage)
    pubSub.unsubscribe(channel)
    await expect.poll(() => pubSub.isUp()).toBe(false)
    link.set('up')
    await expect.poll(() => pubSub.isUp()).toBe(true)
    await expect.poll(() => subscribers()).toBe(0)
  },
)
