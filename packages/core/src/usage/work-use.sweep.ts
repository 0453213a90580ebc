import type { Database } from '@ars/platform/db/database'
import type { Sweep } from '@ars/platform/periodic'
import type { WorkMetrics } from '@ars/platform/work/queue'
import { usageBounds } from './bounds.ts'
import { addWorkUses, type WorkUse } from './work-use.store.ts'

/** Pairs of organisation and queue between two writes. Turns of further ones are not counted. */
const maxPairs = usageBounds.workUses.count

/** Counts for whom this process worked, and adds it to what the other processes counted. */
export const createWorkUses = ({ system }: { system: Database }): WorkMetrics & { sweep: Sweep } => {
  let uses = new Map<string, WorkUse>()
  return {
    onTurn: (queue, _, { org, turnMs }) => {
      const key = `${org} ${queue}`
      const known = uses.get(key)
      if (!known && uses.size >= maxPairs) return
      const { turns, turnMs: before } = known ?? { turns: 0, turnMs: 0 }
      uses.set(key, { org, queue, turns: turns + 1, turnMs: before + Math.round(turnMs) })
    },
    sweep: {
      name: 'work-uses',
      everyMs: 10_000,
      // What cannot be written is not counted: the figures are for people.
      run: async () => {
        const counted = [...uses.values()]
        uses = new Map()
        if (counted.length === 0) return
        await addWorkUses(system, counted)
      },
    },
  }
}
