import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compileExpression } from './expression-program.ts'
import { declaredAs, someValues } from './expressions.fixture.ts'

const evaluate = (source: string, values: Readonly<Record<string, unknown>> = {}) => {
  const compiled = compileExpression(declaredAs('bool', source))
  if (compiled.kind === 'problems') throw new Error(JSON.stringify(compiled.problems))
  return compiled.run({ ...someValues, ...values })
}
const withArgs = (args: unknown): Readonly<Record<string, unknown>> => ({ tool: { name: 'pay', args } })
const holds = { kind: 'done', value: true }
const failsWith = (message: RegExp) => ({ kind: 'error', message: expect.stringMatching(message) })

test.for([
  'tool.name == "pay" && stage == "tool_call"',
  'agent.id == "agt_1" && agent.version == 3 && agent.version % 2 == 1',
  'key == null && hour == 13 && hour + 1 == 14',
  'spend.run_usd > 0.4 && spend.run_usd + 1 == 1.5',
  '"EMAIL" in findings && !("CARD" in findings)',
  'text.lowerAscii().contains("hello") && text.matches("^H.*o$") && text.upperAscii().endsWith("ADA. HELLO")',
  'content.answer == 42 && !has(content.other)',
  'type(content.answer) == double && string(agent.version) == "3" && int("7") == 7 && double("7.5") == 7.5',
])('the values are those of the variables: %s', (source) => {
  expect(evaluate(source)).toEqual(holds)
})

test('numbers of JSON are compared and computed with, whether they are whole or not', () => {
  expect(evaluate('tool.args.amount > 100', withArgs({ amount: 100.5 }))).toEqual(holds)
  expect(evaluate('tool.args.amount > 100', withArgs({ amount: 101 }))).toEqual(holds)
  expect(evaluate('tool.args.amount > 100', withArgs({ amount: 100 }))).toEqual({ kind: 'done', value: false })
  const whole = fc.integer({ min: -1_000_000, max: 1_000_000 })
  const number = fc.oneof(whole, fc.double({ min: -1e6, max: 1e6, noNaN: true }))
  fc.assert(
    fc.property(number, whole, (amount, literal) => {
      const truths = {
        '>': amount > literal,
        '<=': amount <= literal,
        '==': amount === literal,
        [`+ ${literal} ==`]: amount + literal === literal,
        '- 1 <': amount - 1 < literal,
        '* 2 >=': amount * 2 >= literal,
      }
      for (const [operator, value] of Object.entries(truths))
        expect(evaluate(`tool.args.amount ${operator} ${literal}`, withArgs({ amount }))).toEqual({
          kind: 'done',
          value,
        })
      expect(evaluate(`${literal} < tool.args.amount || ${literal} >= tool.args.amount`, withArgs({ amount }))).toEqual(
        holds,
      )
    }),
  )
})

test.for([
  ['tool.args.amount > 100', withArgs({}), /a field is missing \(at character 10\)/],
  ['tool.args.amount > 100', withArgs({ amount: '150' }), /wrong type/],
  ['tool.args.amount > 100', withArgs(null), /missing/],
  ['tool.name == "pay"', { tool: null }, /missing/],
  ['tool.args.list[3] == 1', withArgs({ list: [1] }), /no such place/],
  ['tool.args.flag', withArgs({ flag: 'yes' }), /something other than true or false/],
  ['1 / (hour - 13) == 1', {}, /division by zero/],
  ['int(text) == 1', { text: '9'.repeat(30) }, /too large/],
  ['int(text) == 1', { text: '9'.repeat(1_000_000) }, /too long to be a number/],
  ['double(text) == 1.0', { text: 'secret' }, /not a number/],
] as const)('%s is an error and decides nothing', ([source, facts, message]) => {
  expect(evaluate(source, facts)).toEqual(failsWith(message))
})

test('content that is nested too deeply is an error', () => {
  let content: unknown = 1
  for (let level = 0; level < 50_000; level++) content = [content]
  expect(evaluate('content == 1', { content })).toEqual(failsWith(/nested too deeply/))
})

test('the message of an error quotes no part of the content', () => {
  const secret = 'hunter2-hunter2'
  const facts = { text: secret, content: { [secret]: secret }, tool: { name: secret, args: { [secret]: secret } } }
  const sources = [
    'bool(text)',
    'int(text) == 1',
    'tool.args[tool.name] > 1',
    'content[text + "x"] == 1',
    'findings[int(text)] == ""',
    'content.all(k, content[k] > 1)',
    'tool.args[text][text] == 1',
  ]
  for (const source of sources) {
    const outcome = evaluate(source, facts)
    expect(outcome.kind).toBe('error')
    expect(JSON.stringify(outcome)).not.toContain('hunter2')
  }
})

test('a field of the content cannot change how the content is read', () => {
  const args = JSON.parse('{"constructor": {"name": "x"}, "__proto__": {"amount": 1}, "size": 7, "get": null}')
  expect(evaluate('tool.args.constructor.name == "x" && tool.args.size == 7', withArgs(args))).toEqual(holds)
  expect(evaluate('has(tool.args.amount)', withArgs(args))).toEqual({ kind: 'done', value: false })
  expect(evaluate('tool.args["__proto__"].amount == 1', withArgs(args))).toEqual(holds)
})

describe('loops are bounded', () => {
  const list = Array.from({ length: 10_000 }, (_, at) => at)

  test('10,000 elements are gone over, 10,001 are not (expressionsBounds.elements)', () => {
    expect(evaluate('tool.args.list.exists(x, x == 9999)', withArgs({ list }))).toEqual(holds)
    expect(
      evaluate('tool.args.list.map(x, x + 1).filter(x, x % 2 == 0).exists(x, x == 10000)', withArgs({ list })),
    ).toEqual(holds)
    const longer = withArgs({ list: [...list, 1] })
    expect(evaluate('tool.args.list.exists(x, x == 1)', longer)).toEqual(failsWith(/more than 10000 elements/))
    expect(evaluate('(tool.args.list + [1]).size() > 1', withArgs({ list }))).toEqual(failsWith(/more than 10000/))
  })

  test('loops in loops go over 100,000 elements together (expressionsBounds.elementsInAll)', () => {
    const source = 'tool.args.list.all(x, tool.args.list.all(y, x + y >= 0))'
    expect(evaluate(source, withArgs({ list: list.slice(0, 300) }))).toEqual(holds)
    expect(evaluate(source, withArgs({ list }))).toEqual(failsWith(/more than 100000 elements/))
  })

  test('map and filter are those of JavaScript', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -50, max: 50 })), (numbers) => {
        const expected = numbers.filter((x) => x > 0).map((x) => x * 3)
        const facts = { content: numbers, tool: { name: 'pay', args: expected } }
        expect(evaluate('content.filter(x, x > 0).map(x, x * 3) == tool.args', facts)).toEqual(holds)
        expect(evaluate('content.map(x, x > 0, x * 3) == tool.args', facts)).toEqual(holds)
        // The lists of one evaluation are not those of the next.
        expect(evaluate('content.map(x, [x].map(y, y)[0]) == content', facts)).toEqual(holds)
      }),
    )
  })
})

test('text cannot be multiplied without a bound (expressionsBounds.text, expressionsBounds.textInAll)', () => {
  const doubled = '[text].map(a, a + a)'
  const chain = 'map(a, a + a + a + a)'
  expect(evaluate(`${doubled}[0].size() == 34`)).toEqual(holds)
  const bomb = `[text].${Array.from({ length: 8 }, () => chain).join('.')}[0].size() > 0`
  expect(evaluate(bomb, { text: 'x'.repeat(100_000) })).toEqual(failsWith(/characters|too much text/))
  const list = Array.from({ length: 10_000 }, (_, at) => at)
  const many = 'content.all(x, (text + string(x)).contains("y"))'
  expect(evaluate(many, { content: list, text: `${'x'.repeat(1_000_000)}y` })).toEqual(failsWith(/too much text/))
})
