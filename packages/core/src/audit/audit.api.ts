import type { contract, Handlers } from '@ars/contract'
import type { Ctx } from '../ctx.ts'
import type { AuditService } from './audit.service.ts'

export const auditApi = (audit: AuditService): Handlers<typeof contract.auditLog, Ctx> => ({
  list: (ctx, page) => audit.list(ctx, page),
})
