import { setTimeout as sleep } from 'node:timers/promises'
import { fromUuid } from '@ars/platform/id'
import { judgeDeliveries } from '../checks/deliveries.ts'
import { isAcknowledged, postsOf } from '../checks/delivery-facts.ts'
import { addCustomer, carryOutAll, quickOrder } from '../customers.ts'
import { awaitDeliveries } from '../delivery-records.ts'
import { always } from '../receiver-answer.ts'
import { claim, measured, type Stage, scenario } from '../scenario.ts'
import { factsOf, type Subscription, subscribe } from '../subscription.ts'
import type { WireRecovery } from '../webhook-client.ts'
import { countWorkerKills, killWorkers } from '../worker-kills.ts'

type Size = {
  events: number
  clients: number
  /** While the recovery is under way. */
  kills: number
  killEveryMs: number
  /** How long the receiver takes for each: it must not be over before anybody is killed. */
  answerAfterMs: number
}

/** A receiver was away for a while, and wants what it missed. */
export const recover = scenario<Size>({
  name: 'recover',
  promise:
    'What a webhook has missed can be had again: all of it, with the original ids, whichever worker dies on the way.',
  sizes: {
    ci: { events: 500, clients: 10, kills: 2, killEveryMs: 3000, answerAfterMs: 100 },
    full: { events: 10_000, clients: 16, kills: 8, killEveryMs: 8000, answerAfterMs: 50 },
  },
  patienceMs: { ci: 240_000, full: 40 * 60_000 },
  play: async (stage, size) => {
    const { fleet, say } = stage
    const kills = countWorkerKills(stage)
    const customer = await addCustomer(stage, 'c')
    const { client } = customer
    const plan = always({ kind: 'status', status: 200, afterMs: size.answerAfterMs })
    const missing = await subscribe(stage, 'away', { client, plan })
    const since = new Date(Date.now() - 1000).toISOString()
    await missing.pause()
    const orders = Array.from({ length: size.events }, (_, n) => ({
      customer,
      order: quickOrder(stage, customer, `run-${n}`),
    }))
    let ended = 0
    await carryOutAll(orders, { clients: size.clients, onEnd: () => say(`${++ended} runs ended`) })
    // Whatever the relay has not seen yet would be sent in the usual way once the webhook is active again.
    await awaitDeliveries(fleet.records, { webhooks: [missing.uuid], timeoutMs: 60_000 })
    const whileAway = fleet.receiver.received(missing.endpoint.url).length
    await missing.webhooks.change(missing.id, { active: true })
    const begun = await missing.webhooks.recover(stage.key('recover'), missing.id, { since })
    const killing = killWorkers(stage, { everyMs: size.killEveryMs, most: size.kills })
    const progress = await watchRecovery(stage, missing, begun)
    await killing.stop()
    const { left, ...facts } = await factsOf(stage, [missing], { drainMs: 20 * 60_000 })
    const leftOver = await missing.webhooks.missed(missing.id, `&created_after=${since}`)
    await missing.pause()
    const events = facts.records.events.map(({ id }) => fromUuid('evt', id))
    const acknowledged = new Set(
      postsOf(facts)
        .filter(isAcknowledged)
        .map(({ event_id }) => event_id),
    )
    const last = progress.at(-1)
    const { metrics, claims } = judgeDeliveries(facts, { kills: kills() })
    return {
      metrics: [
        ['events missed', events.length],
        ['workers killed while they were recovered', killing.kills],
        ['looks at the progress', progress.length],
        ['the last one', JSON.stringify(last?.progress)],
        ...metrics,
      ],
      claims: [
        left,
        ...claims,
        claim('nothing was sent while it was paused', whileAway === 0, `${whileAway} POSTs`),
        claim('the number of events is the number of runs', events.length === size.events, `${events.length}`),
        {
          says: 'every event is delivered, with its original id',
          violations: events.filter((id) => !acknowledged.has(id)),
        },
        claim('all events were found and delivered', isWhole(last, size.events), JSON.stringify(last)),
        { says: 'progress never decreases', violations: stepsBack(progress) },
        claim('no event is missed any more', leftOver.length === 0, `${leftOver.length} are`),
        measured('workers died meanwhile', killing.kills > 0, 'none did'),
      ],
    }
  },
})

/** Looks again and again until it has ended. */
const watchRecovery = async (
  { hopeless, say }: Stage,
  { webhooks, id }: Subscription,
  begun: WireRecovery,
): Promise<WireRecovery[]> => {
  const seen = [begun]
  while (seen.at(-1)?.status === 'running') {
    hopeless.throwIfAborted()
    await sleep(200)
    const now = await webhooks.recovery(id, begun.id)
    seen.push(now)
    say(JSON.stringify(now.progress))
  }
  return seen
}

const isWhole = (last: WireRecovery | undefined, events: number): boolean => {
  if (last?.status !== 'completed') return false
  const { found, delivered, failed } = last.progress
  return found === events && delivered === events && failed === 0
}

const stepsBack = (seen: readonly WireRecovery[]): string[] =>
  seen.slice(1).flatMap(({ progress: now }, at) => {
    const before = seen[at]?.progress
    if (!before) return []
    const isBack =
      now.found < before.found ||
      now.delivered < before.delivered ||
      now.failed < before.failed ||
      (now.scanned_until ?? '') < (before.scanned_until ?? '')
    return isBack ? [`${JSON.stringify(before)}, then ${JSON.stringify(now)}`] : []
  })
