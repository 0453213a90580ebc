import { expect, test } from 'vitest'
import { priceOf } from './cost.ts'
import { findModel, ModelsFileError, parseModelsFile, providerModelOf } from './models-file.ts'

const good = `
providers:
  openai:
    kind: openai
    api_key_env: OPENAI_API_KEY
  local:
    kind: openai-compatible
    base_url: http://127.0.0.1:8080/v1/
models:
  - model: openai/gpt-5-mini
    price_per_million: { input: 0.25, output: 2 }
  - model: openai/gpt-*
  - model: openai/*
  - model: local/small
    provider_model: some/file.gguf
`

test('providers and models are parsed', () => {
  const file = parseModelsFile(good, 'models.yaml')
  expect([...file.providers.values()]).toMatchObject([
    { name: 'openai', kind: 'openai', baseUrl: undefined, key: { from: 'environment', variable: 'OPENAI_API_KEY' } },
    { name: 'local', kind: 'openai-compatible', baseUrl: 'http://127.0.0.1:8080/v1', key: undefined },
  ])
  expect(findModel(file, 'openai/gpt-5-mini')?.price).toEqual(priceOf({ input: 0.25, output: 2 }))
})

test('kinds of tokens have prices of their own', () => {
  const text = good.replace('output: 2', 'output: 2, cached_input: 0.025, cache_write: 0.5, reasoning: 3')
  expect(findModel(parseModelsFile(text, 'models.yaml'), 'openai/gpt-5-mini')?.price).toEqual({
    inputPerMillion: 0.25,
    outputPerMillion: 2,
    cachedInputPerMillion: 0.025,
    cacheWritePerMillion: 0.5,
    reasoningPerMillion: 3,
  })
  expect(() => parseModelsFile(good.replace('output: 2', 'output: 2, cached: 1'), 'models.yaml')).toThrow(/cached/)
})

test('an exact entry wins over a wildcard, and a longer wildcard over a shorter one', () => {
  const file = parseModelsFile(good, 'models.yaml')
  expect(findModel(file, 'openai/gpt-4')?.pattern).toBe('openai/gpt-*')
  expect(findModel(file, 'openai/o9')?.pattern).toBe('openai/*')
  expect(findModel(file, 'openai/')).toBeUndefined()
  expect(findModel(file, 'local/other')).toBeUndefined()
})

test('a provider is called with its own name for the model', () => {
  const file = parseModelsFile(good, 'models.yaml')
  const asked = (model: string) => providerModelOf(findModel(file, model)!, model)
  expect(asked('local/small')).toBe('some/file.gguf')
  expect(asked('openai/a/b')).toBe('a/b')
})

test('an empty file names no models', () => {
  expect(parseModelsFile('', 'models.yaml').models).toEqual([])
  expect(parseModelsFile('# nothing yet\n', 'models.yaml').providers.size).toBe(0)
})

test.for([
  ['providers: [', /^models\.yaml, line \d+: /],
  ['- a', 'must hold providers: and models:'],
  ['provider: {}', 'models.yaml, provider (line 1): is not a known field; did you mean providers?'],
  ['providers:\n  x: { kind: other }', 'models.yaml, providers.x.kind (line 2): must be one of openai, anthropic'],
  ['providers:\n  x:\n    kind: openai-compatible', 'providers.x (line 3): needs base_url'],
  ['providers:\n  x:\n    kind: openai', 'providers.x (line 3): needs api_key_env or api_key_file'],
  [
    'providers:\n  x: { kind: openai, api_key: sk-secret-secret }',
    'providers.x.api_key (line 2): is not a known field',
  ],
  ['providers:\n  x: { kind: openai, api_key_env: A, api_key_file: b }', 'not both'],
  ['providers:\n  x: { kind: openai-compatible, base_url: "ftp://a" }', 'base_url (line 2): must be an http://'],
  ['providers:\n  x: { kind: openai-compatible, base_url: "http://u:p@a" }', 'without user, password'],
  ['providers:\n  simulated: { kind: openai, api_key_env: A }', 'is the name of the built-in models'],
  ['providers:\n  Open AI: { kind: openai, api_key_env: A }', 'small letters, digits and hyphens'],
  ['models:\n  - model: openai/gpt', 'models.yaml, models.0.model (line 2): there is no provider openai above'],
  ['models:\n  - model: gpt', 'must look like provider/model'],
  [`${good}  - model: openai/*`, 'openai/* is listed twice'],
  [
    `${good}  - { model: local/b, price_per_million: { input: -1, output: 0 } }`,
    'models.4.price_per_million.input (line 16)',
  ],
  [`${good}  - { model: local/c, price_per_million: { input: 1 } }`, 'models.4.price_per_million.output (line 16)'],
  [`${good}  - { model: local/c*, provider_model: c }`, 'cannot have provider_model'],
  [
    'providers:\n  a: { kind: openai, api_key_env: A }\n  a: { kind: openai, api_key_env: A }',
    'Map keys must be unique',
  ],
] as const)('an invalid file prevents the start and the position is named: %s', ([text, says]) => {
  const parse = () => parseModelsFile(text, 'models.yaml')
  expect(parse).toThrow(ModelsFileError)
  expect(parse).toThrow(says)
  expect(parse).not.toThrow('sk-secret-secret')
})
