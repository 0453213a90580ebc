import { judgeDeliveries } from '../checks/deliveries.ts'
import { postsOf } from '../checks/delivery-facts.ts'
import { addCustomer, type Customer, carryOutAtRate, quickOrder } from '../customers.ts'
import type { ReceivedLine } from '../receiver-journal.ts'
import { type Claim, claim, type Stage, scenario } from '../scenario.ts'
import { factsOf, type Subscription, secretOf, subscribe } from '../subscription.ts'
import { countWorkerKills } from '../worker-kills.ts'

type Size = {
  /** Each receives every run. */
  endpoints: number
  runsPerSecond: number
  /** With the first secret, in the overlap, and after a change without one. */
  secondsEach: number
}

/** A request that began before a response may arrive this much later. */
const settleMs = 1500
const overlapHours = 24

/** Texts that a program which writes JSON anew would not write the same way. */
const texts = {
  emoji: '👩‍🚀 🇳🇱 é ß "quoted" \\ / </script>',
  'line separators': 'a\u2028b\u2029c',
  'almost a megabyte': '𝔸 € '.repeat(75_000),
} as const

/** Secrets change while events flow; a receiver that knows what it was told can verify every one. */
export const signatures = scenario<Size>({
  name: 'R17',
  promise:
    'Signatures are true and can be rotated: under load no delivery is unverifiable, before, in and after an overlap.',
  sizes: {
    ci: { endpoints: 10, runsPerSecond: 5, secondsEach: 3 },
    full: { endpoints: 10, runsPerSecond: 5, secondsEach: 20 },
  },
  play: async (stage, size) => {
    const kills = countWorkerKills(stage)
    const customer = await addCustomer(stage, 'c')
    const { client } = customer
    const all: Subscription[] = []
    for (let n = 0; n < size.endpoints; n++) all.push(await subscribe(stage, `e${n}`, { client }))
    const secrets = all.map(({ secret }, n) => [
      secret,
      secretOf(stage.key(`second-${n}`)),
      secretOf(stage.key(`third-${n}`)),
    ])
    // It writes down which of the three it was; what a receiver may know at a moment is judged afterwards.
    for (const [n, { endpoint }] of all.entries()) endpoint.know(secrets[n] ?? [])

    const hard = await sendHardTexts(stage, customer)
    const flow = playFlow(stage, customer, size)
    await flow.wait(1)
    const overlap = await rotateAll(all, (n) => ({ secret: secrets[n]?.[1] ?? '', overlap_hours: overlapHours }))
    await flow.wait(2)
    const change = await rotateAll(all, (n) => ({ secret: secrets[n]?.[2] ?? '', overlap_hours: 0 }))
    const runs = await flow.end()
    const { left, ...facts } = await factsOf(stage, all)
    for (const { pause } of all) await pause()
    const posts = postsOf(facts)
    const before = posts.filter(({ at_ms }) => at_ms < overlap.fromMs)
    const within = posts.filter(({ at_ms }) => at_ms > overlap.untilMs + settleMs && at_ms < change.fromMs)
    const after = posts.filter(({ at_ms }) => at_ms > change.untilMs + settleMs)
    const { metrics, claims } = judgeDeliveries(facts, { kills: kills() })
    return {
      metrics: [
        ['runs', runs + hard.length],
        [
          'POSTs before, in the overlap, after the change without one',
          [before, within, after].map(({ length }) => length).join(', '),
        ],
        ['largest body, bytes', Math.max(...posts.map(({ bytes }) => bytes))],
        ...metrics,
      ],
      claims: [
        left,
        ...claims,
        signedBy('before: one signature, by the first secret', before, { plain: '0', standard: '0', count: 1 }),
        signedBy('in the overlap: both in the standard header, the plain one still by the first', within, {
          plain: '0',
          standard: '0,1',
          count: 2,
        }),
        signedBy('after a change without overlap: by the new one alone', after, {
          plain: '2',
          standard: '2',
          count: 1,
        }),
        {
          says: 'emoji, line separators, almost a megabyte and an empty object arrive and verify',
          violations: hard.filter((id) => posts.filter(({ subject }) => subject === id).length < size.endpoints),
        },
        claim(
          'one body was almost a megabyte',
          posts.some(({ bytes }) => bytes > 900_000),
          'none was',
        ),
      ],
    }
  },
})

const signedBy = (
  says: string,
  posts: readonly ReceivedLine[],
  wanted: { plain: string; standard: string; count: number },
): Claim => {
  const wrong = posts.filter(
    ({ plain_by, standard_by, signatures }) =>
      plain_by.join() !== wanted.plain || standard_by.join() !== wanted.standard || signatures !== wanted.count,
  )
  const words = wrong.map(
    ({ event_id, url, ...post }) =>
      `${event_id} at ${url}: plain by ${post.plain_by}, standard by ${post.standard_by}, ${post.signatures} signatures`,
  )
  return { says, violations: posts.length === 0 ? ['nothing came'] : words }
}

const sendHardTexts = async (stage: Stage, customer: Customer): Promise<string[]> => {
  const inputs = [...Object.values(texts).map((query) => ({ query })), {}]
  const ids: string[] = []
  for (const [n, input] of inputs.entries()) {
    const { id } = await customer.client.carryOut(quickOrder(stage, customer, `hard-${n}`, { input }))
    ids.push(id)
  }
  return ids
}

/** Runs at a steady pace through all three stretches. */
const playFlow = (stage: Stage, customer: Customer, { runsPerSecond, secondsEach }: Size) => {
  const begun = performance.now()
  const stretchMs = secondsEach * 1000 + settleMs
  const orders = Array.from({ length: Math.round((3 * stretchMs * runsPerSecond) / 1000) }, (_, n) =>
    quickOrder(stage, customer, `run-${n}`),
  )
  const runs = carryOutAtRate(stage, customer, orders, { perSecond: runsPerSecond })
  return {
    wait: (stretches: number): Promise<void> =>
      new Promise((resolve) => setTimeout(resolve, Math.max(0, begun + stretches * stretchMs - performance.now()))),
    end: async (): Promise<number> => (await runs).length,
  }
}

const rotateAll = async (
  all: readonly Subscription[],
  body: (n: number) => { secret: string; overlap_hours: number },
): Promise<{ fromMs: number; untilMs: number }> => {
  const fromMs = performance.now()
  await Promise.all(all.map(({ webhooks, id }, n) => webhooks.rotate(id, body(n))))
  return { fromMs, untilMs: performance.now() }
}
