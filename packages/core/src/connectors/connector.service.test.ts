import { createSecretKey, randomBytes } from 'node:crypto'
import { connectorLimits } from '@ars/contract'
import { systemClock } from '@ars/platform/clock'
import { type Database, openDatabase } from '@ars/platform/db/database'
import { createEgress } from '@ars/platform/egress/egress'
import { createKeyring, type Keyring } from '@ars/platform/envelope'
import { createIdMaker, toUuid } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { asClient } from '@ars/testkit/client'
import { createTestDatabase, type TestDatabase } from '@ars/testkit/database'
import { startMcpServer } from '@ars/testkit/mcp-server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addOrganisation } from '../../test/add-organisation.ts'
import { wholeReader } from '../../test/whole-reader.ts'
import { createAudit } from '../audit/index.ts'
import { createConnectors, ToolFailure } from './index.ts'

let database: TestDatabase
let app: Database
const logLines: string[] = []
const log = createLog({ level: 'debug', write: (line) => logLines.push(line) })
const newId = createIdMaker(systemClock)
const egress = createEgress({ allowRanges: ['127.0.0.0/8'], allowPlainHttp: true, allowPorts: 'any' })
const newKeyring = (id = 'k1'): Keyring =>
  createKeyring({ keks: [{ id, key: createSecretKey(randomBytes(32)) }], activeKekId: id })
const keyring = newKeyring()
const never = new AbortController().signal

beforeAll(async () => {
  database = await createTestDatabase()
  app = openDatabase({ url: database.appUrl, name: 'test', size: 4, acquireTimeoutMs: 30_000, log })
})
afterAll(async () => {
  egress.close()
  await app.close()
  await database.drop()
})

const service = (keys: Keyring | undefined = keyring) => createConnectors({ app, egress, keyring: keys, newId, log })
const newOrg = () => addOrganisation(database)
const actor = { type: 'key', id: newId('key') } as const
const admin = (org: string) => ({ org, actor, address: '192.0.2.7', requestId: 'req_1' })
const author = (org: string, idempotencyKey?: string) => ({ ...admin(org), idempotencyKey })
const secret = 'tok_0123456789abcdefghijklmnop'
const mail = (url: string) => ({ name: 'Mail', url, auth: { type: 'bearer', token: secret } }) as const
const asSuperuser = <Row>(sql: string, values: unknown[] = []) =>
  asClient(database.superuserUrl, async (client) => (await client.query(sql, values)).rows as Row[])

test('a credential is stored encrypted, appears in no response and is sent to the server', async () => {
  const org = await newOrg()
  const mcp = await startMcpServer({ credential: { header: 'authorization', value: `Bearer ${secret}` } })
  const { body } = await service().create(author(org), mail(mcp.url))
  expect(body).toMatchObject({
    name: 'Mail',
    url: mcp.url,
    status: 'active',
    auth: { type: 'bearer', header: null, hint: '…mnop' },
  })
  expect(JSON.stringify([body, await service().list({ org }, {})])).not.toContain(secret)
  const [row] = await asSuperuser<{ all: string }>('select c::text as all from connectors c where id = $1', [
    toUuid(body.id),
  ])
  expect(row?.all).not.toContain(secret)
  expect(row?.all).not.toContain(Buffer.from(secret).toString('hex'))

  const toolbox = await service().openToolbox(org, [{ connectorId: body.id, requireApproval: ['send_email'] }], never)
  expect(toolbox.tools.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['echo', 'lookup', 'send_email', 'upsert']),
  )
  expect(toolbox.tools.find(({ name }) => name === 'send_email')).toMatchObject({
    connectorId: body.id,
    remoteName: 'send_email',
    needsApproval: true,
    repeatable: false,
    inputSchema: { type: 'object', properties: { to: { type: 'string' } } },
  })
  expect(toolbox.tools.filter(({ repeatable }) => repeatable).map(({ name }) => name)).toEqual(
    expect.arrayContaining(['lookup', 'upsert']),
  )
  expect(await toolbox.call('echo', { text: 'hi' }, { key: 'r/1/a', signal: never })).toEqual({
    result: 'hi',
    isError: false,
  })
  await toolbox.close()
  await mcp.stop()
})

test('a custom header carries the credential if the connector names one', async () => {
  const org = await newOrg()
  const mcp = await startMcpServer({ credential: { header: 'x-api-key', value: secret } })
  const auth = { type: 'header', header: 'X-API-Key', value: secret } as const
  const { body } = await service().create(author(org), { name: 'Custom', url: mcp.url, auth })
  expect(body.auth).toEqual({ type: 'header', header: 'x-api-key', hint: '…mnop' })
  const toolbox = await service().openToolbox(org, [{ connectorId: body.id, allow: ['echo'] }], never)
  expect(toolbox.tools.map(({ name }) => name)).toEqual(['echo'])
  await toolbox.close()
  await mcp.stop()
})

const opening = (org: string, connectorId: string, keys = keyring) =>
  service(keys)
    .openToolbox(org, [{ connectorId }], never)
    .then(
      () => expect.fail('it should have failed'),
      (error: unknown) => {
        expect(error).toBeInstanceOf(ToolFailure)
        return error as ToolFailure
      },
    )

test('ciphertexts swapped between two connectors do not decrypt, and no server is called', async () => {
  const org = await newOrg()
  const mcp = await startMcpServer()
  const one = (await service().create(author(org), mail(mcp.url))).body
  const two = (await service().create(author(org), mail(mcp.url))).body
  await asSuperuser(
    `update connectors c set credential = o.credential from connectors o
      where c.id = any($1::uuid[]) and o.id = any($1::uuid[]) and o.id <> c.id`,
    [[toUuid(one.id), toUuid(two.id)]],
  )
  const before = mcp.requests().length
  for (const { id } of [one, two]) {
    const failure = await opening(org, id)
    expect(failure.message).toBe('Connector “Mail”: its credential cannot be opened. Tell the operator of the service')
    expect(failure).toMatchObject({ reached: false, retryable: false })
  }
  expect(mcp.requests()).toHaveLength(before)
  await mcp.stop()
})

test('a credential does not decrypt after its row’s address changes', async () => {
  const org = await newOrg()
  const mcp = await startMcpServer()
  const { id } = (await service().create(author(org), mail('https://mail.example.com/mcp'))).body
  await asSuperuser('update connectors set url = $2 where id = $1', [toUuid(id), mcp.url])
  expect((await opening(org, id)).message).toContain('its credential cannot be opened')
  expect(mcp.requests()).toEqual([])
  await mcp.stop()
})

test('a data key copied from another organisation does not decrypt', async () => {
  const [org, other] = [await newOrg(), await newOrg()]
  const { id } = (await service().create(author(org), mail('https://mail.example.com/mcp'))).body
  await service().create(author(other), mail('https://mail.example.com/mcp'))
  await asSuperuser(
    'update org_keys set wrapped = (select wrapped from org_keys where org_id = $2) where org_id = $1',
    [org, other],
  )
  expect((await opening(org, id)).message).toContain('its credential cannot be opened')
})

test('a different key-encryption key with the same id does not decrypt existing secrets', async () => {
  const org = await newOrg()
  const { id } = (await service().create(author(org), mail('https://mail.example.com/mcp'))).body
  expect((await opening(org, id, newKeyring())).message).toContain('its credential cannot be opened')
})

test('a connector is not visible to another organisation', async () => {
  const [org, other] = [await newOrg(), await newOrg()]
  const { id } = (await service().create(author(org), { name: 'Ours', url: 'https://mail.example.com/mcp' })).body
  await expect(service().get({ org: other }, id)).rejects.toMatchObject({ code: 'not_found' })
  await expect(service().delete(admin(other), id)).rejects.toMatchObject({ code: 'not_found' })
  expect((await service().list({ org: other }, {})).data).toEqual([])
  expect((await opening(other, id)).message).toBe(`There is no connector ${id}; was it deleted?`)
  expect((await service().get({ org }, id)).name).toBe('Ours')
})

test('a deleted connector is removed with its credential, and an agent that names it gets an error', async () => {
  const org = await newOrg()
  const { id } = (await service().create(author(org), mail('https://mail.example.com/mcp'))).body
  await service().delete(admin(org), id)
  await expect(service().get({ org }, id)).rejects.toMatchObject({ code: 'not_found' })
  expect(await asSuperuser('select id from connectors where id = $1', [toUuid(id)])).toEqual([])
  expect((await opening(org, id)).message).toBe(`There is no connector ${id}; was it deleted?`)
  expect((await opening(org, 'con_nonsense')).message).toBe('There is no connector con_nonsense')
})

test('adding and deleting a connector is audited with key and person, without its secrets', async () => {
  const org = await newOrg()
  const url = 'https://mail.example.com/mcp'
  const person = { type: 'user', id: newId('usr') } as const
  const byPerson = { ...author(org), actor: person }
  const { id } = (await service().create(byPerson, mail(`${url}?token=${secret}`))).body
  await service().create(author(org, 'once'), { name: 'Open', url })
  await service().create(author(org, 'once'), { name: 'Open', url })
  await service().delete(admin(org), id)
  await expect(service().delete(admin(org), id)).rejects.toMatchObject({ code: 'not_found' })
  const { data } = await createAudit({ app }).list(wholeReader(org), {})
  const facts = { name: 'Mail', url, auth: { type: 'bearer', header: null } }
  const from = { address: '192.0.2.7', request_id: 'req_1' }
  expect(data).toMatchObject([
    { action: 'connector.deleted', actor, subject: id, before: facts, after: null, ...from },
    { action: 'connector.created', actor, before: null, after: { name: 'Open' } },
    { action: 'connector.created', actor: person, subject: id, before: null, after: facts, ...from },
    { action: 'organisation.created' },
  ])
  expect(JSON.stringify(data)).not.toContain(secret)
  const authors = await asSuperuser('select created_by, created_by_type from connectors where org_id = $1', [org])
  expect(authors).toEqual([{ created_by: toUuid(actor.id), created_by_type: 'key' }])
})

test('when one of two servers fails, the session with the other is closed', async () => {
  const org = await newOrg()
  const mcp = await startMcpServer({ revision: 'older' })
  const good = (await service().create(author(org), { name: 'Good', url: mcp.url })).body.id
  const bad = (await service().create(author(org), { name: 'Bad', url: 'http://127.0.0.1:1/mcp' })).body.id
  const both = service().openToolbox(org, [{ connectorId: good }, { connectorId: bad }], never)
  await expect(both).rejects.toThrow('Connector “Bad”: The server refused the connection')
  expect(mcp.requests().at(-1)).toBe('DELETE')
  await mcp.stop()
})

test('tools with the same name on two servers get different names', async () => {
  const org = await newOrg()
  const servers = [await startMcpServer(), await startMcpServer()]
  const ids: string[] = []
  for (const { url } of servers) ids.push((await service().create(author(org), { name: 'Twin', url })).body.id)
  const toolbox = await service().openToolbox(
    org,
    ids.map((connectorId) => ({ connectorId, allow: ['echo'] })),
    never,
  )
  expect(toolbox.tools.map(({ name }) => name)).toEqual([
    expect.stringMatching(/^echo_/),
    expect.stringMatching(/^echo_/),
  ])
  await toolbox.call(toolbox.tools[1]?.name ?? '', {}, { key: 'k', signal: never })
  expect(servers.map((server) => server.calls().length)).toEqual([0, 1])
  await expect(toolbox.call('echo', {}, { key: 'k', signal: never })).rejects.toMatchObject({ reached: false })
  await toolbox.close()
  for (const server of servers) await server.stop()
})

test('an agent whose connectors offer too many tools gets an error that asks for a selection (connectorsBounds.toolsOfAgent)', async () => {
  const org = await newOrg()
  const mcp = await startMcpServer({
    tools: [],
    extend: (server) => {
      for (let n = 0; n < 129; n++) server.registerTool(`t${n}`, {}, () => ({ content: [] }))
    },
  })
  const { id } = (await service().create(author(org), { name: 'Many', url: mcp.url })).body
  expect((await opening(org, id)).message).toContain('offer 129 tools, and a model is shown at most 128')
  const chosen = await service().openToolbox(org, [{ connectorId: id, allow: ['t7'] }], never)
  expect(chosen.tools.map(({ name }) => name)).toEqual(['t7'])
  await chosen.close()
  await mcp.stop()
})

test('without an encryption key a credential is refused, and a server without a credential is accepted', async () => {
  const org = await newOrg()
  const keyless = createConnectors({ app, egress, keyring: undefined, newId, log })
  const url = 'https://mail.example.com/mcp'
  await expect(keyless.create(author(org), mail(url))).rejects.toMatchObject({ code: 'secrets_disabled' })
  await expect(keyless.create(author(org, 'with a key'), mail(url))).rejects.toMatchObject({ code: 'secrets_disabled' })
  expect((await keyless.create(author(org), { name: 'Open', url })).body.auth.type).toBe('none')
})

test('a repeated request, also a concurrent one, creates one connector', async () => {
  const org = await newOrg()
  const body = mail('https://mail.example.com/mcp')
  const answers = await Promise.all(Array.from({ length: 8 }, () => service().create(author(org, 'once'), body)))
  expect(new Set(answers.map((answer) => answer.body.id)).size).toBe(1)
  expect(answers.filter(({ headers }) => headers['idempotency-replayed'] === 'true')).toHaveLength(7)
  expect((await service().list({ org }, {})).data).toHaveLength(1)
  const other = { ...body, auth: { type: 'bearer', token: 'another-token-0123456789' } } as const
  await expect(service().create(author(org, 'once'), other)).rejects.toMatchObject({ code: 'idempotency_key_reused' })
})

test('a retry returns its connector even if the address is now forbidden, and 404 once it is deleted', async () => {
  const org = await newOrg()
  const url = 'http://127.0.0.1:9/mcp'
  const { id } = (await service().create(author(org, 'k'), { name: 'Old', url })).body
  const strict = createEgress()
  const stricter = createConnectors({ app, egress: strict, keyring, newId, log })
  expect((await stricter.create(author(org, 'k'), { name: 'Old', url })).body.id).toBe(id)
  await expect(stricter.create(author(org), { name: 'Old', url })).rejects.toMatchObject({ code: 'url_not_allowed' })
  await service().delete(admin(org), id)
  await expect(service().create(author(org, 'k'), { name: 'Old', url })).rejects.toMatchObject({ code: 'not_found' })
  strict.close()
})

test('an organisation has at most 100 connectors, also under concurrent creation', async () => {
  const org = await newOrg()
  await asSuperuser(
    `insert into connectors (created_by_type, id, org_id, name, url, auth_type, created_by)
     select 'key', gen_random_uuid(), $1, 'planted', 'https://example.com/', 'none', $1 from generate_series(1, $2)`,
    [org, connectorLimits.perOrganisation - 1],
  )
  const add = () => service().create(author(org, newId('key')), { name: 'Last', url: 'https://mail.example.com/mcp' })
  const outcomes = await Promise.allSettled([add(), add(), add()])
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  for (const outcome of outcomes)
    if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'limit_reached' })
})

test('no log line contains a credential', () => {
  expect(logLines.some((line) => line.includes('credential does not open'))).toBe(true)
  expect(logLines.join('\n')).not.toContain(secret)
})
