import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { bodySignature, signatureHeaders } from '@ars/platform/signature'
import { describe, expect, test } from 'vitest'

type Body = string | { before: string; repeat: string; times: number; after: string }
type Signing = {
  name: string
  secrets: [current: string, old?: string]
  id: string
  timestamp: number
  body: Body
  x_service_signature: string
  webhook_signature: string
}

const folder = fileURLToPath(new URL('../../../sdks/conformance/', import.meta.url))
const vectors: { signing: Signing[] } = JSON.parse(readFileSync(`${folder}webhook-signatures.json`, 'utf8'))

const textOf = (body: Body): string =>
  typeof body === 'string' ? body : `${body.before}${body.repeat.repeat(body.times)}${body.after}`

describe('the service signs as the shared vectors say', () => {
  test.for(vectors.signing)('$name', ({ secrets, id, timestamp, body, ...expected }) => {
    const text = textOf(body)
    // Within the stated second.
    const headers = signatureHeaders({ secrets, id, at: new Date(timestamp * 1000 + 999), body: text })
    expect(headers).toEqual({
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': expected.webhook_signature,
    })
    // While two secrets sign, this signature uses the old one.
    expect(bodySignature(secrets[1] ?? secrets[0], text)).toBe(expected.x_service_signature)
  })
})
