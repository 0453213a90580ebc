import { ok } from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { systemClock } from '@ars/platform/clock'
import { createIdMaker, toUuid } from '@ars/platform/id'
import { type ApiCall, apiCaller } from '../lab/client/api-caller.ts'
import { openSql, type Sql } from '../lab/stack/sql.ts'
import type { TemporaryStack } from '../lab/stack/temporary-stack.ts'

/** The facts about the organisation that Schemathesis works in; `hooks.py` reads them. */
export type Scene = {
  agents: Record<string, string>
  /** Prefix of an id, or `prefix for operation` → ids of things that exist and may be spoilt. */
  pools: Record<string, string[]>
  /** Ids of what the run itself stands on. */
  kept: string[]
  /** The first three numbers of addresses that webhooks may go to. */
  receivers: string
  /** Each belongs to a different person. */
  sessions: { id: string; cookie: string }[]
}

const ofEach = 8

/** Documentation addresses (RFC 5737): the stack allows them, and nothing listens there. */
export const receivers = '192.0.2'

/** Makes things to be found by id, and lifts the limits that a thousand requests a minute would meet. */
export const setScene = async ({ stack, seed, agentId }: TemporaryStack, sessions: number): Promise<Scene> => {
  const api = apiCaller({ port: stack.ports.gateway[0], ca: readFileSync(stack.tls.certFile) })
  const records = openSql(stack.postgres.superuserUrl('ars'))
  const ask = async <Answer>(method: ApiCall['method'], path: string, body?: unknown): Promise<Answer> => {
    const headers = { authorization: `Bearer ${seed.api_key}` }
    const { status, text } = await api.call({ method, path: `/v2${path}`, headers, body })
    ok(status < 300, `${method} ${path} answered ${status}: ${text}`)
    return JSON.parse(text) as Answer
  }
  const call = async (method: ApiCall['method'], path: string, body?: unknown): Promise<string> =>
    (await ask<{ id: string }>(method, path, body)).id
  const several = (path: string, body: (n: number) => unknown) => times(ofEach, (n) => call('POST', path, body(n)))
  try {
    await liftLimits(records)
    const runsOf = (agent: string) => several('/runs', () => ({ agent_id: agentId(agent), input: { query: 'Hi' } }))
    const [ended, waiting] = [await runsOf('test-echo'), await runsOf('test-approval')]
    const shared = await runsOf('test-echo')
    const people = await plantPeople(records, sessions)
    const agents = Object.fromEntries(seed.agents.map(({ id, name }) => [name, id]))
    const webhooks = () => several('/webhooks', (n) => ({ url: `https://${receivers}.${n}/hook`, events: ['*'] }))
    const [wh, changing, leaving] = [await webhooks(), await webhooks(), await webhooks()]
    const connectors = () => several('/connectors', (n) => ({ name: `${n}`, url: `https://mcp-${n}.example.com/mcp` }))
    const [con, approving] = [await connectors(), await connectors()]
    const rules = [{ check: 'keywords', stages: ['input'], action: 'flag', params: { words: ['planted'] } }]
    const policies = () => several('/policies', (n) => ({ name: `${n}`, rules }))
    const [pol, archiving] = [await policies(), await policies()]
    const [subject_id] = Object.values(agents)
    const held = await runsHeld(call, several)
    // Cancelled, so that few are under way: an organisation may have only some of them.
    const tried = async (policy: string | undefined) => {
      const trial = await call('POST', `/policies/${policy}/trials`, {
        since: new Date(Date.now() - 60_000).toISOString(),
      })
      return call('DELETE', `/policies/${policy}/trials/${trial}`)
    }
    await plantTools(records)
    const work = await plantWork({ ask, call, several, agent_id: agentId('test-echo') })
    const { data: events } = await ask<{ data: { id: string }[] }>('GET', '/events')
    return {
      agents,
      pools: {
        run: [...ended, ...waiting],
        'run for runs.watch': ended,
        'run for runs.act': waiting,
        'run for runs.held': held,
        // Of the same places in their lists: the run and a link to it.
        'run for runs.revokeShare': shared,
        shr: await times(ofEach, (n) => call('POST', `/runs/${shared[n]}/shares`, {})),
        ag: Object.values(agents),
        'ag for agents.rotateSigningSecret': await several('/agents/custom', (n) => ({
          name: `remote ${n}`,
          kind: 'remote',
          config: { url: `https://${receivers}.${n + 1}/agent` },
        })),
        con,
        'con for connectors.approveTool': approving,
        key: await several('/api-keys', (n) => ({ name: `${n}`, scopes: ['runs:read'] })),
        inv: await several('/members/invitations', (n) => ({ email: `guest-${n}@example.com`, role: 'viewer' })),
        // Of the same places in their lists: the webhook, a delivery, a recovery.
        wh,
        'wh for webhooks.update': changing,
        'wh for webhooks.delete': leaving,
        dlv: await times(ofEach, (n) => call('POST', `/webhooks/${wh[n]}/test`, {})),
        rec: await times(ofEach, (n) =>
          call('POST', `/webhooks/${wh[n]}/recover`, { since: new Date(0).toISOString() }),
        ),
        // Of the same places in their lists: the policy, an attachment of it and a trial of it.
        pol,
        'pol for policies.archive': archiving,
        pat: await times(ofEach, (n) => call('POST', `/policies/${pol[n]}/attachments`, { subject_id })),
        ptr: await times(ofEach, (n) => tried(pol[n])),
        // Fewer than an organisation may have, so that another can be created.
        dst: await times(ofEach / 2, (n) =>
          call('POST', '/alert-destinations', { type: 'slack', url: `https://${receivers}.${n + 1}/hook` }),
        ),
        evt: events.map(({ id }) => id),
        ...work,
        'dep for deployments.rollback': await times(ofEach, (n) => releaseTwice(ask, n)),
        mem: (await plantPeople(records, ofEach)).map(({ memberId }) => memberId),
      },
      kept: [await call('GET', '/api/auth/me')],
      receivers,
      sessions: people.map(({ sessionId, cookie }) => ({ id: sessionId, cookie })),
    }
  } finally {
    api.close()
    await records.close()
  }
}

type Asking = {
  ask: <Answer>(method: ApiCall['method'], path: string, body?: unknown) => Promise<Answer>
  call: (method: ApiCall['method'], path: string, body?: unknown) => Promise<string>
  several: (path: string, body: (n: number) => unknown) => Promise<string[]>
}

/** Pipelines, schedules and batches, and runs of them in the states that operations need. `hooks.py` names the step. */
const plantWork = async ({ ask, call, several, agent_id }: Asking & { agent_id: string }): Promise<Scene['pools']> => {
  const pipelines = (steps: readonly object[]) =>
    several('/pipelines', (n) => ({ name: `${n}`, definition: { steps } }))
  const extracting = [{ key: 'extract', agent_id }]
  const [pl, archiving] = [await pipelines(extracting), await pipelines(extracting)]
  const asking = await call('POST', '/pipelines', {
    name: 'asks',
    definition: { steps: [{ key: 'extract', approval: { message: 'Go on?' } }] },
  })
  const started = (pipeline: string | undefined) => several(`/pipelines/${pipeline}/runs`, () => ({}))
  const [plr, erasing] = [await started(pl[0]), await started(pl[0])]
  const [waiting, cancelling] = [await started(asking), await started(asking)]
  const schedules = () => several('/schedules', (n) => ({ name: `${n}`, interval_seconds: 31_622_400, agent_id }))
  const [sch, leaving] = [await schedules(), await schedules()]
  const bat = await several('/batches', () => ({ agent_id, items: [{ input: { query: 'Hi' } }] }))
  for (const id of [...plr, ...erasing, ...bat]) {
    const path = id.startsWith('bat_') ? `/batches/${id}` : `/pipeline-runs/${id}`
    await untilTrue(async () => (await ask<{ finished_at: string | null }>('GET', path)).finished_at !== null)
  }
  for (const id of waiting)
    await untilTrue(
      async () =>
        (await ask<{ required_actions: object[] }>('GET', `/pipeline-runs/${id}`)).required_actions.length > 0,
    )
  return {
    pl,
    'pl for pipelines.archive': archiving,
    // They have ended: a stream of one that waits does not end, and only ended ones are repeated.
    plr,
    'plr for pipelineRuns.erase': erasing,
    'plr for pipelineRuns.act': waiting,
    'plr for pipelineRuns.cancel': cancelling,
    sch,
    'sch for schedules.delete': leaving,
    bat,
  }
}

const untilTrue = async (probe: () => Promise<boolean>): Promise<void> => {
  const deadline = performance.now() + 60_000
  while (!(await probe())) {
    ok(performance.now() < deadline, 'The scene is not ready after a minute')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** Runs whose input waits for an approval, because of a policy of their agent. */
const runsHeld = async (
  call: (method: ApiCall['method'], path: string, body?: unknown) => Promise<string>,
  several: (path: string, body: (n: number) => unknown) => Promise<string[]>,
): Promise<string[]> => {
  const config = { model: 'simulated/echo' }
  const agent = await call('POST', '/agents/custom', { name: 'held', kind: 'llm', config })
  const rules = [{ check: 'keywords', stages: ['input'], action: 'require_approval', params: { words: ['held'] } }]
  const policy = await call('POST', '/policies', { name: 'held', rules })
  await call('POST', `/policies/${policy}/attachments`, { subject_id: agent })
  return several('/runs', () => ({ agent_id: agent, input: { query: 'held' } }))
}

/** An agent with two versions; answers with the deployment of the second. */
const releaseTwice = async (
  ask: <Answer>(method: ApiCall['method'], path: string, body?: unknown) => Promise<Answer>,
  n: number,
): Promise<string> => {
  const config = { model: 'simulated/script', instructions: 'Say it again.' }
  const { id } = await ask<{ id: string }>('POST', '/agents/custom', { name: `twice ${n}`, kind: 'llm', config })
  const { deployment } = await ask<{ deployment: { id: string } }>('PATCH', `/agents/${id}`, { description: 'Newer' })
  return deployment.id
}

const liftLimits = async (records: Sql): Promise<void> => {
  await records.query(
    `update organisations set plan = 'enterprise', concurrent_runs = 5000, requests_per_minute = 1000000,
       burst = 1000000, calls_per_month = 1000000000`,
  )
}

const newId = createIdMaker(systemClock)

type Person = { memberId: string; sessionId: string; cookie: string }

/** Gives every connector a tool that can be approved: there is no MCP server that lists one. */
const plantTools = async (records: Sql): Promise<void> => {
  const hints = { read_only: true, destructive: true, idempotent: false, open_world: true }
  const texts = { name: 'planted', title: null, description: 'Reads.' }
  await records.query(
    `insert into connector_tools (connector_id, org_id, name, listed_hash, listed_manifest)
     select id, org_id, 'planted', decode(repeat('00', 32), 'hex'), $1 from connectors`,
    [JSON.stringify({ ...texts, input_schema: { type: 'object' }, output_schema: null, hints })],
  )
}

/** Members who are logged in. Hashing a password for each would take too long. */
const plantPeople = async (records: Sql, count: number): Promise<Person[]> => {
  const people = Array.from({ length: count }, () => ({
    userId: newId('usr'),
    memberId: newId('mem'),
    sessionId: newId('ses'),
    cookie: randomBytes(32).toString('base64url'),
  }))
  const hashes = people.map(({ cookie }) => createHash('sha256').update(cookie).digest())
  await records.query(
    `with person as (
       select user_id, member_id, session_id, hash
         from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::bytea[]) as p (user_id, member_id, session_id, hash)
     ), account as (
       insert into users (id, email) select user_id, user_id || '@example.com' from person
     ), membership as (
       insert into members (id, org_id, user_id, role)
         select member_id, (select id from organisations), user_id, 'developer' from person
     )
     insert into sessions (id, org_id, user_id, hash, expires_at)
       select session_id, (select id from organisations), user_id, hash, app_now() + interval '1 day' from person`,
    [
      people.map(({ userId }) => toUuid(userId)),
      people.map(({ memberId }) => toUuid(memberId)),
      people.map(({ sessionId }) => toUuid(sessionId)),
      hashes,
    ],
  )
  return people
}

const times = async (count: number, make: (n: number) => Promise<string>): Promise<string[]> => {
  const made: string[] = []
  for (let n = 0; n < count; n++) made.push(await make(n))
  return made
}
