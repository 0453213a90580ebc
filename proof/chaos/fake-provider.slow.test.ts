import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'
import { waitFor } from '../lab/condition.ts'
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

test('the long model says 8 MiB in pieces that differ, then its usage and the end', async () => {
  expect(readFileSync(provider.modelsFile, 'utf8')).toContain(provider.url)
  const lines = (await (await ask('long')).text()).split('\n\n').filter((line) => line !== '')
  expect(lines.at(-1)).toBe('data: [DONE]')
  const chunks = lines.slice(0, -1).map((line) => JSON.parse(line.slice('data: '.length)))
  const pieces = chunks.flatMap(({ choices }) => choices[0]?.delta?.content ?? [])
  expect(new Set(pieces).size).toBe(2048)
  expect(pieces.join('')).toHaveLength(8 * 1_048_576)
  expect(chunks.at(-1).usage.completion_tokens).toBe(2048)
  expect(provider.calls('R25/long')).toMatchObject([{ isFinished: true, pieces: 2048 }])
})

test('the endless model talks until it is left, and knows when that was', async () => {
  const leaving = new AbortController()
  const answer = await ask('endless', leaving.signal)
  await answer.body?.getReader().read()
  const before = performance.now()
  leaving.abort()
  const closedMs = await waitFor('the end', () => provider.calls('R25/long')[0]?.closedMs, {
    timeoutMs: 5000,
    everyMs: 5,
  })
  expect(closedMs).toBeGreaterThanOrEqual(before)
  expect(provider.calls('R25/long')[0]?.isFinished).toBe(false)
})
