import { expect, test } from 'vitest'
import { checkExpression, compileExpression } from '../../expressions/index.ts'
import { ruleExpression } from './expression-facts.ts'
import { someFacts } from './expressions.fixture.ts'

test.for([
  'tool.name == "pay" && stage == "tool_call"',
  'agent.id == "agt_1" && agent.version == 3 && agent.version % 2 == 1 && string(agent.version) == "3"',
  'key == null && hour == 13 && hour + 1 == 14 && type(hour) == int',
  'spend.run_usd > 0.4 && spend.run_usd + 1 == 1.5',
  '"EMAIL" in findings && !("CARD" in findings)',
  'text.lowerAscii().contains("hello")',
  'content.answer == 42 && !has(content.other)',
])('the facts are the variables: %s', (source) => {
  const compiled = compileExpression(ruleExpression(source))
  expect(compiled.kind === 'program' && compiled.run(someFacts)).toEqual({ kind: 'done', value: true })
})

test.for([
  ['tool.nme == "pay"', 'There is no field nme. Known: name, args'],
  ['user.id == "a"', 'There is no variable user'],
  ['hour + 1', 'The expression must answer true or false'],
] as const)('%s is no expression of a rule', ([source, message]) => {
  expect(checkExpression(ruleExpression(source)).problems).toEqual([expect.objectContaining({ message })])
})
