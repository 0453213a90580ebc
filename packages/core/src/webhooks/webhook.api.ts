import type { contract, Handlers } from '@ars/contract'
import type { Ctx } from '../ctx.ts'
import { requireWholeOrganisation } from '../whole-organisation.ts'
import type { HistoryService } from './history.service.ts'
import type { RecoveryService } from './recovery.service.ts'
import type { WebhookService } from './webhook.service.ts'

type Services = { webhooks: WebhookService; history: HistoryService; recoveries: RecoveryService }
type WebhookHandlers = Handlers<typeof contract.webhooks, Ctx>

export const webhookApi = ({ webhooks, history, recoveries }: Services): WebhookHandlers =>
  forWholeOrganisation({
    list: (ctx, page) => webhooks.list(ctx, page),
    create: (ctx, body) => webhooks.create(ctx, body),
    get: (ctx, { id }) => webhooks.get(ctx, id),
    update: (ctx, body) => webhooks.update(ctx, body),
    delete: (ctx, { id }) => webhooks.delete(ctx, id),
    rotateSecret: (ctx, asked) => webhooks.rotateSecret(ctx, asked),
    test: (ctx, asked) => webhooks.test(ctx, asked),
    deliveries: (ctx, page) => history.deliveries(ctx, page),
    delivery: (ctx, asked) => history.delivery(ctx, asked),
    redeliver: (ctx, asked) => history.redeliver(ctx, asked),
    missed: (ctx, page) => history.missed(ctx, page),
    recover: (ctx, asked) => recoveries.recover(ctx, asked),
    recoveries: (ctx, page) => recoveries.list(ctx, page),
    recovery: (ctx, asked) => recoveries.get(ctx, asked),
    cancelRecovery: (ctx, asked) => recoveries.cancel(ctx, asked),
  })

/** Every one of them asks first who may see the whole organisation, and so will one that is added. */
const forWholeOrganisation = (handlers: WebhookHandlers): WebhookHandlers => {
  const asked = Object.entries(handlers).map(([name, handler]) => {
    const call = handler as (ctx: Ctx, input: never) => unknown
    return [
      name,
      async (ctx: Ctx, input: never) => {
        requireWholeOrganisation(ctx)
        return call(ctx, input)
      },
    ]
  })
  return Object.fromEntries(asked)
}
