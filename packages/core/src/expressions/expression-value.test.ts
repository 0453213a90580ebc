import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compileExpression } from './expression-program.ts'
import { declaredAs, someValues } from './expressions.fixture.ts'

const answerOf = (
  source: string,
  { wanted = 'any', content = null }: { wanted?: 'bool' | 'list' | 'any'; content?: unknown } = {},
) => {
  const compiled = compileExpression(declaredAs(wanted, source))
  if (compiled.kind === 'problems') throw new Error(JSON.stringify(compiled.problems))
  return compiled.run({ ...someValues, content })
}
const done = (value: unknown) => ({ kind: 'done', value })
const failsWith = (message: RegExp) => ({ kind: 'error', message: expect.stringMatching(message) })

test('a JSON value that an expression names comes back as it was', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (content) => {
      const [read] = JSON.parse(JSON.stringify([content]))
      expect(answerOf('content', { content: read })).toEqual(done(read))
      expect(answerOf('[content, {"a": content}]', { content: read })).toEqual(done([read, { a: read }]))
      expect(answerOf('[content].map(x, x)', { content: read, wanted: 'list' })).toEqual(done([read]))
    }),
  )
})

test.for([
  ['hour + 1', 14],
  ['agent', { id: 'agt_1', version: 3 }],
  ['spend.run_usd * 2', 1],
  ['7 / 2', 3],
  ['7 / 2.0', 3.5],
  ['-hour', -13],
  ['{"a": [1, 2.5, "b", true, null, {}]}', { a: [1, 2.5, 'b', true, null, {}] }],
  ['{"__proto__": 1}["__proto__"]', 1],
  ['findings.map(x, x + "!")', ['EMAIL!']],
  ['[1, 2, 3].filter(x, x > 1) + [4]', [2, 3, 4]],
  ['9007199254740991', Number.MAX_SAFE_INTEGER],
  ['string(hour) + text', '13Hello, Ada. Hello'],
] as const)('%s is JSON', ([source, value]) => {
  expect(answerOf(source)).toEqual(done(value))
})

test('a field called __proto__ is a field of the answer', () => {
  const content = JSON.parse('{"__proto__": {"a": 1}, "constructor": 2}')
  const answer = answerOf('content', { content })
  expect(JSON.stringify(answer)).toBe(JSON.stringify(done(content)))
})

test.for([
  ['9007199254740992', /a number is too large/],
  ['double("1e308") * 10', /a number that JSON cannot write/],
  ['[0.0 / 0.0]', /a number that JSON cannot write/],
  ['[type(hour)]', /no JSON value/],
  ['{"a": type(hour)}', /no JSON value/],
  ['{dyn(1): 2}', /a key that is no string/],
] as const)('%s is no JSON', ([source, message]) => {
  expect(answerOf(source)).toEqual(failsWith(message))
})

test('an answer has the wanted type', () => {
  expect(answerOf('content', { content: [1], wanted: 'list' })).toEqual(done([1]))
  expect(answerOf('content', { content: 'a', wanted: 'list' })).toEqual(failsWith(/other than a list/))
  expect(answerOf('content', { content: {}, wanted: 'list' })).toEqual(failsWith(/other than a list/))
  expect(answerOf('content', { content: null, wanted: 'bool' })).toEqual(failsWith(/other than true or false/))
  expect(() => answerOf('text', { wanted: 'list' })).toThrow(/must answer a list/)
  expect(() => answerOf('type(text)')).toThrow(/no JSON value/)
})

describe('an answer is bounded', () => {
  const twice = 'map(a, [a, a, a, a, a, a, a, a])'

  test('in characters, however often it holds the same list (expressionsBounds.result)', () => {
    const bomb = `[text].${Array.from({ length: 9 }, () => twice).join('.')}`
    expect(answerOf(bomb)).toEqual(failsWith(/answer is too large/))
    const compiled = compileExpression(declaredAs('any', 'text'))
    expect(compiled.kind === 'program' && compiled.run(someValues, 5)).toEqual(failsWith(/answer is too large/))
  })

  test('in depth', () => {
    let content: unknown = 1
    for (let level = 0; level < 50_000; level++) content = [content]
    expect(answerOf('content', { content })).toEqual(failsWith(/nested too deeply/))
  })
})
