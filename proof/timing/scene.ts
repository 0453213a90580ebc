import { readFileSync } from 'node:fs'
import { systemClock } from '@ars/platform/clock'
import { createIdMaker, toUuid } from '@ars/platform/id'
import { type ApiAnswer, type ApiCall, type ApiCaller, apiCaller } from '../lab/client/api-caller.ts'
import { plantRatedKeys } from '../lab/stack/rated-keys.ts'
import { openSql } from '../lab/stack/sql.ts'
import { startTemporaryStack, type TemporaryStack } from '../lab/stack/temporary-stack.ts'

/** A gateway with customers and people on it, and one connection to it. */
export type Scene = {
  /** One connection, over which one thing is asked after the other. */
  caller: ApiCaller
  port: number
  ca: Buffer
  metricsUrl: string
  /** Keys that work, of an organisation that nobody else here belongs to. */
  keys: readonly string[]
  /** A key that may ask as often as it likes, and owns nothing. */
  readerKey: string
  /** Runs of another organisation than the reader's, and the key that they belong to. */
  runIds: readonly string[]
  ownerKey: string
  /** People, by their e-mail address. None has the password that is tried. */
  emails: readonly string[]
  /** All requests say where they come from, as behind a proxy. */
  from(address: string): Record<string, string>
  dispose(options: { keepFiles: boolean }): Promise<void>
}

const ample = { requestsPerMinute: 1_000_000, burst: 1_000_000 }
const keyCount = 200
const runCount = 100

export const openScene = async (name: string, { people }: { people: number }): Promise<Scene> => {
  const temporary = await startTemporaryStack(name)
  const { stack, seed } = temporary
  try {
    const worker = stack.server({ role: 'worker' })
    const gateway = stack.server({
      role: 'gateway',
      env: { ARS_UNAUTHORIZED_PER_MINUTE: '1000000', ARS_TRUSTED_PROXIES: '127.0.0.1/32', ARS_LOG_LEVEL: 'warn' },
    })
    await Promise.all([worker.start(), gateway.start()])
    const keys = await plantRatedKeys(stack, 'issued', { plan: 'enterprise', keys: keyCount, limits: ample })
    const [reader] = await plantRatedKeys(stack, 'reader', { plan: 'enterprise', limits: ample })
    if (!reader) throw new Error('no key was made')
    const port = stack.ports.gateway[0]
    const ca = readFileSync(stack.tls.certFile)
    const caller = apiCaller({ port, ca, connections: 1 })
    const runIds = await makeRuns(caller, temporary)
    // It has nothing more to do, and its sweeps would only be noise.
    await worker.stop()
    return {
      caller,
      port,
      ca,
      metricsUrl: gateway.metricsUrl,
      keys: keys.map(({ apiKey }) => apiKey),
      readerKey: reader.apiKey,
      runIds,
      ownerKey: seed.api_key,
      emails: await makePeople(caller, temporary, people),
      from: (address) => ({ 'x-forwarded-for': address }),
      dispose: async (options) => {
        caller.close()
        await temporary.dispose(options)
      },
    }
  } catch (error) {
    await temporary.dispose({ keepFiles: true })
    throw new Error(`The logs are in ${stack.dir}.`, { cause: error })
  }
}

const makeRuns = async (caller: ApiCaller, { seed, agentId }: TemporaryStack): Promise<string[]> => {
  const body = { agent_id: agentId('test-echo'), input: { query: 'x' } }
  const ids: string[] = []
  for (let n = 0; n < runCount; n++) {
    const { id } = await expectAnswer(caller, { method: 'POST', path: '/v2/runs', headers: bearer(seed.api_key), body })
    ids.push(String(id))
  }
  return ids
}

/** The first by invitation; the others are copies of it, so that not each costs a hash. */
const makePeople = async (caller: ApiCaller, { seed, stack }: TemporaryStack, count: number): Promise<string[]> => {
  const invitation = { email: emailOf('person', 0), role: 'viewer' }
  const call: ApiCall = { method: 'POST', path: '/v2/members/invitations', headers: bearer(seed.api_key) }
  const { link } = await expectAnswer(caller, { ...call, body: invitation })
  const token = new URL(String(link)).hash.replace('#token=', '')
  const password = 'nine blue lanterns by the quay'
  await expectAnswer(caller, { method: 'POST', path: '/v2/api/auth/invitation', body: { token, password } })
  const records = openSql(stack.postgres.superuserUrl('ars'))
  const newId = createIdMaker(systemClock)
  const emails = Array.from({ length: count }, (_, at) => emailOf('person', at))
  try {
    for (const email of emails.slice(1)) {
      const user = toUuid(newId('usr'))
      await records.query(
        `insert into users (id, email, name, password_hash, password_changed_at)
         select $1, $2, name, password_hash, password_changed_at from users where email = $3`,
        [user, email, emails[0]],
      )
      await records.query(
        `insert into members (id, org_id, user_id, role)
         select $1, m.org_id, $2, m.role from members m join users u on u.id = m.user_id where u.email = $3`,
        [toUuid(newId('mem')), user, emails[0]],
      )
    }
    // What the planner knows of a table must not depend on when it happens to look for itself.
    await records.query('analyze')
  } finally {
    await records.close()
  }
  return emails
}

/** The same length for every account. */
export const emailOf = (who: 'person' | 'nobody', at: number): string =>
  `${who}-${String(at).padStart(6, '0')}@example.com`

export const bearer = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` })

const expectAnswer = async (caller: ApiCaller, call: ApiCall): Promise<Record<string, unknown>> => {
  const answer: ApiAnswer = await caller.call(call, { timeoutMs: 60_000 })
  if (answer.status >= 300) throw new Error(`${call.method} ${call.path}: ${answer.status} ${answer.text}`)
  return JSON.parse(answer.text) as Record<string, unknown>
}
