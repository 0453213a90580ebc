import { demoScopes, type Scope, scopes } from '@ars/contract'
import { toUuid } from '@ars/platform/id'
import type { App, CallOptions } from '../app.ts'
import { makerOf } from './makers.ts'
import type { Row } from './operations.ts'
import { type Organisation, plantSession } from './people.ts'
import type { Cell } from './rule.ts'

/** The credential of a request, and the run that it is a link to. */
export type Credential = Pick<CallOptions, 'key' | 'headers'> & { readonly run?: string }

/**
 * The credentials of the cells. Keys, tokens and links are created once; a session may be ended, so each call gets a new one.
 */
export const createCredentials = (app: App, mine: Organisation) => {
  const made = new Map<string, Promise<Credential>>()
  const uses = new Map<string, number>()
  return (row: Row, cell: Cell): Promise<Credential> => {
    if (cell.startsWith('cookie')) return credentialFor(app, mine, row, cell)
    const used = uses.get(cell) ?? 0
    uses.set(cell, used + 1)
    // A demo key has a low rate, so it serves some cells only.
    const serves = cell.startsWith('demo')
      ? Math.floor(used / demoCells)
      : dependsOnScope.has(cell) && row.operation.scope
    const name = `${cell} ${serves}`
    const credential = made.get(name) ?? credentialFor(app, mine, row, cell)
    made.set(name, credential)
    return credential
  }
}

/** A demo key may call 15 times at once, and a cell may make two things with its key. */
const demoCells = 5
const dependsOnScope: ReadonlySet<Cell> = new Set(['key without the scope', 'token of another run'])

const credentialFor = async (app: App, mine: Organisation, row: Row, cell: Cell): Promise<Credential> => {
  switch (cell) {
    case 'no key':
      return { key: null }
    case 'bad checksum':
      return { key: mine.key.slice(0, -1) + (mine.key.endsWith('a') ? 'b' : 'a') }
    case 'revoked key':
      return { key: await revokedKey(app, mine) }
    case 'expired key':
      return { key: await keyAfter(app, mine, 'expires_at = app_now()') }
    case 'key rotated more than 24 h ago':
      return { key: await rotatedKey(app, mine) }
    case 'key without the scope':
      return {
        key: (await makeKey(app, mine, { scopes: scopes.filter((scope) => scope !== row.operation.scope) })).key,
      }
    case 'demo key':
    case 'demo key, agent of the catalog':
    case 'demo key, own run':
      return { key: (await makeKey(app, mine, { scopes: demoScopes, kind: 'demo' })).key }
    case 'token without a run':
    case 'token without a run, own run':
      return { key: await tokenWithoutRun(app, mine) }
    case 'key narrowed to another agent':
      return { key: await narrowedKey(app, mine) }
    case 'cookie, foreign origin':
      return cookie(app, mine, { origin: 'https://evil.example' })
    case 'cookie, no origin':
      return cookie(app, mine, {})
    case 'cookie, same origin':
      return cookie(app, mine, { origin: app.url })
    case 'token of another run':
      return { key: await tokenOfAnotherRun(app, mine, row) }
    case 'link to the run':
    case 'link to another run':
      return linkToRun(app, mine)
    case 'valid key':
      return { key: mine.key }
    case 'id of another organisation':
    case 'deleted id':
    case 'malformed id':
      return fullCredential(app, mine, row)
  }
}

/** The most privileged credential: a key, or a browser session where the operation needs a person. */
export const fullCredential = (app: App, mine: Organisation, row: Row): Promise<Credential> =>
  row.isScoped && !row.needsPerson ? Promise.resolve({ key: mine.key }) : cookie(app, mine, { origin: app.url })

type NewKey = { scopes: readonly Scope[]; kind?: 'live' | 'demo'; agent_ids?: readonly string[] }

export const makeKey = async (app: App, { key, marker }: Organisation, body: NewKey) => {
  const answer = await app.call('POST', '/v2/api-keys', { key, body: { name: marker, ...body } })
  if (answer.status !== 201) throw new Error(`The matrix could not make a key: ${answer.status} ${answer.text}`)
  return answer.body as { id: string; key: string }
}

const cookie = async (app: App, mine: Organisation, headers: Record<string, string>): Promise<Credential> => {
  const session = await plantSession(app, mine, mine.person)
  return { key: null, headers: { cookie: session.cookie, ...headers } }
}

const revokedKey = async (app: App, mine: Organisation): Promise<string> => {
  const { id, key } = await makeKey(app, mine, { scopes })
  await app.call('DELETE', `/v2/api-keys/${id}`, { key: mine.key })
  return key
}

/** Holds every scope, for an agent that no cell names. */
const narrowedKey = async (app: App, mine: Organisation): Promise<string> => {
  const agent = await makerOf('ag').make(app, mine)
  return (await makeKey(app, mine, { scopes, agent_ids: [agent] })).key
}

/** A key whose timestamps were changed. It was never used, so no gateway caches it. */
const keyAfter = async (app: App, mine: Organisation, change: string): Promise<string> => {
  const { id, key } = await makeKey(app, mine, { scopes })
  await app.query(`update api_keys set ${change} where id = $1`, [toUuid(id)])
  return key
}

const rotatedKey = async (app: App, mine: Organisation): Promise<string> => {
  const { id, key } = await makeKey(app, mine, { scopes })
  const { status } = await app.call('POST', `/v2/api-keys/${id}/rotate`, { key: mine.key, body: {} })
  if (status !== 201) throw new Error(`The matrix could not rotate a key: ${status}`)
  await app.query(
    `update api_keys set rotated_at = rotated_at - interval '24 h', grace_until = grace_until - interval '24 h' where id = $1`,
    [toUuid(id)],
  )
  return key
}

const tokenWithoutRun = async (app: App, mine: Organisation): Promise<string> => {
  const { status, text, body } = await app.call('POST', '/v2/session-tokens', { key: mine.key, body: { scopes } })
  if (status !== 201) throw new Error(`The matrix could not make a token: ${status} ${text}`)
  return body.token
}

const tokenOfAnotherRun = async (app: App, mine: Organisation, row: Row): Promise<string> => {
  const run = await app.call('POST', '/v2/runs', {
    key: mine.key,
    body: { agent_id: mine.agents['test-echo'], input: {} },
  })
  const body = { scopes: [row.isScoped ? row.operation.scope : 'runs:read'], run_id: run.body.id }
  const { status, text, body: made } = await app.call('POST', '/v2/session-tokens', { key: mine.key, body })
  if (status !== 201) throw new Error(`The matrix could not make a token: ${status} ${text}`)
  return made.token
}

const linkToRun = async (app: App, mine: Organisation): Promise<Credential> => {
  const run = await makerOf('run').make(app, mine)
  const { status, text, body } = await app.call('POST', `/v2/runs/${run}/shares`, { key: mine.key, body: {} })
  if (status !== 201) throw new Error(`The matrix could not share a run: ${status} ${text}`)
  return { key: body.token, run }
}
