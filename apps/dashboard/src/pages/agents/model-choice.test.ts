import type { Model } from '@agent-run-service/sdk'
import { expect, test } from 'vitest'
import { entryOf } from './model-choice.ts'

const model = (id: string): Model => ({
  id,
  object: 'model',
  provider: id.split('/')[0] ?? '',
  is_pattern: id.endsWith('*'),
  price: null,
  supports_tools: null,
})
const models = ['openai/*', 'openai/gpt-*', 'openai/gpt-5', 'local/mine'].map(model)

test.each([
  ['openai/gpt-5', 'openai/gpt-5'],
  ['openai/gpt-6', 'openai/gpt-*'],
  ['openai/', 'openai/*'],
  ['local/mine', 'local/mine'],
  ['local/other', undefined],
  ['', undefined],
])('the model %s belongs to the entry %s', (id, entry) => {
  expect(entryOf(models, id)?.id).toBe(entry)
})
