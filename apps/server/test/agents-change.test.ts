import { contract } from '@ars/contract'
import { toUuid } from '@ars/platform/id'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, type Reply, sharedApp, until } from './app.ts'

let app: App
beforeAll(async () => {
  app = await sharedApp()
})
afterAll(() => app.stop())

const create = async (body: Record<string, unknown> = {}): Promise<string> => {
  const config = { model: 'simulated/echo', instructions: 'Be brief.' }
  const reply = await app.call('POST', '/v2/agents/custom', { body: { name: 'Triage', config, ...body } })
  expect(reply.status, reply.text).toBe(201)
  return reply.body.id
}
// On a busy machine a hundred concurrent changes may exceed the request timeout; nothing was changed then.
const patch = (id: string, body: unknown): Promise<Reply> =>
  until('an answer other than 503', async () => {
    const reply = await app.call('PATCH', `/v2/agents/${id}`, { body })
    return reply.status !== 503 && reply
  })
const get = (path: string): Promise<Reply> => app.call('GET', `/v2/agents/${path}`)
const eventsOf = (id: string) =>
  app.query<{ type: string; data: Record<string, unknown> }>(
    `select type, data from events where data ->> 'agent_id' = $1 order by id`,
    [id],
  )
const refusalOf = ({ status, body }: Reply) => [status, body.error?.code, body.error?.param]

test('[S17][S25] an agent’s configuration is updated: omitted fields stay, null clears', async () => {
  const id = await create({ description: 'Sorts.', metadata: { team: 'mail' }, limits: { max_steps: 5 } })
  const { status, body } = await patch(id, {
    config: { temperature: 0.5, instructions: null },
    description: null,
    metadata: { owner: 'Ada' },
  })
  expect(status).toBe(200)
  expect(contract.agents.update.output.strict().safeParse(body).error).toBeUndefined()
  expect(body).toMatchObject({
    id,
    version: 2,
    name: 'Triage',
    description: null,
    config: { model: 'simulated/echo', temperature: 0.5 },
    metadata: { team: 'mail', owner: 'Ada' },
    limits: { max_steps: 5, timeout_seconds: null },
    deployment: { status: 'active', version: 2, source: 'update', traffic_percent: 100, agent_id: id },
  })
  expect(body.config).not.toHaveProperty('instructions')
  const { deployment: _, ...agent } = body
  expect((await get(id)).body).toEqual(agent)
})

test('[S25] a change emits an event with the old and new value of each field and the actor, and an event for its deployment', async () => {
  const id = await create()
  const { body } = await patch(id, { config: { temperature: 1 }, name: 'Sorter' })
  const events = await eventsOf(id)
  expect(events.map(({ type }) => type)).toEqual(['deployment.created', 'agent.updated', 'deployment.created'])
  expect(events[1]?.data).toEqual({
    agent_id: id,
    version: { old: 1, new: 2 },
    changed: ['name', 'config.temperature'],
    old: { name: 'Triage', 'config.temperature': null },
    new: { name: 'Sorter', 'config.temperature': 1 },
    actor: { type: 'key', id: expect.stringMatching(/^key_/) },
  })
  expect(events[2]?.data).toEqual(body.deployment)
  const { body: audit } = await app.call('GET', `/v2/audit-log?subject=${id}`)
  expect(audit.data).toMatchObject([
    { action: 'agent.updated', before: { version: 1 }, after: { version: 2, changed: ['name', 'config.temperature'] } },
    { action: 'agent.created', after: { name: 'Triage', model: 'simulated/echo' } },
  ])
})

test('[S25] a change without effect creates no version, no deployment and no event', async () => {
  const id = await create({ metadata: { team: 'mail' } })
  for (const body of [
    { name: 'Triage', config: { instructions: 'Be brief.' }, metadata: { team: 'mail', gone: null } },
    { version: 1 },
    { rollout: { strategy: 'canary', traffic_percent: 5 } },
  ]) {
    const { status, body: agent } = await patch(id, body)
    expect([status, agent.version, agent.deployment]).toEqual([200, 1, null])
  }
  expect(await eventsOf(id)).toHaveLength(1)
  expect((await get(`${id}/versions`)).body.data).toHaveLength(1)
})

// B2, row 48.
test.each([
  ['nothing at all', {}, [400, 'invalid_request', null]],
  ['a field that only the service sets', { status: 'archived' }, [400, 'invalid_request', 'status']],
  ['the kind, which never changes', { kind: 'remote' }, [400, 'invalid_request', 'kind']],
  ['a name that is null', { name: null }, [400, 'invalid_request', 'name']],
  ['a configuration that is null', { config: null }, [400, 'invalid_request', 'config']],
  ['a model that is null', { config: { model: null } }, [400, 'invalid_request', 'config.model']],
  ['a model that is no text', { config: { model: 7 } }, [400, 'invalid_request', 'config.model']],
  ['a setting that does not exist', { config: { top_q: 1 } }, [400, 'invalid_request', 'config.top_q']],
  ['a model that is not listed', { config: { model: 'openai/none' } }, [422, 'config_invalid', 'config.model']],
  ['a version that nobody has seen', { name: 'x', version: 7 }, [422, 'version_conflict', 'version']],
  ['a catalog version for a custom agent', { catalog_version: 1 }, [422, 'config_invalid', 'catalog_version']],
  ['instructions of a megabyte', { config: { instructions: 'x'.repeat(1_048_576) } }, [413, 'body_too_large', null]],
])('[S25] a change with %s is refused and changes nothing', async (_, body, refusal) => {
  const id = await create()
  expect(refusalOf(await patch(id, body))).toEqual(refusal)
  expect((await get(id)).body.version).toBe(1)
  expect(await eventsOf(id)).toHaveLength(1)
})

// B2, row 48: no lost update.
test('[S25] of 100 concurrent changes with an expected version, exactly one wins each number', async () => {
  const id = await create()
  for (const version of [1, 2]) {
    const replies = await Promise.all(
      Array.from({ length: 100 }, (_, at) => patch(id, { version, config: { instructions: `${version}:${at}` } })),
    )
    const won = replies.filter(({ status }) => status === 200)
    const lost = replies.filter(({ status }) => status !== 200)
    expect(won.map(({ body }) => body.version)).toEqual([version + 1])
    expect(new Set(lost.map(({ body }) => body.error.code))).toEqual(new Set(['version_conflict']))
    expect((await get(id)).body.config).toEqual(won[0]?.body.config)
  }
})

test('[S25] of 100 concurrent changes without an expected version all are applied, the numbers have no gaps and the last is shown', async () => {
  const id = await create()
  const replies = await Promise.all(
    Array.from({ length: 100 }, (_, at) => patch(id, { metadata: { [`by${at % 10}`]: `change ${at}` } })),
  )
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]))
  const numbers = replies.map(({ body }) => body.version).sort((one, other) => one - other)
  expect(numbers).toEqual(Array.from({ length: 100 }, (_, at) => at + 2))
  const { body: agent } = await get(id)
  const last = replies.find(({ body }) => body.version === 101)
  expect(agent).toMatchObject({ version: 101, metadata: last?.body.metadata })
  // Each builds on the one before it: none reverts another.
  const byVersion = new Map(replies.map(({ body }, at) => [body.version as number, { metadata: body.metadata, at }]))
  for (let version = 3; version <= 101; version++) {
    const before = byVersion.get(version - 1)
    const after = byVersion.get(version)
    expect(after?.metadata).toEqual({ ...before?.metadata, [`by${(after?.at ?? 0) % 10}`]: `change ${after?.at}` })
  }
  const rows = await app.query<{ active: number; all: number }>(
    `select count(*) filter (where d.status = 'active')::integer as active, count(*)::integer as all from deployments d
      join agents a on a.id = d.agent_id where a.id = $1 and a.live_version = 101 and a.metadata = $2::jsonb`,
    [toUuid(id), JSON.stringify(agent.metadata)],
  )
  expect(rows).toEqual([{ active: 1, all: 101 }])
})

test('[S25] every version is immutable, can be listed and read, and two can be compared', async () => {
  const id = await create()
  await patch(id, { config: { temperature: 0.1 } })
  await patch(id, { config: { temperature: 0.9 }, input_schema: { type: 'object' } })
  const { body: list } = await get(`${id}/versions`)
  expect(contract.agents.versions.output.strict().safeParse(list).error).toBeUndefined()
  expect(list).toMatchObject({ has_more: false, first_id: '3', last_id: '1' })
  expect(list.data.map(({ version, config }: Version) => [version, config.temperature])).toEqual([
    [3, 0.9],
    [2, 0.1],
    [1, undefined],
  ])
  const first = (await get(`${id}/versions?limit=2`)).body
  expect([first.has_more, first.last_id]).toEqual([true, '2'])
  expect((await get(`${id}/versions?limit=2&after=2`)).body.data).toEqual([list.data[2]])
  expect((await get(`${id}/versions?limit=2&before=1`)).body.data).toEqual(first.data)
  const one = await get(`${id}/versions/2`)
  expect(one.body).toEqual(list.data[1])
  expect(one.body.created_by).toMatch(/^key_/)
  const { body: diff } = await get(`${id}/versions/1/diff?to=3`)
  expect(diff).toEqual({
    object: 'agent_diff',
    agent_id: id,
    from: 1,
    to: 3,
    changes: [
      { path: 'config.temperature', old: null, new: 0.9 },
      { path: 'input_schema', old: null, new: { type: 'object' } },
    ],
  })
  expect((await get(`${id}/versions/3/diff?to=3`)).body.changes).toEqual([])
  for (const path of ['versions/4', 'versions/0', 'versions/x', 'versions/1/diff?to=9', 'versions/9/diff?to=1']) {
    expect([path, (await get(`${id}/${path}`)).status]).toEqual([path, 404])
  }
  expect((await get(`${id}/versions/1/diff`)).status).toBe(400)
})

type Version = { version: number; config: Record<string, unknown> }

test('[S25] a canary is released beside the active version, and the agent shows the newest', async () => {
  const id = await create()
  const rollout = {
    strategy: 'canary',
    traffic_percent: 10,
    rollback_rules: [{ metric: 'failure_rate', above: 0.05 }],
  }
  const { body } = await patch(id, { config: { temperature: 1 }, rollout })
  expect(body).toMatchObject({
    version: 2,
    deployment: {
      status: 'canary',
      traffic_percent: 10,
      rollback_rules: [{ metric: 'failure_rate', above: 0.05, min_runs: 50, window_seconds: 3_600 }],
      previous_deployment_id: expect.stringMatching(/^dep_/),
    },
  })
  const rows = await app.query('select live_version, canary_version, canary_percent from agents where id = $1', [
    toUuid(id),
  ])
  expect(rows).toEqual([{ live_version: 1, canary_version: 2, canary_percent: 10 }])
})

test('[S25] after a rollback the next change gets a new number', async () => {
  const id = await create()
  const canary = { strategy: 'canary', traffic_percent: 50 }
  const { body } = await patch(id, { config: { temperature: 1 }, rollout: canary })
  const back = await app.call('POST', `/v2/deployments/${body.deployment.id}/rollback`, { body: { reason: 'worse' } })
  expect(back.status, back.text).toBe(200)
  expect((await get(id)).body).toMatchObject({ version: 1, config: { model: 'simulated/echo' } })
  const next = await patch(id, { version: 1, config: { temperature: 2 } })
  expect(next.body).toMatchObject({ version: 3, config: { temperature: 2 } })
  expect((await get(`${id}/versions`)).body.data.map(({ version }: Version) => version)).toEqual([3, 2, 1])
})

// B2, row 50.
test('[S18][S26] an archived agent accepts no new runs, runs in flight finish, and archiving is idempotent', async () => {
  const id = await create({ config: { model: 'simulated/approval' } })
  const run = (prefer: string) =>
    app.call('POST', '/v2/runs', { body: { agent_id: id, input: {} }, headers: { prefer } })
  const { body: waiting } = await run('respond-async')
  await until('the question', async () => (await app.call('GET', `/v2/runs/${waiting.id}`)).body.required_actions?.[0])
  const archive = () => app.call('DELETE', `/v2/agents/${id}`)
  const [first, second] = [await archive(), await archive()]
  expect(first).toMatchObject({ status: 200, body: { id, status: 'archived', archived_at: expect.any(String) } })
  expect(second).toMatchObject({ status: 200, body: first.body })
  expect(refusalOf(await run('wait=10')).slice(0, 2)).toEqual([422, 'agent_archived'])
  expect(refusalOf(await patch(id, { name: 'x' })).slice(0, 2)).toEqual([422, 'agent_archived'])
  const { status } = await app.call('POST', `/v2/runs/${waiting.id}/action`, { body: { type: 'approve' } })
  expect(status).toBe(200)
  const done = await until('the end', async () => {
    const { body } = await app.call('GET', `/v2/runs/${waiting.id}`)
    return body.status === 'completed' && body
  })
  expect(done.agent_id).toBe(id)
  const listed = async (query: string) =>
    (await app.call('GET', `/v2/agents?limit=100&${query}`)).body.data.map((each: { id: string }) => each.id)
  expect(await listed('status=archived')).toContain(id)
  expect(await listed('status=active')).not.toContain(id)
  const { body: audit } = await app.call('GET', `/v2/audit-log?subject=${id}&action=agent.archived`)
  expect(audit.data).toHaveLength(1)
})

test('an unarchived agent accepts runs and changes again, and unarchiving is idempotent', async () => {
  const id = await create()
  await app.call('DELETE', `/v2/agents/${id}`)
  const unarchive = () => app.call('POST', `/v2/agents/${id}/unarchive`, { body: {} })
  const [first, second] = [await unarchive(), await unarchive()]
  expect(first).toMatchObject({ status: 200, body: { id, version: 1, status: 'active', archived_at: null } })
  expect(second).toMatchObject({ status: 200, body: first.body })
  const run = await app.call('POST', '/v2/runs', {
    body: { agent_id: id, input: {} },
    headers: { prefer: 'respond-async' },
  })
  expect(run.status, run.text).toBe(202)
  expect((await patch(id, { name: 'changed' })).status).toBe(200)
  const told = (await eventsOf(id)).filter(({ type }) => type === 'agent.updated').slice(0, 2)
  expect(told.map(({ data }) => [data.changed, data.old, data.new, data.version])).toEqual([
    [['status'], { status: 'active' }, { status: 'archived' }, { old: 1, new: 1 }],
    [['status'], { status: 'archived' }, { status: 'active' }, { old: 1, new: 1 }],
  ])
  const { body: audit } = await app.call('GET', `/v2/audit-log?subject=${id}&action=agent.unarchived`)
  expect(audit.data).toMatchObject([{ before: { status: 'archived' }, after: { status: 'active' } }])
})

test('[S26] of many concurrent archive requests one takes effect, and all get the same response', async () => {
  const id = await create()
  const replies = await Promise.all(Array.from({ length: 20 }, () => app.call('DELETE', `/v2/agents/${id}`)))
  expect(new Set(replies.map(({ text }) => text)).size).toBe(1)
  expect(replies[0]?.body.status).toBe('archived')
  const { body: audit } = await app.call('GET', `/v2/audit-log?subject=${id}&action=agent.archived`)
  expect(audit.data).toHaveLength(1)
})

test('an agent of another organisation can be neither changed nor archived, and its versions are not found', async () => {
  const other = await app.addTenant()
  const id = other.agents['test-echo'] ?? ''
  expect((await patch(id, { name: 'Mine' })).status).toBe(404)
  expect((await app.call('DELETE', `/v2/agents/${id}`)).status).toBe(404)
  for (const path of ['versions', 'versions/1', 'versions/1/diff?to=1']) {
    expect((await get(`${id}/${path}`)).status).toBe(404)
  }
})

test('a key that is narrowed to an agent changes only that agent, and creates none', async () => {
  const [mine, other] = [await create(), await create()]
  const { body: made } = await app.call('POST', '/v2/api-keys', {
    body: { name: 'narrow', scopes: ['agents:read', 'agents:write'], agent_ids: [mine] },
  })
  const call = (method: string, path: string, body?: unknown) =>
    app.call(method, `/v2/agents/${path}`, { key: made.key, ...(body === undefined ? {} : { body }) })
  expect((await call('PATCH', mine, { name: 'Ours' })).status).toBe(200)
  const config = { model: 'simulated/echo' }
  for (const reply of [
    await call('PATCH', other, { name: 'Ours' }),
    await call('DELETE', other),
    await call('GET', `${other}/versions`),
    await call('POST', 'custom', { name: 'New', config }),
    await call('POST', 'test-echo/deploy', {}),
  ]) {
    expect(refusalOf(reply).slice(0, 2)).toEqual([403, 'forbidden'])
  }
})
