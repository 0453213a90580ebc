import type { UpdateConnector } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import type { Egress } from '@ars/platform/egress/egress'
import { type IdMaker, toUuid } from '@ars/platform/id'
import { auditOf, recordAudit } from '../audit/index.ts'
import { Fault } from '../fault.ts'
import type { SecretService } from '../secrets/index.ts'
import { findConnector, lockConnector, updateConnector } from './connector.store.ts'
import { type Connector, type ConnectorContent, connectorAuditFacts } from './connector.ts'
import { sealedAuth } from './connector-seal.service.ts'
import type { ToolService } from './tool.service.ts'
import type { ConnectorAdmin } from './tool-listing.service.ts'
import { deleteTools } from './tool-pin.store.ts'

type Deps = {
  readonly app: Database
  readonly egress: Egress
  readonly newId: IdMaker
  readonly secrets: SecretService
  readonly tools: Pick<ToolService, 'listFirst'>
}

/** Changes a connector. Another address is another server: its tools wait for approval, all of them. */
export const createConnectorChange =
  ({ app, egress, newId, secrets, tools }: Deps) =>
  async (ctx: ConnectorAdmin, { id, ...body }: UpdateConnector): Promise<Connector> => {
    const uuid = toUuid(id)
    const find = async (): Promise<Connector> => {
      const connector = await findConnector(app, ctx.org, uuid)
      if (!connector) throw new Fault('not_found', `No connector ${id}`)
      return connector
    }
    if (Object.keys(body).length === 0)
      throw new Fault('invalid_request', 'The request changes nothing: it has no fields')
    const seen = await find()
    const url = body.url ?? seen.url
    const moves = url !== seen.url
    if (moves) requireAddress(egress, url)
    // Otherwise a key that may not read the credential could have it sent to any host.
    if (moves && seen.credential !== null && body.auth === undefined)
      throw new Fault('input_invalid', 'auth is required with a new url: the stored credential is for the old one', {
        param: 'auth',
      })
    // Sealing may call a key service over the network, so it happens before the lock.
    const auth = body.auth === undefined ? null : await sealedAuth(secrets, ctx.org, { id: uuid, url, auth: body.auth })
    const isChanged = await app.transaction(ctx.org, async (tx) => {
      const before = await lockConnector(tx, ctx.org, uuid)
      if (!before) throw new Fault('not_found', `No connector ${id}`)
      // A credential is sealed for one address.
      if (before.url !== seen.url)
        throw new Fault('unavailable', 'The connector was changed at the same time', {
          reason: 'contended',
          retryAfterSeconds: 1,
        })
      const after: ConnectorContent = { ...before, name: body.name ?? before.name, url, ...auth }
      const facts = { before: connectorAuditFacts(before), after: connectorAuditFacts(after) }
      if (auth === null && JSON.stringify(facts.before) === JSON.stringify(facts.after) && !moves) return false
      await updateConnector(tx, ctx.org, after, { type: ctx.actor.type, id: toUuid(ctx.actor.id) })
      if (moves) await deleteTools(tx, ctx.org, uuid)
      const replaced = auth === null ? {} : { credential_replaced: true }
      const act = { action: 'connector.updated', subject: id, ...facts, after: { ...facts.after, ...replaced } }
      await recordAudit(tx, ctx.org, auditOf(ctx, toUuid(newId('aud')), act))
      return true
    })
    if (isChanged && moves) await tools.listFirst(await find(), { ctx, approves: false })
    return isChanged ? find() : seen
  }

export const requireAddress = (egress: Egress, url: string): void => {
  const verdict = egress.checkUrl(url)
  if (!verdict.ok) throw new Fault('url_not_allowed', verdict.reason, { param: 'url' })
}
