import { type Operation, type Scope, scopes } from '@ars/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Credential, createCredentials, fullCredential, makeKey } from './access-matrix/credentials.ts'
import { makerOf } from './access-matrix/makers.ts'
import { type Row, readRows } from './access-matrix/operations.ts'
import { newId } from './access-matrix/people.ts'
import { type Cell, cells, inWords, listsByAgent, type Verdict, verdictOf } from './access-matrix/rule.ts'
import { inputFor, startWorld, type World } from './access-matrix/world.ts'

// Everything here is generated from the contract: a new operation is a new row and needs no new test.
const rows = readRows()
const prefixes = rows.flatMap((row) => [...Object.values(row.pathIds), ...Object.values(row.neededIds)])

let world: World
let credentialFor: ReturnType<typeof createCredentials>
beforeAll(async () => {
  world = await startWorld(prefixes)
  credentialFor = createCredentials(world.app, world.mine)
})
afterAll(() => world.stop())

const absent = (prefix: string): Promise<string> => Promise.resolve(newId(prefix))

/** The object that the cell names: one of the caller's, unless the cell says otherwise. */
const idFor =
  (row: Row, cell: Cell, verdict: Verdict, credential: Credential) =>
  async (prefix: string, beside: Readonly<Record<string, string>>): Promise<string> => {
    const { app, mine, foreign } = world
    const { make, remove } = makerOf(prefix)
    if (cell === 'id of another organisation') return foreign[prefix] ?? ''
    if (cell === 'malformed id') return `${prefix}_nonsense`
    if (cell === 'link to the run' && prefix === 'run') return credential.run ?? ''
    if (cell.endsWith(', own run') && prefix === 'run') return make(app, { ...mine, key: credential.key ?? '' }, beside)
    if (cell.endsWith(', own run') && prefix === 'plr')
      return make(app, { ...mine, key: credential.key ?? '' }, { ...beside, pl: await own('pl', beside) })
    if (cell === 'demo key, agent of the catalog' && prefix === 'ag') return mine.agents['test-echo'] ?? ''
    // Only an accepted write can affect the next call.
    if (cell !== 'deleted id')
      return row.isWrite && typeof verdict === 'string' ? make(app, mine, beside) : own(prefix, beside)
    if (!remove) return newId(prefix)
    const id = await make(app, mine)
    await remove(app, mine, id)
    return id
  }

const shared = new Map<string, Promise<string>>()

const own = (prefix: string, beside: Readonly<Record<string, string>>): Promise<string> => {
  const id = shared.get(prefix) ?? makerOf(prefix).make(world.app, world.mine, beside)
  shared.set(prefix, id)
  return id
}

/** An object that is kept for the record still exists after its deletion. */
const expectedOf = (row: Row, cell: Cell) => {
  const remains = Object.values(row.pathIds).every((prefix) => makerOf(prefix).remains)
  return cell === 'deleted id' && verdictOf(row, cell) !== 'none' && remains ? 'allowed' : verdictOf(row, cell)
}

const matrix = rows.flatMap((row) =>
  cells.flatMap((cell) => {
    const verdict = expectedOf(row, cell)
    return verdict === 'none' ? [] : [{ name: row.name, cell, words: inWords(verdict), row, verdict }]
  }),
)

describe('the matrix of access', () => {
  test.each(matrix)('[S3][S41][S51][S52][S53][S73] $name with $cell: $words', async ({ row, cell, verdict }) => {
    const credential = await credentialFor(row, cell)
    const input = await inputFor(row, idFor(row, cell, verdict, credential))
    const answer = await world.call(row, credential, input)
    const { status, body } = answer
    expect(answer.faults).toEqual([])
    if (cell === 'key narrowed to another agent' && listsByAgent(row)) {
      // Its own agent at the most, and never the one that the runs and deployments of the other cells belong to.
      const agents = new Set(answer.text.match(/\bag_[0-9a-z]{26}\b/g))
      expect([agents.size <= 1, agents.has(world.mine.agents['test-echo'] ?? '')], answer.text).toEqual([true, false])
    }
    if (typeof verdict === 'object') {
      expect([status, body?.error?.code]).toEqual([verdict.status, verdict.code])
    } else if (status >= 300) {
      // The caller was admitted and the request refused: with an error code of the operation, or for a wrong password.
      const codes: readonly string[] = row.operation.errors
      const isOwn = codes.includes(body.error.code) || (status === 401 && asksForPassword(row))
      const isForBrowsers = verdict === 'known' && status === 403 && !body.error.message.includes('scope')
      expect(isOwn || isForBrowsers, answer.text).toBe(true)
      const isMissing = status === 404 && Object.keys(row.pathIds).length > 0
      expect(isMissing && !refusedWithoutApproval.includes(row.name), answer.text).toBe(false)
    }
  })
})

const named = rows.map((row) => ({ name: row.name, row }))
const ownThing = (prefix: string, beside: Readonly<Record<string, string>>): Promise<string> =>
  makerOf(prefix).make(world.app, world.mine, beside)

// Refused here for their input; separate tests check their responses.
const refusedHere = [
  'runs.act',
  'pipelineRuns.act',
  'deployments.rollback',
  'connectors.create',
  'webhooks.create',
  'webhooks.update',
  'alertDestinations.create',
  'policies.create',
  'policyTrials.create',
]
// The first metric of the list has no history.
const refusedWithoutHistory = ['alertRules.preview']
// The agents here are not remote.
const refusedWithoutRemote = ['agents.rotateSigningSecret']
// The server of the connector does not exist.
const refusedWithoutServer = ['connectors.refresh']
// There is no mail server here, and no mail with a link.
const refusedWithoutMail = ['auth.sendEmailProof', 'auth.proveEmail']
// The runs here wait for nobody.
const refusedWithoutApproval = ['runs.held']
const refusedWithoutPassword = ['auth.login', 'auth.changePassword', 'auth.acceptInvitation', 'auth.resetPassword']

test.each(named)('[S1][S81] $name answers JSON, or frames if it streams, with the API revision', async ({ row }) => {
  const credential = await fullCredential(world.app, world.mine, row)
  const answer = await world.call(row, credential, await inputFor(row, ownThing))
  expect(answer.faults).toEqual([])
  const isRefused = [
    ...refusedHere,
    ...refusedWithoutServer,
    ...refusedWithoutRemote,
    ...refusedWithoutMail,
    ...refusedWithoutApproval,
    ...refusedWithoutPassword,
    ...refusedWithoutHistory,
  ].includes(row.name)
  expect(answer.status < 300, answer.text).toBe(!isRefused)
})

const notJson = [
  ['application/xml', '<run/>'],
  ['text/plain', '{}'],
  ['application/x-www-form-urlencoded', 'name=x'],
  ['multipart/form-data; boundary=x', '--x--'],
  ['', '{}'],
] as const
const withBody = named.filter(({ row }) => ['POST', 'PATCH'].includes(row.operation.method))

test.each(withBody)('[S1] $name accepts only a JSON body', async ({ row }) => {
  const credential = await fullCredential(world.app, world.mine, row)
  const input = await inputFor(row, absent)
  // With a cookie, a body that a cross-site form can send is refused as such.
  const isBrowser = credential.headers?.cookie !== undefined && row.operation.scope !== 'anyone'
  const refusal = isBrowser ? [403, 'cross_site_forbidden'] : [415, 'unsupported_media_type']
  for (const [type, text] of notJson) {
    const { status, body } = await world.callRaw(row, credential, { input, type, text })
    expect([type, status, body.error.code]).toEqual([type, ...refusal])
  }
  const broken = await world.callRaw(row, credential, { input, type: 'application/json', text: '{' })
  expect([broken.status, broken.body.error.code]).toEqual([400, 'invalid_request'])
})

const asksForPassword = ({ schema }: Row): boolean =>
  Object.keys(schema.properties ?? {}).some((field) => field.endsWith('password'))

const foreignFields = rows.flatMap((row) =>
  Object.entries(row.optionalIds).map(([field, { prefix, isList }]) => ({
    name: row.name,
    field,
    prefix,
    isList,
    row,
  })),
)

test.each(foreignFields)('$name: $field that names an object of another organisation has no effect', async (cell) => {
  const { row, field, prefix, isList } = cell
  const foreign = world.foreign[prefix] ?? newId(prefix)
  const input = await inputFor(row, (wanted, beside) => makerOf(wanted).make(world.app, world.mine, beside))
  const credential = await fullCredential(world.app, world.mine, row)
  const answer = await world.call(row, credential, { ...input, [field]: isList ? [foreign] : foreign })
  expect(answer.faults).toEqual([])
  const isRefused = [401, 404, 422].includes(answer.status)
  expect(isRefused || row.operation.method === 'GET', `${answer.status} ${answer.text}`).toBe(true)
})

/** Whether some input of the operation needs no other scope than this one. */
const mayOpen = ({ scope: own, conditionalScopes = [] }: Operation, scope: Scope): boolean =>
  own === scope || conditionalScopes.some((other) => other.instead && other.scope === scope)

// T11: deny by default.
describe('a key with one scope', () => {
  const scoped = rows.filter(({ isScoped }) => isScoped)
  test.each(scopes.map((scope) => ({ scope })))(
    '[S53] $scope permits its own operations and nothing else',
    async ({ scope }) => {
      const { key } = await makeKey(world.app, world.mine, { scopes: [scope] })
      const opened: string[] = []
      for (const row of scoped) {
        // With an unknown field, so that an admitted caller gets an error and changes nothing.
        const answer = await world.call(row, { key }, { ...(await inputFor(row, absent)), nonsense: 'x' })
        const { code, message } = answer.body.error
        if (code === 'invalid_request') opened.push(row.name)
        else expect([code, message]).toEqual(['forbidden', `This key lacks the scope ${row.operation.scope}.`])
      }
      expect(opened).toEqual(scoped.filter(({ operation }) => mayOpen(operation, scope)).map(({ name }) => name))
    },
  )
})

// T10: read-only fields cannot be set.
describe('a read-only field', () => {
  const fields = {
    org_id: 'x',
    status: 'active',
    plan: 'enterprise',
    tokens_used: 1,
    created_at: 'x',
    role: 'owner',
    scopes: ['x'],
  }
  const writes = rows.filter(({ isWrite }) => isWrite).map((row) => ({ name: row.name, row }))
  test.each(writes)('is refused by $name', async ({ row }) => {
    const unknown = Object.entries(fields).filter(([field]) => !row.schema.properties?.[field])
    expect(unknown.length).toBeGreaterThan(0)
    for (const [field, value] of unknown) {
      const credential = await fullCredential(world.app, world.mine, row)
      const answer = await world.call(row, credential, { ...(await inputFor(row, absent)), [field]: value })
      expect([answer.status, answer.body.error.code, answer.body.error.param]).toEqual([400, 'invalid_request', field])
    }
  })
})

test('an object type without a maker in the matrix is reported, with the missing maker', () => {
  expect(() => makerOf('xyz')).toThrow('add a maker for `xyz` to apps/server/test/access-matrix/makers.ts')
})
