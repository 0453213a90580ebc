import type { Scope } from '@ars/contract'
import { type Clock, systemClock } from '@ars/platform/clock'
import { type Database, openDatabase } from '@ars/platform/db/database'
import { createIdMaker, toUuid } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import type { Wakeups } from '@ars/platform/redis/redis'
import { asClient } from '@ars/testkit/client'
import { createTestDatabase, type TestDatabase } from '@ars/testkit/database'
import { type AccessService, createAccess } from '../src/access/access.service.ts'
import type { ScopesOfRole } from '../src/access/caller.ts'
import type { PlainHttpKey } from '../src/access/exposure.service.ts'
import type { Caller, Ctx } from '../src/ctx.ts'
import { Fault } from '../src/fault.ts'

/** A database with the access service on it, and what tests need to look behind it. */
export interface AccessWorld {
  database: TestDatabase
  app: Database
  auth: Database
  access: AccessService
  logLines: string[]
  /** How often the database was asked who holds a credential. */
  lookUps(): number
  /** One more process on the same database. */
  another(options?: ProcessOptions): AccessService
  sql<Row>(text: string, values?: unknown[]): Promise<Row[]>
  newAgent(org: string): Promise<`ag_${string}`>
  /** A request of whoever holds this key or token. */
  ctxOf(bearer: string, idempotencyKey?: string): Promise<Ctx>
  /** An organisation with a key that may do all, or what is told. */
  newOrg(scopes?: readonly Scope[]): Promise<{ org: string; key: string; id: string; ctx: Ctx }>
  close(): Promise<void>
}

type ProcessOptions = {
  wakeups?: Wakeups
  clock?: Clock
  plainHttpKey?: PlainHttpKey
  scopesOfRole?: ScopesOfRole
  noteUsesEveryMs?: number
}

export const newId = createIdMaker(systemClock)

export const openAccessWorld = async (options: ProcessOptions = {}): Promise<AccessWorld> => {
  const database = await createTestDatabase()
  const logLines: string[] = []
  const log = createLog({ level: 'debug', write: (line) => logLines.push(line) })
  const open = (url: string, name: string) => openDatabase({ url, name, size: 4, acquireTimeoutMs: 30_000, log })
  const app = open(database.appUrl, 'test-app')
  const plainAuth = open(database.authUrl, 'test-auth')
  let lookUps = 0
  const auth: Database = {
    ...plainAuth,
    once: (org, statement) => {
      if (statement.name?.startsWith('access.find_')) lookUps += 1
      return plainAuth.once(org, statement)
    },
  }
  const processes: AccessService[] = []
  const another = (more: ProcessOptions = {}): AccessService => {
    const access = createAccess({ app, auth, clock: systemClock, newId, log, ...options, ...more })
    processes.push(access)
    return access
  }
  const access = another()
  const sql = <Row>(text: string, values: unknown[] = []) =>
    asClient(database.superuserUrl, async (client) => (await client.query(text, values)).rows as Row[])

  const ctxOf = async (bearer: string, idempotencyKey?: string): Promise<Ctx> => {
    const caller = await access.authenticate(bearer)
    if (!caller) throw new Error('nobody holds this key')
    return requestOf(caller, idempotencyKey)
  }
  return {
    database,
    app,
    auth,
    access,
    logLines,
    lookUps: () => lookUps,
    another,
    sql,
    newAgent: async (org) => {
      const id = newId('ag')
      await sql(
        `insert into agents (id, org_id, name, kind, source, config) values ($1, $2, 'Agent', 'llm', 'custom', '{}')`,
        [toUuid(id), org],
      )
      return id
    },
    ctxOf,
    newOrg: async (scopes) => {
      const { org } = await access.createOrganisation('Test')
      const { id, key } = await access.createKey(org, { name: 'first', ...(scopes && { scopes }) })
      return { org, key, id, ctx: await ctxOf(key) }
    },
    close: async () => {
      await Promise.all(processes.map((each) => each.close()))
      await Promise.all([app.close(), plainAuth.close()])
      await database.drop()
    },
  }
}

export const requestOf = (caller: Caller, idempotencyKey?: string): Ctx => ({
  ...caller,
  requestId: 'req_1',
  address: '192.0.2.7',
  userAgent: undefined,
  idempotencyKey,
  prefer: { waitMs: 0, applied: undefined },
  lastEventId: undefined,
  draining: new AbortController().signal,
})

/** The code of the refusal; throws when there was none. */
export const refusal = async (
  work: Promise<unknown>,
): Promise<{ code: string; message: string; param: string | null }> => {
  try {
    await work
  } catch (error) {
    if (error instanceof Fault) return { code: error.code, message: error.message, param: error.param }
    throw error
  }
  throw new Error('nothing was refused')
}

/** From now on the clock of the database stands at this moment, so that a second more or less is a second. */
export const stopDatabaseClock = (ownerUrl: string, at: Date): Promise<void> =>
  asClient(ownerUrl, async (client) => {
    // A definition takes no parameters, so the moment stands in its text.
    await client.query(`create or replace function app_now() returns timestamptz language sql stable parallel safe
      return timestamptz '${at.toISOString()}'`)
  })

/** Redis is away: what is said is lost, and nothing is heard. */
export const lostWakeups: Wakeups = {
  publish: () => undefined,
  subscribe: () => Promise.resolve(),
  unsubscribe: () => undefined,
  isUp: () => false,
  version: () => Promise.reject(new Error('away')),
  close: () => undefined,
}
