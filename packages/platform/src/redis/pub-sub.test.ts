import { testRedisUrl } from '@ars/testkit/stack'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createLog } from '../log/log.ts'
import { openPubSub } from './pub-sub.ts'
import { openRedisLink } from './redis-link.fixture.ts'

const lines: string[] = []
const log = createLog({ level: 'info', write: (line) => lines.push(line) })

const open = async () => {
  const link = await openRedisLink(testRedisUrl())
  const pubSub = await openPubSub({ url: link.url, log })
  onTestFinished(() => {
    pubSub.close()
    link.close()
  })
  return { link, pubSub }
}

test('a subscription to a Redis that hangs ends, and is made when Redis is back', { timeout: 60_000 }, async () => {
  const { link, pubSub } = await open()
  const heard: string[] = []
  const channel = `test:${Math.random()}`
  link.set('silent')
  await pubSub.subscribe(channel, (message) => heard.push(message))
  expect(pubSub.isUp()).toBe(false)
  link.set('up')
  await vi.waitUntil(
    () => {
      pubSub.publish(channel, 'hello')
      return heard.includes('hello')
    },
    { timeout: 30_000 },
  )
  await vi.waitUntil(() => pubSub.isUp(), { timeout: 30_000 })
})

test('a Redis that hangs is unavailable, although no connection is lost and nobody asks', {
  timeout: 60_000,
}, async () => {
  const { link, pubSub } = await open()
  expect(pubSub.isUp()).toBe(true)
  lines.length = 0
  link.set('silent')
  await vi.waitUntil(() => !pubSub.isUp(), { timeout: 30_000 })
  expect(lines.join('')).toContain('redis is unavailable')
  link.set('up')
  await vi.waitUntil(() => pubSub.isUp(), { timeout: 30_000 })
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
  await vi.waitUntil(() => looks++ > 12, { interval: 200, timeout: 20_000 })
  pubSub.publish(channel, 'still here')
  await vi.waitUntil(() => heard.length === 1)
  expect(link.opened()).toBe(opened)
})
