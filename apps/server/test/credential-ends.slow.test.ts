import { afterAll, beforeAll, describe, test } from 'vitest'
import { expectRefusals, type Idle, startIdle } from './credential-ends/refusals.ts'
import { ways } from './credential-ends/ways.ts'

let idle: Idle
/** A gateway without Redis. */
let alone: { url: string }
beforeAll(async () => {
  idle = await startIdle()
  const { app } = idle
  alone = await app.join('gateway', { ARS_REDIS_URL: 'redis://127.0.0.1:1', ARS_PUBLIC_URL: app.url })
})
afterAll(() => idle.app.stop())

const noticedLater = Object.entries(ways).filter(([, { isPublished }]) => !isPublished)

describe('with Redis', () => {
  test.concurrent.for(noticedLater)('%s: every open request and operation is refused', async ([name, way]) => {
    await expectRefusals(idle, idle.app.url, `with Redis: ${name}`, way)
  })
})

describe('while Redis is away', () => {
  test.concurrent.for(Object.entries(ways))('%s: every open request and operation is refused', async ([name, way]) => {
    await expectRefusals(idle, alone.url, `without Redis: ${name}`, way)
  })
})
