import { openDatabase } from '@ars/platform/db/database'
import { type Session, withSession } from '@ars/platform/db/session'
import { OrganisationClosed } from '@ars/platform/db/unavailable'
import { createLog } from '@ars/platform/log/log'
import { asClient } from '@ars/testkit/client'
import { createTestDatabase, type TestDatabase } from '@ars/testkit/database'
import { expect, onTestFinished, test } from 'vitest'
import { type MovedDay, watchDays } from '../src/admin/move-days.store.ts'
import { listMovedTables, pauseAndMove } from '../src/admin/move-org.ts'
import {
  type Cells,
  copyAhead,
  moveRows,
  settlePastDays,
  unwatchPastDays,
  watchPastDays,
} from '../src/admin/move-rows.ts'
import { closeOrganisation, openOrganisation, waitForOthers } from '../src/admin/organisation-move.store.ts'
import { beginSnapshot, listTenantTables, readRows } from '../src/admin/organisation-rows.store.ts'
import { serverBounds } from '../src/bounds.ts'

const mine = '0199aaaa-0000-7000-8000-00000000000a'
const theirs = '0199aaaa-0000-7000-8000-00000000000b'
const log = createLog({ level: 'error' })

test('a closed organisation is refused in every transaction, and those before are waited for', async () => {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  await asClient(database.superuserUrl, (client) =>
    client.query(`insert into organisations (id, name) values ('${mine}', 'Mine'), ('${theirs}', 'Theirs')`),
  )
  const app = openDatabase({ url: database.appUrl, name: 'app', size: 2, acquireTimeoutMs: 30_000, log })
  const write = { text: `update agents set name = 'later' where org_id = $1 returning id`, values: [mine] }
  const own = { text: 'select name from organisations', values: [] }
  const plan = { text: 'select plan from organisations', values: [] }
  try {
    await withSession({ url: database.ownerUrl, name: 'test', timeoutMs: 30_000 }, async (owner) => {
      await app.transaction(mine, async (tx) => {
        await tx.query(own)
        await closeOrganisation(owner, mine, 'elsewhere')
        expect(await waitForOthers(owner, 200)).toBe(false)
      })
      expect(await waitForOthers(owner, 30_000)).toBe(true)
      await expect(app.once(mine, write)).rejects.toBeInstanceOf(OrganisationClosed)
      await expect(app.transaction(mine, (tx) => tx.query(own))).rejects.toBeInstanceOf(OrganisationClosed)
      await expect(app.batchOf([mine, theirs], [plan])).rejects.toBeInstanceOf(OrganisationClosed)
      expect(await app.batchOf([theirs], [plan])).toEqual([[{ plan: 'free' }]])
      expect(await app.once(theirs, own)).toEqual([{ name: 'Theirs' }])
      await openOrganisation(owner, mine)
      expect(await app.once(mine, own)).toEqual([{ name: 'Mine' }])
    })
  } finally {
    await app.close()
  }
})

/** Two cells, of which the first has the organisation. `onLook`: after each statement of the first one that contains the text. */
const withCells = async (
  work: (world: { cells: Cells; source: TestDatabase; rowsThere(sql: string): Promise<unknown[]> }) => Promise<void>,
  looks?: { text: string; onLook(source: TestDatabase, rows: readonly object[]): Promise<unknown> },
  onQuery?: (text: string) => void,
): Promise<void> => {
  const [source, target] = [await createTestDatabase(), await createTestDatabase()]
  onTestFinished(async () => {
    await Promise.all([source.drop(), target.drop()])
  })
  await inCell(source, `insert into organisations (id, name) values ('${mine}', 'Mine')`)
  const open = <Result>(url: string, then: (session: Session) => Promise<Result>) =>
    withSession({ url, name: 'test', timeoutMs: 30_000 }, then)
  await open(source.ownerUrl, (owner) =>
    open(source.systemUrl, (system) =>
      open(target.ownerUrl, (ownerThere) =>
        open(target.systemUrl, (systemThere) => {
          const watched: Session = {
            ...owner,
            query: async (text, values) => {
              onQuery?.(text)
              const rows = await owner.query<never>(text, values)
              if (looks && text.includes(looks.text)) await looks.onLook(source, rows)
              return rows
            },
          }
          const cells = { source: { owner: watched, system }, target: { owner: ownerThere, system: systemThere } }
          const rowsThere = (sql: string) =>
            asClient(target.superuserUrl, async (client) => (await client.query(sql)).rows as unknown[])
          return work({ cells, source, rowsThere })
        }),
      ),
    ),
  )
}

const inCell = (database: TestDatabase, sql: string) => asClient(database.superuserUrl, (client) => client.query(sql))

test('deliveries that are pending are not copied before the organisation is closed', async () => {
  await withCells(async ({ cells, source, rowsThere }) => {
    await inCell(
      source,
      `insert into deliveries (id, org_id, webhook_id, event_id, event_type, source, status, ended_at)
       select new_uuid(), '${mine}', new_uuid(), new_uuid(), 'run.completed', 'event', status, ended_at
         from (values ('pending', null), ('succeeded', app_now())) as d (status, ended_at)`,
    )
    const tables = await listMovedTables(cells.source.owner)
    await copyAhead(cells, mine, { tables, say: () => undefined })
    expect(await rowsThere('select status from deliveries')).toEqual([{ status: 'succeeded' }])
    await moveRows(cells, mine, tables)
    expect(await rowsThere('select status from deliveries')).toHaveLength(2)
  })
})

// A customer decides how large each row is: many small ones say nothing about the next.
const ofAnySize = `insert into run_steps (run_id, step, org_id, epoch, attempt, output, started_at, kind)
  select uuid_floor(app_now()), n, '${mine}', 0, 1, to_json(repeat('x', case when n <= 1200 then 1 else 3000000 end)), app_now(), 'model'
    from generate_series(1, 1206) n`

const bytesIn = (rows: readonly object[]): number => rows.reduce((sum, row) => sum + JSON.stringify(row).length, 0)

test('rows of any size are copied in portions of a bounded number of rows and bytes', async () => {
  const { count, bytes } = serverBounds.rowsCopied
  const portions: { rows: number; bytes: number }[] = []
  await withCells(
    async ({ cells, source, rowsThere }) => {
      await inCell(source, ofAnySize)
      await copyAhead(cells, mine, { tables: await listMovedTables(cells.source.owner), say: () => undefined })
      expect(await rowsThere('select count(*)::integer as rows from run_steps')).toEqual([{ rows: 1206 }])
    },
    {
      text: 'from read_rows',
      onLook: async (_, rows) => void portions.push({ rows: rows.length, bytes: bytesIn(rows) }),
    },
  )
  expect(Math.max(...portions.map(({ rows }) => rows))).toBe(count)
  // What stands beside the values in this count is their names.
  for (const portion of portions) expect(portion.bytes).toBeLessThan(1.5 * bytes)
})

test('an export reads rows of any size in portions of a bounded number of rows and bytes', async () => {
  const { count, bytes } = serverBounds.rowsRead
  await withCells(async ({ cells: { source: cell }, source }) => {
    await inCell(source, ofAnySize)
    const table = (await listTenantTables(cell.owner)).find(({ name }) => name === 'run_steps')
    if (!table) throw new Error('There is no table of steps')
    await beginSnapshot(cell.owner, mine)
    const portions: string[][] = []
    await readRows(cell.owner, mine, { table, onLines: async (lines) => void portions.push(lines) })
    await cell.owner.query('rollback')
    expect(portions.flat()).toHaveLength(1206)
    expect(Math.max(...portions.map((lines) => lines.length))).toBe(count)
    for (const lines of portions) expect(lines.join('').length).toBeLessThan(bytes)
  })
})

test('an event that waits for its position arrives with it', async () => {
  let looks = 0
  await withCells(
    async ({ cells, source, rowsThere }) => {
      await inCell(
        source,
        `insert into events (id, org_id, type, subject_id) values (new_uuid(), '${mine}', 'run.created', new_uuid())`,
      )
      await moveRows(cells, mine, await listMovedTables(cells.source.owner))
      expect(await rowsThere('select position from events')).toEqual([{ position: '7' }])
    },
    {
      text: 'position is null',
      onLook: async (source) => {
        if (++looks === 2) await inCell(source, 'update events set position = 7')
      },
    },
  )
})

test('the rows of a transaction that began before the organisation was closed arrive', async () => {
  let commit = async (): Promise<unknown> => undefined
  let looks = 0
  await withCells(
    async ({ cells, source, rowsThere }) => {
      const tables = await listMovedTables(cells.source.owner)
      await asClient(source.superuserUrl, async (client) => {
        await client.query(
          `begin; select from closed_organisations;
           insert into alert_destinations (id, org_id, type, url, hint) values (new_uuid(), '${mine}', 'slack', '', 'late')`,
        )
        commit = () => client.query('commit')
        const move = { org: mine, cells, tables, target: 'elsewhere', say: () => undefined }
        await pauseAndMove(move, { publish: () => undefined })
      })
      expect(await rowsThere('select hint from alert_destinations')).toEqual([{ hint: 'late' }])
    },
    {
      text: 'pg_locks',
      onLook: async () => {
        if (++looks === 2) await commit()
      },
    },
  )
})

const yesterday = "uuid_floor(app_now() - interval '1 day')"

const plantLabels = (...values: string[]) =>
  values
    .map(
      (value) =>
        `insert into run_labels (org_id, key, value, run_id) values ('${mine}', 'key', '${value}', ${yesterday});`,
    )
    .join('')

const labelsThere = 'select value from run_labels order by value'
const triggers = `select tgname from pg_trigger where tgname like 'note_moved_day%'`

/** The rows are equal in both cells, and the organisation still works. */
const settle = async (cells: Cells) => {
  const tables = await listMovedTables(cells.source.owner)
  const watched = await watchPastDays(cells.source.owner, mine, tables)
  await copyAhead(cells, mine, { tables, say: () => undefined })
  return { tables, settled: await settlePastDays(cells, mine, { tables, watched }) }
}

test('of past days, the pause of a move reads those in which a row changed, and no other', async () => {
  await withCells(async ({ cells, source, rowsThere }) => {
    await inCell(source, plantLabels('a', 'b', 'c'))
    const { tables, settled } = await settle(cells)
    expect(settled.find(({ table, rows }) => table === 'run_labels' && rows > 0)).toMatchObject({ rows: 3 })
    // A change that nothing notes is not seen: this day is not read.
    await inCell(
      source,
      `set session_replication_role = replica; update run_labels set value = 'not noted' where value = 'a'`,
    )
    expect((await moveRows(cells, mine, tables, settled)).rows).toBeGreaterThanOrEqual(3)
    expect(await rowsThere(labelsThere)).toEqual([{ value: 'a' }, { value: 'b' }, { value: 'c' }])
  })
})

test('what changes in a past day after it was compared arrives, in whichever cell it changed', async () => {
  await withCells(async ({ cells, source, rowsThere }) => {
    await inCell(source, plantLabels('a', 'b', 'c'))
    const { tables, settled } = await settle(cells)
    await inCell(source, plantLabels('d'))
    await inCell(
      source,
      `delete from run_labels where value = 'a'; update run_labels set value = 'B' where value = 'b'`,
    )
    await rowsThere(`delete from run_labels where value = 'c'`)
    const { rows } = await moveRows(cells, mine, tables, settled)
    expect(await rowsThere(labelsThere)).toEqual([{ value: 'B' }, { value: 'c' }, { value: 'd' }])
    expect(rows).toBeGreaterThanOrEqual(3)
    expect(await unwatchPastDays(cells, mine)).toBe(0)
    expect([await rowsThere(triggers), await cells.source.owner.query(triggers)]).toEqual([[], []])
    expect(await cells.source.owner.query('select from moved_days')).toEqual([])
  })
})

test('changes of other organisations are not noted, and cost the pause nothing', async () => {
  await withCells(async ({ cells, source }) => {
    await inCell(source, plantLabels('a'))
    await settle(cells)
    await inCell(source, plantLabels('theirs').replaceAll(mine, theirs))
    expect(await cells.source.owner.query('select partition from moved_days')).toEqual([])
    await inCell(source, plantLabels('mine'))
    expect(await cells.source.owner.query('select partition from moved_days')).toEqual([
      { partition: expect.stringMatching(/^run_labels_p/) },
    ])
  })
})

test('a past day that stays locked is tried as often as serverBounds.dayLockTries says, and read in the pause', async () => {
  let tried = 0
  await withCells(
    async ({ cells, source }) => {
      await inCell(source, plantLabels('a'))
      const [found] = await cells.source.owner.query<MovedDay>(
        `select parent as table, name as partition from partition_days()
          where parent = 'run_labels' and first_day <= current_date - 1 and end_day > current_date - 1`,
      )
      await asClient(source.superuserUrl, async (client) => {
        await client.query(`begin; update run_labels set value = 'locked'`)
        expect(await watchDays(cells.source.owner, mine, found ? [found] : [])).toEqual([])
      })
      expect(tried).toBe(serverBounds.dayLockTries.count)
      expect(await watchDays(cells.source.owner, mine, found ? [found] : [])).toEqual([found])
    },
    undefined,
    (text) => {
      if (text.includes('create or replace trigger')) tried++
    },
  )
})
