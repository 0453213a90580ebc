import { setTimeout as sleep } from 'node:timers/promises'
import type { RecordReader } from './records.ts'

/** Looks at the slots all the time: each one in use belongs to an active run that knows it, in every single moment. */
export type SlotWatch = {
  readonly samples: number
  readonly mostInUse: number
  readonly violations: readonly string[]
  close(): Promise<void>
}

const everyMs = 500

type Sample = {
  org_slots: number
  heads: number
  cell_slots: number
  cell_heads: number
  strangers: number
}

// One statement is one moment: its counts belong together.
const sampleText = `select
  (select count(*)::integer from org_slots where run_id is not null) as org_slots,
  (select count(*)::integer from run_heads where slot is not null) as heads,
  (select count(*)::integer from cell_slots where run_id is not null) as cell_slots,
  (select count(*)::integer from run_heads where cell_slot is not null) as cell_heads,
  (select count(*)::integer from org_slots s where s.run_id is not null and not exists (
     select from run_heads h where h.run_id = s.run_id and h.org_id = s.org_id and h.slot = s.number)) as strangers`

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
        mostInUse = Math.max(mostInUse, sample.org_slots)
        if (sample.org_slots !== sample.heads || sample.cell_slots !== sample.cell_heads || sample.strangers > 0) {
          violations.push(JSON.stringify(sample))
        }
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

/** After everything has ended, nobody holds a slot. */
export const findHeldSlots = async (records: RecordReader): Promise<string[]> => {
  const rows = await records.query<{ line: string }>(
    `select 'org_slots ' || row_to_json(t) as line from org_slots t where run_id is not null
     union all select 'cell_slots ' || row_to_json(t) from cell_slots t where run_id is not null`,
  )
  return rows.map(({ line }) => line)
}
