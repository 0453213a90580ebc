import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type JsonValue, templateLimits } from '../expressions/index.ts'
import type { ExpressionScope } from './expression-scope.ts'
import { pipelineTasks } from './pipeline-task.service.ts'

const tasks = pipelineTasks()
const runTask = (kind: string, payload: unknown): unknown => tasks[kind]?.(payload, () => undefined)

const render = (value: JsonValue, scope: Partial<ExpressionScope>) => {
  const result = runTask('pipelines.render', { value: JSON.stringify(value), scope: JSON.stringify(scope) })
  const { json: text, ...rest } = result as { json?: string }
  return text === undefined ? rest : JSON.parse(text)
}
const fault = (message: RegExp) => ({
  kind: 'fault',
  code: 'expression_failed',
  message: expect.stringMatching(message),
})

test('a placeholder that is the whole string keeps the type of its value', () => {
  const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as JsonValue)
  fc.assert(
    fc.property(json, json, fc.nat(999), (input, output, index) => {
      const scope = { input, steps: { a: { status: 'completed', output } }, item: output, index }
      const template = {
        alone: '${{ input }}',
        spaced: '${{steps["a"].output}}',
        deep: [{ item: '${{ item }}', index: '${{ index }}', next: '${{ index + 1 }}' }],
        made: '${{ [input, {"a": steps.a.output}] }}',
        compared: '${{ steps.a.status == "completed" }}',
        text: 'Number ${{ index }}, ${{ steps.a.status }}',
        plain: [1, null, 'text', true],
      }
      expect(render(template, scope)).toEqual({
        alone: input,
        spaced: output,
        deep: [{ item: output, index, next: index + 1 }],
        made: [input, { a: output }],
        compared: true,
        text: `Number ${index}, completed`,
        plain: [1, null, 'text', true],
      })
    }),
  )
})

test.for([
  [{ a: ['${{ input.b }}'] }, /^a.0: The expression could not be evaluated: a field is missing \(at character 6\)$/],
  ['${{ item }}', /^The expression could not be evaluated: a field is missing/],
  ['${{ steps.b.output }}', /a field is missing/],
  ['${{ foo }}', /not valid/],
  ['${{ input', /placeholders are not valid/],
  ['${{ input.text }}'.repeat(2), /more than 1048576 characters/],
  ['${{ type(input) }}', /not valid/],
  ['${{ [type(input)] }}', /no JSON value/],
] as const)('%j cannot be filled', ([value, message]) => {
  const text = 'x'.repeat(templateLimits.renderedChars - 1)
  expect(render(value, { input: { text }, steps: {} })).toEqual(fault(message))
})

test('a message quotes nothing of inputs and outputs', () => {
  const secret = 'hunter2-hunter2'
  const scope = { input: { [secret]: secret, text: secret }, steps: { a: { status: 'completed', output: secret } } }
  for (const source of [
    'int(input.text)',
    'input[steps.a.output].more',
    'input[input.text + "x"]',
    'input.text[input.text]',
    'steps.a.output + 1',
    'input.map(name, input[name] > 1)',
  ]) {
    expect(render(`\${{ ${source} }}`, scope)).toMatchObject({ kind: 'fault' })
    const opened = [
      runTask('pipelines.open', { when: `${source} == 1`, scope: JSON.stringify(scope) }),
      runTask('pipelines.open', { forEach: `[${source}]`, scope: JSON.stringify(scope) }),
    ]
    expect(opened).toMatchObject([{ kind: 'fault' }, { kind: 'fault' }])
    expect(JSON.stringify([render(`\${{ ${source} }}`, scope), opened])).not.toContain('hunter2')
  }
})
