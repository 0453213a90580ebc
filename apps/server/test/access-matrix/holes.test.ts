import { contract, type Operation } from '@ars/contract'
import { toUuid } from '@ars/platform/id'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { makeKey } from './credentials.ts'
import { callersOf, createWayPlay, waysOf } from './indirect.ts'
import { type Row, readRows } from './operations.ts'
import { createPlay, type Play } from './play.ts'
import { type Cell, cells } from './rule.ts'
import { startWorld, type World } from './world.ts'

// The gateways of these tests read the operations of this process: a change of one is a hole that the matrix must find. The
// rows were read before, so the rule does not change with it.
const rows = new Map(readRows().map((row) => [row.name, row]))
const rowOf = (name: string): Row => {
  const row = rows.get(name)
  if (!row) throw new Error(`The contract has no operation ${name}`)
  return row
}

type Call = (other: { key?: string }, more?: Record<string, unknown>) => ReturnType<World['call']>
type Forget = (call: Call, input: Record<string, unknown>) => ReturnType<World['call']>

let world: World
let play: Play
beforeAll(async () => {
  world = await startWorld(['ag'])
  play = createPlay(world)
  // What the lists of others would show.
  await play.make('run', {})
  const path = `/v2/agents/${world.mine.agents['test-echo']}`
  await world.app.call('PATCH', path, { key: world.mine.key, body: { description: 'Changed' } })
})
afterAll(() => world?.stop())

const repairs: (() => void)[] = []
afterEach(() => {
  for (const repair of repairs.splice(0)) repair()
})

/** Changes what the gateways know of an operation, until the end of the test. */
const plant = (name: string, hole: Partial<Operation>): void => {
  const [resource = '', method = ''] = name.split('.')
  const operations = contract[resource as keyof typeof contract] as Record<string, Operation>
  const operation = operations[method]
  if (!operation) throw new Error(`The contract has no operation ${name}`)
  const before = { ...operation }
  Object.assign(operation, hole)
  repairs.push(() => {
    for (const field of Object.keys(hole)) delete (operation as Record<string, unknown>)[field]
    Object.assign(operation, before)
  })
}

describe('a planted hole is found', () => {
  const inCells: { what: string; name: string; cell: Cell; hole: Partial<Operation> }[] = [
    {
      what: 'a scope that is not checked',
      name: 'agents.list',
      cell: 'key without the scope',
      hole: { scope: 'signed_in' },
    },
    {
      what: 'an operation on the whole organisation that a narrowed key may call',
      name: 'webhooks.list',
      cell: 'key narrowed to another agent',
      hole: { names: 'nothing' },
    },
    {
      what: 'a change of connectors by a narrowed key',
      name: 'connectors.update',
      cell: 'key narrowed to another agent',
      hole: { names: 'nothing' },
    },
    {
      what: 'a scope that a demo key holds in place of another one',
      name: 'pipelines.list',
      cell: 'demo key',
      hole: { scope: 'runs:read', names: 'nothing' },
    },
    {
      what: 'runs of others for a token that sees its own',
      name: 'batches.list',
      cell: 'token without a run',
      hole: { allRuns: undefined as never },
    },
    {
      what: 'a lasting thing of a short-lived token',
      name: 'runs.share',
      cell: 'token without a run, own run',
      hole: { lasting: undefined as never },
    },
    {
      what: 'a key that a short-lived token makes',
      name: 'apiKeys.create',
      cell: 'token without a run',
      hole: { lasting: undefined as never },
    },
    {
      what: 'an act of a person that a key may do',
      name: 'members.resetPassword',
      cell: 'valid key',
      hole: { session: undefined as never },
    },
    {
      what: 'names of members for every key',
      name: 'members.directory',
      cell: 'key without the scope',
      hole: { scope: 'signed_in' },
    },
    {
      what: 'a link that opens more than its run',
      name: 'runs.diagnose',
      cell: 'link to the run',
      hole: { shared: true },
    },
    { what: 'an operation without a credential', name: 'models.list', cell: 'no key', hole: { scope: 'anyone' } },
    {
      what: 'a demo key that is refused at the catalog',
      name: 'agents.get',
      cell: 'demo key, agent of the catalog',
      hole: { names: 'organisation' },
    },
    {
      what: 'a demo key that is refused its run',
      name: 'runs.get',
      cell: 'demo key, own run',
      hole: { allRuns: true },
    },
    {
      what: 'a scope that no role holds',
      name: 'agents.list',
      cell: 'cookie, same origin',
      hole: { scope: 'nobody' as never },
    },
    {
      what: 'a write that any page can send',
      name: 'apiKeys.create',
      cell: 'cookie, foreign origin',
      hole: { method: 'GET' },
    },
    {
      what: 'a write that a program without a page can send',
      name: 'apiKeys.create',
      cell: 'cookie, no origin',
      hole: { method: 'GET' },
    },
    {
      what: 'an id that nobody reads',
      name: 'webhooks.get',
      cell: 'malformed id',
      hole: { input: z.object({ id: z.string() }) },
    },
  ]
  test.each(inCells)('$what: $name', async ({ name, cell, hole }) => {
    expect(await play.cell(rowOf(name), cell)).toEqual([])
    plant(name, hole)
    expect(await play.cell(rowOf(name), cell)).not.toEqual([])
  })

  // Holes of services, as what they would do: what they read in the database, or whom they take the caller for.
  const inServices: { what: string; name: string; cell: Cell; forget: Forget }[] = [
    {
      what: 'a key whose end is not compared',
      name: 'runs.list',
      cell: 'bad checksum',
      forget: (call) => call({ key: world.mine.key }),
    },
    ...(['revoked key', 'expired key', 'key rotated more than 24 h ago'] as const).map((cell) => ({
      what: 'an end that nobody reads',
      name: 'runs.list',
      cell,
      forget: async (call: Call) => {
        await world.app.query(
          `update api_keys set revoked_at = null, expires_at = null, grace_until = grace_until + interval '2 days'
            where org_id = $1`,
          [world.mine.org],
        )
        return call({})
      },
    })),
    {
      what: 'an organisation that the credential does not choose',
      name: 'agents.get',
      cell: 'id of another organisation',
      forget: (call) => call({ key: world.other.key }),
    },
    {
      what: 'a deletion that hides nothing',
      name: 'webhooks.get',
      cell: 'deleted id',
      forget: async (call) => call({}, { id: await play.make('wh', {}) }),
    },
    {
      what: 'a token that forgets its run',
      name: 'agents.list',
      cell: 'token of another run',
      forget: async (call) => {
        await world.app.query('update session_tokens set run_id = null where org_id = $1', [world.mine.org])
        return call({})
      },
    },
    {
      what: 'a link that opens every run',
      name: 'runs.get',
      cell: 'link to another run',
      forget: async (call, { id }) => {
        const values = [world.mine.org, toUuid(id as `run_${string}`)]
        await world.app.query('update run_shares set run_id = $2 where org_id = $1', values)
        return call({})
      },
    },
    ...(['demo key', 'token without a run'] as const).map((cell) => ({
      what: 'a list that shows the runs of others',
      name: 'runs.list',
      cell,
      forget: (call: Call) => call({ key: world.mine.key }),
    })),
  ]
  test.each(inServices)('$what: $name, $cell', async ({ name, cell, forget }) => {
    const forgetful = createPlay({
      ...world,
      call: (row, credential, input) => {
        const call: Call = (other, more = {}) => world.call(row, { ...credential, ...other }, { ...input, ...more })
        return forget(call, input)
      },
    })
    expect(await play.cell(rowOf(name), cell)).toEqual([])
    expect(await forgetful.cell(rowOf(name), cell)).not.toEqual([])
  })

  test('a hole of every cell is planted', () => {
    const planted = [...inCells, ...inServices].map(({ cell }) => cell)
    expect([...new Set(planted)].toSorted()).toEqual([...cells].toSorted())
  })

  const inWays: { what: string; name: string; who?: string; hole: Partial<Operation> }[] = [
    { what: 'a share of a run that the key may not read', name: 'runs.share', hole: { alsoScopes: [] } },
    { what: 'a trial that counts what runs contain', name: 'policyTrials.create', hole: { alsoScopes: [] } },
    { what: 'a check that sends content of runs', name: 'policies.create', hole: { conditionalScopes: [] } },
    { what: 'an attached policy that sends content of runs', name: 'policies.attach', hole: { storedScopes: [] } },
    { what: 'a connector at a new address', name: 'connectors.update', hole: { conditionalScopes: [] } },
    { what: 'a webhook for events of runs', name: 'webhooks.create', hole: { conditionalScopes: [] } },
    { what: 'a recovery list of events of runs', name: 'webhooks.missed', hole: { storedScopes: [] } },
    { what: 'an event of a run', name: 'events.get', hole: { storedScopes: [] } },
    { what: 'a rerun behind an approval', name: 'pipelineRuns.rerun', hole: { storedScopes: [] } },
    { what: 'keys that go with a member', name: 'members.remove', hole: { conditionalScopes: [] } },
    { what: 'a remote agent at a new address', name: 'agents.update', hole: { conditionalScopes: [] } },
    { what: 'a remote agent', name: 'agents.create', hole: { conditionalScopes: [] } },
    {
      what: 'a policy of a key for some agents',
      name: 'policies.create',
      who: 'a key for some agents',
      hole: { names: 'nothing' },
    },
    {
      what: 'a webhook of a demo key',
      name: 'webhooks.create',
      who: 'a demo key',
      hole: { scope: 'signed_in', names: 'nothing', conditionalScopes: [] },
    },
    {
      what: 'content of all runs for a token that sees its own',
      name: 'policies.create',
      who: 'a token that sees only its own runs',
      hole: { conditionalScopes: [] },
    },
    {
      what: 'a mover who approves',
      name: 'connectors.approveTool',
      who: 'the key that has done it: heir',
      hole: { separateFrom: undefined as never },
    },
  ]
  test.each(inWays)('$what: $name', async ({ name, who, hole }) => {
    const ways = waysOf([rowOf(name)])
    const playWay = createWayPlay(world)
    const played = async (): Promise<string[]> => {
      const faults: string[] = []
      for (const { row, way } of ways)
        for (const caller of callersOf(row, way).filter(({ lacks, words }) =>
          who === undefined ? lacks === way.scopes.at(-1) : words === who,
        ))
          faults.push(...(await playWay({ row, way }, caller)))
      return faults
    }
    expect(await played()).toEqual([])
    plant(name, hole)
    expect(await played()).not.toEqual([])
  })

  test.each(['runs.list', 'apiKeys.list', 'auditLog.list', 'agents.list', 'deployments.list'])(
    'a list that does not look at the agents of the key: %s',
    async (name) => {
      // On the first page of the list of keys.
      await makeKey(world.app, world.mine, { scopes: ['runs:read'], agent_ids: [world.mine.agents['test-echo'] ?? ''] })
      const widened = createPlay({
        ...world,
        // As if the gateway had forgotten to what the key is narrowed.
        call: async (row, credential, input) => {
          const me = await world.app.call('GET', '/v2/api/auth/me', { key: credential.key ?? null })
          await world.app.query('update api_keys set agent_ids = null where id = $1', [toUuid(me.body.id)])
          const { key } = (
            await world.app.call('POST', `/v2/api-keys/${me.body.id}/rotate`, { key: world.mine.key, body: {} })
          ).body
          return world.call(row, { ...credential, key }, input)
        },
      })
      expect(await play.cell(rowOf(name), 'key narrowed to another agent')).toEqual([])
      expect(await widened.cell(rowOf(name), 'key narrowed to another agent')).not.toEqual([])
    },
  )
})

test('an operation with a scope that writes names whose things it changes', () => {
  const silent = [...rows.values()].filter(
    ({ isScoped, isWrite, operation }) => isScoped && isWrite && operation.names === 'nothing',
  )
  expect(silent.map(({ name }) => name)).toEqual([])
})
