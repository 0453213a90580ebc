import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startMcpServer } from '@ars/testkit/mcp-server'
import { type Link, openLink } from '@ars/testkit/slow/link'
import { LLMock } from '@copilotkit/aimock'
import type { App, Tenant } from '../app.ts'
import { startReceiver } from '../webhook-receiver.ts'
import { type Fault, faults } from './table.ts'

type PerFault = Readonly<Record<Fault, Link>>

/** The servers that runs and deliveries call, each behind one link per fault, so that all faults can be played at once. */
export type Outside = {
  readonly links: Readonly<Record<'provider' | 'tools' | 'remote' | 'receiver', PerFault>>
  readonly env: Record<string, string>
  close(): Promise<void>
}

export const startOutside = async (): Promise<Outside> => {
  const provider = new LLMock({ port: 0 })
  await provider.start()
  provider.on({ userMessage: 'hello' }, { content: 'Hello.' })
  const tools = await startMcpServer()
  const receiver = await startReceiver()
  const remote = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ output: { result: 'Hello.' } }))
  })
  await new Promise<void>((resolve) => remote.listen(0, '127.0.0.1', resolve))
  const { port } = remote.address() as AddressInfo
  const links = {
    provider: await perFault(`${provider.url}/v1`),
    tools: await perFault(tools.url),
    remote: await perFault(`http://127.0.0.1:${port}/agent`),
    receiver: await perFault(receiver.url('/hook')),
  }
  const folder = mkdtempSync(join(tmpdir(), 'failure-modes-'))
  const models = join(folder, 'models.yaml')
  // JSON is YAML.
  writeFileSync(
    models,
    JSON.stringify({
      providers: Object.fromEntries(
        faults.map((fault) => [fault, { kind: 'openai-compatible', base_url: links.provider[fault].url }]),
      ),
      models: faults.map((fault) => ({ model: `${fault}/any` })),
    }),
  )
  return {
    links,
    env: { ...receiver.env, ARS_EGRESS_ALLOW_PLAIN_HTTP: 'true', ARS_MODELS_FILE: models },
    close: async () => {
      for (const each of Object.values(links)) for (const link of Object.values(each)) link.close()
      remote.closeAllConnections()
      remote.close()
      await Promise.all([provider.stop(), tools.stop(), receiver.close()])
      rmSync(folder, { recursive: true })
    },
  }
}

const perFault = async (url: string): Promise<PerFault> =>
  Object.fromEntries(await Promise.all(faults.map(async (fault) => [fault, await openLink(url)] as const))) as PerFault

/** An agent whose runs call the server behind this link. */
export const agentFor = {
  'model provider': (app: App, tenant: Tenant, fault: Fault): Promise<string> =>
    app.addAgent({ config: { model: `${fault}/any` } }, tenant),
  'MCP server': async (app: App, tenant: Tenant, _: Fault, { url }: Link): Promise<string> => {
    const body = { name: 'Tools', url }
    const { body: connector } = await app.call('POST', '/v2/connectors', { key: tenant.key, body })
    const script = [{ tool_calls: [{ name: 'lookup', arguments: { name: 'Ada' } }] }, { text: 'Hello.' }]
    const tools = [{ connector_id: connector.id, require_approval: [] }]
    return app.addAgent({ config: { model: 'simulated/script', script, tools } }, tenant)
  },
  'remote agent': async (app: App, tenant: Tenant, _: Fault, { url }: Link): Promise<string> => {
    const body = { name: 'Remote', kind: 'remote', config: { url } }
    return (await app.call('POST', '/v2/agents/custom', { key: tenant.key, body })).body.id
  },
}
