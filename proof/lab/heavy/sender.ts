import { setTimeout as sleep } from 'node:timers/promises'
import { apiCaller } from '../client/api-caller.ts'
import { type Facts, loads } from './loads.ts'

/** Answers by their status. */
export type Tally = Record<string, number>

/** The process of one load, separate from the measuring process: large bodies would hold its event loop. */

export type Order = Omit<Facts, 'time'> & { load: string; port: number; ca: string; key: string }

const sendersAtOnce = 4

/** As fast as the rate limit of the plan allows. */
const begin = ({ load: name, port, ca, key, ...facts }: Order): (() => Promise<Tally>) => {
  const load = loads.find((each) => each.name === name)
  if (!load) throw new Error(`There is no load ${name}`)
  const caller = apiCaller({ port, ca: Buffer.from(ca), connections: sendersAtOnce })
  const headers = { authorization: `Bearer ${key}`, prefer: 'respond-async', 'content-type': 'application/json' }
  const tally: Tally = {}
  let isOver = false
  let time = 0
  const send = async (): Promise<void> => {
    while (!isOver) {
      const { path, body } = load.request({ ...facts, time: time++ })
      const outcome = await caller
        .call({ method: 'POST', path: `/v2${path}`, headers, body }, { timeoutMs: 120_000 })
        .then(
          ({ status }) => status,
          ({ message }: Error) => `no answer (${message})`,
        )
      tally[outcome] = (tally[outcome] ?? 0) + 1
      if (outcome === 429) await sleep(250)
    }
  }
  const senders = Array.from({ length: sendersAtOnce }, send)
  return async () => {
    isOver = true
    await Promise.all(senders)
    return tally
  }
}

process.once('message', (order: Order) => {
  const stop = begin(order)
  process.once('message', () => void stop().then((tally) => process.send?.(tally, () => process.exit(0))))
})
process.on('disconnect', () => process.exit(1))
