import { testEngine } from '@ars/testkit/stack'
import { afterEach, expect, test } from 'vitest'
import { type App, startApp } from './app.ts'

let app: App
afterEach(() => app.stop())

/** The public key of an engine that does not exist any more. */
const oldKey = 'publickeyv1_DqrXatEpNV1LN8QP818BKH4NTQqUi32Rq3puiT9DD4ic'

test('while the key of the engine is rotated, a worker accepts requests that either key has signed', async () => {
  app = await startApp({ env: { ARS_ENGINE_IDENTITY_KEY: `${oldKey}, ${testEngine().identityKey}` } })
  const body = { agent_id: app.tenant.agents['test-echo'], input: { query: 'signed' } }
  const answer = await app.call('POST', '/v2/runs', { body, headers: { prefer: 'wait=30' } })
  expect([answer.status, answer.body.status]).toEqual([200, 'completed'])
})

test('workers learn the next key of the engine one at a time, and no call fails', async () => {
  app = await startApp({ role: 'gateway' })
  const body = { agent_id: app.tenant.agents['test-echo'], input: { query: 'signed' } }
  const first = await app.join('worker')
  const statuses: number[] = []
  let isRotating = true
  const call = async () => statuses.push((await app.call('POST', '/v2/runs', { body })).status)
  const caller = (async () => {
    while (isRotating) await call()
  })()
  await app.join('worker', { ARS_ENGINE_IDENTITY_KEY: `${testEngine().identityKey},${oldKey}` })
  await first.stop()
  await call()
  isRotating = false
  await caller
  expect(new Set(statuses)).toEqual(new Set([200]))
})
