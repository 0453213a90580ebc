import { randomBytes } from '@ars/platform/crypto'
import { moveDatabaseClock } from '@ars/testkit/clock'
import { expect, test } from 'vitest'
import { deleteOldRows } from '../../test/delete-old-rows.ts'
import { mailPostWorld } from '../../test/mail-post-world.ts'
import { maxMailAttempts, pauseAfter } from './mail.ts'
import { beginMail, endMail } from './mail-send.store.ts'

const world = mailPostWorld()
const { lines, link, serverOf, postTo, plant, rowOf } = world

test('a mail arrives in text and HTML, and its row keeps neither address nor link', async () => {
  const server = await serverOf()
  const id = await plant()
  const ended: object[] = []
  expect(await postTo(server, (mail) => ended.push(mail)).sendDue()).toBe(1)
  const [mail] = server.mails()
  expect(mail).toMatchObject({ to: ['ada@example.com'], headers: { 'message-id': [`<${id}@example.org>`] } })
  expect(mail?.text).toContain(link)
  expect(mail?.html).toContain(`href="${link}"`)
  expect(mail?.html).toContain('Acme &lt;b&gt;&amp;&lt; b&gt; Bcc: eve example com')
  expect(mail?.text.split('\r\n').slice(0, 2)).toEqual(['Accept the invitation:', link])
  expect(mail?.html.indexOf(link)).toBeLessThan(mail?.html.lastIndexOf('Acme') ?? 0)
  expect(mail?.html).not.toMatch(/<(img|script|link|iframe)|src=|url\(/i)
  expect(Object.keys(mail?.headers ?? {})).not.toContain('bcc')
  expect(await rowOf(id)).toEqual({ outcome: 'sent', error: null, attempts: 1, address: null, link: null })
  expect(ended).toEqual([{ kind: 'invitation', outcome: 'sent' }])
  expect(lines.join('')).not.toContain('s3cr3t-token')
})

test('after the last attempt a mail has failed, is logged without its secrets, and is deleted a week later', async () => {
  const server = await serverOf()
  server.answer('451 later')
  const id = await plant()
  const post = postTo(server)
  for (let attempt = 1; attempt <= maxMailAttempts; attempt++) {
    expect(await rowOf(id)).toMatchObject({ outcome: null, attempts: attempt - 1 })
    expect(await post.sendDue()).toBe(1)
    expect(await post.sendDue()).toBe(0)
    await moveDatabaseClock(world.database.ownerUrl, ((pauseAfter(attempt) ?? 0) + 1) * 1_000)
  }
  expect(await rowOf(id)).toMatchObject({ outcome: 'failed', error: 'EENVELOPE 451', address: null, link: null })
  const told = lines.filter((line) => line.includes('mail given up'))
  expect(told).toHaveLength(1)
  expect(told[0]).not.toMatch(/ada@example|token/)
  await deleteOldRows(world.deliveries)
  expect(await rowOf(id)).toBeDefined()
  await moveDatabaseClock(world.database.ownerUrl, 7 * 86_400_000)
  await deleteOldRows(world.deliveries)
  expect(await rowOf(id)).toBeUndefined()
})

test('a recipient whom the server refuses for ever is not tried again', async () => {
  const server = await serverOf()
  server.answer('550 unknown')
  const id = await plant()
  await postTo(server).sendDue()
  expect(await rowOf(id)).toMatchObject({ outcome: 'failed', error: 'EENVELOPE 550', attempts: 1 })
})

test('a mail whose senders all died is given up, and not sent again', async () => {
  const server = await serverOf()
  const id = await plant()
  await world.query('update mails set attempts = $2 where id = $1', [id, maxMailAttempts])
  expect(await postTo(server).sendDue()).toBe(1)
  expect(await rowOf(id)).toMatchObject({ outcome: 'failed', error: 'interrupted' })
  expect(server.mails()).toEqual([])
})

test('two senders share the mails and send none twice', async () => {
  const server = await serverOf()
  for (let count = 0; count < 30; count++) await plant()
  const sendAll = async (post: ReturnType<typeof postTo>) => {
    while ((await post.sendDue()) > 0);
  }
  await Promise.all([sendAll(postTo(server)), sendAll(postTo(server)), sendAll(postTo(server))])
  expect(server.mails()).toHaveLength(30)
  expect(new Set(server.mails().map(({ headers }) => headers['message-id']?.[0])).size).toBe(30)
})

test('a mail that was sent has ended, even if its sender was slower than its lease', async () => {
  const id = await plant()
  const { links } = postTo(await serverOf()).queues
  const take = async () => {
    const { items } = await links.claim({ count: 10, heavyCount: 10, perOrg: 10, uses: [], leaseSeconds: 1 })
    const [held] = items
    return held && (await beginMail(world.deliveries, held))
  }
  const slow = await take()
  await moveDatabaseClock(world.database.ownerUrl, 2_000)
  const second = await take()
  expect([slow?.id, second?.id]).toEqual([id, id])
  const failed = { outcome: 'failed', error: 'EENVELOPE 550' } as const
  expect(slow && (await endMail(world.deliveries, slow, failed))).toBe(false)
  expect(slow && (await endMail(world.deliveries, slow, { outcome: 'sent', error: null }))).toBe(true)
  await moveDatabaseClock(world.database.ownerUrl, 2_000)
  expect(await take()).toBeUndefined()
  expect(await rowOf(id)).toMatchObject({ outcome: 'sent', error: null })
})

test('the mails of an organisation that moves to another cell are sent there only', async () => {
  const server = await serverOf()
  const id = await plant()
  const post = postTo(server)
  await world.query(
    `insert into closed_organisations (id, state, target) select org_id, 'moving', 'elsewhere' from mails where id = $1`,
    [id],
  )
  expect(await post.sendDue()).toBe(0)
  expect(await rowOf(id)).toMatchObject({ outcome: null, attempts: 0 })
  await world.query('delete from closed_organisations')
  expect(await post.sendDue()).toBe(1)
  expect(server.mails()).toHaveLength(1)
})

test('counts of recipients are kept for a day', async () => {
  await world.query('insert into mail_recipients (subject) values ($1)', [randomBytes(32)])
  await moveDatabaseClock(world.database.ownerUrl, 86_000_000)
  await deleteOldRows(world.deliveries)
  expect(await world.query('select from mail_recipients')).toHaveLength(1)
  await moveDatabaseClock(world.database.ownerUrl, 1_000_000)
  await deleteOldRows(world.deliveries)
  expect(await world.query('select from mail_recipients')).toEqual([])
})

test('mails with a link, mails about events and messages for channels wait for none of the other kinds', async () => {
  const server = await serverOf()
  const { queues } = postTo(server)
  const id = await plant()
  await world.query(
    `insert into mails (id, org_id, kind, user_id, event_id, due_at, destination_id)
     select new_uuid(), org_id, 'alert.triggered', new_uuid(), new_uuid(), app_now() - interval '1 hour', case when n > 10 then new_uuid() end
       from mails, generate_series(1, 20) as n`,
  )
  const taken = async (queue: keyof typeof queues) =>
    (await queues[queue].claim({ count: 30, heavyCount: 30, perOrg: 30, uses: [], leaseSeconds: 30 })).items.map(
      (item) => item.id,
    )
  expect(await taken('links')).toEqual([id])
  const [events, messages] = [await taken('events'), await taken('messages')]
  expect([events.length, messages.length]).toEqual([10, 10])
  expect(new Set([...events, ...messages]).size).toBe(20)
})

test('a mail that cannot be made ready is tried again for as long as one that is refused', async () => {
  const server = await serverOf()
  const id = await plant()
  await world.query(`update mails set kind = 'no such kind' where id = $1`, [id])
  expect(await postTo(server).sendDue()).toBe(1)
  expect(await rowOf(id)).toMatchObject({ outcome: null, error: 'internal', attempts: 1 })
})
