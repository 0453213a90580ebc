import { apiBasePath } from '@ars/contract'
import { expect } from 'vitest'
import type { Credential } from '../access-matrix/credentials.ts'
import { type Row, readRows } from '../access-matrix/operations.ts'
import { newId, type Organisation, plantPerson } from '../access-matrix/people.ts'
import { type App, patient, startApp, until } from '../app.ts'
import { type Asked, type OpenRequest, openRequest } from './open-request.ts'
import type { Way } from './ways.ts'

/*
 * Every way in which a credential ends × every stream, every request that waits, a body that is still being sent, and
 * every operation of the contract. All is generated: a new operation or stream needs no new test.
 */

/** A service without a worker: the runs of the open requests stay queued for as long as the test lasts. */
export type Idle = { app: App; mine: Organisation; runId: string; pipelineId: string }

export const startIdle = async (): Promise<Idle> => {
  const app = patient(await startApp({ role: 'gateway' }))
  const tenant = await app.addTenant()
  const mine = { ...tenant, marker: 'ends', person: await plantPerson(app, { ...tenant, marker: 'ends' }, 'owner') }
  const made = await app.call('POST', '/v2/runs', { key: mine.key, body: slowRun(mine), headers: async })
  const definition = { steps: [{ key: 'slow', agent_id: mine.agents['test-slow'] }] }
  const pipeline = await app.call('POST', '/v2/pipelines', { key: mine.key, body: { name: 'Slow', definition } })
  return { app, mine, runId: made.body.id, pipelineId: pipeline.body.id }
}

const async = { prefer: 'respond-async' }
const slowRun = (mine: Organisation, marker = '') => ({
  agent_id: mine.agents['test-slow'],
  input: { seconds: 300 },
  metadata: { marker },
})

const rows = readRows()
const authenticated = rows.filter(({ operation }) => operation.scope !== 'anyone')

type OpenRow = { row: Row; kind: 'streams' | 'waits' | 'sends' }

/** The requests that can be open while a credential ends, from the contract. */
export const openRows = authenticated.flatMap((row): OpenRow[] => {
  const { streams, prefers } = row.operation
  if (streams) return [{ row, kind: 'streams' }]
  return prefers ? (['waits', 'sends'] as const).map((kind) => ({ row, kind })) : []
})

const pathOf = ({ operation, pathIds }: Row, ids: Readonly<Record<string, string>>): string =>
  apiBasePath +
  operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const prefix = pathIds[name] ?? ''
    return ids[prefix] ?? newId(prefix as 'run')
  })

type Own = { mine: Organisation; marker: string; ids: Readonly<Record<string, string>> }

const askedOf = ({ row, kind }: OpenRow, { mine, marker, ids }: Own): Asked => ({
  method: row.operation.method,
  path: pathOf(row, ids),
  ...(row.operation.method === 'POST' ? { body: slowRun(mine, marker) } : {}),
  ...(kind === 'waits' ? { headers: { prefer: 'wait=300' } } : {}),
  ...(kind === 'sends' ? { holdsBody: true } : {}),
})

/** Ends a credential while a gateway serves its open requests, and calls every operation with it. */
export const expectRefusals = async (idle: Idle, url: string, marker: string, way: Way): Promise<void> => {
  const { app, mine, pipelineId } = idle
  const { credential, end } = await way.begin(app, mine)
  // A token sees only the runs that it created.
  const headers = { ...credential.headers, ...async }
  const { body: own } = await app.call('POST', '/v2/runs', { ...credential, url, headers, body: slowRun(mine) })
  const started = await app.call('POST', `/v2/pipelines/${pipelineId}/runs`, { ...credential, url, body: {} })
  const asked = { mine, marker, ids: { run: own.id as string, plr: started.body.id as string } }
  const open = (each: OpenRow): OpenRequest => openRequest(url, credential, askedOf(each, asked))
  const opened = openRows.map((each) => ({ ...each, request: open(each) }))
  // A busy machine may answer 503, which is not under test here.
  const openAgain = (): void => {
    for (const each of opened) if (each.request.isOver() && each.request.status() === 503) each.request = open(each)
  }
  await until('the streams', async () => {
    openAgain()
    return opened.every(({ kind, request }) => kind !== 'streams' || hasBegun(request))
  })
  await until('the run that is waited for and the streamed one', async () => {
    openAgain()
    const [row] = await app.query<{ n: number }>(
      `select count(*)::int as n from runs where org_id = $1 and metadata ->> 'marker' = $2`,
      [mine.org, marker],
    )
    return row?.n === 2
  })
  await end()
  for (const { kind, request, row } of opened) {
    if (kind === 'sends') continue
    await until(`the end of ${row.name}`, async () => request.isOver())
    if (kind === 'waits') expect([request.status(), codeOf(request)]).toEqual(refusalOf(way))
    else expect(request.text()).toMatch(/retry: \d+\n\n$/)
  }
  const sending = opened.filter(({ kind }) => kind === 'sends')
  for (const { request } of sending) {
    request.finish()
    await until('the refusal', async () => request.isOver())
    expect([request.status(), codeOf(request)]).toEqual(refusalOf(way))
  }
  const wrong = await refuseAll(idle, url, credential, way)
  expect(wrong).toEqual([])
}

const hasBegun = (request: OpenRequest): boolean => request.status() === 200 && request.text().includes('retry:')

const codeOf = (request: OpenRequest): string => JSON.parse(request.text()).error.code
const refusalOf = ({ effect }: Way): [number, string] =>
  effect === 'ended' ? [401, 'unauthorized'] : [403, 'forbidden']

/** An ended credential is refused by every operation; a lessened one by those that need the lost permission. */
const refuseAll = async (
  { app, mine, runId }: Idle,
  url: string,
  credential: Credential,
  { effect }: Way,
): Promise<string[]> => {
  const tried = effect === 'ended' ? authenticated : authenticated.filter(({ name }) => name === 'runs.create')
  const wrong: string[] = []
  for (const row of tried) {
    const { method } = row.operation
    const hasBody = method === 'POST' || method === 'PATCH'
    const { status } = await app.call(method, pathOf(row, { run: runId }), {
      ...credential,
      url,
      ...(hasBody ? { body: row.name === 'runs.create' ? slowRun(mine) : {} } : {}),
    })
    if (status !== (effect === 'ended' ? 401 : 403)) wrong.push(`${row.name}: ${status}`)
  }
  return wrong
}
