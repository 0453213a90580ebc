import { type LoopbackMcpServer, startMcpServer, type TestTool } from '@ars/testkit/mcp-server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, startApp } from '../../server/test/app.ts'
import { type Home, makeHome } from './ars.slow.ts'

let server: LoopbackMcpServer
let app: App
let ars: Home
const tools: Record<string, TestTool> = { pay: { description: 'Pays.' }, read: { annotations: { readOnlyHint: true } } }

beforeAll(async () => {
  server = await startMcpServer({ tools: [], testTools: tools })
  const egress = { ARS_EGRESS_ALLOW_RANGES: '127.0.0.0/8', ARS_EGRESS_ALLOW_PORTS: 'any' }
  app = await startApp({ role: 'gateway', env: { ...egress, ARS_EGRESS_ALLOW_PLAIN_HTTP: 'true' } })
  ars = makeHome({ url: app.url, key: app.tenant.key })
})

afterAll(async () => {
  ars?.remove()
  await app?.stop()
  await server?.stop()
})

test('a changed tool is listed, shown with its difference and approved by its hash', async () => {
  const { id } = (await app.call('POST', '/v2/connectors', { body: { name: 'Bank', url: server.url } })).body
  tools.pay = { description: 'Pays at once.' }
  tools.extra = {}
  const refreshed = await ars.run(['connectors', 'refresh', id])
  expect(refreshed.code, refreshed.stderr).toBe(0)
  expect(refreshed.stdout).toMatch(/extra +pending[\s\S]*pay +changed +[0-9a-f]{12} +description/)
  expect((await ars.run(['connectors', 'list'])).stdout).toMatch(new RegExp(`${id} +Bank +1 +2 +http`))

  const shown = await ars.run(['connectors', 'tools', id, 'pay'])
  expect(shown.stdout).toMatch(
    /changes +description[\s\S]*Approved[\s\S]*"Pays\."[\s\S]*Listed now[\s\S]*"Pays at once\."/,
  )
  const { json } = await ars.run(['connectors', 'tools', 'Bank', 'pay', '--json'])
  const approve = (...more: string[]) => ars.run(['connectors', 'approve', id, ...more])
  const without = await approve('pay')
  expect([without.code, without.stderr]).toEqual([2, expect.stringContaining('--hash is missing')])
  expect((await approve('pay', '--hash', json.approved_hash)).stderr).toContain('another hash now')
  expect((await approve('none', '--hash', json.hash)).code).toBe(4)
  expect((await approve('pay', '--hash', json.hash.slice(0, 12))).stdout).toBe('pay is approved.\n')
  expect((await approve('--all')).stdout).toBe('extra is approved.\n')
  const listed = await ars.run(['connectors', 'tools', id])
  expect(listed.stdout.match(/ approved /g)).toHaveLength(3)
  expect((await ars.run(['connectors', 'refresh', id])).stdout).toBe('All tools are approved as they are listed.\n')
})
