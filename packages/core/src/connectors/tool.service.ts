import { type ConnectorId, contract, type RefreshedConnector, type ConnectorTool as WireTool } from '@ars/contract'
import type { Database, Tx } from '@ars/platform/db/database'
import { type IdMaker, toUuid } from '@ars/platform/id'
import { comesFromKey } from '../access/index.ts'
import { auditOf, recordAudit } from '../audit/index.ts'
import { Fault } from '../fault.ts'
import { requireSeparate } from '../whole-organisation.ts'
import { connectorsBounds } from './bounds.ts'
import { findConnector, lockConnector, noteToolsError } from './connector.store.ts'
import { type Connector, toWireConnector } from './connector.ts'
import { toWireTools } from './tool.ts'
import type { ToolLimits } from './tool-list.ts'
import type { ConnectorAdmin, Recorder, ToolListings } from './tool-listing.service.ts'
import type { RefusedTool } from './tool-listing.ts'
import { approveListed, deleteGone, listToolRows, measureApproved, readToolRows } from './tool-pin.store.ts'
import { ToolFailure } from './toolbox.ts'

export type ToolService = {
  tools(ctx: Pick<ConnectorAdmin, 'org'>, id: ConnectorId): Promise<WireTool[]>
  /** Approves a tool exactly as the person has seen it. */
  approve(ctx: ConnectorAdmin, asked: { id: ConnectorId; name: string; hash: string }): Promise<WireTool>
  /** Lists the tools now. */
  refresh(ctx: ConnectorAdmin, id: ConnectorId): Promise<RefreshedConnector>
  /** Lists the tools of a connector that is new or has a new address. A failure is stored with the connector. */
  listFirst(connector: Connector, by: Recorder): Promise<void>
}

type Deps = {
  readonly app: Database
  readonly newId: IdMaker
  readonly listings: ToolListings
  readonly limits: ToolLimits
}

/** Lists that are being read for requests; each can take seconds. */
const maxListsPerOrganisation = connectorsBounds.listsOfOrganisation.count
const maxLists = connectorsBounds.lists.count

export const createToolService = ({ app, newId, listings, limits }: Deps): ToolService => {
  const listing = new Map<string, number>()

  /** Bounds the lists that are read at once: they are of any server that a customer names. */
  const whileListing = async <Result>(org: string, work: () => Promise<Result>): Promise<Result> => {
    const own = listing.get(org) ?? 0
    const all = [...listing.values()].reduce((sum, each) => sum + each, 0)
    if (own >= maxListsPerOrganisation || all >= maxLists) {
      const words = own >= maxListsPerOrganisation ? 'Your organisation' : 'The service'
      throw new Fault(
        'unavailable',
        `${words} is already listing the tools of ${Math.max(own, 1)} or more connectors`,
        {
          reason: 'shed',
          retryAfterSeconds: 5,
        },
      )
    }
    listing.set(org, own + 1)
    try {
      return await work()
    } finally {
      const left = (listing.get(org) ?? 1) - 1
      if (left === 0) listing.delete(org)
      else listing.set(org, left)
    }
  }

  const listNow = (connector: Connector, by: Recorder): Promise<readonly RefusedTool[]> =>
    whileListing(by.ctx.org, async () => {
      const tooLate = AbortSignal.timeout(limits.openTimeoutMs + graceMs)
      const { session, listing: listed } = await listings.list(by.ctx.org, connector, tooLate)
      // The goodbye needs no answer.
      void session.close().catch(() => undefined)
      await listings.record(by.ctx.org, connector, listed, by)
      return listed.refused
    })

  const get = async (org: string, id: ConnectorId): Promise<Connector> => {
    const connector = await findConnector(app, org, toUuid(id))
    if (!connector) throw new Fault('not_found', `No connector ${id}`)
    return connector
  }

  /** Bounds what a connector stores. Tools that are gone give way first: they can be approved again. */
  const requireRoom = async (tx: Tx, org: string, uuid: string): Promise<void> => {
    const isOver = async () => {
      const { tools, bytes } = await measureApproved(tx, org, uuid)
      return tools > limits.maxListedTools || bytes > approvedListsKept * limits.maxManifestBytes
    }
    if (!(await isOver())) return
    await deleteGone(tx, org, uuid)
    if (await isOver()) throw new Fault('limit_reached', 'The approved tools of this connector take too much space')
  }

  return {
    tools: async ({ org }, id) => {
      await get(org, id)
      return toWireTools(id, await listToolRows(app, org, toUuid(id)))
    },
    approve: (ctx, { id, name, hash }) =>
      app.transaction(ctx.org, async (tx) => {
        const uuid = toUuid(id)
        const connector = await lockConnector(tx, ctx.org, uuid)
        if (!connector) throw new Fault('not_found', `No connector ${id}`)
        await requireSeparate(contract.connectors.approveTool, () => hasMoved(tx, ctx, connector))
        const before = (await readToolRows(tx, ctx.org, uuid)).find((tool) => tool.name === name)
        if (!before) throw new Fault('not_found', `The connector ${id} has no tool of this name`)
        if (before.listed_hash !== hash)
          throw new Fault('tool_changed', changedWords(before.listed_hash), { param: 'hash' })
        const author = { by: toUuid(ctx.actor.id), byType: ctx.actor.type }
        const approved = await approveListed(tx, ctx.org, { connectorId: uuid, tools: [{ name, hash }], ...author })
        if (approved.length > 0) {
          await requireRoom(tx, ctx.org, uuid)
          const facts = { before: { tool: name, hash: before.approved_hash }, after: { tool: name, hash } }
          const act = { action: 'connector.tool_approved', subject: id, ...facts }
          await recordAudit(tx, ctx.org, auditOf(ctx, toUuid(newId('aud')), act))
        }
        const after = toWireTools(id, await readToolRows(tx, ctx.org, uuid)).find((tool) => tool.name === name)
        if (!after) throw new Error('An approved tool is missing under the lock of its connector')
        return after
      }),
    refresh: async (ctx, id) => {
      const connector = await get(ctx.org, id)
      try {
        const refused = await listNow(connector, { ctx, approves: false })
        const tools = toWireTools(id, await listToolRows(app, ctx.org, connector.id))
        return {
          object: 'connector_refresh',
          connector: toWireConnector(await get(ctx.org, id)),
          off: tools.filter(({ state }) => state !== 'approved'),
          refused: refused.slice(0, maxRefusedShown).map((tool) => ({ ...tool })),
        }
      } catch (error) {
        throw error instanceof ToolFailure ? unreachable(error) : error
      }
    },
    listFirst: async (connector, by) => {
      try {
        await listNow(connector, by)
      } catch (error) {
        const isExpected = error instanceof ToolFailure || (error instanceof Fault && error.code === 'unavailable')
        if (!isExpected) throw error
        const { id, url } = connector
        await noteToolsError(app, by.ctx.org, { id, url, message: error.message })
      }
    },
  }
}

/** Otherwise one stolen key could send the arguments of all agents to its own server and switch its tools on. */
const hasMoved = async (tx: Tx, { org, actor }: ConnectorAdmin, connector: Connector): Promise<boolean> => {
  if (actor.type !== 'key' || connector.moved_by === null || connector.moved_by_type !== 'key') return false
  return comesFromKey(tx, org, { key: toUuid(actor.id), from: connector.moved_by })
}

const unreachable = (cause: ToolFailure): Fault => new Fault('connector_unreachable', cause.message, { cause })

// A change of every tool fits beside the approved ones.
const approvedListsKept = 2
const graceMs = 1000
const maxRefusedShown = connectorsBounds.refusedToolsShown.count

const changedWords = (listed: string | null): string =>
  listed === null
    ? 'The server no longer lists this tool, so it cannot be approved'
    : 'The tool has changed since you read it. Read it again and approve the new hash'
