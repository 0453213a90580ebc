import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@ars/platform/clock'
import { createLog } from '@ars/platform/log/log'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createModels, type ModelService } from './model.service.ts'
import { requestFor } from './model-request.fixture.ts'

const folder = mkdtempSync(join(tmpdir(), 'models-'))
const keyFile = join(folder, 'key')
const lines: string[] = []
const accepted = new Set(['first'])
const usedKeys: string[] = []
let models: ModelService

/** A provider that accepts some keys. */
const answer = (request: IncomingMessage, response: ServerResponse): void => {
  const key = String(request.headers.authorization).replace('Bearer ', '')
  usedKeys.push(key)
  request.resume()
  if (!accepted.has(key)) {
    response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":{"message":"wrong key"}}')
    return
  }
  const chunk = (delta: object, finish: string | null) =>
    `data: ${JSON.stringify({ id: '1', object: 'chat.completion.chunk', created: 1, model: 'x', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.end(`${chunk({ role: 'assistant', content: 'hello' }, null)}${chunk({}, 'stop')}data: [DONE]\n\n`)
}
const server = createServer(answer)

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  writeFileSync(keyFile, 'first\n')
  const { port } = server.address() as AddressInfo
  writeFileSync(
    join(folder, 'models.yaml'),
    `providers:\n  local: { kind: openai-compatible, base_url: "http://127.0.0.1:${port}/v1", api_key_file: key }\nmodels:\n  - { model: local/x }\n`,
  )
  const log = createLog({ level: 'info', write: (line) => lines.push(line) })
  models = createModels({ modelsFile: join(folder, 'models.yaml'), environment: {}, clock: systemClock, log })
})
afterAll(async () => {
  await models.close()
  await new Promise((resolve) => server.close(resolve))
  rmSync(folder, { recursive: true })
})

const call = async (): Promise<string> => (await models.call(requestFor('local/x'))).text

test('the key of a provider is rotated while calls are under way, and none fails', async () => {
  const answers: string[] = []
  let isRotating = true
  const caller = (async () => {
    while (isRotating) answers.push(await call())
  })()
  // As the guide says: the provider accepts both keys, the file changes, the old key ends.
  accepted.add('second')
  writeFileSync(keyFile, 'second\n')
  process.emit('SIGHUP')
  await expect.poll(() => usedKeys.at(-1)).toBe('second')
  accepted.delete('first')
  const before = usedKeys.length
  await expect.poll(() => usedKeys.length).toBeGreaterThan(before + 20)
  isRotating = false
  await caller
  expect(new Set(answers)).toEqual(new Set(['hello']))
  expect(lines.filter((line) => line.includes('models file replaced'))).toHaveLength(1)
})

test('an unusable models file is reported once, without the key, and the old one stays in use', async () => {
  rmSync(keyFile)
  process.emit('SIGHUP')
  process.emit('SIGHUP')
  expect(await call()).toBe('hello')
  expect(lines.filter((line) => line.includes('the old one stays in use'))).toHaveLength(1)
  expect(lines.join('')).not.toContain('second')
})
