import { expect, test } from 'vitest'
import { createLog } from '../log/log.ts'
import { createLocalPubSub } from './local-pub-sub.ts'

test('a message reaches the subscriber of its channel later, and a subscriber that throws ends nothing', async () => {
  const lines: string[] = []
  const pubSub = createLocalPubSub(createLog({ level: 'warn', write: (line) => lines.push(line) }))
  const heard: string[] = []
  await pubSub.subscribe('a', (message) => heard.push(message))
  await pubSub.subscribe('b', () => {
    throw new Error('broken')
  })
  pubSub.publish('b', 'x')
  pubSub.publish('a', 'one')
  pubSub.publish('c', 'nobody')
  expect(heard).toEqual([])
  await expect.poll(() => heard).toEqual(['one'])
  expect(lines.join('')).toContain('a message could not be processed')
  pubSub.unsubscribe('a')
  pubSub.publish('a', 'two')
  await new Promise((resolve) => setImmediate(resolve))
  expect(heard).toEqual(['one'])
  expect(pubSub.isUp()).toBe(true)
})
