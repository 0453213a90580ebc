import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { limits } from '@ars/contract'
import { createLog } from '@ars/platform/log/log'
import { fakeClock } from '@ars/testkit/clock'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createModels, type ModelService } from './model.service.ts'
import { requestFor } from './model-request.fixture.ts'
import { startVendor, stream } from './vendor.fixture.ts'

// The same attacks as in `provider-bounds.service.test.ts`, in the formats of the other vendors, whose libraries differ.
let vendor: Awaited<ReturnType<typeof startVendor>>
let models: ModelService
const key = 'key-from-environment-1234'

beforeAll(async () => {
  vendor = await startVendor()
  const file = join(mkdtempSync(join(tmpdir(), 'models-')), 'models.yaml')
  const price = '{ input: 1, output: 10 }'
  writeFileSync(
    file,
    `
providers:
  openai: { kind: openai, base_url: "${vendor.url}/v1", api_key_env: THE_KEY }
  anthropic: { kind: anthropic, base_url: "${vendor.url}/v1", api_key_env: THE_KEY }
  google: { kind: google, base_url: "${vendor.url}/v1beta", api_key_env: THE_KEY }
models:
  - { model: "openai/*", price_per_million: ${price} }
  - { model: "anthropic/*", price_per_million: ${price} }
  - { model: "google/*", price_per_million: ${price} }
`,
  )
  models = createModels({
    modelsFile: file,
    environment: { THE_KEY: key },
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

const ask = (kind: string) =>
  models.call({
    ...requestFor(`${kind}/m`),
    tools: [{ name: 'look', description: 'Looks.', inputSchema: { type: 'object' } }],
  })

type Call = { id: string; name: string; args: string }
type Format = {
  /** Every count of tokens has this value. */
  text(text: string, tokens?: number): unknown[]
  calls(calls: readonly Call[]): unknown[]
  thinking(text: string): unknown[]
  /** What the vendor adds to an answer and the service stores with it, each of this size. */
  additions(large: string): Record<string, unknown[]>
}

const anthropicStart = (message: object = {}, usage: object = { input_tokens: 10, output_tokens: 1 }) => {
  const given = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: null }
  return { type: 'message_start', message: { ...given, usage, ...message } }
}
const anthropicEnd = (reason: string, usage: object = { output_tokens: 2 }) => [
  { type: 'message_delta', delta: { stop_reason: reason }, usage },
  { type: 'message_stop' },
]
const block = (index: number, content: object, ...deltas: object[]) => [
  { type: 'content_block_start', index, content_block: content },
  ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
  { type: 'content_block_stop', index },
]
const hi = block(0, { type: 'text', text: '' }, { type: 'text_delta', text: 'Hi' })
const thinking = { type: 'thinking', thinking: '' }

const anthropic: Format = {
  text: (text, tokens) => {
    const usage = tokens === undefined ? undefined : { input_tokens: tokens, output_tokens: tokens }
    const end = usage && { ...usage, cache_read_input_tokens: tokens, cache_creation_input_tokens: tokens }
    return [
      anthropicStart({}, end),
      ...block(0, { type: 'text', text: '' }, { type: 'text_delta', text }),
      ...anthropicEnd('end_turn', end),
    ]
  },
  calls: (calls) => [
    anthropicStart(),
    ...calls.flatMap(({ id, name, args }, index) =>
      block(index, { type: 'tool_use', id, name, input: {} }, { type: 'input_json_delta', partial_json: args }),
    ),
    ...anthropicEnd('tool_use'),
  ],
  thinking: (text) => [
    anthropicStart(),
    ...block(0, thinking, { type: 'thinking_delta', thinking: text }),
    ...anthropicEnd('end_turn'),
  ],
  additions: (large) => ({
    'the id of the message': [anthropicStart({ id: large }), ...hi, ...anthropicEnd('end_turn')],
    'a signature': [
      anthropicStart(),
      ...block(0, thinking, { type: 'thinking_delta', thinking: 't' }, { type: 'signature_delta', signature: large }),
      ...anthropicEnd('end_turn'),
    ],
    'hidden reasoning': [
      anthropicStart(),
      ...block(0, { type: 'redacted_thinking', data: large }),
      ...anthropicEnd('end_turn'),
    ],
  }),
}

const googleFrame = (parts: readonly object[], usageMetadata: object = { promptTokenCount: 10 }) => [
  { candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }], usageMetadata },
]
const google: Format = {
  text: (text, tokens) =>
    googleFrame(
      [{ text }],
      tokens === undefined
        ? undefined
        : {
            promptTokenCount: tokens,
            candidatesTokenCount: tokens,
            cachedContentTokenCount: tokens,
            thoughtsTokenCount: tokens,
          },
    ),
  calls: (calls) =>
    googleFrame(calls.map(({ id, name, args }) => ({ functionCall: { id, name, args: JSON.parse(args) } }))),
  thinking: (text) => googleFrame([{ text, thought: true }]),
  additions: (large) => ({
    'a signature': googleFrame([{ text: 'Hi', thoughtSignature: large }]),
    'a file': googleFrame([
      { inlineData: { mimeType: 'image/png', data: Buffer.from(large).toString('base64') } },
      { text: 'Hi' },
    ]),
  }),
}

const response = { id: 'resp_1', object: 'response', created_at: 1, model: 'm', output: [] }
const openaiFrames = (items: readonly unknown[], usage: object = { input_tokens: 10, output_tokens: 2 }) => [
  { type: 'response.created', response: { ...response, status: 'in_progress' } },
  ...items,
  { type: 'response.completed', response: { ...response, status: 'completed', usage } },
]
const item = (output_index: number, added: object, done: object, ...between: object[]) => [
  { type: 'response.output_item.added', output_index, item: added },
  ...between.map((one) => ({ output_index, ...one })),
  { type: 'response.output_item.done', output_index, item: { ...added, ...done } },
]
const message = { type: 'message', id: 'msg_1', status: 'in_progress', role: 'assistant', content: [] }
const saying = (text: string, id = 'msg_1') =>
  item(
    0,
    { ...message, id },
    { status: 'completed' },
    { type: 'response.output_text.delta', item_id: id, content_index: 0, delta: text },
  )
const openai: Format = {
  text: (text, tokens) =>
    openaiFrames(
      saying(text),
      tokens === undefined
        ? undefined
        : {
            input_tokens: tokens,
            output_tokens: tokens,
            input_tokens_details: { cached_tokens: tokens },
            output_tokens_details: { reasoning_tokens: tokens },
          },
    ),
  calls: (calls) =>
    openaiFrames(
      calls.flatMap(({ id, name, args }, index) =>
        item(
          index,
          { type: 'function_call', id: `fc_${index}`, call_id: id, name, arguments: '' },
          { arguments: args, status: 'completed' },
          { type: 'response.function_call_arguments.delta', item_id: `fc_${index}`, delta: args },
        ),
      ),
    ),
  thinking: (text) =>
    openaiFrames(
      item(
        0,
        { type: 'reasoning', id: 'rs_1', summary: [] },
        {},
        { type: 'response.reasoning_summary_part.added', item_id: 'rs_1', summary_index: 0 },
        { type: 'response.reasoning_summary_text.delta', item_id: 'rs_1', summary_index: 0, delta: text },
      ),
    ),
  additions: (large) => ({
    'the id of the message': openaiFrames(saying('Hi', large)),
    'hidden reasoning': openaiFrames([
      ...item(0, { type: 'reasoning', id: 'rs_1', summary: [] }, { encrypted_content: large }),
      ...saying('Hi'),
    ]),
  }),
}

const formats: Readonly<Record<string, Format>> = { anthropic, google, openai }
const call = (n: number, given: Partial<Call> = {}): Call => ({ id: `call_${n}`, name: 'look', args: '{}', ...given })
const times = (count: number, given: Partial<Call> = {}) => Array.from({ length: count }, (_, n) => call(n, given))

describe.for(Object.entries(formats))('%s', ([kind, format]) => {
  const answered = (frames: readonly unknown[]) => {
    vendor.reply('m', stream(frames))
    return ask(kind)
  }

  test('what the attacks change is an answer without them', async () => {
    expect(await answered(format.text('Hi'))).toMatchObject({ text: 'Hi', finish: 'stop' })
    expect((await answered(format.calls(times(2)))).toolCalls).toEqual([
      { id: 'call_0', name: 'look', arguments: {} },
      { id: 'call_1', name: 'look', arguments: {} },
    ])
    expect(await answered(format.thinking('thought'))).toMatchObject({ text: '', toolCalls: [] })
  })

  test.for([
    ['negative', -5_000_000],
    ['fractions', 1.5],
    ['beyond all numbers', 1e300],
  ] as const)('usage that nobody can have is not stored: %s', async ([, tokens]) => {
    const { usage, costUsd } = await answered(format.text('Hi', tokens))
    for (const count of Object.values(usage)) {
      expect(Number.isInteger(count)).toBe(true)
      expect(count).toBeGreaterThanOrEqual(0)
      expect(count).toBeLessThanOrEqual(2_000_000_000)
    }
    expect(costUsd).toBeGreaterThanOrEqual(0)
  })

  test('as many tool calls as a step may have are taken, and one more fails the call at once', async () => {
    expect((await answered(format.calls(times(limits.toolCallsPerStep)))).toolCalls).toHaveLength(
      limits.toolCallsPerStep,
    )
    await expect(answered(format.calls(times(20_000)))).rejects.toMatchObject({
      message: `The model provider ${kind} answered with more than ${limits.toolCallsPerStep} tool calls`,
      retryable: false,
    })
    expect(vendor.asked).toHaveLength(2)
  })

  test('a name of megabytes is no tool, and is not sent back', async () => {
    await expect(answered(format.calls([call(1, { name: 'n'.repeat(1_000_000) })]))).rejects.toMatchObject({
      retryable: true,
    })
    expect(JSON.stringify(vendor.bodies.at(-1)).length).toBeLessThan(10_000)
  })

  const large = 'x'.repeat(limits.outputBytes + 1)
  test.for([
    ['arguments', () => format.calls([call(1, { args: JSON.stringify({ large }) })])],
    ['an id', () => format.calls([call(1, { id: large })])],
    ['reasoning', () => format.thinking(large)],
  ] as const)('an answer is bounded in bytes beside its text: %s', async ([, frames]) => {
    await expect(answered(frames())).rejects.toMatchObject({
      message: `The model provider ${kind} answered with more than ${limits.outputBytes} bytes of reasoning and tool calls`,
      retryable: false,
    })
    expect(vendor.asked).toHaveLength(1)
  })

  test.for(Object.keys(format.additions('')))(
    'an answer is bounded in what the vendor adds (modelsBounds.partOfAnswer): %s',
    async (name) => {
      const frames = format.additions('x'.repeat(2 * limits.outputBytes))[name] ?? []
      const stored = await answered(frames).catch((error: unknown) => error)
      if (stored instanceof Error) expect(stored).toMatchObject({ retryable: false })
      else expect(JSON.stringify(stored).length).toBeLessThan(limits.outputBytes)
      expect(vendor.asked).toHaveLength(1)
    },
  )

  test('U+0000 and halves of surrogate pairs are an answer like any other', async () => {
    expect((await answered(format.text('a\u0000b\ud800'))).text).toContain('a\u0000b')
    const { toolCalls } = await answered(format.calls([call(1, { id: 'a\u0000', args: '{"a":"\\u0000"}' })]))
    expect(toolCalls).toMatchObject([{ name: 'look', arguments: { a: '\u0000' } }])
    await expect(answered(format.calls([call(1, { name: 'lo\u0000ok' })]))).rejects.toMatchObject({ retryable: true })
  })

  test('a compressed answer is refused, however small it is', async () => {
    vendor.reply('m', (reply) =>
      reply.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' }).end('x'),
    )
    await expect(ask(kind)).rejects.toMatchObject({ retryable: true })
  })

  test('frames that nobody understands end the answer, and no key is in its error', async () => {
    const garbage = ['{', 'null', '[]', '"x"', '{"candidates":5}', { type: 'error', error: { message: `no ${key}` } }]
    const failure = await answered(garbage).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(Error)
    expect(String(failure)).not.toContain(key)
  })
})
