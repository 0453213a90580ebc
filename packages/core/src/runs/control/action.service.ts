import { type ActionId, limits, type Run as WireRun } from '@ars/contract'
import { canonicalJson, sha256 } from '@ars/platform/crypto'
import type { Database, Tx } from '@ars/platform/db/database'
import { toUuid } from '@ars/platform/id'
import type { PubSub } from '@ars/platform/redis/pub-sub'
import type { Ctx } from '../../ctx.ts'
import { Fault } from '../../fault.ts'
import { claimKey, findIdempotentReplayIn } from '../../idempotency.store.ts'
import { requireSameRequest } from '../../idempotency.ts'
import type { Schemas } from '../../models/index.ts'
import type { Dispatcher } from '../dispatch/dispatcher.service.ts'
import type { Feed } from '../feed/feed.service.ts'
import { queueChannel } from '../queue/queue.ts'
import type { AccessibleRun } from '../run/accessible-run.ts'
import { findRun } from '../run/run.store.ts'
import { toWireRun } from '../run/run.ts'
import {
  type ActionAuthor,
  addMessage,
  listActions,
  lockHead,
  type ResumeVerdict,
  resolveAction,
  resumeRun,
} from './action.store.ts'
import { decideAction, type SentAction } from './action.ts'

export type SendAction = Omit<SentAction, 'action_id'> & { action_id?: ActionId | undefined }

/** As it was sent, with the run of the path: the fingerprint of an idempotency key covers both. */
type Sent = SendAction & Pick<AccessibleRun, 'id'>

export type Acted = { run: WireRun; replayed: boolean }

export type ActionService = {
  act(ctx: Ctx, action: SendAction, run: AccessibleRun): Promise<Acted>
  /** The response to an identical earlier `act`. Null: there was none. Nothing is done. */
  findReplay(ctx: Ctx, action: SendAction, run: AccessibleRun): Promise<Acted | null>
}

type Deps = {
  app: Database
  feed: Feed
  dispatcher: Dispatcher
  pubSub: PubSub
  schemas: Schemas
  relayAfterMs: number
  cellSlots: number
}

/** `not_active`: there is no such run, or it has ended. */
type Effect = { kind: 'applied' | 'replayed' | 'not_active' } | Extract<ResumeVerdict, { kind: 'resumed' }>

/** People's decisions, and messages to a run. Each is one transaction under the lock of the run's head. */
const thing = 'action' as const

export const createActions = (deps: Deps): ActionService => {
  const act: ActionService['act'] = async (ctx, action, named) => {
    const { id, uuid: run } = named
    const sent = { ...action, id }
    const effect = await deps.app.transaction(ctx.org, (tx) => apply(tx, ctx, run, sent))
    if (effect.kind === 'resumed') {
      const { segment, started, seq } = effect
      deps.feed.tell(ctx.org, run, { seq })
      if (started) deps.dispatcher.send(segment)
      else deps.pubSub.publish(queueChannel, run)
    }
    const found = await get(ctx.org, named)
    if (effect.kind === 'not_active') throw new Fault('run_not_active', `Run ${id} has ended`)
    return { run: found, replayed: effect.kind === 'replayed' }
  }

  const findReplay: ActionService['findReplay'] = async (ctx, action, run) => {
    const sent = { ...action, id: run.id }
    const key = ctx.idempotencyKey
    if (key === undefined) return null
    const isMade = await deps.app.transaction(ctx.org, (tx) => isReplay(tx, ctx, key, sent))
    return isMade ? { run: await get(ctx.org, run), replayed: true } : null
  }

  const get = async (org: string, { id, uuid }: AccessibleRun): Promise<WireRun> => {
    const found = await findRun(deps.app, org, uuid)
    if (!found) throw new Fault('not_found', `No run ${id}`)
    return toWireRun(found)
  }

  const apply = async (tx: Tx, ctx: Ctx, run: string, sent: Sent): Promise<Effect> => {
    const head = await lockHead(tx, ctx.org, run)
    const key = ctx.idempotencyKey
    // A rejected request must not claim the key, so for an ended run only an idempotent replay is looked up.
    if (key !== undefined && (head ? !(await claim(tx, ctx, key, sent)) : await isReplay(tx, ctx, key, sent)))
      return { kind: 'replayed' }
    if (!head) return { kind: 'not_active' }
    if (head.status === 'cancelling') throw new Fault('run_not_active', `Run ${sent.id} is being cancelled`)
    if (head.actions >= limits.actionsPerRun) {
      throw new Fault('too_many_actions', `A run takes at most ${limits.actionsPerRun} actions`)
    }
    return sent.type === 'message' ? message(tx, ctx, run, sent) : decide(tx, ctx, run, { ...sent, type: sent.type })
  }

  /** Whether this request was made before. */
  const isReplay = async (tx: Tx, ctx: Ctx, key: string, sent: Sent): Promise<boolean> => {
    const replay = await findIdempotentReplayIn(tx, ctx.org, { thing, key })
    if (!replay) return false
    requireSameRequest(replay, fingerprintOf(sent))
    return true
  }

  /** Claims the key; an error afterwards releases it. False: this request was made before. */
  const claim = async (tx: Tx, ctx: Ctx, key: string, sent: Sent): Promise<boolean> => {
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
    return { kind: 'applied' }
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
    if (decision.kind === 'repeat') return { kind: 'applied' }
    checkPayload(decision.action.response_schema, sent)
    await resolveAction(tx, ctx.org, {
      run,
      action: decision.action.id,
      resolution: decision.resolution,
      payload: sent.payload,
      comment: sent.comment ?? null,
      by: authorOf(ctx),
    })
    const verdict = await resumeRun(tx, ctx.org, run, deps)
    return verdict.kind === 'resumed' ? verdict : { kind: 'applied' }
  }

  const checkPayload = (schema: Record<string, unknown> | null, { type, payload }: SendAction): void => {
    if (type !== 'respond' || !schema) return
    const faults = deps.schemas.faultsOf(schema, payload ?? null, 'payload')
    const [fault] = faults
    if (fault) throw new Fault('payload_invalid', fault.message, { param: fault.param, details: faults })
  }

  return { act, findReplay }
}

const authorOf = ({ actor }: Ctx): ActionAuthor => ({ type: actor.type, uuid: toUuid(actor.id) })

const fingerprintOf = (sent: Sent): Buffer => sha256(canonicalJson(sent))

const isSame = (one: unknown, other: unknown): boolean => canonicalJson(one) === canonicalJson(other)
