import { limits } from '@ars/contract'
import { shadowSweep } from '@ars/core/guardrails'
import { fromUuid, toUuid } from '@ars/platform/id'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, sharedApp } from './app.ts'
import { runNow } from './sweep.ts'

let app: App
beforeAll(async () => {
  app = await sharedApp()
})
afterAll(() => app.stop())

const call = (method: string, path: string, body?: object, key?: string) =>
  app.call(method, `/v2${path}`, { ...(body && { body }), ...(key && { key }) })
const ok = async (method: string, path: string, body?: object, key?: string) => {
  const answer = await call(method, path, body, key)
  expect([200, 201], answer.text).toContain(answer.status)
  return answer.body
}
const noCards = { id: 'no_cards', check: 'pii', stages: ['output'], action: 'redact', params: { kinds: ['card'] } }
const words = { check: 'keywords', stages: ['input', 'output'], action: 'block', params: { words: ['forbidden'] } }
const ruleOf = (expression: string) => ({ ...words, check: 'expression', params: { expression, message: 'No.' } })
const create = (rules: object[] = [words], more: object = {}) =>
  ok('POST', '/policies', { name: 'Test', rules, ...more })
const attach = (id: string, subject_id: string | undefined, more: object = {}) =>
  ok('POST', `/policies/${id}/attachments`, { subject_id, ...more })
const orgId = () => fromUuid('org', app.tenant.org)

type Entry = { policy_id: string; version: number; mode: string; subject_type: string; new_runs_only: boolean }

/** The entries of this policy in the set that is in force. */
const inForce = async (id: string): Promise<Entry[]> => {
  const [row] = await app.query<{ entries: Entry[] }>(
    'select s.entries from organisations o join policy_sets s on s.id = o.policy_set_id where o.id = $1',
    [app.tenant.org],
  )
  return (row?.entries ?? []).filter(({ policy_id }) => policy_id === toUuid(id as `pol_${string}`))
}

test('a policy is created with defaults, read, listed, changed and archived, and the audit log tells of it', async () => {
  const created = await call('POST', '/policies', { name: 'Cards', rules: [noCards, words] })
  expect(created).toMatchObject({ status: 201, headers: { location: `/v2/policies/${created.body.id}` } })
  expect(created.body).toEqual({
    id: expect.stringMatching(/^pol_[0-9a-z]{26}$/),
    object: 'policy',
    name: 'Cards',
    description: '',
    status: 'active',
    mode: 'enforce',
    shadow_until: null,
    version: 1,
    template: null,
    template_params: null,
    rules: [
      { ...noCards, params: { kinds: ['card'], countries: ['US'] } },
      { ...words, id: 'rule_2', params: { words: ['forbidden'], whole_words: true } },
    ],
    stream_delay: { mode: 'window', chars: expect.any(Number) },
    created_by: expect.stringMatching(/^key_/),
    created_at: expect.stringMatching(/Z$/),
    updated_at: expect.stringMatching(/Z$/),
    archived_at: null,
  })
  const path = `/policies/${created.body.id}`
  expect(await ok('GET', path)).toEqual(created.body)
  expect((await ok('GET', '/policies?status=active')).data).toContainEqual(created.body)
  const changed = await ok('PATCH', path, { rules: [words], version: 1 })
  expect(changed).toMatchObject({ version: 2, rules: [{ id: 'rule_1' }] })
  expect(await ok('PATCH', path, { rules: [words] })).toEqual(changed)
  expect((await ok('GET', `${path}/versions`)).data).toMatchObject([{ version: 2 }, { version: 1, rules: [{}, {}] }])
  expect(await call('PATCH', path, { name: 'Late', version: 1 })).toMatchObject({
    status: 422,
    body: { error: { code: 'version_conflict', param: 'version' } },
  })
  const archived = await ok('DELETE', path)
  expect(archived).toMatchObject({ status: 'archived', archived_at: expect.any(String) })
  expect(await ok('DELETE', path)).toEqual(archived)
  const { data } = await ok('GET', `/audit-log?subject=${created.body.id}`)
  expect(data.map(({ action }: { action: string }) => action)).toEqual([
    'policy.archived',
    'policy.updated',
    'policy.created',
  ])
})

describe('the set in force', () => {
  test('is written with the attachment, changes with version and mode, and ends with the detachment', async () => {
    const { id } = await create()
    expect(await inForce(id)).toEqual([])
    const attachment = await attach(id, app.tenant.agents['test-echo'], { new_runs_only: true })
    expect(attachment).toMatchObject({ object: 'policy_attachment', policy_id: id, subject_type: 'agent' })
    expect(await attach(id, app.tenant.agents['test-echo'])).toEqual(attachment)
    const agent = await ok('GET', `/agents/${app.tenant.agents['test-echo']}`)
    expect(agent.policies).toEqual([id])
    await attach(id, orgId())
    expect(await inForce(id)).toMatchObject([
      { version: 1, mode: 'enforce', subject_type: 'agent', new_runs_only: true },
      { version: 1, mode: 'enforce', subject_type: 'organisation', new_runs_only: false },
    ])
    await ok('PATCH', `/policies/${id}`, { rules: [noCards], mode: 'shadow' })
    expect(await inForce(id)).toMatchObject([{ version: 2, mode: 'shadow' }, {}])
    expect((await ok('GET', `/policies/${id}/attachments`)).data).toHaveLength(2)
    await ok('DELETE', `/policies/${id}/attachments/${attachment.id}`)
    expect((await call('DELETE', `/policies/${id}/attachments/${attachment.id}`)).status).toBe(404)
    expect(await inForce(id)).toHaveLength(1)
    await ok('DELETE', `/policies/${id}`)
    expect(await inForce(id)).toEqual([])
    expect((await ok('GET', `/policies/${id}/attachments`)).data).toEqual([])
  })

  test('holds for all rotations of an API key', async () => {
    const { id } = await create()
    const key = await ok('POST', '/api-keys', { name: 'Rotated', scopes: ['runs:read'] })
    const next = await ok('POST', `/api-keys/${key.id}/rotate`, {})
    expect(await attach(id, next.id)).toMatchObject({ subject_type: 'api_key', subject_id: key.id })
    await ok('DELETE', `/policies/${id}`)
  })

  test('ends when the days of the mode shadow are over (limits.policyShadowDays), unless they are renewed', async () => {
    const [ending, renewed] = [await create([words], { mode: 'shadow' }), await create([words], { mode: 'shadow' })]
    for (const { id } of [ending, renewed]) await attach(id, orgId())
    const days = (policy: { shadow_until: string; updated_at: string }) =>
      (new Date(policy.shadow_until).getTime() - new Date(policy.updated_at).getTime()) / 86_400_000
    expect(days(ending)).toBeCloseTo(limits.policyShadowDays, 3)
    const age = (id: string, until: string) =>
      app.query(`update policies set shadow_until = app_now() ${until} where id = $1`, [toUuid(id as `pol_${string}`)])
    await age(renewed.id, "+ interval '1 hour'")
    expect(days(await ok('PATCH', `/policies/${renewed.id}`, { mode: 'shadow' }))).toBeCloseTo(14, 3)
    await age(ending.id, "- interval '1 second'")
    // A worker does so every ten seconds.
    expect(await (await fetch(`${app.metricsUrl}/metrics`)).text()).toContain('sweep="policy-shadows"')
    await runNow(app, shadowSweep)
    expect((await ok('GET', `/policies/${ending.id}`)).status).toBe('ended')
    expect([await inForce(ending.id), await inForce(renewed.id)]).toMatchObject([[], [{ mode: 'shadow' }]])
    const { data } = await ok('GET', `/audit-log?subject=${ending.id}`)
    expect(data[0]).toMatchObject({ action: 'policy.shadow_ended', actor: { type: 'service' } })
    expect(await ok('PATCH', `/policies/${ending.id}`, { mode: 'enforce' })).toMatchObject({ status: 'active' })
    expect(await inForce(ending.id)).toMatchObject([{ mode: 'enforce' }])
  })
})

test('a request that is repeated with its idempotency key gets the same policy and the same attachment', async () => {
  const twice = async (path: string, body: object) => {
    const headers = { 'idempotency-key': 'policy-1' }
    const first = await app.call('POST', `/v2${path}`, { body, headers })
    const second = await app.call('POST', `/v2${path}`, { body, headers })
    expect(second).toMatchObject({ status: 201, headers: { 'idempotency-replayed': 'true' }, body: first.body })
    return first.body
  }
  const { id } = await twice('/policies', { name: 'Once', rules: [words] })
  await twice(`/policies/${id}/attachments`, { subject_id: orgId() })
  await ok('DELETE', `/policies/${id}`)
})

test.each([
  [{ rules: [words, words, { ...words, check: 'regex', params: { pattern: '(' } }] }, 'rules.2.params.pattern'],
  [{ rules: [{ ...words, check: 'regex', params: { pattern: '(?=x)' } }] }, 'rules.0.params.pattern'],
  [{ rules: [{ ...words, check: 'json_schema', params: { schema: { type: 'thing' } } }] }, 'rules.0.params.schema'],
  [{ rules: [{ ...words, action: 'redact', check: 'max_length', params: { chars: 5 } }] }, 'rules.0.action'],
  [
    {
      rules: [
        { ...words, id: 'same' },
        { ...words, id: 'same' },
      ],
    },
    'rules.1.id',
  ],
  [{ rules: [{ ...words, stages: ['input', 'input'] }] }, 'rules.0.stages'],
  [{ rules: [{ ...words, check: 'model', params: { model: 'no/such', instructions: 'x' } }] }, 'rules.0.params.model'],
  [{ rules: [{ ...words, check: 'http', params: { url: 'http://169.254.169.254/' } }] }, 'rules.0.params.url'],
  [{ rules: [{ ...words, check: 'http', params: { url: 'https://guard.example.com/?a=1' } }] }, 'rules.0.params.url'],
  [{ rules: [ruleOf('tool.nme == "pay"')] }, 'rules.0.params.expression'],
  [{ rules: [ruleOf('tool.name ==')] }, 'rules.0.params.expression'],
  [{ rules: [{ ...words, check: 'url_allow', params: { hosts: ['not a host'] } }] }, 'rules.0.params.hosts'],
  [{ template: 'tool-allow-list' }, 'params.tools'],
  [{ template: 'pii-redact', params: { kinds: ['shoe_size'] } }, 'params.kinds'],
  [{ template: 'pii-redact', params: { unheard: 1 } }, 'params.unheard'],
  [{ template: 'url-allow-list', params: { hosts: ['not a host'] } }, 'params.hosts'],
  [{ template: 'approval-above-amount', params: { limit: 5, field: 'a || true' } }, 'params.field'],
  [{ template: 'unheard' }, 'template'],
  [{}, 'rules'],
  [{ rules: [words], template: 'pii-redact' }, 'rules'],
] as const)('422 policy_invalid for a policy that cannot work: %j', async (body, param) => {
  const answer = await call('POST', '/policies', { name: 'Broken', ...body })
  expect(answer).toMatchObject({ status: 422, body: { error: { code: 'policy_invalid', param } } })
})

test.each([
  [[{ ...words, action: 'flag' }], { mode: 'none', chars: 0 }],
  [[{ ...words, stages: ['input'] }], { mode: 'none', chars: 0 }],
  [[{ ...words, check: 'max_length', params: { chars: 5 } }], { mode: 'whole', chars: null }],
  [[{ ...words, action: 'require_approval' }], { mode: 'whole', chars: null }],
  [[{ ...words, check: 'regex', params: { pattern: '^x' } }], { mode: 'whole', chars: null }],
  [
    [words, { ...words, check: 'model', params: { model: 'simulated/echo', instructions: 'x' } }],
    { mode: 'chunk', chars: 1_000 },
  ],
])('the response to saving states how streams are delayed: %j', async (rules, delay) => {
  expect((await create(rules)).stream_delay).toEqual(delay)
})

test('every template is adopted with its required parameters', async () => {
  const { data } = await ok('GET', '/policy-templates')
  const required: Record<string, object> = {
    'tool-allow-list': { tools: ['search', 'say "hello"'] },
    'approval-above-amount': { limit: 100, field: 'payment.amount' },
    'url-allow-list': { hosts: ['example.com', '*.example.org'] },
    'topic-deny': { words: ['medicine'], model: 'simulated/echo', topics: 'health' },
  }
  expect(data).toHaveLength(10)
  for (const { key, name, description } of data) {
    const policy = await ok('POST', '/policies', { template: key, params: required[key] ?? {} })
    expect(policy).toMatchObject({ name, description, template: key, status: 'active' })
    await ok('DELETE', `/policies/${policy.id}`)
  }
})

test('a caller that is narrowed to some agents neither reads nor changes policies, and reads the templates', async () => {
  const agent_ids = [app.tenant.agents['test-echo']]
  const scopes = ['policies:read', 'policies:write']
  const { key } = await ok('POST', '/api-keys', { name: 'Narrow', scopes, agent_ids })
  for (const [method, path, body] of [
    ['GET', '/policies'],
    ['POST', '/policies', { template: 'pii-redact' }],
  ] as const)
    expect(await call(method, path, body, key)).toMatchObject({ status: 403, body: { error: { code: 'forbidden' } } })
  expect((await ok('GET', '/policy-templates', undefined, key)).data).toHaveLength(10)
})

test('a policy is attached to things of its organisation only', async () => {
  const { id } = await create()
  const stranger = await app.addTenant()
  for (const subject_id of [fromUuid('org', stranger.org), stranger.agents['test-echo']])
    expect(await call('POST', `/policies/${id}/attachments`, { subject_id })).toMatchObject({
      status: 404,
      body: { error: { param: 'subject_id' } },
    })
})
