import { readFileSync } from 'node:fs'
import http2 from 'node:http2'
import { batchLimits } from '@ars/contract'
import { stackFacts } from '@ars/testkit/stack'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, startApp } from './app.ts'
import { sendLarge } from './large-body.ts'

let app: App
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.stop())

const tooLarge = { status: 413, body: { error: { code: 'body_too_large' } } }

test('a body of 32 MiB becomes a batch, over both protocols', async () => {
  const tenant = await app.addTenant()
  const cancel = (id: string) => app.call('DELETE', `/v2/batches/${id}`, { key: tenant.key })
  const agent_id = tenant.agents['test-echo']
  const filled = (bytes: number) => {
    const items = Array.from({ length: Math.floor(bytes / 4_023) }, () => ({ input: { query: 'x'.repeat(4_000) } }))
    const text = JSON.stringify({ agent_id, items })
    return `${text}${' '.repeat(bytes - text.length)}`
  }
  const text = filled(batchLimits.batchBytes)
  const first = await sendLarge(app, tenant, '/v2/batches', text)
  expect(first).toMatchObject({ status: 201, body: { progress: { items: 8_340 } } })
  expect((await cancel(first.body.id)).status).toBe(200)
  expect(await sendLarge(app, tenant, '/v2/batches', `${text} `)).toMatchObject(tooLarge)
  const session = http2.connect(app.url, { ca: readFileSync(stackFacts().tls.certFile), maxSessionMemory: 100 })
  const stream = session.request({
    ':method': 'POST',
    ':path': '/v2/batches',
    authorization: `Bearer ${tenant.key}`,
    'content-type': 'application/json',
  })
  const status = new Promise((resolve, reject) => {
    stream.on('response', (headers) => resolve(headers[':status'])).on('error', reject)
  })
  let answer = ''
  const ended = new Promise((resolve) => {
    stream.setEncoding('utf8').on('data', (part) => {
      answer += part
    })
    stream.on('end', resolve)
  })
  stream.end(text)
  expect(await status).toBe(201)
  await ended
  session.close()
  expect((await cancel(JSON.parse(answer).id)).status).toBe(200)
}, 240_000)
