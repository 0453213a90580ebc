import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, type Reply, sharedGateway, strictEgress, until } from './app.ts'

const secret = 'tok_0123456789abcdefghijklmnop'
const url = 'https://agent.example.com/run'
const auth = { type: 'bearer', token: secret }

let app: App
beforeAll(async () => {
  app = await sharedGateway({ ...strictEgress })
})
afterAll(() => app.stop())

const create = (config: unknown, headers: Record<string, string> = {}): Promise<Reply> =>
  app.call('POST', '/v2/agents/custom', { body: { name: 'Mine', kind: 'remote', config }, headers })
// A busy machine may answer 503, which is not under test here.
const patch = (id: string, config: unknown): Promise<Reply> =>
  until('an answer other than 503', async () => {
    const reply = await app.call('PATCH', `/v2/agents/${id}`, { body: { config } })
    return reply.status !== 503 && reply
  })
const refusalOf = ({ status, body }: Reply) => [status, body.error?.code, body.error?.param]

test('[S28] a remote agent is created with a signing secret that is shown once, and its credential is never shown', async () => {
  const headers = { 'idempotency-key': 'remote once' }
  const made = await create({ url, auth }, headers)
  expect(made.status, made.text).toBe(201)
  expect(made.body).toMatchObject({
    kind: 'remote',
    config: { url, auth: { type: 'bearer', header: null, hint: '…mnop' } },
    signing_secret: expect.stringMatching(/^whsec_/),
  })
  const again = await create({ url, auth }, headers)
  expect(again.body).toMatchObject({ id: made.body.id, signing_secret: null })
  expect(refusalOf(await create({ url, auth: { ...auth, token: `${secret}x` } }, headers)).slice(0, 2)).toEqual([
    422,
    'idempotency_key_reused',
  ])
  const read = await app.call('GET', `/v2/agents/${made.body.id}`)
  const versions = await app.call('GET', `/v2/agents/${made.body.id}/versions`)
  for (const { text } of [made, again, read, versions]) expect(text).not.toContain(secret)
  for (const { text } of [again, read, versions]) expect(text).not.toContain(made.body.signing_secret)
})

test('a change of an agent’s address requires the credential again', async () => {
  const { body: made } = await create({ url, auth })
  const elsewhere = 'https://other.example.com/run'
  expect(refusalOf(await patch(made.id, { url: elsewhere }))).toEqual([422, 'config_invalid', 'config.auth'])
  const moved = await patch(made.id, { url: elsewhere, auth: { type: 'header', header: 'X-Key', value: secret } })
  expect(moved.body).toMatchObject({
    version: 2,
    config: { url: elsewhere, auth: { type: 'header', header: 'x-key', hint: '…mnop' } },
  })
  const bare = await patch(made.id, { auth: null })
  expect(bare.body).toMatchObject({ version: 3, config: { url: elsewhere, auth: { type: 'none', hint: null } } })
  expect((await patch(made.id, { url })).body).toMatchObject({ version: 4, config: { url } })
})

test('the same credential again changes nothing, a different one with the same suffix does, and events contain neither', async () => {
  const { body: made } = await create({ url, auth })
  expect((await patch(made.id, { auth })).body.deployment).toBeNull()
  expect((await patch(made.id, { url })).body.deployment).toBeNull()
  const other = `other_${secret}`
  const changed = await patch(made.id, { auth: { type: 'bearer', token: other } })
  expect(changed.body).toMatchObject({ version: 2, config: { auth: { hint: '…mnop' } } })
  const shown = { type: 'bearer', header: null, hint: '…mnop' }
  const events = await app.query<{ data: { changed: string[]; old: unknown; new: unknown } }>(
    `select data from events where type = 'agent.updated' and data ->> 'agent_id' = $1`,
    [made.id],
  )
  expect(events.map(({ data }) => [data.changed, data.old, data.new])).toEqual([
    [['config.auth'], { 'config.auth': shown }, { 'config.auth': shown }],
  ])
  const kept = await app.query<{ all: string }>(
    `select (select string_agg(v::text, '') from agent_versions v) || (select string_agg(a::text, '') from agents a)
       || (select string_agg(e::text, '') from events e) || (select string_agg(l::text, '') from audit_log l) as all`,
  )
  for (const hidden of [secret, Buffer.from(secret).toString('hex'), made.signing_secret]) {
    expect(kept[0]?.all).not.toContain(hidden)
    expect(app.logLines.join('')).not.toContain(hidden)
  }
})

test('concurrent credential changes are all applied, each with a separate version', async () => {
  const { body: made } = await create({ url, auth })
  const replies = await Promise.all(
    Array.from({ length: 6 }, (_, at) => patch(made.id, { auth: { type: 'bearer', token: `${secret}${at}` } })),
  )
  expect(replies.map(({ status }) => status)).toEqual(Array(6).fill(200))
  expect(replies.map(({ body }) => body.version).sort()).toEqual([2, 3, 4, 5, 6, 7])
})

test.each([
  ['no address', {}, [400, 'invalid_request', 'config.url']],
  ['an address that is null', { url: null }, [400, 'invalid_request', 'config.url']],
  ['an address of this network', { url: 'https://127.0.0.1/' }, [422, 'url_not_allowed', 'config.url']],
  ['plain HTTP', { url: 'http://agent.example.com/' }, [422, 'url_not_allowed', 'config.url']],
  [
    'a way to show a credential that is not known',
    { url, auth: { type: 'basic' } },
    [400, 'invalid_request', 'config.auth.type'],
  ],
  [
    'a header that the service sets',
    { url, auth: { type: 'header', header: 'Host', value: 'x' } },
    [400, 'invalid_request', 'config.auth.header'],
  ],
  ['a model', { url, model: 'simulated/echo' }, [422, 'config_invalid', 'config.model']],
])('[S28] a remote agent with %s is refused', async (_, config, refusal) => {
  const refused = await create(config)
  expect(refusalOf(refused)).toEqual(refusal)
})

test('a budget on a remote agent, whose cost is unknown, is refused', async () => {
  const body = { name: 'Mine', kind: 'remote', config: { url }, limits: { budget_usd: 1 } }
  expect(refusalOf(await app.call('POST', '/v2/agents/custom', { body }))).toEqual([
    422,
    'config_invalid',
    'limits.budget_usd',
  ])
})

test('a remote agent cannot be created without an encryption key for secrets', async () => {
  const plain = await app.join('gateway', { ARS_KEKS: '' })
  try {
    const body = { name: 'Mine', kind: 'remote', config: { url } }
    expect(refusalOf(await app.call('POST', '/v2/agents/custom', { url: plain.url, body })).slice(0, 2)).toEqual([
      422,
      'secrets_disabled',
    ])
  } finally {
    await plain.stop()
  }
})

test('a signing secret is rotated once per idempotency key, and a replay does not repeat it', async () => {
  const { body: made } = await create({ url, auth })
  const headers = { 'idempotency-key': 'rotate once' }
  const rotate = (body: object) => app.call('POST', `/v2/agents/${made.id}/rotate-signing-secret`, { body, headers })
  const replies = await Promise.all(Array.from({ length: 4 }, () => rotate({})))
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  const shown = replies.map(({ body }) => body.signing_secret).filter((secret) => secret !== null)
  expect(shown).toEqual([expect.stringMatching(/^whsec_/)])
  expect(shown).not.toEqual([made.signing_secret])
  const again = await rotate({})
  expect(again).toMatchObject({ status: 200, body: { id: made.id, version: 1, signing_secret: null } })
  expect(again.headers['idempotency-replayed']).toBe('true')
  expect(refusalOf(await rotate({ overlap_hours: 0 })).slice(0, 2)).toEqual([422, 'idempotency_key_reused'])
  const { body: audit } = await app.call('GET', `/v2/audit-log?subject=${made.id}&action=agent.signing_secret_rotated`)
  expect(audit.data).toMatchObject([{ after: { overlap_hours: 24 } }])
  expect(JSON.stringify(audit)).not.toContain('whsec_')
})

test('an agent that is not remote has no signing secret to rotate', async () => {
  const id = app.tenant.agents['test-echo']
  const refused = await app.call('POST', `/v2/agents/${id}/rotate-signing-secret`, { body: {} })
  expect(refusalOf(refused)).toEqual([422, 'agent_not_remote', null])
})
