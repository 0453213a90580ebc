import { contract, type Operation } from '@ars/contract'
import { toUuid } from '@ars/platform/id'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { makeKey } from './credentials.ts'
import { callersOf, createWayPlay, waysOf } from './indirect.ts'
import { type Row, readRows } from './operations.ts'
import { createPlay, type Play } from './play.ts'
import type { Cell } from './rule.ts'
import { startWorld, type World } from './world.ts'

// The gateways of these tests read the operations of this process: a change of one is a hole that the matrix must find. The
// rows were read before, so the rule does not change with it.
const rows = new Map(readRows().map((row) => [row.name, row]))
const rowOf = (name: string): Row => {
  const row = rows.get(name)
  if (!row) throw new Error(`The contract has no operation ${name}`)
  return row
}

let world: World
let play: Play
beforeAll(async () => {
  world = await startWorld([])
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
  ]
  test.each(inCells)('$what: $name', async ({ name, cell, hole }) => {
    expect(await play.cell(rowOf(name), cell)).toEqual([])
    plant(name, hole)
    expect(await play.cell(rowOf(name), cell)).not.toEqual([])
  })

  const inWays: { what: string; name: string; hole: Partial<Operation> }[] = [
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
  ]
  test.each(inWays)('$what: $name', async ({ name, hole }) => {
    const ways = waysOf([rowOf(name)])
    const playWay = createWayPlay(world)
    const played = async (): Promise<string[]> => {
      const faults: string[] = []
      for (const { row, way } of ways)
        for (const caller of callersOf(row, way).filter(({ lacks }) => lacks === way.scopes.at(-1)))
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
