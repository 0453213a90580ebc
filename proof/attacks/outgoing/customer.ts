import { apiCaller } from '../../lab/client/api-caller.ts'

// biome-ignore lint/suspicious/noExplicitAny: an answer is looked into by attacks that say what they expect of it
export type Reply = { status: number; body: any; text: string }

/** A customer with a good key and bad intentions. */
export type Customer = {
  call(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown): Promise<Reply>
  make(path: string, body: unknown): Promise<Reply['body']>
  close(): void
}

export const customerOf = ({ port, ca, key }: { port: number; ca: Buffer; key: string }): Customer => {
  const caller = apiCaller({ port, ca, connections: 16 })
  const ask = async (...[method, path, body]: Parameters<Customer['call']>): Promise<Reply> => {
    const headers = { authorization: `Bearer ${key}`, prefer: 'respond-async' }
    const { status, text } = await caller.call({ method, path: `/v2${path}`, headers, body }, { timeoutMs: 60_000 })
    return { status, text, body: text.startsWith('{') ? JSON.parse(text) : undefined }
  }
  // On a busy machine the call may be shed, which is not tested here.
  const call: Customer['call'] = (...request) =>
    until(`an answer to ${request[1]} other than 503`, async () => {
      const reply = await ask(...request)
      return reply.status !== 503 && reply
    })
  return {
    call,
    make: async (path, body) => {
      const reply = await call('POST', path, body)
      if (reply.status > 202) throw new Error(`POST ${path} was answered ${reply.status}: ${reply.text.slice(0, 300)}`)
      return reply.body
    },
    close: caller.close,
  }
}

const patienceMs = 120_000

/** Waits for a condition. */
export const until = async <T>(what: string, probe: () => Promise<T | false>): Promise<T> => {
  const deadline = performance.now() + patienceMs
  for (;;) {
    const found = await probe()
    if (found !== false) return found
    if (performance.now() > deadline) throw new Error(`timed out waiting for ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
}
