import type { Scope } from '@ars/contract'
import { type Clock, systemClock } from '@ars/platform/clock'
import { type Database, openDatabase } from '@ars/platform/db/database'
import { createIdMaker, toUuid } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import type { PubSub } from '@ars/platform/redis/pub-sub'
import { asClient } from '@ars/testkit/client'
import { createTestDatabase, type TestDatabase } from '@ars/testkit/database'
import { type AccessService, createAccess } from '../src/access/access.service.ts'
import type { ScopesOfRole } from '../src/access/caller.ts'
import type { PlainHttpKey } from '../src/access/exposure.service.ts'
import type { Caller, Ctx } from '../src/ctx.ts'
import { Fault } from '../src/fault.ts'

/** A database with the access service, and helpers to inspect it. */
export type AccessWorld = {
  database: TestDatabase
  app: Database
  auth: Database
  access: AccessService
  logLines: string[]
  /** The number of credential lookups in the database. */
  lookUps(): number
  /** Another process on the same database. */
  another(options?: ProcessOptions): AccessService
  sql<Row>(text: string, values?: unknown[]): Promise<Row[]>
  newAgent(org: string): Promise<`ag_${string}`>
  /** A request with this key or token. */
  ctxOf(bearer: string, idempotencyKey?: string): Promise<Ctx>
  /** An organisation with a key that has all scopes, or the given ones. */
  newOrg(scopes?: readonly Scope[]): Promise<{ org: string; key: string; id: string; ctx: Ctx }>
  close(): Promise<void>
}

type ProcessOptions = {
  pubSub?: PubSub
  clock?: Clock
  plainHttpKey?: PlainHttpKey
  scopesOfRole?: ScopesOfRole
  sessionTokens?: 'on' | 'off'
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
  const operator = open(database.systemUrl, 'test-operator')
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
    const access = createAccess({ app, auth, operator, clock: systemClock, newId, log, ...options, ...more })
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
      await Promise.all([app.close(), plainAuth.close(), operator.close()])
      await database.drop()
    },
  }
}

const requestOf = (caller: Caller, idempotencyKey?: string): Ctx => ({
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

/** Freezes the clock of the database at this moment, so that a test can be exact to the second. */
export const stopDatabaseClock = (ownerUrl: string, at: Date): Promise<void> =>
  asClient(ownerUrl, async (client) => {
    // A definition takes no parameters, so the moment is part of its text.
    await client.query(`create or replace function app_now() returns timestamptz language sql stable parallel safe
      return timestamptz '${at.toISOString()}'`)
  })

/** Redis is unavailable: publications are lost, and none are received. */
export const lostPubSub: PubSub = {
  publish: () => undefined,
  subscribe: () => Promise.resolve(),
  unsubscribe: () => undefined,
  isUp: () => false,
  version: () => Promise.reject(new Error('away')),
  close: () => undefined,
}
