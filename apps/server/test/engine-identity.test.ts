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
