import { openLink } from '@ars/testkit/slow/link'
import { testRedisUrl } from '@ars/testkit/stack'
import { describe, expect, test } from 'vitest'
import { createLog } from '../log/log.ts'
import { openScripts, script } from './scripts.ts'

const log = createLog({ level: 'silent' })

describe('a script', () => {
  test('fails if Redis is unavailable', async () => {
    const scripts = await openScripts({ url: 'redis://127.0.0.1:1', log })
    await expect(scripts.run(script('return 1'), [], [])).rejects.toThrow()
    expect(await scripts.ping()).toBe(false)
    scripts.close()
  })

  test('times out without a response, and after several timeouts the connection is replaced (platformBounds.redisCommand, platformBounds.redisSilence)', async () => {
    const link = await openLink(testRedisUrl())
    const scripts = await openScripts({ url: link.url, log })
    link.set('hung')
    await expect(scripts.run(script('return 1'), [], [])).rejects.toThrow('No answer within 50 ms')
    const opened = link.opened()
    await expect.poll(async () => (await scripts.ping()) || link.opened() > opened, { timeout: 20_000 }).toBe(true)
    link.set('up')
    await expect.poll(() => scripts.ping(), { timeout: 20_000 }).toBe(true)
    scripts.close()
    link.close()
  })
})
