import { ErrorBody, type ErrorCode, errors, limits } from '@ars/contract'
import { fromUuid, toUuid } from '@ars/platform/id'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId, plantPerson, plantSession } from './access-matrix/people.ts'
import { type App, type CallOptions, type Reply, sharedApp, until } from './app.ts'

/* Every code of status 422: a valid request that is refused for its meaning. */

let app: App
beforeAll(async () => {
  app = await sharedApp()
})
afterAll(() => app.stop())

type Code = { [Each in ErrorCode]: (typeof errors)[Each]['status'] extends 422 ? Each : never }[ErrorCode]

const call = (method: string, path: string, body?: unknown, options: CallOptions = {}) =>
  app.call(method, `/v2${path}`, { ...(body === undefined ? {} : { body }), ...options })
const post = (path: string, body: unknown, options: CallOptions = {}) => call('POST', path, body, options)

/** An object that the refused request needs. */
const made = async (called: Promise<Reply>) => {
  const { status, body, text } = await called
  expect(status, text).toBeLessThan(300)
  return body
}

const run = (agent: string, input: object = {}, headers: Record<string, string> = {}) =>
  made(post('/runs', { agent_id: app.tenant.agents[agent], input }, { headers }))
const asking = (count = 1) => run('test-approval', { count })
const act = (id: string, body: object) => post(`/runs/${id}/action`, body)
const newAgent = () => made(post('/agents/custom', { name: 'Refused', config: { model: 'simulated/echo' } }))
const newWebhook = (more: object = {}, options: CallOptions = {}) =>
  post('/webhooks', { url: 'https://127.0.0.1:9/hooks', events: ['run.failed'], ...more }, options)
const newConnector = () => made(post('/connectors', { name: 'Refused', url: 'https://127.0.0.1:9/mcp' }))
const newOrganisation = async () => ({ ...(await app.addTenant()), marker: `refused-${newId('org')}` })
const linkToken = ({ link }: { link: string }) => link.split('#token=')[1]

const policyRule = { check: 'regex', stages: ['input'], action: 'block', params: { pattern: 'x' } }

const refusals: Record<Code, () => Promise<Reply>> = {
  organisation_mismatch: () => call('GET', '/agents', undefined, { headers: { 'ars-organisation': newId('org') } }),
  range_too_large: () => call('GET', '/analytics?from=1970-01-01T00:00:00Z'),
  policy_invalid: () => post('/policies', { name: 'Broken', rules: [{ ...policyRule, params: { pattern: '(' } }] }),
  guardrail_blocked: async () => {
    const { org, key, agents } = await newOrganisation()
    const { id } = await made(post('/policies', { name: 'X', rules: [policyRule] }, { key }))
    await made(post(`/policies/${id}/attachments`, { subject_id: fromUuid('org', org) }, { key }))
    return post('/runs', { agent_id: agents['test-echo'], input: { query: 'x' } }, { key })
  },
  policy_archived: async () => {
    const { id } = await made(post('/policies', { template: 'secrets-block' }))
    await made(call('DELETE', `/policies/${id}`))
    return call('PATCH', `/policies/${id}`, { name: 'Again' })
  },
  agent_archived: async () => {
    const { id } = await newAgent()
    await made(call('DELETE', `/agents/${id}`))
    return post('/runs', { agent_id: id, input: {} })
  },
  pipeline_archived: async () => {
    const steps = [{ key: 'a', agent_id: app.tenant.agents['test-echo'] }]
    const { id } = await made(post('/pipelines', { name: 'Refused', definition: { steps } }))
    await made(call('DELETE', `/pipelines/${id}`))
    return post(`/pipelines/${id}/runs`, {})
  },
  agent_not_remote: async () => post(`/agents/${(await newAgent()).id}/rotate-signing-secret`, {}),
  idempotency_key_reused: async () => {
    const headers = { 'idempotency-key': 'twice' }
    await run('test-echo', { query: 'one' }, headers)
    return post('/runs', { agent_id: app.tenant.agents['test-echo'], input: { query: 'two' } }, { headers })
  },
  input_invalid: () => post('/api-keys', { name: 'Past', scopes: ['runs:read'], expires_at: '2001-01-01T00:00:00Z' }),
  run_not_active: async () => act((await run('test-echo')).id, { type: 'approve' }),
  run_not_ended: async () => call('DELETE', `/runs/${(await asking()).id}/data`),
  no_open_action: async () => {
    const { id } = await run('test-slow', { seconds: 600 }, { prefer: 'respond-async' })
    const refused = await act(id, { type: 'approve' })
    await call('DELETE', `/runs/${id}`)
    return refused
  },
  action_id_required: async () => act((await asking(2)).id, { type: 'approve' }),
  action_not_applicable: async () => act((await asking()).id, { type: 'respond', payload: {} }),
  action_already_resolved: async () => {
    const { id, required_actions } = await asking(2)
    const action_id = required_actions[0].id
    await made(act(id, { type: 'approve', action_id }))
    return act(id, { type: 'reject', action_id })
  },
  payload_invalid: async () => act((await asking()).id, { type: 'message', payload: { text: 'hello' } }),
  too_many_actions: async () => {
    const { id } = await asking()
    await app.query('update run_heads set actions = 2000 where run_id = $1', [toUuid(id)])
    return act(id, { type: 'message', payload: { message: 'one more' } })
  },
  limit_reached: async () => {
    const { key, marker } = await newOrganisation()
    const invite = (at: number) =>
      post('/members/invitations', { email: `${marker}-${at}@example.com`, role: 'viewer' }, { key })
    for (let at = 0; at < limits.invitationsPerOrganisation; at++) await made(invite(at))
    return invite(limits.invitationsPerOrganisation)
  },
  mail_disabled: async () => {
    const organisation = await newOrganisation()
    const { cookie } = await plantSession(app, organisation, await plantPerson(app, organisation, 'viewer'))
    return post('/api/auth/email-proof-links', {}, { key: null, headers: { cookie, origin: app.url } })
  },
  secrets_disabled: async () => {
    const keyless = await app.join('gateway', { ARS_KEKS: '' })
    const refused = await newWebhook({}, { url: keyless.url })
    await keyless.stop()
    return refused
  },
  config_invalid: () => post('/agents/custom', { name: 'Refused', config: { model: 'nobody/nothing' } }),
  version_conflict: async () => call('PATCH', `/agents/${(await newAgent()).id}`, { name: 'Late', version: 7 }),
  tool_changed: async () => {
    const { id } = await newConnector()
    await app.query(
      `insert into connector_tools (connector_id, org_id, name, listed_hash, listed_manifest)
       select id, org_id, 'send', '\\x01', '{}' from connectors where id = $1`,
      [toUuid(id)],
    )
    return post(`/connectors/${id}/tools/send/approve`, { hash: 'a'.repeat(64) })
  },
  connector_unreachable: async () => post(`/connectors/${(await newConnector()).id}/refresh`, {}),
  deployment_not_open: async () => {
    const { id, deployment } = await newAgent()
    await made(call('PATCH', `/agents/${id}`, { name: 'Newer' }))
    return post(`/deployments/${deployment.id}/rollback`, { reason: 'too late' })
  },
  nothing_to_roll_back: async () => {
    const { deployment } = await newAgent()
    return post(`/deployments/${deployment.id}/rollback`, { reason: 'nothing before it' })
  },
  scope_unknown: () => post('/api-keys', { name: 'Refused', scopes: ['*'] }),
  last_owner: async () => {
    const organisation = await newOrganisation()
    const owner = await plantPerson(app, organisation, 'owner')
    const { cookie } = await plantSession(app, organisation, owner)
    const headers = { cookie, origin: app.url }
    return call('PATCH', `/members/${owner.memberId}`, { role: 'viewer' }, { key: null, headers })
  },
  keys_undecided: async () => {
    const { key, ...organisation } = await newOrganisation()
    const { userId, memberId } = await plantPerson(app, organisation, 'admin')
    const { cookie } = await plantSession(app, organisation, { userId })
    const headers = { cookie, origin: app.url }
    await made(post('/api-keys', { name: 'Left behind', scopes: ['runs:read'] }, { key: null, headers }))
    return call('DELETE', `/members/${memberId}`, undefined, { key })
  },
  member_exists: async () => {
    const { key, ...organisation } = await newOrganisation()
    await plantPerson(app, organisation, 'viewer')
    const { data } = await made(call('GET', '/members', undefined, { key }))
    return post('/members/invitations', { email: data[0].email, role: 'viewer' }, { key })
  },
  link_invalid: () =>
    post('/api/auth/password-reset', { token: 'x'.repeat(43), password: 'a long enough Password, 7' }, { key: null }),
  password_reset_refused: async () => {
    const [organisation, other] = [await newOrganisation(), await newOrganisation()]
    const owner = await plantPerson(app, organisation, 'owner')
    const { cookie } = await plantSession(app, organisation, owner)
    const { userId, memberId } = await plantPerson(app, organisation, 'viewer')
    const member = [toUuid(newId('mem')), other.org, toUuid(userId), 'viewer']
    await app.query('insert into members (id, org_id, user_id, role) values ($1, $2, $3, $4)', member)
    return post(
      '/members/password-resets',
      { member_id: memberId },
      { key: null, headers: { cookie, origin: app.url } },
    )
  },
  password_wrong: async () => {
    const organisation = await newOrganisation()
    const person = await plantPerson(app, organisation, 'viewer')
    const { cookie } = await plantSession(app, organisation, person)
    const passwords = { current_password: 'not this Password, 7', new_password: 'a long enough Password, 7' }
    return post('/api/auth/password', passwords, { key: null, headers: { cookie, origin: app.url } })
  },
  password_refused: async () => {
    const { key, marker } = await newOrganisation()
    const email = `${marker}@example.com`
    const invitation = await made(post('/members/invitations', { email, role: 'viewer' }, { key }))
    return post('/api/auth/invitation', { token: linkToken(invitation), password: 'password1234' }, { key: null })
  },
  key_not_active: async () => {
    const { id } = await made(post('/api-keys', { name: 'Refused', scopes: ['runs:read'] }))
    await made(call('DELETE', `/api-keys/${id}`))
    return post(`/api-keys/${id}/rotate`, {})
  },
  timeout_not_allowed: async () => {
    const { key, agents } = await app.addTenant({ plan: 'free' })
    return post('/runs', { agent_id: agents['test-echo'], input: {}, timeout_seconds: 601 }, { key })
  },
  url_not_allowed: () => newWebhook({ url: 'http://example.com/hooks' }),
  event_unknown: () => newWebhook({ events: ['run.exploded'] }),
  secret_invalid: () => newWebhook({ secret: 'whsec_short' }),
  webhook_inactive: async () => {
    const { id } = await made(newWebhook({ active: false }))
    return post(`/webhooks/${id}/test`, {})
  },
  recovery_running: async () => {
    const { id } = await made(newWebhook())
    const recover = () => post(`/webhooks/${id}/recover`, { since: '2026-01-01T00:00:00Z' })
    // A recovery without missed events soon ends: of two concurrent ones the second is refused.
    return until('a second recovery beside the first', async () => {
      const replies = await Promise.all([recover(), recover()])
      return replies.find(({ status }) => status === 422)
    })
  },
}

test.each(Object.keys(refusals) as Code[])('[S74] a valid request is refused for its meaning: 422 %s', async (code) => {
  const { status, body, text } = await refusals[code]()
  const { error } = ErrorBody.strict().parse(body)
  expect([status, error.code, error.type], text).toEqual([422, code, 'invalid_request_error'])
  expect(error.message.length).toBeGreaterThan(10)
})

test('[S74] there are no other codes of status 422', () => {
  const codes = Object.entries(errors).filter(([, { status }]) => status === 422)
  expect(Object.keys(refusals).toSorted()).toEqual(codes.map(([code]) => code).toSorted())
})
