import { setTimeout as sleep } from 'node:timers/promises'
import { fromUuid } from '@ars/platform/id'
import type { Organisation } from '../lab/stack/organisation.ts'
import { leakMarkerOf } from './leak-marker.ts'
import type { RecordReader } from './records.ts'
import type { RunClient } from './run-client.ts'

/** Another customer of the same stack, who works a little all the time and pries a little. */
export type Neighbour = {
  readonly completed: number
  readonly notCompleted: readonly string[]
  /** Until the answer is called nothing of it is under way. */
  pause(): Promise<() => void>
  close(): Promise<void>
}

const everyMs = 700
const pryEvery = 3

/**
 * Each of its runs carries its leak marker, and so do those of the stranger next door: an answer to one is
 * searched for the other's. It also asks for the stranger's runs by their ids, and must be told that there are none.
 */
export const startNeighbour = ({
  client,
  organisation,
  records,
  stranger,
}: {
  client: RunClient
  organisation: Organisation
  records: RecordReader
  stranger: Organisation
}): Neighbour => {
  const notCompleted: string[] = []
  let completed = 0
  let isClosed = false
  let isPaused = false
  let atWork: Promise<void> = Promise.resolve()

  const work = async (n: number): Promise<void> => {
    const key = `neighbour-${n}`
    const run = await client
      .carryOut({
        key,
        agentId: organisation.agentId('test-echo'),
        input: { query: `${leakMarkerOf(organisation.label)} ${n}` },
        prefer: 'wait=10',
      })
      .catch((error: unknown) => ({ status: String(error) }))
    if (run.status === 'completed') completed++
    else if (!isClosed) notCompleted.push(`${key}: ${run.status}`)
    if (n % pryEvery === 0) await pry(n)
  }

  const pry = async (n: number): Promise<void> => {
    const key = `neighbour-${n}`
    const gateway = n % 2
    const list = '/v2/runs?limit=20'
    await client.attempt(gateway, {
      what: 'list',
      key,
      call: { method: 'GET', path: list, headers: { ...client.authorization } },
    })
    const [newest] = await records
      .query<{ id: string }>('select id from runs where org_id = $1 order by id desc limit 1', [stranger.id])
      .catch(() => [])
    if (!newest) return
    const path = `/v2/runs/${fromUuid('run', newest.id)}`
    const ways = [
      ['GET', path],
      ['GET', `${path}/stream`],
      ['GET', `${path}/steps`],
      ['DELETE', path],
    ] as const
    const [method, wanted] = ways[(n / pryEvery) % ways.length] ?? ways[0]
    await client.attempt(gateway, {
      what: 'foreign',
      key,
      call: { method, path: wanted, headers: { ...client.authorization } },
      expects: [404],
    })
  }

  const live = async (): Promise<void> => {
    for (let n = 1; !isClosed; n++) {
      if (!isPaused) {
        atWork = work(n).catch(() => undefined)
        await atWork
      }
      await sleep(everyMs)
    }
  }
  const living = live()

  return {
    get completed() {
      return completed
    },
    notCompleted,
    pause: async () => {
      isPaused = true
      await atWork
      return () => {
        isPaused = false
      }
    },
    close: async () => {
      isClosed = true
      await living
    },
  }
}
