import type { AuditEntryId, AuditEntry as WireEntry } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import { isCut } from '@ars/platform/db/fitting-page'
import { fromUuid, toUuid } from '@ars/platform/id'
import type { Ctx } from '../ctx.ts'
import { createdWithin, pageSize, toList } from '../page.ts'
import { type AuditPage, listAudit } from './audit.store.ts'
import { toWireEntry } from './audit.ts'

export type AuditService = {
  /** For a narrowed key, its own entries and those about its agents. */
  list(ctx: Pick<Ctx, 'org' | 'actor' | 'agentIds'>, page: ListAudit): Promise<ReturnType<typeof toList<WireEntry>>>
}

type ListAudit = {
  limit?: number | undefined
  after?: AuditEntryId | undefined
  before?: AuditEntryId | undefined
  actor?: string | undefined
  action?: string | undefined
  subject?: string | undefined
  created_after?: string | undefined
  created_before?: string | undefined
}

export const createAudit = ({ app }: { app: Database }): AuditService => ({
  list: async ({ org, actor, agentIds }, page) => {
    const part = agentIds && { actor: actor.id, subjects: [...agentIds].map((id) => fromUuid('ag', id)) }
    const rows = await listAudit(app, org, { ...toAuditPage(page), part })
    return toList(rows.map(toWireEntry), page, { isCut: isCut(rows) })
  },
})

const toAuditPage = (page: ListAudit): Omit<AuditPage, 'part'> => ({
  limit: pageSize(page) + 1,
  after: page.after === undefined ? null : toUuid(page.after),
  before: page.before === undefined ? null : toUuid(page.before),
  actor: page.actor ?? null,
  action: page.action ?? null,
  subject: page.subject ?? null,
  ...createdWithin(page),
})
