import { setTimeout as sleep } from 'node:timers/promises'
import { fromUuid } from '@ars/platform/id'
import { addCustomer } from '../customers.ts'
import { policyClient, type WireRule } from '../policy-client.ts'
import { addQuietCustomers, type Customer, percentile, playQuiet, shown } from '../quiet-customers.ts'
import { claim, type Metric, measured, type Stage, scenario } from '../scenario.ts'

type Size = {
  /** The bound of the promise is 2. Beside the other stacks of CI, and with few samples, it is wider. */
  times: number
  /** Added to the baseline: with few samples a p99 is one unlucky run. The larger of the two bounds applies. */
  slackMs: number
  soloSeconds: number
  /** Beside each attack. */
  besideSeconds: number
}

/** What a customer does to hold up the others with its policies. */
type Attack = {
  name: string
  rules(stage: Stage): Promise<readonly WireRule[]>
  input: Record<string, unknown>
  /** Requests under way at the same time. */
  atOnce: number
}

const pauseMs = 50
/** Longer than the time after which a change of policies is in force. */
const warmUpSeconds = 6
/** An input of nearly the maximum size of a request. */
const largeChars = 1_000_000
const stopWord = 'quagga'

const onInput = { stages: ['input'], action: 'block' } as const
/** Refuses the large inputs in the end, so that only their checks cost something. */
const stop: WireRule = { ...onInput, id: 'stop', check: 'keywords', params: { words: [stopWord] } }
const filled = (text: string): Record<string, unknown> => ({
  query: `${text.repeat(Math.ceil(largeChars / text.length)).slice(0, largeChars)} ${stopWord}`,
})

const attacks: readonly Attack[] = [
  {
    name: 'a hook that hangs',
    // It answers just in time, so that nothing stops the service from asking again.
    rules: async ({ fleet }) => {
      const url = await fleet.receiver.serve(async () => {
        await sleep(9_000)
        return { action: 'BLOCKED' }
      })
      return [{ ...onInput, id: 'hook', check: 'http', params: { url, time_limit_ms: 10_000 } }]
    },
    input: { query: 'hello' },
    atOnce: 64,
  },
  {
    name: 'a pattern bomb on 1 MB',
    rules: async () => [
      { ...onInput, id: 'bomb', check: 'regex', params: { pattern: '(?:a?){160}a{160}', max_match_chars: 512 } },
      stop,
    ],
    input: filled(`${'a'.repeat(159)}b`),
    atOnce: 4,
  },
  {
    name: 'five checks of 1 MB',
    rules: async () => [
      { ...onInput, id: 'people', check: 'pii', params: {} },
      { ...onInput, id: 'secrets', check: 'secrets', params: {} },
      { ...onInput, id: 'hosts', check: 'url_allow', params: { hosts: ['example.com'] } },
      { ...onInput, id: 'pattern', check: 'regex', params: { pattern: '\\bconf[a-z]{1,20}tial-x\\b' } },
      stop,
    ],
    input: filled('On average a model answers within two seconds, and 42 of 50 people were content at 10:30. '),
    atOnce: 4,
  },
]

/** The clients of an attack open all connections at once, which costs the computer that they share with the others. */
const leadInMs = 3_000

/** One customer makes its policies as costly as it can. The others must hardly notice. */
export const hostilePolicies = scenario<Size>({
  name: 'hostile-policies',
  promise:
    'No check of one customer delays another: beside a hook that hangs, a pattern bomb and large inputs, requests take at most twice as long.',
  sizes: {
    ci: { times: 4, soloSeconds: 10, besideSeconds: 10, slackMs: 1000 },
    full: { times: 2, soloSeconds: 60, besideSeconds: 60, slackMs: 0 },
  },
  play: async (stage, { times, soloSeconds, besideSeconds, slackMs }) => {
    const quiet = await addQuietCustomers(stage)
    const attackers: Customer[] = []
    for (const attack of attacks) attackers.push(await plantAttacker(stage, attack, attackers.length))
    const resume = await stage.fleet.neighbour.pause()
    try {
      await playQuiet(stage, quiet, 'warm-up', warmUpSeconds)
      const solo = await playQuiet(stage, quiet, 'solo', soloSeconds)
      stage.say(`alone: ${shown(solo)}`)
      const metrics: Metric[] = [['delay alone, requests; ms: p50, p95, p99, most', `${solo.length}; ${shown(solo)}`]]
      const alone = percentile(solo, 0.99)
      const claims = [measured('there is enough to tell', solo.length >= 7 * soloSeconds, `${solo.length}`)]
      const slack = slackMs > 0 ? `, or ${slackMs} ms more` : ''
      for (const [n, attack] of attacks.entries()) {
        const customer = attackers[n]
        if (!customer) throw new Error('there is no attacker')
        const attacking = beginAttack(stage, customer, attack)
        await sleep(leadInMs)
        const beside = await playQuiet(stage, quiet, `beside-${n}`, besideSeconds)
        const { answers, sent } = await attacking.end()
        const p99 = percentile(beside, 0.99)
        metrics.push(
          [`beside ${attack.name}, requests; ms: p50, p95, p99, most`, `${beside.length}; ${shown(beside)}`],
          [`beside ${attack.name}: p99 as a multiple of that alone`, (p99 / alone).toFixed(2)],
          [`responses to ${attack.name}`, answers],
        )
        claims.push(
          measured(
            `beside ${attack.name}: p99 of the others’ delay is at most ${times} times that alone${slack}`,
            p99 <= Math.max(times * alone, alone + slackMs),
            `${p99} ms against ${alone} ms`,
          ),
          claim(`${attack.name} was tried`, sent > attack.atOnce, `${sent} responses`),
        )
      }
      return { metrics, claims }
    } finally {
      resume()
    }
  },
})

const plantAttacker = async (stage: Stage, { name, rules }: Attack, n: number): Promise<Customer> => {
  const customer = await addCustomer(stage, `hostile-${n}`, { concurrentRuns: 50 })
  const policies = policyClient(customer.client)
  const policyId = await policies.create(stage.key(`policy-${n}`), { name, rules: await rules(stage) })
  await policies.attach(stage.key(`attach-${n}`), policyId, fromUuid('org', customer.id))
  return customer
}

const beginAttack = (stage: Stage, customer: Customer, attack: Attack) => {
  const counts = new Map<number, number>()
  let isOver = false
  let sent = 0
  const ready = readyCall(customer, attack)
  const attackOnce = async (): Promise<void> => {
    const key = stage.key(`${customer.label}-${sent++}`)
    const call = {
      ...ready,
      headers: { ...customer.client.authorization, 'idempotency-key': key, prefer: 'respond-async' },
    }
    const attempt = { what: 'create', key, call, expects: [422, 429, 503], isSabotaged: true } as const
    const answer = await customer.client.attempt(sent % 2, attempt)
    const status = answer?.status ?? 0
    counts.set(status, (counts.get(status) ?? 0) + 1)
  }
  const worker = async (): Promise<void> => {
    while (!isOver && !stage.hopeless.aborted) {
      await attackOnce()
      await sleep(pauseMs)
    }
  }
  const working = Promise.all(Array.from({ length: attack.atOnce }, worker))
  return {
    end: async () => {
      isOver = true
      await working
      const answers = [...counts].map(([status, count]) => `${status || 'none'}: ${count}`).toSorted()
      return { answers: answers.join(', '), sent }
    },
  }
}

/** Written once: the writing of a megabyte for each request would delay the clients that are measured. */
const readyCall = ({ client, agentId }: Customer, { input, name }: Attack) => {
  const call = client.toCall({ key: name, agentId: agentId('test-echo'), input, prefer: '' })
  return { ...call, body: JSON.stringify(call.body) }
}
