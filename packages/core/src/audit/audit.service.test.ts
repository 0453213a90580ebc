import { systemClock } from '@ars/platform/clock'
import { type Database, openDatabase } from '@ars/platform/db/database'
import { createIdMaker, fromUuid, toUuid } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { asClient } from '@ars/testkit/client'
import { moveDatabaseClock } from '@ars/testkit/clock'
import { createTestDatabase, type TestDatabase } from '@ars/testkit/database'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { wholeReader } from '../../test/whole-reader.ts'
import { auditedOrganisations, auditOf, createAudit, recordAudit, verifyAudit } from './index.ts'

let database: TestDatabase
let app: Database
let system: Database
const log = createLog({ level: 'silent' })
const newId = createIdMaker(systemClock)

beforeAll(async () => {
  database = await createTestDatabase()
  app = openDatabase({ url: database.appUrl, name: 'test', size: 10, acquireTimeoutMs: 30_000, log })
  system = openDatabase({ url: database.systemUrl, name: 'test', size: 2, acquireTimeoutMs: 30_000, log })
})
afterAll(async () => {
  await Promise.all([app.close(), system.close()])
  await database.drop()
})

const asSuperuser = <Row>(sql: string, values: unknown[] = []) =>
  asClient(database.superuserUrl, async (client) => (await client.query(sql, values)).rows as Row[])

const newOrg = async (): Promise<string> => {
  const org = toUuid(newId('org'))
  await asSuperuser(`insert into organisations (id, name) values ($1, 'Test')`, [org])
  return org
}

const key = { type: 'key', id: newId('key') } as const
const user = { type: 'user', id: newId('usr') } as const
const by = (actor: typeof key | typeof user = key) => ({ actor, address: '192.0.2.7', requestId: 'req_1' })

type Act = { action?: string; subject?: string; before?: Record<string, unknown>; after?: Record<string, unknown> }

const act = (org: string, { action = 'thing.changed', subject, ...facts }: Act = {}, actor?: typeof user) =>
  app.transaction(org, (tx) =>
    recordAudit(
      tx,
      org,
      auditOf(by(actor), toUuid(newId('aud')), { action, subject: subject ?? newId('con'), ...facts }),
    ),
  )

const actTimes = async (org: string, times: number): Promise<void> => {
  for (let n = 1; n <= times; n++) await act(org, { after: { n } })
}

const numbers = async (org: string) =>
  (await asSuperuser<{ number: string }>('select number from audit_log where org_id = $1 order by number', [org])).map(
    ({ number }) => Number(number),
  )

test('fifty concurrent acts are numbered without gaps and form one unbroken chain', async () => {
  const org = await newOrg()
  await Promise.all(Array.from({ length: 50 }, (_, n) => act(org, { after: { n } })))
  expect(await numbers(org)).toEqual(Array.from({ length: 50 }, (_, n) => n + 1))
  expect(await verifyAudit(system, org)).toMatchObject({ entries: 50, broken: null })
})

test('a rolled-back act leaves neither an entry nor a gap', async () => {
  const org = await newOrg()
  await act(org)
  const undone = app.transaction(org, async (tx) => {
    await recordAudit(tx, org, auditOf(by(), toUuid(newId('aud')), { action: 'thing.changed', subject: null }))
    throw new Error('refused after all')
  })
  await expect(undone).rejects.toThrow('refused after all')
  await act(org)
  expect(await numbers(org)).toEqual([1, 2])
  expect((await verifyAudit(system, org)).broken).toBeNull()
})

test('an act cannot be written into the log of another organisation', async () => {
  const [org, other] = [await newOrg(), await newOrg()]
  const entry = auditOf(by(), toUuid(newId('aud')), { action: 'thing.changed', subject: null })
  await expect(app.transaction(org, (tx) => recordAudit(tx, other, entry))).rejects.toThrow('row-level security')
  await expect(system.transaction(null, (tx) => recordAudit(tx, other, entry))).rejects.toThrow('row-level security')
  expect(await numbers(other)).toEqual([])
})

describe('the log is append-only', () => {
  const changes = [
    `update audit_log set action = 'thing.kept'`,
    'delete from audit_log',
    'truncate audit_log',
    `insert into audit_log (id, org_id, number, actor_type, action, hash)
     values (gen_random_uuid(), current_setting('app.org_id')::uuid, 9, 'operator', 'thing.made_up', '')`,
    'update audit_heads set number = 0',
    'delete from audit_heads',
    'truncate audit_heads',
    `insert into audit_heads (org_id, number, hash) values (current_setting('app.org_id')::uuid, 9, '')`,
    'alter table audit_log disable row level security',
    'create or replace function audit_hash(previous bytea, entry audit_log) returns bytea language sql return null',
  ]
  test.for(['appUrl', 'authUrl', 'systemUrl'] as const)('for %s', async (role) => {
    const org = await newOrg()
    await act(org)
    for (const change of changes) {
      const attempt = asClient(database[role], async (client) => {
        await client.query(`select set_config('app.org_id', $1, false)`, [org])
        await client.query(change)
      })
      await expect(attempt, change).rejects.toThrow(/permission denied|must be owner/)
    }
    expect(await verifyAudit(system, org)).toMatchObject({ entries: 1, broken: null })
  })
})

describe('tampering that bypasses all database locks is detected', () => {
  const tamper = async (sql: string, entries = 12) => {
    const org = await newOrg()
    await actTimes(org, entries)
    const { head } = await verifyAudit(system, org)
    await asSuperuser(sql, [org])
    return { ...(await verifyAudit(system, org)), headBefore: head }
  }

  test.for([
    ['what was done', `action = 'thing.kept'`],
    ['who did it', `actor_id = 'key_other'`],
    ['to what', 'subject = null'],
    ['from where', `address = '198.51.100.1'`],
    ['in which request', `request_id = 'req_2'`],
    ['what it was before', `before = '{}'`],
    ['what it is since', `after = '{"n":  7}'`],
    ['when', `created_at = created_at + interval '1 microsecond'`],
    ['the hash', 'hash = sha256(hash)'],
  ] as const)('a changed entry: %s', async ([, change]) => {
    const { broken } = await tamper(`update audit_log set ${change} where org_id = $1 and number = 7`)
    expect(broken).toEqual({ number: 7, reason: 'altered' })
  })

  test('a changed entry with a recomputed hash breaks the chain at the next entry', async () => {
    const change = `update audit_log a set action = 'thing.kept' where org_id = $1 and number = 7`
    const org = await newOrg()
    await actTimes(org, 12)
    await asSuperuser(change, [org])
    await asSuperuser(
      `update audit_log a set hash = audit_hash((select hash from audit_log where org_id = $1 and number = 6), a)
        where org_id = $1 and number = 7`,
      [org],
    )
    expect((await verifyAudit(system, org)).broken).toEqual({ number: 8, reason: 'altered' })
  })

  test.for([
    ['the first', 1],
    ['one in the middle', 7],
    ['the last', 12],
  ] as const)('a removed entry: %s', async ([, number]) => {
    const { broken } = await tamper(`delete from audit_log where org_id = $1 and number = ${number}`)
    expect(broken).toEqual({ number, reason: 'missing' })
  })

  test('the last entry removed and the chain head reset to the previous entry', async () => {
    const { broken } = await tamper(
      `with gone as (delete from audit_log where org_id = $1 and number = 12 returning id)
       update audit_heads set number = 11 where org_id = $1`,
    )
    expect(broken).toEqual({ number: 11, reason: 'altered' })
  })

  test('entries beyond the chain head, and a missing chain head', async () => {
    const beyond = await tamper(
      `update audit_heads h set number = a.number, hash = a.hash
         from audit_log a where a.org_id = $1 and h.org_id = $1 and a.number = 9`,
    )
    expect(beyond.broken).toEqual({ number: 10, reason: 'beyond the end' })
    const gone = await tamper('delete from audit_heads where org_id = $1')
    expect(gone.broken).toEqual({ number: 1, reason: 'beyond the end' })
  })

  test('a log rewritten from one entry on has a different last hash than the recorded one', async () => {
    const { broken, head, headBefore } = await tamper(rewriteFromSeven)
    expect(broken).toBeNull()
    expect(head).not.toBe(headBefore)
  })
})

const rewriteFromSeven = `with recursive fresh as (
    select number, hash from audit_log where org_id = $1 and number = 6
    union all
    select a.number, audit_hash(f.hash, row(a.id, a.org_id, a.number, a.actor_type, a.actor_id, 'thing.kept', a.subject,
             a.address, a.request_id, a.before, a.after, a.created_at, a.hash)::audit_log)
      from fresh f join audit_log a on a.org_id = $1 and a.number = f.number + 1
  ), changed as (
    update audit_log a set action = 'thing.kept', hash = f.hash from fresh f
     where a.org_id = $1 and a.number = f.number and f.number > 6
  )
  update audit_heads h set hash = f.hash from fresh f where h.org_id = $1 and f.number = 12`

test('a long log is verified in pages while entries are added (auditBounds.entriesTogether)', async () => {
  const org = await newOrg()
  await asClient(database.appUrl, async (client) => {
    await client.query('begin')
    await client.query(`select set_config('app.org_id', $1, true)`, [org])
    await client.query(
      `select append_audit(gen_random_uuid(), $1, 'service', null, 'thing.changed', null, null, null, null, null)
         from generate_series(1, 2100)`,
      [org],
    )
    await client.query('commit')
  })
  const [verdict] = await Promise.all([verifyAudit(system, org), actTimes(org, 10)])
  expect(verdict.broken).toBeNull()
  expect(await verifyAudit(system, org)).toMatchObject({ entries: 2110, broken: null })
  await asSuperuser('delete from audit_log where org_id = $1 and number = 1999', [org])
  expect((await verifyAudit(system, org)).broken).toEqual({ number: 1999, reason: 'missing' })
})

test('every organisation is verified, including one without entries', async () => {
  const orgs = [await newOrg(), await newOrg()]
  const found: string[] = []
  for await (const org of auditedOrganisations(system)) found.push(org)
  expect(found).toEqual(expect.arrayContaining(orgs))
  expect(new Set(found).size).toBe(found.length)
  expect(await verifyAudit(system, orgs[0] ?? '')).toMatchObject({ entries: 0, broken: null })
})

describe('the list', () => {
  const audit = () => createAudit({ app })

  test('shows actor, action, origin and the values before and after; newest first, in pages', async () => {
    const org = await newOrg()
    const subject = newId('con')
    await act(org, { action: 'connector.created', subject, after: { name: 'Mail' } })
    await act(org, { action: 'connector.deleted', subject, before: { name: 'Mail' } }, user)
    const { data } = await audit().list(wholeReader(org), {})
    const chained = {
      number: expect.any(Number),
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      canonical: expect.stringMatching(/^\["/),
    }
    expect(data).toEqual([
      {
        id: expect.stringMatching(/^aud_[0-9a-z]{26}$/),
        object: 'audit_entry',
        ...chained,
        actor: user,
        action: 'connector.deleted',
        subject,
        address: '192.0.2.7',
        request_id: 'req_1',
        before: { name: 'Mail' },
        after: null,
        created_at: expect.stringMatching(/Z$/),
      },
      expect.objectContaining({ action: 'connector.created', actor: key, before: null, after: { name: 'Mail' } }),
    ])
    const first = await audit().list(wholeReader(org), { limit: 1 })
    expect(first).toMatchObject({ has_more: true, data: [data[0]] })
    const last = await audit().list(wholeReader(org), { limit: 1, after: first.last_id as 'aud_' })
    expect(last).toMatchObject({ has_more: false, data: [data[1]] })
    expect(await audit().list(wholeReader(org), { before: last.last_id as 'aud_' })).toMatchObject({ data: [data[0]] })
    expect((await audit().list(wholeReader(await newOrg()), {})).data).toEqual([])
  })

  test('is filtered by actor, action, subject and date, alone and combined', async () => {
    const org = await newOrg()
    const subject = newId('con')
    await act(org, { action: 'connector.created', subject })
    await act(org, { action: 'connector.deleted', subject }, user)
    await act(org, { action: 'connector.created' }, user)
    const count = async (page: Parameters<ReturnType<typeof audit>['list']>[1]) =>
      (await audit().list(wholeReader(org), page)).data.length
    expect(await count({ actor: user.id })).toBe(2)
    expect(await count({ action: 'connector.created' })).toBe(2)
    expect(await count({ subject })).toBe(2)
    expect(await count({ subject, actor: key.id })).toBe(1)
    expect(await count({ subject, actor: user.id, action: 'connector.created' })).toBe(0)
    const [newest] = (await audit().list(wholeReader(org), { limit: 1 })).data
    expect(await count({ created_after: newest?.created_at })).toBe(0)
    await moveDatabaseClock(database.ownerUrl, 3_600_000)
    await act(org)
    expect(await count({ created_after: newest?.created_at })).toBe(1)
    expect(await count({ created_before: newest?.created_at ?? '' })).toBeLessThanOrEqual(2)
    const dates = { created_after: '2030-01-01T00:00:00Z', created_before: '2029-01-01T00:00:00Z' }
    await expect(audit().list(wholeReader(org), dates)).rejects.toMatchObject({
      code: 'invalid_request',
      param: 'created_after',
    })
  })

  test('names the operator and the service without an id', async () => {
    const org = await newOrg()
    await app.transaction(org, (tx) =>
      recordAudit(tx, org, {
        id: toUuid(newId('aud')),
        actor: { type: 'operator', id: 'ada@host' },
        action: 'organisation.created',
        subject: fromUuid('org', org),
        address: null,
        requestId: null,
        before: null,
        after: { name: 'Test' },
      }),
    )
    const { data } = await audit().list(wholeReader(org), {})
    expect(data).toMatchObject([{ actor: { type: 'operator', id: 'ada@host' }, address: null, request_id: null }])
  })
})
