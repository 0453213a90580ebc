import type { contract, Delivery, Handlers } from '@ars/contract'
import type { Ctx } from '../ctx.ts'
import { holdsRuns, requireRuns, requireWholeOrganisation, seesRuns } from '../whole-organisation.ts'
import type { HistoryService } from './manage/history.service.ts'
import type { WebhookService } from './manage/webhook.service.ts'
import type { MissedService } from './recover/missed.service.ts'
import type { RecoveryService } from './recover/recovery.service.ts'

type Services = {
  webhooks: WebhookService
  history: HistoryService
  missed: MissedService
  recoveries: RecoveryService
}
type WebhookHandlers = Handlers<typeof contract.webhooks, Ctx>

export const webhookApi = ({ webhooks, history, missed, recoveries }: Services): WebhookHandlers =>
  forWholeOrganisation({
    list: (ctx, page) => webhooks.list(ctx, page),
    create: (ctx, body) => webhooks.create(ctx, body),
    get: (ctx, { id }) => webhooks.get(ctx, id),
    update: (ctx, body) => webhooks.update(ctx, body),
    delete: (ctx, { id }) => webhooks.delete(ctx, id),
    rotateSecret: (ctx, asked) => webhooks.rotateSecret(ctx, asked),
    test: (ctx, asked) => webhooks.test(ctx, asked),
    deliveries: async (ctx, page) => {
      const list = await history.deliveries(ctx, page)
      return { ...list, data: list.data.map((delivery) => asSeenBy(ctx, delivery)) }
    },
    delivery: async (ctx, asked) => asSeenBy(ctx, await history.delivery(ctx, asked)),
    redeliver: (ctx, asked) => history.redeliver(ctx, asked),
    missed: async (ctx, page) => {
      if ((await webhooks.get(ctx, page.id)).events.some(holdsRuns)) requireRuns(ctx)
      return missed(ctx, page)
    },
    recover: (ctx, asked) => recoveries.recover(ctx, asked),
    recoveries: (ctx, page) => recoveries.list(ctx, page),
    recovery: (ctx, asked) => recoveries.get(ctx, asked),
    cancelRecovery: (ctx, asked) => recoveries.cancel(ctx, asked),
  })

/** The endpoint may have repeated the request in its response, so neither is shown to a caller that does not see runs. */
const asSeenBy = (ctx: Ctx, delivery: Delivery): Delivery => {
  const isSample = delivery.source === 'test'
  if (seesRuns(ctx) || isSample || !holdsRuns(delivery.event_type)) return delivery
  const attempts = delivery.attempts.map((attempt) => ({
    ...attempt,
    request: { headers: attempt.request.headers, body: null },
    response: null,
  }))
  return { ...delivery, attempts }
}

/** Every operation requires access to the whole organisation; operations that are added later do too. */
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
