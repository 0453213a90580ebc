import { readFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import type { RatedCall } from './checks/rates.ts'
import type { Fleet } from './fleet.ts'

/** Clients of keys with a rate limit, at both gateways in turn. */
export type RateClients = {
  once(gateway: number, apiKey: string): Promise<RatedCall>
  /** Each as fast as the clients can send. */
  all(apiKeys: readonly string[], clients: number): Promise<RatedCall[]>
  /** As fast as the clients can send, until each was refused (then the bucket is empty) or time is up. */
  untilRefused(apiKey: string, options: { clients: number; maxSeconds: number }): Promise<RatedCall[]>
  /** At their own pace, whatever becomes of those before them. */
  steadily(apiKey: string, options: { perSecond: number; seconds: number }): Promise<RatedCall[]>
  close(): Promise<void>
}

export type RateSetup = {
  ports: readonly number[]
  ca: Uint8Array
  /** Of the main thread's clock. */
  timeOrigin: number
}

type Order =
  | { kind: 'once'; gateway: number; apiKey: string }
  | { kind: 'all'; apiKeys: readonly string[]; clients: number }
  | { kind: 'until refused'; apiKey: string; clients: number; maxSeconds: number }
  | { kind: 'steadily'; apiKey: string; perSecond: number; seconds: number }
export type RateOrder = Order & { number: number }
export type RateAnswer = { number: number } & ({ calls: RatedCall[] } | { error: string })

export const startRateClients = ({ stack }: Fleet): RateClients => {
  const setup: RateSetup = {
    ports: stack.ports.gateway,
    ca: readFileSync(stack.tls.certFile),
    timeOrigin: performance.timeOrigin,
  }
  const worker = new Worker(new URL('./rate-worker.ts', import.meta.url), { workerData: setup })
  const waiting = new Map<number, { resolve(calls: RatedCall[]): void; reject(error: Error): void }>()
  let orders = 0
  worker.on('message', (answer: RateAnswer) => {
    const order = waiting.get(answer.number)
    waiting.delete(answer.number)
    if ('calls' in answer) order?.resolve(answer.calls)
    else order?.reject(new Error(answer.error))
  })
  worker.on('error', (error) => {
    for (const { reject } of waiting.values()) reject(error as Error)
  })
  const send = (order: Order): Promise<RatedCall[]> =>
    new Promise((resolve, reject) => {
      const number = orders++
      waiting.set(number, { resolve, reject })
      worker.postMessage({ ...order, number } satisfies RateOrder)
    })
  return {
    once: async (gateway, apiKey) => {
      const [call] = await send({ kind: 'once', gateway, apiKey })
      if (!call) throw new Error('a client said nothing')
      return call
    },
    all: (apiKeys, clients) => send({ kind: 'all', apiKeys, clients }),
    untilRefused: (apiKey, options) => send({ kind: 'until refused', apiKey, ...options }),
    steadily: (apiKey, options) => send({ kind: 'steadily', apiKey, ...options }),
    close: async () => {
      await worker.terminate()
    },
  }
}
