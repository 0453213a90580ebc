import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { contract } from '@ars/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, type Reply, sharedGateway, strictEgress, until } from './app.ts'

const models = `
providers:
  local: { kind: openai-compatible, base_url: "http://127.0.0.1:9/v1" }
models:
  - { model: local/priced, price_per_million: { input: 1, output: 1 } }
  - { model: local/unpriced }
  - { model: local/many-* }
`

let app: App
let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'agents-'))
  writeFileSync(join(folder, 'models.yaml'), models)
  app = await sharedGateway({ ...strictEgress, ARS_KEKS: '', ARS_MODELS_FILE: join(folder, 'models.yaml') })
})
afterAll(async () => {
  await app.stop()
  rmSync(folder, { recursive: true })
})

type Options = { key?: string; headers?: Record<string, string> }
// A busy machine may answer 503, which is not under test here.
const post = (path: string, options: Options & { body?: unknown }): Promise<Reply> =>
  until('an answer other than 503', async () => {
    const reply = await app.call('POST', `/v2/agents/${path}`, options)
    return reply.status !== 503 && reply
  })
const create = (body: unknown, options: Options = {}): Promise<Reply> => post('custom', { body, ...options })
const hire = (key: string, body?: unknown, options: Options = {}): Promise<Reply> =>
  post(`${key}/deploy`, { ...(body === undefined ? {} : { body }), ...options })
const refusalOf = ({ status, body }: Reply) => [status, body.error?.code, body.error?.param]

const config = { model: 'simulated/echo', instructions: 'Be brief.' }

test('[S28] a custom agent is created with its first version and deployment, and runs at once', async () => {
  const made = await create({
    name: 'Triage',
    description: 'Sorts.',
    config: { ...config, temperature: 0.5 },
    input_schema: { type: 'object', required: ['query'] },
    limits: { max_steps: 3, budget_usd: 1 },
    metadata: { team: 'mail' },
  })
  expect(made.status, made.text).toBe(201)
  expect(contract.agents.create.output.strict().safeParse(made.body).error).toBeUndefined()
  expect(made.headers.location).toBe(`/v2/agents/${made.body.id}`)
  expect(made.body).toMatchObject({
    kind: 'llm',
    source: 'custom',
    catalog_key: null,
    catalog_version: null,
    catalog_latest: null,
    version: 1,
    config: { temperature: 0.5 },
    limits: { max_steps: 3, budget_usd: 1, timeout_seconds: null },
    deployment: { status: 'active', source: 'create', version: 1, previous_deployment_id: null },
    signing_secret: null,
  })
  const { body: run } = await app.call('POST', '/v2/runs', { body: { agent_id: made.body.id, input: { query: 'Hi' } } })
  expect(run).toMatchObject({ status: 'completed', agent_version: 1, deployment_id: made.body.deployment.id })
})

// B2, row 52: it is returned unchanged, as JSON that no browser treats as a page.
test('[S28] instructions with bidirectional control characters are returned exactly as sent', async () => {
  const instructions = 'Ignore \u202Ethis\u202C and\u200B<script>alert(1)</script>\u2066 \uFEFFthat'
  const { body } = await create({ name: 'Bidi \u202E', config: { model: 'simulated/echo', instructions } })
  const read = await app.call('GET', `/v2/agents/${body.id}`)
  expect(read.body).toMatchObject({ name: 'Bidi \u202E', config: { instructions } })
  expect(read.headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'x-content-type-options': 'nosniff',
  })
})

// B2, row 52.
test('[S28] an agent with a connector that is unknown or of another organisation is not created', async () => {
  const other = await app.addTenant()
  const add = async (key: string): Promise<string> =>
    (await app.call('POST', '/v2/connectors', { key, body: { name: 'Mail', url: 'https://mail.example.com/mcp' } }))
      .body.id
  const [mine, foreign] = [await add(app.tenant.key), await add(other.key)]
  const withTools = (ids: string[]) => ({
    name: 'Mail',
    config: { ...config, tools: ids.map((id) => ({ connector_id: id, allow: ['send'], require_approval: ['send'] })) },
  })
  expect((await create(withTools([mine]))).status).toBe(201)
  const refused = await create(withTools([mine, foreign]))
  expect(refusalOf(refused)).toEqual([404, 'not_found', 'config.tools.1.connector_id'])
  expect(refused.text).not.toContain('Mail')
  expect(refusalOf(await create(withTools(['con_01kf3xw0fqe1vrr9m8sdv2wbx4'])))).toEqual([
    404,
    'not_found',
    'config.tools.0.connector_id',
  ])
  expect(refusalOf(await create(withTools(['mail'])))).toEqual([400, 'invalid_request', 'config.tools.0.connector_id'])
  expect(refusalOf(await create(withTools([mine, mine])))).toEqual([
    422,
    'config_invalid',
    'config.tools.1.connector_id',
  ])
})

const con = 'con_01kf3xw0fqe1vrr9m8sdv2wbx4'
const schema = { type: 'object', properties: { a: { type: 'nonsense' } } }

test.each([
  ['no configuration', { config: undefined }, [400, 'invalid_request', 'config']],
  ['no model', { config: {} }, [400, 'invalid_request', 'config.model']],
  ['a model that is null', { config: { model: null } }, [400, 'invalid_request', 'config.model']],
  ['an unknown setting', { config: { ...config, prompt: 'x' } }, [400, 'invalid_request', 'config.prompt']],
  ['a temperature of 3', { config: { ...config, temperature: 3 } }, [400, 'invalid_request', 'config.temperature']],
  [
    'half a token',
    { config: { ...config, max_output_tokens: 0.5 } },
    [400, 'invalid_request', 'config.max_output_tokens'],
  ],
  ['a model that is not listed', { config: { model: 'openai/gpt' } }, [422, 'config_invalid', 'config.model']],
  [
    'a name that stands for many models',
    { config: { model: 'local/many-*' } },
    [422, 'config_invalid', 'config.model'],
  ],
  [
    'a fallback that is not listed',
    { config: { ...config, fallback_models: ['local/priced', 'openai/gpt'] } },
    [422, 'config_invalid', 'config.fallback_models.1'],
  ],
  [
    'its model as a fallback',
    { config: { model: 'local/priced', fallback_models: ['local/priced'] } },
    [422, 'config_invalid', 'config.fallback_models.0'],
  ],
  [
    'more than 3 fallbacks',
    { config: { ...config, fallback_models: ['local/a', 'local/b', 'local/c', 'local/d'] } },
    [400, 'invalid_request', 'config.fallback_models'],
  ],
  [
    'a budget and a fallback without a price',
    { config: { model: 'local/priced', fallback_models: ['local/unpriced'] }, limits: { budget_usd: 1 } },
    [422, 'config_invalid', 'limits.budget_usd'],
  ],
  [
    'a fallback although its code is remote',
    { kind: 'remote', config: { url: 'https://agent.example.com', fallback_models: ['local/priced'] } },
    [422, 'config_invalid', 'config.fallback_models'],
  ],
  [
    'a script for a model that plays none',
    { config: { ...config, script: [{ text: 'x' }] } },
    [422, 'config_invalid', 'config.script'],
  ],
  [
    'a script that cannot be read',
    { config: { model: 'simulated/script', script: [{ txt: 'x' }] } },
    [422, 'config_invalid', 'config.script.0.txt'],
  ],
  ['an input schema that cannot be used', { input_schema: schema }, [422, 'config_invalid', 'input_schema']],
  ['an output schema that cannot be used', { output_schema: schema }, [422, 'config_invalid', 'output_schema']],
  [
    'a budget on a model without a price',
    { config: { model: 'local/unpriced' }, limits: { budget_usd: 1 } },
    [422, 'config_invalid', 'limits.budget_usd'],
  ],
  [
    'a limit of runs at once that none could keep',
    { limits: { max_concurrent_runs: 0 } },
    [400, 'invalid_request', 'limits.max_concurrent_runs'],
  ],
  ['a limit out of range', { limits: { max_steps: 0 } }, [400, 'invalid_request', 'limits.max_steps']],
  ['a policy that does not exist', { policies: ['strict'] }, [422, 'config_invalid', 'policies.0']],
  [
    'a tool that is allowed twice',
    { config: { ...config, tools: [{ connector_id: con, allow: ['a', 'b', 'a'] }] } },
    [422, 'config_invalid', 'config.tools.0.allow.2'],
  ],
  [
    'a tool that asks twice',
    { config: { ...config, tools: [{ connector_id: con, require_approval: ['a', 'a'] }] } },
    [422, 'config_invalid', 'config.tools.0.require_approval.1'],
  ],
  ['a field that only the service sets', { version: 3 }, [400, 'invalid_request', 'version']],
  ['no address', { kind: 'remote', config: {} }, [400, 'invalid_request', 'config.url']],
  [
    'settings of another kind of agent',
    { kind: 'remote', config: { ...config, url: 'https://agent.example.com' } },
    [422, 'config_invalid', 'config.model'],
  ],
])('[S28] an agent with %s is refused, and the fault is reported with its path', async (_, body, refusal) => {
  const refused = await create({ name: 'Triage', config, ...body })
  expect(refusalOf(refused)).toEqual(refusal)
  expect(refused.body.error.details[0]?.param).toBe(refusal[2])
})

test('[S28] the details contain every fault with its path', async () => {
  const { body } = await create({
    name: 'Triage',
    config: { model: 'openai/gpt', script: [{ text: 'x' }] },
    input_schema: schema,
    policies: ['a'],
  })
  const params = body.error.details.map(({ param }: { param: string }) => param)
  expect(params).toEqual(['config.model', 'config.script', 'input_schema', 'policies.0'])
})

test('a budget and a cost rule are accepted if the model has a price, and refused otherwise', async () => {
  const { body: priced } = await create({ name: 'P', config: { model: 'local/priced' }, limits: { budget_usd: 1 } })
  const rollout = { strategy: 'canary', traffic_percent: 5, rollback_rules: [{ metric: 'cost_per_run_usd', above: 1 }] }
  const change = (id: string, body: unknown) => app.call('PATCH', `/v2/agents/${id}`, { body })
  expect((await change(priced.id, { config: { temperature: 1 }, rollout })).status).toBe(200)
  const away = await change(priced.id, { config: { model: 'local/unpriced' }, rollout })
  expect(refusalOf(away)).toEqual([422, 'config_invalid', 'limits.budget_usd'])
  expect(away.body.error.details).toHaveLength(2)
  expect(away.body.error.details[1].param).toBe('rollout.rollback_rules.0.metric')
})

test('[S19][S27] a catalog agent is hired by its key with overrides, and runs', async () => {
  const { body: offer } = await app.call('GET', '/v2/catalog/test-echo')
  const hired = await hire('test-echo', { name: 'Our echo', config: { temperature: 0.1 }, metadata: { team: 'mail' } })
  expect(hired.status, hired.text).toBe(201)
  expect(contract.agents.hire.output.strict().safeParse(hired.body).error).toBeUndefined()
  expect(hired.headers.location).toBe(`/v2/agents/${hired.body.id}`)
  expect(hired.body).toMatchObject({
    name: 'Our echo',
    description: offer.description,
    source: 'catalog',
    catalog_key: 'test-echo',
    catalog_version: offer.version,
    catalog_latest: offer.version,
    config: { ...offer.config, temperature: 0.1 },
    metadata: { team: 'mail' },
    version: 1,
    deployment: { source: 'hire', status: 'active' },
  })
  const { body: run } = await app.call('POST', '/v2/runs', {
    body: { agent_id: hired.body.id, input: { query: 'Hello' } },
  })
  expect(run).toMatchObject({ status: 'completed', output: { result: 'Hello' } })
  const { body: audit } = await app.call('GET', `/v2/audit-log?subject=${hired.body.id}`)
  expect(audit.data).toMatchObject([{ action: 'agent.hired', after: { catalog_key: 'test-echo' } }])
})

// B2, row 51.
test('[S27] two concurrent hires create two agents, and with one idempotency key one', async () => {
  const [one, other] = await Promise.all([hire('test-echo'), hire('test-echo', {})])
  expect([one.status, other.status]).toEqual([201, 201])
  expect(one.body.id).not.toBe(other.body.id)
  const headers = { 'idempotency-key': 'hire once' }
  const answers = await Promise.all(Array.from({ length: 10 }, () => hire('test-echo', { name: 'Once' }, { headers })))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
  expect(new Set(answers.map(({ body }) => body.deployment.id)).size).toBe(1)
  expect(answers.filter((answer) => answer.headers['idempotency-replayed'] === 'true')).toHaveLength(9)
  const reused = [
    await hire('test-slow', { name: 'Once' }, { headers }),
    await create({ name: 'Once', config }, { headers }),
  ]
  for (const reply of reused) expect(refusalOf(reply).slice(0, 2)).toEqual([422, 'idempotency_key_reused'])
})

// B2, row 51.
test.each(['nobody', '..%2Fcustom', '%2e%2e%2fcustom', '%E2%98%83', 'TEST-ECHO', 'x'.repeat(300), '%00'])(
  '[S27] hiring %s, which is not in the catalog, is 404',
  async (key) => {
    expect((await hire(key, {})).status).toBe(404)
  },
)

test.each([
  ['a model that is not listed', { config: { model: 'openai/gpt' } }, [422, 'config_invalid', 'config.model']],
  [
    'a name that stands for many models',
    { config: { model: 'local/many-*' } },
    [422, 'config_invalid', 'config.model'],
  ],
  ['no model', { config: { model: null } }, [400, 'invalid_request', 'config.model']],
  ['an unknown setting', { config: { prompt: 'x' } }, [400, 'invalid_request', 'config.prompt']],
  ['a field that cannot be chosen', { limits: {} }, [400, 'invalid_request', 'limits']],
])('[S27] hiring with %s is refused', async (_, body, refusal) => {
  expect(refusalOf(await hire('test-echo', body))).toEqual(refusal)
})

test('a repeated request returns the agent’s current state and creates nothing', async () => {
  const headers = { 'idempotency-key': 'make once' }
  const body = { name: 'Once', config }
  const first = await create(body, { headers })
  await app.call('PATCH', `/v2/agents/${first.body.id}`, { body: { name: 'Renamed' } })
  const again = await create(body, { headers })
  expect([again.status, again.headers['idempotency-replayed']]).toEqual([201, 'true'])
  expect(again.body).toMatchObject({ id: first.body.id, name: 'Renamed', version: 2 })
  expect(again.body.deployment).toMatchObject({ id: first.body.deployment.id, source: 'create' })
  expect(refusalOf(await create({ ...body, name: 'Other' }, { headers })).slice(0, 2)).toEqual([
    422,
    'idempotency_key_reused',
  ])
})

test('a repeated request is answered even if the key is rate limited', async () => {
  const { key } = await app.addTenant({ limits: { requestsPerMinute: 1, burst: 5 } })
  const headers = { 'idempotency-key': 'once' }
  const hired = await hire('test-echo', { name: 'Once' }, { key, headers })
  const made = await create({ name: 'Other', config }, { key, headers: { 'idempotency-key': 'twice' } })
  await until('the end of the rate', async () => (await app.call('GET', '/v2/agents', { key })).status === 429)
  expect((await hire('test-echo', { name: 'Another' }, { key })).status).toBe(429)
  const again = await hire('test-echo', { name: 'Once' }, { key, headers })
  expect([again.status, again.body]).toEqual([201, hired.body])
  const other = await create({ name: 'Other', config }, { key, headers: { 'idempotency-key': 'twice' } })
  expect([other.status, other.body]).toEqual([201, made.body])
})

test('the limit of agents per organisation is exact, also under concurrent creation; archived agents do not count (limits.agentsPerOrganisation)', async () => {
  const tenant = await app.addTenant()
  await app.query(
    `insert into agents (id, org_id, name, kind, source, config)
     select gen_random_uuid(), $1, 'planted', 'llm', 'custom', '{"model": "simulated/echo"}' from generate_series(1, 990)`,
    [tenant.org],
  )
  const { key } = tenant
  const replies = await Promise.all(Array.from({ length: 8 }, () => hire('test-echo', {}, { key })))
  expect(replies.filter(({ status }) => status === 201)).toHaveLength(3)
  for (const reply of replies.filter(({ status }) => status !== 201)) {
    expect(refusalOf(reply).slice(0, 2)).toEqual([422, 'limit_reached'])
  }
  await app.call('DELETE', `/v2/agents/${tenant.agents['test-echo']}`, { key })
  expect((await create({ name: 'Room', config }, { key })).status).toBe(201)
  const unarchive = () => app.call('POST', `/v2/agents/${tenant.agents['test-echo']}/unarchive`, { key, body: {} })
  expect(refusalOf(await unarchive()).slice(0, 2)).toEqual([422, 'limit_reached'])
  const archived = await app.call('GET', `/v2/agents/${tenant.agents['test-echo']}`, { key })
  expect(archived.body.status).toBe('archived')
  await app.call('DELETE', `/v2/agents/${tenant.agents['test-slow']}`, { key })
  expect((await unarchive()).status).toBe(200)
})

test('an agent at its limit of versions accepts no more (limits.versionsPerAgent)', async () => {
  const { body: made } = await create({ name: 'Old', config })
  await app.query(`update agents set latest_version = 10000 where name = 'Old' and org_id = $1`, [app.tenant.org])
  const { status, body } = await app.call('PATCH', `/v2/agents/${made.id}`, { body: { name: 'Older' } })
  expect([status, body.error.code]).toEqual([422, 'limit_reached'])
})
