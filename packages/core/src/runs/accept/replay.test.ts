import { Answer, contract, EventStream } from '@ars/contract'
import { toUuid } from '@ars/platform/id'
import { testRequest } from '@ars/testkit/caller'
import { asClient } from '@ars/testkit/client'
import { createTestDatabase, type TestDatabase } from '@ars/testkit/database'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { recordingSink } from '../../../test/recording-sink.ts'
import { newId, openRunGateway, plantTenant, type RunGateway, type Tenant, usageOf } from '../../../test/run-gateway.ts'
import type { Ctx } from '../../ctx.ts'
import type { Fault } from '../../fault.ts'

let database: TestDatabase
let gateway: RunGateway
let tenant: Tenant

beforeAll(async () => {
  database = await createTestDatabase()
  gateway = await openRunGateway(database)
  tenant = await plantTenant(database, { agents: [{}, {}] })
})
afterAll(async () => {
  await gateway.close()
  await database.drop()
})

const request = (idempotencyKey?: string): Ctx => ({ ...testRequest(tenant.org), idempotencyKey })
const body = (query = 'hello') => ({ agent_id: tenant.agentId, input: { query } })
const replay = async (name: 'runs.create' | 'runs.stream' | 'runs.act', ctx: Ctx, asked: Record<string, unknown>) => {
  const answer = gateway.replays[name]
  if (!answer) throw new Error(`there are no replays of ${name}`)
  const operation = contract.runs[name.slice('runs.'.length) as 'create' | 'stream' | 'act']
  const { input, thing } = await gateway.resolve(operation, ctx, asked)
  return answer(ctx, input, thing)
}
const create = async (ctx: Ctx): Promise<`run_${string}`> => {
  const answer = await gateway.api.create(ctx, body())
  return ('body' in answer ? answer.body : answer).id
}

test('a request that was never made has no replay, and looking for one creates nothing', async () => {
  const before = await usageOf(database, tenant.org)
  for (const name of ['runs.create', 'runs.stream'] as const) {
    expect(await replay(name, request(), body())).toBeNull()
    expect(await replay(name, request('never'), body())).toBeNull()
  }
  const run = await create(request())
  const message = { id: run, type: 'message', payload: { message: 'Go on' } }
  expect(await replay('runs.act', request(), message)).toBeNull()
  expect(await replay('runs.act', request('never'), message)).toBeNull()
  const counted = (usage: typeof before) => usage.reduce((sum, { calls }) => sum + calls, 0)
  expect(counted(await usageOf(database, tenant.org))).toBe(counted(before) + 1)
})

test('an accepted request has its run as replay, on either route', async () => {
  const run = await create(request('made'))
  const answer = await replay('runs.create', request('made'), body())
  expect(answer).toBeInstanceOf(Answer)
  expect(answer).toMatchObject({ body: { id: run }, headers: { 'idempotency-replayed': 'true', 'x-run-id': run } })
  const stream = await replay('runs.stream', request('made'), body())
  expect(stream).toBeInstanceOf(EventStream)
  expect(stream?.headers).toMatchObject({ 'idempotency-replayed': 'true', 'x-run-id': run })
  ;(stream as EventStream).attach(recordingSink())()
})

test('a different request under the same key gets an error, and a key without access to the agent is refused', async () => {
  await create(request('taken'))
  const codeOf = (asked: Promise<unknown>) =>
    asked.then(
      () => 'fine',
      (error: Fault) => error.code,
    )
  expect(await codeOf(replay('runs.create', request('taken'), body('other')))).toBe('idempotency_key_reused')
  const narrowed: Ctx = { ...request('taken'), agentIds: new Set([toUuid(tenant.agents[1] ?? '')]) }
  expect(await codeOf(replay('runs.create', narrowed, body()))).toBe('forbidden')
  expect(await codeOf(replay('runs.stream', narrowed, body()))).toBe('forbidden')
})

test('a repeated action returns the run’s current state and is not sent a second time', async () => {
  const run = await create(request())
  const message = { id: run, type: 'message', payload: { message: 'Go on' } } as const
  await gateway.api.act(request('sent'), message)
  const answer = await replay('runs.act', request('sent'), message)
  expect(answer).toMatchObject({ body: { id: run }, headers: { 'idempotency-replayed': 'true' } })
  const { rows } = await asClient(database.superuserUrl, (client) =>
    client.query('select message from run_messages where run_id = $1', [toUuid(run)]),
  )
  expect(rows).toEqual([{ message: 'Go on' }])
})

test('an action is recorded with its actor, a person or a key', async () => {
  const run = await create(request())
  const person = { type: 'user', id: newId('usr') } as const
  const ctx = request()
  await gateway.api.act({ ...request(), actor: person }, { id: run, type: 'message', payload: { message: 'I' } })
  await gateway.api.act(ctx, { id: run, type: 'message', payload: { message: 'it' } })
  const { rows } = await asClient(database.superuserUrl, (client) =>
    client.query('select sent_by, sent_by_type from run_messages where run_id = $1 order by number', [toUuid(run)]),
  )
  expect(rows).toEqual([
    { sent_by: toUuid(person.id), sent_by_type: 'user' },
    { sent_by: toUuid(ctx.actor.id), sent_by_type: 'key' },
  ])
})
