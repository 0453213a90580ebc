import { createHmac } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { bodySignature, newSigningSecret, signatureHeaders } from './signature.ts'

const id = 'msg_p5jXN8AQM9LWM0D4loKWxJek'
const at = new Date(1_614_265_330_999)
const body = '{"test": 2432232314}'

test('a request is signed as the libraries of Standard Webhooks expect it', () => {
  // The example of the specification.
  const headers = signatureHeaders({ secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'], id, at, body })
  expect(headers).toEqual({
    'webhook-id': id,
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  })
})

test.each([
  ['plain', '{"test": 2432232314}'],
  ['empty', '{}'],
  ['with an emoji and a line separator', '{"text":"🦊\u2028é"}'],
  ['of a megabyte', JSON.stringify({ text: 'x'.repeat(1_048_576) })],
])('the library that receivers use accepts a body that is %s, before, during and after a rotation', (_, text) => {
  const [current, old, stranger] = [newSigningSecret(), newSigningSecret(), newSigningSecret()]
  const now = new Date()
  const sign = (secrets: readonly [string, string?]) => signatureHeaders({ secrets, id, at: now, body: text })
  const verify = (secret: string, headers: Record<string, string>) => new Webhook(secret).verify(text, headers)
  expect(verify(old, sign([old]))).toEqual(JSON.parse(text))
  for (const secret of [current, old]) expect(verify(secret, sign([current, old]))).toEqual(JSON.parse(text))
  expect(() => verify(old, sign([current]))).toThrow('No matching signature')
  expect(() => verify(stranger, sign([current, old]))).toThrow('No matching signature')
})

test('during a rotation both secrets sign, the current one first', () => {
  const [current, old] = [newSigningSecret(), newSigningSecret()]
  const alone = (secret: string) => signatureHeaders({ secrets: [secret], id, at, body })['webhook-signature']
  expect(signatureHeaders({ secrets: [current, old], id, at, body })['webhook-signature']).toBe(
    `${alone(current)} ${alone(old)}`,
  )
})

test.each([
  ['text that is no base64', 'whsec_correct-horse-battery-staple'],
  ['base64 of 23 bytes', `whsec_${Buffer.alloc(23, 7).toString('base64')}`],
  ['base64 of 65 bytes', `whsec_${Buffer.alloc(65, 7).toString('base64')}`],
  ['base64 without its padding', `whsec_${Buffer.alloc(25, 7).toString('base64').replaceAll('=', '')}`],
  ['base64 of the other alphabet', `whsec_${Buffer.alloc(32, 255).toString('base64url')}`],
])('a customer’s own secret that is %s is used as written', (_, secret) => {
  const signature = createHmac('sha256', secret).update(`${id}.1614265330.${body}`).digest('base64')
  expect(signatureHeaders({ secrets: [secret], id, at, body })['webhook-signature']).toBe(`v1,${signature}`)
})

test.each([24, 25, 26, 32, 64])('base64 of %i bytes is decoded, as in the libraries', (bytes) => {
  const key = Buffer.alloc(bytes, 251)
  const signature = createHmac('sha256', key).update(`${id}.1614265330.${body}`).digest('base64')
  const headers = signatureHeaders({ secrets: [`whsec_${key.toString('base64')}`], id, at, body })
  expect(headers['webhook-signature']).toBe(`v1,${signature}`)
})

test('the signature of the body alone is lowercase hex, keyed with the whole secret, over its bytes', () => {
  // Made with: printf '%s' '{"emoji":"🦊"}' | openssl dgst -sha256 -hmac 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
  expect(bodySignature('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', '{"emoji":"🦊"}')).toBe(
    'df7c2919fcda814dd6cfb036c5f29664b5e5492971c196dc1a39733b6453a06d',
  )
})

test('a signing secret is whsec_ and 32 random bytes', () => {
  const secrets = Array.from({ length: 50 }, newSigningSecret)
  for (const secret of secrets) {
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).toHaveLength(32)
  }
  expect(new Set(secrets).size).toBe(secrets.length)
})
