import fc from 'fast-check'
import { expect, test } from 'vitest'
import { expressionsBounds } from '../expressions/bounds.ts'
import { checkExpression } from '../expressions/index.ts'
import { pipelinesBounds } from './bounds.ts'

import {
  evaluatedVariables,
  type ScopeTexts,
  scopeTextFor,
  stepsReadByStep,
  stepsReadByValue,
} from './expression-scope.ts'

const keys = ['a', 'b', 'first', 'first_2']

test.for([
  ['${{ steps.a.output }}', ['a']],
  ['Dear ${{ steps.first_2.output.name }}', ['first_2']],
  ['${{ steps["b"].output }}', ['b']],
  ['${{ steps.first.output + steps.a.status }}', ['a', 'first']],
  ['steps.a.output', []],
  ['${{ input.a }}', []],
  ['${{ steps["\\x61"].output }}', keys],
] as const)('the steps that %s may read are found in its text', ([text, found]) => {
  expect([...stepsReadByValue({ deep: [1, null, text] }, keys)]).toEqual(found)
})

test('a step reads by its condition, its list, its input and its question', () => {
  const step = { key: 'x', agent_id: 'agt', when: 'steps.a.output', for_each: '${{ steps.b.output }}' }
  expect([...stepsReadByStep({ ...step, input: { c: '${{ steps.first.output }}' } }, keys)]).toEqual([
    'a',
    'b',
    'first',
  ])
  expect([...stepsReadByStep({ key: 'x', approval: { message: 'See ${{ steps.a.output }}' } }, keys)]).toEqual(['a'])
  expect([...stepsReadByStep({ key: 'x', agent_id: 'agt' }, keys)]).toEqual([])
})

test('no step that an expression reads is missed', () => {
  const quoted = (key: string) => fc.constantFrom(`["${key}"]`, `['${key}']`, `["""${key}"""]`, `[r"${key}"]`)
  const escaped = (key: string) => fc.constant(`["\\x${key.charCodeAt(0).toString(16)}${key.slice(1)}"]`)
  const field = fc.constantFrom(...keys).chain((key) => fc.oneof(fc.constant(`.${key}`), quoted(key), escaped(key)))
  const read = field.map((each) => `steps${each}.output`)
  const source = fc.array(read, { minLength: 1, maxLength: 4 }).map((reads) => `[${reads.join(' , ')}].size() > 1`)
  fc.assert(
    fc.property(source, (text) => {
      const { problems, references } = checkExpression({ source: text, variables: evaluatedVariables, wanted: 'any' })
      expect(problems).toEqual([])
      const found = stepsReadByValue(`\${{ ${text} }}`, keys)
      for (const { path } of references) expect(found).toContain(path[1])
    }),
  )
})

test('a placeholder is searched as far as an expression can go', () => {
  expect(pipelinesBounds.placeholderSearched.chars).toBe(expressionsBounds.expression.chars)
  const late = 'input +'.padEnd(expressionsBounds.expression.chars - 'steps.a.output'.length)
  expect([...stepsReadByValue(`\${{${' '.repeat(9_000)}${late}steps.a.output}}`, keys)]).toEqual(['a'])
  expect([...stepsReadByValue('${{ "${{" + steps.a.output }}', keys)]).toEqual(['a'])
})

const scope: ScopeTexts = {
  input: '{"a":1}',
  steps: { a: { status: 'completed', output: '[1]' }, b: { status: 'failed', output: 'null' } },
  item: '"x"',
  index: 3,
}
const partFor = (text: string, of = scope) => {
  const part = scopeTextFor([text], of)
  return part.kind === 'text' ? JSON.parse(part.text) : part.kind
}

test('a thread gets what the texts may read, and nothing else', () => {
  expect(partFor('input.b')).toEqual({ input: { a: 1 }, steps: {} })
  expect(partFor('steps.a.status')).toEqual({ steps: { a: { status: 'completed', output: [1] } } })
  expect(partFor('item == index')).toEqual({ item: 'x', index: 3, steps: {} })
  expect(partFor('"item"', { input: 'null', steps: {} })).toEqual({ steps: {} })
})

test('what the texts may read is bounded in bytes, and an output that was not loaded is too large', () => {
  const half = 'ä'.repeat(pipelinesBounds.scope.bytes / 4)
  const json = JSON.stringify(half)
  const large: ScopeTexts = { input: json, steps: { a: { status: 'completed', output: json } } }
  expect(partFor('input', large)).toMatchObject({ input: half })
  expect(partFor('input == steps.a.output', large)).toBe('too_large')
  const unread: ScopeTexts = { input: '1', steps: { a: { status: 'completed', output: undefined } } }
  expect(partFor('input', unread)).toEqual({ input: 1, steps: {} })
  expect(partFor('steps.a.status', unread)).toBe('too_large')
})
