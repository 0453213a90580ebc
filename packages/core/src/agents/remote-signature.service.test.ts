import { expect, test } from 'vitest'
import { newSigningSecret, signatureHeaders } from './remote-signature.service.ts'

test('a request is signed as the libraries of Standard Webhooks expect it', () => {
  // The example that the specification itself publishes.
  const headers = signatureHeaders({
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    at: new Date(1_614_265_330_999),
    body: '{"test": 2432232314}',
  })
  expect(headers).toEqual({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  })
})

test('a signing secret is whsec_ and 32 bytes, and never the same twice', () => {
  const secrets = Array.from({ length: 50 }, newSigningSecret)
  for (const secret of secrets) {
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).toHaveLength(32)
  }
  expect(new Set(secrets).size).toBe(secrets.length)
})
