import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type VendorReply = (response: ServerResponse) => void

/** A vendor on loopback. Each model has its replies in order; the last one is repeated. */
export const startVendor = async () => {
  const replies = new Map<string, VendorReply[]>()
  const asked: string[] = []
  const bodies: unknown[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as { model?: string }
      const model = body.model ?? /models\/([^:]+):/.exec(request.url ?? '')?.[1] ?? ''
      asked.push(model)
      bodies.push(body)
      const queue = replies.get(model) ?? []
      const reply = queue.length > 1 ? queue.shift() : queue[0]
      if (reply) reply(response)
      else refuse(404)(response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    /** The models that were called, in order. */
    asked,
    bodies,
    reply: (model: string, ...given: VendorReply[]): void => void replies.set(model, given),
    forget: (): void => {
      replies.clear()
      asked.length = 0
      bodies.length = 0
    },
    stop: async (): Promise<void> => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export const refuse =
  (status: number, headers: Record<string, string> = {}): VendorReply =>
  (response) =>
    response.writeHead(status, headers).end(JSON.stringify({ error: { message: 'No.' } }))

/** Frames with and without a name, as the vendors stream them. */
export const stream =
  (frames: readonly unknown[]): VendorReply =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(frames.map(frameOf).join(''))
  }

/** The connection closes after these frames. */
export const cut =
  (frames: readonly unknown[]): VendorReply =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(frames.map(frameOf).join(''), () => response.destroy())
  }

const frameOf = (frame: unknown): string => {
  const { type } = frame as { type?: unknown }
  const name = typeof type === 'string' ? `event: ${type}\n` : ''
  return `${name}data: ${typeof frame === 'string' ? frame : JSON.stringify(frame)}\n\n`
}

/** The chunks of a chat completion. */
export const chat = (text: string, usage: Record<string, unknown> = { prompt_tokens: 10, completion_tokens: 2 }) => [
  { id: 'c1', choices: [{ index: 0, delta: { role: 'assistant', content: text } }] },
  { id: 'c1', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
  { id: 'c1', choices: [], usage },
  '[DONE]',
]
