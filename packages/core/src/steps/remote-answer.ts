import { limits, type RunErrorCode } from '@ars/contract'
import { canonicalJson } from '@ars/platform/crypto'
import { stepsBounds } from './bounds.ts'
import type { Tokens } from './step.ts'

/** Why a call failed, in words for the customer. The agent's own text is never logged. */
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

/** The content of one JSON document from the agent: its whole response, or one frame of its stream. */
export type RemoteSaying = {
  delta: string
  output: Record<string, unknown> | null
  usage: Tokens | null
}

/** Throws a RemoteFailure when the agent reports a failure, or when the document violates the protocol. */
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

/** A response with a status other than 200. `body`: its JSON, if any. */
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

// A call that is repeated after a crash may meet the first one, which is still running: 409.
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
  /** The rest that must still be streamed: everything when nothing was streamed or the stream was withdrawn. */
  say: string
}

export type ParseJson = (text: string | Buffer) => { value: unknown } | { problem: string }

type OutputSchema = Readonly<Record<string, unknown>> | null

/** The output before it is checked against its schema. `spelled` is what the deltas parse to. */
export type ReadOutput = { whole: Record<string, unknown>; spelled: ReturnType<ParseJson> | null; streamed: string }

/** The run's output from the agent's response and stream. Throws a RemoteFailure. */
export const readOutput = (
  { output, streamed }: { output: Record<string, unknown> | null; streamed: string },
  { schema, parse }: { schema: OutputSchema; parse: ParseJson },
): ReadOutput => {
  if (output === null && streamed === '') throw malformed('it ended without an output')
  const spelled = schema && streamed !== '' ? parse(streamed) : null
  return { whole: output ?? (spelled ? outputIn(spelled) : { result: streamed }), spelled, streamed }
}

/**
 * A reader of the deltas must have read what is stored: together they are `output.result` or, with a schema, the JSON of
 * the output. `problems` are the violations of the schema. Throws a RemoteFailure.
 */
export const settleOutput = (
  { whole, spelled, streamed }: ReadOutput,
  { schema, problems }: { schema: OutputSchema; problems: readonly string[] },
): Settled => {
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

// Reported and never billed; an implausible number does not fail the run.
const maxTokens = stepsBounds.tokensReported.count

const tokensOf = (usage: unknown): Tokens | null => {
  if (!isObject(usage)) return null
  const count = (value: unknown): number =>
    typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= maxTokens ? value : 0
  return { input: count(usage.input_tokens), output: count(usage.output_tokens) }
}

const maxWords = stepsBounds.remoteMessage.chars
const struckOutChars = 8

/** The agent's own error text: short, on one line, and without the secrets of the call. */
const wordsIn = (body: unknown, secrets: readonly string[]): string => {
  const error = isObject(body) ? (body.error ?? body) : undefined
  const message = isObject(error) ? error.message : error
  if (typeof message !== 'string') return ''
  let words = message
  // A short secret may occur in any text.
  for (const secret of secrets.filter(({ length }) => length >= struckOutChars)) words = words.replaceAll(secret, '…')
  words = words.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim()
  // The cut may split a character.
  return words.length > maxWords ? `${words.slice(0, maxWords).toWellFormed()}…` : words
}

const joined = (start: string, words: string): string => (words === '' ? start : `${start}: ${words}`)

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
