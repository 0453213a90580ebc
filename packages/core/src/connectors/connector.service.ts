import {
  Answer,
  type ConnectorId,
  type CreateConnector,
  connectorLimits,
  type UpdateConnector,
  type Connector as WireConnector,
} from '@ars/contract'
import { canonicalJson, sha256 } from '@ars/platform/crypto'
import type { Database } from '@ars/platform/db/database'
import type { Egress } from '@ars/platform/egress/egress'
import type { Keyring } from '@ars/platform/envelope'
import { fromUuid, type IdMaker, toUuid } from '@ars/platform/id'
import type { Log } from '@ars/platform/log/log'
import { auditOf, recordAudit } from '../audit/index.ts'
import type { Ctx } from '../ctx.ts'
import { Fault } from '../fault.ts'
import { claimKey, findIdempotentReplay } from '../idempotency.store.ts'
import { requireSameRequest } from '../idempotency.ts'
import { pageSize, toList } from '../page.ts'
import { createSecrets, type SecretService } from '../secrets/index.ts'
import {
  countConnectors,
  deleteConnector,
  findConnector,
  insertConnector,
  listConnectors,
  lockConnectors,
} from './connector.store.ts'
import { type Connector, connectorAuditFacts, credentialOf, toWireConnector } from './connector.ts'
import { createConnectorChange, requireAddress } from './connector-change.service.ts'
import { sealedAuth } from './connector-seal.service.ts'
import { createToolService, type ToolService } from './tool.service.ts'
import { type ToolLimits, toolLimits } from './tool-list.ts'
import { type ConnectorAdmin, createListings, type ListingDeps } from './tool-listing.service.ts'
import { createToolboxes, type Toolbox } from './toolbox.service.ts'
import type { ToolSelection } from './toolbox.ts'

export type ConnectorService = Omit<ToolService, 'listFirst'> & {
  list(ctx: Pick<Ctx, 'org'>, page: ListConnectors): Promise<ReturnType<typeof toList<WireConnector>>>
  get(ctx: Pick<Ctx, 'org'>, id: ConnectorId): Promise<Connector>
  create(ctx: Author, body: CreateConnector): Promise<Answer<WireConnector>>
  /** The response to an identical earlier `create`. Null: there was none. Nothing is created. */
  findReplay(ctx: Author, body: CreateConnector): Promise<Answer<WireConnector> | null>
  /** A new address makes all tools pending. */
  update(ctx: ConnectorAdmin, body: UpdateConnector): Promise<Connector>
  /** Answers the deleted connector. */
  delete(ctx: ConnectorAdmin, id: ConnectorId): Promise<Connector>
  /**
   * Reads the approved tools of each selected connector, and asks its server first unless the stored list is fresh.
   * Throws a ToolFailure when a connector is missing or a server cannot be reached; `reached` is then false, because no
   * tool was called.
   */
  openToolbox(org: string, selections: readonly ToolSelection[], signal: AbortSignal): Promise<Toolbox>
}

type Author = ConnectorAdmin & Pick<Ctx, 'idempotencyKey'>

type ListConnectors = {
  limit?: number | undefined
  after?: ConnectorId | undefined
  before?: ConnectorId | undefined
}

type Deps = {
  app: Database
  egress: Egress
  keyring: Keyring | undefined
  newId: IdMaker
  log: Log
  /** For tests: shorter timeouts. */
  toolLimits?: Partial<ToolLimits>
  onToolsOff?: ListingDeps['onToolsOff']
}

const thing = 'connector' as const

export const createConnectors = (deps: Deps): ConnectorService => {
  const secrets = createSecrets(deps)
  const limits: ToolLimits = { ...toolLimits, ...deps.toolLimits }
  const listings = createListings({ ...deps, secrets, limits })
  const { listFirst, ...tools } = createToolService({ ...deps, listings, limits })

  const get = async (org: string, uuid: string): Promise<Connector> => {
    const connector = await findConnector(deps.app, org, uuid)
    if (!connector) throw new Fault('not_found', `No connector ${fromUuid('con', uuid)}`)
    return connector
  }

  /** The connector that an earlier request with this key created, or null. */
  const findReplay = async (ctx: Author, fingerprint: Buffer): Promise<Answer<WireConnector> | null> => {
    const replay =
      ctx.idempotencyKey === undefined
        ? null
        : await findIdempotentReplay(deps.app, ctx.org, { thing, key: ctx.idempotencyKey })
    if (!replay) return null
    requireSameRequest(replay, fingerprint)
    return answer(await get(ctx.org, replay.subject_id), { 'idempotency-replayed': 'true' })
  }

  return {
    ...tools,
    update: createConnectorChange({ ...deps, secrets, tools: { listFirst } }),
    list: async ({ org }, page) => {
      const rows = await listConnectors(deps.app, org, {
        after: page.after === undefined ? null : toUuid(page.after),
        before: page.before === undefined ? null : toUuid(page.before),
        limit: pageSize(page) + 1,
      })
      return toList(
        rows.map((row) => toWireConnector(row)),
        page,
      )
    },
    get: ({ org }, id) => get(org, toUuid(id)),
    delete: (ctx, id) =>
      deps.app.transaction(ctx.org, async (tx) => {
        const connector = await deleteConnector(tx, ctx.org, toUuid(id))
        if (!connector) throw new Fault('not_found', `No connector ${id}`)
        const act = { action: 'connector.deleted', subject: id, before: connectorAuditFacts(connector) }
        await recordAudit(tx, ctx.org, auditOf(ctx, toUuid(deps.newId('aud')), act))
        return connector
      }),
    findReplay: async (ctx, body) =>
      ctx.idempotencyKey === undefined ? null : findReplay(ctx, await fingerprintOf(secrets, ctx, body)),
    create: async (ctx, body) => {
      const fingerprint = await fingerprintOf(secrets, ctx, body)
      // A retry gets its connector even if the request would be rejected by now.
      const replay = await findReplay(ctx, fingerprint)
      if (replay) return replay
      requireAddress(deps.egress, body.url)
      const { name, url, auth, approve_tools = true } = body
      const id = toUuid(deps.newId('con'))
      const connector = { id, name, url, ...(await sealedAuth(secrets, ctx.org, { id, url, auth })) }
      const created = await deps.app.transaction(
        ctx.org,
        async (tx) => {
          await lockConnectors(tx, ctx.org)
          if (ctx.idempotencyKey !== undefined) {
            const claim = { thing, key: ctx.idempotencyKey, fingerprint, id: connector.id }
            if (!(await claimKey(tx, ctx.org, claim))) return null
          }
          if ((await countConnectors(tx, ctx.org)) >= connectorLimits.perOrganisation) {
            throw new Fault(
              'limit_reached',
              `An organisation has at most ${connectorLimits.perOrganisation} connectors`,
            )
          }
          const author = { created_by: toUuid(ctx.actor.id), created_by_type: ctx.actor.type }
          const inserted = await insertConnector(tx, ctx.org, { ...connector, ...author })
          const subject = fromUuid('con', inserted.id)
          const act = { action: 'connector.created', subject, after: connectorAuditFacts(inserted) }
          await recordAudit(tx, ctx.org, auditOf(ctx, toUuid(deps.newId('aud')), act))
          return inserted
        },
        thing,
      )
      if (created) {
        // After the commit, so that no connection waits for a customer's server.
        await listFirst(created, { ctx, approves: approve_tools })
        return answer(await get(ctx.org, created.id), {})
      }
      const concurrent = await findReplay(ctx, fingerprint)
      if (concurrent) return concurrent
      throw new Fault('unavailable', 'The idempotency key is contended', { reason: 'contended', retryAfterSeconds: 1 })
    },
    openToolbox: createToolboxes({ ...deps, listings, limits }),
  }
}

/** A request without a secret has a plain fingerprint. */
const fingerprintOf = async (secrets: SecretService, ctx: Author, body: CreateConnector): Promise<Buffer> => {
  const text = canonicalJson(body)
  if (ctx.idempotencyKey === undefined || credentialOf(body.auth) === null) return sha256(text)
  return secrets.fingerprint(ctx.org, text)
}

const answer = (connector: Connector, extra: Record<string, string>): Answer<WireConnector> => {
  const wire = toWireConnector(connector)
  return new Answer(wire, { headers: { location: `/v2/connectors/${wire.id}`, ...extra } })
}
