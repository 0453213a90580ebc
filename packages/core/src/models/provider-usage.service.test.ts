import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLog } from '@ars/platform/log/log'
import { fakeClock } from '@ars/testkit/clock'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createModels, type ModelService } from './model.service.ts'
import { requestFor } from './model-request.fixture.ts'
import { chat, startVendor, stream } from './vendor.fixture.ts'

let vendor: Awaited<ReturnType<typeof startVendor>>
let models: ModelService

beforeAll(async () => {
  vendor = await startVendor()
  const file = join(mkdtempSync(join(tmpdir(), 'models-')), 'models.yaml')
  const price = '{ input: 1, output: 10, cached_input: 0.1, cache_write: 1.25, reasoning: 20 }'
  writeFileSync(
    file,
    `
providers:
  openai: { kind: openai, base_url: "${vendor.url}/v1", api_key_env: THE_KEY }
  anthropic: { kind: anthropic, base_url: "${vendor.url}/v1", api_key_env: THE_KEY }
  google: { kind: google, base_url: "${vendor.url}/v1beta", api_key_env: THE_KEY }
  local: { kind: openai-compatible, base_url: "${vendor.url}/v1" }
models:
  - { model: "openai/*", price_per_million: ${price} }
  - { model: "anthropic/*", price_per_million: ${price} }
  - { model: "google/*", price_per_million: ${price} }
  - { model: "local/*", price_per_million: ${price} }
`,
  )
  const log = createLog({ level: 'silent' })
  models = createModels({ modelsFile: file, environment: { THE_KEY: 'key-1234' }, clock: fakeClock(), log })
})

afterAll(async () => {
  await models.close()
  await vendor.stop()
})

const ask = (model: string) => models.call(requestFor(model))

const anthropic = (usage: Record<string, number>) => [
  {
    type: 'message_start',
    message: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [],
      stop_reason: null,
      usage: { ...usage, output_tokens: 1 },
    },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 20 } },
  { type: 'message_stop' },
]

const openai = (usage: Record<string, unknown>) => {
  const response = { id: 'resp_1', object: 'response', created_at: 1, model: 'm', output: [] }
  const item = { type: 'message', id: 'msg_1', status: 'in_progress', role: 'assistant', content: [] }
  return [
    { type: 'response.created', response: { ...response, status: 'in_progress' } },
    { type: 'response.output_item.added', output_index: 0, item },
    { type: 'response.output_text.delta', item_id: 'msg_1', output_index: 0, content_index: 0, delta: 'Hi' },
    { type: 'response.output_item.done', output_index: 0, item: { ...item, status: 'completed' } },
    { type: 'response.completed', response: { ...response, status: 'completed', usage } },
  ]
}

const google = (usageMetadata: Record<string, number>) => [
  { candidates: [{ content: { parts: [{ text: 'Hi' }], role: 'model' }, finishReason: 'STOP' }], usageMetadata },
]

const none = { cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 }

test.for([
  {
    vendors: 'OpenAI counts cached tokens within the input and reasoning within the output',
    model: 'openai/m',
    frames: openai({
      input_tokens: 100,
      input_tokens_details: { cached_tokens: 60 },
      output_tokens: 20,
      output_tokens_details: { reasoning_tokens: 15 },
      total_tokens: 120,
    }),
    usage: { inputTokens: 100, outputTokens: 20, cachedTokens: 60, cacheWriteTokens: 0, reasoningTokens: 15 },
    // 40 · 1 + 60 · 0.1 + 5 · 10 + 15 · 20
    costUsd: 0.000396,
  },
  {
    vendors: 'Anthropic counts what it reads from and writes to a cache beside the input',
    model: 'anthropic/m',
    frames: anthropic({ input_tokens: 100, cache_read_input_tokens: 60, cache_creation_input_tokens: 40 }),
    usage: { inputTokens: 200, outputTokens: 20, cachedTokens: 60, cacheWriteTokens: 40, reasoningTokens: 0 },
    // 100 · 1 + 60 · 0.1 + 40 · 1.25 + 20 · 10
    costUsd: 0.000356,
  },
  {
    vendors: 'Google counts reasoning beside the output',
    model: 'google/m',
    frames: google({
      promptTokenCount: 100,
      cachedContentTokenCount: 60,
      candidatesTokenCount: 5,
      thoughtsTokenCount: 15,
      totalTokenCount: 120,
    }),
    usage: { inputTokens: 100, outputTokens: 20, cachedTokens: 60, cacheWriteTokens: 0, reasoningTokens: 15 },
    costUsd: 0.000396,
  },
  {
    vendors: 'a chat completion counts cached tokens within the prompt and reasoning within the completion',
    model: 'local/m',
    frames: chat('Hi', {
      prompt_tokens: 100,
      completion_tokens: 20,
      total_tokens: 120,
      prompt_tokens_details: { cached_tokens: 60 },
      completion_tokens_details: { reasoning_tokens: 15 },
    }),
    usage: { inputTokens: 100, outputTokens: 20, cachedTokens: 60, cacheWriteTokens: 0, reasoningTokens: 15 },
    costUsd: 0.000396,
  },
  {
    vendors: 'a chat completion whose total shows that reasoning is counted beside it',
    model: 'local/m',
    frames: chat('Hi', {
      prompt_tokens: 100,
      completion_tokens: 5,
      total_tokens: 120,
      completion_tokens_details: { reasoning_tokens: 15 },
    }),
    usage: { ...none, inputTokens: 100, outputTokens: 20, reasoningTokens: 15 },
    costUsd: 0.00045,
  },
  {
    vendors: 'a chat completion without details',
    model: 'local/m',
    frames: chat('Hi', { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 }),
    usage: { ...none, inputTokens: 100, outputTokens: 20 },
    costUsd: 0.0003,
  },
])('$vendors', async ({ model, frames, usage, costUsd }) => {
  vendor.reply('m', stream(frames))
  expect(await ask(model)).toMatchObject({ text: 'Hi', usage, costUsd })
})
