import { expect, test } from 'vitest'
import { createCheckSpend } from './check-spend.service.ts'

const usage = { inputTokens: 100, outputTokens: 5 }

test('the cost of checks is added up exactly', () => {
  const spend = createCheckSpend()
  spend.note({ usage, costUsd: 0.1 })
  spend.note({ usage, costUsd: 0.2 })
  expect(spend.total()).toMatchObject({ tokens: { input: 200, output: 10 }, costUsd: 0.3 })
})

test('a model without a price makes the cost unknown', () => {
  const spend = createCheckSpend()
  spend.note({ usage, costUsd: 0.1 })
  spend.note({ usage, costUsd: null })
  expect(spend.total()).toMatchObject({ costUsd: null })
})

test('without a model there is no cost', () => {
  const spend = createCheckSpend()
  spend.note({ costUsd: 0 })
  expect(spend.total()).toBeNull()
})
