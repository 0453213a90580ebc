/**
 * Why an attempt failed, in words that a customer may read, and whether the same call may succeed soon. `detail` is
 * for our log; it does not contain the provider's text, because providers quote keys and conversations.
 */
export class ProviderError extends Error {
  override readonly name = 'ProviderTrouble'
  readonly retryable: boolean
  /** The model answered 429 or 5xx, or could not be reached: another model may answer. */
  readonly isUnavailable: boolean
  readonly retryAfterMs: number | undefined
  readonly detail: string | undefined

  constructor(message: string, options: ProviderErrorOptions) {
    super(message, { cause: options.cause })
    this.retryable = options.retryable
    this.isUnavailable = options.isUnavailable ?? false
    this.retryAfterMs = options.retryAfterMs
    this.detail = options.detail
  }
}

type ProviderErrorOptions = {
  retryable: boolean
  isUnavailable?: boolean | undefined
  retryAfterMs?: number | undefined
  detail?: string | undefined
  cause?: unknown
}

export type ErrorVerdict = { message: string; retryable: boolean; isUnavailable: boolean }

export type Called = { provider: string; model: string; secrets: readonly string[] }

/** An error response. Its own text is shown only where it helps and cannot contain a key. */
export const verdictOnStatus = (called: Called, status: number, body: string): ErrorVerdict => {
  const answered = `The model provider ${called.provider} answered ${status}`
  if (isTooLong(status, body)) return tooLong(called)
  const isUnavailable = status === 429 || status >= 500
  if (isOutOfCredit(status, body)) {
    return { message: `${answered}: its account has no credit or budget left`, retryable: false, isUnavailable }
  }
  const meaning = meanings[status]
  if (meaning) return { message: `${answered}: ${meaning.says(called)}`, retryable: meaning.retryable, isUnavailable }
  if (status >= 500) return { message: `${answered}: it cannot answer just now`, retryable: true, isUnavailable }
  const words = wordsIn(body, called.secrets)
  const message = words === '' ? `${answered}: it refused the request` : `${answered}: ${words}`
  return { message, retryable: false, isUnavailable }
}

/** An error in the middle of a stream that began with a good status. */
export const verdictOnStreamError = (called: Called, error: unknown): ErrorVerdict => {
  const text = typeof error === 'string' ? error : JSON.stringify(error ?? null)
  if (isTooLong(400, text)) return tooLong(called)
  if (isOutOfCredit(429, text)) return verdictOnStatus(called, 429, text)
  const words = wordsIn(text, called.secrets)
  const failed = `The model provider ${called.provider} broke off its answer`
  // Usually the provider is overloaded; rejections come before the first chunk.
  const retryable = !/invalid_request|authentication/.test(text)
  return { message: words === '' ? failed : `${failed}: ${words}`, retryable, isUnavailable: retryable }
}

export type ConnectionProblem =
  | 'refused'
  | 'dns'
  | 'connect'
  | 'tls'
  | 'timeout'
  | 'reset'
  | 'too_large'
  | 'protocol'
  | 'busy'

export const verdictOnConnection = (called: Called, problem: ConnectionProblem): ErrorVerdict => ({
  message: `The model provider ${called.provider} ${connectionWords[problem]}`,
  retryable: !['refused', 'tls', 'too_large'].includes(problem),
  isUnavailable: ['dns', 'connect', 'tls', 'timeout', 'reset'].includes(problem),
})

const connectionWords: Record<ConnectionProblem, string> = {
  refused: 'has no address that this service may call',
  dns: 'cannot be reached: its name cannot be looked up',
  connect: 'cannot be reached: nobody accepts the connection',
  tls: 'cannot be reached: its certificate is not valid',
  timeout: 'did not answer in time',
  reset: 'closed the connection before its answer was whole',
  too_large: 'was sent, or has sent, more than is allowed',
  protocol: 'did not answer with valid HTTP',
  busy: 'was not called: this service had no free connection',
}

type Meaning = { says(called: Called): string; retryable: boolean }

const meanings: Record<number, Meaning> = {
  401: { says: () => 'the key is not accepted', retryable: false },
  402: { says: () => 'its account has no credit or budget left', retryable: false },
  403: { says: ({ model }) => `the key may not use ${model}`, retryable: false },
  404: { says: ({ model }) => `it does not know ${model}`, retryable: false },
  408: { says: () => 'it gave up waiting', retryable: true },
  409: { says: () => 'it was busy with a conflicting request', retryable: true },
  413: { says: () => 'the request is too large', retryable: false },
  425: { says: () => 'it is not ready yet', retryable: true },
  429: { says: () => 'too many requests', retryable: true },
  529: { says: () => 'it is overloaded', retryable: true },
}

const tooLong = ({ model }: Called): ErrorVerdict => ({
  message: `The conversation is too long for ${model}: it exceeds the context length of the model`,
  retryable: false,
  isUnavailable: false,
})

// Each vendor words it differently, and only one has an error code for it.
const contextWords =
  /context[_ ]?(length|size|window)|maximum context|prompt is too long|too many (input )?tokens|input token count|exceed_context_size|exceeds the available context/i

const isTooLong = (status: number, body: string): boolean =>
  (status === 400 || status === 413 || status === 422 || status === 500) && contextWords.test(body)

const isOutOfCredit = (status: number, body: string): boolean =>
  [400, 403, 429].includes(status) &&
  /insufficient_quota|billing_hard_limit|credit balance is too low|exceeded your current quota/i.test(body)

const longestWords = 300

/** The `message` of the vendors' error bodies, without anything that looks like a key, on one short line. */
const wordsIn = (body: string, secrets: readonly string[]): string => {
  const message = /"message"\s*:\s*"((?:[^"\\]|\\.){1,2000})"/.exec(body)?.[1]
  if (message === undefined) return ''
  let words = unescaped(message)
  for (const form of secrets.flatMap(formsOf)) words = words.replaceAll(form, '…')
  words = words
    .replaceAll(/\b(sk|pk|key|AIza|ya29|xai|gsk|Bearer)[-_ .A-Za-z0-9]{12,}/g, '…')
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .toWellFormed()
    .trim()
  return words.length > longestWords ? `${words.slice(0, longestWords).toWellFormed()}…` : words
}

/** A vendor, or its library, quotes a key as it is, within JSON, within JSON in a text of JSON, or within an address. */
const formsOf = (secret: string): string[] => {
  const inJson = escaped(secret)
  return [escaped(inJson), inJson, encodeURIComponent(secret.toWellFormed()), secret]
}

const escaped = (text: string): string => JSON.stringify(text).slice(1, -1)

const unescaped = (text: string): string => {
  try {
    return JSON.parse(`"${text}"`) as string
  } catch {
    return text
  }
}
