import { setTimeout as sleep } from 'node:timers/promises'
import type { RecordReader } from './records.ts'

/** Looks at the admitted runs all the time: no limit is exceeded in any single moment. */
export type SlotWatch = {
  readonly samples: number
  readonly mostInUse: number
  readonly violations: readonly string[]
  close(): Promise<void>
}

const everyMs = 500

type Sample = { admitted: number; both: number; above: number }

// One statement is one moment: its counts belong together.
const sampleText = `select
  (select count(*)::integer from run_heads where is_admitted) as admitted,
  (select count(*)::integer from run_heads where is_admitted and (waits_for is not null or status = 'requires_action')) as both,
  (select count(*)::integer from organisations o
    where (select count(*) from run_heads h where h.org_id = o.id and h.is_admitted) > o.concurrent_runs) as above`

export const watchSlots = (records: RecordReader): SlotWatch => {
  const violations: string[] = []
  let samples = 0
  let mostInUse = 0
  let isClosed = false
  const look = async (): Promise<void> => {
    while (!isClosed) {
      // The database may be the part that was just killed.
      const [sample] = await records.query<Sample>(sampleText).catch(() => [])
      if (sample) {
        samples++
        mostInUse = Math.max(mostInUse, sample.admitted)
        if (sample.both > 0 || sample.above > 0) violations.push(JSON.stringify(sample))
      }
      await sleep(everyMs)
    }
  }
  const looking = look()
  return {
    get samples() {
      return samples
    },
    get mostInUse() {
      return mostInUse
    },
    violations,
    close: async () => {
      isClosed = true
      await looking
    },
  }
}

/** After everything has ended, nothing counts against a limit. */
export const findHeldSlots = async (records: RecordReader): Promise<string[]> => {
  const rows = await records.query<{ line: string }>(
    `select 'run_heads ' || row_to_json(h) as line from run_heads h where is_admitted or waits_for is not null`,
  )
  return rows.map(({ line }) => line)
}
