import type { ReservedShare } from '@ars/platform/byte-budget'
import type { FastifyRequest } from 'fastify'
import { expect, test } from 'vitest'
import { createByteBounds } from './byte-bounds.ts'

const requestOf = (org: string) => ({ caller: { org }, address: '192.0.2.1' }) as FastifyRequest
const mib = 1_048_576

test('an organisation sends one large body at a time, however small a second one is; others send theirs', () => {
  const refused: string[] = []
  const bounds = createByteBounds({
    what: 'large request bodies in flight',
    maxBytes: 100 * mib,
    isOneAtATime: true,
    onRefused: (reason) => refused.push(reason),
  })
  const held = bounds.take(requestOf('one'), 1) as ReservedShare
  expect(bounds.take(requestOf('one'), 1)).toMatchObject({
    code: 'rate_limited',
    message: expect.stringContaining('one of the large request bodies in flight at a time'),
    retryAfterSeconds: 1,
  })
  expect(refused).toEqual(['organisation'])
  // Its values need more than its text.
  expect(bounds.resize(held, 60 * mib)).toBeNull()
  expect(bounds.take(requestOf('other'), 40 * mib)).not.toHaveProperty('code')
  held.giveBack()
  expect(bounds.take(requestOf('one'), 1)).not.toHaveProperty('code')
})
