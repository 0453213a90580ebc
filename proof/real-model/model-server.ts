import { request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type ManagedProcess, managedProcess } from '@ars/tools/dev/parts/process'

/** llama.cpp's own server with a real, small model. It is asked here only for what the service does not tell. */
export type ModelServer = ManagedProcess & {
  /** For `base_url` of a provider. */
  readonly baseUrl: string
  /** Is anything being computed? */
  isBusy(): Promise<boolean>
  /** How many tokens it counts in a conversation. */
  countPrompt(messages: readonly { role: string; content: string }[]): Promise<number>
}

/** What the server calls its model. */
export const servedModel = 'smollm2-135m-instruct'
export const contextTokens = 2048

export const modelServer = ({ dir, port, python }: { dir: string; port: number; python: string }): ModelServer => {
  const url = `http://127.0.0.1:${port}`
  const running = managedProcess({
    name: 'model-server',
    dir,
    command: python,
    args: [join(import.meta.dirname, 'model_server.py'), String(port)],
    ports: [{ port, what: 'the model server' }],
    isReady: async () => (await ask(`${url}/health`)).status === 200,
    startTimeoutMs: 120_000,
  })
  return {
    ...running,
    baseUrl: `${url}/v1`,
    isBusy: async () => {
      const slots = JSON.parse((await ask(`${url}/slots`)).text) as { is_processing: boolean }[]
      return slots.some(({ is_processing }) => is_processing)
    },
    countPrompt: async (messages) => {
      const { status, text: said } = await ask(`${url}/v1/chat/completions`, { messages, max_tokens: 1 })
      if (status !== 200) throw new Error(`the model server answered ${status}: ${said}`)
      return (JSON.parse(said) as { usage: { prompt_tokens: number } }).usage.prompt_tokens
    },
  }
}

/** On a separate connection: llama.cpp closes connections that it announced as kept alive. */
const ask = (url: string, body?: unknown): Promise<{ status: number | undefined; text: string }> =>
  new Promise((resolve, reject) => {
    const outgoing = request(url, { method: body === undefined ? 'GET' : 'POST', agent: false, timeout: 60_000 })
    if (body !== undefined) outgoing.setHeader('content-type', 'application/json')
    outgoing.once('response', (response) => {
      text(response).then((said) => resolve({ status: response.statusCode, text: said }), reject)
    })
    outgoing.once('timeout', () => outgoing.destroy(new Error(`${url} did not answer in time`)))
    outgoing.once('error', reject)
    outgoing.end(body === undefined ? undefined : JSON.stringify(body))
  })
