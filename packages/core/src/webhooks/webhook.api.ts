import { Answer, contract, type Delivery, type Handlers } from '@ars/contract'
import type { Ctx } from '../ctx.ts'
import type { Replays } from '../replay.ts'
import { holdsRuns, requireStored, seesRuns } from '../whole-organisation.ts'
import type { DeliveryIds, HistoryService } from './manage/history.service.ts'
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

export const webhookApi = ({ webhooks, history, missed, recoveries }: Services): WebhookHandlers => ({
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
  redeliver: async (ctx, asked) => answerSeenBy(ctx, await history.redeliver(ctx, asked)),
  missed: async (ctx, page) => {
    if ((await webhooks.get(ctx, page.id)).events.some(holdsRuns))
      requireStored(ctx, contract.webhooks.missed, 'webhook_of_runs')
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

const answerSeenBy = (ctx: Ctx, { body, headers }: Answer<Delivery>): Answer<Delivery> =>
  new Answer(asSeenBy(ctx, body), { headers: { ...headers } })

/** The responses to repeated requests. */
export const webhookReplays = ({ webhooks, history, recoveries }: Services): Replays => ({
  'webhooks.create': webhooks.findReplay as Replays[string],
  'webhooks.rotateSecret': webhooks.findRotation as Replays[string],
  'webhooks.test': webhooks.findTest as Replays[string],
  'webhooks.redeliver': async (ctx, asked: DeliveryIds) => {
    const found = await history.findRedelivery(ctx, asked)
    return found && answerSeenBy(ctx, found)
  },
  'webhooks.recover': recoveries.findStarted as Replays[string],
})
