import { limits, type RunErrorCode } from '@ars/contract'
import { canonicalJson } from '@ars/platform/crypto'
import type { OutputCheck } from './output.ts'
import type { Tokens } from './step.ts'

/** Why a try of the call came to nothing, in words for the customer. Of what the agent itself said nothing is in a log. */
export class RemoteFailure extends Error {
  override readonly name = 'RemoteFailure'
  readonly code: RunErrorCode
  readonly retryable: boolean
  readonly retryAfterMs: number | undefined
  readonly details: Record<string, unknown> | null

  constructor(message: string, options: FailureOptions = {}) {
    super(message, { cause: options.cause })
    this.code = options.code ?? 'agent_error'
    this.retryable = options.retryable ?? false
    this.retryAfterMs = options.retryAfterMs
    this.details = options.details ?? null
  }
}

type FailureOptions = {
  code?: RunErrorCode
  retryable?: boolean
  retryAfterMs?: number | undefined
  details?: Record<string, unknown>
  cause?: unknown
}

/** What one JSON document of the agent says: its whole answer, or one frame of its stream. */
export type RemoteSaying = {
  delta: string
  output: Record<string, unknown> | null
  usage: Tokens | null
}

/** Throws a RemoteFailure where it says that the agent failed, or where it is not what was agreed. */
export const readSaying = (value: unknown, secrets: readonly string[]): RemoteSaying => {
  if (!isObject(value)) throw malformed('it is not a JSON object')
  const { delta = '', output = null, error = null, usage } = value
  if (error !== null) throw new RemoteFailure(joined('The remote agent failed', wordsIn(value, secrets)))
  if (typeof delta !== 'string') throw malformed('`delta` is not a text')
  if (output !== null && !isObject(output)) throw malformed('`output` is not a JSON object')
  return { delta, output, usage: tokensOf(usage) }
}

export const malformed = (what: string, cause?: unknown): RemoteFailure =>
  new RemoteFailure(`The remote agent’s answer cannot be used: ${what}`, { cause })

export const tooLarge = (): RemoteFailure =>
  new RemoteFailure(`The output is larger than ${limits.outputBytes} bytes`, { code: 'output_too_large' })

/** An answer with another status than 200. `body`: its JSON, where it has any. */
export const failureOfStatus = (
  status: number,
  { body, retryAfterMs, secrets }: { body: unknown; retryAfterMs: number | undefined; secrets: readonly string[] },
): RemoteFailure => {
  const meaning = status >= 300 && status < 400 ? 'a redirect, which is never followed' : meanings[status]
  const answered = `The remote agent answered ${status}${meaning === undefined ? '' : `, ${meaning}`}`
  return new RemoteFailure(joined(answered, wordsIn(body, secrets)), {
    retryable: status >= 500 || passing.includes(status),
    retryAfterMs,
    details: {
      status,
      ...(retryAfterMs === undefined ? {} : { retry_after_seconds: Math.ceil(retryAfterMs / 1000) }),
    },
  })
}

// A call that is repeated after a crash may meet its twin, which is still being worked on: 409.
const passing = [408, 409, 425, 429]

const meanings: Readonly<Record<number, string>> = {
  202: 'but its output must come with the answer',
  204: 'without an output',
  401: 'it does not accept the credential',
  403: 'it does not accept the credential',
  404: 'there is nothing at its address',
  429: 'too many requests',
}

export type Settled = {
  output: Record<string, unknown>
  /** The streamed text is not the result, and is withdrawn. */
  withdraw: boolean
  /** What the stream still has to say: all of it where nothing was streamed or what was is withdrawn. */
  say: string
}

export type ParseJson = (text: string | Buffer) => { value: unknown } | { problem: string }

/**
 * The run's output from what the agent has answered and streamed. Whoever followed the deltas must have read what is
 * stored: together they are `output.result` or, with a schema, the JSON of the output. Throws a RemoteFailure.
 */
export const settleOutput = (
  { output, streamed }: { output: Record<string, unknown> | null; streamed: string },
  { schema, check, parse }: { schema: Readonly<Record<string, unknown>> | null; check: OutputCheck; parse: ParseJson },
): Settled => {
  if (output === null && streamed === '') throw malformed('it ended without an output')
  const spelled = schema && streamed !== '' ? parse(streamed) : null
  const whole = output ?? (spelled ? outputIn(spelled) : { result: streamed })
  const problems = schema ? check(schema, whole) : []
  if (problems.length > 0) throw misfit(`${problems[0]}`, { problems })
  if (Buffer.byteLength(JSON.stringify(whole)) > limits.outputBytes) throw tooLarge()
  const result = typeof whole.result === 'string' ? whole.result : null
  const isSame = schema ? isSpelled(whole, spelled) : streamed === result
  if (isSame) return { output: whole, withdraw: false, say: '' }
  if (!schema && result !== null && streamed !== '') {
    throw invalid('What the remote agent streamed is not its `output.result`')
  }
  const say = schema ? JSON.stringify(whole) : (result ?? '')
  return { output: whole, withdraw: streamed !== '', say }
}

const isSpelled = (output: Record<string, unknown>, spelled: ReturnType<ParseJson> | null): boolean =>
  spelled !== null && 'value' in spelled && canonicalJson(spelled.value) === canonicalJson(output)

const outputIn = (spelled: ReturnType<ParseJson>): Record<string, unknown> => {
  if ('problem' in spelled) throw misfit(spelled.problem)
  if (!isObject(spelled.value)) throw misfit('it is not a JSON object')
  return spelled.value
}

const misfit = (why: string, details?: Record<string, unknown>): RemoteFailure =>
  invalid(`The answer does not fit the output schema: ${why}`, details)

const invalid = (message: string, details?: Record<string, unknown>): RemoteFailure =>
  new RemoteFailure(message, { code: 'output_invalid', ...(details ? { details } : {}) })

// It is told and never billed; a number that cannot be meant is not worth a run.
const tokensMost = 1_000_000_000

const tokensOf = (usage: unknown): Tokens | null => {
  if (!isObject(usage)) return null
  const count = (value: unknown): number =>
    typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= tokensMost ? value : 0
  return { input: count(usage.input_tokens), output: count(usage.output_tokens) }
}

const wordsMost = 300
const struckOutChars = 8

/** The agent's own words about its failure, short, on one line, and without the secrets that it was called with. */
const wordsIn = (body: unknown, secrets: readonly string[]): string => {
  const error = isObject(body) ? (body.error ?? body) : undefined
  const message = isObject(error) ? error.message : error
  if (typeof message !== 'string') return ''
  let words = message
  // A short one may stand in any text by chance.
  for (const secret of secrets.filter(({ length }) => length >= struckOutChars)) words = words.replaceAll(secret, '…')
  words = words.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim()
  // A character may be cut in two at the border.
  return words.length > wordsMost ? `${words.slice(0, wordsMost).toWellFormed()}…` : words
}

const joined = (start: string, words: string): string => (words === '' ? start : `${start}: ${words}`)

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
