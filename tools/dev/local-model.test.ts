import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { describeModels, findLocalModel } from './local-model.ts'

const closing: (() => Promise<void>)[] = []
beforeEach(() => {
  for (const name of ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'GEMINI_API_KEY', 'ARS_LOCAL_MODEL_URL'])
    vi.stubEnv(name, undefined)
})
afterEach(async () => {
  vi.unstubAllEnvs()
  for (const close of closing.splice(0)) await close()
})

const serve = async (status: number, body: string): Promise<string> => {
  const server = createServer((request, response) => {
    response.writeHead(request.url === '/v1/models' ? status : 404, { 'content-type': 'application/json' }).end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(async () => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

test('the first server that lists models like OpenAI is found', async () => {
  const other = await serve(200, '<html>a web server</html>')
  const empty = await serve(200, '{"object":"list","data":[]}')
  const refusing = await serve(401, '{"data":[{"id":"secret"}]}')
  const model = await serve(200, '{"object":"list","data":[{"id":"llama3.2:3b"},{"id":"qwen"}]}')
  expect(await findLocalModel(['http://127.0.0.1:1/v1', other, empty, refusing, model])).toEqual({
    url: model,
    models: ['llama3.2:3b', 'qwen'],
  })
})

test('without a model server nothing is found', async () => {
  expect(await findLocalModel(['http://127.0.0.1:1/v1', await serve(200, '[]')])).toBeNull()
})

test('an address in the environment wins, also an empty one, and the words name what answers but no key', async () => {
  expect(describeModels(undefined, null)).toBe('simulated models only')
  const local = { url: 'http://127.0.0.1:11434/v1', models: ['a', 'b', 'c', 'd'] }
  vi.stubEnv('OPENAI_API_KEY', 'sk-secret')
  expect(describeModels('models.yaml', local)).toBe(
    'models of models.yaml, models of the key in OPENAI_API_KEY, models of http://127.0.0.1:11434/v1 (a, b, c)',
  )
  vi.stubEnv('ARS_LOCAL_MODEL_URL', '')
  expect(await findLocalModel()).toBeNull()
  vi.stubEnv('ARS_LOCAL_MODEL_URL', 'http://127.0.0.1:9/v1')
  expect(describeModels(undefined, null)).toBe('models of the key in OPENAI_API_KEY, models of http://127.0.0.1:9/v1')
})
