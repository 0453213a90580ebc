import type { Egress } from '@ars/platform/egress/egress'
import { verdictOfWire, wirePath, wireRequestOf } from './guardrail-wire.ts'
import { verdictOfEntities } from './presidio.ts'
import {
  type Judged,
  judged,
  notJudged,
  type RemoteRequest,
  type RemoteRule,
  type RemoteVerdict,
  remoteLimits,
} from './remote.ts'

type HostRule = Extract<RemoteRule, { check: 'http' | 'presidio' }>

/** Asks the rule's host. Rejects as the egress client does. Redirects are not followed. */
export const askHost = async (
  egress: Pick<Egress, 'request'>,
  rule: HostRule,
  request: RemoteRequest,
): Promise<Judged> => {
  const { org, text, credential, signal } = request
  const { path, body, verdictOf } = callOf(rule, request)
  const answer = await egress.request({
    url: addressOf(rule.params.url, path),
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      // Servers of the generic guardrail API look for one or the other.
      ...(credential !== undefined && { authorization: `Bearer ${credential}`, 'x-api-key': credential }),
    },
    body: JSON.stringify(body),
    org,
    signal,
    deadlineMs: rule.params.time_limit_ms,
    maxBodyBytes: remoteLimits.answerBytes + 2 * Buffer.byteLength(text),
    whenTooLarge: 'fail',
  })
  if (answer.status !== 200) return notJudged(`The host answered with status ${answer.status}`)
  const value = jsonOf(answer.body)
  return value === undefined ? notJudged('The host did not answer with JSON') : judged(verdictOf(value))
}

type Call = { path: string; body: unknown; verdictOf(answer: unknown): RemoteVerdict }

const callOf = (rule: HostRule, { text, facts }: RemoteRequest): Call => {
  if (rule.check === 'http') {
    return { path: wirePath, body: wireRequestOf(text, facts), verdictOf: (answer) => verdictOfWire(answer, text) }
  }
  const { language, entities, min_score } = rule.params
  return {
    path: '/analyze',
    body: { text, language, score_threshold: min_score, ...(entities.length > 0 && { entities }) },
    verdictOf: (answer) => verdictOfEntities(answer, text, min_score),
  }
}

/** The URL of a rule names the server, or already the operation. */
const addressOf = (url: string, path: string): string => {
  const bare = url.replace(/\/+$/, '')
  return bare.endsWith(path) ? bare : `${bare}${path}`
}

const jsonOf = (body: Buffer): unknown => {
  try {
    return JSON.parse(body.toString())
  } catch {
    return undefined
  }
}
