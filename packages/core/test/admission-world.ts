import { systemClock } from '@ars/platform/clock'
import { type Database, openDatabase } from '@ars/platform/db/database'
import { createIdMaker, toUuid } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { asClient } from '@ars/testkit/client'
import { createTestDatabase } from '@ars/testkit/database'
import { testAgents } from '../src/agents/agents.fixture.ts'
import { acceptRuns } from '../src/runs/accept/accept.store.ts'
import { cancelRun } from '../src/runs/control/cancel.store.ts'
import { addOrganisation } from './add-organisation.ts'
import { askedRun } from './asked-run.ts'

export type Tenant = { org: string; agentId: string; otherAgentId: string }
type Verdict = Awaited<ReturnType<typeof acceptRuns>>['verdicts'][number] | undefined
type Offered = { id: string; accepted: Verdict; started: boolean }

/** A separate database in which runs are accepted, wait, are admitted and end, without any worker. */
export type AdmissionWorld = {
  app: Database
  system: Database
  superuserUrl: string
  query(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>
  /** Resets everything except organisations and agents. */
  clear(): Promise<void>
  addTenant(concurrentRuns: number): Promise<Tenant>
  /** The limit of the tenant's first agent; null: as many as the tenant. */
  limitAgent(tenant: { agentId: string }, places: number | null): Promise<void>
  accept(
    tenant: { org: string; agentId: string; demoKeyId?: string },
    count: number,
    cellSlots: number,
    /** The connections of the process that accepts. */
    db?: Database,
  ): Promise<Offered[]>
  end(tenant: { org: string }, run: string): ReturnType<typeof cancelRun>
  /** How many runs of the organisation are admitted. */
  admitted(tenant: { org: string }): Promise<number>
  close(): Promise<void>
}

export const createAdmissionWorld = async (): Promise<AdmissionWorld> => {
  const log = createLog({ level: 'silent' })
  const newId = createIdMaker(systemClock)
  const database = await createTestDatabase()
  const open = (name: string, url: string) => openDatabase({ url, name, size: 8, acquireTimeoutMs: 30_000, log })
  const app = open('app', database.appUrl)
  const system = open('system', database.systemUrl)
  const query: AdmissionWorld['query'] = (text, values) =>
    asClient(database.superuserUrl, async (client) =>
      [await client.query(text, values)].flat().flatMap(({ rows }) => rows),
    )
  return {
    app,
    system,
    superuserUrl: database.superuserUrl,
    query,
    clear: async () => {
      await query('truncate run_heads, outbox')
    },
    addTenant: async (concurrentRuns) => {
      const org = await addOrganisation(database)
      await query('update organisations set concurrent_runs = $2 where id = $1', [org, concurrentRuns])
      const [echo, other] = await testAgents({ app, newId }).seedTestFamily(org)
      return { org, agentId: toUuid(echo?.id ?? ''), otherAgentId: toUuid(other?.id ?? '') }
    },
    limitAgent: async ({ agentId }, places) => {
      const limits = { max_concurrent_runs: places }
      await query('update agent_versions set limits = $2 where agent_id = $1', [agentId, limits])
    },
    accept: async ({ org, agentId, demoKeyId }, count, cellSlots, db = app) => {
      const asked = Array.from({ length: count }, () => askedRun(agentId, { demoKeyId }))
      const { verdicts, look } = await acceptRuns(db, org, asked, { relayAfterMs: 0, cellSlots })
      const started = new Set(look.admitted.map(({ run }) => run))
      return asked.map(({ id }, at) => ({ id, accepted: verdicts[at], started: started.has(id) }))
    },
    end: ({ org }, run) => cancelRun(app, org, { run, eventId: toUuid(newId('evt')), graceMs: 1 }),
    admitted: async ({ org }) =>
      (await query('select run_id from run_heads where org_id = $1 and is_admitted', [org])).length,
    close: async () => {
      await Promise.all([app.close(), system.close()])
      await database.drop()
    },
  }
}

export const startedOf = (runs: readonly Offered[]): string[] =>
  runs.filter(({ started }) => started).map(({ id }) => id)
