import { expect, test } from 'vitest'
import { checkExpression } from './expression-check.ts'
import { declaredAs } from './expressions.fixture.ts'

const referencesOf = (source: string) =>
  checkExpression(declaredAs('any', source)).references.map(({ path, position }) => `${path.join('.')}@${position}`)

test.for([
  ['content', ['content@0']],
  ['content.a.b', ['content.a.b@0']],
  ['content["a"].b["c d"]', ['content.a.b.c d@0']],
  ['content["\\x61"]', ['content.a@0']],
  ['content[text].a', ['content@0', 'text@8']],
  ['content.a[0].b', ['content.a@0']],
  ['has(content.a.b)', ['content.a.b@4']],
  ['hour > 1 ? content.a : content.b', ['hour@0', 'content.a@11', 'content.b@23']],
  ['{"a": content.a, text: [content.b]}', ['content.a@6', 'text@17', 'content.b@24']],
  ['content.list.map(x, x.price * content.rate)', ['content.list@0', 'content.rate@30']],
  ['findings.all(content, content.a == text)', ['findings@0', 'text@35']],
  ['findings.all(x, content.list.exists(y, x == y.a))', ['findings@0', 'content.list@16']],
  ['content.filter(content, content.a).size()', ['content@0']],
  ['text.contains(content.a)', ['text@0', 'content.a@14']],
  ['dyn(content).a', ['content@4']],
  ['"content.a" == text', ['text@15']],
  ['unknown.a == 1', ['unknown.a@0']],
  ['content.a ==', []],
] as const)('%s reads fields by name', ([source, references]) => {
  expect(referencesOf(source)).toEqual(references)
})
