import {
  Answer,
  type CreatePipelineRun,
  contract,
  type PipelineId,
  type PipelineRunDiagnosis,
  type PipelineRunId,
  pipelineRunBounds,
  type SendPipelineAction,
  type PipelineItem as WirePipelineItem,
  type PipelineRun as WirePipelineRun,
} from '@ars/contract'
import { canonicalJson, sha256 } from '@ars/platform/crypto'
import type { Database, Tx } from '@ars/platform/db/database'
import { fromUuid, type IdMaker, toUuid } from '@ars/platform/id'
import type { PubSub } from '@ars/platform/redis/pub-sub'
import { auditOf, recordAudit } from '../../audit/index.ts'
import type { Ctx } from '../../ctx.ts'
import { Fault } from '../../fault.ts'
import { type TextGuard, textAuthorOf } from '../../guardrails/index.ts'
import { createOnce, findReplayOf, type Once } from '../../once.service.ts'
import { createdWithin, pageSize, toList } from '../../page.ts'
import { requireStored } from '../../whole-organisation.ts'
import { pipelinesBounds } from '../bounds.ts'
import { pipelineWorkBounds } from './advance.service.ts'
import { findPipelineFacts, type PipelineFacts } from './diagnosis.store.ts'
import { erasePipelineRun, listUnerasedRuns } from './erase.store.ts'
import { listItemRows } from './item.store.ts'
import { toWireItem } from './item.ts'
import {
  copySteps,
  findPipelineOf,
  insertPipelineRun,
  listLostOutputs,
  listPipelineRunIds,
  lockStarts,
  type NewPipelineRun,
  type PipelineRunPage,
  readPipelineRuns,
  requestCancel,
  type StartRoom,
} from './pipeline-run.store.ts'
import { changeChannelOf, deciderOf, type PipelineStepRow, pipelineChannel, toWirePipelineRun } from './pipeline-run.ts'
import { type PipelineRunView, requireAgents } from './pipeline-run-view.service.ts'
import { listQuestions, type PipelineQuestion, storeDecision } from './question.store.ts'
import { keptSteps, repeatedApprovals } from './rerun.ts'

type ListPipelineRuns = {
  limit?: number | undefined
  after?: PipelineRunId | undefined
  before?: PipelineRunId | undefined
  pipeline_id?: PipelineId | undefined
  status?: readonly WirePipelineRun['status'][] | undefined
  created_after?: string | undefined
  created_before?: string | undefined
}

type ListItems = {
  id: PipelineRunId
  key: string
  limit?: number | undefined
  after?: number | undefined
  before?: number | undefined
}

export type RerunPipeline = { id: PipelineRunId; from_step: string }

export type PipelineRunService = {
  create(ctx: Ctx, body: CreatePipelineRun): Promise<Answer<WirePipelineRun>>
  /** The response to an earlier `create` or `rerun` with the same key; null: the request is new. */
  findReplay(ctx: Ctx, body: CreatePipelineRun | RerunPipeline): Promise<Answer<WirePipelineRun> | null>
  get(ctx: Ctx, id: PipelineRunId): Promise<WirePipelineRun>
  list(ctx: Ctx, page: ListPipelineRuns): Promise<ReturnType<typeof toList<WirePipelineRun>>>
  /** One that has ended is returned unchanged. */
  cancel(ctx: Ctx, id: PipelineRunId): Promise<WirePipelineRun>
  act(ctx: Ctx, action: SendPipelineAction): Promise<Answer<WirePipelineRun>>
  findActReplay(ctx: Ctx, action: SendPipelineAction): Promise<Answer<WirePipelineRun> | null>
  rerun(ctx: Ctx, body: RerunPipeline): Promise<Answer<WirePipelineRun>>
  /** The items of a step in their order. `after` and `before` are numbers of items. */
  items(ctx: Ctx, page: ListItems): Promise<{ items: WirePipelineItem[]; hasMore: boolean }>
  erase(ctx: Ctx, id: PipelineRunId): Promise<WirePipelineRun>
  diagnose(ctx: Ctx, id: PipelineRunId): Promise<PipelineRunDiagnosis>
}

export type PipelineRunDeps = {
  app: Database
  view: PipelineRunView
  newId: IdMaker
  pubSub: Pick<PubSub, 'publish'>
  /** The faults of a payload. An empty list: it is valid. */
  checkPayload(
    org: string,
    schema: Record<string, unknown>,
    payload: unknown,
  ): Promise<readonly { param: string | null; message: string }[]>
  texts: TextGuard
  /** Bytes that an organisation may store, by its plan. */
  storageLimits: Readonly<Record<string, number>>
  /** Erases the data of a run, and the copies of events whose subject has this UUID. */
  eraseRun(org: string, id: string): Promise<void>
}

/** Runs that are erased between two looks. */
const erasedAtOnce = pipelinesBounds.erasuresTogether.count

export const createPipelineRuns = (deps: PipelineRunDeps): PipelineRunService => {
  const { app, newId } = deps
  const { find, toWire, actionsOf } = deps.view

  const get = async (ctx: Ctx, id: PipelineRunId): Promise<WirePipelineRun> => toWire(ctx.org, await find(ctx, id))

  const answerWith = async (ctx: Ctx, uuid: string, status = 201): Promise<Answer<WirePipelineRun>> => {
    const id = fromUuid('plr', uuid)
    return new Answer(await get(ctx, id), { status, headers: { location: `/v2/pipeline-runs/${id}` } })
  }

  /** Workers, and the streams of the pipeline run. */
  const tell = (org: string, uuid: string): void => {
    deps.pubSub.publish(pipelineChannel, '')
    deps.pubSub.publish(changeChannelOf(org, uuid), '')
  }

  const audit = (tx: Tx, ctx: Ctx, act: Parameters<typeof auditOf>[2]): Promise<void> =>
    recordAudit(tx, ctx.org, auditOf(ctx, toUuid(newId('aud')), act))

  /** A request with the same key and the same fields. */
  const repetitionOf = (ctx: Ctx, body: object): Pick<Once<WirePipelineRun>, 'thing' | 'fingerprint' | 'replay'> => ({
    thing: 'pipeline_run',
    fingerprint: sha256(canonicalJson(body)),
    replay: (uuid) => answerWith(ctx, uuid),
  })

  const actOf = (
    ctx: Ctx,
    action: SendPipelineAction,
  ): Pick<Once<WirePipelineRun>, 'thing' | 'fingerprint' | 'replay'> => ({
    thing: 'pipeline_action',
    fingerprint: sha256(canonicalJson(action)),
    replay: (uuid) => answerWith(ctx, uuid, 200),
  })

  /** The pipeline, if it accepts new pipeline runs. */
  const getActive = async (org: string, uuid: string) => {
    const pipeline = await findPipelineOf(app, org, uuid)
    const id = fromUuid('pl', uuid)
    if (!pipeline) throw new Fault('not_found', `No pipeline ${id}`)
    if (pipeline.status === 'archived') throw new Fault('pipeline_archived', `Pipeline ${id} is archived`)
    return pipeline
  }

  /** What policies leave of a decision. */
  const judgeDecision = async (ctx: Ctx, { type, payload, comment }: SendPipelineAction) => {
    const content = type === 'approve' ? { payload, comment } : { payload: undefined, comment }
    if (content.payload === undefined && comment === undefined) return content
    return deps.texts.require(textAuthorOf(ctx), { stage: 'action_payload', content })
  }

  /** Stores a pipeline run with what it begins with. */
  const start = async (
    ctx: Ctx,
    body: object,
    run: Omit<NewPipelineRun, 'author' | 'id'>,
    prepare?: (tx: Tx, uuid: string) => Promise<void>,
  ): Promise<Answer<WirePipelineRun>> => {
    const uuid = toUuid(newId('plr'))
    const author = { type: ctx.actor.type, id: toUuid(ctx.actor.id as `key_${string}`), owner: ctx.runOwner }
    const { activePerOrganisation: max } = pipelineRunBounds
    const stored = await createOnce<string>(app, ctx, {
      ...repetitionOf(ctx, body),
      replay: async (first) => new Answer(first, {}),
      id: uuid,
      create: async (tx) => {
        requireRoom(await lockStarts(tx, ctx.org, { max, storageLimits: deps.storageLimits }), max)
        await insertPipelineRun(tx, ctx.org, { ...run, id: uuid, author })
        await prepare?.(tx, uuid)
        return new Answer(uuid, {})
      },
    })
    if (stored.body !== uuid) return replayed(await answerWith(ctx, stored.body))
    tell(ctx.org, uuid)
    return answerWith(ctx, uuid)
  }

  return {
    get,
    findReplay: (ctx, body) => findReplayOf(app, ctx, repetitionOf(ctx, body)),
    create: async (ctx, body) => {
      const replay = await findReplayOf(app, ctx, repetitionOf(ctx, body))
      if (replay) return replay
      const pipelineId = toUuid(body.id)
      const pipeline = await getActive(ctx.org, pipelineId)
      requireAgents(ctx, pipeline.definition)
      const { input = {}, metadata = {} } = body
      return start(ctx, body, {
        pipelineId,
        version: pipeline.version,
        ...(await deps.texts.require(textAuthorOf(ctx), { stage: 'input', content: { input, metadata } })),
        timeoutSeconds: body.timeout_seconds ?? pipelineRunBounds.timeoutDefaultSeconds,
      })
    },
    list: async (ctx, page) => {
      const { ids, isCut } = await listPipelineRunIds(app, ctx.org, {
        ...sightOf(ctx),
        pipelineId: page.pipeline_id === undefined ? null : toUuid(page.pipeline_id),
        status: page.status ?? null,
        ...createdWithin(page),
        after: page.after === undefined ? null : toUuid(page.after),
        before: page.before === undefined ? null : toUuid(page.before),
        limit: pageSize(page) + 1,
      })
      const found = new Map((await readPipelineRuns(app, ctx.org, ids)).map((each) => [each.run.id, each]))
      const stored = ids.flatMap((id) => found.get(id) ?? [])
      const { rows, isCut: isShort } = await deps.view.toPage(ctx.org, stored)
      return toList(rows, page, { isCut: isCut || isShort })
    },
    cancel: async (ctx, id) => {
      const { run } = await find(ctx, id)
      if (await requestCancel(app, ctx.org, run.id)) tell(ctx.org, run.id)
      return get(ctx, id)
    },
    findActReplay: (ctx, action) => findReplayOf(app, ctx, actOf(ctx, action)),
    act: async (ctx, action) => {
      const { run } = await find(ctx, action.id)
      const once = actOf(ctx, action)
      const replay = await findReplayOf(app, ctx, once)
      if (replay) return replay
      if (run.head_status !== 'running') throw new Fault('run_not_active', `Pipeline run ${action.id} is not active`)
      const question = questionFor(await listQuestions(app, ctx.org, run.id), action)
      if (question.decision === action.type) return answerWith(ctx, run.id, 200)
      if (!question.is_open) throw alreadyResolved()
      const { payload, comment } = await judgeDecision(ctx, action)
      const schema = question.question.response_schema
      const faults =
        schema && action.type === 'approve' ? await deps.checkPayload(ctx.org, schema, payload ?? null) : []
      if (faults.length > 0)
        throw new Fault('payload_invalid', faults[0]?.message ?? 'payload is invalid', {
          param: faults[0]?.param ?? 'payload',
          details: faults,
        })
      const decision = {
        step: question.step,
        decision: action.type,
        payload,
        comment: comment ?? null,
        author: { type: ctx.actor.type, id: toUuid(ctx.actor.id as `key_${string}`) },
      }
      await createOnce<null>(app, ctx, {
        ...once,
        replay: async () => new Answer(null, {}),
        id: run.id,
        create: async (tx) => {
          if (!(await storeDecision(tx, ctx.org, { id: run.id, decision }))) throw alreadyResolved()
          // The comment and the payload stay with the pipeline run, where they can be erased.
          const act = action.type === 'approve' ? 'pipeline_run.approved' : 'pipeline_run.rejected'
          await audit(tx, ctx, { action: act, subject: action.id, after: { action_id: question.step } })
          return new Answer(null, {})
        },
      })
      tell(ctx.org, run.id)
      return answerWith(ctx, run.id, 200)
    },
    rerun: async (ctx, body) => {
      const replay = await findReplayOf(app, ctx, repetitionOf(ctx, body))
      if (replay) return replay
      const { run, steps } = await find(ctx, body.id)
      if (run.status === null) throw new Fault('run_not_ended', `Pipeline run ${body.id} has not ended`)
      if (!run.definition.steps.some(({ key }) => key === body.from_step))
        throw new Fault('input_invalid', `The pipeline has no step ${body.from_step}`, { param: 'from_step' })
      if (run.erased_at !== null) throw lost('The data of the pipeline run was erased')
      await getActive(ctx.org, run.pipeline_id)
      requireAgents(ctx, run.definition)
      const outcomes = new Map(steps.map(({ key, outcome }) => [key, outcome]))
      const keys = keptSteps(run.definition, body.from_step, (key) => outcomes.get(key) ?? null)
      const approvals = repeatedApprovals(run.definition, keys)
      // Otherwise a program could repeat what a person has approved once.
      if (approvals[0] !== undefined)
        requireStored(ctx, contract.pipelineRuns.rerun, 'kept_approval', `Run from ${approvals[0]} to ask again.`)
      // The policies may have changed since the first one.
      const { input, metadata } = run
      const content = await deps.texts.require(textAuthorOf(ctx), { stage: 'input', content: { input, metadata } })
      return start(
        ctx,
        body,
        {
          pipelineId: run.pipeline_id,
          version: run.pipeline_version,
          ...content,
          timeoutSeconds: run.timeout_seconds,
          rerun: { of: run.id, fromStep: body.from_step },
        },
        async (tx, uuid) => {
          const [first] = await listLostOutputs(tx, ctx.org, { id: run.id, keys })
          if (first !== undefined) throw lost(`The output of step ${first} was erased or has expired`)
          await copySteps(tx, ctx.org, { from: run.id, to: uuid, keys })
          if (approvals.length > 0) await audit(tx, ctx, keptApprovals({ uuid, body, steps, approvals }))
        },
      )
    },
    items: async (ctx, { id, key, after = null, before = null, ...page }) => {
      const { run } = await find(ctx, id)
      if (!run.definition.steps.some((step) => step.key === key))
        throw new Fault('not_found', `Pipeline run ${id} has no step ${key}`)
      const size = pageSize(page)
      const rows = await listItemRows(app, ctx.org, { id: run.id, step: key, after, before, limit: size + 1 })
      const items = rows.slice(0, size).map(toWireItem)
      return { items: before === null ? items : items.toReversed(), hasMore: rows.length > size }
    },
    erase: async (ctx, id) => {
      const { run } = await find(ctx, id)
      if (run.status === null) throw new Fault('run_not_ended', `Pipeline run ${id} has not ended`)
      await erasePipelineRun(app, ctx.org, run.id)
      for (let left = true; left; ) {
        const runs = await listUnerasedRuns(app, ctx.org, { id: run.id, max: erasedAtOnce })
        for (const each of runs) await deps.eraseRun(ctx.org, each)
        left = runs.length === erasedAtOnce
      }
      // Bodies of its event that were sent, and the responses to them, are found by the subject.
      await deps.eraseRun(ctx.org, run.id)
      // The log records a complete erasure. The caller repeats one that failed half-way.
      await app.transaction(ctx.org, (tx) => audit(tx, ctx, { action: 'pipeline_run.data_erased', subject: id }))
      return get(ctx, id)
    },
    diagnose: async (ctx, id) => {
      const { run, steps } = await find(ctx, id)
      const { status } = toWirePipelineRun(run, steps)
      const facts = await findPipelineFacts(app, ctx.org, {
        ...{ id: run.id, ...sightOf(ctx) },
        ...{ perOrg: pipelineWorkBounds.perOrg, maxRuns: pipelineRunBounds.diagnosisRuns },
      })
      const base = { pipeline_run_id: id, status }
      if (!facts)
        return {
          ...base,
          ...{ waiting_for: 'nothing', message: 'The pipeline run has ended.', since: null, steps: [], run_ids: [] },
          ...{ action_ids: [], retry_at: null, next_deadline_at: null },
          last_progress_at: run.finished_at?.toISOString() ?? null,
        }
      const actions = await actionsOf(ctx.org, run.id)
      const reason = reasonOf(facts, {
        actions: actions.length,
        seesAll: ctx.runOwner === null && ctx.agentIds === null,
      })
      return {
        ...base,
        ...reason,
        since: facts.last_progress_at.toISOString(),
        steps: facts.steps,
        run_ids: facts.run_ids.map((each) => fromUuid('run', each)),
        action_ids: actions.map((action) => action.id),
        retry_at: reason.waiting_for === 'retry' ? (facts.retry_at ?? facts.due_at).toISOString() : null,
        last_progress_at: facts.last_progress_at.toISOString(),
        next_deadline_at:
          [facts.deadline_at.toISOString(), ...actions.map(({ expires_at }) => expires_at)].sort()[0] ?? null,
      }
    },
  }
}

const requireRoom = ({ isFull, active }: StartRoom, max: number): void => {
  if (isFull)
    throw new Fault(
      'storage_exceeded',
      'The organisation stores more than its plan allows. Erase the data of ended runs, or ask for a larger plan.',
      { retryAfterSeconds: 60 },
    )
  if (active >= max)
    throw new Fault('limit_reached', `An organisation has at most ${max} pipeline runs that have not ended`)
}

const questionFor = (
  questions: readonly PipelineQuestion[],
  { action_id }: Pick<SendPipelineAction, 'action_id'>,
): PipelineQuestion => {
  const open = questions.filter(({ is_open }) => is_open)
  if (action_id === undefined && open.length > 1)
    throw new Fault('action_id_required', 'Several approval steps wait. Send action_id.', { param: 'action_id' })
  const question = action_id === undefined ? open[0] : questions.find(({ step }) => step === action_id)
  if (!question) throw new Fault('no_open_action', 'No approval step waits for a decision', { param: 'action_id' })
  return question
}

/** The audit entry of a rerun that asks nobody. Recorded last, because it locks the end of the log. */
const keptApprovals = ({ uuid, body, steps, approvals }: KeptApprovals): Parameters<typeof auditOf>[2] => {
  const deciders = steps.flatMap(({ key, decision }) =>
    decision !== null && approvals.includes(key) ? [[key, deciderOf(decision)] as const] : [],
  )
  const after = { rerun_of: body.id, from_step: body.from_step, approved_by: Object.fromEntries(deciders) }
  return { action: 'pipeline_run.approval_kept', subject: fromUuid('plr', uuid), after }
}

type KeptApprovals = {
  uuid: string
  body: RerunPipeline
  steps: readonly PipelineStepRow[]
  approvals: readonly string[]
}

const alreadyResolved = (): Fault =>
  new Fault('action_already_resolved', 'The question was decided before, or has expired')

const lost = (message: string): Fault => new Fault('input_invalid', message, { param: 'from_step' })

const replayed = ({ body, headers }: Answer<WirePipelineRun>): Answer<WirePipelineRun> =>
  new Answer(body, { headers: { ...headers, 'idempotency-replayed': 'true' } })

/** The pipeline runs that a caller sees, for statements. */
const sightOf = ({
  runOwner,
  agentIds,
}: Pick<Ctx, 'runOwner' | 'agentIds'>): Pick<PipelineRunPage, 'owner' | 'agentIds'> => ({
  owner: runOwner,
  agentIds: agentIds && [...agentIds].map((id) => fromUuid('ag', id)),
})

const reasonOf = (
  facts: PipelineFacts,
  { actions, seesAll }: { actions: number; seesAll: boolean },
): Pick<PipelineRunDiagnosis, 'waiting_for' | 'message'> => {
  if (facts.is_held) return { waiting_for: 'worker', message: 'A worker advances it now.' }
  if (facts.is_due) {
    const { is_share_used: isShareUsed, in_work: inWork, due_before: dueBefore } = facts
    const why = isShareUsed ? 'The share of your organisation is in use' : 'It waits for its turn'
    const ofCaller = seesAll ? 'of your pipeline runs' : 'of the pipeline runs that you see'
    return {
      waiting_for: isShareUsed ? 'share' : 'worker',
      message: `${why}: workers advance ${inWork} ${ofCaller} now, and ${dueBefore} are due before this one.`,
    }
  }
  if (facts.tries > 0)
    return {
      waiting_for: 'retry',
      message: `Its last ${facts.tries === 1 ? 'turn' : `${facts.tries} turns`} made no progress. It is tried again at ${facts.due_at.toISOString()}; after ${pipelineWorkBounds.maxTries} it fails with no_progress.`,
    }
  if (actions > 0) return { waiting_for: 'action', message: `${actions} decisions of people are open.` }
  if (facts.running > 0) return { waiting_for: 'runs', message: `${facts.running} runs of its steps have not ended.` }
  return { waiting_for: 'retry', message: 'The next attempt of an item is not due yet.' }
}
