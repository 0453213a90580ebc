import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fromUuid, toUuid } from '@ars/platform/id'
import { waitFor } from '../lab/condition.ts'
import { make, prepareLoad, startSender } from '../lab/heavy/heavy-work.ts'
import { type Load, loads } from '../lab/heavy/loads.ts'
import { type Organisation, plantOrganisation } from '../lab/stack/organisation.ts'
import { openSql, type Sql } from '../lab/stack/sql.ts'
import { always } from './receiver-answer.ts'
import type { Stage } from './scenario.ts'
import { secretOf } from './subscription.ts'

/** What the hostile customer does at the same time, beside what its process sends. */
export type Hostility = {
  /** Each has ten queued firings. */
  schedules: number
  /** Each sends to all of its ten channels, which never answer. */
  alertRules: number
  /** Whose policy asks a program that needs nine seconds. */
  slowFirings: number
  slowItems: number
}

/** One organisation of the smallest plan that does everything at once that holds up others, within its limits. */
export type HostileCustomer = {
  /** Resolves when all of it is under way. */
  begin(): Promise<void>
  /** Answers what the service said to the requests of its process, by status. */
  end(): Promise<string>
  close(): Promise<void>
}

const channels = 10
const hookMs = 9_000
/** A change of the limits is in force after this time. */
const inForceMs = 6_000
/** The result of such a run is as large as its input. */
const largeChars = 900_000
const largeEveryMs = 2_000

const loadOf = (name: string): Load => {
  const load = loads.find((each) => each.name === name)
  if (!load) throw new Error(`There is no load ${name}`)
  return load
}

export const plantHostile = async (stage: Stage, size: Hostility): Promise<HostileCustomer> => {
  const { fleet, key } = stage
  const { stack, receiver, records } = fleet
  const customer = await plantOrganisation(stack, key('hostile'), { records, like: fleet.organisation, plan: 'free' })
  const owner = openSql(stack.postgres.superuserUrl('ars'))
  const caller = fleet.caller(0, { connections: 8 })
  const post = (path: string, body: unknown = {}) => make(caller, customer.apiKey, path, body)
  /** Its requests are counted by its plan, except while it is made ready. */
  const setRate = async (perMinute: number, burst: number): Promise<void> => {
    await owner.query('update organisations set requests_per_minute = $2, burst = $3 where id = $1', [
      customer.id,
      perMinute,
      burst,
    ])
    await sleep(inForceMs)
  }

  await setRate(1_000_000, 1_000_000)
  const slowAgent = customer.agentId('test-steps')
  const hook = await receiver.serve(async () => {
    await sleep(hookMs)
    return { action: 'NONE' }
  })
  const rule = {
    id: 'slow',
    check: 'http',
    stages: ['input'],
    action: 'block',
    params: { url: hook, time_limit_ms: 10_000 },
  }
  const policy = await post('/policies', { name: 'slow', rules: [rule] })
  await post(`/policies/${policy.id}/attachments`, { subject_id: slowAgent })
  const mute = await receiver.serve(() => new Promise(() => undefined))
  for (let n = 0; n < channels; n++) await post('/alert-destinations', { type: 'slack', url: `${mute}/${n}` })
  const secret = secretOf(key('hostile'))
  const silent = await receiver.open('hostile', { secrets: [secret], plan: always({ kind: 'hang' }) })
  const events = ['run.completed', 'run.failed', 'run.cancelled']
  const webhook = await post('/webhooks', { url: silent.url, events, secret })
  const schedule = await post('/schedules', {
    ...{ name: 'slow', agent_id: slowAgent, cron: '0 0 1 1 *', time_zone: 'UTC' },
    ...{ input: { steps: 1, delay_ms: 10 }, overlap: 'allow' },
  })
  const [all, wide] = [loadOf('all at once'), loadOf('wide pipeline')]
  const allFacts = await prepareLoad(caller, customer, all)
  const wideFacts = await prepareLoad(caller, customer, wide)
  const asking = await post('/runs', { agent_id: customer.agentId('test-approval'), input: { message: 'Go on?' } })

  const patch = (path: string, body: unknown) =>
    caller.call(
      { method: 'PATCH', path: `/v2${path}`, headers: { authorization: `Bearer ${customer.apiKey}` }, body },
      { timeoutMs: 30_000 },
    )

  let part = 0
  let stopped = new AbortController()
  let stops: (() => Promise<Record<string, number>>)[] = []
  let sending: Promise<void> = Promise.resolve()
  const sendLarge = async (signal: AbortSignal): Promise<void> => {
    const agent = customer.agentId('test-stream')
    for (let n = 0; !signal.aborted; n++) {
      const input = { text: `${n} ${'r'.repeat(largeChars)}`, chunks: 1 }
      const headers = { authorization: `Bearer ${customer.apiKey}`, prefer: 'respond-async' }
      await caller
        .call({ method: 'POST', path: '/v2/runs', headers, body: { agent_id: agent, input } }, { timeoutMs: 30_000 })
        .catch(() => undefined)
      await sleep(largeEveryMs, undefined, { signal }).catch(() => undefined)
    }
  }

  /** Ends what is under way, so that the next part begins without it. */
  const calm = async (): Promise<void> => {
    const { id } = customer
    await owner.query(
      `update schedule_firings set status = 'skipped', code = 'overlap', due_at = null, ended_at = app_now()
      where org_id = $1 and status in ('due', 'queued')`,
      [id],
    )
    await owner.query(`update pipeline_heads set status = 'cancelling', due_at = app_now() where org_id = $1`, [id])
    await owner.query(
      `update batches set status = 'cancelling', due_at = app_now() where org_id = $1 and status = 'running'`,
      [id],
    )
    await owner.query('update alert_rules set enabled = false, due_at = null where org_id = $1', [id])
    await setRate(1_000_000, 1_000_000)
    const headers = { authorization: `Bearer ${customer.apiKey}` }
    await patch(`/webhooks/${webhook.id}`, { active: false })
    await waitFor(
      'the work of the hostile customer to end',
      async () => {
        const active = await owner.query<{ id: string }>(
          `select run_id as id from run_heads where org_id = $1 and status <> 'requires_action' limit 100`,
          [id],
        )
        await Promise.all(
          active.map((run) =>
            caller
              .call({ method: 'DELETE', path: `/v2/runs/${fromUuid('run', run.id)}`, headers }, { timeoutMs: 30_000 })
              .catch(() => undefined),
          ),
        )
        const [left] = await owner.query<{ pipelines: number; batches: number }>(
          `select (select count(*) from pipeline_heads where org_id = $1)::integer as pipelines,
                  (select count(*) from batches where org_id = $1 and finished_at is null)::integer as batches`,
          [id],
        )
        stage.say(
          `of the hostile customer: ${active.length} runs, ${left?.pipelines} pipeline runs, ${left?.batches} batches`,
        )
        return active.length === 0 && left?.pipelines === 0 && left?.batches === 0
      },
      { timeoutMs: 180_000, everyMs: 1_000 },
    )
  }

  return {
    begin: async () => {
      await setRate(1_000_000, 1_000_000)
      await patch(`/webhooks/${webhook.id}`, { active: true })
      await plantFirings(owner, customer, { count: size.schedules, runId: String(asking.id), part: part++ })
      for (let n = 0; n < size.slowFirings; n++) await post(`/schedules/${schedule.id}/run`)
      const items = Array.from({ length: size.slowItems }, () => ({ input: { steps: 1, delay_ms: 10 } }))
      await post('/batches', { agent_id: slowAgent, items })
      for (let n = 0; n < size.alertRules; n++)
        await post('/alert-rules', { name: `rule ${n}`, metric: 'quota_used', operator: 'below', threshold: 1 })
      await setRate(100, 150)
      stopped = new AbortController()
      sending = sendLarge(stopped.signal)
      const given = { port: stack.ports.gateway[0], ca: readFileSync(stack.tls.certFile, 'utf8'), key: customer.apiKey }
      stops = [
        startSender({ ...allFacts, load: all.name, ...given }),
        startSender({ ...wideFacts, load: wide.name, ...given }),
      ]
    },
    end: async () => {
      stopped.abort()
      const tallies = await Promise.all(stops.map((stop) => stop()))
      stage.say('the processes of the hostile customer have ended')
      await sending
      await calm()
      const sum = new Map<string, number>()
      for (const tally of tallies)
        for (const [status, times] of Object.entries(tally)) sum.set(status, (sum.get(status) ?? 0) + times)
      return [...sum]
        .map(([status, times]) => `${status}: ${times}`)
        .toSorted()
        .join(', ')
    },
    close: async () => {
      caller.close()
      await owner.close()
    },
  }
}

/** Schedules that queue their firings behind one whose run waits for a person: as many as an organisation may have. */
const plantFirings = async (
  owner: Pick<Sql, 'query'>,
  { id: org, agentId }: Organisation,
  { count, runId, part }: { count: number; runId: string; part: number },
): Promise<void> => {
  await owner.query(
    `insert into schedules (id, org_id, name, cron, time_zone, agent_id, overlap, created_by, created_by_type, handled_until, firings)
     select md5($2 || n)::uuid, $1, 'flood ' || n, '0 0 1 1 *', 'UTC', $3, 'queue', $1, 'key', app_now(), 11 from generate_series(1, $4::integer) n`,
    [org, `flood ${part} `, toUuid(agentId('test-echo')), count],
  )
  await owner.query(
    `insert into schedule_firings (id, org_id, schedule_id, number, kind, date, status, run_id, started_at, due_at)
     select md5($2 || n || ' first')::uuid, $1, md5($2 || n)::uuid, 1, 'date', app_now(), 'started', $3, app_now(), app_now() + interval '1 hour'
       from generate_series(1, $4::integer) n`,
    [org, `flood ${part} `, toUuid(runId), count],
  )
  await owner.query(
    `insert into schedule_firings (id, org_id, schedule_id, number, kind, date, status, due_at)
     select md5($2 || n || ' ' || k)::uuid, $1, md5($2 || n)::uuid, k, 'date', app_now() + k * interval '1 minute', 'queued',
            -- As the service leaves them: the first one looks again after some time, those behind it are woken in their turn.
            app_now() + case k when 2 then (n % 60) * interval '1 second' else interval '1 hour' end
       from generate_series(1, $3::integer) n, generate_series(2, 11) k`,
    [org, `flood ${part} `, count],
  )
}
