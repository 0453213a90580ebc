import { expect, test } from 'vitest'
import { type Called, verdictOnConnection, verdictOnStatus, verdictOnStreamError } from './failure.ts'

const called: Called = { provider: 'openai', model: 'openai/gpt-5', secrets: ['s3cr3t-value'] }
const body = (message: string, code = ''): string => JSON.stringify({ error: { message, code } })

test.for([
  [
    401,
    body('Incorrect API key provided: sk-abcdef1234567890'),
    'The model provider openai answered 401: the key is not accepted',
    false,
  ],
  [403, '', 'The model provider openai answered 403: the key may not use openai/gpt-5', false],
  [404, '', 'The model provider openai answered 404: it does not know openai/gpt-5', false],
  [429, body('Rate limit reached'), 'The model provider openai answered 429: too many requests', true],
  [
    429,
    body('You exceeded your current quota', 'insufficient_quota'),
    'The model provider openai answered 429: its account has no credit or budget left',
    false,
  ],
  [500, 'oops', 'The model provider openai answered 500: it cannot answer just now', true],
  [503, '', 'The model provider openai answered 503: it cannot answer just now', true],
  [529, '', 'The model provider openai answered 529: it is overloaded', true],
  [
    400,
    body('temperature must be below 2'),
    'The model provider openai answered 400: temperature must be below 2',
    false,
  ],
  [400, 'no json', 'The model provider openai answered 400: it refused the request', false],
  [301, '', 'The model provider openai answered 301: it refused the request', false],
] as const)('%s gets a readable message', ([status, text, message, retryable]) => {
  const isUnavailable = status === 429 || status >= 500
  expect(verdictOnStatus(called, status, text)).toEqual({ message, retryable, isUnavailable })
})

test('a key is hidden in each form in which a vendor or its library quotes it', () => {
  const key = 'a"\\/s3cr3t&value'
  const ofKey = { ...called, secrets: [key] }
  const inJson = JSON.stringify({ key })
  for (const quoted of [
    key,
    inJson,
    JSON.stringify({ inJson }),
    `https://v.example.com/?key=${encodeURIComponent(key)}`,
  ]) {
    expect(verdictOnStatus(ofKey, 400, body(`no ${quoted}`)).message, quoted).toMatch(
      /answered 400: no (?!.*s3cr3t).*…/,
    )
    const { message } = verdictOnStreamError(ofKey, { message: `no ${quoted}` })
    expect(message, quoted).toMatch(/broke off its answer: no (?!.*s3cr3t).*…/)
  }
})

test.for([
  body("This model's maximum context length is 8192 tokens", 'context_length_exceeded'),
  body('prompt is too long: 210000 tokens > 200000 maximum'),
  body('The input token count (1200000) exceeds the maximum number of tokens allowed'),
  body('the request exceeds the available context size. try increasing the context size', 'exceed_context_size_error'),
])('a conversation that is too long is reported as such, whichever provider reports it', (text) => {
  expect(verdictOnStatus(called, 400, text)).toEqual({
    message: 'The conversation is too long for openai/gpt-5: it exceeds the context length of the model',
    retryable: false,
    isUnavailable: false,
  })
})

test('no key appears in a message, whatever the provider writes', () => {
  const { message } = verdictOnStatus(
    called,
    422,
    body('bad s3cr3t-value and sk-proj-abcdefghijkl123456 and Bearer abcdefghijklmnop'),
  )
  expect(message).toMatch(/answered 422/)
  expect(message).not.toMatch(/s3cr3t|abcdefghijkl/)
  expect(verdictOnStatus(called, 422, body('x'.repeat(1900))).message.length).toBeLessThan(400)
})

test('an interrupted response is retried, unless the provider rejects the request', () => {
  expect(verdictOnStreamError(called, { type: 'overloaded_error', message: 'Overloaded' })).toEqual({
    message: 'The model provider openai broke off its answer: Overloaded',
    retryable: true,
    isUnavailable: true,
  })
  expect(verdictOnStreamError(called, { type: 'invalid_request_error' }).retryable).toBe(false)
  expect(verdictOnStreamError(called, undefined).retryable).toBe(true)
})

const problems = ['refused', 'dns', 'connect', 'tls', 'timeout', 'reset', 'too_large', 'protocol', 'busy'] as const

test('permanent errors are not retried', () => {
  const again = problems.filter((problem) => verdictOnConnection(called, problem).retryable)
  expect(again).toEqual(['dns', 'connect', 'timeout', 'reset', 'protocol', 'busy'])
})

test('another model may answer for one that cannot be reached, not for a conversation that is too long', () => {
  const away = problems.filter((problem) => verdictOnConnection(called, problem).isUnavailable)
  expect(away).toEqual(['dns', 'connect', 'tls', 'timeout', 'reset'])
  expect(verdictOnStatus(called, 500, body('exceeds the available context size')).isUnavailable).toBe(false)
  expect(verdictOnStreamError(called, { type: 'invalid_request_error' }).isUnavailable).toBe(false)
})
