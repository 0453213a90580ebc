import { randomBytes } from 'node:crypto'
import { moveDatabaseClock } from '@ars/testkit/clock'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, startApp } from './app.ts'
import { arsServer } from './ars-server.slow.ts'

let app: App
beforeAll(async () => {
  app = await startApp({ role: 'gateway', env: { ARS_KEKS: `test:${randomBytes(32).toString('base64')}` } })
})
afterAll(() => app.stop())

const create = async (path: string, body: unknown): Promise<{ id: string }> => {
  const answer = await app.call('POST', `/v2${path}`, { body })
  expect(answer.status, answer.text).toBeLessThan(300)
  return answer.body
}

/** The program, run as an operator runs it beside the service. */
const rotate = async (words: string): Promise<Record<string, unknown>> => {
  const { code, stdout, stderr } = await arsServer(
    ['admin', 'rotate-data-keys', '--json', ...words.split(' ')],
    app.env,
  )
  if (code !== 0) throw new Error(`status ${code}\n${stderr}`)
  return JSON.parse(stdout)
}

/** Ids of the data keys that seal the secrets in each column. */
const keysInUse = async (): Promise<string[]> => {
  const rows = await app.query<{ key: string }>(
    `select encode(substr(s.sealed, 2, 8), 'hex') as key
       from (select credential as sealed from connectors union all select secret from webhooks
             union all select old_secret from webhooks union all select secrets from agents
             union all select secrets from agent_versions union all select key from provider_keys) s
      where s.sealed is not null`,
  )
  return rows.map(({ key }) => key)
}

test('an operator rotates the data keys while the service runs, and deletes the old ones two days later', async () => {
  const auth = { type: 'bearer', token: 'tok_0123456789abcdefghijklmnop' }
  await create('/connectors', { name: 'Tools', url: 'https://tools.example.com/mcp', auth })
  const webhook = await create('/webhooks', { url: 'https://1.1.1.1/in', events: ['run.completed'] })
  await create(`/webhooks/${webhook.id}/rotate-secret`, {})
  const config = { url: 'https://agent.example.com/run', auth }
  const agent = await create('/agents/custom', { name: 'Mine', kind: 'remote', config })
  await create('/provider-keys', { provider: 'openai', key: 'sk-0123456789abcdefghijklmnop' })
  const patch = (token: string) =>
    app.call('PATCH', `/v2/agents/${agent.id}`, { body: { config: { auth: { type: 'bearer', token } } } })
  expect((await patch('tok_another_0123456789')).status).toBe(200)

  const before = await keysInUse()
  expect([before.length, new Set(before).size]).toEqual([7, 1])
  expect(await rotate('--older-than 0')).toEqual({ rotated: 1, resealed: 7, cleaned: 0, retired: 1, failed: [] })
  const after = await keysInUse()
  expect([after.length, new Set(after).size, after[0] === before[0]]).toEqual([7, 1, false])

  // The gateway opens the signing secret, which a new credential leaves as it is.
  expect((await patch('tok_third_0123456789')).status).toBe(200)
  await moveDatabaseClock(app.database.ownerUrl, 49 * 3_600_000)
  expect(await rotate('--older-than 30')).toMatchObject({ rotated: 0, cleaned: 1, retired: 0, failed: [] })
  expect((await patch('tok_fourth_0123456789')).status).toBe(200)
})

test('rotation with an unknown organisation or an invalid age says what is wrong', async () => {
  await expect(rotate('--org nobody')).rejects.toThrow('is not the id of an organisation')
  await expect(rotate('--older-than soon')).rejects.toThrow('--older-than: soon is not an integer')
})
