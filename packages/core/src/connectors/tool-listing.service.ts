import type { Database } from '@ars/platform/db/database'
import { DatabaseUnavailable } from '@ars/platform/db/unavailable'
import type { Egress } from '@ars/platform/egress/egress'
import { fromUuid, type IdMaker, toUuid } from '@ars/platform/id'
import type { Log } from '@ars/platform/log/log'
import { auditOf, recordAudit } from '../audit/index.ts'
import type { Ctx } from '../ctx.ts'
import { recordEvent } from '../events/index.ts'
import type { SecretService } from '../secrets/index.ts'
import { connectorsBounds } from './bounds.ts'
import { lockConnector, noteListed, noteListedIn } from './connector.store.ts'
import { authHeaders, type Connector, sealContextOf } from './connector.ts'
import { type McpSession, openMcpSession } from './mcp-session.service.ts'
import type { ToolLimits } from './tool-list.ts'
import {
  approvableAtOnce,
  compareListing,
  isAsListed,
  listingOf,
  type ToolChange,
  type ToolListing,
} from './tool-listing.ts'
import type { ToolManifest } from './tool-manifest.ts'
import { approveListed, listToolMarks, markGone, putListed, readToolRows } from './tool-pin.store.ts'
import { ToolFailure } from './toolbox.ts'

export type ConnectorAdmin = Pick<Ctx, 'org' | 'actor' | 'address' | 'requestId'>

/** Sessions with tool servers, and what their lists mean for the stored tools. */
export type ToolListings = {
  /** Opens a session for calls. Nothing is listed. */
  connect(org: string, connector: Connector, known: readonly ToolManifest[], signal: AbortSignal): Promise<McpSession>
  /** Opens a session and lists the tools. No database connection is held meanwhile. The caller closes the session. */
  list(org: string, connector: Connector, signal: AbortSignal): Promise<{ session: McpSession; listing: ToolListing }>
  /**
   * Compares a list with the stored tools and stores it. Tools that differ from what was approved are off from then on,
   * and one event reports them. Idempotent: the same list again changes and reports nothing.
   */
  record(org: string, connector: Connector, listing: ToolListing, by?: Recorder): Promise<readonly ToolChange[]>
}

/** Who caused the listing. `approves`: the tools of the list are approved in this name. */
export type Recorder = { readonly ctx: ConnectorAdmin; readonly approves: boolean }

export type ListingDeps = {
  readonly app: Database
  readonly egress: Egress
  readonly secrets: SecretService
  readonly newId: IdMaker
  readonly log: Log
  readonly limits: ToolLimits
  /** For a metric. */
  readonly onToolsOff?: ((changes: readonly ToolChange[]) => void) | undefined
}

/** An event and an audit entry name at most this many tools. */
const maxToolsTold = connectorsBounds.toolsTold.count

export const createListings = (deps: ListingDeps): ToolListings => {
  const { app, limits } = deps

  const credentialOf = async (org: string, connector: Connector): Promise<string | null> => {
    if (connector.credential === null) return null
    try {
      return await deps.secrets.open(org, connector.credential, sealContextOf(connector))
    } catch (error) {
      // The key service may be back in a moment; then the step is repeated.
      if (error instanceof DatabaseUnavailable) throw error
      deps.log.error('credential does not open', { org_id: org, connector_id: fromUuid('con', connector.id), error })
      const words = 'its credential cannot be opened. Tell the operator of the service'
      throw failureOf(connector, words, { retryable: false, cause: error })
    }
  }

  const open = async (org: string, connector: Connector, signal: AbortSignal, known?: readonly ToolManifest[]) => {
    const { name, url } = connector
    const credential = await credentialOf(org, connector)
    const server = { org, name, url, credential, headers: authHeaders(connector, credential) }
    const tools = known?.map((tool) => ({ name: tool.name, inputSchema: tool.input_schema }))
    return { session: await openMcpSession({ egress: deps.egress, limits }, server, signal, tools), credential }
  }

  const store = (org: string, connector: Connector, listing: ToolListing, by: Recorder | undefined) =>
    app.transaction(org, async (tx): Promise<readonly ToolChange[]> => {
      const { id, url } = connector
      const current = await lockConnector(tx, org, id)
      // The list of another address says nothing about this one.
      if (!current || current.url !== url) return []
      const { put, gone, off } = compareListing(await readToolRows(tx, org, id), listing.tools)
      await putListed(tx, org, { connectorId: id, listed: put })
      await markGone(tx, org, { connectorId: id, names: gone })
      await noteListedIn(tx, org, { id, url, freshForMs: listing.freshForMs })
      const subject = fromUuid('con', id)
      const audit = (action: string, after: Record<string, unknown>, ctx: ConnectorAdmin) =>
        recordAudit(tx, org, auditOf(ctx, toUuid(deps.newId('aud')), { action, subject, after }))
      const approved = new Set<string>()
      if (by?.approves) {
        const author = { by: toUuid(by.ctx.actor.id), byType: by.ctx.actor.type }
        const tools = approvableAtOnce(listing.tools)
        for (const name of await approveListed(tx, org, { connectorId: id, tools, ...author })) approved.add(name)
      }
      const waiting = off.filter(({ name }) => !approved.has(name))
      if (waiting.length > 0) {
        const data = {
          connector_id: subject,
          name: current.name,
          tools: waiting.slice(0, maxToolsTold),
          total: waiting.length,
        }
        await recordEvent(tx, org, {
          id: toUuid(deps.newId('evt')),
          type: 'connector.tool_changed',
          subjectId: id,
          data,
        })
      }
      if (by?.approves && approved.size > 0)
        await audit(
          'connector.tools_approved',
          { tools: [...approved].slice(0, maxToolsTold), total: approved.size },
          by.ctx,
        )
      if (by && !by.approves)
        await audit('connector.refreshed', { off: waiting.slice(0, maxToolsTold), total: waiting.length }, by.ctx)
      return waiting
    })

  return {
    connect: async (org, connector, known, signal) => (await open(org, connector, signal, known)).session,
    list: async (org, connector, signal) => {
      const { session, credential } = await open(org, connector, signal)
      try {
        return { session, listing: listingOf(session, credential, limits) }
      } catch (error) {
        await session.close()
        if (!(error instanceof ToolFailure)) throw error
        throw failureOf(connector, error.message, { retryable: error.retryable, cause: error })
      }
    },
    record: async (org, connector, listing, by) => {
      for (const { name, reason } of listing.refused)
        deps.log.info('tool refused', { org_id: org, connector_id: fromUuid('con', connector.id), tool: name, reason })
      // Without a lock: most lists are as they were.
      if (!by && isAsListed(await listToolMarks(app, org, connector.id), listing.tools)) {
        await noteListed(app, org, { id: connector.id, url: connector.url, freshForMs: listing.freshForMs })
        return []
      }
      const off = await store(org, connector, listing, by)
      if (off.length > 0) {
        deps.log.warn('tools are off until approved', {
          org_id: org,
          connector_id: fromUuid('con', connector.id),
          tools: off.length,
        })
        deps.onToolsOff?.(off)
      }
      return off
    },
  }
}

/** No tool was called. */
const failureOf = (
  { name }: Connector,
  words: string,
  { retryable, cause }: { retryable: boolean; cause: unknown },
): ToolFailure => new ToolFailure(`Connector “${name}”: ${words}`, { outcome: 'not_sent', retryable, cause })
