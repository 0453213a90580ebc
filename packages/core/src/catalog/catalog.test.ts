import { expect, test } from 'vitest'
import { type CatalogEntry, hiredConfig, mentions, toOffer, toWireCatalogAgent } from './catalog.ts'

const script = [{ text: 'simulated' }]

const anEntry = (given: Partial<CatalogEntry> = {}): CatalogEntry => ({
  key: 'summariser',
  version: 2,
  name: 'Summariser',
  description: 'Sums up a text.',
  category: 'writing',
  kind: 'llm',
  config: { model: 'simulated/script', instructions: 'Sum it up.', temperature: 0.2 },
  input_schema: null,
  output_schema: null,
  limits: { max_steps: 3 },
  needs_connector: false,
  sample_input: { text: 'a' },
  sample_output: null,
  simulated: script,
  ...given,
})

test('a hired agent plays its script until a model is set', () => {
  expect(hiredConfig(toOffer(anEntry(), undefined), {})).toEqual({
    model: 'simulated/script',
    instructions: 'Sum it up.',
    temperature: 0.2,
    script,
  })
})

test('a hired agent uses the operator’s model when one is set, without a script', () => {
  const config = hiredConfig(toOffer(anEntry(), 'openai/gpt-5-mini'), {})
  expect(config).toEqual({ model: 'openai/gpt-5-mini', instructions: 'Sum it up.', temperature: 0.2 })
})

test('the model in the hire request overrides the operator’s, and a real model removes the script', () => {
  expect(hiredConfig(toOffer(anEntry(), undefined), { model: 'local/small' })).not.toHaveProperty('script')
  expect(hiredConfig(toOffer(anEntry(), 'openai/a'), { model: 'local/small' })).toMatchObject({ model: 'local/small' })
  expect(hiredConfig(toOffer(anEntry(), 'openai/a'), { model: 'simulated/script' })).toMatchObject({ script })
})

test('a script in the hire request is kept as sent, for the agent check to validate', () => {
  const own = [{ text: 'mine' }]
  expect(hiredConfig(toOffer(anEntry(), undefined), { script: own }).script).toBe(own)
})

test('the operator’s model replaces neither a test agent’s model nor a model that a file names', () => {
  const echo = anEntry({ config: { model: 'simulated/echo' }, simulated: null })
  expect(toOffer(echo, 'openai/a').config).toEqual({ model: 'simulated/echo' })
  expect(toOffer(anEntry({ config: { model: 'openai/b' } }), 'openai/a').config).toEqual({ model: 'openai/b' })
})

test('overrides are merged: objects are merged, lists are replaced, null removes', () => {
  const wishes = { temperature: null, max_output_tokens: 100, tools: [{ connector_id: 'con_1' }] }
  expect(hiredConfig(toOffer(anEntry(), 'openai/a'), wishes)).toEqual({
    model: 'openai/a',
    instructions: 'Sum it up.',
    max_output_tokens: 100,
    tools: [{ connector_id: 'con_1' }],
  })
})

test('an offer shows the model that a hire would use and does not show the script', () => {
  const wire = toWireCatalogAgent(toOffer(anEntry(), undefined))
  expect(wire).toMatchObject({ id: 'summariser', key: 'summariser', limits: { max_steps: 3, budget_usd: null } })
  expect(wire.config).toEqual({ model: 'simulated/script', instructions: 'Sum it up.', temperature: 0.2 })
  expect(toWireCatalogAgent(toOffer(anEntry(), 'openai/a')).config).toMatchObject({ model: 'openai/a' })
})

test('an agent is found by any word of its texts, case-insensitively', () => {
  expect(['SUMS', 'writing', 'mmaris', 'nothing'].map((text) => mentions(anEntry(), text))).toEqual([
    true,
    true,
    true,
    false,
  ])
})
