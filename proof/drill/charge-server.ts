import { setTimeout as sleep } from 'node:timers/promises'
import { startMcpServer } from '@ars/testkit/mcp-server'
import { z } from 'zod'
import type { ApiCaller } from '../lab/client/api-caller.ts'
import { type Organisation, plantAgent } from '../lab/stack/organisation.ts'
import type { Sql } from '../lab/stack/sql.ts'

/** A tool server outside the service, which writes down every charge that arrives: a second one is a second effect. */
export type ChargeServer = {
  /** Each charge by the order that it is for and the key `run/step/call` that came with it. */
  charges(): readonly Charge[]
  /** An agent whose runs charge once and then end. */
  agentId: string
  close(): Promise<void>
}

type Charge = { order: string; key: string }

/** The servers may call it: it listens on loopback without TLS. */
export const chargeServerEnv = {
  ARS_TEST_STACK: 'true',
  ARS_EGRESS_ALLOW_RANGES: '127.0.0.0/8',
  ARS_EGRESS_ALLOW_PORTS: 'any',
  ARS_EGRESS_ALLOW_PLAIN_HTTP: 'true',
}

export const startChargeServer = async (options: {
  port: number
  /** So long that many calls are under way at any moment. */
  answerAfterMs: number
  gateway: ApiCaller
  organisation: Organisation
  records: Pick<Sql, 'query'>
}): Promise<ChargeServer> => {
  const charges: Charge[] = []
  const mcp = await startMcpServer({
    tools: [],
    port: options.port,
    extend: (server) => {
      server.registerTool(
        'charge',
        { description: 'Charges a customer.', inputSchema: z.object({ order: z.string() }), annotations: effectful },
        async ({ order }: { order: string }, { mcpReq }) => {
          charges.push({ order, key: String(mcpReq._meta?.idempotency_key ?? '') })
          await sleep(options.answerAfterMs)
          return { content: [{ type: 'text', text: `charged ${order}` }] }
        },
      )
    },
  })
  const { organisation, records, gateway } = options
  const answer = await gateway.call({
    method: 'POST',
    path: '/v2/connectors',
    headers: { authorization: `Bearer ${organisation.apiKey}` },
    body: { name: 'charges', url: mcp.url },
  })
  if (answer.status !== 201) throw new Error(`The connector was refused: ${answer.status} ${answer.text}`)
  const { id } = JSON.parse(answer.text) as { id: string }
  const agentId = await plantAgent(records, organisation, {
    name: 'charges',
    config: { model: 'simulated/script', tools: [{ connector_id: id, require_approval: [] }] },
  })
  return { charges: () => charges, agentId, close: () => mcp.stop() }
}

const effectful = { readOnlyHint: false, idempotentHint: false, destructiveHint: true }

/** What a run of that agent does: it thinks, charges once, and ends. */
export const chargeScript = (order: string): unknown[] => [
  { text: 'a moment', tool_calls: [{ name: 'charge', arguments: { order } }] },
  { text: 'done' },
]
