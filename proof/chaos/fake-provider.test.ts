import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'
import { type FakeProvider, startFakeProvider } from './fake-provider.ts'

const dir = mkdtempSync(join(tmpdir(), 'ars-provider-'))
let provider: FakeProvider

beforeEach(async () => {
  provider = await startFakeProvider({ host: '127.0.0.52', port: 0, modelsFile: join(dir, 'models.yaml') })
})
afterEach(async () => {
  await provider.close()
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const ask = (model: string, signal?: AbortSignal): Promise<Response> =>
  fetch(`${provider.url}/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: 'say chaos:R25/long please' }] }),
    ...(signal && { signal }),
  })

test('a model that it does not know is not found', async () => {
  expect((await ask('other')).status).toBe(404)
})
