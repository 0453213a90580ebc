import { once } from 'node:events'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLog } from '@ars/platform/log/log'
import { fakeClock } from '@ars/testkit/clock'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createModels } from './model.service.ts'
import { requestFor } from './model-request.fixture.ts'
import { chat, stream } from './vendor.fixture.ts'

// The blocks of docs/operate/models.md as they are printed, but for the host.
const page = readFileSync(join(import.meta.dirname, '../../../../docs/operate/models.md'), 'utf8')
const blockOf = (title: string): string =>
  new RegExp(`### ${title}\n[\\s\\S]*?\`\`\`yaml\n([\\s\\S]*?)\`\`\``).exec(page)?.[1] ?? ''

const asked: { path: string; authorization: string; model: string }[] = []
let server: Server
let origin: string

beforeAll(async () => {
  server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const { model } = JSON.parse(text) as { model: string }
    asked.push({ path: request.url ?? '', authorization: request.headers.authorization ?? '', model })
    stream(request.url?.endsWith('/responses') ? responses('Hi') : chat('Hi'))(response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

test.for([
  ['Azure OpenAI', 'azure/my-deployment', 'AZURE_OPENAI_API_KEY', '/openai/v1/responses'],
  ['Amazon Bedrock', 'bedrock/openai.gpt-oss-120b-1:0', 'AWS_BEARER_TOKEN_BEDROCK', '/openai/v1/chat/completions'],
] as const)(
  'the documented block of %s calls the provider with its path, its key and its name of the model',
  async ([title, model, variable, path]) => {
    const file = join(mkdtempSync(join(tmpdir(), 'documented-')), 'models.yaml')
    const block = blockOf(title)
    expect(block).toContain(`api_key_env: ${variable}`)
    writeFileSync(file, block.replace(/https:\/\/[^/\s]+/, origin))
    const models = createModels({
      modelsFile: file,
      environment: { [variable]: 'key-of-the-operator' },
      clock: fakeClock(),
      log: createLog({ level: 'silent' }),
      sleep: async () => undefined,
    })
    const { text } = await models.call(requestFor(model))
    await models.close()
    expect(text).toBe('Hi')
    expect(asked.at(-1)).toEqual({ path, authorization: 'Bearer key-of-the-operator', model: model.split('/')[1] })
  },
)

/** The events of OpenAI's Responses API for a text. */
const responses = (text: string): unknown[] => {
  const response = { id: 'resp_1', object: 'response', created_at: 1, model: 'm', output: [] }
  const item = { id: 'msg_1', type: 'message', role: 'assistant', status: 'completed' }
  const usage = { input_tokens: 10, output_tokens: 2, total_tokens: 12 }
  return [
    { type: 'response.created', response: { ...response, status: 'in_progress' } },
    { type: 'response.output_item.added', output_index: 0, item: { ...item, content: [] } },
    { type: 'response.output_text.delta', item_id: 'msg_1', output_index: 0, content_index: 0, delta: text },
    {
      type: 'response.output_item.done',
      output_index: 0,
      item: { ...item, content: [{ type: 'output_text', text, annotations: [] }] },
    },
    { type: 'response.completed', response: { ...response, status: 'completed', usage } },
  ]
}
