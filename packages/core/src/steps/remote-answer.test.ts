import { limits } from '@ars/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  failureOfStatus,
  type ParseJson,
  RemoteFailure,
  readOutput,
  readSaying,
  settleOutput,
} from './remote-answer.ts'

const failureOf = (work: () => unknown): RemoteFailure => {
  try {
    work()
  } catch (error) {
    if (error instanceof RemoteFailure) return error
    throw error
  }
  throw new Error('It did not fail')
}

const parse: ParseJson = (text) => {
  try {
    return { value: JSON.parse(String(text)) }
  } catch {
    return { problem: 'it is not JSON' }
  }
}
type Rules = { schema: Record<string, unknown> | null; problems: readonly string[] }
const free: Rules = { schema: null, problems: [] }
const fitting: Rules = { schema: { type: 'object' }, problems: [] }

const settled = (said: Parameters<typeof readOutput>[0], { schema, problems }: Rules) =>
  settleOutput(readOutput(said, { schema, parse }), { schema, problems })

describe('the answer of an agent', () => {
  test('is its output with its usage, or a chunk of text', () => {
    const usage = { input_tokens: 3, output_tokens: 4 }
    expect(readSaying({ output: { result: 'hi' }, usage }, [])).toEqual({
      delta: '',
      output: { result: 'hi' },
      usage: { input: 3, output: 4 },
    })
    expect(readSaying({ delta: 'h' }, [])).toEqual({ delta: 'h', output: null, usage: null })
  })

  test('may contain fields that the service does not know', () => {
    expect(readSaying({ delta: 'h', mood: 'good' }, []).delta).toBe('h')
  })

  test.for([
    [[1], 'it is not a JSON object'],
    ['text', 'it is not a JSON object'],
    [null, 'it is not a JSON object'],
    [{ delta: 5 }, '`delta` is not a text'],
    [{ output: 'text' }, '`output` is not a JSON object'],
    [{ output: [] }, '`output` is not a JSON object'],
  ] as const)('%j is refused with a message', ([value, words]) => {
    const failure = failureOf(() => readSaying(value, []))
    expect(failure).toMatchObject({ code: 'agent_error', retryable: false })
    expect(failure.message).toContain(words)
  })

  test('is accepted with invalid token counts, which are corrected (stepsBounds.tokensReported)', () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), (input, output) => {
        const { usage } = readSaying({ output: {}, usage: { input_tokens: input, output_tokens: output } }, [])
        for (const count of [usage?.input, usage?.output]) {
          expect(Number.isInteger(count) && Number(count) >= 0 && Number(count) <= 1e9).toBe(true)
        }
      }),
    )
  })

  test('that reports a failure is shown on one short line, without the secrets of the call (stepsBounds.remoteMessage)', () => {
    const message = `no\n\tsuch \u0007 thing; you sent topsecret-credential ${'x'.repeat(1000)}`
    const failure = failureOf(() => readSaying({ error: { message } }, ['topsecret-credential', 'no']))
    expect(failure.message).toMatch(/^The remote agent failed: no such thing; you sent … x+…$/)
    expect(failure.message.length).toBeLessThan(340)
  })

  test('that reports a failure is truncated without splitting a character', () => {
    fc.assert(
      fc.property(fc.nat(5), (ahead) => {
        const { message } = failureOf(() => readSaying({ error: 'a'.repeat(296 + ahead) + '🙂'.repeat(10) }, []))
        expect(message.isWellFormed()).toBe(true)
      }),
    )
  })
})

describe('an error response', () => {
  test.for([
    [429, true],
    [408, true],
    [409, true],
    [425, true],
    [500, true],
    [503, true],
    [599, true],
    [202, false],
    [204, false],
    [302, false],
    [400, false],
    [401, false],
    [404, false],
    [422, false],
  ] as const)('%i is retryable: %s', ([status, retryable]) => {
    const failure = failureOfStatus(status, { body: undefined, retryAfterMs: undefined, secrets: [] })
    expect(failure).toMatchObject({ code: 'agent_error', retryable, details: { status } })
    expect(failure.message).toContain(`The remote agent answered ${status}`)
  })

  test('is reported with its message and its requested delay', () => {
    const body = { error: { message: 'come back later' } }
    const failure = failureOfStatus(503, { body, retryAfterMs: 1500, secrets: [] })
    expect(failure.message).toBe('The remote agent answered 503: come back later')
    expect(failure.details).toEqual({ status: 503, retry_after_seconds: 2 })
  })
})

describe('the output of a run', () => {
  test('is the streamed text if the stream ended without another output', () => {
    const outcome = settled({ output: null, streamed: 'hello' }, free)
    expect(outcome).toEqual({ output: { result: 'hello' }, withdraw: false, say: '' })
  })

  test('that was not streamed is emitted at its end, so that stream readers receive it', () => {
    expect(settled({ output: { result: 'hi', n: 1 }, streamed: '' }, free)).toMatchObject({ say: 'hi' })
    expect(settled({ output: { n: 1 }, streamed: '' }, free)).toMatchObject({ say: '', withdraw: false })
    expect(settled({ output: { result: '' }, streamed: '' }, fitting)).toMatchObject({ say: '{"result":""}' })
  })

  test('equals the streamed text byte for byte, or the run fails', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, unit: 'grapheme' }),
        fc.string({ unit: 'grapheme' }),
        (streamed, result) => {
          const settle = () => settled({ output: { result }, streamed }, free)
          if (streamed === result) expect(settle()).toMatchObject({ withdraw: false, say: '' })
          else expect(failureOf(settle).code).toBe('output_invalid')
        },
      ),
    )
  })

  test('without a text withdraws the streamed text', () => {
    const outcome = settled({ output: { n: 1 }, streamed: 'thinking' }, free)
    expect(outcome).toEqual({ output: { n: 1 }, withdraw: true, say: '' })
  })

  test('with a schema equals the parsed deltas, in any order of keys', () => {
    const streamed = '{"b":[1,2],\n "a":1}'
    expect(settled({ output: null, streamed }, fitting)).toMatchObject({ output: { a: 1, b: [1, 2] }, say: '' })
    expect(settled({ output: { a: 1, b: [1, 2] }, streamed }, fitting)).toMatchObject({ withdraw: false, say: '' })
  })

  test('with a schema replaces other streamed text', () => {
    const outcome = settled({ output: { a: 1 }, streamed: 'let me see' }, fitting)
    expect(outcome).toEqual({ output: { a: 1 }, withdraw: true, say: '{"a":1}' })
  })

  test.for([
    ['let me see', 'it is not JSON'],
    ['[1]', 'it is not a JSON object'],
  ] as const)('with a schema cannot be made of %j', ([streamed, words]) => {
    const failure = failureOf(() => settled({ output: null, streamed }, fitting))
    expect(failure).toMatchObject({ code: 'output_invalid' })
    expect(failure.message).toContain(words)
  })

  test('that violates its schema names the violations', () => {
    const problems = ['a must be a number', 'b is missing']
    const failure = failureOf(() => settled({ output: { a: 'x' }, streamed: '' }, { ...fitting, problems }))
    expect(failure).toMatchObject({
      code: 'output_invalid',
      details: { problems: ['a must be a number', 'b is missing'] },
    })
    expect(failure.message).toContain('a must be a number')
  })

  test('is measured in bytes of its JSON', () => {
    const fits = 'x'.repeat(limits.outputBytes - '{"result":""}'.length)
    expect(settled({ output: { result: fits }, streamed: '' }, free).output.result).toBe(fits)
    const failure = failureOf(() => settled({ output: { result: `${fits}x` }, streamed: '' }, free))
    expect(failure.code).toBe('output_too_large')
  })

  test('is required', () => {
    expect(failureOf(() => settled({ output: null, streamed: '' }, free)).code).toBe('agent_error')
  })
})
