import { contract, ErrorBody } from '@ars/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, sharedApp, type Tenant, until } from './app.ts'

let app: App
beforeAll(async () => {
  app = await sharedApp()
})
afterAll(() => app.stop())

type Run = { id: string; status: string; created_at: string; metadata: Record<string, string> }

const create = async (tenant: Tenant, agent: string, more: object = {}, headers = {}): Promise<Run> => {
  const body = { agent_id: tenant.agents[agent], input: {}, ...more }
  const answer = await app.call('POST', '/v2/runs', { body, key: tenant.key, headers })
  expect([200, 202]).toContain(answer.status)
  return answer.body
}

const list = (tenant: Tenant, query: Record<string, string> = {}) =>
  app.call('GET', `/v2/runs?${new URLSearchParams(query)}`, { key: tenant.key })

const idsOf = async (tenant: Tenant, query: Record<string, string> = {}): Promise<string[]> => {
  const { status, body } = await list(tenant, query)
  expect(status).toBe(200)
  return body.data.map(({ id }: Run) => id)
}

const newestFirst = (...runs: readonly (Run | undefined)[]): string[] =>
  runs
    .map((run) => run?.id ?? '')
    .toSorted()
    .toReversed()

describe('GET /runs', () => {
  let tenant: Tenant
  let runs: Record<'echo' | 'labelled' | 'failed' | 'asking' | 'slow', Run>

  beforeAll(async () => {
    tenant = await app.addTenant()
    const async = { prefer: 'respond-async' }
    runs = {
      echo: await create(tenant, 'test-echo'),
      labelled: await create(tenant, 'test-echo', { metadata: { team: 'blue', 'a[b].c': 'ü & =' } }),
      failed: await create(tenant, 'test-fail', { metadata: { team: 'blue' } }),
      asking: await create(tenant, 'test-approval', { metadata: { team: 'red' } }),
      slow: await create(tenant, 'test-slow', { input: { seconds: 600 } }, async),
    }
    await until('the slow run to start', async () => (await idsOf(tenant, { status: 'running' })).length === 1)
  })

  test('[S33] GET /runs lists newest first, and all runs without a filter', async () => {
    const { status, body } = await list(tenant)
    expect(status).toBe(200)
    const ids = newestFirst(...Object.values(runs))
    expect(body).toMatchObject({ object: 'list', has_more: false, first_id: ids[0], last_id: ids.at(-1) })
    expect(body.data.map(({ id }: Run) => id)).toEqual(ids)
    expect(contract.runs.list.output.strict().safeParse(body).error).toBeUndefined()
  })

  test('each listed run equals the response of GET /runs/{id}', async () => {
    const { body } = await list(tenant, { status: 'completed,failed,requires_action' })
    expect(body.data).toHaveLength(4)
    for (const listed of body.data) {
      const read = await app.call('GET', `/v2/runs/${listed.id}`, { key: tenant.key })
      const timing = { ...read.body.timing, waiting_ms: expect.any(Number) }
      expect(listed).toEqual({ ...read.body, timing })
    }
  })

  test('[S33] agent_id selects the runs of one agent', async () => {
    expect(await idsOf(tenant, { agent_id: tenant.agents['test-echo'] ?? '' })).toEqual(
      newestFirst(runs.echo, runs.labelled),
    )
    expect(await idsOf(tenant, { agent_id: tenant.agents['test-stream'] ?? '' })).toEqual([])
  })

  test('[S33] status selects the runs in one or several states', async () => {
    expect(await idsOf(tenant, { status: 'completed' })).toEqual(newestFirst(runs.echo, runs.labelled))
    expect(await idsOf(tenant, { status: 'failed' })).toEqual([runs.failed.id])
    expect(await idsOf(tenant, { status: 'running' })).toEqual([runs.slow.id])
    expect(await idsOf(tenant, { status: 'cancelled' })).toEqual([])
    const several = await idsOf(tenant, { status: 'requires_action,failed,running,failed' })
    expect(several).toEqual(newestFirst(runs.failed, runs.asking, runs.slow))
  })

  test('[S33] created_after and created_before select the runs between two times, in any offset', async () => {
    const moment = runs.failed.created_at
    expect(await idsOf(tenant, { created_after: moment })).toEqual(newestFirst(runs.asking, runs.slow))
    expect(await idsOf(tenant, { created_before: moment })).toEqual(newestFirst(runs.echo, runs.labelled))
    const between = { created_after: runs.labelled.created_at, created_before: runs.asking.created_at }
    expect(await idsOf(tenant, between)).toEqual([runs.failed.id])
    const local = new Date(new Date(moment).getTime() + 2 * 3_600_000).toISOString().replace('Z', '+02:00')
    expect(await idsOf(tenant, { created_after: local })).toEqual(newestFirst(runs.asking, runs.slow))
    expect(await idsOf(tenant, { created_after: moment, created_before: moment })).toEqual([])
  })

  test('[S33] metadata[key] selects the runs with that label, with any characters', async () => {
    expect(await idsOf(tenant, { 'metadata[team]': 'blue' })).toEqual(newestFirst(runs.labelled, runs.failed))
    expect(await idsOf(tenant, { 'metadata[a[b].c]': 'ü & =' })).toEqual([runs.labelled.id])
    expect(await idsOf(tenant, { 'metadata[team]': 'blue', 'metadata[a[b].c]': 'ü & =' })).toEqual([runs.labelled.id])
    expect(await idsOf(tenant, { 'metadata[team]': 'BLUE' })).toEqual([])
    expect(await idsOf(tenant, { 'metadata[team]': '' })).toEqual([])
  })

  // No operation creates pipeline runs yet. A test of the store (list.store.test.ts) covers that the filter finds them.
  test('[S33] pipeline_run_id is accepted, and excludes all runs without a pipeline', async () => {
    const pipelineRun = runs.echo.id.replace('run_', 'plr_')
    expect(await idsOf(tenant, { pipeline_run_id: pipelineRun })).toEqual([])
    expect(await idsOf(tenant, { pipeline_run_id: pipelineRun, status: 'completed' })).toEqual([])
  })

  test('[S33] there are no other filters', () => {
    const filters = ['agent_id', 'status', 'created_after', 'created_before', 'pipeline_run_id', 'metadata']
    const more = ['agent_version', 'deployment_id', 'error_code', 'created_by', 'parent_run_id', 'ids']
    expect(Object.keys(contract.runs.list.input.shape).toSorted()).toEqual(
      [...filters, ...more, 'limit', 'after', 'before', 'view'].toSorted(),
    )
  })

  test('all given filters must match', async () => {
    const echo = tenant.agents['test-echo'] ?? ''
    expect(await idsOf(tenant, { agent_id: echo, 'metadata[team]': 'blue' })).toEqual([runs.labelled.id])
    expect(await idsOf(tenant, { agent_id: echo, status: 'failed' })).toEqual([])
    expect(await idsOf(tenant, { status: 'failed,completed', 'metadata[team]': 'blue', limit: '1' })).toEqual([
      runs.failed.id,
    ])
    const all = {
      agent_id: tenant.agents['test-fail'] ?? '',
      status: 'failed',
      'metadata[team]': 'blue',
      created_after: runs.labelled.created_at,
      created_before: runs.asking.created_at,
      after: runs.asking.id,
      limit: '100',
    }
    expect(await idsOf(tenant, all)).toEqual([runs.failed.id])
    expect(
      await idsOf(tenant, { ...all, created_after: runs.asking.created_at, created_before: runs.slow.created_at }),
    ).toEqual([])
  })

  test('ids of another organisation match nothing and reveal nothing', async () => {
    const other = await app.addTenant()
    const theirs = await create(other, 'test-echo', { metadata: { team: 'blue' } })
    const mine = newestFirst(...Object.values(runs))
    expect(await idsOf(tenant)).toEqual(mine)
    expect(await idsOf(tenant, { agent_id: other.agents['test-echo'] ?? '' })).toEqual([])
    // As a page position it is only a point in time.
    expect(await idsOf(tenant, { after: theirs.id })).toEqual(mine)
    expect(await idsOf(tenant, { before: theirs.id })).toEqual([])
    expect(await idsOf(other)).toEqual([theirs.id])
    expect(await idsOf(other, { 'metadata[team]': 'red' })).toEqual([])
  })

  test('the id of a deleted run is still a valid page position', async () => {
    const gone = runs.failed.id.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
    const rest = [...(await idsOf(tenant, { before: gone })), ...(await idsOf(tenant, { after: gone }))]
    expect(rest.toSorted().toReversed()).toEqual(newestFirst(...Object.values(runs)))
    const [first, last] = [`run_${'0'.repeat(26)}`, `run_7${'z'.repeat(25)}`]
    expect([await idsOf(tenant, { after: first }), await idsOf(tenant, { before: last })]).toEqual([[], []])
    expect(await idsOf(tenant, { after: last })).toHaveLength(5)
    expect(await idsOf(tenant, { before: first })).toHaveLength(5)
  })
})

describe('pages of GET /runs', () => {
  test('[S33] neither skip nor repeat a run while new ones arrive, forwards and backwards', async () => {
    const tenant = await app.addTenant()
    const old: string[] = []
    for (let batch = 0; batch < 12; batch++) {
      const made = await Promise.all(Array.from({ length: 5 }, () => create(tenant, 'test-echo')))
      old.push(...newestFirst(...made).toReversed())
    }
    expect(old).toEqual(old.toSorted())
    const arrived: string[] = []
    const arrive = async () => arrived.push((await create(tenant, 'test-echo')).id)

    const down: string[] = []
    let page = (await list(tenant, { limit: '7' })).body
    for (;;) {
      down.push(...page.data.map(({ id }: Run) => id))
      expect(page.first_id).toBe(page.data[0].id)
      if (!page.has_more) break
      expect(page.data).toHaveLength(7)
      await arrive()
      page = (await list(tenant, { limit: '7', after: page.last_id })).body
    }
    expect(down).toEqual(old.toReversed())

    const up: string[] = []
    const [oldest = ''] = old
    page = (await list(tenant, { limit: '7', before: oldest })).body
    for (;;) {
      // A page is newest first in both directions.
      up.push(...page.data.map(({ id }: Run) => id).toReversed())
      if (!page.has_more) break
      expect(page.data).toHaveLength(7)
      if (arrived.length < 20) await arrive()
      page = (await list(tenant, { limit: '7', before: page.first_id })).body
    }
    expect(up).toEqual([...old.slice(1), ...arrived])
  })

  test('a full last page reports no more, and the page after it is empty', async () => {
    const tenant = await app.addTenant()
    const made = await Promise.all([1, 2, 3].map(() => create(tenant, 'test-echo')))
    const { body } = await list(tenant, { limit: '3' })
    expect([body.data.length, body.has_more]).toEqual([3, false])
    const [newest, , oldest] = newestFirst(...made)
    const empty = { object: 'list', data: [], has_more: false, first_id: null, last_id: null }
    expect((await list(tenant, { after: oldest ?? '' })).body).toEqual(empty)
    expect((await list(tenant, { before: newest ?? '' })).body).toEqual(empty)
    expect((await list(tenant, { limit: '2' })).body.has_more).toBe(true)
  })
})

describe('an invalid filter is refused with a message and never ignored', () => {
  test.each<[query: string, param: string | undefined]>([
    ...['0', '-1', '1e2', '1e9', '1000000000', '101', 'abc', '', ' 5', '5.0'].map((limit): [string, string] => [
      `limit=${encodeURIComponent(limit)}`,
      'limit',
    ]),
    ['limit=1&'.repeat(50), 'limit'],
    ['after=run_', 'after'],
    ['after=x', 'after'],
    ['before=ag_01h455vb4pex5vsknk084sn02q', 'before'],
    ['after=run_01h455vb4pex5vsknk084sn02q%0a', 'after'],
    ['agent_id=1', 'agent_id'],
    ['agent_id=', 'agent_id'],
    ['status=anything', 'status'],
    ['status=', 'status'],
    ['status=completed,', 'status'],
    ['status=completed,%20failed', 'status'],
    ['status=COMPLETED', 'status'],
    ['status=completed&status=failed', 'status'],
    ['status[]=completed', 'status[]'],
    ['status[$ne]=x', 'status[$ne]'],
    ['sort=;drop', 'sort'],
    ['created_after=0000-01-01T00:00:00Z', 'created_after'],
    ['created_after=1969-12-31T23:59:59Z', 'created_after'],
    ['created_after=99999-01-01T00:00:00Z', 'created_after'],
    ['created_after=%2B012026-01-01T00:00:00Z', 'created_after'],
    ['created_before=2026-02-30T00:00:00Z', 'created_before'],
    ['created_before=2026-02-28', 'created_before'],
    ['created_before=2026-02-28T12:00:00', 'created_before'],
    ['created_before=2026-02-28T24:00:00Z', 'created_before'],
    ['created_before=yesterday', 'created_before'],
    ['created_before=1767225600', 'created_before'],
    ['pipeline_run_id=run_01h455vb4pex5vsknk084sn02q', 'pipeline_run_id'],
    ['agent_version=1', 'agent_version'],
    ['agent_id=ag_01h455vb4pex5vsknk084sn02q&agent_version=0', 'agent_version'],
    ['agent_id=ag_01h455vb4pex5vsknk084sn02q&agent_version=1.5', 'agent_version'],
    ['deployment_id=ag_01h455vb4pex5vsknk084sn02q', 'deployment_id'],
    ['error_code=unknown', 'error_code'],
    ['error_code=agent_error,', 'error_code'],
    ['created_by=mem_01h455vb4pex5vsknk084sn02q', 'created_by'],
    ['created_by=', 'created_by'],
    ['parent_run_id=x', 'parent_run_id'],
    ['ids=', 'ids'],
    ['ids=run_01h455vb4pex5vsknk084sn02q,', 'ids'],
    ['ids=run_01h455vb4pex5vsknk084sn02q,ag_01h455vb4pex5vsknk084sn02q', 'ids'],
    ['metadata=x', 'metadata'],
    ['metadata[]=x', 'metadata[]'],
    ['metadata[a]=1&metadata[a]=2', 'metadata[a]'],
    ['metadata[a][b]=1', 'metadata[a][b]'],
    ['metadata[__proto__]=1', 'metadata[__proto__]'],
    [`metadata[${'k'.repeat(65)}]=1`, undefined],
    [`metadata[k]=${'v'.repeat(513)}`, 'metadata.k'],
    [Array.from({ length: 17 }, (_, n) => `metadata[k${n}]=1`).join('&'), 'metadata'],
  ])('GET /runs?%s is 400', async (query, param) => {
    const { status, body } = await app.call('GET', `/v2/runs?${query}`)
    const { error } = ErrorBody.strict().parse(body)
    expect([status, error.code]).toEqual([400, 'invalid_request'])
    if (param !== undefined) expect(error.param).toBe(param)
  })

  test('created_after later than created_before is 400', async () => {
    const query = 'created_after=2026-03-01T00:00:00Z&created_before=2026-02-01T00:00:00Z'
    const { status, body } = await app.call('GET', `/v2/runs?${query}`)
    expect([status, body.error.code, body.error.param]).toEqual([400, 'invalid_request', 'created_after'])
  })
})
