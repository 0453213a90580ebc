import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { expressionsBounds } from './bounds.ts'
import { checkExpression } from './expression-check.ts'
import { declaredAs } from './expressions.fixture.ts'

const problemsOf = (source: string) => checkExpression(declaredAs('bool', source)).problems

describe('a valid expression has no problems', () => {
  test.for([
    'tool.name == "pay" && tool.args.amount > 100',
    'tool != null && has(tool.args.amount) && tool.args.amount * 2 >= spend.run_usd + 1',
    'stage in ["tool_call", "output"] && (hour < 6 || hour >= 22)',
    'agent.id == "agt_1" && agent.version >= 3 && key == null',
    '"EMAIL" in findings && findings.exists(found, found.startsWith("E"))',
    'content.items.all(item, item.price > 0 && item.tags.exists(tag, tag == "a"))',
    'text.lowerAscii().contains("refund") || text.matches("(?i)re-?fund") || size(text) > 100',
    'tool.args.list.map(x, x * 2).filter(x, x > 2).size() > 0',
    'type(tool.args.amount) == double ? true : int(tool.args.amount) > 5',
    '{"a": 1}["a"] == 1 && [1, 2.5][0] == 1',
    'tool["name"] == "pay" && tool.args[stage] == true',
    'content',
  ])('%s', (source) => {
    expect(problemsOf(source)).toEqual([])
  })
})

test.for([
  ['tool.nme == "pay"', 4, /no field nme. Known: name, args/],
  ['true && agent["ident"] == "a"', 13, /no field ident/],
  ['hour > 5 && user.id == "a"', 12, /no variable user/],
  ['tool.name > 5', 10, /> cannot be used with a string and a whole number/],
  ['stage == 1', 6, /== cannot be used/],
  ['1 in findings', 2, /in cannot be used/],
  ['hour.minute == 1', 4, /A whole number has no field minute/],
  ['text.shout() == "A"', 4, /no function shout/],
  ['contains(text, "a")', 0, /no function contains/],
  ['text.contains(1)', 4, /contains cannot be used with a string, a whole number/],
  ['text.matches("(")', 13, /pattern cannot be used/],
  ['text.matches("(a)\\\\1")', 13, /pattern cannot be used/],
  ['text.matches(tool.name)', 17, /pattern of matches must be written/],
  ['hour.exists(x, x == 1)', 4, /A loop goes over a list or a map/],
  ['findings["a"] == "b"', 8, /place in a list/],
  ['b"abc" == b"abc"', 0, /not supported/],
  ['1u == 1', 0, /not supported/],
  ['timestamp("2026-01-01T00:00:00Z") == null', 0, /no function timestamp/],
  ['google.protobuf.Value{} == null', 0, /no type/],
  ['hour + 1', 0, /must answer true or false/],
  ['tool.name ==', 10, /cannot be read/],
  ['', 0, /cannot be read/],
  ['"\\ud800" == text', 0, /cannot be read/],
  ['!hour && "a" - 1 == 2', 0, /! cannot be used/],
] as const)('%s has a problem with its position', ([source, position, message]) => {
  expect(problemsOf(source)[0]).toEqual({ message: expect.stringMatching(message), position })
})

test('every problem of an expression is reported', () => {
  expect(problemsOf('foo == 1 && tool.bar == 2 && stage > 1').map(({ position }) => position)).toEqual([0, 16, 35])
})

test('an expression is bounded in characters, nodes and nested loops', () => {
  const of = (count: number, part: string) => Array.from({ length: count }, () => part).join(' && ')
  expect(problemsOf(of(40, 'hour > 1'))).toEqual([])
  expect(problemsOf(of(60, 'hour > 1'))[0]?.message).toMatch(`has 239 nodes; at most ${expressionsBounds.nodes.count}`)
  expect(problemsOf(`"${'a'.repeat(expressionsBounds.expression.chars)}" == text`)[0]?.message).toMatch(
    /at most 2000 characters/,
  )
  const nested = (loops: number): string => (loops === 0 ? 'hour > 1' : `findings.all(x${loops}, ${nested(loops - 1)})`)
  expect(problemsOf(nested(expressionsBounds.loopDepth.count))).toEqual([])
  expect(problemsOf(nested(expressionsBounds.loopDepth.count + 1))[0]?.message).toMatch(/nested/)
})

describe('a hostile expression is refused and never throws', () => {
  const nested = (open: string, close: string, count: number) => `${open.repeat(count)}true${close.repeat(count)}`
  test.for([
    ['parentheses', nested('(', ')', 990)],
    ['lists', `${nested('[', ']', 990)} == null`],
    ['maps', nested('{"a":', '}', 330)],
    ['negations', `${'!'.repeat(1_990)}true`],
    ['calls', nested('dyn(', ')', 390)],
    ['conditions', `${'true ? '.repeat(100)}true${' : true'.repeat(100)}`],
    ['unclosed parentheses', '('.repeat(2_000)],
    ['unclosed quotes', '"""'.repeat(600)],
    ['members', `content${'.a'.repeat(900)} == 1`],
    ['dots', '.'.repeat(2_000)],
  ] as const)('%s', ([, source]) => {
    // Parentheses leave no node, so they may be valid.
    for (const { message, position } of problemsOf(source)) {
      expect(message.length).toBeLessThan(350)
      expect(position).toBeLessThanOrEqual(source.length)
    }
  })

  test('arbitrary text', () => {
    const words = [
      'tool',
      '.',
      'args',
      '(',
      ')',
      '[',
      ']',
      '&&',
      '"a"',
      '1',
      '2.5',
      '?',
      ':',
      'x',
      ',',
      '{',
      '}',
      'map',
    ]
    const source = fc.oneof(
      fc.string(),
      fc.array(fc.constantFrom(...words)).map((parts) => parts.join(' ')),
    )
    fc.assert(
      fc.property(source, (text) => {
        for (const { position } of problemsOf(text)) {
          expect(position).toBeGreaterThanOrEqual(0)
          expect(position).toBeLessThanOrEqual(text.length)
        }
      }),
    )
  })
})
