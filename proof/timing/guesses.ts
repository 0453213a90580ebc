import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { PartError } from '@ars/tools/dev/parts/part'
import { apiCaller } from '../lab/client/api-caller.ts'
import { playOpenLoop, type Shot, statusOf } from '../lab/client/open-loop.ts'
import type { GuessAnswer, GuesserSetup, GuessOrder } from './guesser.ts'
import type { TimingOptions } from './options.ts'
import { bearer, openScene, type Scene } from './scene.ts'

/** What came of the guesses of one kind. */
export type Attack = {
  name: string
  addresses: number
  /** How often which status was answered. */
  counts: Record<number, number>
  /** Hashes that the gateway has computed meanwhile, by its own count. */
  looked: number
}

export type GuessMetrics = {
  attacks: readonly Attack[]
  /** By the name of the attack, and `quiet`: how long the reader waited, each time. */
  latencies: Map<string, number[]>
  /** Of these, how often it was not answered as it should be. */
  failures: Map<string, number>
  guessesPerSecond: number
  readsPerSecond: number
  windows: number
  seconds: number
}

export const quiet = 'quiet'

const readsPerSecond = 50
const sizes = {
  full: { guessesPerSecond: 100, windows: 5, seconds: 20 },
  quick: { guessesPerSecond: 50, windows: 3, seconds: 5 },
} as const

/** Windows of guesses between windows of peace, so that whatever drifts on the machine meets both alike. */
export const measureGuesses = async (options: TimingOptions, tell: (words: string) => void): Promise<GuessMetrics> => {
  const { guessesPerSecond, windows, seconds } = options.isQuick ? sizes.quick : sizes.full
  tell('Starting the stack')
  const scene = await openScene('timing-guesses', { people: 2 })
  const guesser = startGuesser(scene)
  const reader = readerOf(scene)
  const attacks: Attack[] = [
    { name: 'one address', addresses: 1, counts: {}, looked: 0 },
    { name: '500 addresses', addresses: 500, counts: {}, looked: 0 },
  ]
  const latencies = new Map<string, number[]>()
  const failures = new Map<string, number>()
  const read = async (name: string): Promise<void> => {
    const shots = await reader.read(seconds)
    const failed = shots.filter((shot) => statusOf(shot) !== 200).length
    latencies.set(name, [...(latencies.get(name) ?? []), ...shots.map(({ tookMs }) => tookMs)])
    failures.set(name, (failures.get(name) ?? 0) + failed)
  }
  try {
    await reader.read(2)
    for (let window = 0; window < windows; window++) {
      tell(`Window ${window + 1} of ${windows}`)
      for (const [at, attack] of attacks.entries()) {
        await read(quiet)
        const before = await passwordsComputed(scene)
        const order = { email: scene.emails[at] ?? '', addresses: addressesOf(at, attack.addresses, window) }
        const [counts] = await Promise.all([
          guesser.guess({ ...order, perSecond: guessesPerSecond, seconds }),
          read(attack.name),
        ])
        for (const [status, count] of Object.entries(counts)) {
          attack.counts[Number(status)] = (attack.counts[Number(status)] ?? 0) + count
        }
        attack.looked += (await passwordsComputed(scene)) - before
      }
    }
    await read(quiet)
    return { attacks, latencies, failures, guessesPerSecond, readsPerSecond, windows, seconds }
  } finally {
    reader.close()
    await guesser.close()
    await scene.dispose({ keepFiles: false })
  }
}

/** Each window goes on where the one before has ended, so that all addresses are used alike. */
const addressesOf = (attack: number, count: number, window: number): string[] => {
  const all = Array.from({ length: count }, (_, at) => `10.${attack}.${at >> 8}.${at & 255}`)
  const from = (window * 97) % count
  return [...all.slice(from), ...all.slice(0, from)]
}

/** Somebody who only wants to see their run. */
const readerOf = ({ port, ca, ownerKey, runIds }: Scene) => {
  const caller = apiCaller({ port, ca, connections: 10 })
  const call = { method: 'GET', path: `/v2/runs/${runIds[0]}`, headers: bearer(ownerKey) } as const
  const hopeless = new AbortController().signal
  return {
    close: () => caller.close(),
    read: (seconds: number): Promise<Shot[]> =>
      playOpenLoop({ perSecond: readsPerSecond, seconds, hopeless }, async () => {
        const from = performance.now()
        const answer = await caller.call(call).catch(() => null)
        return { tookMs: performance.now() - from, answer }
      }),
  }
}

const startGuesser = ({ port, ca }: Scene) => {
  const worker = new Worker(new URL('./guesser.ts', import.meta.url), {
    workerData: { port, ca } satisfies GuesserSetup,
  })
  return {
    close: () => worker.terminate(),
    guess: async (order: GuessOrder): Promise<Record<number, number>> => {
      worker.postMessage(order)
      const [answer] = (await once(worker, 'message')) as [GuessAnswer]
      if ('error' in answer) throw new PartError(`the guesses broke off: ${answer.error}`)
      return answer.counts
    },
  }
}

const passwordsComputed = async ({ metricsUrl }: Scene): Promise<number> => {
  const metrics = await (await fetch(`${metricsUrl}/metrics`)).text()
  const found = /^ars_passwords_computed_total (\d+)/m.exec(metrics)?.[1]
  if (found === undefined) throw new PartError('the gateway has no metric of the passwords it has checked')
  return Number(found)
}
