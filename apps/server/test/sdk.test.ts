import { AuthenticationError, InvalidRequestError, NotFoundError, type RunFrame } from '@agent-run-service/sdk'
import { fromUuid } from '@ars/platform/id'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, sharedApp } from './app.ts'
import { sdkClient, trustingFetch } from './sdk-client.ts'

let app: App
beforeAll(async () => {
  app = await sharedApp()
})
afterAll(() => app.stop())

const agent = (name: string): string => app.tenant.agents[name] ?? ''
describe('a program that uses the SDK', () => {
  test('gets the result of its first run from one call', async () => {
    const run = await sdkClient(app).runs.create({ agent_id: agent('test-echo'), input: { say: 'hello' } })
    expect(run).toMatchObject({ object: 'run', status: 'completed', agent_id: agent('test-echo') })
    expect(run.output).toEqual({ result: '{"say":"hello"}' })
    expect(await sdkClient(app).runs.get(run.id)).toEqual(run)
  })

  test('can start a run without waiting for its result', async () => {
    const client = sdkClient(app)
    const run = await client.runs.create({ agent_id: agent('test-echo'), input: {} }, { wait: false })
    expect(run.id).toMatch(/^run_/)
    const frames: RunFrame[] = []
    for await (const frame of client.runs.watch(run.id)) frames.push(frame)
    expect(frames.at(-1)).toMatchObject({ type: 'run.completed', run: { id: run.id, status: 'completed' } })
  })

  test('iterates over 250 runs page by page, each once, newest first', async () => {
    const client = sdkClient(app)
    const made = new Set<string>()
    for (let batch = 0; batch < 10; batch++) {
      const create = () => client.runs.create({ agent_id: agent('test-echo'), input: {}, metadata: { of: 'paging' } })
      for (const { id } of await Promise.all(Array.from({ length: 25 }, create))) made.add(id)
    }
    const listed: string[] = []
    for await (const run of client.runs.list({ metadata: { of: 'paging' }, limit: 40 })) listed.push(run.id)
    expect(listed).toHaveLength(250)
    expect(new Set(listed)).toEqual(made)
    expect(listed).toEqual(listed.toSorted().toReversed())
  })

  test('gets a typed error with the request id for an invalid request', async () => {
    const client = sdkClient(app)
    const unknown = client.runs.get('run_00000000000000000000000000')
    await expect(unknown).rejects.toBeInstanceOf(NotFoundError)
    await expect(unknown).rejects.toMatchObject({
      status: 404,
      code: 'not_found',
      type: 'invalid_request_error',
      requestId: expect.stringMatching(/^req_/),
      docUrl: expect.stringContaining('not_found'),
    })
    const malformed = client.runs.create({ agent_id: agent('test-echo'), input: 'text' as never })
    await expect(malformed).rejects.toBeInstanceOf(InvalidRequestError)
    await expect(malformed).rejects.toMatchObject({ status: 400, param: 'input' })
    const stranger = sdkClient(app, { apiKey: 'ars_live_0000' }).runs.list()
    await expect(stranger).rejects.toBeInstanceOf(AuthenticationError)
  })

  test('creates one run when the response to its first attempt is lost', async () => {
    const fetch = trustingFetch()
    let tries = 0
    const client = sdkClient(app, {
      fetch: async (url, init) => {
        const answer = await fetch(url, init)
        if (++tries > 1) return answer
        // The service has answered, and the response does not arrive.
        await answer.text()
        throw new TypeError('terminated')
      },
    })
    const run = await client.runs.create({ agent_id: agent('test-echo'), input: {}, metadata: { of: 'retry' } })
    expect(tries).toBe(2)
    const { data } = await client.runs.list({ metadata: { of: 'retry' } })
    expect(data.map(({ id }) => id)).toEqual([run.id])
  })

  test('can act on, cancel, inspect and erase a run', async () => {
    const client = sdkClient(app)
    const slow = await client.runs.create(
      { agent_id: agent('test-stream'), input: { chunks: 1_000, delay_ms: 50 } },
      { wait: false },
    )
    expect(await client.runs.diagnose(slow.id)).toMatchObject({ run_id: slow.id })
    expect(['cancelling', 'cancelled']).toContain((await client.runs.cancel(slow.id)).status)
    for await (const frame of client.runs.watch(slow.id)) {
      if (frame.type === 'run.cancelled') expect(frame).toMatchObject({ run: { status: 'cancelled' } })
    }
    expect((await client.runs.steps(slow.id)).hasMore).toBe(false)
    expect(await client.runs.erase(slow.id)).toMatchObject({ id: slow.id, input: {} })
    const acted = client.runs.act(slow.id, { type: 'message', payload: { message: 'too late' } })
    await expect(acted).rejects.toMatchObject({ status: 422, code: 'run_not_active' })
  })

  test('ends at once when it streams an ended run after its last frame', async () => {
    const client = sdkClient(app)
    const run = await client.runs.create({ agent_id: agent('test-echo'), input: {} })
    const stream = client.runs.watch(run.id)
    const types: string[] = []
    for await (const { type } of stream) types.push(type)
    expect(types.at(-1)).toBe('run.completed')
    const rest: string[] = []
    for await (const { type } of client.runs.watch(run.id, { after: Number(stream.lastEventId) })) rest.push(type)
    expect(rest).toEqual([])
  })

  test('is refused if its credential acts for another organisation than it expects', async () => {
    const own = fromUuid('org', app.tenant.org)
    const other = fromUuid('org', (await app.addTenant()).org)
    let expected: string | undefined
    const client = sdkClient(app, { organisation: () => expected })
    expect((await client.organisation.get()).id).toBe(own)
    expected = own
    expect((await client.organisation.get()).id).toBe(own)
    expected = other
    await expect(client.organisation.get()).rejects.toMatchObject({ status: 422, code: 'organisation_mismatch' })
    const fixed = sdkClient(app, { organisation: other })
    const stream = fixed.runs.stream({ agent_id: agent('test-echo'), input: {} })
    await expect(stream.finalRun()).rejects.toMatchObject({ code: 'organisation_mismatch' })
  })

  test('can use the other resources in the same way', async () => {
    const client = sdkClient(app)
    const [catalogAgent] = (await client.catalog.list({ limit: 1 })).data
    expect(await client.catalog.get(catalogAgent?.key ?? '')).toEqual(catalogAgent)
    const page = await client.agents.list({ limit: 2 })
    expect(page.data).toHaveLength(2)
    const key = await client.apiKeys.create({ name: 'made by a program', scopes: ['runs:read'] })
    expect(await client.apiKeys.get(key.id)).toMatchObject({ id: key.id, name: 'made by a program' })
    expect((await client.apiKeys.revoke(key.id)).revoked_at).not.toBeNull()
    expect((await client.deployments.list()).data).toEqual(expect.any(Array))
    expect((await client.connectors.list()).data).toEqual([])
  })
})
