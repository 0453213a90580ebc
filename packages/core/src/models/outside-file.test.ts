import { expect, test } from 'vitest'
import { findModel, noModels, parseModelsFile } from './models-file.ts'
import { addressOf, originsOf, vendorEntry, withOutside } from './outside-file.ts'

const environment = { OPENAI_API_KEY: 'sk-secret', ANTHROPIC_API_KEY: ' ', GEMINI_API_KEY: 'g-secret' }
const outside = { environment, vendorKeys: true, localUrl: undefined }

test('each vendor whose variable is set is enabled, with all its models and no price', () => {
  const file = withOutside(noModels, outside)
  expect([...file.providers.keys()]).toEqual(['openai', 'google'])
  expect(findModel(file, 'openai/gpt-5')).toMatchObject({ pattern: 'openai/*', price: null })
  expect(findModel(file, 'anthropic/claude')).toBeUndefined()
  expect(originsOf(file)).toEqual(['openai (OPENAI_API_KEY)', 'google (GEMINI_API_KEY)'])
  expect(JSON.stringify([...file.providers])).not.toContain('secret')
})

test('a provider that the file names is the file’s, with its models and its key', () => {
  const text = 'providers:\n  openai: { kind: openai, api_key_file: k }\nmodels:\n  - { model: openai/gpt-5 }\n'
  const file = withOutside(parseModelsFile(text, 'models.yaml'), outside)
  expect(file.providers.get('openai')?.key).toEqual({ from: 'file', path: 'k' })
  expect(findModel(file, 'openai/gpt-4')).toBeUndefined()
  expect(originsOf(file)).toEqual(['openai (key file)', 'google (GEMINI_API_KEY)'])
})

test('the variables enable nothing if they are switched off', () => {
  expect(withOutside(noModels, { ...outside, vendorKeys: false }).providers.size).toBe(0)
})

test('the address of a local server makes the provider local, or replaces the address that the file has', () => {
  const localUrl = 'http://127.0.0.1:11434/v1/'
  const added = withOutside(noModels, { ...outside, vendorKeys: false, localUrl })
  expect(added.providers.get('local')?.baseUrl).toBe('http://127.0.0.1:11434/v1')
  expect(findModel(added, 'local/llama')?.price).toMatchObject({ inputPerMillion: 0 })
  const text =
    'providers:\n  local: { kind: openai-compatible, base_url: "http://a/v1" }\nmodels:\n  - { model: local/small }\n'
  const file = withOutside(parseModelsFile(text, 'models.yaml'), { ...outside, vendorKeys: false, localUrl })
  expect(originsOf(file)).toEqual(['local (http://127.0.0.1:11434/v1)'])
  expect(findModel(file, 'local/other')).toBeUndefined()
})

test('a vendor is called at its own address, or at the one of the file', () => {
  expect((['openai', 'anthropic', 'google'] as const).map((name) => addressOf(vendorEntry(name)))).toEqual([
    'https://api.openai.com/v1',
    'https://api.anthropic.com/v1',
    'https://generativelanguage.googleapis.com/v1beta',
  ])
  expect(addressOf({ kind: 'openai', baseUrl: 'https://proxy.example.com/v1' })).toBe('https://proxy.example.com/v1')
})
