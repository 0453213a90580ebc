import { contract } from '@ars/contract'
import { toUuid } from '@ars/platform/id'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, startApp, type Tenant } from './app.ts'

let app: App
beforeAll(async () => {
  app = await startApp({ role: 'gateway' })
})
afterAll(() => app.stop())

test('[S24] an agent can be read by its id, in the shape of the contract', async () => {
  const { status, body } = await app.call('GET', `/v2/agents/${app.tenant.agents['test-echo']}`)
  expect(status).toBe(200)
  expect(body).toMatchObject({ name: 'test-echo', status: 'active', kind: 'llm', config: { model: 'simulated/echo' } })
  expect(contract.agents.get.output.strict().safeParse(body).error).toBeUndefined()
})

test('an agent of another organisation is not there', async () => {
  const other = await app.addTenant()
  const { status, text } = await app.call('GET', `/v2/agents/${other.agents['test-echo']}`)
  expect(status).toBe(404)
  expect(text).not.toContain('simulated/echo')
})

test('the active runs of an agent are counted by state, and those of other agents are not', async () => {
  const { 'test-echo': echo = '', 'test-slow': slow = '' } = app.tenant.agents
  const statsOf = async (agent: string) => (await app.call('GET', `/v2/agents/${agent}/stats`)).body
  const none = { queued: 0, running: 0, requires_action: 0, cancelling: 0 }
  expect(await statsOf(slow)).toEqual({ object: 'agent_stats', agent_id: slow, runs: none, is_capped: false })
  await plantHeads(slow, { queued: 3, running: 2, requires_action: 4, cancelling: 1 })
  await plantHeads(echo, { running: 7 })
  expect((await statsOf(slow)).runs).toEqual({ queued: 3, running: 2, requires_action: 4, cancelling: 1 })
  expect((await statsOf(echo)).runs).toEqual({ ...none, running: 7 })
})

test('the count of active runs stops at 10,000', async () => {
  const { 'test-stream': agent = '' } = app.tenant.agents
  const statsOf = async () => (await app.call('GET', `/v2/agents/${agent}/stats`)).body
  await plantHeads(agent, { requires_action: 9_999 })
  expect(await statsOf()).toMatchObject({ runs: { requires_action: 9_999 }, is_capped: false })
  await plantHeads(agent, { running: 2 })
  const { runs, is_capped } = await statsOf()
  expect([runs.requires_action + runs.running, is_capped]).toEqual([10_000, true])
})

test('the active runs of an agent are not counted for another organisation or a key narrowed to another agent', async () => {
  const { 'test-echo': echo = '', 'test-slow': slow = '' } = app.tenant.agents
  const stranger = await app.addTenant()
  const made = await app.call('POST', '/v2/api-keys', {
    body: { name: 'narrowed', scopes: ['agents:read'], agent_ids: [echo] },
  })
  const codeFor = async (key: string, agent: string) =>
    (await app.call('GET', `/v2/agents/${agent}/stats`, { key })).body.error?.code
  expect(await codeFor(stranger.key, slow)).toBe('not_found')
  expect(await codeFor(made.body.key, slow)).toBe('forbidden')
  expect(await codeFor(made.body.key, echo)).toBeUndefined()
  // Such a token sees only the runs that it created, and the count is of the runs of everybody.
  const token = await app.call('POST', '/v2/session-tokens', { body: { scopes: ['agents:read'] } })
  expect([token.status, await codeFor(token.body.token, echo)]).toEqual([201, 'forbidden'])
})

/** Runs under way in these states, as heads alone: no worker starts them. */
const plantHeads = async (agent: string, counts: Record<string, number>): Promise<void> => {
  for (const [status, count] of Object.entries(counts)) {
    await app.query(
      `insert into run_heads (run_id, org_id, agent_id, status, progress_at, deadline_at, created_at)
       select gen_random_uuid(), $1, $2, $3, app_now(), app_now() + interval '1 day', app_now() from generate_series(1, $4)`,
      [app.tenant.org, toUuid(agent), status, count],
    )
  }
}

test('[S23] the list of agents is paged by id in both directions and reports whether there is more', async () => {
  const page = async (query: string) => (await app.call('GET', `/v2/agents${query}`)).body
  const all = await page('')
  const ids = all.data.map(({ id }: { id: string }) => id)
  const first = await page('?limit=4')
  const second = await page(`?limit=4&after=${first.last_id}`)
  const back = await page(`?limit=4&before=${second.first_id}`)
  expect([first.has_more, second.has_more, all.has_more]).toEqual([true, false, false])
  expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(ids)
  expect(back.data).toEqual(first.data)
  expect(await page('?status=archived')).toEqual({
    object: 'list',
    data: [],
    has_more: false,
    first_id: null,
    last_id: null,
  })
})

test.each(['limit=0', 'limit=101', 'limit=1e2', 'limit=-1', 'limit=2&limit=3', 'status=gone', 'after=x', 'sort=name'])(
  'a list with ?%s is refused and not interpreted',
  async (query) => {
    const { status, body } = await app.call('GET', `/v2/agents?${query}`)
    expect([status, body.error.code]).toEqual([400, 'invalid_request'])
  },
)

test('[S23] the list contains every agent of the organisation, including archived ones, and none of another', async () => {
  const [tenant, stranger] = [await app.addTenant(), await app.addTenant()]
  const make = async ({ key }: Tenant, name: string): Promise<string> => {
    const body = { name, config: { model: 'simulated/echo' } }
    return (await app.call('POST', '/v2/agents/custom', { key, body })).body.id
  }
  const created = await Promise.all(Array.from({ length: 25 }, (_, at) => make(tenant, `Agent ${at}`)))
  const archived = created[7] ?? ''
  expect((await app.call('DELETE', `/v2/agents/${archived}`, { key: tenant.key })).status).toBe(200)
  const foreign = await make(stranger, 'Agent 26')
  const listOf = async ({ key }: Tenant, query = '') => {
    const ids: string[] = []
    for (let after = ''; ; ) {
      const { body } = await app.call('GET', `/v2/agents?limit=10${query}${after}`, { key })
      ids.push(...body.data.map(({ id }: { id: string }) => id))
      if (!body.has_more) return ids
      after = `&after=${body.last_id}`
    }
  }
  const newestFirst = (ids: string[]) => ids.toSorted().toReversed()
  expect(await listOf(tenant)).toEqual(newestFirst([...created, ...Object.values(tenant.agents)]))
  expect(await listOf(stranger)).toEqual(newestFirst([foreign, ...Object.values(stranger.agents)]))
  expect(await listOf(tenant, '&status=archived')).toEqual([archived])
  const active = [...created.filter((id) => id !== archived), ...Object.values(tenant.agents)]
  expect(await listOf(tenant, '&status=active')).toEqual(newestFirst(active))
})

test('[S23] agents are filtered by origin and by text in their name or description', async () => {
  const tenant = await app.addTenant()
  const make = async (name: string, description: string | null): Promise<string> => {
    const body = { name, description, config: { model: 'simulated/echo' } }
    return (await app.call('POST', '/v2/agents/custom', { key: tenant.key, body })).body.id
  }
  const percent = await make('100% Triage', null)
  const under = await make('a_b', 'Sorts MAIL.')
  const plain = await make('axb', 'C:\\mail')
  const found = async (query: string) => {
    const { status, body } = await app.call('GET', `/v2/agents?${query}`, { key: tenant.key })
    expect([query, status]).toEqual([query, 200])
    return body.data.map(({ id }: { id: string }) => id)
  }
  expect(await found('source=custom')).toEqual([plain, under, percent])
  expect(await found('source=catalog&q=TEST-ECHO')).toEqual([tenant.agents['test-echo']])
  expect(await found('q=mail')).toEqual([plain, under])
  expect(await found('q=%25')).toEqual([percent])
  expect(await found('q=a_b')).toEqual([under])
  expect(await found(`q=${encodeURIComponent('C:\\')}`)).toEqual([plain])
  expect(await found(`q=mail&after=${plain}`)).toEqual([under])
  expect(await found('q=nothing')).toEqual([])
})
