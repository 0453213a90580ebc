import { BlockList } from 'node:net'
import { limits } from '@ars/contract'
import { testCaller } from '@ars/testkit/caller'
import { asClient } from '@ars/testkit/client'
import { fakeClock } from '@ars/testkit/clock'
import { createTestDatabase } from '@ars/testkit/database'
import { expect, onTestFinished, test, vi } from 'vitest'
import { deletePeople, deleteRows, inTransaction } from './admin/organisation-deletion.store.ts'
import { hasArrived } from './admin/organisation-move.store.ts'
import { work } from './admin/work.ts'
import { followWal } from './backup/follow.ts'
import { serverBounds } from './bounds.ts'
import { createCredentialWatch } from './gateway/admit/credential-watch.ts'
import { createClientAddresses } from './gateway/listen/client-address.ts'
import { createStreamRoutes } from './gateway/stream/stream-route.ts'

const nothing = {} as never
const uuid = '01890a5d-ac96-774b-bcce-b302099a8057'

test('beyond the addresses of serverBounds.clientAddressesKnown all are checked again', () => {
  const checks = vi.spyOn(BlockList.prototype, 'check')
  onTestFinished(() => void checks.mockRestore())
  const { peerOf } = createClientAddresses(['10.0.0.0/8'])
  const checked = (n: number) => {
    const before = checks.mock.calls.length
    peerOf({ remoteAddress: `10.0.${n >> 8}.${n & 255}` })
    return checks.mock.calls.length - before
  }
  const { count } = serverBounds.clientAddressesKnown
  for (let n = 0; n < count; n++) expect(checked(n)).toBe(1)
  expect([checked(0), checked(count), checked(0)]).toEqual([0, 1, 1])
})

test('a round over credentials lets other work run after serverBounds.credentialsOfTurn', async () => {
  const { count } = serverBounds.credentialsOfTurn
  let asked = 0
  const caller = testCaller('org')
  const watch = createCredentialWatch({
    access: {
      authenticate: async () => {
        asked++
        return caller
      },
    },
    people: { confirmSession: async () => null },
    clock: fakeClock(),
    recheckMs: 2 ** 30,
  })
  onTestFinished(watch.close)
  for (let n = 0; n < 3 * count; n++)
    watch.add(
      { raw: { headers: { authorization: `Bearer key_${n}` }, rawHeaders: [] }, caller } as never,
      () => undefined,
    )
  const round = watch.recheck()
  await new Promise((resolve) => setImmediate(resolve))
  // Some look-ups are under way at once.
  expect(asked).toBeLessThanOrEqual(count + serverBounds.credentialLookups.count)
  await round
  expect(asked).toBe(3 * count)
})

test('a link has as many open streams as limits.streamsPerShare, and an idle stream says something within limits.streamHeartbeatSeconds', async () => {
  const timers = vi.spyOn(globalThis, 'setInterval')
  onTestFinished(() => void timers.mockRestore())
  const streams = createStreamRoutes({
    draining: new AbortController().signal,
    random: () => 0.5,
    credentials: { add: () => () => undefined },
    onClose: () => undefined,
  })
  onTestFinished(() => {
    for (const { value } of timers.mock.results) clearInterval(value as NodeJS.Timeout)
  })
  // A stream is looked at fifteen times between two heartbeats.
  expect(timers.mock.calls.map(([, ms]) => ms)).toContain((limits.streamHeartbeatSeconds * 1_000) / 15)
  const ends: (() => void)[] = []
  const open = () => new Promise<never>((_, reject) => ends.push(() => reject(new Error('over'))))
  const serve = (id: string) => {
    const caller = { ...testCaller('org'), credential: 'share', bucket: { id } }
    return streams.serve({ caller, method: 'GET' } as never, nothing, open).catch((error: Error) => error)
  }
  const all = Array.from({ length: limits.streamsPerShare }, () => serve('link'))
  expect(await serve('link')).toMatchObject({ code: 'rate_limited', message: expect.stringContaining('This link') })
  const other = serve('other')
  for (const end of ends) end()
  expect((await Promise.all([...all, other])).map((error) => (error as Error).message)).toEqual(
    Array(limits.streamsPerShare + 1).fill('over'),
  )
})

test('the slot for WAL is made within serverBounds.slotCommand', async () => {
  const asked: { args: readonly string[]; limitMs: number | null }[] = []
  const programs = async (_: string, options: { args: readonly string[]; limitMs: number | null }) =>
    void asked.push(options)
  await followWal({
    ...{ folder: '/f', slot: 's', url: 'postgres://a@127.0.0.1:1/c', timeline: 1, programs: programs as never },
    ...{ baseEveryHours: undefined, takeBase: () => Promise.reject(new Error('no base back-up is due')) },
  })
  const [made, followed] = asked
  expect([made?.args.includes('--create-slot'), made?.limitMs]).toEqual([true, serverBounds.slotCommand.ms])
  expect(followed?.limitMs).toBeNull()
})

/** A session that keeps what it is asked. */
const sessionOf = (rows: object[] = []) => {
  const asked: [text: string, values: readonly unknown[]][] = []
  const ask = async (text: string, values: readonly unknown[] = []) => {
    asked.push([text, values])
    return rows
  }
  return {
    asked,
    db: {
      query: ask,
      change: async (text: string, values: readonly unknown[]) => (await ask(text, values)).length,
    } as never,
  }
}

test('a statement of a deletion ends after serverBounds.rowsStatement', async () => {
  const { db, asked } = sessionOf()
  await inTransaction(db, uuid, async () => undefined)
  expect(asked.flatMap(([, values]) => values)).toContain(`${serverBounds.rowsStatement.ms}ms`)
})

test('a statement of a move ends after serverBounds.moveStatement', async () => {
  const { db, asked } = sessionOf()
  await hasArrived(db, uuid)
  expect(asked.flatMap(([, values]) => values)).toContain(`${serverBounds.moveStatement.ms}ms`)
})

test('a transaction deletes the rows of serverBounds.pagesDeleted', async () => {
  const { count } = serverBounds.pagesDeleted
  const { db, asked } = sessionOf([{ pages: 2 * count + 1 }])
  await deleteRows(db, uuid, 'runs')
  const pieces = asked.flatMap(([text]) => [...text.matchAll(/ctid >= '\((\d+),0\)'::tid and ctid < '\((\d+),0\)'/g)])
  expect(pieces.map(([, from, to]) => [Number(from), Number(to)])).toEqual([
    [0, count],
    [count, 2 * count],
    [2 * count, 3 * count],
  ])
})

test('a transaction removes the members of serverBounds.peopleDeleted', async () => {
  const { count } = serverBounds.peopleDeleted
  let left = 2 * count + 1
  const pages: number[] = []
  const db = {
    query: async (text: string, values: readonly unknown[] = []) => {
      if (!text.includes('delete from members')) return []
      expect(values).toContain(count)
      const page = Math.min(count, left)
      left -= page
      pages.push(page)
      return Array.from({ length: page }, () => ({ user: uuid }))
    },
    change: async () => 0,
  }
  expect(await deletePeople(db as never, uuid)).toEqual({ members: 2 * count + 1, users: 0 })
  expect(pages).toEqual([count, count, 1])
})

test('of the work of organisations the command lists serverBounds.workRows', async () => {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  const { count } = serverBounds.workRows
  await asClient(database.superuserUrl, (client) =>
    client.query(
      `with org as (insert into organisations (id, name) select gen_random_uuid(), 'Planted' from generate_series(1, $1::integer) returning id)
       insert into work_uses (org_id, queue, slot, since, turns, turn_ms) select id, 'mails', 0, app_now(), 1, 1 from org`,
      [count + 5],
    ),
  )
  const written: string[] = []
  const output = vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0)
  onTestFinished(() => void output.mockRestore())
  const engine = { ARS_ENGINE_INGRESS_URL: 'http://127.0.0.1:1', ARS_ENGINE_ADMIN_URL: 'http://127.0.0.1:1' }
  const env = {
    ...engine,
    ARS_DATABASE_URL: database.appUrl,
    ARS_DATABASE_SYSTEM_URL: database.systemUrl,
    ARS_DATABASE_AUTH_URL: database.authUrl,
    ARS_DATABASE_FEED_URL: database.feedUrl,
  }
  await work.run(env as never, { limit: '1000000', json: true } as never)
  output.mockRestore()
  expect((JSON.parse(written.join('')) as { work: object[] }).work).toHaveLength(count)
})
