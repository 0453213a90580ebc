import { openDatabase } from '@ars/platform/db/database'
import { withSession } from '@ars/platform/db/session'
import { OrganisationClosed } from '@ars/platform/db/unavailable'
import { createLog } from '@ars/platform/log/log'
import { asClient } from '@ars/testkit/client'
import { createTestDatabase } from '@ars/testkit/database'
import { expect, onTestFinished, test } from 'vitest'
import { closeOrganisation, openOrganisation, waitForOthers } from '../src/admin/organisation-move.store.ts'

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
