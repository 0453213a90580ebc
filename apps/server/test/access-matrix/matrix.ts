import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { maxBodyBytesOf } from '../../src/gateway/answer/body-size.ts'
import { fullCredential } from './credentials.ts'
import { callersOf, createWayPlay, type WayPlay, waysOf } from './indirect.ts'
import { type Row, readRows } from './operations.ts'
import { type Part, parts } from './parts.ts'
import { newId } from './people.ts'
import { createPlay, expectedOf, type Play, refusedWithoutApproval } from './play.ts'
import { cells, distinct, fullCellOf, inWords } from './rule.ts'
import { inputFor, startWorld, type World } from './world.ts'

/**
 * The tests of one part of the contract. All are generated from it: a new operation is a new row and needs no new test.
 */
export const testAccess = (part: Part): void => {
  const every = readRows()
  const rows = every.filter(({ name }) => (parts[part] as readonly string[]).includes(name.split('.')[0] ?? ''))
  const named = rows.map((row) => ({ name: row.name, row }))

  let world: World
  let play: Play
  beforeAll(async () => {
    world = await startWorld(prefixesOf(rows, every))
    play = createPlay(world)
  })
  // Without a world its hook has failed, and that is the message to read.
  afterAll(() => world?.stop())

  const make: Play['make'] = (prefix, beside) => play.make(prefix, beside)

  const matrix = cells.flatMap((cell) => {
    const called = new Set(distinct(every, cell))
    return rows.flatMap((row) => {
      const verdict = expectedOf(row, cell)
      if (verdict === 'none' || cell === fullCellOf(row) || !called.has(row)) return []
      return [{ name: row.name, cell, words: inWords(verdict), row }]
    })
  })

  describe('the matrix of access', () => {
    const full = named.map(({ name, row }) => ({ name, row, cell: fullCellOf(row) }))
    test.each(full)(
      '[S1][S41][S51][S81] $name with $cell: allowed, and answers JSON, or frames if it streams, with the API revision',
      async ({ row, cell }) => {
        const { faults, reply } = await play.answer(row, cell)
        expect(faults).toEqual([])
        expect(reply.status < 300, reply.text).toBe(!refusedHere.has(row.name))
      },
    )

    test.each(matrix)('[S3][S41][S51][S52][S53][S73] $name with $cell: $words', async ({ row, cell }) => {
      expect(await play.cell(row, cell)).toEqual([])
    })
  })

  const ways = waysOf(rows)
  describe.runIf(ways.length > 0)('the indirect ways', () => {
    let indirect: WayPlay
    beforeAll(() => {
      indirect = createWayPlay(world)
    })
    const calls = ways.flatMap(({ row, way }) =>
      callersOf(row, way).map((caller) => ({ row, way, caller, name: `${way.name}${way.words}`, who: caller.words })),
    )
    test.each(calls)('[S53] $name, with $who', async ({ row, way, caller }) => {
      expect(await indirect({ row, way }, caller)).toEqual([])
    })
  })

  // One parser reads all bodies, so one type is enough where the operations differ in nothing that it reads.
  const withBody = named.filter(({ row }) => ['POST', 'PATCH'].includes(row.operation.method))
  const first = new Set(distinctBodies(every))
  test.each(withBody)('[S1] $name accepts only a JSON body', async ({ row }) => {
    const credential = await fullCredential(world.app, world.mine, row)
    const input = await inputFor(row, absent)
    // With a cookie, a body that a cross-site form can send is refused as such.
    const isBrowser = credential.headers?.cookie !== undefined && row.operation.scope !== 'anyone'
    const refusal = isBrowser ? [403, 'cross_site_forbidden'] : [415, 'unsupported_media_type']
    for (const [type, text] of first.has(row) ? notJson : notJson.slice(0, 1)) {
      const { status, body } = await world.callRaw(row, credential, { input, type, text })
      expect([type, status, body.error.code]).toEqual([type, ...refusal])
    }
    if (!first.has(row)) return
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
      const credential = await fullCredential(world.app, world.mine, row)
      const input = { ...(await inputFor(row, absent)), ...Object.fromEntries(unknown) }
      const { status, body } = await world.call(row, credential, input)
      expect([status, body.error.code]).toEqual([400, 'invalid_request'])
      const params = body.error.details.map(({ param }: { param: string }) => param)
      expect(params).toEqual(expect.arrayContaining(unknown.map(([field]) => field)))
    })
  })
}

/** The operations that differ in what the parser of bodies reads, of each kind the first. */
const distinctBodies = (every: readonly Row[]): readonly Row[] => {
  const byFacts = Map.groupBy(every, ({ name, operation: { method, scope, streams } }) =>
    [method, scope === 'anyone', streams, maxBodyBytesOf(name)].join(),
  )
  return [...byFacts.values()].flatMap(([row]) => row ?? [])
}

/** Prefixes of the objects that the rows name. An object that no path and no required field names has no maker. */
const prefixesOf = (rows: readonly Row[], every: readonly Row[]): string[] => {
  const inPath = (row: Row): string[] => [...Object.values(row.pathIds), ...Object.values(row.neededIds)]
  const made = new Set(every.flatMap(inPath))
  const optional = rows.flatMap(({ optionalIds }) => Object.values(optionalIds).map(({ prefix }) => prefix))
  return [...rows.flatMap(inPath), ...optional.filter((prefix) => made.has(prefix))]
}

const absent = (prefix: string): Promise<string> => Promise.resolve(newId(prefix))

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
