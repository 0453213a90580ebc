import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

type Turn = { text: string } | { tool: string; arguments: Record<string, unknown> }

/** A provider of the kind `openai-compatible` that plays turns, one for each request, and keeps what it was sent. */
export type ChatProvider = {
  readonly baseUrl: string
  play(...turns: readonly Turn[]): void
  headers(): readonly IncomingHttpHeaders[]
  bodies(): readonly string[]
  close(): Promise<void>
}

export const startChatProvider = async (): Promise<ChatProvider> => {
  const turns: Turn[] = []
  const headers: IncomingHttpHeaders[] = []
  const bodies: string[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    headers.push(request.headers)
    bodies.push(body)
    const turn = turns.shift() ?? { text: 'Nothing is left to say.' }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const part of partsOf(turn)) response.write(`data: ${JSON.stringify(part)}\n\n`)
    response.end('data: [DONE]\n\n')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    play: (...next) => void turns.push(...next),
    headers: () => headers,
    bodies: () => bodies,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const partsOf = (turn: Turn): unknown[] => {
  const head = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' }
  const choice = (delta: unknown, finish_reason: string | null = null) => ({
    ...head,
    choices: [{ index: 0, delta, finish_reason }],
  })
  const call = 'tool' in turn && {
    index: 0,
    id: 'call_1',
    type: 'function',
    function: { name: turn.tool, arguments: JSON.stringify(turn.arguments) },
  }
  return [
    choice(
      call
        ? { role: 'assistant', tool_calls: [call] }
        : { role: 'assistant', content: 'text' in turn ? turn.text : '' },
    ),
    choice({}, call ? 'tool_calls' : 'stop'),
    { ...head, choices: [], usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 } },
  ]
}
