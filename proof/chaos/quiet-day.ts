import { setTimeout as sleep } from 'node:timers/promises'
import { toUuid, uuidTimeMs } from '@ars/platform/id'
import { waitFor } from '../lab/condition.ts'
import { operationsOf } from './checks/operations.ts'
import { addCustomer, type Customer } from './customers.ts'
import type { RunOrder } from './run-client.ts'
import type { Stage } from './scenario.ts'
import { followRun } from './stream-client.ts'
import { type Subscription, subscribe } from './subscription.ts'

/** What customers do on a quiet day, of every kind a little. */
export const kinds = ['run', 'stream', 'schedule', 'batch', 'pipeline', 'message', 'webhook'] as const
export type Kind = (typeof kinds)[number]

export type DayCustomer = Customer & { scheduleId: string; pipelineId: string; hook: Subscription }

export type Day = {
  /** How long each took, sorted, in milliseconds, without the work of its run. */
  delays: Readonly<Record<Kind, readonly number[]>>
  /** Accepted, and not done at the end. */
  lost: readonly string[]
  /** Calls that were not answered, or with a refusal. */
  refused: readonly string[]
}

const runMs = 200
const maxEndMs = 120_000

export const addDayCustomers = async (stage: Stage, count: number): Promise<DayCustomer[]> => {
  const channel = await stage.fleet.receiver.serve(async () => ({}))
  const customers: DayCustomer[] = []
  for (let n = 1; n <= count; n++) {
    const customer = await addCustomer(stage, `quiet-${n}`, { concurrentRuns: 50 })
    const agent_id = customer.agentId('test-echo')
    const make = (path: string, body: object) => ask(stage, customer, `make-${path}`, { path, body })
    await make('/alert-destinations', { type: 'slack', url: `${channel}/${n}` })
    const { id: scheduleId } = await make('/schedules', {
      ...{ name: 'quiet', agent_id, cron: '0 0 1 1 *', time_zone: 'UTC', overlap: 'allow', input: { query: 'x' } },
    })
    const steps = [{ key: 'a', agent_id, input: { query: 'x' } }]
    const { id: pipelineId } = await make('/pipelines', { name: 'quiet', definition: { steps } })
    const hook = await subscribe(stage, `quiet-${n}`, { client: customer.client })
    customers.push({ ...customer, scheduleId, pipelineId, hook })
  }
  return customers
}

const ask = async (
  stage: Stage,
  { client, label }: Customer,
  name: string,
  { path, body }: { path: string; body?: object },
): Promise<{ id: string }> => {
  const key = stage.key(`${label}/${name}`)
  const headers = { ...client.authorization, 'idempotency-key': key }
  const call = { method: 'POST', path: `/v2${path}`, headers, ...(body && { body }) } as const
  // In the journal it is a listing: an answer without a run.
  return JSON.parse((await client.insist({ what: 'list', key, call })).text) as { id: string }
}

/** The mean time between two of a kind of one customer. */
const everyMs: Readonly<Record<Exclude<Kind, 'webhook'>, number>> = {
  ...{ run: 3_000, stream: 6_000, schedule: 6_000, batch: 6_000, pipeline: 6_000, message: 15_000 },
}

type Asked = { kind: Kind; id: string; sentAt: number }

/** The same moments in every part. `paceFactor` stretches the time between two of a kind. */
export const playDay = async (
  stage: Stage,
  customers: readonly DayCustomer[],
  { part, seconds, paceFactor }: { part: string; seconds: number; paceFactor: number },
): Promise<Day> => {
  const { fleet, random, hopeless } = stage
  const fromMs = performance.now()
  const fromAt = Date.now()
  const asked: Asked[] = []
  const direct: { kind: Kind; ms: number }[] = []

  const begin: Record<Exclude<Kind, 'webhook'>, (customer: DayCustomer, name: string) => Promise<void>> = {
    run: async ({ client, agentId }, name) => {
      const order: RunOrder = {
        key: stage.key(name),
        agentId: agentId('test-steps'),
        input: stepInput,
        prefer: 'wait=10',
      }
      const sentMs = performance.now()
      await client.carryOut(order)
      direct.push({ kind: 'run', ms: performance.now() - sentMs - runMs })
    },
    stream: async ({ client, agentId }, name) => {
      const order: RunOrder = { key: stage.key(name), agentId: agentId('test-steps'), input: stepInput, prefer: '' }
      const sentMs = performance.now()
      await followRun({ client, journal: fleet.journal, order, random: random.fork(name), hopeless, cutAfterBytes: [] })
      direct.push({ kind: 'stream', ms: performance.now() - sentMs - runMs })
    },
    schedule: async (customer, name) => {
      const sentAt = Date.now()
      const { id } = await ask(stage, customer, name, { path: `/schedules/${customer.scheduleId}/run` })
      asked.push({ kind: 'schedule', id: toUuid(id), sentAt })
    },
    batch: async (customer, name) => {
      const sentAt = Date.now()
      const body = { agent_id: customer.agentId('test-echo'), items: [{ input: { query: name } }] }
      const { id } = await ask(stage, customer, name, { path: '/batches', body })
      asked.push({ kind: 'batch', id: toUuid(id), sentAt })
    },
    pipeline: async (customer, name) => {
      const sentAt = Date.now()
      const { id } = await ask(stage, customer, name, {
        path: `/pipelines/${customer.pipelineId}/runs`,
        body: { input: {} },
      })
      asked.push({ kind: 'pipeline', id: toUuid(id), sentAt })
    },
    message: async (customer, name) => {
      const sentAt = Date.now()
      const body = { name: 'quiet', metric: 'quota_used', operator: 'below', threshold: 1 }
      const { id } = await ask(stage, customer, name, { path: '/alert-rules', body })
      asked.push({ kind: 'message', id: toUuid(id), sentAt })
    },
  }

  await Promise.all(
    customers.flatMap((customer) =>
      Object.entries(begin).map(async ([kind, start]) => {
        const dice = random.fork(`day/${customer.label}/${kind}`)
        const every = everyMs[kind as Exclude<Kind, 'webhook'>] * paceFactor
        const underWay: Promise<void>[] = []
        for (let n = 0, atMs = dice.whole(0, every); atMs < seconds * 1_000; n++) {
          await sleep(Math.max(0, fromMs + atMs - performance.now()))
          hopeless.throwIfAborted()
          underWay.push(start(customer, `${part}-${customer.label}-${kind}-${n}`))
          atMs += Math.round(every * (0.5 + dice.next()))
        }
        await Promise.all(underWay)
      }),
    ),
  )
  const untilMs = performance.now()
  const untilAt = Date.now()
  const { ends, left } = await awaitEnds(stage, asked)
  const hooks = customers.flatMap(({ hook }) => {
    const firsts = new Map<string, number>()
    for (const { event_id, at } of fleet.receiver.received(hook.endpoint.url))
      if (!firsts.has(event_id)) firsts.set(event_id, at)
    return [...firsts].flatMap(([event, at]) => {
      const createdAt = uuidTimeMs(toUuid(event as `evt_${string}`))
      return createdAt >= fromAt && createdAt <= untilAt ? [{ kind: 'webhook' as const, ms: at - createdAt }] : []
    })
  })
  const all = [...direct, ...ends, ...hooks]
  const delays = Object.fromEntries(
    kinds.map((kind) => [
      kind,
      all
        .filter((each) => each.kind === kind)
        .map(({ ms }) => ms)
        .toSorted((a, b) => a - b),
    ]),
  ) as Record<Kind, number[]>
  const labels = new Set(customers.map(({ client }) => client.org))
  const refused = operationsOf(await fleet.journal.read())
    .filter(({ org, at_ms }) => labels.has(org) && at_ms >= fromMs && at_ms <= untilMs)
    .filter(({ answer }) => !answer || answer.status === 0 || answer.status >= 400)
    .map(({ what, key, answer }) => `${what} ${key}: ${answer?.status ?? 'no answer'} ${answer?.error ?? ''}`)
  return { delays, lost: left, refused }
}

const stepInput = { steps: 1, delay_ms: runMs }

/** When a thing is done, by its kind; with the name of the state in which it is fine. */
const endOf: Readonly<Partial<Record<Kind, string>>> = {
  schedule: `select id, started_at as at, status = 'started' as is_fine from schedule_firings where id = any ($1) and status not in ('due', 'queued')`,
  batch:
    'select id, finished_at as at, completed = 1 as is_fine from batches where id = any ($1) and finished_at is not null',
  pipeline: `select id, finished_at as at, status = 'completed' as is_fine from pipeline_runs where id = any ($1) and finished_at is not null`,
  message: `select r.id, m.ended_at as at, m.outcome = 'sent' as is_fine
     from alert_rules r join alerts a on a.org_id = r.org_id and a.rule_id = r.id
     join events e on e.org_id = a.org_id and e.subject_id = a.id and e.type = 'alert.triggered'
     join mails m on m.org_id = e.org_id and m.event_id = e.id and m.destination_id is not null and m.ended_at is not null
    where r.id = any ($1)`,
}

type Ended = { id: string; at: Date | null; is_fine: boolean }

const awaitEnds = async (
  { fleet, hopeless }: Stage,
  asked: readonly Asked[],
): Promise<{ ends: { kind: Kind; ms: number }[]; left: string[] }> => {
  const ended = new Map<string, Ended>()
  const look = async (): Promise<boolean> => {
    hopeless.throwIfAborted()
    for (const [kind, text] of Object.entries(endOf)) {
      const ids = asked.filter((each) => each.kind === kind && !ended.has(each.id)).map(({ id }) => id)
      if (ids.length === 0) continue
      for (const row of await fleet.records.query<Ended>(text, [ids])) ended.set(row.id, row)
    }
    return ended.size === asked.length
  }
  await waitFor('what was asked to be done', look, { timeoutMs: maxEndMs, everyMs: 500 }).catch(() => undefined)
  return {
    ends: asked.flatMap(({ kind, id, sentAt }) => {
      const end = ended.get(id)
      return end?.at ? [{ kind, ms: end.at.getTime() - sentAt }] : []
    }),
    left: asked.flatMap(({ kind, id }) => {
      const end = ended.get(id)
      if (!end) return [`${kind} ${id} is not done after ${maxEndMs / 1_000} s`]
      return end.is_fine ? [] : [`${kind} ${id} ended otherwise`]
    }),
  }
}
