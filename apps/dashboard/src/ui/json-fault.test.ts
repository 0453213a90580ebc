import { expect, test } from 'vitest'
import { jsonFault } from './json-fault.ts'

test('a fault names the line in which the text stops being JSON', () => {
  expect(jsonFault('{\n  "a": 1,\n  "b" 2\n}')).toBe('This is not valid JSON: look at line 3.')
  expect(jsonFault('{\n  "a": [1,\n')).toBe('This is not valid JSON: look at line 3.')
  expect(jsonFault('{\n  "a": 1,,\n}')).toBe('This is not valid JSON: look at line 2.')
})
