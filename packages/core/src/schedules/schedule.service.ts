import {
  type AgentId,
  Answer,
  type CreateSchedule,
  type PipelineId,
  type ScheduleFiringId,
  type ScheduleId,
  scheduleLimits,
  type UpdateSchedule,
  type ScheduleFiring as WireFiring,
  type Schedule as WireSchedule,
} from '@ars/contract'
import { canonicalJson, sha256 } from '@ars/platform/crypto'
import type { Database, Tx } from '@ars/platform/db/database'
import { isCut } from '@ars/platform/db/fitting-page'
import { fromUuid, type IdMaker, toUuid } from '@ars/platform/id'
import { type AllowedAgents, requireAllowedAgent } from '../agent-access.ts'
import { auditOf, recordAudit } from '../audit/index.ts'
import type { Caller, Creator, Ctx } from '../ctx.ts'
import { Fault } from '../fault.ts'
import { type TextGuard, textAuthorOf } from '../guardrails/index.ts'
import { createOnce, findReplayOf, type Once } from '../once.service.ts'
import { pageSize, toList } from '../page.ts'
import { nextDate } from './due.ts'
import { findFiring, insertRequested, listFirings, skipWaiting } from './firing.store.ts'
import {
  archiveSchedule,
  countSchedules,
  findSchedule,
  insertSchedule,
  listSchedules,
  lockSchedule,
  lockSchedules,
  type NextDue,
  pauseSchedule,
  readScheduleTime,
  resumeSchedule,
  updateSchedule,
} from './schedule.store.ts'
import {
  type ScheduleRow,
  type ScheduleTarget,
  scheduleAuditFacts,
  type TargetColumns,
  targetOf,
  timingOf,
  toWireFiring,
  toWireSchedule,
} from './schedule.ts'
import { toWireSchedules } from './schedule-list.service.ts'
import { contentOfChange, contentOfNew } from './schedule-terms.ts'

export type ScheduleService = {
  list(ctx: Reader, page: ListSchedules, within: AllowedAgents): Promise<ReturnType<typeof toList<WireSchedule>>>
  get(ctx: Reader, id: ScheduleId, within: AllowedAgents): Promise<WireSchedule>
  create(ctx: Author, body: CreateSchedule, within: AllowedAgents): Promise<Answer<WireSchedule>>
  /** The response to an identical earlier `create`, or null. */
  findReplay(ctx: Author, body: CreateSchedule, within: AllowedAgents): Promise<Answer<WireSchedule> | null>
  update(ctx: Admin, body: UpdateSchedule, within: AllowedAgents): Promise<WireSchedule>
  /** Answers the deleted schedule. */
  delete(ctx: Admin, id: ScheduleId, within: AllowedAgents): Promise<WireSchedule>
  pause(ctx: Admin, id: ScheduleId, within: AllowedAgents): Promise<WireSchedule>
  resume(ctx: Admin, id: ScheduleId, within: AllowedAgents): Promise<WireSchedule>
  /** Adds a firing, which the sweep starts. */
  run(ctx: Author, id: ScheduleId, within: AllowedAgents): Promise<Answer<WireFiring>>
  /** The response to an identical earlier `run`, or null. */
  findRunReplay(ctx: Author, id: ScheduleId, within: AllowedAgents): Promise<Answer<WireFiring> | null>
  firings(ctx: Reader, page: ListFirings, within: AllowedAgents): Promise<ReturnType<typeof toList<WireFiring>>>
}

type Reader = Pick<Ctx, 'org'>
type Admin = Caller & Pick<Ctx, 'address' | 'requestId'>
type Author = Admin & Pick<Ctx, 'idempotencyKey'>

type ListSchedules = {
  limit?: number | undefined
  after?: ScheduleId | undefined
  before?: ScheduleId | undefined
  agent_id?: AgentId | undefined
  pipeline_id?: PipelineId | undefined
  status?: readonly string[] | undefined
}

type ListFirings = {
  id: ScheduleId
  limit?: number | undefined
  after?: ScheduleFiringId | undefined
  before?: ScheduleFiringId | undefined
  status?: readonly string[] | undefined
}

type Deps = {
  app: Database
  newId: IdMaker
  texts: Pick<TextGuard, 'require'>
  /**
   * Refuses a target that the caller may not start with this input now: there is none (`not_found`), it is archived, the key is narrowed to
   * others (`forbidden`), the input does not match its schema (`input_invalid`).
   */
  requireTarget(caller: Caller, target: ScheduleTarget, input: Record<string, unknown>): Promise<void>
}

export const createSchedules = ({ app, newId, texts, requireTarget }: Deps): ScheduleService => {
  const toWire = async (row: ScheduleRow): Promise<WireSchedule> =>
    toWireSchedule(row, { now: await readScheduleTime(app, row.org_id) })

  const requireSchedule = (row: ScheduleRow | null, id: ScheduleId, within: AllowedAgents): ScheduleRow => {
    if (!row) throw new Fault('not_found', `No schedule ${id}`)
    requireAllowedAgent(within, row.agent_id)
    return row
  }

  const get = async (org: string, id: ScheduleId, within: AllowedAgents): Promise<ScheduleRow> =>
    requireSchedule(await findSchedule(app, org, toUuid(id)), id, within)

  const lock = async (tx: Tx, org: string, id: ScheduleId, within: AllowedAgents): Promise<ScheduleRow> =>
    requireSchedule(await lockSchedule(tx, org, toUuid(id)), id, within)

  const audit = (tx: Tx, ctx: Admin, act: Parameters<typeof auditOf>[2]): Promise<void> =>
    recordAudit(tx, ctx.org, auditOf(ctx, toUuid(newId('aud')), act))

  /** A request with the same key and the same fields. */
  const repetitionOf = (
    { org }: Author,
    body: CreateSchedule,
    within: AllowedAgents,
  ): Pick<Once<WireSchedule>, 'thing' | 'fingerprint' | 'replay'> => ({
    thing: 'schedule',
    fingerprint: sha256(canonicalJson(body)),
    replay: async (found) => created(await toWire(await get(org, fromUuid('sch', found), within))),
  })

  const runRepetitionOf = (
    { org }: Author,
    id: ScheduleId,
    within: AllowedAgents,
  ): Pick<Once<WireFiring>, 'thing' | 'fingerprint' | 'replay'> => ({
    thing: 'schedule_firing',
    fingerprint: sha256(id),
    replay: async (found) => {
      await get(org, id, within)
      const row = await findFiring(app, org, found)
      if (!row) throw new Fault('not_found', 'The firing is not kept any more')
      return fired(toWireFiring(row))
    },
  })

  /** What policies leave of the texts of a schedule. The accept of each run judges them again. */
  const judgeTexts = <Texts extends object>(ctx: Caller, target: TargetColumns, content: Texts): Promise<Texts> =>
    texts.require(textAuthorOf(ctx), { stage: 'input', content, agentId: target.agent_id })

  const create = async (ctx: Author, body: CreateSchedule, within: AllowedAgents): Promise<Answer<WireSchedule>> => {
    const repetition = repetitionOf(ctx, body, within)
    // A retry gets its schedule even if the request would be rejected by now.
    const replay = await findReplayOf(app, ctx, repetition)
    if (replay) return replay
    const now = await readScheduleTime(app, ctx.org)
    const asked = contentOfNew(body, now)
    requireAllowedAgent(within, asked.agent_id)
    const content = { ...asked, ...(await judgeTexts(ctx, asked, { input: asked.input, metadata: asked.metadata })) }
    await requireTarget(ctx, targetOf(content), content.input)
    const id = newId('sch')
    return createOnce(app, ctx, {
      ...repetition,
      id: toUuid(id),
      create: async (tx) => {
        await lockSchedules(tx, ctx.org)
        if ((await countSchedules(tx, ctx.org)) >= scheduleLimits.perOrganisation)
          throw new Fault('limit_reached', `An organisation has at most ${scheduleLimits.perOrganisation} schedules`)
        const due = nextDueOf(content, now)
        const row = await insertSchedule(tx, ctx.org, { id: toUuid(id), content, creator: creatorOf(ctx), due })
        await audit(tx, ctx, { action: 'schedule.created', subject: id, after: scheduleAuditFacts(row) })
        return created(toWireSchedule(row, { now }))
      },
    })
  }

  const update = async (ctx: Admin, body: UpdateSchedule, within: AllowedAgents): Promise<WireSchedule> => {
    const { id, ...sent } = body
    if (Object.values(sent).every((field) => field === undefined))
      throw new Fault('invalid_request', 'The request changes nothing: it has no fields')
    const now = await readScheduleTime(app, ctx.org)
    const found = await get(ctx.org, id, within)
    const { content: asked } = contentOfChange(found, sent, now)
    requireAllowedAgent(within, asked.agent_id)
    const { input, metadata } = sent
    const texts = { ...(input && { input }), ...(metadata && { metadata }) }
    const fields = { ...sent, ...(await judgeTexts(ctx, asked, texts)) }
    const seen = contentOfChange(found, fields, now)
    const checked = targetOf(seen.content)
    if (seen.hasNewWork) await requireTarget(ctx, checked, seen.content.input)
    const row = await app.transaction(ctx.org, async (tx) => {
      const before = await lock(tx, ctx.org, id, within)
      const { content, hasNewTiming, hasNewWork } = contentOfChange(before, fields, now)
      if (targetOf(content).id !== checked.id || hasNewWork !== seen.hasNewWork)
        throw new Fault('unavailable', 'The schedule was changed at the same time', {
          reason: 'contended',
          retryAfterSeconds: 1,
        })
      if (canonicalJson(contentFactsOf({ ...before, ...content })) === canonicalJson(contentFactsOf(before)))
        return before
      // The runs start with the right of the creator. The caller who decides what starts is the one whose right counts; a change of
      // name, dates or rules leaves the creator as it is.
      const creator = hasNewWork ? creatorOf(ctx) : { type: before.created_by_type, id: before.created_by }
      const due = hasNewTiming ? nextDueOf(content, now) : null
      const after = await updateSchedule(tx, ctx.org, { id: before.id, content, creator, due })
      const facts = { before: scheduleAuditFacts(before), after: scheduleAuditFacts(after) }
      await audit(tx, ctx, { action: 'schedule.updated', subject: id, ...facts })
      return after
    })
    return toWireSchedule(row, { now })
  }

  const resume = async (ctx: Admin, id: ScheduleId, within: AllowedAgents): Promise<WireSchedule> => {
    const now = await readScheduleTime(app, ctx.org)
    const seen = await get(ctx.org, id, within)
    // The creator has lost the right, so the caller becomes the creator.
    const takesOver = seen.status === 'paused' && seen.pause_code !== 'requested'
    if (takesOver) await requireTarget(ctx, targetOf(seen), seen.input)
    const row = await app.transaction(ctx.org, async (tx) => {
      const before = await lock(tx, ctx.org, id, within)
      if (before.status === 'active') return before
      if (before.pause_code !== seen.pause_code || targetOf(before).id !== targetOf(seen).id)
        throw new Fault('unavailable', 'The schedule was changed at the same time', {
          reason: 'contended',
          retryAfterSeconds: 1,
        })
      const creator = takesOver ? creatorOf(ctx) : { type: before.created_by_type, id: before.created_by }
      const after = await resumeSchedule(tx, ctx.org, { id: before.id, creator, due: nextDueOf(before, now) })
      if (!after) return before
      const facts = { before: scheduleAuditFacts(before), after: scheduleAuditFacts(after) }
      await audit(tx, ctx, { action: 'schedule.resumed', subject: id, ...facts })
      return after
    })
    return toWireSchedule(row, { now })
  }

  const run = async (ctx: Author, id: ScheduleId, within: AllowedAgents): Promise<Answer<WireFiring>> => {
    const repetition = runRepetitionOf(ctx, id, within)
    const replay = await findReplayOf(app, ctx, repetition)
    if (replay) return replay
    const schedule = await get(ctx.org, id, within)
    const firingId = newId('fir')
    return createOnce(app, ctx, {
      ...repetition,
      id: toUuid(firingId),
      create: async (tx) => {
        const row = await insertRequested(tx, ctx.org, { id: toUuid(firingId), scheduleId: schedule.id })
        if (!row) throw new Fault('not_found', `No schedule ${id}`)
        await audit(tx, ctx, { action: 'schedule.fired', subject: id, after: { firing_id: firingId } })
        return fired(toWireFiring(row))
      },
    })
  }

  return {
    list: async ({ org }, page, within) => {
      const rows = await listSchedules(app, org, {
        within,
        agentId: page.agent_id === undefined ? null : toUuid(page.agent_id),
        pipelineId: page.pipeline_id === undefined ? null : toUuid(page.pipeline_id),
        status: page.status ?? null,
        after: page.after === undefined ? null : toUuid(page.after),
        before: page.before === undefined ? null : toUuid(page.before),
        limit: pageSize(page) + 1,
      })
      const now = await readScheduleTime(app, org)
      return toList(await toWireSchedules(rows, { now }), page, { isCut: isCut(rows) })
    },
    get: async ({ org }, id, within) => toWire(await get(org, id, within)),
    create,
    findReplay: (ctx, body, within) => findReplayOf(app, ctx, repetitionOf(ctx, body, within)),
    update,
    delete: async (ctx, id, within) => {
      const row = await app.transaction(ctx.org, async (tx) => {
        const before = await lock(tx, ctx.org, id, within)
        const archived = await archiveSchedule(tx, ctx.org, before.id)
        await skipWaiting(tx, ctx.org, { scheduleId: before.id, code: 'schedule_deleted', except: null })
        await audit(tx, ctx, { action: 'schedule.deleted', subject: id, before: scheduleAuditFacts(before) })
        return archived ?? before
      })
      return toWire(row)
    },
    pause: async (ctx, id, within) => {
      const row = await app.transaction(ctx.org, async (tx) => {
        const before = await lock(tx, ctx.org, id, within)
        const after = await pauseSchedule(tx, ctx.org, { id: before.id, code: 'requested' })
        if (!after) return before
        await skipWaiting(tx, ctx.org, { scheduleId: before.id, code: 'schedule_paused', except: null })
        const facts = { before: scheduleAuditFacts(before), after: scheduleAuditFacts(after) }
        await audit(tx, ctx, { action: 'schedule.paused', subject: id, ...facts })
        return after
      })
      return toWire(row)
    },
    resume,
    run,
    findRunReplay: (ctx, id, within) => findReplayOf(app, ctx, runRepetitionOf(ctx, id, within)),
    firings: async ({ org }, page, within) => {
      const schedule = await get(org, page.id, within)
      const rows = await listFirings(app, org, {
        scheduleId: schedule.id,
        agentIds: within.ids,
        status: page.status ?? null,
        after: page.after === undefined ? null : toUuid(page.after),
        before: page.before === undefined ? null : toUuid(page.before),
        limit: pageSize(page) + 1,
      })
      return toList(rows.map(toWireFiring), page)
    },
  }
}

const created = (schedule: WireSchedule): Answer<WireSchedule> =>
  new Answer(schedule, { headers: { location: `/v2/schedules/${schedule.id}` } })

const fired = (firing: WireFiring): Answer<WireFiring> => new Answer(firing, {})

const creatorOf = ({ actor }: Pick<Caller, 'actor'>): Creator => ({ type: actor.type, id: toUuid(actor.id) })

const nextDueOf = (columns: Parameters<typeof timingOf>[0], now: Date): NextDue => ({
  now,
  dueAt: nextDate(timingOf(columns), now),
})

/** What a request can change. */
const contentFactsOf = (row: ScheduleRow) => ({
  ...scheduleAuditFacts(row),
  anchor_at: row.anchor_at?.toISOString() ?? null,
  input: row.input,
  metadata: row.metadata,
})
