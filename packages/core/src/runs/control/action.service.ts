import { type ActionId, limits, type Run as WireRun } from '@ars/contract'
import { canonicalJson, sha256 } from '@ars/platform/crypto'
import type { Database, Tx } from '@ars/platform/db/database'
import { fromUuid, type IdMaker, toUuid } from '@ars/platform/id'
import { openTraceContext } from '@ars/platform/trace/trace-context'
import type { Tracer } from '@ars/platform/trace/tracer'
import { auditOf, recordAudit } from '../../audit/index.ts'
import { findTerms, ownBudgetOf } from '../../budgets/index.ts'
import type { Ctx } from '../../ctx.ts'
import { Fault } from '../../fault.ts'
import type { Guards } from '../../guardrails/index.ts'
import { claimKey, findIdempotentReplayIn } from '../../idempotency.store.ts'
import { requireSameRequest } from '../../idempotency.ts'
import type { SchemaFault, Schemas } from '../../schemas/index.ts'
import type { SecretService } from '../../secrets/index.ts'
import { requiresActionSpan } from '../../span.ts'
import { runsBounds } from '../bounds.ts'
import type { Feed } from '../feed/feed.service.ts'
import type { AdmissionService } from '../queue/admission.service.ts'
import type { AccessibleRun } from '../run/accessible-run.ts'
import { findRun } from '../run/run.store.ts'
import { toWireRun } from '../run/run.ts'
import {
  type ActionAuthor,
  addCheckSpend,
  addMessage,
  listActions,
  lockHead,
  type Resumed,
  type ResumeVerdict,
  readActions,
  resolveAction,
  resumeRun,
} from './action.store.ts'
import { type ActionDecision, decideAction, type KnownAction, type SentAction } from './action.ts'
import { findApproval } from './approval.store.ts'
import { approvalRefusal } from './approval.ts'
import { createPayloadGuard, type GuardedPayload } from './payload-guard.service.ts'

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
  newId: IdMaker
  feed: Feed
  admission: AdmissionService
  schemas: Schemas
  guards: Guards
  secrets: SecretService
  tracer?: Tracer | undefined
}

/** `not_active`: there is no such run, or it has ended. */
type Effect = { kind: 'applied' | 'replayed' | 'not_active' } | Extract<ResumeVerdict, { kind: 'resumed' }>

/** People's decisions, and messages to a run. Each is one transaction under the lock of the run's head. */
const thing = 'action' as const

export const createActions = (deps: Deps): ActionService => {
  const payloads = createPayloadGuard(deps)

  const act: ActionService['act'] = async (ctx, action, named) => {
    const { id, uuid: run } = named
    const sent = { ...action, id }
    const effect = await applyChecked(ctx, run, sent)
    if (effect.kind === 'resumed') {
      deps.feed.tell(ctx.org, run, { seq: effect.seq })
      deps.admission.nudge()
      recordWait(ctx.org, run, effect, action.type)
    }
    const found = await get(ctx.org, named)
    if (effect.kind === 'not_active') throw new Fault('run_not_active', `Run ${id} has ended`)
    return { run: found, replayed: effect.kind === 'replayed' }
  }

  /** The wait belongs to the trace of the run. The request that ended it may belong to another one. */
  const recordWait = (org: string, run: string, resumed: Resumed, resolution: string): void => {
    const context = deps.tracer && resumed.trace_context !== null ? openTraceContext(resumed.trace_context) : undefined
    if (!context) return
    const times = { from: resumed.waiting_since, to: resumed.resumed_at }
    deps.tracer?.record(context, requiresActionSpan({ org, run, resolution }), times)
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

  /** The payload is checked before the transaction: the check can wait for a thread, and the run would stay locked. */
  const applyChecked = async (ctx: Ctx, run: string, sent: Sent): Promise<Effect> => {
    const guarded = await payloads.judge(ctx, run, sent)
    for (let tries = 1; tries <= maxTries; tries++) {
      const checked = await checkPayload(ctx, run, { ...sent, ...guarded.shown })
      try {
        return await deps.app.transaction(ctx.org, (tx) => apply(tx, ctx, run, { sent, guarded, checked }))
      } catch (error) {
        if (!(error instanceof AnotherAction)) throw error
      }
    }
    throw new Fault('unavailable', 'The questions of this run are changing', {
      reason: 'contended',
      retryAfterSeconds: 1,
    })
  }

  const checkPayload = async (ctx: Ctx, run: string, sent: Sent): Promise<PayloadVerdict | null> => {
    if (sent.type !== 'respond') return null
    const decision = decisionOf({ ...sent, type: sent.type }, await readActions(deps.app, ctx.org, run))
    if (decision.kind !== 'resolve' || !decision.action.response_schema) return null
    const { id: action, response_schema: schema } = decision.action
    try {
      const asked = { value: sent.payload ?? null, field: 'payload' }
      return { action, faults: await deps.schemas.faultsOf(ctx.org, schema, asked) }
    } catch (error) {
      // A replay gets its response even if nothing can be checked now.
      if (error instanceof Fault) return { action, faults: [], fault: error }
      throw error
    }
  }

  const apply = async (
    tx: Tx,
    ctx: Ctx,
    run: string,
    { sent, guarded, checked }: Checked<{ sent: Sent; guarded: GuardedPayload }>,
  ): Promise<Effect> => {
    // The key belongs to the request as it was sent; what policies leave of it is stored.
    const shown = { ...sent, ...guarded.shown }
    const head = await lockHead(tx, ctx.org, run)
    const key = ctx.idempotencyKey
    // A rejected request must not claim the key, so for an ended run only an idempotent replay is looked up.
    if (key !== undefined && (head ? !(await claim(tx, ctx, key, sent)) : await isReplay(tx, ctx, key, sent)))
      return { kind: 'replayed' }
    if (guarded.fault) throw guarded.fault
    if (!head || head.status === 'cancelling') {
      if (await isRepeated(tx, ctx, run, shown)) return { kind: 'applied' }
      if (!head) return { kind: 'not_active' }
      throw new Fault('run_not_active', `Run ${sent.id} is being cancelled`)
    }
    if (head.actions >= limits.actionsPerRun) {
      throw new Fault('too_many_actions', `A run takes at most ${limits.actionsPerRun} actions`)
    }
    if (guarded.checkSpend) await addCheckSpend(tx, ctx.org, run, guarded.checkSpend)
    return sent.type === 'message'
      ? message(tx, ctx, run, shown)
      : decide(tx, ctx, run, { ...shown, type: sent.type, checked })
  }

  /** Whether a run that accepts no more decisions has received this one. A decision that differs from it is refused. */
  const isRepeated = async (tx: Tx, ctx: Ctx, run: string, sent: Sent): Promise<boolean> => {
    if (sent.type === 'message') return false
    const decision = decisionOf({ ...sent, type: sent.type }, await listActions(tx, ctx.org, run))
    if (decision.kind === 'refuse' && decision.code === 'action_already_resolved') {
      throw new Fault(decision.code, decision.message, { param: 'action_id' })
    }
    return decision.kind === 'repeat'
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
    throw new Fault('unavailable', 'The idempotency key is contended', { reason: 'contended', retryAfterSeconds: 1 })
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
    { checked, ...sent }: Checked<Sent & SentDecision>,
  ): Promise<Effect> => {
    const decision = decisionOf(sent, await listActions(tx, ctx.org, run))
    if (decision.kind === 'refuse') throw new Fault(decision.code, decision.message, { param: 'action_id' })
    if (decision.kind === 'repeat') return { kind: 'applied' }
    if (sent.type === 'approve') await requireApprover(tx, ctx, run)
    if (sent.type === 'approve' && decision.action.type === 'raise_budget') await requireNoOwnBudget(tx, ctx)
    if (sent.type === 'respond') requirePayload(decision.action, checked)
    await resolveAction(tx, ctx.org, {
      run,
      action: decision.action.id,
      resolution: decision.resolution,
      payload: sent.payload,
      comment: sent.comment ?? null,
      by: authorOf(ctx),
    })
    const verdict = await resumeRun(tx, ctx.org, run)
    // The comment stays with the run, where it can be erased.
    const after = { action_id: fromUuid('act', decision.action.id), type: decision.action.type }
    const act = { action: `run.${pastOf[decision.resolution]}`, subject: sent.id, after }
    await recordAudit(tx, ctx.org, auditOf(ctx, toUuid(deps.newId('aud')), act))
    return verdict.kind === 'resumed' ? verdict : { kind: 'applied' }
  }

  const requireApprover = async (tx: Tx, ctx: Ctx, run: string): Promise<void> => {
    const refusal = approvalRefusal(await findApproval(tx, ctx.org, { run, actor: authorOf(ctx) }))
    if (refusal !== null) throw new Fault('forbidden', `${refusal}.`)
  }

  /** A key must not extend its own authority. */
  const requireNoOwnBudget = async (tx: Tx, ctx: Ctx): Promise<void> => {
    const [own] = ownBudgetOf(ctx)
    if (own === undefined || ((await findTerms(tx, ctx.org, own))?.monthly_budget_usd ?? null) === null) return
    throw new Fault('forbidden', 'A key with a budget cannot let a run go on beyond a budget.')
  }

  return { act, findReplay }
}

/** How often a payload is checked again because another question became the open one. */
const maxTries = runsBounds.payloadChecks.count

type SentDecision = SendAction & { type: 'approve' | 'reject' | 'respond' }

/** The result of a check for one action. `fault` is the reason why it could not be made. */
type PayloadVerdict = { action: string; faults: readonly SchemaFault[]; fault?: Fault }

type Checked<Action> = Action & { checked: PayloadVerdict | null }

/** The payload was checked for another action than the one that it decides. The transaction is rolled back. */
class AnotherAction extends Error {}

const decisionOf = (sent: SentDecision, actions: readonly KnownAction[]): ActionDecision => {
  const actionId = sent.action_id === undefined ? undefined : toUuid(sent.action_id)
  return decideAction({ ...sent, action_id: actionId }, actions, isSame)
}

const requirePayload = ({ id, response_schema }: KnownAction, checked: PayloadVerdict | null): void => {
  if (!response_schema) return
  if (checked?.action !== id) throw new AnotherAction()
  if (checked.fault) throw checked.fault
  const { faults } = checked
  const [first] = faults
  if (first) throw new Fault('payload_invalid', first.message, { param: first.param, details: faults })
}

const authorOf = ({ actor }: Ctx): ActionAuthor => ({ type: actor.type, uuid: toUuid(actor.id) })

const pastOf = { approve: 'approved', reject: 'rejected', respond: 'responded' } as const

const fingerprintOf = (sent: Sent): Buffer => sha256(canonicalJson(sent))

const isSame = (one: unknown, other: unknown): boolean => canonicalJson(one) === canonicalJson(other)
