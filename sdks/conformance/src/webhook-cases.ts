import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Case, Json, JsonObject } from './types.ts'

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

/** The vectors of webhook-signatures.json as cases, with the clocks that differ among them. */
export const webhookCases = (): Case[] => {
  const file = join(import.meta.dirname, '../webhook-signatures.json')
  const vectors = JSON.parse(readFileSync(file, 'utf8')) as { tolerance_seconds: number; verifying: Vector[] }
  return vectors.verifying.map((vector) => {
    const { name, secrets, now, headers } = vector
    const body = textOf(vector.body)
    const expect = isAccepted(vector)
      ? { result: JSON.parse(body) as Json }
      : { error: { kind: 'webhook', ...skewOf(vector, vectors.tolerance_seconds) } }
    return { name: `webhooks: ${name}`, calls: [{ do: 'unwrap', delivery: { secrets, now, headers, body }, expect }] }
  })
}

const textOf = (body: Body): string =>
  typeof body === 'string' ? body : body.before + body.repeat.repeat(body.times) + body.after

/** The standard signature must match; the plain one if it is present and there is only one secret. */
const isAccepted = ({ standard, plain, headers }: Vector): boolean => {
  const isOverlap = (headers['webhook-signature'] ?? '').split(' ').length > 1
  return standard && (plain || isOverlap || headers['x-service-signature'] === undefined)
}

const skewOf = ({ now, headers }: Vector, tolerance: number): JsonObject => {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp = '', 'webhook-signature': signature } = headers
  if (!id || !signature || !/^\d+$/.test(timestamp)) return {}
  const age = now - Number(timestamp)
  if (Math.abs(age) <= tolerance) return {}
  return { reason: age > 0 ? 'too_old' : 'too_new' }
}
