import type { Database } from '@ars/platform/db/database'
import type { History, PastStep } from '../../steps/index.ts'
import { readHistory } from '../run/history.store.ts'

/**
 * The histories of the runs that this worker executes. A stored step does not change, so it is kept until the next step of
 * its run instead of being read again at each one. Within a bound of bytes: those that were not used for longest are given
 * up and read again.
 */
export type Histories = {
  read(org: string, run: string): Promise<History>
  /** The run takes no further step here. */
  forget(run: string): void
  keptBytes(): number
}

type Kept = { steps: readonly PastStep[]; bytes: number }

export const createHistories = ({ app, maxBytes }: { app: Database; maxBytes: number }): Histories => {
  // In the order of use.
  const kept = new Map<string, Kept>()
  let keptBytes = 0

  const forget = (run: string): void => {
    keptBytes -= kept.get(run)?.bytes ?? 0
    kept.delete(run)
  }

  const keep = (run: string, history: Kept): void => {
    forget(run)
    if (history.bytes > maxBytes) return
    kept.set(run, history)
    keptBytes += history.bytes
    for (const oldest of kept.keys()) {
      if (keptBytes <= maxBytes) break
      forget(oldest)
    }
  }

  const read = async (org: string, run: string): Promise<History> => {
    const before = kept.get(run)
    const last = before?.steps.at(-1)
    const { stepBytes, ...rest } = await readHistory(app, org, run, { after: last?.step ?? 0 })
    if (!before || !last) {
      keep(run, { steps: rest.steps, bytes: stepBytes })
      return rest
    }
    // The last known step comes again, without its content. After the loss of a database's newest commits it may be another.
    const [again, ...later] = rest.steps
    if (again?.step !== last.step || again.finishedAt.getTime() !== last.finishedAt.getTime()) {
      forget(run)
      return read(org, run)
    }
    const steps = [...before.steps, ...later]
    keep(run, { steps, bytes: before.bytes + stepBytes })
    return { ...rest, steps }
  }

  return { read, forget, keptBytes: () => keptBytes }
}
