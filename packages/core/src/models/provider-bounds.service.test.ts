import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { limits } from '@ars/contract'
import { createLog } from '@ars/platform/log/log'
import { fakeClock } from '@ars/testkit/clock'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createModels, type ModelService } from './model.service.ts'
import { requestFor } from './model-request.fixture.ts'
import { chat, startVendor, stream } from './vendor.fixture.ts'

// A provider that is hostile, broken, or calls a model that somebody has led astray.
let vendor: Awaited<ReturnType<typeof startVendor>>
let models: ModelService

beforeAll(async () => {
  vendor = await startVendor()
  const file = join(mkdtempSync(join(tmpdir(), 'models-')), 'models.yaml')
  writeFileSync(
    file,
    `
providers:
  local: { kind: openai-compatible, base_url: "${vendor.url}/v1" }
models:
  - { model: "local/*", price_per_million: { input: 1, output: 10 } }
`,
  )
  models = createModels({
    modelsFile: file,
    environment: {},
    clock: fakeClock(),
    log: createLog({ level: 'silent' }),
    sleep: async () => undefined,
  })
})

beforeEach(() => vendor.forget())

afterAll(async () => {
  await models.close()
  await vendor.stop()
})

const ask = () =>
  models.call({
    ...requestFor('local/m'),
    tools: [{ name: 'look', description: 'Looks.', inputSchema: { type: 'object' } }],
  })

const delta = (content: Record<string, unknown>) => ({ id: 'c1', choices: [{ index: 0, delta: content }] })
const calls = (count: number, name = 'look') =>
  delta({
    role: 'assistant',
    tool_calls: Array.from({ length: count }, (_, index) => ({
      index,
      id: `call_${index}`,
      type: 'function',
      function: { name, arguments: '{}' },
    })),
  })
const end = [
  { id: 'c1', choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
  { id: 'c1', choices: [], usage: { prompt_tokens: 10, completion_tokens: 2 } },
  '[DONE]',
]

test.for([
  ['negative', { prompt_tokens: -5_000_000, completion_tokens: -5_000_000 }, 0, 0, 0],
  [
    'negative parts',
    {
      prompt_tokens: 10,
      completion_tokens: 10,
      prompt_tokens_details: { cached_tokens: -9e9 },
      completion_tokens_details: { reasoning_tokens: -9e9 },
    },
    10,
    10,
    0.00011,
  ],
  ['fractions', { prompt_tokens: 1.5, completion_tokens: 2.7 }, 2, 3, 0.000032],
  ['beyond all numbers', { prompt_tokens: 1e300, completion_tokens: 0 }, 1_000_000_000, 0, 1000],
] as const)('usage that nobody can have is not stored: %s', async ([, usage, inputTokens, outputTokens, costUsd]) => {
  vendor.reply('m', stream(chat('Hi', usage)))
  expect(await ask()).toMatchObject({
    usage: { inputTokens, outputTokens, cachedTokens: 0, reasoningTokens: 0 },
    costUsd,
  })
})

test('as many tool calls as a step may have are taken, and one more fails the call at once', async () => {
  vendor.reply('m', stream([calls(limits.toolCallsPerStep), ...end]))
  expect((await ask()).toolCalls).toHaveLength(limits.toolCallsPerStep)
  vendor.reply('m', stream([calls(limits.toolCallsPerStep + 1), ...end]))
  await expect(ask()).rejects.toMatchObject({
    message: `The model provider local answered with more than ${limits.toolCallsPerStep} tool calls`,
    retryable: false,
  })
  expect(vendor.asked).toHaveLength(2)
})

test.for(['reasoning_content', 'arguments', 'name'])(
  'an answer is bounded in bytes beside its text: %s',
  async (field) => {
    const large = 'x'.repeat(limits.outputBytes / 2 + 1)
    const call = (index: number) => ({ index, id: `call_${index}`, type: 'function' })
    const frame = (index: number) => {
      if (field === 'reasoning_content') return delta({ reasoning_content: large })
      const [name, text] = field === 'name' ? [large, '{}'] : ['look', JSON.stringify({ large })]
      return delta({ tool_calls: [{ ...call(index), function: { name, arguments: text } }] })
    }
    vendor.reply('m', stream([frame(0), frame(1), ...end]))
    await expect(ask()).rejects.toMatchObject({
      message: `The model provider local answered with more than ${limits.outputBytes} bytes of reasoning and tool calls`,
    })
    expect(vendor.asked).toHaveLength(1)
  },
)

test('a correction of unreadable calls is short, whatever their number and names are (modelsBounds.correctionsTold, modelsBounds.toolNameTold)', async () => {
  vendor.reply('m', stream([calls(limits.toolCallsPerStep, 'n'.repeat(500)), ...end]))
  await expect(ask()).rejects.toMatchObject({ retryable: true })
  expect(JSON.stringify(vendor.bodies.at(-1)).length).toBeLessThan(10_000)
})
