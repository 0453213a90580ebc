import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { createReplayGuard, signWebhook, verifyWebhook, WebhookVerificationError } from '../src/index.ts'

type Body = string | { before: string; repeat: string; times: number; after: string }
type Vector = {
  name: string
  secrets: string[]
  now: number
  headers: Record<string, string>
  body: Body
  plain: boolean
  standard: boolean
}

const file = join(import.meta.dirname, '../../conformance/webhook-signatures.json')
const { verifying } = JSON.parse(readFileSync(file, 'utf8')) as { verifying: Vector[] }
const textOf = (body: Body): string =>
  typeof body === 'string' ? body : body.before + body.repeat.repeat(body.times) + body.after

/** The standard signature must match; the plain one if it is present and there is only one secret. */
const isGood = ({ standard, plain, headers }: Vector): boolean => {
  const isOverlap = (headers['webhook-signature'] ?? '').split(' ').length > 1
  return standard && (plain || isOverlap || headers['x-service-signature'] === undefined)
}

test.each(verifying.map((vector) => [vector.name, vector] as const))('shared vector: %s', async (_, vector) => {
  const { secrets, headers } = vector
  const now = new Date(vector.now * 1_000)
  const body = textOf(vector.body)
  for (const form of [body, new TextEncoder().encode(body)]) {
    const verdict = verifyWebhook({ body: form, headers, secret: secrets, now })
    if (isGood(vector)) expect(await verdict).toEqual(JSON.parse(body))
    else await expect(verdict).rejects.toBeInstanceOf(WebhookVerificationError)
  }
})

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const now = new Date('2026-11-15T10:00:00Z')
const sign = (body: string, { id = 'evt_1', at = now, by = secret } = {}) => ({
  'Webhook-Id': id,
  'Webhook-Timestamp': String(at.getTime() / 1_000),
  'Webhook-Signature': new Webhook(by).sign(id, at, body),
})

test('a delivery signed by the Standard Webhooks library is accepted with every type of headers', async () => {
  const body = '{"id":"evt_1","type":"test","data":{"text":"🚀 \u2028"}}'
  const headers = sign(body)
  const lists = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), [value]]))
  for (const form of [headers, lists, new Headers(headers)]) {
    expect(await verifyWebhook({ body, headers: form, secret, now })).toEqual(JSON.parse(body))
  }
})

test.each([
  ['headers_missing', { headers: {} }],
  ['signature_mismatch', { body: '{"id":"evt_2"}' }],
  ['signature_mismatch', { secret: `whsec_${Buffer.alloc(32, 8).toString('base64')}` }],
  ['too_old', { now: new Date(now.getTime() + 301_000) }],
  ['too_new', { now: new Date(now.getTime() - 301_000) }],
  ['signature_mismatch', { headers: { ...sign('{}'), 'x-service-signature': '00' } }],
  ['timestamp_invalid', { headers: { ...sign('{}'), 'Webhook-Timestamp': '1e9' } }],
  ['secret_invalid', { secret: [] }],
  ['secret_invalid', { secret: '' }],
])('rejected as %s', async (reason, change) => {
  const verdict = verifyWebhook({ body: '{}', headers: sign('{}'), secret, now, ...change })
  await expect(verdict).rejects.toMatchObject({ name: 'WebhookVerificationError', reason })
})

test('a signed body that is not an object is rejected', async () => {
  for (const body of ['', 'null', '7', '{']) {
    await expect(verifyWebhook({ body, headers: sign(body), secret, now })).rejects.toMatchObject({
      reason: 'body_invalid',
    })
  }
})

test('the tolerance is configurable', async () => {
  const late = new Date(now.getTime() + 10_000)
  const delivery = { body: '{}', headers: sign('{}'), secret, now: late }
  await expect(verifyWebhook({ ...delivery, toleranceSeconds: 9 })).rejects.toMatchObject({ reason: 'too_old' })
  expect(await verifyWebhook({ ...delivery, toleranceSeconds: 10 })).toEqual({})
})

test('during a rotation either secret is accepted, and both together', async () => {
  const next = `whsec_${Buffer.alloc(32, 9).toString('base64')}`
  const old = sign('{}')
  const both = {
    ...old,
    'Webhook-Signature': `${sign('{}', { by: next })['Webhook-Signature']} ${old['Webhook-Signature']}`,
  }
  for (const given of [secret, next, [next, secret]]) {
    expect(await verifyWebhook({ body: '{}', headers: both, secret: given, now })).toEqual({})
  }
  expect(await verifyWebhook({ body: '{}', headers: old, secret: [next, secret], now })).toEqual({})
})

test('a claimed id is not accepted again unless it was released', () => {
  const guard = createReplayGuard({ max: 2 })
  expect(guard.claim('evt_1')).toBe(true)
  expect(guard.claim('evt_1')).toBe(false)
  guard.release('evt_1')
  expect(guard.claim('evt_1')).toBe(true)
})

test('the guard keeps the newest ids up to its limit', () => {
  const guard = createReplayGuard({ max: 2 })
  for (const id of ['evt_1', 'evt_2', 'evt_3']) guard.claim(id)
  expect([guard.claim('evt_3'), guard.claim('evt_2'), guard.claim('evt_1')]).toEqual([false, false, true])
})

test('a signed test event is accepted by verifyWebhook, and a changed one is not', async () => {
  const event = { id: 'evt_1', type: 'test', created_at: '', data: { message: 'hi', webhook_id: 'wh_1' } } as const
  const signed = await signWebhook({ event, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' })
  const secret = ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw']
  expect(await verifyWebhook({ ...signed, secret })).toEqual(event)
  await expect(verifyWebhook({ ...signed, body: `${signed.body} `, secret })).rejects.toMatchObject({
    reason: 'signature_mismatch',
  })
  const old = await signWebhook({ event, secret: 'whsec_old', at: new Date('2026-01-01T00:00:00Z') })
  await expect(verifyWebhook({ ...old, secret: 'whsec_old' })).rejects.toMatchObject({ reason: 'too_old' })
  expect(old.headers['webhook-id']).toBe('evt_1')
})

test('during a rotation both secrets sign, the new one first, and the plain signature is of the old one', async () => {
  const at = new Date()
  const signed = await signWebhook({ event: '{"id":"evt_2"}', id: 'evt_2', secret: ['whsec_new', 'whsec_old'], at })
  const alone = await signWebhook({ event: '{"id":"evt_2"}', id: 'evt_2', secret: 'whsec_old', at })
  expect(signed.headers['webhook-signature']?.split(' ')[1]).toBe(alone.headers['webhook-signature'])
  expect(signed.headers['x-service-signature']).toBe(alone.headers['x-service-signature'])
  for (const secret of ['whsec_old', 'whsec_new']) {
    expect(await verifyWebhook({ ...signed, secret })).toEqual({ id: 'evt_2' })
  }
})
