import { createHash } from 'node:crypto'
import { toUuid } from '@ars/platform/id'
import { judgeDeliveries } from './checks/deliveries.ts'
import type { DeliveryFacts } from './checks/delivery-facts.ts'
import { awaitDeliveries, readDeliveries } from './delivery-records.ts'
import { acknowledge, always, type Plan } from './receiver-answer.ts'
import type { Endpoint } from './receiver-endpoint.ts'
import type { RunClient } from './run-client.ts'
import type { Claim, Metric, Outcome, Stage } from './scenario.ts'
import { type WebhookClient, webhookClient } from './webhook-client.ts'

/** A webhook of a customer, and the endpoint behind it. */
export type Subscription = {
  endpoint: Endpoint
  /** `wh_…` */
  id: string
  uuid: string
  secret: string
  webhooks: WebhookClient
  pause(): Promise<void>
}

const terminalEvents = ['run.completed', 'run.failed', 'run.cancelled'] as const

const maxDrainMs = 120_000

/** Registers a webhook for an endpoint that answers so; unless told otherwise for every end of a run, and it acknowledges. */
export const subscribe = async (
  { fleet, key }: Pick<Stage, 'fleet' | 'key'>,
  name: string,
  options: {
    client?: RunClient
    events?: readonly string[]
    plan?: Plan
    onBody?: (body: Buffer) => void
  } = {},
): Promise<Subscription> => {
  const { client = fleet.client, events = terminalEvents, plan = always(acknowledge), onBody } = options
  const secret = secretOf(key(name))
  const endpoint = await fleet.receiver.open(name, { secrets: [secret], plan, ...(onBody && { onBody }) })
  const webhooks = webhookClient(client)
  const { id } = await webhooks.create(key(name), { url: endpoint.url, events, secret })
  return {
    endpoint,
    id,
    uuid: toUuid(id),
    secret,
    webhooks,
    pause: async () => {
      await webhooks.change(id, { active: false })
    },
  }
}

/** The customer's own, so that it is known even when the answer to its registration is lost. */
export const secretOf = (name: string): string =>
  `whsec_${createHash('sha256').update(`secret of ${name}`).digest('base64')}`

/** What the database and the receivers say of these webhooks, once nothing waits for them any more. */
export const factsOf = async (
  { fleet, hopeless }: Pick<Stage, 'fleet' | 'hopeless'>,
  subscriptions: readonly Pick<Subscription, 'uuid' | 'endpoint'>[],
  { drainMs = maxDrainMs }: { drainMs?: number } = {},
): Promise<DeliveryFacts & { left: Claim }> => {
  const webhooks = subscriptions.map(({ uuid }) => uuid)
  const violations = await awaitDeliveries(fleet.records, { webhooks, timeoutMs: drainMs, hopeless })
  const records = await readDeliveries(fleet.records, webhooks)
  const urls = new Set(subscriptions.map(({ endpoint }) => endpoint.url))
  const lines = await fleet.receiver.read()
  const own = new Set(lines.flatMap((line) => (line.kind === 'received' && urls.has(line.url) ? [line.request] : [])))
  return {
    records,
    journal: lines.filter(({ request }) => own.has(request)),
    left: { says: 'every delivery ends', violations },
  }
}

/**
 * R13 has the promised 2 %. These scenarios kill a part for every 17 events, ten times as often as R13, and each kill
 * repeats the events whose acknowledgement was not yet stored.
 */
const maxRepeated = 0.1

/** One webhook that receives the end of each of the scenario's runs, and the checks of its deliveries. */
export const watchEnds = async (stage: Stage): Promise<(runs: readonly { id: string }[]) => Promise<WatchedEnds>> => {
  const subscription = await subscribe(stage, 'ends')
  return async (runs) => {
    const { left, ...facts } = await factsOf(stage, [subscription])
    await subscription.pause()
    const { metrics, claims } = judgeDeliveries(facts, { subjects: new Set(runs.map(({ id }) => id)), maxRepeated })
    return {
      facts,
      metrics: metrics.map(([what, value]): Metric => [`webhook: ${what}`, value]),
      claims: [left, ...claims],
    }
  }
}

export type WatchedEnds = Outcome & { facts: DeliveryFacts }
