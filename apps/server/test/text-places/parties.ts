import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type MailServer, startMailServer } from '@ars/testkit/mail-server'
import { type LoopbackMcpServer, startMcpServer } from '@ars/testkit/mcp-server'
import { type ChatProvider, startChatProvider } from '../chat-provider.ts'
import { type Receiver, startReceiver } from '../webhook-receiver.ts'

/** The parties outside that an organisation talks to. */
export type Parties = {
  /** Settings of an app that may call them. */
  env: Record<string, string>
  /** The line of a models file for the provider. */
  models: string
  model: string
  webhook: string
  chat: string
  check: string
  remote: string
  tools: LoopbackMcpServer
  mail: MailServer
  /** Those that were sent the word. */
  sent(word: string): string[]
  close(): Promise<void>
}

/** Each party says the marker, and the descriptions of its tools say `described`. */
export const startParties = async (marker: string, described: string): Promise<Parties> => {
  const receiver: Receiver = await startReceiver()
  const provider: ChatProvider = await startChatProvider()
  const mail = await startMailServer()
  const webhook = receiver.on('/all', (_, response) =>
    response.writeHead(200, { 'x-note': marker }).end(`thanks for ${marker}`),
  )
  const tools = await startMcpServer({
    extend: (mcp) => {
      const options = { description: `Tells ${described}`, annotations: { readOnlyHint: true } }
      mcp.registerTool('tell', options, async () => ({
        content: [{ type: 'text' as const, text: `It is ${marker}.` }],
      }))
    },
  })
  const remote = await startJsonServer((body) =>
    body.includes('"fails"') ? { error: { message: `no ${marker}` } } : { output: { result: marker } },
  )
  const check = await startJsonServer(() => ({ action: 'NONE', reason: marker }))
  return {
    env: {
      ...receiver.env,
      ARS_EGRESS_ALLOW_PLAIN_HTTP: 'true',
      ARS_MAIL_FROM: 'Agent Runs <runs@example.com>',
      ARS_SMTP_URL: `smtp://localhost:${mail.port}`,
      ARS_SMTP_TLS: 'off',
    },
    models: `providers:\n  local: { kind: openai-compatible, base_url: "${provider.baseUrl}" }\nmodels:\n  - { model: local/small }\n`,
    model: 'local/small',
    webhook,
    chat: receiver.url('/chat'),
    check: check.url,
    remote: remote.url,
    tools,
    mail,
    sent: (word) => {
      const told = {
        model: provider.bodies(),
        webhook: receiver.calls('/all').map(({ body }) => String(body)),
        chat: receiver.calls('/chat').map(({ body }) => String(body)),
        tool: tools.calls(),
        remote: remote.asked,
        check: check.asked,
        mail: mail.mails(),
      }
      return Object.entries(told).flatMap(([name, texts]) => (JSON.stringify(texts).includes(word) ? [name] : []))
    },
    close: async () => {
      await Promise.all([tools.stop(), receiver.close(), provider.close(), mail.close(), remote.close(), check.close()])
    },
  }
}

type JsonServer = { url: string; asked: readonly string[]; close(): Promise<void> }

const startJsonServer = async (answer: (body: string) => object): Promise<JsonServer> => {
  const asked: string[] = []
  const server: Server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    asked.push(body)
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer(body)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    asked,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
