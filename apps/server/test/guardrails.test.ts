import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fromUuid } from '@ars/platform/id'
import { type LoopbackMcpServer, startMcpServer } from '@ars/testkit/mcp-server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rotateKeys } from '../src/admin/rotate-data-keys.ts'
import { type App, framesOf, sharedApp, type Tenant, textLeftOf, until } from './app.ts'
import { printedBy } from './printed.ts'

const marker = 'xylograph'
let app: App
let server: LoopbackMcpServer

beforeAll(async () => {
  app = await sharedApp()
  server = await startMcpServer({
    extend: (mcp) => {
      mcp.registerTool('tell_it', {}, async () => ({ content: [{ type: 'text' as const, text: `It is ${marker}.` }] }))
      mcp.registerTool('fail_it', {}, async () => {
        throw new Error(`no ${marker}`)
      })
    },
  })
})
afterAll(async () => {
  await app.stop()
  await server.stop()
})

/** `ars-server admin rotate-data-keys --json --older-than 0 --org ID` */
const rotation = ({ org }: Tenant) => ({ org, olderThanDays: 0, json: true })

type Stage = 'input' | 'action_payload' | 'tool_call' | 'tool_result' | 'output'
type RuleOptions = { action?: string; word?: string; more?: object }

/** An organisation with one rule for a word at these stages. */
const guarded = async (stages: Stage[], { action = 'block', word = marker, more = {} }: RuleOptions = {}) => {
  const tenant = await app.addTenant()
  const rule = { id: 'word', check: 'keywords', stages, action, params: { words: [word] }, ...more }
  const { key } = tenant
  const created = await app.call('POST', '/v2/policies', { key, body: { name: 'Words', rules: [rule] } })
  expect(created.status, created.text).toBe(201)
  const attached = await app.call('POST', `/v2/policies/${created.body.id}/attachments`, {
    key,
    body: { subject_id: fromUuid('org', tenant.org) },
  })
  expect(attached.status, attached.text).toBe(201)
  return { ...tenant, policy: created.body.id as string }
}

const start = (tenant: Tenant, body: object, headers: Record<string, string> = { prefer: 'respond-async' }) =>
  app.call('POST', '/v2/runs', { key: tenant.key, body, headers })

const settled = (tenant: Tenant, id: string, ...statuses: string[]) =>
  until(`${id} to settle`, async () => {
    const { body } = await app.call('GET', `/v2/runs/${id}`, { key: tenant.key })
    return (statuses.length > 0 ? statuses.includes(body.status) : body.finished_at !== null) && body
  })

const play = async (tenant: Tenant, script: unknown[], tools: string[] = []) => {
  const connectors =
    tools.length === 0
      ? []
      : [(await app.call('POST', '/v2/connectors', { key: tenant.key, body: { name: 'L', url: server.url } })).body.id]
  const config = {
    model: 'simulated/script',
    script,
    tools: connectors.map((connector_id) => ({ connector_id, require_approval: [], allow: tools })),
  }
  const agent_id = await app.addAgent({ config }, tenant)
  const { body, text } = await start(tenant, { agent_id, input: {} })
  expect(body.id, text).toBeDefined()
  return body.id as string
}

const framesOfRun = async (tenant: Tenant, id: string) =>
  framesOf((await app.call('GET', `/v2/runs/${id}/stream`, { key: tenant.key })).text)

/** Everything that the organisation can read of a run, and everything that is stored about it. */
const visible = async (tenant: Tenant, id: string): Promise<string> => {
  const { body: run } = await app.call('GET', `/v2/runs/${id}`, { key: tenant.key })
  // The stream of a run that waits has no end; its frames are rows of the tables below.
  const streams = run.finished_at === null ? [] : [`/v2/runs/${id}/stream`]
  const paths = [`/v2/runs/${id}`, `/v2/runs/${id}/steps`, '/v2/events', ...streams]
  const answers = await Promise.all(paths.map((path) => app.call('GET', path, { key: tenant.key })))
  const tables = ['runs', 'run_results', 'run_steps', 'run_events', 'run_tool_calls', 'run_actions', 'run_messages', 'run_deltas', 'events'] // biome-ignore format: a list
  const rows = await Promise.all(
    tables.map((table) => app.query(`select row_to_json(t) as row from ${table} t where org_id = $1`, [tenant.org])),
  )
  return [...answers.map(({ text }) => text), JSON.stringify(rows), ...app.logLines].join('\n')
}

describe('[S6] no run starts without its policy decision', () => {
  test('a forbidden input is refused with the policy, the check and the reason, and has no run', async () => {
    const tenant = await guarded(['input'])
    const body = { agent_id: tenant.agents['test-echo'], input: { query: `my ${marker} is red` } }
    const refused = await start(tenant, body)
    expect(refused).toMatchObject({ status: 422, body: { error: { code: 'guardrail_blocked' } } })
    expect(refused.body.error.details).toContainEqual({ param: 'policy', message: tenant.policy })
    expect(refused.text).not.toContain(marker)
    expect((await app.call('GET', '/v2/runs', { key: tenant.key })).body.data).toEqual([])
    expect((await start(tenant, { ...body, input: { query: 'fine' } })).status).toBe(202)
  })

  test('metadata is judged with the input', async () => {
    const tenant = await guarded(['input'])
    const agent_id = tenant.agents['test-echo']
    expect(await start(tenant, { agent_id, input: {}, metadata: { note: marker } })).toMatchObject({ status: 422 })
  })

  test('a run keeps the set of policies that judged its input', async () => {
    const tenant = await guarded(['input'])
    const { body } = await start(tenant, { agent_id: tenant.agents['test-echo'], input: { query: 'fine' } })
    const pinned = await app.query(
      'select from runs r join organisations o on o.id = r.org_id and o.policy_set_id = r.policy_set_id where o.id = $1',
      [tenant.org],
    )
    expect(body.id).toBeDefined()
    expect(pinned).toHaveLength(1)
  })

  test('a replay with the key of an accepted run is not refused by a later policy', async () => {
    const tenant = await app.addTenant()
    const body = { agent_id: tenant.agents['test-echo'], input: { query: marker } }
    const headers = { prefer: 'respond-async', 'idempotency-key': 'before' }
    const first = await start(tenant, body, headers)
    const rule = { check: 'keywords', stages: ['input'], action: 'block', params: { words: [marker] } }
    const { key } = tenant
    const { body: policy } = await app.call('POST', '/v2/policies', { key, body: { name: 'W', rules: [rule] } })
    await app.call('POST', `/v2/policies/${policy.id}/attachments`, {
      key,
      body: { subject_id: fromUuid('org', tenant.org) },
    })
    expect(await start(tenant, body, headers)).toMatchObject({ body: { id: first.body.id } })
    expect(await start(tenant, body, { ...headers, 'idempotency-key': 'after' })).toMatchObject({ status: 422 })
  })
})

describe('a marker is seen nowhere', () => {
  test.each([1, 3, 100])('in the output of a model, in pieces of %i characters', async (chunk_chars) => {
    const tenant = await guarded(['output'])
    const id = await play(tenant, [{ text: `${'It is red. '.repeat(20)}The ${marker} is here.`, chunk_chars }])
    const run = await settled(tenant, id)
    expect(run).toMatchObject({
      status: 'failed',
      error: { code: 'guardrail_blocked', details: { check: 'keywords' } },
    })
    expect(await visible(tenant, id)).not.toContain(marker)
    expect(await framesOfRun(tenant, id)).toContainEqual(
      expect.objectContaining({
        event: 'run.guardrail',
        data: expect.objectContaining({ stage: 'output', enforced: true }),
      }),
    )
  })

  test('in the arguments of a tool call', async () => {
    const tenant = await guarded(['tool_call'])
    const calls = { text: '', tool_calls: [{ name: 'tell_it', arguments: { what: marker } }] }
    const id = await play(tenant, [calls, { text: 'done' }], ['tell_it'])
    expect(await settled(tenant, id)).toMatchObject({ error: { code: 'guardrail_blocked' } })
    // The script itself is the configuration of the agent, which only the first query shows.
    expect((await visible(tenant, id)).replaceAll(JSON.stringify(calls), '')).not.toContain(marker)
  })

  test.each(['tell_it', 'fail_it'])('in the result of the tool %s', async (name) => {
    const tenant = await guarded(['tool_result'])
    const id = await play(tenant, [{ text: '', tool_calls: [{ name, arguments: {} }] }, { text: 'done' }], [name])
    expect(await settled(tenant, id)).toMatchObject({ error: { code: 'guardrail_blocked' } })
    expect(await visible(tenant, id)).not.toContain(marker)
  })

  test('in a message and in the payload of a decision', async () => {
    const tenant = await guarded(['action_payload'])
    const { body } = await start(tenant, { agent_id: tenant.agents['test-approval'], input: { query: 'x' } })
    await settled(tenant, body.id, 'requires_action')
    const act = (sent: object) => app.call('POST', `/v2/runs/${body.id}/action`, { key: tenant.key, body: sent })
    expect(await act({ type: 'message', payload: { message: marker } })).toMatchObject({ status: 422 })
    expect(await act({ type: 'approve', comment: marker })).toMatchObject({
      body: { error: { code: 'guardrail_blocked' } },
    })
    expect(await act({ type: 'approve', comment: 'yes' })).toMatchObject({ status: 200 })
    expect(await visible(tenant, body.id)).not.toContain(marker)
  })
})

describe('redaction', () => {
  const mail = 'ada@example.com'
  const rule = { check: 'pii', params: { kinds: ['email'] } }

  test('hides a value in the input and in the output under the same number, and the deltas equal the output', async () => {
    const tenant = await guarded(['input', 'output'], { action: 'redact', more: rule })
    const query = `write to ${mail} and to bob@example.com and again to ${mail}`
    const { body } = await start(tenant, { agent_id: tenant.agents['test-echo'], input: { query } })
    const run = await settled(tenant, body.id)
    expect(run.input.query).toBe('write to [EMAIL_1] and to [EMAIL_2] and again to [EMAIL_1]')
    expect(textLeftOf(await framesOfRun(tenant, body.id))).toBe(run.output.result)
    const all = await visible(tenant, body.id)
    expect(all).not.toContain(mail)
    expect(all).not.toContain('bob@example.com')
  })

  test('a tool gets the token, too', async () => {
    const tenant = await guarded(['tool_call'], { action: 'redact', more: rule })
    const calls = { text: '', tool_calls: [{ name: 'lookup', arguments: { name: mail } }] }
    const id = await play(tenant, [calls, { text: 'done' }], ['lookup'])
    expect(await settled(tenant, id)).toMatchObject({ status: 'completed' })
    const [call] = server.calls().filter(({ key }) => key?.startsWith(id))
    expect(JSON.stringify(call)).toContain('[EMAIL_1]')
    expect(JSON.stringify(call)).not.toContain(mail)
  })

  test('values are not stored: the mapping holds keyed hashes', async () => {
    const tenant = await guarded(['input'], { action: 'redact', more: rule })
    const { body } = await start(tenant, { agent_id: tenant.agents['test-echo'], input: { query: mail } })
    await settled(tenant, body.id)
    const rows = await app.query('select kind, number, hash from run_redactions where org_id = $1', [tenant.org])
    expect(rows).toMatchObject([{ kind: 'EMAIL', number: 1 }])
    expect(await app.call('DELETE', `/v2/runs/${body.id}/data`, { key: tenant.key })).toMatchObject({ status: 200 })
    expect(await app.query('select from run_redactions where org_id = $1', [tenant.org])).toEqual([])
  })
})

describe('an approval', () => {
  const approve = (tenant: Tenant, id: string, type: 'approve' | 'reject') =>
    app.call('POST', `/v2/runs/${id}/action`, { key: tenant.key, body: { type } })

  test('holds the output back until a person approves it, and shows it to nobody before', async () => {
    const tenant = await guarded(['output'], { action: 'require_approval' })
    const id = await play(tenant, [{ text: `The ${marker} is here.` }])
    await settled(tenant, id, 'requires_action')
    expect(await visible(tenant, id)).not.toContain(marker)
    expect(await approve(tenant, id, 'approve')).toMatchObject({ status: 200 })
    const run = await settled(tenant, id)
    expect(run).toMatchObject({ status: 'completed', output: { result: `The ${marker} is here.` } })
    expect(textLeftOf(await framesOfRun(tenant, id))).toBe(run.output.result)
  })

  test('a refused output is erased and never seen', async () => {
    const tenant = await guarded(['output'], { action: 'require_approval' })
    const id = await play(tenant, [{ text: `The ${marker} is here.` }])
    await settled(tenant, id, 'requires_action')
    await approve(tenant, id, 'reject')
    expect(await settled(tenant, id)).toMatchObject({ status: 'failed', error: { code: 'guardrail_blocked' } })
    expect(await visible(tenant, id)).not.toContain(marker)
    expect(await app.query('select from run_actions where org_id = $1 and held is not null', [tenant.org])).toEqual([])
  })

  test('lets a tool call go out with its own arguments after the approval, and not before', async () => {
    const tenant = await guarded(['tool_call'], { action: 'require_approval' })
    const calls = { text: '', tool_calls: [{ name: 'lookup', arguments: { name: marker } }] }
    const id = await play(tenant, [calls, { text: 'done' }], ['lookup'])
    await settled(tenant, id, 'requires_action')
    expect(server.calls().filter(({ key }) => key?.startsWith(id))).toEqual([])
    await approve(tenant, id, 'approve')
    expect(await settled(tenant, id)).toMatchObject({ status: 'completed' })
    const sent = server.calls().filter(({ key }) => key?.startsWith(id))
    expect(sent).toHaveLength(1)
    expect(JSON.stringify(sent)).toContain(marker)
  })

  test('asks about the tool calls of a reply after its text was approved', async () => {
    const tenant = await guarded(['output', 'tool_call'], { action: 'require_approval' })
    const reply = { text: `I look up ${marker}.`, tool_calls: [{ name: 'lookup', arguments: { name: marker } }] }
    // The script counts the reply twice: as it was held back, and as it was released.
    const id = await play(tenant, [reply, reply, { text: 'done' }], ['lookup'])
    const [first] = (await settled(tenant, id, 'requires_action')).required_actions
    await approve(tenant, id, 'approve')
    const second = await until('the question about the call', async () => {
      const { body } = await app.call('GET', `/v2/runs/${id}`, { key: tenant.key })
      const [open] = body.required_actions ?? []
      return open && open.id !== first.id ? open : undefined
    })
    expect(second.id).not.toBe(first.id)
    expect(server.calls().filter(({ key }) => key?.startsWith(id))).toEqual([])
    await approve(tenant, id, 'approve')
    expect(await settled(tenant, id)).toMatchObject({ error: null, status: 'completed' })
    expect(JSON.stringify(server.calls().filter(({ key }) => key?.startsWith(id)))).toContain(marker)
  })
})

describe('the content that a policy holds back', () => {
  const heldOf = (tenant: Tenant, id: string, { key = tenant.key, query = '' } = {}) =>
    app.call('GET', `/v2/runs/${id}/held${query}`, { key })
  const decide = (tenant: Tenant, id: string, type: 'approve' | 'reject', action_id?: string) =>
    app.call('POST', `/v2/runs/${id}/action`, { key: tenant.key, body: { type, action_id } })
  const keyWith = async (tenant: Tenant, body: object): Promise<string> =>
    (await app.call('POST', '/v2/api-keys', { key: tenant.key, body: { name: 'k', ...body } })).body.key
  const waiting = async (stage: Stage) => {
    const tenant = await guarded([stage], { action: 'require_approval' })
    return { tenant, ...(await heldRun(tenant, stage)) }
  }
  const heldRun = async (tenant: Tenant, stage: Stage) => {
    const query = `my ${marker}`
    if (stage === 'input') {
      const { body } = await start(tenant, { agent_id: tenant.agents['test-echo'], input: { query } })
      return { id: body.id as string, content: { query } as unknown }
    }
    if (stage === 'output') return { id: await play(tenant, [{ text: query }]), content: query as unknown }
    const name = stage === 'tool_call' ? 'lookup' : 'tell_it'
    const args = stage === 'tool_call' ? { name: marker } : {}
    const script = [{ text: '', tool_calls: [{ name, arguments: args }] }, { text: 'done' }]
    const content: unknown = stage === 'tool_call' ? args : expect.anything()
    return { id: await play(tenant, script, [name]), content }
  }

  test.each(['input', 'output', 'tool_call', 'tool_result'] as const)('at the stage %s is shown', async (stage) => {
    const { tenant, id, content } = await waiting(stage)
    const run = await settled(tenant, id, 'requires_action')
    const answer = await heldOf(tenant, id, { key: await keyWith(tenant, { scopes: ['runs:approve'] }) })
    expect(answer).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } })
    const [action] = run.required_actions
    const named = { object: 'held_content', run_id: id, action_id: action.id, stage }
    expect(answer.body).toEqual({ ...named, policy_id: tenant.policy, rule: 'word', content })
    expect(answer.text).toContain(marker)
    expect((await heldOf(tenant, id, { query: `?action_id=${action.id}` })).body).toEqual(answer.body)
    const none = fromUuid('act', '01890a5d-ac96-774b-bcce-b302099a8057')
    expect(await heldOf(tenant, id, { query: `?action_id=${none}` })).toMatchObject({ status: 404 })
    // Nobody else has seen it.
    if (stage !== 'input') expect(await visible(tenant, id)).not.toContain(marker)
  })

  test('is shown to nobody else', async () => {
    const { tenant, id } = await waiting('output')
    await settled(tenant, id, 'requires_action')
    const without = await keyWith(tenant, { scopes: ['runs:read', 'runs:write'] })
    expect(await heldOf(tenant, id, { key: without })).toMatchObject({ status: 403 })
    const agent_ids = [tenant.agents['test-echo']]
    const narrowed = await keyWith(tenant, { scopes: ['runs:approve'], agent_ids })
    expect(await heldOf(tenant, id, { key: narrowed })).toMatchObject({ status: 403 })
    const { key } = await app.addTenant()
    expect(await heldOf(tenant, id, { key })).toMatchObject({ status: 404 })
  })

  test.each(['approve', 'reject'] as const)('is not shown after %s, nor when the run is erased', async (type) => {
    const { tenant, id } = await waiting('output')
    await settled(tenant, id, 'requires_action')
    await decide(tenant, id, type)
    expect(await heldOf(tenant, id)).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } })
    await settled(tenant, id)
    expect(await heldOf(tenant, id)).toMatchObject({ status: 404 })
    await app.call('DELETE', `/v2/runs/${id}/data`, { key: tenant.key })
    expect(await heldOf(tenant, id)).toMatchObject({ status: 404 })
  })

  test.each(['input', 'output'] as const)('at the stage %s is not shown after its expiry', async (stage) => {
    const { tenant, id } = await waiting(stage)
    await settled(tenant, id, 'requires_action')
    await app.query('update run_heads set deadline_at = app_now() where org_id = $1', [tenant.org])
    expect(await settled(tenant, id)).toMatchObject({ error: { code: 'action_timeout' } })
    expect(await heldOf(tenant, id)).toMatchObject({ status: 404 })
  })

  test('of several tool calls is shown one by one', async () => {
    const tenant = await guarded(['tool_call'], { action: 'require_approval' })
    const calls = [1, 2].map((number) => ({ name: 'lookup', arguments: { name: `${marker} ${number}` } }))
    const id = await play(tenant, [{ text: '', tool_calls: calls }, { text: 'done' }], ['lookup'])
    const { required_actions } = await settled(tenant, id, 'requires_action')
    expect(required_actions).toHaveLength(2)
    const seen: unknown[] = []
    for (const action of required_actions) {
      expect((await heldOf(tenant, id)).body.action_id).toBe(action.id)
      seen.push((await heldOf(tenant, id, { query: `?action_id=${action.id}` })).body.content)
      await decide(tenant, id, 'approve', action.id)
    }
    expect(seen).toEqual(calls.map((call) => call.arguments))
    expect(await settled(tenant, id)).toMatchObject({ status: 'completed' })
  })

  test('is sealed again when data keys rotate', async () => {
    const { tenant, id } = await waiting('output')
    await settled(tenant, id, 'requires_action')
    const keys = () =>
      app.query<{ key: string }>(
        `select encode(substr(held, 2, 8), 'hex') as key from run_actions where org_id = $1 and held is not null`,
        [tenant.org],
      )
    const [before] = await keys()
    const { code, stdout, stderr } = await printedBy(() => rotateKeys(app.env, rotation(tenant)))
    expect(code, stderr).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ rotated: 1, resealed: 1, failed: [] })
    const [after] = await keys()
    expect(after?.key).not.toBe(before?.key)
    // The old key is deleted when it cannot be in use any more.
    await app.query(`update org_keys set retired = '{}' where org_id = $1`, [tenant.org])
    expect(
      (
        await until('the new key', async () => {
          const answer = await heldOf(tenant, id)
          return answer.status === 200 && answer
        })
      ).body.content,
    ).toContain(marker)
    await decide(tenant, id, 'approve')
    expect(await settled(tenant, id)).toMatchObject({ status: 'completed', output: { result: `my ${marker}` } })
  })

  test('of a run that holds nothing back is 404', async () => {
    const tenant = await app.addTenant()
    const { body } = await start(tenant, { agent_id: tenant.agents['test-approval'], input: { query: 'x' } })
    await settled(tenant, body.id, 'requires_action')
    expect(await heldOf(tenant, body.id)).toMatchObject({ status: 404 })
  })
})

describe('the credential of a rule', () => {
  const secret = 'sk-heron-0123456789'
  const headers: IncomingHttpHeaders[] = []
  const judge = createServer((request, response) => {
    headers.push(request.headers)
    request.resume().on('end', () => response.end('{"action":"NONE"}'))
  })
  let url: string
  beforeAll(async () => {
    await new Promise<void>((resolve) => judge.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(judge.address() as AddressInfo).port}`
  })
  afterAll(() => judge.close())

  const ruleWith = (more: object) => ({
    id: 'ask',
    check: 'http',
    stages: ['input'],
    action: 'block',
    params: { url, time_limit_ms: 10_000, ...more },
  })
  const plant = async () => {
    const tenant = await app.addTenant()
    const body = { name: 'Ask', rules: [ruleWith({ credential: secret })] }
    const made = await app.call('POST', '/v2/policies', { key: tenant.key, body, headers: { 'idempotency-key': 'a' } })
    expect(made.status, made.text).toBe(201)
    const subject_id = fromUuid('org', tenant.org)
    await app.call('POST', `/v2/policies/${made.body.id}/attachments`, { key: tenant.key, body: { subject_id } })
    return { tenant, body, policy: made.body }
  }
  const change = (tenant: Tenant, id: string, rules: object[]) =>
    app.call('PATCH', `/v2/policies/${id}`, { key: tenant.key, body: { rules } })
  /** The headers with which the next run asks. */
  const asked = async (tenant: Tenant) => {
    headers.length = 0
    const run = await start(tenant, { agent_id: tenant.agents['test-echo'], input: { query: 'hello' } })
    expect(run.status, run.text).toBe(202)
    await settled(tenant, run.body.id)
    const last = headers.at(-1)
    return { authorization: last?.authorization, 'x-api-key': last?.['x-api-key'] }
  }
  const sent = (credential: string) => ({ authorization: `Bearer ${credential}`, 'x-api-key': credential })

  test('is sent to its host and shown nowhere', async () => {
    const { tenant, body, policy } = await plant()
    expect(policy.rules[0].params).toEqual({ url, time_limit_ms: 10_000, credential_set: true })
    expect(await asked(tenant)).toEqual(sent(secret))
    const paths = [`/v2/policies/${policy.id}`, `/v2/policies/${policy.id}/versions`, '/v2/audit-log', '/v2/events']
    const answers = await Promise.all(paths.map((path) => app.call('GET', path, { key: tenant.key })))
    const rows = await app.query('select row_to_json(v) as row from policy_versions v where org_id = $1', [tenant.org])
    const all = [...answers.map(({ text }) => text), JSON.stringify(rows), ...app.logLines].join('\n')
    expect(all).not.toContain(secret)
    const replay = await app.call('POST', '/v2/policies', {
      key: tenant.key,
      body,
      headers: { 'idempotency-key': 'a' },
    })
    expect(replay).toMatchObject({ status: 201, body: { id: policy.id } })
  })

  test('is kept when the rule is saved again, replaced, removed, and never sent to another address', async () => {
    const { tenant, policy } = await plant()
    const kept = await change(tenant, policy.id, [{ ...policy.rules[0], action: 'flag' }])
    expect(kept).toMatchObject({ status: 200, body: { version: 2 } })
    expect(await asked(tenant)).toEqual(sent(secret))
    const elsewhere = await change(tenant, policy.id, [ruleWith({ url: `${url}/other` })])
    expect(elsewhere).toMatchObject({ status: 422, body: { error: { param: 'rules.0.params.credential' } } })
    expect(await change(tenant, policy.id, [ruleWith({ credential: 'another' })])).toMatchObject({
      body: { version: 3 },
    })
    await until('the new credential', async () => (await asked(tenant)).authorization === 'Bearer another')
    const removed = await change(tenant, policy.id, [ruleWith({ credential_set: false })])
    expect(removed.body.rules[0].params).toEqual({ url, time_limit_ms: 10_000 })
    await until('no credential', async () => (await asked(tenant)).authorization === undefined)
  })

  test('is sealed again when data keys rotate', async () => {
    const { tenant } = await plant()
    const { code, stdout, stderr } = await printedBy(() => rotateKeys(app.env, rotation(tenant)))
    expect(code, stderr).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ rotated: 1, resealed: 1, failed: [] })
    await app.query(`update org_keys set retired = '{}' where org_id = $1`, [tenant.org])
    await until('the new key', async () => {
      const run = await start(tenant, { agent_id: tenant.agents['test-echo'], input: { query: 'hello' } })
      return run.status === 202
    })
    expect(await asked(tenant)).toEqual(sent(secret))
  })
})

describe('a run under way', () => {
  test('meets a new rule that blocks at its next check, and keeps its own rules that hide', async () => {
    const tenant = await guarded(['output'], { action: 'redact' })
    const { body } = await start(tenant, { agent_id: tenant.agents['test-approval'], input: { query: marker } })
    await settled(tenant, body.id, 'requires_action')
    const rules = [{ id: 'stop', check: 'max_length', stages: ['output'], action: 'block', params: { chars: 1 } }]
    const { key } = tenant
    await app.call('PATCH', `/v2/policies/${tenant.policy}`, { key, body: { rules } })
    await app.call('POST', `/v2/runs/${body.id}/action`, { key, body: { type: 'approve' } })
    expect(await settled(tenant, body.id)).toMatchObject({ status: 'failed', error: { code: 'guardrail_blocked' } })
  })

  test('shadow mode records what it would have done, and changes nothing', async () => {
    const tenant = await guarded(['output'])
    const { key } = tenant
    await app.call('PATCH', `/v2/policies/${tenant.policy}`, { key, body: { mode: 'shadow' } })
    const id = await play(tenant, [{ text: `The ${marker} is here.` }])
    expect(await settled(tenant, id)).toMatchObject({ status: 'completed' })
    const found = (await framesOfRun(tenant, id)).find(({ event }) => event === 'run.guardrail')
    expect(found?.data).toMatchObject({ enforced: false, action: 'block', stage: 'output', count: 1 })
  })
})
