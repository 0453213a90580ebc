import type { ChildProcess } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import type { Control, Failures } from '../load.ts'
import { ask, type ReceiverMetrics } from '../protocol.ts'
import { type Outpost, topic } from './outpost.ts'

// As many as our feeder writes ahead.
const maxWaiting = 2000
const connections = 32
const pollMs = 100
const maxDrainMs = 120_000

/** Publishes events over the API of Outpost, never far ahead of their deliveries. `body`: of one of our deliveries. */
export const outpostControl = (
  outpost: Outpost,
  { receiver, body }: { receiver: ChildProcess; body: string },
): Control => {
  const { origin, apiKey, tenants } = outpost
  const pool = new Pool(origin, { connections })
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  const bodies = tenants.map((tenant_id) => JSON.stringify({ tenant_id, topic, data: JSON.parse(body) }))
  const arrivedInAll = async (): Promise<number> => (await ask<ReceiverMetrics>(receiver, { kind: 'read' })).postsInAll

  const start: Control['start'] = async () => {
    const before = await arrivedInAll()
    const failures: Failures = {}
    let [isOver, published, arrived] = [false, 0, 0]
    const waiting = (): number => published - arrived
    const note = (what: string): void => {
      failures[what] = (failures[what] ?? 0) + 1
    }
    const publish = async (): Promise<void> => {
      const next = bodies[published++ % bodies.length] ?? ''
      const answer = await pool.request({ method: 'POST', path: '/api/v1/publish', headers, body: next })
      await answer.body.dump()
      if (answer.statusCode === 202) return
      published--
      note(String(answer.statusCode))
    }
    const publishUntilOver = async (): Promise<void> => {
      while (!isOver) {
        if (waiting() >= maxWaiting) await sleep(pollMs / 5)
        else
          await publish().catch((error: unknown) => {
            published--
            note(error instanceof Error ? error.message : String(error))
          })
      }
    }
    const read = async (): Promise<void> => {
      arrived = (await arrivedInAll()) - before
    }
    const poll = async (): Promise<void> => {
      while (!isOver) {
        await sleep(pollMs)
        await read()
      }
    }
    const working = Promise.all([poll(), ...Array.from({ length: connections }, publishUntilOver)])
    return async () => {
      isOver = true
      await working
      const deadline = performance.now() + maxDrainMs
      for (await read(); waiting() > 0 && performance.now() < deadline; await read()) await sleep(pollMs)
      // A repeated delivery arrives twice, which is allowed: at least once.
      if (waiting() > 0) failures['never arrived'] = waiting()
      return failures
    }
  }
  return { start, isSignedAsOurs: false }
}
