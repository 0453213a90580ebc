import { readFileSync } from 'node:fs'
import { apiBasePath, errors, type Operation } from '@ars/contract'
import { stackFacts } from '@ars/testkit/stack'
import { Agent, request } from 'undici'
import { type App, framesOf, patient, type Reply, sharedApp, type Tenant, until } from '../app.ts'
import type { Credential } from './credentials.ts'
import { makerOf } from './makers.ts'
import type { Row } from './operations.ts'
import { newId, type Organisation, plantPerson } from './people.ts'
import { sampleOf } from './sample.ts'

/** Two organisations in one service: the caller's, and another whose data must never appear. */
export type World = {
  app: App
  mine: Organisation
  other: Organisation
  /** Ids of objects of the other organisation, by prefix. */
  foreign: Readonly<Record<string, string>>
  /** Calls the operation and checks the invariants of every response. */
  call(row: Row, credential: Credential, input: Record<string, unknown>): Promise<Reply & { faults: string[] }>
  /** Calls the operation with a raw body. */
  callRaw(row: Row, credential: Credential, body: RawBody): Promise<Reply>
  stop(): Promise<void>
}

/** `input` fills the path. */
export type RawBody = { input: Record<string, unknown>; type: string; text: string }

/** A text that occurs nowhere else, so that data of the other organisation is recognised wherever it appears. */
const foreignMarker = 'zq7-not-yours'

export const startWorld = async (prefixes: Iterable<string>): Promise<World> => {
  const app = patient(await sharedApp())
  abroad ??= settle(app)
  const { second, other, foreign } = await abroad
  let calls = 0
  const mine = await found(app, app.tenant, 'matrix')
  for (const prefix of new Set(prefixes)) foreign[prefix] ??= await makerOf(prefix).make(app, other, foreign)
  return {
    app,
    mine,
    other,
    foreign,
    call: async (row, credential, input) => {
      // Password attempts are throttled; every cell is a first attempt.
      if (row.operation.scope === 'anyone') await app.query('delete from login_attempts')
      const { path, rest } = split(row.operation, input)
      const hasBody = row.operation.method === 'POST' || row.operation.method === 'PATCH'
      // A busy machine may answer 503, which is not under test here.
      const reply = await until('an answer other than 503', async () => {
        const url = calls++ % 2 === 0 ? app.url : second.url
        const headers = { ...credential.headers, ...(row.operation.csv && { accept: 'application/json' }) }
        const options = { ...credential, headers, url, ...(hasBody ? { body: rest } : {}) }
        const answer = await (isEndless(row)
          ? openAndLeave(path, options)
          : app.call(row.operation.method, path, options))
        return answer.status !== 503 && answer
      })
      return { ...reply, faults: faultsIn(row, credential, reply) }
    },
    callRaw: (row, { key, headers }, { input, type, text }) =>
      app.call(row.operation.method, split(row.operation, input).path, {
        ...(key === undefined ? {} : { key }),
        raw: text,
        headers: { ...headers, 'content-type': type },
      }),
    stop: () => app.stop(),
  }
}

/** A stream of one object ends with it; one of the whole organisation does not. */
const isEndless = ({ operation, pathIds }: Row): boolean =>
  operation.streams === true && operation.method === 'GET' && Object.keys(pathIds).length === 0

/** The text of an endless stream before its first frame, or the whole refusal. */
const openAndLeave = async (path: string, { url, key, headers }: Credential & { url: string }): Promise<Reply> => {
  const agent = new Agent({ connect: { ca: readFileSync(stackFacts().tls.certFile) } })
  const authorization = typeof key === 'string' ? { authorization: `Bearer ${key}` } : {}
  const answer = await request(url + path, { dispatcher: agent, headers: { ...authorization, ...headers } })
  const isStream = answer.statusCode < 300
  const text = isStream ? '' : await answer.body.text()
  if (isStream) answer.body.on('error', () => undefined).destroy()
  await agent.destroy()
  const body = isStream ? undefined : JSON.parse(text)
  return { status: answer.statusCode, headers: answer.headers, text, body }
}

/** The URL and request of the operation, with the input in path, query or body as the contract says. */
const split = ({ method, path }: Operation, input: Record<string, unknown>) => {
  const rest = { ...input }
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(rest[name])
    delete rest[name]
    return encodeURIComponent(value)
  })
  const query = method === 'GET' || method === 'DELETE' ? new URLSearchParams(rest as Record<string, string>) : ''
  return { path: `${apiBasePath}${filled}${String(query) ? `?${query}` : ''}`, rest }
}

/** A valid input, with ids from `idOf`. */
export const inputFor = async (
  row: Row,
  idOf: (prefix: string, beside: Readonly<Record<string, string>>) => Promise<string>,
): Promise<Record<string, unknown>> => {
  const ids: Record<string, string> = {}
  for (const prefix of Object.values({ ...row.pathIds, ...row.neededIds })) ids[prefix] = await idOf(prefix, ids)
  const idFor = (prefix: string): string => ids[prefix] ?? newId(prefix)
  const input = sampleOf(row.schema, idFor) as Record<string, unknown>
  const [field] = row.operation.method === 'PATCH' ? optionalFields(row) : []
  // An update must change something, so if every field is optional the first is sent.
  if (field && Object.keys(input).every((name) => name in row.pathIds)) input[field[0]] = sampleOf(field[1], idFor)
  // A rule between two fields, which a schema of fields does not say.
  if (row.name === 'runs.act' && input.type === 'message') input.payload = { message: 'Hello' }
  if (input.definition !== undefined)
    input.definition = { steps: [{ key: 'extract', agent_id: await idOf('ag', ids) }] }
  if (row.name === 'schedules.create')
    Object.assign(input, { interval_seconds: 31_622_400, agent_id: await idOf('ag', ids) })
  return input
}

const optionalFields = ({ schema, pathIds }: Row) =>
  Object.entries(schema.properties ?? {}).filter(([name]) => !(name in pathIds))

/** Violated invariants of a response, as sentences. */
const faultsIn = (row: Row, { key, headers = {} }: Credential, reply: Reply): string[] => {
  const { status, text, body } = reply
  const faults: string[] = []
  const say = (isWrong: boolean, sentence: string): void => void (isWrong && faults.push(sentence))
  const all = text + JSON.stringify(reply.headers)
  say(all.includes(foreignMarker), 'it shows something of the other organisation')
  say(status >= 500, `it failed: ${status} ${text}`)
  if (status >= 400) {
    const code = body?.error?.code as keyof typeof errors | undefined
    say(
      code === undefined || errors[code]?.status !== status,
      `${status} with the code ${code} is not in the table of errors`,
    )
  } else say(!fits(row.operation, reply), `the answer is not exactly what the contract says: ${text.slice(0, 1_000)}`)
  for (const fault of [typeFault(row, reply), revisionFault(reply)]) say(fault !== undefined, fault ?? '')
  const isKnown = row.operation.scope !== 'anyone' && status !== 401
  for (const name of isKnown ? rateHeaders : []) say(reply.headers[name] === undefined, `the header ${name} is missing`)
  const isShared = row.operation.crossOrigin === true && key?.startsWith('ars_st_') === true
  say((reply.headers['access-control-allow-origin'] === '*') !== isShared, 'it is open to the wrong origins')
  say(headers.cookie !== undefined && text.includes(headers.cookie.split('=')[1] ?? ''), 'it repeats the cookie')
  say(typeof key === 'string' && text.includes(key), 'it repeats the key')
  return faults
}

/** Bodies are JSON, except for the frames of a stream and for lines. */
const typeFault = ({ operation }: Row, { status, headers }: Reply): string | undefined => {
  const special = operation.streams ? 'text/event-stream' : operation.lines && 'application/jsonl'
  const wanted = (status < 300 && special) || 'application/json'
  const type = String(headers['content-type']).split(';')[0]
  return type === wanted ? undefined : `${status} is ${type} and not ${wanted}`
}

const revisionFault = ({ status, headers }: Reply): string | undefined =>
  headers['x-api-revision'] === 'v2.4' ? undefined : `${status} has the revision ${headers['x-api-revision']}`

const rateHeaders = ['ratelimit-policy', 'ratelimit', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']

/** Every field of the schema and no other. Zod strips unknown fields, so the parsed value must equal the whole. */
const fits = (operation: Operation, { text, body }: Reply): boolean => {
  return partsOf(operation, { text, body }).every((part) => {
    const parsed = operation.output.safeParse(part)
    return parsed.success && canonical(parsed.data) === canonical(part)
  })
}

const partsOf = ({ streams, lines }: Operation, { text, body }: Pick<Reply, 'text' | 'body'>): unknown[] => {
  if (streams) return framesOf(text).map(({ data }) => data)
  if (!lines) return [body]
  const whole = text.split('\n').filter((line) => line !== '')
  return whole.map((line) => JSON.parse(line))
}

const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, each) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([left], [right]) => (left < right ? -1 : 1)))
      : each,
  )

/** What all files of a test process share, as they share the app. */
let abroad: Promise<{ second: { url: string }; other: Organisation; foreign: Record<string, string> }> | undefined

const settle = async (app: App) => ({
  // Two gateways of one service, called in turn: both must behave alike. The second one is not joined through the app of a
  // file, which would stop it with the file.
  second: await (await sharedApp()).join('gateway', { ARS_PUBLIC_URL: app.url }),
  other: await found(app, await app.addTenant(), foreignMarker),
  foreign: {},
})

const found = async (app: App, tenant: Tenant, marker: string): Promise<Organisation> => {
  await app.query('update organisations set name = $2 where id = $1', [tenant.org, marker])
  const person = await plantPerson(app, { ...tenant, marker }, 'owner')
  return { ...tenant, marker, person }
}
