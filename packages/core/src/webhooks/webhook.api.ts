import { Answer, type contract, type Delivery, type Handlers } from '@ars/contract'
import type { Ctx } from '../ctx.ts'
import type { Replays } from '../replay.ts'
import { holdsRuns, requireRuns, requireWholeOrganisation, seesRuns } from '../whole-organisation.ts'
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
    redeliver: async (ctx, asked) => answerSeenBy(ctx, await history.redeliver(ctx, asked)),
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

const answerSeenBy = (ctx: Ctx, { body, headers }: Answer<Delivery>): Answer<Delivery> =>
  new Answer(asSeenBy(ctx, body), { headers: { ...headers } })

/** The responses to repeated requests. */
export const webhookReplays = ({ webhooks, history, recoveries }: Services): Replays => {
  const find = <Asked, Body>(replay: (ctx: Ctx, asked: Asked) => Promise<Answer<Body> | null>) => {
    const findForWhole = async (ctx: Ctx, asked: Asked): Promise<Answer<Body> | null> => {
      requireWholeOrganisation(ctx)
      return replay(ctx, asked)
    }
    return findForWhole as Replays[string]
  }
  return {
    'webhooks.create': find(webhooks.findReplay),
    'webhooks.rotateSecret': find(webhooks.findRotation),
    'webhooks.test': find(webhooks.findTest),
    'webhooks.redeliver': find(async (ctx, asked: DeliveryIds) => {
      const found = await history.findRedelivery(ctx, asked)
      return found && answerSeenBy(ctx, found)
    }),
    'webhooks.recover': find(recoveries.findStarted),
  }
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
