import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, startApp } from '../../server/test/app.ts'
import { type Home, makeHome } from './ars.slow.ts'

let app: App
let ars: Home

beforeAll(async () => {
  app = await startApp({ role: 'gateway', env: { ARS_KEKS: `k1:${randomBytes(32).toString('base64')}` } })
  ars = makeHome({ url: app.url, key: app.tenant.key })
})
afterAll(async () => {
  ars?.remove()
  await app?.stop()
})

test('a policy is made from a template, attached by the name of an agent, shown, detached and archived', async () => {
  const run = async (...words: string[]) => {
    const done = await ars.run(words)
    expect(done.code, done.stderr).toBe(0)
    return done
  }
  expect((await run('policies', 'templates')).stdout).toMatch(/tool-allow-list +Allow only some tools +tools/)
  expect((await run('policies', 'list')).stdout).toContain('No policies found.')
  const { json: policy } = await run('policies', 'create', '--template', 'pii-redact', '--mode', 'shadow', '--json')
  expect((await run('policies', 'list')).stdout).toMatch(
    new RegExp(`${policy.id} +active +shadow +1 +1 +Redact personal data`),
  )
  const name = 'Guarded agent'
  await app.call('POST', '/v2/agents/custom', { body: { name, config: { model: 'simulated/echo' } } })
  const { json: attached } = await run('policies', 'attach', policy.id, name, '--json')
  expect(attached).toMatchObject({ subject_type: 'agent', new_runs_only: false })
  expect((await run('policies', 'attach', policy.id, 'organisation')).stdout).toMatch(/is attached to org_/)
  expect((await run('policies', 'attachments', policy.id)).stdout).toContain(attached.id)
  await run('policies', 'detach', policy.id, attached.id)
  expect((await run('policies', 'get', policy.id)).stdout).toMatch(/mode +shadow/)
  await run('policies', 'archive', policy.id)
  expect((await run('policies', 'list', '--status', 'archived')).stdout).toContain(policy.id)
})
