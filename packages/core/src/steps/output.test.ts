import { expect, test } from 'vitest'
import { toOutput } from './output.ts'

const schema = { type: 'object' }

test('without a schema the output is the unchanged text', () => {
  for (const text of ['', ' {"a":1} ', 'é\u2028🙂']) expect(toOutput(text, null)).toEqual({ output: { result: text } })
})

test('with a schema the output is the object that the text encodes', () => {
  expect(toOutput(' {"a": [1, null]}\n', schema)).toEqual({ output: { a: [1, null] } })
  // An object may have a field of this name without being a problem itself.
  expect(toOutput('{"problems":["x"]}', schema)).toEqual({ output: { problems: ['x'] } })
})

test.for(['', 'hello', '{"a":', '```json\n{}\n```', '{} {}', 'undefined'])('%j is not JSON', (text) => {
  expect(toOutput(text, schema)).toEqual({ problems: ['it is not JSON'] })
})

test.for(['[]', 'null', '7', '"text"', 'true'])('%s is JSON but not an object', (text) => {
  expect(toOutput(text, schema)).toEqual({ problems: ['it is not a JSON object'] })
})
