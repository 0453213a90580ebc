import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Credential, createCredentials, fullCredential } from './credentials.ts'
import { makerOf } from './makers.ts'
import { type Row, readRows } from './operations.ts'
import { type Part, parts } from './parts.ts'
import { newId } from './people.ts'
import { type Cell, cells, inWords, listsByAgent, type Verdict, verdictOf } from './rule.ts'
import { inputFor, startWorld, type World } from './world.ts'

/**
 * The tests of one part of the contract. All are generated from it: a new operation is a new row and needs no new test.
 */
export const testAccess = (part: Part): void => {
  const every = readRows()
  const rows = every.filter(({ name }) => (parts[part] as readonly string[]).includes(name.split('.')[0] ?? ''))
  const named = rows.map((row) => ({ name: row.name, row }))

  let world: World
  let credentialFor: ReturnType<typeof createCredentials>
  beforeAll(async () => {
    world = await startWorld(prefixesOf(rows, every))
    credentialFor = createCredentials(world.app, world.mine)
  })
  // Without a world its hook has failed, and that is the message to read.
  afterAll(() => world?.stop())

  const make = (prefix: string, beside: Readonly<Record<string, string>>): Promise<string> =>
    makerOf(prefix).make(world.app, world.mine, beside)

  const shared = new Map<string, Promise<string>>()

  const own = (prefix: string, beside: Readonly<Record<string, string>>): Promise<string> => {
    const id = shared.get(prefix) ?? make(prefix, beside)
    shared.set(prefix, id)
    return id
  }

  /** The object that the cell names: one of the caller's, unless the cell says otherwise. */
  const idFor =
    (row: Row, cell: Cell, verdict: Verdict, credential: Credential) =>
    async (prefix: string, beside: Readonly<Record<string, string>>): Promise<string> => {
      const { app, mine, foreign } = world
      const maker = makerOf(prefix)
      if (cell === 'id of another organisation') return foreign[prefix] ?? ''
      if (cell === 'malformed id') return `${prefix}_nonsense`
      if (cell === 'link to the run' && prefix === 'run') return credential.run ?? ''
      const caller = { ...mine, key: credential.key ?? '' }
      if (cell.endsWith(', own run') && prefix === 'run') return maker.make(app, caller, beside)
      if (cell.endsWith(', own run') && prefix === 'plr')
        return maker.make(app, caller, { ...beside, pl: await own('pl', beside) })
      if (cell === 'demo key, agent of the catalog' && prefix === 'ag') return mine.agents['test-echo'] ?? ''
      // Only an accepted write can affect the next call.
      if (cell !== 'deleted id')
        return row.isWrite && typeof verdict === 'string' ? make(prefix, beside) : own(prefix, beside)
      if (!maker.remove) return newId(prefix)
      const id = await maker.make(app, mine)
      await maker.remove(app, mine, id)
      return id
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

  test.each(named)('[S1][S81] $name answers JSON, or frames if it streams, with the API revision', async ({ row }) => {
    const credential = await fullCredential(world.app, world.mine, row)
    const answer = await world.call(row, credential, await inputFor(row, make))
    expect(answer.faults).toEqual([])
    expect(answer.status < 300, answer.text).toBe(!refusedHere.has(row.name))
  })

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
    const input = await inputFor(row, make)
    const credential = await fullCredential(world.app, world.mine, row)
    const answer = await world.call(row, credential, { ...input, [field]: isList ? [foreign] : foreign })
    expect(answer.faults).toEqual([])
    const hasNoEffect = [401, 404, 422].includes(answer.status)
    expect(hasNoEffect || row.operation.method === 'GET', `${answer.status} ${answer.text}`).toBe(true)
  })

  // T10: read-only fields cannot be set.
  describe('a read-only field', () => {
    const writes = named.filter(({ row }) => row.isWrite)
    test.each(writes)('is refused by $name', async ({ row }) => {
      const unknown = Object.entries(readOnlyFields).filter(([field]) => !row.schema.properties?.[field])
      expect(unknown.length).toBeGreaterThan(0)
      for (const [field, value] of unknown) {
        const credential = await fullCredential(world.app, world.mine, row)
        const answer = await world.call(row, credential, { ...(await inputFor(row, absent)), [field]: value })
        const { code, param } = answer.body.error
        expect([answer.status, code, param]).toEqual([400, 'invalid_request', field])
      }
    })
  })
}

/** Prefixes of the objects that the rows name. An object that no path and no required field names has no maker. */
const prefixesOf = (rows: readonly Row[], every: readonly Row[]): string[] => {
  const inPath = (row: Row): string[] => [...Object.values(row.pathIds), ...Object.values(row.neededIds)]
  const made = new Set(every.flatMap(inPath))
  const optional = rows.flatMap(({ optionalIds }) => Object.values(optionalIds).map(({ prefix }) => prefix))
  return [...rows.flatMap(inPath), ...optional.filter((prefix) => made.has(prefix))]
}

const absent = (prefix: string): Promise<string> => Promise.resolve(newId(prefix))

/** An object that is kept for the record still exists after its deletion. */
const expectedOf = (row: Row, cell: Cell) => {
  const remains = Object.values(row.pathIds).every((prefix) => makerOf(prefix).remains)
  return cell === 'deleted id' && verdictOf(row, cell) !== 'none' && remains ? 'allowed' : verdictOf(row, cell)
}

// The runs here wait for nobody.
const refusedWithoutApproval = ['runs.held']

const refusedHere: ReadonlySet<string> = new Set([
  // Refused here for their input; separate tests check their responses.
  'runs.act',
  'pipelineRuns.act',
  'deployments.rollback',
  'connectors.create',
  'webhooks.create',
  'webhooks.update',
  'alertDestinations.create',
  'policies.create',
  'policyTrials.create',
  // The first metric of the list has no history.
  'alertRules.preview',
  // The agents here are not remote.
  'agents.rotateSigningSecret',
  // The server of the connector does not exist.
  'connectors.refresh',
  // There is no mail server here, and no mail with a link.
  'auth.sendEmailProof',
  'auth.proveEmail',
  ...refusedWithoutApproval,
  // The passwords here are wrong.
  'auth.login',
  'auth.changePassword',
  'auth.acceptInvitation',
  'auth.resetPassword',
])

const asksForPassword = ({ schema }: Row): boolean =>
  Object.keys(schema.properties ?? {}).some((field) => field.endsWith('password'))

const notJson = [
  ['application/xml', '<run/>'],
  ['text/plain', '{}'],
  ['application/x-www-form-urlencoded', 'name=x'],
  ['multipart/form-data; boundary=x', '--x--'],
  ['', '{}'],
] as const

const readOnlyFields = {
  org_id: 'x',
  status: 'active',
  plan: 'enterprise',
  tokens_used: 1,
  created_at: 'x',
  role: 'owner',
  scopes: ['x'],
}
