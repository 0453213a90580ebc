import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newSecret, signatureHeaders } from './signature.ts'

type Body = string | { before: string; repeat: string; times: number; after: string }
type Vector = {
  name: string
  secrets: string[]
  id: string
  timestamp: string | number
  body: Body
  x_service_signature: string
  webhook_signature: string
}

const file = join(import.meta.dirname, '../../../sdks/conformance/webhook-signatures.json')
const { signing } = JSON.parse(readFileSync(file, 'utf8')) as { signing: Vector[] }

const textOf = (body: Body): string =>
  typeof body === 'string' ? body : body.before + body.repeat.repeat(body.times) + body.after

// Two secrets exist only during a rotation, which the secret of `ars listen` does not have.
const vectors = signing.filter(({ secrets }) => secrets.length === 1)

test.each(vectors)('a forwarded event is signed like a delivery: $name', (vector) => {
  const { secrets, id, timestamp, body } = vector
  const at = new Date(Number(timestamp) * 1_000)
  expect(signatureHeaders({ secret: secrets[0] ?? '', id, at, body: textOf(body) })).toEqual({
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': vector.webhook_signature,
    'X-SERVICE-Signature': vector.x_service_signature,
  })
})

test('a new secret has the format of the service', () => {
  expect(newSecret()).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
})
