import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { systemClock } from '@ars/platform/clock'
import { type Database, openDatabase } from '@ars/platform/db/database'
import { createIdMaker, toUuid } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { openSmtp } from '@ars/platform/mail/smtp'
import { asClient } from '@ars/testkit/client'
import { moveDatabaseClock } from '@ars/testkit/clock'
import { createTestDatabase, type TestDatabase } from '@ars/testkit/database'
import { type MailServer, startMailServer } from '@ars/testkit/mail-server'
import { bareEnv } from '@ars/testkit/slow/program'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { maxMailAttempts, pauseAfter } from './mail.ts'
import { createMailPost, type MailPost, mailsPerBatch } from './mail-post.service.ts'
import { deleteEndedMails } from './mail-send.store.ts'

const newId = createIdMaker(systemClock)
const lines: string[] = []
const log = createLog({ level: 'debug', write: (line) => lines.push(line) })
const link = 'https://runs.example.org/dashboard/invitation#token=s3cr3t-token'

let database: TestDatabase
let deliveries: Database
let org: string
beforeAll(async () => {
  database = await createTestDatabase()
  deliveries = openDatabase({ url: database.systemUrl, name: 'test', size: 4, log, acquireTimeoutMs: 30_000 })
  org = toUuid(newId('org'))
  await query("insert into organisations (id, name) values ($1, 'Acme <b>&</b>\r\nBcc: eve@example.com')", [org])
})
const servers: MailServer[] = []
afterEach(async () => {
  await query('delete from mails')
  await Promise.all(servers.splice(0).map((server) => server.close()))
})
afterAll(async () => {
  await deliveries.close()
  await database.drop()
})

const query = <Row>(text: string, values: unknown[] = []): Promise<Row[]> =>
  asClient(database.superuserUrl, async (client) => (await client.query(text, values)).rows as Row[])

const serverOf = async (options: Parameters<typeof startMailServer>[0] = {}): Promise<MailServer> => {
  const server = await startMailServer(options)
  servers.push(server)
  return server
}

const postTo = ({ port }: MailServer, onMailEnded = (_: object): void => undefined): MailPost =>
  createMailPost({
    deliveries,
    secrets: {
      open: async (_org, sealed) => Buffer.from(sealed).toString(),
      seal: () => Promise.reject(new Error('unused')),
      fingerprint: () => Promise.reject(new Error('unused')),
    },
    smtp: openSmtp({
      server: { host: '127.0.0.1', port, isTlsFromStart: false, login: undefined },
      from: { name: '', address: 'runs@example.org' },
      tls: 'off',
      clock: systemClock,
      timeoutMs: 1_000,
    }),
    deliveryEgress: { request: () => Promise.reject(new Error('unused')) },
    config: { publicUrl: 'https://runs.example.org/' },
    log,
    onMailEnded,
  })

const plant = async (address = 'ada@example.com'): Promise<string> => {
  const id = toUuid(newId('mail'))
  await query(
    `insert into mails (id, org_id, kind, address, link, due_at) values ($1, $2, 'invitation', $3, $4, app_now())`,
    [id, org, address, Buffer.from(link)],
  )
  return id
}

type Row = {
  outcome: string | null
  error: string | null
  attempts: number
  address: string | null
  link: Buffer | null
}
const rowOf = async (id: string): Promise<Row | undefined> =>
  (await query<Row>('select outcome, error, attempts, address, link from mails where id = $1', [id]))[0]

test('a mail arrives in text and HTML, and its row keeps neither address nor link', async () => {
  const server = await serverOf()
  const id = await plant()
  const ended: object[] = []
  expect(await postTo(server, (mail) => ended.push(mail)).sendSome()).toBe(1)
  const [mail] = server.mails()
  expect(mail).toMatchObject({ to: ['ada@example.com'], headers: { 'message-id': [`<${id}@example.org>`] } })
  expect(mail?.text).toContain(link)
  expect(mail?.html).toContain(`href="${link}"`)
  expect(mail?.html).toContain('Acme &lt;b&gt;&amp;&lt;/b&gt; Bcc: eve@example.com')
  expect(mail?.html).not.toMatch(/<(img|script|link|iframe)|src=|url\(/i)
  expect(Object.keys(mail?.headers ?? {})).not.toContain('bcc')
  expect(await rowOf(id)).toEqual({ outcome: 'sent', error: null, attempts: 1, address: null, link: null })
  expect(ended).toEqual([{ kind: 'invitation', outcome: 'sent' }])
  expect(lines.join('')).not.toContain('s3cr3t-token')
})

test('a sender that is killed between sending and noting it sends the mail again with the same Message-ID', async () => {
  let child: ChildProcess | undefined
  const server = await serverOf({ onAccepted: () => child?.kill('SIGKILL') })
  const id = await plant()
  child = spawn(
    process.execPath,
    [new URL('./mail-post.fixture.ts', import.meta.url).pathname, database.systemUrl, String(server.port)],
    { env: bareEnv(), stdio: 'ignore' },
  )
  const [, signal] = await once(child, 'exit')
  child = undefined
  expect(signal).toBe('SIGKILL')
  expect(await rowOf(id)).toMatchObject({ outcome: null, attempts: 1 })
  const post = postTo(server)
  // The lease protects the mail from a second sender while the first may still be at work.
  expect(await post.sendSome()).toBe(0)
  await moveDatabaseClock(database.ownerUrl, 121_000)
  expect(await post.sendSome()).toBe(1)
  expect(server.mails().map(({ headers }) => headers['message-id'])).toEqual([
    [`<${id}@example.org>`],
    [`<${id}@example.org>`],
  ])
  expect(await rowOf(id)).toMatchObject({ outcome: 'sent', attempts: 2 })
})

test('a server that says nothing holds up the sender for no longer than the limit, and the mails wait', async () => {
  const server = await serverOf()
  server.answer('hang')
  const ids = await Promise.all(Array.from({ length: mailsPerBatch + 1 }, () => plant()))
  const started = systemClock.monotonicMs()
  expect(await postTo(server).sendSome()).toBe(mailsPerBatch)
  expect(systemClock.monotonicMs() - started).toBeLessThan(10_000)
  const rows = await Promise.all(ids.map(rowOf))
  expect(rows.filter((row) => row?.outcome === null && row.link !== null)).toHaveLength(ids.length)
  server.answer(undefined)
  expect(await postTo(server).sendSome()).toBe(1)
  await moveDatabaseClock(database.ownerUrl, 11_000)
  expect(await postTo(server).sendSome()).toBe(mailsPerBatch)
  expect(new Set(server.mails().map(({ headers }) => headers['message-id']?.[0])).size).toBe(ids.length)
})

test('after the last attempt a mail has failed, is logged without its secrets, and is deleted a week later', async () => {
  const server = await serverOf()
  server.answer('451 later')
  const id = await plant()
  const post = postTo(server)
  for (let attempt = 1; attempt <= maxMailAttempts; attempt++) {
    expect(await rowOf(id)).toMatchObject({ outcome: null, attempts: attempt - 1 })
    expect(await post.sendSome()).toBe(1)
    expect(await post.sendSome()).toBe(0)
    await moveDatabaseClock(database.ownerUrl, ((pauseAfter(attempt) ?? 0) + 1) * 1_000)
  }
  expect(await rowOf(id)).toMatchObject({ outcome: 'failed', error: 'EENVELOPE 451', address: null, link: null })
  const told = lines.filter((line) => line.includes('mail given up'))
  expect(told).toHaveLength(1)
  expect(told[0]).not.toMatch(/ada@example|token/)
  await deleteEndedMails(deliveries, 10)
  expect(await rowOf(id)).toBeDefined()
  await moveDatabaseClock(database.ownerUrl, 7 * 86_400_000)
  await deleteEndedMails(deliveries, 10)
  expect(await rowOf(id)).toBeUndefined()
})

test('a recipient whom the server refuses for ever is not tried again', async () => {
  const server = await serverOf()
  server.answer('550 unknown')
  const id = await plant()
  await postTo(server).sendSome()
  expect(await rowOf(id)).toMatchObject({ outcome: 'failed', error: 'EENVELOPE 550', attempts: 1 })
})

test('two senders share the mails and send none twice', async () => {
  const server = await serverOf()
  for (let count = 0; count < 30; count++) await plant()
  const sendAll = async (post: MailPost) => {
    while ((await post.sendSome()) > 0);
  }
  await Promise.all([sendAll(postTo(server)), sendAll(postTo(server)), sendAll(postTo(server))])
  expect(server.mails()).toHaveLength(30)
  expect(new Set(server.mails().map(({ headers }) => headers['message-id']?.[0])).size).toBe(30)
})
