import { systemClock } from '@ars/platform/clock'
import { type Database, openDatabase } from '@ars/platform/db/database'
import { createIdMaker, toUuid } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { asClient } from '@ars/testkit/client'
import { createTestDatabase, type TestDatabase } from '@ars/testkit/database'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addOrganisation } from '../../../test/add-organisation.ts'
import { createHistories } from './histories.service.ts'

const log = createLog({ level: 'silent' })
const newId = createIdMaker(systemClock)
let database: TestDatabase
let app: Database
let org: string
beforeAll(async () => {
  database = await createTestDatabase()
  app = openDatabase({ url: database.appUrl, name: 'app', size: 2, acquireTimeoutMs: 30_000, log })
  org = await addOrganisation(database)
})
afterAll(async () => {
  await app.close()
  await database.drop()
})

const write = (sql: string, values: unknown[]) => asClient(database.superuserUrl, (client) => client.query(sql, values))

const addStep = (run: string, step: number, text: string) =>
  write(
    `insert into run_steps (run_id, step, org_id, epoch, attempt, kind, output, messages_read, started_at, bytes)
     values ($1, $2, $3, 1, 1, 'model', $4::text::json, 0, app_now(), octet_length($4::text))`,
    [run, step, org, JSON.stringify({ text })],
  )

/** Counts the bytes that arrive from the database as contents of steps. */
const counting = () => {
  let contents = 0
  const batch: Database['batch'] = async (asOrg, statements) => {
    const rows = await app.batch(asOrg, statements)
    contents += (rows as { output?: unknown }[][]).flat().filter(({ output }) => output != null).length
    return rows
  }
  return {
    db: { ...app, batch },
    take: () => {
      const taken = contents
      contents = 0
      return taken
    },
  }
}

const textsOf = ({ steps }: { steps: readonly { content: { text?: string } | null }[] }) =>
  steps.map(({ content }) => content?.text)

test('a step that was read is not read again, until the run is forgotten', async () => {
  const run = toUuid(newId('run'))
  const { db, take } = counting()
  const histories = createHistories({ app: db, maxBytes: 1_000 })
  await addStep(run, 1, 'one')
  expect(textsOf(await histories.read(org, run))).toEqual(['one'])
  await addStep(run, 2, 'two')
  await addStep(run, 3, 'three')
  expect(take()).toBe(1)
  expect(textsOf(await histories.read(org, run))).toEqual(['one', 'two', 'three'])
  expect(take()).toBe(2)
  expect(textsOf(await histories.read(org, run))).toEqual(['one', 'two', 'three'])
  expect([take(), histories.keptBytes()]).toEqual([0, 14 + 14 + 16])
  histories.forget(run)
  expect(textsOf(await histories.read(org, run))).toEqual(['one', 'two', 'three'])
  expect(take()).toBe(3)
})

test('histories stay within their bytes: those that were not used for longest are read again', async () => {
  const [first, second, large] = [toUuid(newId('run')), toUuid(newId('run')), toUuid(newId('run'))]
  const { db, take } = counting()
  const histories = createHistories({ app: db, maxBytes: 1_000 })
  await addStep(first, 1, 'x'.repeat(600))
  await addStep(second, 1, 'y'.repeat(600))
  await addStep(large, 1, 'z'.repeat(2_000))
  for (const run of [first, second]) await histories.read(org, run)
  expect(histories.keptBytes()).toBe(611)
  await histories.read(org, large)
  take()
  await histories.read(org, second)
  expect(take()).toBe(0)
  expect(textsOf(await histories.read(org, first))).toEqual(['x'.repeat(600)])
  expect(textsOf(await histories.read(org, large))).toEqual(['z'.repeat(2_000)])
  expect(take()).toBe(2)
  expect(histories.keptBytes()).toBeLessThanOrEqual(1_000)
})

test('a step that the database lost and another worker stored anew is read again', async () => {
  const run = toUuid(newId('run'))
  const histories = createHistories({ app, maxBytes: 1_000 })
  await addStep(run, 1, 'one')
  await addStep(run, 2, 'lost')
  await histories.read(org, run)
  await write('delete from run_steps where run_id = $1 and step = 2', [run])
  expect(textsOf(await histories.read(org, run))).toEqual(['one'])
  await addStep(run, 2, 'two')
  await histories.read(org, run)
  await write('delete from run_steps where run_id = $1 and step = 2', [run])
  await addStep(run, 2, 'other')
  await addStep(run, 3, 'three')
  expect(textsOf(await histories.read(org, run))).toEqual(['one', 'other', 'three'])
})
