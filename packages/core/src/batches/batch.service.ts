import {
  type AgentId,
  Answer,
  type BatchId,
  batchLimits,
  type CreateBatch,
  type Batch as WireBatch,
  type BatchResult as WireResult,
} from '@ars/contract'
import type { Database, Tx } from '@ars/platform/db/database'
import { fromUuid, type IdMaker, toUuid } from '@ars/platform/id'
import { type AgentAccess, type AllowedAgents, hasAgent, requireAllowedAgent } from '../agent-access.ts'
import { auditOf, recordAudit } from '../audit/index.ts'
import type { Ctx } from '../ctx.ts'
import { Fault } from '../fault.ts'
import { type TextGuard, textAuthorOf } from '../guardrails/index.ts'
import { createOnce, findReplayOf, type Once } from '../once.service.ts'
import { pageSize, toList } from '../page.ts'
import {
  askErasure,
  cancelBatch,
  findBatch,
  insertBatch,
  insertBatchItems,
  listBatches,
  lockBatches,
  readBatch,
  readBatchRoom,
} from './batch.store.ts'
import { type BatchRow, toWireBatch } from './batch.ts'
import { type EncodedItems, encodeItems } from './batch-encoding.service.ts'
import { createBatchResults } from './batch-results.service.ts'

export type BatchService = {
  /** Stores a batch with its items. The sweep starts its runs. */
  create(ctx: Ctx, asked: CreateBatch): Promise<Answer<WireBatch>>
  /** The response to an identical earlier `create`, or null. */
  findReplay(ctx: Ctx, asked: CreateBatch): Promise<Answer<WireBatch> | null>
  list(ctx: Ctx, page: ListBatches, within: AllowedAgents): Promise<ReturnType<typeof toList<WireBatch>>>
  get(ctx: Ctx, id: BatchId, within: AllowedAgents): Promise<WireBatch>
  results(ctx: Ctx, page: ListResults, within: AllowedAgents): Promise<ReturnType<typeof toList<WireResult>>>
  /** One result per line, in the order of the items. The batch is looked up before the first line is asked for. */
  export(ctx: Ctx, id: BatchId, within: AllowedAgents): Promise<AsyncIterable<string>>
  /** A batch that has ended stays unchanged. */
  cancel(ctx: Ctx, id: BatchId, within: AllowedAgents): Promise<WireBatch>
  /** The sweep erases the data. */
  erase(ctx: Ctx, id: BatchId, within: AllowedAgents): Promise<WireBatch>
}

type Page<Id> = { limit?: number | undefined; after?: Id | undefined; before?: Id | undefined }
type ListBatches = Page<BatchId> & { agent_id?: AgentId | undefined }
type ListResults = Page<string> & { id: BatchId }

type Deps = {
  app: Database
  newId: IdMaker
  texts: Pick<TextGuard, 'require'>
  /** Bytes by plan. Missing: unlimited. */
  storageLimits: Readonly<Record<string, number>>
  /** The resolvers of the agents slice. */
  agents: {
    get(ctx: AgentAccess, id: AgentId): Promise<{ id: string; status: 'active' | 'archived' }>
    allowedAgent(ctx: AgentAccess, within: AllowedAgents, id: AgentId): Promise<AllowedAgents>
  }
}

export const createBatches = ({ app, newId, texts, storageLimits, agents }: Deps): BatchService => {
  const results = createBatchResults({ app })

  const getBatch = async (ctx: Ctx, id: BatchId, within: AllowedAgents): Promise<BatchRow> =>
    visible(await findBatch(app, ctx.org, { id: toUuid(id), agentIds: within.ids }), id, within)

  const audit = (tx: Tx, ctx: Ctx, act: Parameters<typeof auditOf>[2]): Promise<void> =>
    recordAudit(tx, ctx.org, auditOf(ctx, toUuid(newId('aud')), act))

  const repetitionOf = (
    ctx: Ctx,
    { fingerprint }: EncodedItems,
  ): Pick<Once<WireBatch>, 'thing' | 'fingerprint' | 'replay'> => ({
    thing: 'batch',
    fingerprint,
    replay: async (found) => {
      const batch = required(
        await findBatch(app, ctx.org, { id: found, agentIds: ctx.agentIds }),
        fromUuid('bat', found),
      )
      // The same request names the same agent, but another key may have sent it first.
      if (!hasAgent(ctx, batch.agent_id)) throw noSuchBatch(fromUuid('bat', found))
      return answer(batch)
    },
  })

  const store = async (tx: Tx, ctx: Ctx, { id, agentId, asked, encoded }: NewRequest): Promise<Answer<WireBatch>> => {
    let first = 0
    for (const { items, count } of encoded.pages) {
      await insertBatchItems(tx, ctx.org, { batchId: id, first, items })
      first += count
    }
    // Last, because others wait for this lock.
    await lockBatches(tx, ctx.org)
    await requireRoom(tx, ctx.org, storageLimits)
    await insertBatch(tx, ctx.org, {
      id,
      agentId,
      metadata: asked.metadata ?? {},
      timeoutSeconds: asked.timeout_seconds ?? null,
      items: asked.items.length,
      bytes: encoded.bytes,
      by: toUuid(ctx.actor.id),
      byType: ctx.actor.type,
    })
    const batch = required(await readBatch(tx, ctx.org, { id, agentIds: ctx.agentIds }), fromUuid('bat', id))
    await audit(tx, ctx, { action: 'batch.created', subject: fromUuid('bat', id), after: batchAuditFacts(batch) })
    return answer(batch)
  }

  return {
    create: async (ctx, asked) => {
      const encoded = await encodeItems(asked)
      const repetition = repetitionOf(ctx, encoded)
      const replay = await findReplayOf(app, ctx, repetition)
      if (replay) return replay
      const agent = await agents.get(ctx, asked.agent_id)
      if (agent.status === 'archived') {
        throw new Fault('agent_archived', `Agent ${asked.agent_id} is archived`, { param: 'agent_id' })
      }
      const { metadata = {} } = asked
      // The accept of each run judges its input.
      const shown = await texts.require(textAuthorOf(ctx), { stage: 'input', content: { metadata }, agentId: agent.id })
      const id = toUuid(newId('bat'))
      // Before the items are stored, because that is much work.
      await app.transaction(ctx.org, (tx) => requireRoom(tx, ctx.org, storageLimits))
      return createOnce(app, ctx, {
        ...repetition,
        id,
        create: (tx) => store(tx, ctx, { id, agentId: agent.id, asked: { ...asked, ...shown }, encoded }),
      })
    },
    findReplay: async (ctx, asked) => findReplayOf(app, ctx, repetitionOf(ctx, await encodeItems(asked))),
    list: async (ctx, page, within) => {
      const { agent_id: agentId } = page
      const batches = await listBatches(app, ctx.org, {
        within: agentId === undefined ? within : await agents.allowedAgent(ctx, within, agentId),
        agentIds: within.ids,
        after: page.after === undefined ? null : toUuid(page.after),
        before: page.before === undefined ? null : toUuid(page.before),
        limit: pageSize(page) + 1,
      })
      return toList(batches.map(toWireBatch), page)
    },
    get: async (ctx, id, within) => toWireBatch(await getBatch(ctx, id, within)),
    results: async (ctx, page, within) => {
      const batch = await getBatch(ctx, page.id, within)
      return results.list(batch, page)
    },
    export: async (ctx, id, within) => results.export(await getBatch(ctx, id, within)),
    cancel: async (ctx, id, within) => {
      const batch = await getBatch(ctx, id, within)
      await app.transaction(ctx.org, async (tx) => {
        if (!(await cancelBatch(tx, ctx.org, batch.id))) return
        await audit(tx, ctx, { action: 'batch.cancelled', subject: id, before: batchAuditFacts(batch) })
      })
      return toWireBatch(await getBatch(ctx, id, within))
    },
    erase: async (ctx, id, within) => {
      const batch = await getBatch(ctx, id, within)
      if (batch.finished_at === null) {
        throw new Fault('run_not_ended', `Batch ${id} is ${batch.status}; its data can be erased once it has ended`)
      }
      await app.transaction(ctx.org, async (tx) => {
        if (!(await askErasure(tx, ctx.org, batch.id))) return
        await audit(tx, ctx, { action: 'batch.data_erased', subject: id, after: { items: batch.items } })
      })
      return toWireBatch(await getBatch(ctx, id, within))
    },
  }
}

/** For the audit log. Inputs and metadata are data of the customer, so they are not among them. */
const batchAuditFacts = (batch: BatchRow) => ({
  agent_id: fromUuid('ag', batch.agent_id),
  status: batch.status,
  items: batch.items,
  timeout_seconds: batch.timeout_seconds,
})

type NewRequest = { id: string; agentId: string; asked: CreateBatch; encoded: EncodedItems }

const requireRoom = async (tx: Tx, org: string, storageLimits: Deps['storageLimits']): Promise<void> => {
  const { activeBatchesPerOrganisation: most } = batchLimits
  const { isFull, active } = await readBatchRoom(tx, org, storageLimits)
  if (isFull)
    throw new Fault(
      'storage_exceeded',
      'The organisation stores more than its plan allows. Erase the data of ended runs, or ask for a larger plan.',
      { retryAfterSeconds: 60 },
    )
  if (active < most) return
  throw new Fault('limit_reached', `An organisation has at most ${most} active batches`)
}

const answer = (batch: BatchRow): Answer<WireBatch> =>
  new Answer(toWireBatch(batch), { headers: { location: `/v2/batches/${fromUuid('bat', batch.id)}` } })

const noSuchBatch = (id: BatchId): Fault => new Fault('not_found', `No batch ${id}`)

const required = (batch: BatchRow | null, id: BatchId): BatchRow => {
  if (!batch) throw noSuchBatch(id)
  return batch
}

const visible = (found: BatchRow | null, id: BatchId, within: AllowedAgents): BatchRow => {
  const batch = required(found, id)
  requireAllowedAgent(within, batch.agent_id)
  return batch
}
