import { expect, test } from 'vitest'
import { amountOf, scopeOf } from './budget-fields.ts'

test.each([
  ['50', 50],
  [' $0.5 ', 0.5],
  ['0', 0],
])('%s is an amount', (text, usd) => {
  expect(amountOf(text)).toEqual({ usd })
})

test.each(['', '  ', 'ten', '-1', '1e400', 'NaN', '1000000001'])('%j is none, and the fault says why', (text) => {
  expect(amountOf(text)).toEqual({ fault: expect.stringMatching(/\$|dollars/) })
})

test('each kind of budget has its own permission', () => {
  expect(['org_1', 'ag_1', 'key_1'].map(scopeOf)).toEqual(['members:write', 'agents:write', 'keys:write'])
})
