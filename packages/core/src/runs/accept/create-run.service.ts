import { type AgentId, Answer, type ErrorCode, plans, type RunStatus, type Run as WireRun } from '@ars/contract'
import type { Clock } from '@ars/platform/clock'
import { canonicalJson, sha256 } from '@ars/platform/crypto'
import type { Database } from '@ars/platform/db/database'
import { DatabaseUnavailable } from '@ars/platform/db/unavailable'
import { type IdMaker, toUuid } from '@ars/platform/id'
import type { Load } from '@ars/platform/overload'
import { storedTraceContext } from '@ars/platform/trace/trace-context'
import type { Tracer } from '@ars/platform/trace/tracer'
import type { AccessibleAgentId } from '../../agent-access.ts'
import type { AgentService } from '../../agents/index.ts'
import type { BatchItem } from '../../batches/index.ts'
import { findBudgetRefusal, maySeeBudget, ownBudgetOf } from '../../budgets/index.ts'
import type { Ctx } from '../../ctx.ts'
import { bucketOf } from '../../deployments/index.ts'
import { Fault } from '../../fault.ts'
import { findCurrentSetId, type Guards } from '../../guardrails/index.ts'
import { findIdempotentReplay } from '../../idempotency.store.ts'
import { type IdempotentReplay, requireSameRequest } from '../../idempotency.ts'
import type { PipelineItemRef } from '../../pipelines/index.ts'
import type { Schemas } from '../../schemas/index.ts'
import type { SecretService } from '../../secrets/index.ts'
import { acceptSpan } from '../../span.ts'
import { runsBounds } from '../bounds.ts'
import type { Feed, Follower } from '../feed/feed.service.ts'
import type { AdmissionService } from '../queue/admission.service.ts'
import { type AccessibleRun, createdRun, replayedRun } from '../run/accessible-run.ts'
import { findRun, findRunAccess } from '../run/run.store.ts'
import { isEnded, newRun, type Run, toWireRun } from '../run/run.ts'
import { type Accepted, type AcceptSettings, findMaxTimeout, findRelease, type RunAuthor } from './accept.store.ts'
import { createAccept, type QuotaRefusal } from './accept-batch.service.ts'
import type { AgentRelease } from './agent-release.ts'
import { budgetSubjectsOf } from './budget-subjects.ts'
import { type AskedInput, createInputCheck, type InputVerdict } from './input-check.service.ts'
import { createInputGuard } from './input-guard.service.ts'
import { findCallRoom } from './monthly-quota.store.ts'

export type CreateRun = {
  agent_id: AgentId
  input: Record<string, unknown>
  metadata?: Record<string, string> | undefined
  timeout_seconds?: number | undefined
}

/** A request for a run of an agent that the caller may use. */
type Resolved = {
  readonly body: CreateRun
  readonly agent: AccessibleAgentId
  /** Of a pipeline run. */
  readonly item?: PipelineItemRef | undefined
}

/** `taken`: the item has a run already, or is closed. */
export type ItemAcceptance =
  | { kind: 'accepted'; runId: string }
  | { kind: 'taken' }
  | { kind: 'refused'; code: ErrorCode; message: string; retryAfterSeconds: number | undefined }

export type CreateRunService = {
  /** Accepts a run and waits for its end, at most as long as the caller wants. */
  create(ctx: Ctx, body: CreateRun): Promise<Answer<WireRun>>
  /** Accepts a run, or finds the one that was accepted under the same key, and does not wait. `item`: the run is for this item. */
  accept(ctx: Ctx, body: CreateRun, item?: BatchItem): Promise<{ run: AccessibleRun; replayed: boolean }>
  /**
   * Accepts the run of an attempt of an item, as `accept` does, with the checks of every run. The item is the idempotency key: it is claimed
   * with the run. A refusal is answered and not thrown.
   */
  acceptItem(ctx: Ctx, body: CreateRun, item: PipelineItemRef): Promise<ItemAcceptance>
  /** Refuses a request that `accept` would refuse because of its agent or its input. Creates nothing. */
  requireStart(ctx: Ctx, body: CreateRun): Promise<void>
  /** The response of `create` to a repeated request; null: the request is new. Creates nothing. */
  findReplay(ctx: Ctx, body: CreateRun): Promise<Answer<WireRun> | null>
  /** The run that the same request created before; null: the request is new. */
  findReplayed(ctx: Ctx, body: CreateRun): Promise<AccessibleRun | null>
  /** Callers that wait for the end of their run. */
  waiting(): number
}

type Deps = AcceptSettings & {
  app: Database
  load?: Load
  clock: Clock
  agents: Pick<AgentService, 'getId'>
  schemas: Schemas
  guards: Guards
  secrets: SecretService
  feed: Feed
  admission: AdmissionService
  newId: IdMaker
  tracer?: Tracer | undefined
  onBudgetRefusal?: (() => void) | undefined
}

export const createRunCreation = (deps: Deps): CreateRunService => {
  const get = async (org: string, { id, uuid }: AccessibleRun): Promise<Run> => {
    const run = await findRun(deps.app, org, uuid)
    if (!run) throw new Fault('not_found', `No run ${id}`)
    return run
  }

  let waiting = 0

  const accept = createAccept(deps)

  const inputs = createInputCheck(deps)

  const guard = createInputGuard(deps)

  const acceptOnce = async (ctx: Ctx, uuid: string, sent: Resolved & InForce & ForItem): Promise<AcceptOutcome> => {
    const { input, metadata = {} } = sent.body
    const guarded = await guard.judge(ctx, {
      ...{ agentId: sent.agent, policySetId: sent.policies.setId, input, metadata },
      requireBudget: () => checkBudgets(ctx, sent),
    })
    if (guarded.fault) {
      await guard.charge(ctx, sent.agent, guarded.checkSpend)
      return refuseInput(ctx, sent, guarded.fault)
    }
    const body = { ...sent.body, input: guarded.input, metadata: guarded.metadata }
    const request = { ...sent, body }
    const asked = askedInput(ctx, uuid, request)
    const checked = await inputs.judge(ctx.org, asked)
    const span =
      ctx.trace && deps.tracer?.start(ctx.trace, acceptSpan({ org: ctx.org, run: uuid, agentId: asked.agentId }))
    const trace = span?.context ?? ctx.trace
    const verdict = await accept(ctx.org, {
      id: uuid,
      ...asked,
      metadata: guarded.metadata,
      policySetId: guarded.policySetId,
      findings: guarded.findings,
      redactions: guarded.redactions,
      checkSpend: guarded.checkSpend,
      author: authorOf(ctx),
      demoKeyId: ctx.isDemo ? (ctx.runOwner ?? undefined) : undefined,
      budgetKeyId: ownBudgetOf(ctx)[0],
      timeoutSeconds: body.timeout_seconds ?? null,
      maxTimeoutSeconds: ctx.isDemo ? plans.demo.runTimeoutMaxSeconds : undefined,
      // An input that does not fit is offered unchecked. `explain` refuses it, unless the request is a replay.
      checkedVersion: checked && !checked.fault && checked.faults.length === 0 ? checked.version : null,
      idempotency:
        ctx.idempotencyKey === undefined
          ? undefined
          : { key: ctx.idempotencyKey, fingerprint: sha256(canonicalJson(sent.body)) },
      traceContext: trace && storedTraceContext(trace),
      pipelineItem: sent.item,
      batchItem: sent.batchItem,
    }).catch((error: unknown) => {
      span?.end({ error: 'unavailable' })
      throw error
    })
    span?.end({ error: verdict.kind === 'accepted' ? undefined : verdict.kind })
    if (verdict.kind === 'accepted') return { ...verdict, body }
    await guard.charge(ctx, sent.agent, guarded.checkSpend)
    if (verdict.kind === 'item_taken') return { kind: 'item_taken' }
    // A retry of an accepted request gets its run, even if it would be refused now.
    const replayed =
      verdict.kind === 'quota_exhausted'
        ? await toReplayedRun(ctx, sent, verdict.replay)
        : await findReplayedRun(ctx, sent)
    if (replayed !== null) return { kind: 'replay', run: replayed }
    if (verdict.kind === 'policies_changed') sent.policies.setId = await findCurrentSetId(deps.app, ctx.org)
    await explain(ctx, { uuid, request, refusal: verdict, checked })
    return { kind: 'try_again' }
  }

  /** A retry of an accepted request gets its run, even if a policy forbids its input now. */
  const refuseInput = async (ctx: Ctx, request: Resolved, fault: Fault): Promise<AcceptOutcome> => {
    const replayed = await findReplayedRun(ctx, request)
    if (replayed !== null) return { kind: 'replay', run: replayed }
    if (fault.code === 'guardrail_blocked') await guard.refused(ctx.org)
    throw fault
  }

  /**
   * Throws the fault that fits the refusal. Returns if the reason no longer exists: the key expired, another version was
   * released, or the schema that the input must fit is known only now.
   */
  const explain = async (ctx: Ctx, { uuid, request, refusal, checked }: RefusedRun): Promise<void> => {
    switch (refusal.kind) {
      case 'key_taken':
      case 'item_taken':
      case 'policies_changed':
        return
      case 'no_agent':
      case 'input_unchecked':
        return checkRelease(ctx, uuid, { request, checked })
      case 'timeout_not_allowed':
        return checkTimeout(ctx, request.body)
      case 'queue_full':
        throw new Fault('concurrency_exceeded', 'Too many runs of this organisation are waiting to start', {
          retryAfterSeconds: 1,
        })
      case 'model_off':
        throw new Fault(
          'config_invalid',
          `Agent ${request.body.agent_id} uses a simulated model, and simulated models are switched off here`,
          { param: 'agent_id' },
        )
      case 'storage_full':
        throw new Fault(
          'storage_exceeded',
          'The organisation stores more than its plan allows. Erase the data of ended runs, or ask for a larger plan.',
          { retryAfterSeconds: 60 },
        )
      case 'demo_calls_used':
        throw new Fault(
          'quota_exceeded',
          `A demo key has ${plans.demo.callsPerMonth} calls a month, and this one has used them`,
          {
            retryAfterSeconds: (await findCallRoom(deps.app, ctx.org)).secondsLeft,
          },
        )
      case 'budget_exhausted':
        return checkBudgets(ctx, request)
      case 'quota_exhausted':
        // The run was not looked at. A request that would fail anyway gets its own error, not that of the quota.
        await checkFound(ctx, {
          asked: askedInput(ctx, uuid, request),
          release: refusal.release,
          checked,
          ...request,
        })
        await checkTimeout(ctx, request.body)
        throw new Fault('quota_exceeded', 'The organisation has used the calls of this month', {
          retryAfterSeconds: refusal.secondsLeft,
        })
    }
  }

  /** A key that may use every agent, or this one by its id, needs no statement: the accept finds the agent. */
  const resolve = async (ctx: Ctx, body: CreateRun): Promise<Resolved> => ({
    body,
    agent: await deps.agents.getId(ctx, body.agent_id),
  })

  const findReplayedRun = async (ctx: Ctx, request: Resolved): Promise<AccessibleRun | null> => {
    const { idempotencyKey: key } = ctx
    if (key === undefined) return null
    return toReplayedRun(ctx, request, await findIdempotentReplay(deps.app, ctx.org, { thing: 'run', key }))
  }

  const toReplayedRun = async (
    ctx: Ctx,
    { body, agent }: Resolved,
    replay: IdempotentReplay | null,
  ): Promise<AccessibleRun | null> => {
    if (!replay) return null
    requireSameRequest(replay, sha256(canonicalJson(body)))
    // The same request names the same agent, but another credential may have sent it first.
    const owner =
      ctx.runOwner === null ? null : ((await findRunAccess(deps.app, ctx.org, replay.subject_id))?.owner_id ?? null)
    const run = replayedRun(ctx, agent, { id: replay.subject_id, owner_id: owner })
    if (!run) throw new Fault('forbidden', 'Another key or token has used this idempotency key')
    return run
  }

  const checkRelease = async (ctx: Ctx, uuid: string, { request, checked }: Checked): Promise<void> => {
    const asked = askedInput(ctx, uuid, request)
    await checkFound(ctx, { asked, release: await findRelease(deps.app, ctx.org, asked), checked, ...request })
  }

  /** Throws the fault of a run whose agent does not exist, is archived or does not accept the input. */
  const checkFound = async (
    ctx: Ctx,
    { body, asked, release, checked }: Pick<Resolved, 'body'> & Pick<Checked, 'checked'> & Found,
  ): Promise<void> => {
    if (!release) throw new Fault('not_found', `No agent ${body.agent_id}`, { param: 'agent_id' })
    if (release.status === 'archived') {
      throw new Fault('agent_archived', `Agent ${body.agent_id} is archived`, { param: 'agent_id' })
    }
    await inputs.check(ctx.org, asked, { release, checked })
  }

  const checkTimeout = async (ctx: Ctx, { timeout_seconds: asked }: CreateRun): Promise<void> => {
    if (asked === undefined) return
    const ofOrganisation = await findMaxTimeout(deps.app, ctx.org)
    const allowed = ctx.isDemo ? Math.min(ofOrganisation, plans.demo.runTimeoutMaxSeconds) : ofOrganisation
    if (asked <= allowed) return
    throw new Fault('timeout_not_allowed', `A run may take at most ${allowed} seconds`, {
      param: 'timeout_seconds',
    })
  }

  const checkBudgets = async (ctx: Ctx, { agent }: Resolved): Promise<void> => {
    const ids = budgetSubjectsOf(ctx.org, { agentId: agent, budgetKeyId: ownBudgetOf(ctx)[0] })
    const refusal = await findBudgetRefusal(deps.app, ctx.org, { ids, amounts: (budget) => maySeeBudget(ctx, budget) })
    if (!refusal) return
    deps.onBudgetRefusal?.()
    throw refusal
  }

  /** The run when it has settled, or its state when the wait is over. */
  const awaitSettled = async (ctx: Ctx, run: AccessibleRun, follower: Follower): Promise<WireRun> => {
    follower.arm()
    waiting++
    const ended = await raceSettled(follower, ctx).finally(() => waiting--)
    return ended ?? toWireRun(await get(ctx.org, run))
  }

  const joinReplay = async (ctx: Ctx, replayed: AccessibleRun): Promise<Answer<WireRun>> =>
    answer(ctx, await joinRun(ctx, replayed), { 'idempotency-replayed': 'true' })

  /** Waits for a run that may have ended before the subscription. */
  const joinRun = async (ctx: Ctx, accessible: AccessibleRun): Promise<WireRun> => {
    const follower = ctx.prefer.waitMs > 0 ? await deps.feed.follow(ctx.org, accessible.uuid) : undefined
    try {
      const run = toWireRun(await get(ctx.org, accessible))
      return isSettled(run.status) || !follower ? run : await awaitSettled(ctx, accessible, follower)
    } finally {
      follower?.close()
    }
  }

  /**
   * A caller that waits subscribes first: the run may end before the accept is answered. An organisation that is short of
   * calls is mostly refused, so it subscribes after the accept, and then the run is read.
   */
  const createOnce = async (ctx: Ctx, uuid: string, request: Resolved & InForce): Promise<CreateOutcome> => {
    const followsLater = accept.isShort(ctx.org)
    const following = ctx.prefer.waitMs > 0 && !followsLater ? deps.feed.follow(ctx.org, uuid) : undefined
    try {
      const accepted = await acceptOnce(ctx, uuid, request)
      if (accepted.kind === 'item_taken') throw new Error('A request that names no item has claimed one')
      if (accepted.kind !== 'accepted') return accepted
      const { agent } = request
      const { body } = accepted
      const { id: created_by, type: created_by_type } = authorOf(ctx)
      const asked = { id: uuid, agent_id: agent, input: body.input, metadata: body.metadata ?? {} }
      const fresh = toWireRun(newRun({ ...asked, created_by, created_by_type }, accepted))
      const follower = await following
      const created = createdRun(agent, uuid)
      if (!follower && !(followsLater && ctx.prefer.waitMs > 0)) {
        return { kind: 'created', answer: answer(ctx, fresh, {}) }
      }
      const ended = follower ? awaitSettled(ctx, created, follower) : joinRun(ctx, created)
      const run = await ended.catch((error: unknown) => {
        // The run is accepted even if it cannot be read now. A caller that got an error would create it a second time.
        if (error instanceof DatabaseUnavailable) return fresh
        throw error
      })
      return { kind: 'created', answer: answer(ctx, run, {}) }
    } finally {
      // Not awaited: a refusal must not wait for Redis.
      void following?.then((follower) => follower.close()).catch(() => undefined)
    }
  }

  const findReplayed = async (ctx: Ctx, body: CreateRun): Promise<AccessibleRun | null> =>
    ctx.idempotencyKey === undefined ? null : findReplayedRun(ctx, await resolve(ctx, body))

  // A claim can lose to a key that expires at the same moment, and another version can be released meanwhile. The next
  // try then succeeds. All tries use the same id, because without a key it selects the side of a canary release.
  const tries = runsBounds.keyTries.count
  const contended = () =>
    new Fault('unavailable', 'The idempotency key is contended', { reason: 'contended', retryAfterSeconds: 1 })

  return {
    create: async (ctx, body) => {
      const request = { ...(await resolve(ctx, body)), policies: { setId: ctx.policySetId } }
      const uuid = toUuid(deps.newId('run'))
      for (let tried = 0; tried < tries; tried++) {
        const created = await createOnce(ctx, uuid, request)
        if (created.kind === 'created') return created.answer
        if (created.kind === 'replay') return joinReplay(ctx, created.run)
      }
      throw contended()
    },
    accept: async (ctx, body, batchItem) => {
      const request = { ...(await resolve(ctx, body)), policies: { setId: ctx.policySetId }, batchItem }
      const uuid = toUuid(deps.newId('run'))
      for (let tried = 0; tried < tries; tried++) {
        const accepted = await acceptOnce(ctx, uuid, request)
        if (accepted.kind === 'replay') return { run: accepted.run, replayed: true }
        if (accepted.kind === 'accepted') {
          return { run: createdRun(request.agent, uuid), replayed: false }
        }
      }
      throw contended()
    },
    acceptItem: async (ctx, body, item) => {
      try {
        const request = { ...(await resolve(ctx, body)), policies: { setId: ctx.policySetId }, item }
        const uuid = toUuid(deps.newId('run'))
        for (let tried = 0; tried < tries; tried++) {
          const accepted = await acceptOnce({ ...ctx, idempotencyKey: undefined }, uuid, request)
          if (accepted.kind === 'accepted') return { kind: 'accepted', runId: uuid }
          if (accepted.kind === 'item_taken') return { kind: 'taken' }
        }
        throw contended()
      } catch (error) {
        // The run may be accepted. Then the item has it, and this answer has no effect.
        if (error instanceof DatabaseUnavailable) return { kind: 'refused', ...unavailable }
        if (!(error instanceof Fault)) throw error
        const { code, message, retryAfterSeconds } = error
        return { kind: 'refused', code, message, retryAfterSeconds }
      }
    },
    requireStart: async (ctx, body) => {
      const request = await resolve(ctx, body)
      return checkRelease(ctx, toUuid(deps.newId('run')), { request, checked: null })
    },
    findReplay: async (ctx, body) => {
      const run = await findReplayed(ctx, body)
      return run && joinReplay(ctx, run)
    },
    findReplayed,
    waiting: () => waiting,
  }
}

/** `replay`: the same request was accepted before. */
type NotCreated = { kind: 'replay'; run: AccessibleRun } | { kind: 'try_again' }
/** `body`: as it was stored. */
type AcceptOutcome = ({ kind: 'accepted'; body: CreateRun } & Accepted) | NotCreated | { kind: 'item_taken' }
/** The policies that judge the input. The caller of a request may know an older set than the accept. */
type InForce = { readonly policies: { setId: string | null } }
/** The item of a batch for which the run is accepted. */
type ForItem = { readonly batchItem?: BatchItem | undefined }
type CreateOutcome = { kind: 'created'; answer: Answer<WireRun> } | NotCreated
type Checked = { request: Resolved; checked: InputVerdict | null }
type Found = { asked: AskedInput; release: AgentRelease | null }
type RefusedRun = Checked & { uuid: string; refusal: QuotaRefusal }

/** The idempotency key selects the side of a release, so that a retry gets the same one. Without a key the run id does. */
const askedInput = (ctx: Ctx, uuid: string, { agent, body: { input } }: Resolved): AskedInput => ({
  agentId: agent,
  bucket: bucketOf(agent, ctx.idempotencyKey ?? uuid),
  input,
})

const authorOf = ({ actor, runOwner }: Ctx): RunAuthor => ({ type: actor.type, id: toUuid(actor.id), owner: runOwner })

/** The run has ended or waits for a person, so that nothing changes while the caller waits. */
const isSettled = (status: RunStatus): boolean => isEnded(status) || status === 'requires_action'

const raceSettled = async (follower: Follower, { prefer, draining, onLapse }: Ctx): Promise<WireRun | null> => {
  if (draining.aborted) return null
  let timer: NodeJS.Timeout | undefined
  let stop: () => void = () => undefined
  let unwatch: (() => void) | undefined
  const over = new Promise<null>((resolve, reject) => {
    stop = () => resolve(null)
    timer = setTimeout(stop, prefer.waitMs)
    draining.addEventListener('abort', stop, { once: true })
    // The run goes on. Its result is not for a caller whose credential has ended.
    unwatch = onLapse?.(reject)
  })
  try {
    return await Promise.race([follower.settled, over])
  } finally {
    clearTimeout(timer)
    unwatch?.()
    draining.removeEventListener('abort', stop)
  }
}

const unavailable = { code: 'unavailable', message: 'The run could not be accepted now', retryAfterSeconds: 1 } as const

/** A hint for callers that poll a run which has not ended. */
const pollAfterSeconds = 2

const answer = (ctx: Ctx, run: WireRun, extra: Record<string, string>): Answer<WireRun> => {
  const ended = isEnded(run.status)
  return new Answer(run, {
    status: ended ? 200 : 202,
    headers: {
      'x-run-id': run.id,
      location: `/v2/runs/${run.id}`,
      ...(ended ? {} : { 'retry-after': String(pollAfterSeconds) }),
      ...(ctx.prefer.applied === undefined ? {} : { 'preference-applied': ctx.prefer.applied }),
      ...extra,
    },
  })
}
