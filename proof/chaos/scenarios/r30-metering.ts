import { setTimeout as sleep } from 'node:timers/promises'
import { moveDatabaseClock } from '@ars/testkit/clock'
import type { ApiAnswer } from '../../lab/client/api-caller.ts'
import { waitFor } from '../../lab/condition.ts'
import type { Organisation } from '../../lab/stack/organisation.ts'
import { planKills } from '../kill-plan.ts'
import { getRun, isFine, type RunClient, type RunOrder } from '../run-client.ts'
import { claim, type Metric, type Stage, scenario } from '../scenario.ts'
import { carryOutKills } from './r5-crash.ts'

type Size = {
  orders: number
  /** Calls that the month has: fewer than are ordered. */
  quota: number
  kills: number
  clients: number
  /** Calls that each of the two months has in the second part, in which the month turns. */
  monthlyQuota: number
}

type Customer = Organisation & { client: RunClient }

/** What an order came to: a run, or the word that the month's calls are used up. */
type Settled = {
  order: RunOrder
  runId: string | null
  /** What sending it once more told, where that was done. */
  again: { runId: string; isReplayed: boolean } | undefined
}

const strangerEvery = 6
const againShare = 0.5
/** So long before the end of a month its last requests begin. */
const beforeTurnMs = 3000
const maxTurnMs = 90_000

/** Whatever is killed, the counter is the number of accepted calls; nobody gets one more than the month has. */
export const metering = scenario<Size>({
  name: 'R30',
  promise:
    'Metering is exact: whatever crashes, the calls of a month are its accepted requests; replays, refusals and strangers ' +
    'do not count, and the last call of the quota is given once.',
  sizes: {
    ci: { orders: 120, quota: 90, kills: 5, clients: 12, monthlyQuota: 60 },
    full: { orders: 12_000, quota: 10_000, kills: 60, clients: 24, monthlyQuota: 2000 },
  },
  patienceMs: { ci: 240_000, full: 45 * 60_000 },
  play: async (stage, size) => {
    const crashed = await playCrashes(stage, size)
    const turned = await playTurn(stage, size)
    return { metrics: [...crashed.metrics, ...turned.metrics], claims: [...crashed.claims, ...turned.claims] }
  },
})

const playCrashes = async (stage: Stage, size: Size) => {
  const { fleet, random } = stage
  const customer = await addCustomer(stage, 'r30', size.quota)
  const orders = Array.from({ length: size.orders }, (_, n) => orderOf(stage, customer, `crash-${n}`))
  const settled: Settled[] = []
  let strangers = 0
  const client = async (): Promise<void> => {
    for (let order = orders.shift(); order; order = orders.shift()) {
      settled.push(await settle(stage, customer, order))
      if (settled.length % strangerEvery === 0 && (await knock(stage, customer, settled.length))) strangers++
    }
  }
  const clients = Promise.all(Array.from({ length: size.clients }, client))
  const plan = planKills(random.fork('kills'), { kills: size.kills, ended: size.orders })
  const killed = await carryOutKills(stage, plan, () => settled.length, { random: random.fork('moments') })
  await fleet.supervision.settle()
  await clients
  const accepted = settled.filter(({ runId }) => runId !== null)
  // When nothing is left, every retry still gets its run.
  const replays = await Promise.all(accepted.slice(0, 50).map(({ order }) => resend(customer, order)))
  const [usage] = await usageOf(stage, customer)
  const told = new Set(accepted.map(({ runId }) => runId))
  const refused = settled.length - accepted.length
  const sentAgain = settled.flatMap(({ runId, again }) => (again ? [{ runId, again }] : []))
  return {
    metrics: [
      ['orders', settled.length],
      ['kills', killed.length],
      [
        'calls of the quota, counted calls, runs, runs told of',
        `${size.quota}, ${usage?.calls}, ${usage?.runs}, ${told.size}`,
      ],
      ['difference between counted and accepted calls', Math.abs((usage?.calls ?? 0) - told.size)],
      ['orders refused with 429', refused],
      ['replays', sentAgain.length + replays.length],
      ['requests refused with 401', strangers],
    ] satisfies Metric[],
    claims: [
      claim(
        'counted calls are accepted calls',
        usage?.calls === told.size,
        `${usage?.calls} counted, ${told.size} told`,
      ),
      claim('counted calls are runs', usage?.calls === usage?.runs, `${usage?.calls} counted, ${usage?.runs} runs`),
      claim('exactly the quota was accepted', usage?.calls === size.quota, `${usage?.calls}`),
      {
        says: 'a request that is sent again gets its run as a replay, with the quota used up as well',
        violations: [
          ...sentAgain
            .filter(({ runId, again }) => again.runId !== runId || !again.isReplayed)
            .map(({ runId, again }) => `${runId}: ${again.runId} ${again.isReplayed}`),
          ...replays
            .filter(({ runId, isReplayed }) => !told.has(runId) || !isReplayed)
            .map(({ runId, isReplayed }) => `afterwards: ${runId} ${isReplayed}`),
        ],
      },
      claim(
        'there were kills, replays, 429s and 401s',
        killed.length >= size.kills && sentAgain.length > 0 && refused > 0 && strangers > 0,
        `${killed.length} kills, ${sentAgain.length} replays, ${refused} refusals, ${strangers} strangers`,
      ),
    ],
  }
}

/**
 * The database's clock is set to shortly before the month began, and the month begins once more, under load. Backwards,
 * because nothing falls due by it.
 */
const playTurn = async (stage: Stage, size: Size) => {
  const { fleet } = stage
  const customer = await addCustomer(stage, 'r30-turn', size.monthlyQuota)
  const ownerUrl = fleet.stack.postgres.url('ars_owner')
  const resume = await fleet.neighbour.pause()
  await nothingActive(stage)
  const backMs = Math.round((await sinceMonthBeganMs(stage)) + beforeTurnMs)
  const settled: Settled[] = []
  let isOver = false
  const client = async (own: number): Promise<void> => {
    for (let n = own; !isOver; n += size.clients) {
      const one = await settle(stage, customer, orderOf(stage, customer, `turn-${n}`))
      settled.push(one)
      // A refused client retries soon; the month is about to end.
      if (one.runId === null) await sleep(stage.random.fork(`pause-${n}`).whole(20, 60))
    }
  }
  await moveDatabaseClock(ownerUrl, -backMs)
  try {
    const clients = Promise.all(Array.from({ length: size.clients }, (_, own) => client(own)))
    const isFull = async (): Promise<boolean> => {
      const usage = await usageOf(stage, customer)
      return usage.length === 2 && (usage[1]?.calls ?? 0) >= size.monthlyQuota
    }
    await waitFor('the new month to be used up', isFull, { timeoutMs: maxTurnMs }).finally(() => {
      isOver = true
    })
    await clients
    await nothingActive(stage)
  } finally {
    isOver = true
    await moveDatabaseClock(ownerUrl, backMs)
    resume()
  }
  const usage = await usageOf(stage, customer)
  const accepted = settled.filter(({ runId }) => runId !== null).length
  return {
    metrics: [
      [
        'months, with the calls and runs of each',
        usage.map(({ month, calls, runs }) => `${month}: ${calls}, ${runs}`).join('; '),
      ],
      ['requests while the month turned', `${settled.length}, of which ${accepted} accepted`],
    ] satisfies Metric[],
    claims: [
      {
        says: 'every call is counted in the month in which its run was created',
        violations: usage.filter(({ calls, runs }) => calls !== runs).map((each) => JSON.stringify(each)),
      },
      {
        says: 'no month is beyond its quota',
        violations: usage.filter(({ calls }) => calls > size.monthlyQuota).map((each) => JSON.stringify(each)),
      },
      claim('the new month has its full quota', usage[1]?.calls === size.monthlyQuota, `${usage[1]?.calls} calls`),
      claim(
        'counted calls are accepted calls in both months together',
        usage.reduce((sum, { calls }) => sum + calls, 0) === accepted,
        `${accepted} accepted`,
      ),
    ],
  }
}

const addCustomer = async ({ fleet }: Stage, label: string, quota: number): Promise<Customer> => {
  const customer = await fleet.addOrganisation(label, { concurrentRuns: 200 })
  await fleet.records.query('update organisations set calls_per_month = $2 where id = $1', [customer.id, quota])
  return customer
}

const orderOf = (stage: Stage, customer: Customer, name: string): RunOrder => {
  const dice = stage.random.fork(name)
  return {
    key: stage.key(name),
    agentId: customer.agentId('test-steps'),
    input: { steps: 1, delay_ms: dice.whole(0, 50) },
    prefer: dice.pick(['wait=10', 'respond-async']),
  }
}

/** Until it is accepted, or refused because the quota is used up. */
const settle = async (stage: Stage, customer: Customer, order: RunOrder): Promise<Settled> => {
  const dice = stage.random.fork(`settle/${order.key}`)
  for (;;) {
    stage.hopeless.throwIfAborted()
    const answer = await send(customer, order)
    if (isFine(answer)) {
      const again = dice.next() < againShare ? await resend(customer, order) : undefined
      stage.say(`${order.key} accepted`)
      return { order, runId: getRun(answer).id, again }
    }
    if (codeOf(answer) === 'quota_exceeded') return { order, runId: null, again: undefined }
    await sleep(dice.whole(50, 200))
  }
}

const send = ({ client }: Customer, order: RunOrder): Promise<ApiAnswer> =>
  client.insist({ what: 'create', key: order.key, call: client.toCall(order), expects: [200, 202, 429] })

const resend = async ({ client }: Customer, order: RunOrder): Promise<{ runId: string; isReplayed: boolean }> => {
  const { id, isReplayed } = getRun(await client.insist({ what: 'create', key: order.key, call: client.toCall(order) }))
  return { runId: id, isReplayed }
}

/** A stranger's key. True: it was told 401. */
const knock = async (stage: Stage, customer: Customer, n: number): Promise<boolean> => {
  const { client } = customer
  const call = client.toCall(orderOf(stage, customer, `stranger-${n}`))
  const headers = { ...call.headers, authorization: 'Bearer ars_live_nobody' }
  const wanted = {
    what: 'create',
    key: stage.key(`stranger-${n}`),
    call: { ...call, headers },
    expects: [401],
  } as const
  return (await client.attempt(n % 2, wanted))?.status === 401
}

const codeOf = ({ text }: ApiAnswer): string | undefined =>
  (JSON.parse(text) as { error?: { code?: string } }).error?.code

/** The counted calls and the created runs of each month. */
const usageOf = ({ fleet }: Stage, { id }: Customer): Promise<{ month: string; calls: number; runs: number }[]> =>
  fleet.records.query(
    `select coalesce(c.month, r.month)::text as month, coalesce(c.calls, 0)::integer as calls,
            coalesce(r.runs, 0)::integer as runs
       from (select month, sum(calls) as calls from call_counts where org_id = $1 group by month) c
       full join (select date_trunc('month', created_at at time zone 'utc')::date as month, count(*) as runs
                    from runs where org_id = $1 group by 1) r on r.month = c.month
      order by 1`,
    [id],
  )

const sinceMonthBeganMs = async ({ fleet }: Stage): Promise<number> => {
  const [row] = await fleet.records.query<{ ms: number }>(
    `select extract(epoch from (app_now() at time zone 'utc')
              - date_trunc('month', app_now() at time zone 'utc'))::float8 * 1000 as ms`,
  )
  return row?.ms ?? Number.NaN
}

const nothingActive = async ({ fleet }: Stage): Promise<void> => {
  await waitFor(
    'the runs to end',
    async () => {
      const [row] = await fleet.records.query<{ runs: number }>(
        `select count(*)::integer as runs from run_heads where status <> 'requires_action'`,
      )
      return row?.runs === 0
    },
    { timeoutMs: 60_000 },
  )
}
