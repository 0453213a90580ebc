import { type AuditEntry, type Role, roles, type Session } from '@ars/contract'
import { type Clock, systemClock } from '@ars/platform/clock'
import { type Database, openDatabase } from '@ars/platform/db/database'
import { createIdMaker, toUuid } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import type { PubSub } from '@ars/platform/redis/pub-sub'
import { asClient } from '@ars/testkit/client'
import { createTestDatabase, type TestDatabase } from '@ars/testkit/database'
import { wholeReader } from '../../test/whole-reader.ts'
import { type AccessService, createAccess } from '../access/index.ts'
import { createAudit } from '../audit/index.ts'
import type { Caller, Ctx } from '../ctx.ts'
import { Fault } from '../fault.ts'
import { createPeople, type People } from './people.service.ts'
import type { Visitor } from './visitor.ts'

/** A database with the people service, and what tests need to inspect it. */
export type PeopleWorld = {
  database: TestDatabase
  people: People
  access: AccessService
  logLines: string[]
  /** How many times the database was asked for a session. */
  lookUps(): number
  /** Another process on the same database. */
  another(options?: ProcessOptions): People
  sql<Row>(text: string, values?: unknown[]): Promise<Row[]>
  /** An organisation with one member of each role, logged in. */
  newTeam(): Promise<Team>
  newOrg(): Promise<string>
  /** A new member of an organisation, by invitation. */
  newMember(org: string, role: Role, email?: string): Promise<Someone>
  logIn(email: string, options?: { password?: string; visitor?: Visitor }): Promise<SignedIn>
  /** The person joins with their account: logged in, with its password. */
  join(email: string, link: string): Promise<SignedIn>
  ctxOf(token: string): Promise<Ctx>
  ctxOfKey(org: string, options?: { scopes: readonly string[] }): Promise<Ctx>
  /** The log of an organisation, oldest entry first. */
  audited(org: string): Promise<AuditEntry[]>
  close(): Promise<void>
}

export type SignedIn = { token: string; session: Session; cookie: string; deviceToken: string; ctx: Ctx }
export type Someone = SignedIn & { email: string; memberId: `mem_${string}`; user: string }
export type Team = { org: string } & Record<Role, Someone>
type ProcessOptions = { pubSub?: PubSub; clock?: Clock }

const newId = createIdMaker(systemClock)
export const goodPassword = 'a long enough Password, 7'

let visitors = 0
/** Each from a different address, so that no test uses up another test's attempts. */
export const aVisitor = (changes: Partial<Visitor> = {}): Visitor => {
  visitors += 1
  return { address: `2001:db8:${visitors.toString(16)}::7`, requestId: 'req_1', userAgent: 'Firefox', ...changes }
}

let emails = 0
export const anEmail = (): string => `person-${++emails}@example.com`

export const openPeopleWorld = async (options: ProcessOptions = {}): Promise<PeopleWorld> => {
  const database = await createTestDatabase()
  const logLines: string[] = []
  const log = createLog({ level: 'debug', write: (line) => logLines.push(line) })
  const open = (url: string, name: string): Database =>
    openDatabase({ url, name, size: 4, acquireTimeoutMs: 30_000, log })
  const app = open(database.appUrl, 'test-app')
  const plainAuth = open(database.authUrl, 'test-auth')
  let lookUps = 0
  const auth: Database = {
    ...plainAuth,
    once: (org, statement) => {
      if (statement.name === 'people.find_session') lookUps += 1
      return plainAuth.once(org, statement)
    },
  }
  const system = open(database.systemUrl, 'test-system')
  const access = createAccess({ app, auth, operator: system, clock: systemClock, newId, log })
  const audit = createAudit({ app })
  const processes: People[] = []
  const another = (more: ProcessOptions = {}): People => {
    const config = { publicUrl: 'https://ars.example.com/' }
    const people = createPeople({
      keys: access.tree,
      app,
      auth,
      clock: systemClock,
      newId,
      log,
      config,
      pubSub: lostPubSub,
      passwordCost: { memoryCost: 64, timeCost: 1 },
      ...options,
      ...more,
    })
    processes.push(people)
    return people
  }
  const people = another()
  const sql = <Row>(text: string, values: unknown[] = []) =>
    asClient(database.superuserUrl, async (client) => (await client.query(text, values)).rows as Row[])

  const ctxOf = async (token: string): Promise<Ctx> => {
    const caller = await people.authenticateSession(token)
    if (!caller) throw new Error('this session is not alive')
    return requestOf(caller)
  }
  const signedIn = async (answer: Awaited<ReturnType<People['login']['login']>>): Promise<SignedIn> => {
    const { token, cookie, deviceToken } = cookieOf(answer)
    return { token, cookie, deviceToken, session: answer.body, ctx: await ctxOf(token) }
  }
  const newMember = async (org: string, role: Role, email = anEmail()): Promise<Someone> => {
    const { link } = await people.invitations.inviteByOperator(org, { email, role })
    const body = { token: tokenOf(link), name: 'Somebody', password: goodPassword }
    const someone = await signedIn(await people.invitations.accept(aVisitor(), body))
    const user = toUuid(someone.session.user.id)
    const { data } = await people.members.list({ org }, { limit: 1 })
    return { ...someone, email, user, memberId: data[0]?.id ?? 'mem_' }
  }
  const logIn: PeopleWorld['logIn'] = async (email, { password = goodPassword, visitor = aVisitor() } = {}) =>
    signedIn(await people.login.login(visitor, { email, password }))
  const newOrg = async (): Promise<string> => (await access.createOrganisation('Test')).org
  return {
    database,
    people,
    access,
    logLines,
    lookUps: () => lookUps,
    another,
    sql,
    newOrg,
    newMember,
    newTeam: async () => {
      const org = await newOrg()
      const team: Partial<Record<Role, Someone>> = {}
      for (const role of roles) team[role] = await newMember(org, role)
      return { org, ...(team as Record<Role, Someone>) }
    },
    logIn,
    join: async (email, link) => {
      const { token } = await logIn(email)
      const body = { token: tokenOf(link), password: goodPassword }
      return signedIn(await people.invitations.accept(aVisitor({ sessionToken: token }), body))
    },
    ctxOf,
    ctxOfKey: async (org, keyOptions) => {
      const { key } = await access.createKey(org, { name: 'key', ...(keyOptions as { scopes: [] } | undefined) })
      const caller = await access.authenticate(key)
      if (!caller) throw new Error('nobody holds this key')
      return requestOf(caller)
    },
    audited: async (org) => (await audit.list(wholeReader(org), { limit: 100 })).data.toReversed(),
    close: async () => {
      await Promise.all(processes.map((each) => each.close()))
      await access.close()
      await Promise.all([app.close(), auth.close(), system.close()])
      await database.drop()
    },
  }
}

export const requestOf = (caller: Caller): Ctx => ({
  ...caller,
  ...aVisitor(),
  idempotencyKey: undefined,
  prefer: { waitMs: 0, applied: undefined },
  lastEventId: undefined,
  draining: new AbortController().signal,
})

export const cookieOf = ({ headers }: { headers: Readonly<Record<string, string | string[]>> }) => {
  const cookies = [headers['set-cookie'] ?? []].flat()
  const cookie = cookies.find((each) => each.startsWith('__Host-ars_session=')) ?? ''
  const device = cookies.find((each) => each.startsWith('__Host-ars_device=')) ?? ''
  const textIn = (text: string) => /^[^=]*=([^;]*)/.exec(text)?.[1] ?? ''
  return { cookie, token: textIn(cookie), deviceToken: textIn(device) }
}

/** The text after the `#` of a link. */
export const tokenOf = (link: string): string => new URLSearchParams(new URL(link).hash.slice(1)).get('token') ?? ''

/** The error; throws when there was none. */
export const refusal = async (
  work: Promise<unknown>,
): Promise<{ code: string; message: string; retryAfterSeconds: number | undefined }> => {
  try {
    await work
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return { code: error.code, message: error.message, retryAfterSeconds: error.retryAfterSeconds }
  }
  throw new Error('nothing was refused')
}

/** Redis is unavailable: messages are lost. */
export const lostPubSub: PubSub = {
  publish: () => undefined,
  subscribe: () => Promise.resolve(),
  unsubscribe: () => undefined,
  isUp: () => false,
  version: () => Promise.reject(new Error('away')),
  close: () => undefined,
}
