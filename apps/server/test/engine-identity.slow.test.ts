import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { publicIdentityKey } from '@ars/platform/durable/identity-key'
import { testEngine } from '@ars/testkit/stack'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import { restate } from '../../../tools/dev/parts/restate.ts'
import { type App, freePort, startApp, until } from './app.ts'

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

test('the key of the engine is rotated as the guide says, and no call fails', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'identity-'))
  const ports = { ingressPort: await freePort(), adminPort: await freePort(), nodePort: await freePort() }
  const engine = restate({ dir, ...ports })
  await engine.start()
  onTestFinished(async () => {
    await engine.kill()
    rmSync(dir, { recursive: true, force: true })
  })
  const next = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const nextKey = publicIdentityKey(next)
  app = await startApp({
    role: 'gateway',
    env: {
      ARS_ENGINE_INGRESS_URL: engine.ingressUrl,
      ARS_ENGINE_ADMIN_URL: engine.adminUrl,
      ARS_ENGINE_IDENTITY_KEY: engine.identityKey,
    },
  })
  const body = { agent_id: app.tenant.agents['test-echo'], input: { query: 'signed' } }
  const replies: { status: number; id: string }[] = []
  let isRotating = true
  const call = async () => {
    const { status, body: run } = await app.call('POST', '/v2/runs', { body, headers: { prefer: 'wait=2' } })
    replies.push({ status, id: run.id })
  }
  const first = await app.join('worker')
  const caller = (async () => {
    while (isRotating) await call()
  })()
  const second = await app.join('worker', { ARS_ENGINE_IDENTITY_KEY: `${nextKey},${engine.identityKey}` })
  await first.stop()
  await engine.stop()
  writeFileSync(join(dir, 'identity.pem'), next, { mode: 0o600 })
  await engine.start()
  await app.join('worker', { ARS_ENGINE_IDENTITY_KEY: nextKey })
  await second.stop()
  const before = replies.length
  await until('calls with the new key alone', async () => replies.length > before + 2)
  isRotating = false
  await caller
  // While the engine restarts, a run is accepted and the call does not wait for its end.
  expect(replies.filter(({ status }) => status !== 200 && status !== 202)).toEqual([])
  await until('every run to complete', async () => {
    const rows = await app.query<{ n: string }>('select count(*) as n from run_heads')
    return rows[0]?.n === '0'
  })
  const statuses = await Promise.all(
    replies
      .filter(({ status }) => status === 202)
      .map(async ({ id }) => (await app.call('GET', `/v2/runs/${id}`)).body.status),
  )
  expect(statuses.filter((status) => status !== 'completed')).toEqual([])
})
