import { setTimeout as sleep } from 'node:timers/promises'
import type { GatewayParts } from '@ars/core'
import { serverBounds } from '../bounds.ts'
import { describe, type Finding } from './finding.ts'

const tries = serverBounds.redisTries.count
const pauseMs = 1_000

/** A busy machine may need a second to connect, which is no fault. */
const versionOf = async (pubSub: GatewayParts['pubSub'], tried = 1): Promise<string | { fault: string }> => {
  try {
    return await pubSub.version()
  } catch (error) {
    if (tried === tries) return { fault: describe(error) }
    await sleep(pauseMs)
    return versionOf(pubSub, tried + 1)
  }
}

/** What an installation without Redis lacks. */
export const withoutRedis =
  'rate limits are counted in the process and begin anew when it starts, changes by admin commands take effect up to seconds later, and no second process can serve'

export const checkRedis = async ({ config, pubSub }: GatewayParts): Promise<Finding[]> => {
  const what = 'redis'
  if (config.redisUrl === undefined)
    return [{ what, found: `ARS_REDIS_URL is not set: ${withoutRedis}`, isSkipped: true }]
  const found = await versionOf(pubSub)
  if (typeof found === 'string') return [{ what, found }]
  return [
    {
      what,
      found: found.fault,
      advice:
        'Check ARS_REDIS_URL. Without Redis runs continue, results arrive up to 1 s later, and each gateway counts rate limits alone.',
    },
  ]
}
