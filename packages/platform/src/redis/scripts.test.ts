import { testRedisUrl } from '@ars/testkit/stack'
import { describe, expect, test } from 'vitest'
import { createLog } from '../log/log.ts'
import { connectRedis, whenConnected } from './connection.ts'
import { openScripts, script } from './scripts.ts'

const log = createLog({ level: 'silent' })

describe('a script', () => {
  test('is loaded again if Redis does not know it', async () => {
    const scripts = await openScripts({ url: testRedisUrl(), log })
    const sum = script('return ARGV[1] + ARGV[2]')
    expect(await scripts.run(sum, [], ['40', '2'])).toBe(42)
    const client = connectRedis({ url: testRedisUrl(), name: 'test', log })
    await whenConnected([client])
    await client.scriptFlush()
    client.destroy()
    expect(await scripts.run(sum, [], ['20', '1'])).toBe(21)
    expect(await scripts.run(script('return {#KEYS, KEYS[1]}'), ['a'], [])).toEqual([1, 'a'])
    scripts.close()
  })

  test('that fails reports an error and keeps the connection', async () => {
    const scripts = await openScripts({ url: testRedisUrl(), log })
    await expect(scripts.run(script(`return redis.call('INCR')`), [], [])).rejects.toThrow(/number of args/)
    expect(await scripts.ping()).toBe(true)
    scripts.close()
  })
})
