import { expect, test } from 'vitest'
import { faultsOfProblems, jsonFaults } from './definition-faults.ts'

const text = '{\n  "steps": [\n    { "key": "a", "when": "input.x ==" }\n  ]\n}'

test('a problem of the service leads to its place in the text', () => {
  const [whole, inside, elsewhere] = faultsOfProblems(
    [
      { param: 'definition.steps.0.when', message: 'm', position: null },
      { param: 'definition.steps[0].when', message: 'm', position: 8 },
      { param: 'definition', message: 'm', position: null },
    ],
    text,
  )
  expect(whole).toMatchObject({ path: 'steps.0.when', line: 3, column: 27 })
  expect(text.slice(whole?.part.from, whole?.part.to)).toBe('"input.x =="')
  expect(inside).toMatchObject({ path: 'steps.0.when', line: 3, column: 36 })
  expect(text.slice(inside?.part.from, inside?.part.to)).toBe('=="')
  expect(elsewhere).toMatchObject({ path: '', line: 1, column: 1 })
})

test('a text that is no JSON has one fault, with its line', () => {
  expect(jsonFaults('{}')).toEqual([])
  const [fault] = jsonFaults('{\n  "a": 1,\n  b\n}')
  expect(fault).toMatchObject({ path: '', line: 3, message: 'This is not valid JSON: look at line 3.' })
  expect(jsonFaults('')).toHaveLength(1)
})
