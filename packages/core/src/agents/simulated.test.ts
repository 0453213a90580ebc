import fc from 'fast-check'
import { expect, test } from 'vitest'
import { simulatedModels, simulateStep } from './simulated.ts'

test('test-echo answers with the query, or with its whole input when there is none', () => {
  expect(simulateStep('simulated/echo', { query: 'Hello' }, 1).output).toEqual({ result: 'Hello' })
  expect(simulateStep('simulated/echo', { a: 1 }, 1).output).toEqual({ result: '{"a":1}' })
})

test('test-steps ends with its last step and not before', () => {
  const outputs = [1, 2, 3].map((step) => simulateStep('simulated/steps', { steps: 3 }, step).output)
  expect(outputs.map((output) => output !== null)).toEqual([false, false, true])
})

test('whatever the input, a test agent ends within a hundred steps and waits at most an hour a step', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...simulatedModels),
      fc.dictionary(fc.constantFrom('steps', 'delay_ms', 'seconds', 'query'), fc.jsonValue()),
      (model, input) => {
        let step = 1
        for (; simulateStep(model, input, step).output === null; step++) expect(step).toBeLessThan(100)
        const { delayMs } = simulateStep(model, input, step)
        expect(delayMs >= 0 && delayMs <= 3_600_000).toBe(true)
      },
    ),
  )
})
