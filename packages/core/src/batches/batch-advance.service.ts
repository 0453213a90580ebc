import type { Database, Tx } from '@ars/platform/db/database'
import { DatabaseUnavailable } from '@ars/platform/db/unavailable'
import { fromUuid } from '@ars/platform/id'
import type { Log } from '@ars/platform/log/log'
import { createSemaphore } from '@ars/platform/semaphore'
import { type ClaimedItem, type Outcome, type Turn, usualBounds, type WorkQueue } from '@ars/platform/work/queue'
import type { Caller } from '../ctx.ts'
import { eraseEventMetadata } from '../events/index.ts'
import { isPassingRefusal } from '../passing-refusal.ts'
import { holdRows } from '../work-rows.service.ts'
import { readBatch } from './batch.store.ts'
import { type BatchItem, type BatchMove, type BatchRow, expiryRefusal, maxOpenRuns, nextMove, roomOf } from './batch.ts'
import { listItems, listStartable, type StartableItem } from './batch-item.store.ts'
import {
  batchWork,
  type ClaimedBatch,
  dropItems,
  endBatch,
  endErasure,
  eraseInputs,
  type ItemRefusal,
  type LockedBatch,
  listUncancelled,
  lockHeld,
  moveCursor,
  noteCancels,
  readRoom,
  refuseRest,
  releaseBatch,
  storeRefusals,
} from './batch-work.store.ts'
import { batchesBounds } from './bounds.ts'

/** A run as a batch asks for it. */
export type AskedItem = {
  agentId: string
  input: Record<string, unknown>
  metadata: Record<string, string>
  timeoutSeconds: number | null
  batchItem: BatchItem
}

export type StartVerdict =
  | { kind: 'accepted'; runId: string }
  | { kind: 'refused'; code: string; message: string; retryAfterSeconds?: number | undefined }

export type BatchDeps = {
  /** Claims batches of all organisations. */
  system: Database
  app: Database
  /** The creator as it is now. Null: the key was revoked, or the person is no member any more. */
  callerOf(org: string, creator: { type: 'key' | 'user'; id: string }): Promise<Caller | null>
  /**
   * Accepts a run and claims its item in the same transaction (`claimBatchItems`). A fault of the caller is a refusal. Everything
   * else is thrown, and the item is tried again.
   */
  start(caller: Caller, item: AskedItem): Promise<StartVerdict>
  /** Cancels a run. An ended run stays as it is. */
  cancelRun(org: string, runId: string): Promise<unknown>
  /** Erases the data of an ended run, and the copies of events whose subject has this UUID. */
  eraseRun(org: string, runId: string): Promise<unknown>
  /** In the transaction that ends the batch, once. */
  onEnded(tx: Tx, batch: BatchRow): Promise<void>
  log: Log
}

/** Items of a batch that are started at once. */
const maxStarts = batchesBounds.startsAtOnce.count
const cancelAgainSeconds = 30
/** Items that one round erases. */
const erasuresPerRound = batchesBounds.erasuresTogether.count
/** A cancel must not wait longer than this. */
const maxRetrySeconds = batchesBounds.retryPause.seconds
const retryDefaultSeconds = 1

/** What follows a round. `pause`: give the batch back for this time. `over`: it was given back, has ended, or is lost. */
type Round = { kind: 'again' } | { kind: 'pause'; seconds: number } | { kind: 'over' }

const again: Round = { kind: 'again' }
const over: Round = { kind: 'over' }

/**
 * The batches that are due. Each round decides in a transaction that locks the batch, and acts after it. A worker
 * that dies between any two statements leaves items that wait, or items that have their run: the accept claims the item.
 */
export const createBatchQueue = (deps: BatchDeps): WorkQueue<ClaimedItem> => {
  const { app } = deps
  const hold = holdRows(batchWork, deps)

  const startOne = async (batch: BatchRow, { number, input }: StartableItem): Promise<StartVerdict> => {
    const creator = { type: batch.created_by_type, id: batch.created_by }
    const caller = await deps.callerOf(batch.org_id, creator)
    if (!caller?.scopes.has('runs:write')) {
      return { kind: 'refused', code: 'forbidden', message: 'The creator of the batch may not create runs any more' }
    }
    return deps.start(caller, {
      agentId: batch.agent_id,
      input,
      metadata: batch.metadata,
      timeoutSeconds: batch.timeout_seconds,
      batchItem: { batchId: batch.id, number },
    })
  }

  const startItems = async (
    held: ClaimedBatch,
    batch: LockedBatch,
    { limit, turn }: { limit: number; turn: Turn },
  ): Promise<Round> => {
    const { org, id } = held
    const items = await listStartable(app, org, { batchId: id, from: batch.cursor, limit })
    if (items.length === 0) return { kind: 'pause', seconds: maxRetrySeconds }
    const inTurn = createSemaphore(maxStarts)
    const refusals: ItemRefusal[] = []
    let waitSeconds = 0
    let begun = 0
    let fault: unknown
    const note = (number: number, verdict: StartVerdict): void => {
      if (verdict.kind === 'accepted') return
      const { code, message, retryAfterSeconds = retryDefaultSeconds } = verdict
      if (isPassingRefusal(code)) waitSeconds = Math.max(waitSeconds, retryAfterSeconds)
      else refusals.push({ number, code, message })
    }
    await Promise.all(
      items.map((item) =>
        inTurn(async () => {
          // After a refusal that passes, the others would get the same one.
          if (waitSeconds > 0 || (begun > 0 && !turn.mayGoOn())) return
          begun++
          try {
            note(item.number, await startOne(batch, item))
          } catch (error) {
            deps.log.warn('an item of a batch could not be started', { batch_id: fromUuid('bat', id), error })
            waitSeconds = Math.max(waitSeconds, retryDefaultSeconds)
            if (error instanceof DatabaseUnavailable) return
            if (held.tries + 1 < usualBounds.maxTries) fault = error
            // One item does not end the others.
            else refusals.push({ number: item.number, ...itemFault })
          }
        }),
      ),
    )
    if (refusals.length > 0) {
      const isHeld = await app.transaction(org, async (tx) => {
        const isOurs = (await lockHeld(tx, held.org, held)) !== null
        if (isOurs) await storeRefusals(tx, held.org, held, refusals)
        return isOurs
      })
      if (!isHeld) return over
    }
    if (fault !== undefined) throw fault
    return waitSeconds > 0 ? { kind: 'pause', seconds: Math.min(waitSeconds, maxRetrySeconds) } : again
  }

  /** The batch was given back already: a cancel may be passed on twice. */
  const passCancelOn = async (held: ClaimedBatch): Promise<void> => {
    const inTurn = createSemaphore(maxStarts)
    const asked = { limit: maxOpenRuns, againAfterSeconds: cancelAgainSeconds }
    const runIds = await listUncancelled(app, held.org, held, asked)
    await Promise.all(runIds.map((runId) => inTurn(() => deps.cancelRun(held.org, runId))))
    if (runIds.length > 0) await noteCancels(app, held.org, runIds)
  }

  /** The event of the batch, then the bodies that were sent of it and the responses to them, which are found by their subject. */
  const eraseEvents = async ({ org, id }: ClaimedBatch): Promise<void> => {
    await app.transaction(org, (tx) => eraseEventMetadata(tx, org, id))
    await deps.eraseRun(org, id)
  }

  const erase = async (held: ClaimedBatch, batch: LockedBatch): Promise<Round> => {
    const { org, id } = held
    const items = await listItems(app, org, {
      batchId: id,
      after: batch.cursor - 1,
      before: null,
      limit: erasuresPerRound,
    })
    for (const { run_id } of items) if (run_id !== null) await deps.eraseRun(org, run_id)
    const last = items.at(-1)
    if (!last) await eraseEvents(held)
    return app.transaction(org, async (tx) => {
      if (!(await lockHeld(tx, held.org, held))) return over
      if (last) await eraseInputs(tx, held.org, held, { from: batch.cursor, to: last.number + 1 })
      else await endErasure(tx, held.org, held)
      return last ? again : over
    })
  }

  /** Stores what follows from the rows. Null: another worker has the batch. */
  const decide = (held: ClaimedBatch): Promise<{ batch: LockedBatch; move: BatchMove | { kind: 'erase' } } | null> =>
    app.transaction(held.org, async (tx) => {
      const { org } = held
      const batch = await lockHeld(tx, held.org, held)
      if (!batch) return null
      if (batch.finished_at !== null) return { batch, move: { kind: 'erase' } as const }
      const room = batch.status === 'running' ? roomOf(await readRoom(tx, org, batch)) : 0
      const move = nextMove({ ...batch, isExpired: batch.is_expired, room })
      if (move.kind === 'drop') await dropItems(tx, org, batch)
      if (move.kind === 'expire') await refuseRest(tx, org, batch, expiryRefusal)
      if (move.kind === 'end') {
        await endBatch(tx, held.org, held, move.status)
        const ended = await readBatch(tx, org, { id: held.id, agentIds: null })
        if (ended) await deps.onEnded(tx, ended)
        return { batch, move }
      }
      await moveCursor(tx, held.org, held)
      // In this transaction, because the end of a run after it makes the batch due earlier.
      if (move.kind === 'wait') await releaseBatch(tx, held.org, held, move.seconds)
      return { batch, move }
    })

  const playRound = async (held: ClaimedBatch, turn: Turn): Promise<Round> => {
    const decided = await decide(held)
    if (!decided) return over
    const { batch, move } = decided
    switch (move.kind) {
      case 'erase':
        return erase(held, batch)
      case 'end':
        return over
      case 'drop':
      case 'expire':
        return again
      case 'start':
        return startItems(held, batch, { limit: move.items, turn })
      case 'wait':
        if (batch.status === 'cancelling') await passCancelOn(held)
        return over
    }
  }

  const work = async (held: ClaimedBatch, turn: Turn): Promise<Outcome> => {
    let round: Round = again
    do round = await playRound(held, turn)
    while (round.kind === 'again' && turn.mayGoOn())
    if (round.kind === 'over') return { kind: 'done' }
    if (round.kind === 'pause') return { kind: 'later', afterMs: 1_000 * round.seconds, progressed: true }
    return { kind: 'again', progressed: true }
  }

  /** Its runs go on. The batch ends with the last of them. */
  const bury = async (held: ClaimedItem): Promise<void> => {
    const { org } = held
    const isOver = await app.transaction(org, async (tx) => {
      const batch = await lockHeld(tx, org, held)
      if (!batch || batch.finished_at !== null) return true
      await refuseRest(tx, org, batch, itemFault)
      await moveCursor(tx, org, held)
      return false
    })
    if (!isOver) await hold.giveBack(held, { afterMs: buriedPauseMs, tries: held.tries })
  }

  return {
    name: 'batches',
    ...hold,
    work,
    bury,
  }
}

const itemFault = { code: 'internal_error', message: 'The service could not start a run for this item' }
/** Each time, the next 1,000 items of a batch that cannot go on are refused. */
const buriedPauseMs = 1_000
