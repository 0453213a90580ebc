import { systemClock } from '@ars/platform/clock'
import type { Database, Tx } from '@ars/platform/db/database'
import { createIdMaker, toUuid } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { workDue } from '@ars/platform/work/due-work.fixture'
import { insertBatch, insertBatchItems } from '../src/batches/batch.store.ts'
import type { BatchRow } from '../src/batches/batch.ts'
import { type BatchDeps, createBatchQueue } from '../src/batches/batch-advance.service.ts'
import type { Caller } from '../src/ctx.ts'
import { createAccept } from '../src/runs/accept/accept-batch.service.ts'
import { cancelRun } from '../src/runs/control/cancel.store.ts'
import { admitRuns } from '../src/runs/queue/admission.store.ts'
import { eraseRunData } from '../src/runs/run/erase.store.ts'
import { type AdmissionWorld, createAdmissionWorld, type Tenant } from './admission-world.ts'
import { askedRun } from './asked-run.ts'

const newId = createIdMaker(systemClock)
const relayAfterMs = 0

/** A database in which batches start runs, which wait, are admitted and end, without any worker. */
export type BatchWorld = AdmissionWorld & {
  /** A batch whose items have the inputs `{ n }`. Answers its UUID. */
  newBatch(tenant: Tenant, items: number): Promise<string>
  /** Works on all that is due. */
  sweep(over?: Partial<BatchDeps>): Promise<void>
  /** Accepts through the ordinary path, on a database that may fail. */
  startOn(app: Database): BatchDeps['start']
  /** Lets the next sweep have every batch. */
  expireLeases(): Promise<void>
  /** Ends the admitted runs as completed, and admits the next ones. The output is the input. Answers how many ended. */
  completeAdmitted(tenant: Tenant): Promise<number>
  /** The batches that have ended, in order. */
  readonly ended: BatchRow[]
}

export const openBatchWorld = async ({ cellSlots = 1_000 } = {}): Promise<BatchWorld> => {
  const world = await createAdmissionWorld()
  const { app, system, query } = world
  const ended: BatchRow[] = []
  const startOn = (db: Database): BatchDeps['start'] => {
    const accept = createAccept({ app: db, admission: { follow: () => undefined }, relayAfterMs, cellSlots })
    return async (caller, { agentId, input, metadata, batchItem }) => {
      const run = askedRun(agentId, { input, metadata, batchItem })
      const verdict = await accept(caller.org, run)
      if (verdict.kind === 'accepted') return { kind: 'accepted', runId: run.id }
      const code = verdict.kind === 'queue_full' ? 'concurrency_exceeded' : 'agent_archived'
      return { kind: 'refused', code, message: verdict.kind }
    }
  }
  const deps: BatchDeps = {
    app,
    system,
    log: createLog({ level: 'silent' }),
    callerOf: async (org) => ({ org, scopes: new Set(['runs:write']) }) as unknown as Caller,
    start: startOn(app),
    cancelRun: (org, run) => cancelRun(app, org, { run, eventId: toUuid(newId('evt')), graceMs: 1 }),
    eraseRun: (org, run) => eraseRunData(app, org, run),
    onEnded: async (_tx: Tx, batch) => void ended.push(batch),
  }
  return {
    ...world,
    ended,
    clear: async () => {
      await world.clear()
      await query('truncate batches, batch_items, batch_waits')
      ended.length = 0
    },
    newBatch: async ({ org, agentId }, items) => {
      const id = toUuid(newId('bat'))
      await app.transaction(org, async (tx) => {
        const page = JSON.stringify(Array.from({ length: items }, (_, n) => ({ input: { n } })))
        await insertBatchItems(tx, org, { batchId: id, first: 0, items: page })
        const by = { by: '01890a5d-ac96-774b-bcce-b302099a8057', byType: 'key' as const }
        await insertBatch(tx, org, { id, agentId, metadata: {}, timeoutSeconds: null, items, bytes: 0, ...by })
      })
      return id
    },
    sweep: async (over = {}) => void (await workDue(createBatchQueue({ ...deps, ...over }))),
    startOn,
    expireLeases: async () => {
      await query('update batches set held_until = null, due_at = app_now() where due_at is not null')
    },
    completeAdmitted: async ({ org }) => {
      const runs = await query('select run_id from run_heads where org_id = $1 and is_admitted order by run_id', [org])
      for (const { run_id } of runs) await world.end({ org }, run_id as string)
      await query(
        `update run_results e set status = 'completed', output = r.input, output_bytes = r.input_bytes from runs r
          where r.id = e.run_id and e.org_id = $1 and e.run_id = any ($2)`,
        [org, runs.map(({ run_id }) => run_id)],
      )
      await admitRuns(system, { cellSlots, relayAfterMs })
      return runs.length
    },
  }
}
