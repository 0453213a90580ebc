import { expect, test } from 'vitest'
import { keptBody, keptHeaders, meaningOf } from './attempt.ts'

test('only 2xx acknowledges', () => {
  const acknowledged = Array.from({ length: 500 }, (_, at) => at + 100).filter(
    (status) => meaningOf(status).outcome === 'acknowledged',
  )
  expect([acknowledged[0], acknowledged.at(-1), acknowledged.length]).toEqual([200, 299, 100])
  expect(meaningOf(410).outcome).toBe('gone')
})

test.each([
  [302, 'The endpoint answered 302: redirects are not followed'],
  [500, 'The endpoint answered 500'],
  [410, 'The endpoint answered 410: it is gone, and the webhook is disabled'],
])('a response of %i gets a readable message', (status, words) => {
  expect(meaningOf(status).error).toBe(words)
})

test('a stored response is text that the database accepts, of at most 16 KB (limits.deliveryAnswerBytes)', () => {
  expect(keptBody(Buffer.from('fine 🙂'))).toBe('fine 🙂')
  expect(keptBody(Buffer.from([0x61, 0, 0xff, 0x62]))).toBe('a\ufffdb')
  const binary = keptBody(Buffer.alloc(16_384, 0xff))
  expect(Buffer.byteLength(binary)).toBeLessThanOrEqual(16_384)
  expect(binary).toMatch(/^\ufffd+$/)
})

test('a bounded number of response headers is stored, and no cookie (webhooksBounds.answerHeaders)', () => {
  const many = Array.from({ length: 200 }, (_, at): [string, string] => [`x-${at}`, 'v'])
  expect(Object.keys(keptHeaders(many))).toHaveLength(50)
  expect(Object.keys(keptHeaders([['x-large', 'v'.repeat(9000)]]))).toEqual([])
  expect(keptHeaders([['set-cookie', 'session=secret']])).toEqual({ 'set-cookie': '[redacted]' })
})
