import { parentPort, workerData } from 'node:worker_threads'
import { apiCaller } from '../lab/client/api-caller.ts'
import { playOpenLoop, statusOf } from '../lab/client/open-loop.ts'
import { login } from './classes.ts'

export type GuesserSetup = {
  port: number
  ca: Uint8Array
}

/** A window of guesses, at their own pace. */
export type GuessOrder = {
  email: string
  /** From which the guesses come, in turn. */
  addresses: readonly string[]
  perSecond: number
  seconds: number
}

/** How often which status was answered; 0: no answer. */
export type GuessAnswer = { counts: Record<number, number> } | { error: string }

// On a separate thread: the cost of guessing must not show in the latencies that the reader measures.
const { port, ca } = workerData as GuesserSetup
const caller = apiCaller({ port, ca: Buffer.from(ca), connections: 50 })
const from = (address: string): Record<string, string> => ({ 'x-forwarded-for': address })

parentPort?.on('message', (order: GuessOrder) => {
  guess(order).then(
    (counts) => parentPort?.postMessage({ counts } satisfies GuessAnswer),
    (error: unknown) => parentPort?.postMessage({ error: String(error) } satisfies GuessAnswer),
  )
})

const guess = async ({ email, addresses, perSecond, seconds }: GuessOrder): Promise<Record<number, number>> => {
  const hopeless = new AbortController().signal
  const shots = await playOpenLoop({ perSecond, seconds, hopeless }, async (n) => {
    const call = login({ from }, email, addresses[n % addresses.length] ?? '')
    return { tookMs: 0, answer: await caller.call(call).catch(() => null) }
  })
  const counts: Record<number, number> = {}
  for (const shot of shots) counts[statusOf(shot)] = (counts[statusOf(shot)] ?? 0) + 1
  return counts
}
