import { setTimeout as sleep } from 'node:timers/promises'
import { fromUuid } from '@ars/platform/id'
import { addCustomer, type Customer } from '../customers.ts'
import { shootOnce } from '../journaled-shot.ts'
import { type PolicyClient, policyClient, type WireRule } from '../policy-client.ts'
import type { Program } from '../receiver.ts'
import { toRun } from '../run-client.ts'
import { type Claim, claim, type Metric, measured, type Stage, scenario } from '../scenario.ts'

type Size = {
  seconds: number
  /** Requests per second of each of the customers. */
  perSecond: number
}

/** What a request became: accepted, forbidden, not judged, or something else. */
type Shot = { atMs: number; tookMs: number; status: number; runId: string | undefined }

/** One customer whose rule asks a program that fails in its own way. */
type Hooked = { fault: string; customer: Customer; shots: Shot[] }

const timeLimitMs = 1_000
const maxOverMs = 250
/** A change counts for every run that is accepted this long after it. */
const inForceMs = 5_000
const changeEveryMs = 500

const pass = { action: 'NONE' }
const never = new Promise<never>(() => undefined)

/** Of programs that rules ask. */
const faults: Readonly<Record<string, Program>> = {
  none: async () => pass,
  hangs: () => never,
  resets: async () => 'reset',
  slow: async () => {
    await sleep(2_000)
    return pass
  },
}

/** Policies whose checks cannot be made, and policies that change all the time, under load. */
export const guardrails = scenario<Size>({
  name: 'R39',
  promise:
    'Policies are never skipped: a blocking rule that cannot be checked refuses with 503 in its time limit, and a change is atomic and in force after 5 s.',
  sizes: { ci: { seconds: 12, perSecond: 4 }, full: { seconds: 120, perSecond: 10 } },
  play: async (stage, size) => {
    const hooked: Hooked[] = []
    for (const [fault, program] of Object.entries(faults)) hooked.push(await plantHooked(stage, fault, program))
    const changing = await plantChanging(stage)
    const killing = killGateway(stage, size.seconds)
    const [changed] = await Promise.all([
      playChanging(stage, changing, size),
      ...hooked.map((each) => playHooked(stage, each, size)),
    ])
    await killing
    await stage.fleet.supervision.settle()
    const unpinned = await countUnpinned(stage, [...hooked.map(({ customer }) => customer), changing.customer])
    return {
      metrics: [...hooked.map(metricOf), ['changes of a policy under load', changed.changes]],
      claims: [
        claim('no run was accepted without its set of policies', unpinned === 0, `${unpinned} runs have none`),
        ...hooked.flatMap(judgeHooked),
        ...changed.claims,
      ],
    }
  },
})

const plantHooked = async (stage: Stage, fault: string, program: Program): Promise<Hooked> => {
  const customer = await addCustomer(stage, `hook-${fault}`)
  const url = await stage.fleet.receiver.serve(program)
  const hook = { id: 'hook', check: 'http', params: { url, time_limit_ms: timeLimitMs } }
  await inForce(stage, customer, `hook-${fault}`, [{ ...hook, stages: ['input'], action: 'block' }])
  return { fault, customer, shots: [] }
}

/** Answers the id of the policy, once it is in force. */
const inForce = async (
  stage: Stage,
  customer: Customer,
  name: string,
  rules: readonly WireRule[],
): Promise<{ policies: PolicyClient; policyId: string }> => {
  const policies = policyClient(customer.client)
  const policyId = await policies.create(stage.key(`policy-${name}`), { name, rules })
  await policies.attach(stage.key(`attach-${name}`), policyId, fromUuid('org', customer.id))
  return { policies, policyId }
}

const shoot = async (stage: Stage, customer: Customer, name: string, query: string): Promise<Shot> => {
  const { client } = customer
  const order = {
    key: stage.key(name),
    agentId: customer.agentId('test-echo'),
    input: { query },
    prefer: 'respond-async',
  }
  const atMs = performance.now()
  const gateway = Number(name.split('-').at(-1)) % 2
  const attempt = { what: 'create', key: order.key, call: client.toCall(order), expects: [202, 422, 503] } as const
  const { tookMs, answer } = await shootOnce(client, gateway, attempt)
  return { atMs, tookMs, status: answer?.status ?? 0, runId: (answer && toRun(answer)?.id) ?? undefined }
}

/** At a fixed rate, whatever becomes of earlier requests. */
const atRate = async (
  { hopeless }: Stage,
  { seconds, perSecond }: Size,
  send: (n: number) => Promise<void>,
): Promise<void> => {
  const begun = performance.now()
  const sent: Promise<void>[] = []
  for (let n = 0; n < seconds * perSecond; n++) {
    await sleep(Math.max(0, begun + (n * 1000) / perSecond - performance.now()))
    hopeless.throwIfAborted()
    sent.push(send(n))
  }
  await Promise.all(sent)
}

const playHooked = async (stage: Stage, { fault, customer, shots }: Hooked, size: Size): Promise<void> => {
  // The set is read with the credential, so the first requests may not see it yet.
  await sleep(inForceMs)
  await atRate(stage, size, async (n) => void shots.push(await shoot(stage, customer, `${fault}-${n}`, 'hello')))
}

const judgeHooked = ({ fault, shots }: Hooked): Claim[] => {
  const answered = shots.filter(({ status }) => status !== 0)
  const enough = measured(
    `${fault}: there is enough to tell`,
    answered.length >= shots.length / 2,
    `${answered.length}`,
  )
  if (fault === 'none') {
    const accepted = answered.filter(({ status }) => status === 202).length
    return [enough, measured('none: requests pass', accepted >= 0.9 * answered.length, `${accepted} accepted`)]
  }
  const late = answered.filter(({ tookMs }) => tookMs > timeLimitMs + maxOverMs)
  return [
    enough,
    {
      says: `${fault}: nothing is accepted`,
      violations: answered
        .filter(({ status }) => status !== 503)
        .map(({ status, runId }) => `${status} ${runId ?? ''}`),
    },
    measured(
      `${fault}: all but 1 in 20 are refused within the time limit and ${maxOverMs} ms`,
      late.length <= answered.length / 20,
      late.map(({ tookMs }) => `${Math.round(tookMs)} ms`).join(', '),
    ),
  ]
}

const metricOf = ({ fault, shots }: Hooked): Metric => {
  const counts = [...Map.groupBy(shots, ({ status }) => status || 'none')].map(
    ([status, { length }]) => `${status}: ${length}`,
  )
  const most = Math.max(0, ...shots.filter(({ status }) => status !== 0).map(({ tookMs }) => tookMs))
  return [`program ${fault}: responses; most, ms`, `${counts.toSorted().join(', ')}; ${Math.round(most)}`]
}

type Changing = { customer: Customer; policies: PolicyClient; policyId: string }

/** One version forbids one word, the next one the other word. A text with both words is always forbidden. */
const words = ['quagga', 'thylacine'] as const

const ruleAgainst = (word: string): WireRule => ({
  id: 'word',
  check: 'keywords',
  stages: ['input'],
  action: 'block',
  params: { words: [word] },
})

const plantChanging = async (stage: Stage): Promise<Changing> => {
  const customer = await addCustomer(stage, 'changing')
  return { customer, ...(await inForce(stage, customer, 'changing', [ruleAgainst(words[0])])) }
}

const playChanging = async (
  stage: Stage,
  { customer, policies, policyId }: Changing,
  size: Size,
): Promise<{ changes: number; claims: Claim[] }> => {
  await sleep(inForceMs)
  let isOver = false
  let changes = 0
  const change = async (): Promise<void> => {
    while (!isOver) {
      changes++
      await policies.change(policyId, { rules: [ruleAgainst(words[changes % 2] ?? words[0])] })
      await sleep(changeEveryMs)
    }
  }
  const changing = change()
  const both: Shot[] = []
  await atRate(stage, size, async (n) => void both.push(await shoot(stage, customer, `both-${n}`, words.join(' and '))))
  isOver = true
  await changing
  await sleep(inForceMs)
  const [forbidden, allowed] = [words[changes % 2] ?? '', words[(changes + 1) % 2] ?? '']
  const after = await Promise.all([0, 1, 2, 3].map((n) => shoot(stage, customer, `after-${n}`, forbidden)))
  const other = await Promise.all([0, 1, 2, 3].map((n) => shoot(stage, customer, `other-${n}`, allowed)))
  const not = (shots: readonly Shot[], wanted: number): string[] =>
    shots
      .filter(({ status }) => status !== wanted && status !== 0)
      .map(({ status, runId }) => `${status} ${runId ?? ''}`)
  return {
    changes,
    claims: [
      {
        says: 'a change is atomic: what both versions forbid is never accepted',
        violations: both.filter(({ status }) => status >= 200 && status < 300).map(({ runId }) => `${runId}`),
      },
      // A gateway without time from its computer learns of a change later, or turns a request away.
      {
        says: 'what both versions forbid is refused with 422, and the last change is in force 5 s later',
        violations: [...not(both, 422), ...not(after, 422), ...not(other, 202)],
        isMeasured: true,
      },
      measured('there were changes under load', changes >= 5, `${changes}`),
    ],
  }
}

/** One gateway dies in the middle: the policies are those of the database. */
const killGateway = async ({ fleet, random, hopeless }: Stage, seconds: number): Promise<void> => {
  await sleep(inForceMs + (seconds * 1000) / 3)
  hopeless.throwIfAborted()
  const { name } = random.fork('kill').pick(fleet.gateways)
  if (fleet.supervision.isUp(name)) await fleet.supervision.kill(name)
}

const countUnpinned = async ({ fleet }: Stage, customers: readonly Customer[]): Promise<number> => {
  const [row] = await fleet.records.query<{ runs: number }>(
    'select count(*)::integer as runs from runs where org_id = any ($1) and policy_set_id is null',
    [customers.map(({ id }) => id)],
  )
  return row?.runs ?? 0
}
