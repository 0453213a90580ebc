import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { free, priceOf } from './cost.ts'
import { createModelList } from './model-list.service.ts'

test('the list of models needs no provider key', () => {
  const folder = mkdtempSync(join(tmpdir(), 'models-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const modelsFile = join(folder, 'models.yaml')
  writeFileSync(
    modelsFile,
    `
providers:
  openai: { kind: openai, api_key_env: NOBODY_HAS_SET_THIS }
models:
  - { model: openai/priced, price_per_million: { input: 1, output: 2 } }
  - { model: openai/gpt-* }
`,
  )
  const models = createModelList({ modelsFile })
  expect(models.find('openai/priced')?.price).toEqual(priceOf({ input: 1, output: 2 }))
  expect(models.find('openai/gpt-9')).toEqual({ model: 'openai/gpt-9', price: null })
  expect(models.find('openai/other')).toBeNull()
})

test('without a models file only the simulated models exist', () => {
  const models = createModelList({ modelsFile: undefined })
  expect(models.find('simulated/echo')?.price).toEqual(free)
  expect([models.find('simulated/other'), models.find('openai/gpt-9')]).toEqual([null, null])
})
