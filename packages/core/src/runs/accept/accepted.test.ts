import { systemClock } from '@ars/platform/clock'
import { type Database, openDatabase } from '@ars/platform/db/database'
import { DatabaseUnavailable } from '@ars/platform/db/unavailable'
import { toUuid } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { openPubSub } from '@ars/platform/redis/pub-sub'
import { testRequest } from '@ars/testkit/caller'
import { createTestDatabase, type TestDatabase } from '@ars/testkit/database'
import { testRedisUrl } from '@ars/testkit/stack'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId, plantTenant } from '../../../test/run-gateway.ts'
import { unguarded } from '../../../test/test-guard.ts'
import { testAgents } from '../../agents/agents.fixture.ts'
import { testSchemas } from '../../schemas/schemas.fixture.ts'
import { createFeed } from '../feed/feed.service.ts'
import { unattended } from '../queue/admission.fixture.ts'
import { findRun } from '../run/run.store.ts'
import { toWireRun } from '../run/run.ts'
import { createRunCreation } from './create-run.service.ts'

const log = createLog({ level: 'silent' })
let database: TestDatabase
let app: Database
beforeAll(async () => {
  database = await createTestDatabase()
  app = openDatabase({ url: database.appUrl, name: 'app', size: 2, acquireTimeoutMs: 30_000, log })
})
afterAll(async () => {
  await app.close()
  await database.drop()
})

/** A database that is available for the first statements only. */
const thereFor = (maxStatements: number): Database => {
  let asked = 0
  const ask = <Result>(answer: () => Result): Result => {
    if (++asked > maxStatements) throw new DatabaseUnavailable('No connection')
    return answer()
  }
  return { ...app, once: (...args) => ask(() => app.once(...args)), batch: (...args) => ask(() => app.batch(...args)) }
}

const openRuns = async (database: Database) => {
  const pubSub = await openPubSub({ url: testRedisUrl(), log })
  const feed = createFeed({ feedReads: app, pubSub, log })
  const runs = createRunCreation({
    app: database,
    agents: testAgents({ app, newId }),
    schemas: testSchemas(),
    ...unguarded(database),
    feed,
    admission: unattended,
    newId,
    clock: systemClock,
    relayAfterMs: 60_000,
    cellSlots: 10,
  })
  const close = () => {
    feed.close()
    pubSub.close()
  }
  return { runs, close }
}

test.each([
  ['who does not wait', 0],
  ['who waits', 100],
])('an accepted run is returned to one %s, even if the database then becomes unavailable', async (_who, waitMs) => {
  const { org, agents } = await plantTenant(database)
  const { runs, close } = await openRuns(thereFor(1))
  try {
    const ctx = { ...testRequest(org), prefer: { waitMs, applied: undefined } }
    const { body, status } = await runs.create(ctx, {
      agent_id: agents[0] as `ag_${string}`,
      input: { query: 'Hello' },
      metadata: { team: 'a' },
    })
    expect(status).toBe(202)
    expect(await readAll(org)).toEqual([body])
  } finally {
    close()
  }
})

test('an agent that is archived between the lookup and the start of a run accepts no run', async () => {
  const { org, agentId } = await plantTenant(database)
  let isArchived = false
  const archiving: Database = {
    ...app,
    batch: async (named, statements) => {
      const isAccept = (statements as readonly { name?: string }[]).some(({ name }) => name === 'runs.accept')
      if (isAccept && !isArchived) {
        isArchived = true
        const text = `update agents set status = 'archived', archived_at = app_now() where org_id = $1 and id = $2`
        await app.once(org, { text, values: [org, toUuid(agentId)] })
      }
      return app.batch(named, statements)
    },
  }
  const { runs, close } = await openRuns(archiving)
  try {
    // For a demo key the agent is looked up first, and found active.
    const ctx = { ...testRequest(org), isDemo: true }
    const refused = await runs.create(ctx, { agent_id: agentId, input: {} }).catch((error: unknown) => error)
    expect(isArchived).toBe(true)
    expect(refused).toMatchObject({ code: 'agent_archived', param: 'agent_id' })
    expect(await readAll(org)).toEqual([])
  } finally {
    close()
  }
})

/** The result of a check over the whole database. */
const readAll = async (org: string) => {
  const ids = await app.once<{ id: string }>(org, { text: 'select id from runs', values: [] })
  const runs = await Promise.all(ids.map(({ id }) => findRun(app, org, id)))
  return runs.flatMap((run) => (run ? [toWireRun(run)] : []))
}
