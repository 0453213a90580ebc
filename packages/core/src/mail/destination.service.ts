import { type AlertDestination, type AlertDestinationId, Answer, limits } from '@ars/contract'
import { canonicalJson, sha256 } from '@ars/platform/crypto'
import type { Database } from '@ars/platform/db/database'
import type { Egress } from '@ars/platform/egress/egress'
import { fromUuid, type IdMaker, toUuid } from '@ars/platform/id'
import { auditOf, recordAudit } from '../audit/index.ts'
import type { Ctx } from '../ctx.ts'
import { Fault } from '../fault.ts'
import { createOnce, findReplayOf, type Once } from '../once.service.ts'
import { pageSize, toList } from '../page.ts'
import type { SecretService } from '../secrets/index.ts'
import { deleteDestination, findDestination, insertDestination, listDestinations } from './destination.store.ts'
import { destinationToWire, hintOf, urlSealContext } from './destination.ts'

export type DestinationService = {
  list(ctx: Pick<Ctx, 'org'>, page: ListPage): Promise<ReturnType<typeof toList<AlertDestination>>>
  create(ctx: Ctx, body: NewDestination): Promise<Answer<AlertDestination>>
  findReplay(ctx: Ctx, body: NewDestination): Promise<Answer<AlertDestination> | null>
  delete(ctx: Ctx, id: AlertDestinationId): Promise<AlertDestination>
}

type NewDestination = { type: AlertDestination['type']; url: string }

type ListPage = {
  limit?: number | undefined
  after?: AlertDestinationId | undefined
  before?: AlertDestinationId | undefined
}
type Deps = { app: Database; newId: IdMaker; secrets: SecretService; egress: Pick<Egress, 'checkTarget'> }

export const createDestinations = ({ app, newId, secrets, egress }: Deps): DestinationService => {
  /** A request with the same key and the same fields. */
  const repetitionOf = (
    { org }: Ctx,
    body: NewDestination,
  ): Pick<Once<AlertDestination>, 'thing' | 'fingerprint' | 'replay'> => ({
    thing: 'alert_destination',
    fingerprint: sha256(canonicalJson(body)),
    replay: async (id) => {
      const found = await findDestination(app, org, id)
      if (!found) throw new Fault('not_found', `No alert destination ${fromUuid('dst', id)}`)
      return new Answer(destinationToWire(found), {})
    },
  })

  return {
    findReplay: (ctx, body) => findReplayOf(app, ctx, repetitionOf(ctx, body)),
    list: async ({ org }, page) => {
      const rows = await listDestinations(app, org, {
        after: page.after === undefined ? null : toUuid(page.after),
        before: page.before === undefined ? null : toUuid(page.before),
        limit: pageSize(page) + 1,
      })
      return toList(rows.map(destinationToWire), page)
    },
    create: async (ctx, body) => {
      const { type, url } = body
      const repetition = repetitionOf(ctx, body)
      // A retry gets its destination even if the request would be rejected by now.
      const replay = await findReplayOf(app, ctx, repetition)
      if (replay) return replay
      const verdict = await egress.checkTarget(url)
      if (!verdict.ok) throw new Fault('url_not_allowed', verdict.reason, { param: 'url' })
      const id = toUuid(newId('dst'))
      const sealed = await secrets.seal(ctx.org, url, urlSealContext(id))
      return createOnce(app, ctx, {
        ...repetition,
        id,
        create: async (tx) => {
          const made = await insertDestination(tx, ctx.org, { id, type, url: sealed, hint: hintOf(url) })
          if (!made) {
            const most = limits.alertDestinationsPerOrganisation
            throw new Fault('limit_reached', `An organisation has at most ${most} alert destinations`)
          }
          const after = { type, url_hint: made.hint }
          const act = { action: 'alert_destination.created', subject: fromUuid('dst', id), after }
          await recordAudit(tx, ctx.org, auditOf(ctx, toUuid(newId('aud')), act))
          return new Answer(destinationToWire(made), {})
        },
      })
    },
    delete: (ctx, id) =>
      app.transaction(ctx.org, async (tx) => {
        const gone = await deleteDestination(tx, ctx.org, toUuid(id))
        if (!gone) throw new Fault('not_found', `No alert destination ${id}`)
        const before = { type: gone.type, url_hint: gone.hint }
        const act = { action: 'alert_destination.deleted', subject: id, before }
        await recordAudit(tx, ctx.org, auditOf(ctx, toUuid(newId('aud')), act))
        return destinationToWire(gone)
      }),
  }
}
