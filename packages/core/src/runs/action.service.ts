import { type ActionId, limits, type RunId, type Run as WireRun } from '@ars/contract'
import { canonicalJson, sha256 } from '@ars/platform/crypto'
import type { Database, Tx } from '@ars/platform/db/database'
import { toUuid } from '@ars/platform/id'
import type { Wakeups } from '@ars/platform/redis/redis'
import type { Ctx } from '../ctx.ts'
import { Fault } from '../fault.ts'
import { claimKey, findTwinIn } from '../idempotency.store.ts'
import { requireSameRequest } from '../idempotency.ts'
import type { Schemas } from '../models/index.ts'
import { type Author, addMessage, listActions, lockHead, resolveAction, resumeRun } from './action.store.ts'
import { decideAction, type SentAction } from './action.ts'
import type { Feed } from './feed.service.ts'
import { queueChannel } from './queue.ts'
import { findRun } from './run.store.ts'
import { toWire } from './run.ts'
import type { Segment } from './segment.ts'
import type { Sender } from './sender.service.ts'

export type SendAction = Omit<SentAction, 'action_id'> & { id: RunId; action_id?: ActionId | undefined }

export type Acted = { run: WireRun; replayed: boolean }

export type ActionService = {
  act(ctx: Ctx, action: SendAction): Promise<Acted>
  /** What `act` would answer because this very request was made before; null: it was not. Nothing is done. */
  findReplay(ctx: Ctx, action: SendAction): Promise<Acted | null>
}

type Deps = {
  app: Database
  feed: Feed
  sender: Sender
  wakeups: Wakeups
  schemas: Schemas
  relayAfterMs: number
  cellSlots: number
}

type Effect = { replayed: boolean; resumed: { segment: Segment; started: boolean; seq: number } | null }

const nothing: Effect = { replayed: false, resumed: null }
const replay: Effect = { replayed: true, resumed: null }

/** Decisions of people, and messages to a run. All that one does is one transaction under the lock of the run's head. */
const thing = 'action' as const

export const createActions = (deps: Deps): ActionService => {
  const act = async (ctx: Ctx, sent: SendAction): Promise<Acted> => {
    const run = toUuid(sent.id)
    const effect = await deps.app.transaction(ctx.org, (tx) => apply(tx, ctx, run, sent))
    if (effect?.resumed) {
      const { segment, started, seq } = effect.resumed
      deps.feed.tell(run, { seq })
      if (started) deps.sender.send(segment)
      else deps.wakeups.publish(queueChannel, run)
    }
    const found = await get(ctx.org, sent.id)
    if (!effect) throw new Fault('run_not_active', `Run ${sent.id} has ended`)
    return { run: found, replayed: effect.replayed }
  }

  const findReplay = async (ctx: Ctx, sent: SendAction): Promise<Acted | null> => {
    const key = ctx.idempotencyKey
    if (key === undefined) return null
    const isMade = await deps.app.transaction(ctx.org, (tx) => isReplay(tx, ctx, key, sent))
    return isMade ? { run: await get(ctx.org, sent.id), replayed: true } : null
  }

  const get = async (org: string, id: RunId): Promise<WireRun> => {
    const found = await findRun(deps.app, org, toUuid(id))
    if (!found) throw new Fault('not_found', `No run ${id}`)
    return toWire(found)
  }

  /** Null: there is no such run, or it has ended. */
  const apply = async (tx: Tx, ctx: Ctx, run: string, sent: SendAction): Promise<Effect | null> => {
    const head = await lockHead(tx, ctx.org, run)
    const key = ctx.idempotencyKey
    // A request that will be refused must not take the key, so a run that has ended is only asked for its twin.
    if (key !== undefined && (head ? !(await claim(tx, ctx, key, sent)) : await isReplay(tx, ctx, key, sent)))
      return replay
    if (!head) return null
    if (head.status === 'cancelling') throw new Fault('run_not_active', `Run ${sent.id} is being cancelled`)
    if (head.actions >= limits.actionsPerRun) {
      throw new Fault('too_many_actions', `A run takes at most ${limits.actionsPerRun} actions`)
    }
    return sent.type === 'message' ? message(tx, ctx, run, sent) : decide(tx, ctx, run, { ...sent, type: sent.type })
  }

  /** Whether this very request was made before. */
  const isReplay = async (tx: Tx, ctx: Ctx, key: string, sent: SendAction): Promise<boolean> => {
    const twin = await findTwinIn(tx, ctx.org, { thing, key })
    if (!twin) return false
    requireSameRequest(twin, fingerprintOf(sent))
    return true
  }

  /** Whatever is thrown afterwards gives the key back. False: this very request was made before. */
  const claim = async (tx: Tx, ctx: Ctx, key: string, sent: SendAction): Promise<boolean> => {
    const claimed = await claimKey(tx, ctx.org, { thing, key, fingerprint: fingerprintOf(sent), id: toUuid(sent.id) })
    if (claimed || (await isReplay(tx, ctx, key, sent))) return claimed
    throw new Fault('unavailable', 'The idempotency key is contended', { retryAfterSeconds: 1 })
  }

  const message = async (tx: Tx, ctx: Ctx, run: string, { payload }: SendAction): Promise<Effect> => {
    const text =
      typeof payload === 'object' && payload !== null ? (payload as { message?: unknown }).message : undefined
    if (typeof text !== 'string' || text === '' || text.length > limits.messageChars) {
      throw new Fault(
        'payload_invalid',
        `payload of a message must be {"message": "…"} of 1 to ${limits.messageChars} characters`,
        { param: 'payload' },
      )
    }
    await addMessage(tx, ctx.org, { run, text, by: authorOf(ctx) })
    return nothing
  }

  const decide = async (
    tx: Tx,
    ctx: Ctx,
    run: string,
    sent: SendAction & { type: 'approve' | 'reject' | 'respond' },
  ): Promise<Effect> => {
    const actionId = sent.action_id === undefined ? undefined : toUuid(sent.action_id)
    const decision = decideAction({ ...sent, action_id: actionId }, await listActions(tx, ctx.org, run), isSame)
    if (decision.kind === 'refuse') throw new Fault(decision.code, decision.message, { param: 'action_id' })
    if (decision.kind === 'repeat') return nothing
    checkPayload(decision.action.response_schema, sent)
    await resolveAction(tx, ctx.org, {
      run,
      action: decision.action.id,
      resolution: decision.resolution,
      payload: sent.payload,
      comment: sent.comment ?? null,
      by: authorOf(ctx),
    })
    return { replayed: false, resumed: await resumeRun(tx, ctx.org, run, deps) }
  }

  const checkPayload = (schema: Record<string, unknown> | null, { type, payload }: SendAction): void => {
    if (type !== 'respond' || !schema) return
    const problems = deps.schemas.check(schema, payload ?? null)
    if (problems.length === 0) return
    throw new Fault('payload_invalid', `The payload does not fit what was asked for: ${problems[0]}`, {
      param: 'payload',
      details: problems.map((problem) => ({ param: 'payload', message: problem })),
    })
  }

  return { act, findReplay }
}

const authorOf = ({ actor }: Ctx): Author => ({ type: actor.type, uuid: toUuid(actor.id) })

const fingerprintOf = (sent: SendAction): Buffer => sha256(canonicalJson(sent))

const isSame = (one: unknown, other: unknown): boolean => canonicalJson(one) === canonicalJson(other)
