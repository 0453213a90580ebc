import { toUuid } from '@ars/platform/id'
import { type LoopbackMcpServer, startMcpServer } from '@ars/testkit/mcp-server'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type App, framesOf, sharedApp, textLeftOf, until } from './app.ts'

let app: App
let server: LoopbackMcpServer
let connector: string

/** The tools `hang` and `hang_safely` do not answer until they are released. */
let letGo: () => void
let held: Promise<void>

beforeAll(async () => {
  app = await sharedApp()
  server = await startMcpServer({
    extend: (mcp) => {
      const hang = async () => {
        hangs.push('called')
        await held
        returns.push('returned')
        return { content: [{ type: 'text' as const, text: 'at last' }] }
      }
      mcp.registerTool('hang', { annotations: { idempotentHint: false } }, hang)
      mcp.registerTool('hang_safely', { annotations: { idempotentHint: true } }, hang)
    },
  })
  connector = await connect(server.url)
})
afterAll(async () => {
  await app.stop()
  await server.stop()
})

const hangs: string[] = []
const returns: string[] = []
beforeEach(() => {
  hangs.length = 0
  returns.length = 0
  held = new Promise((resolve) => {
    letGo = resolve
  })
})
afterEach(() => letGo())

const connect = async (url: string): Promise<string> =>
  (await app.call('POST', '/v2/connectors', { body: { name: 'Loopback', url } })).body.id

/** A run of an agent that has the server's tools, asks nobody by default, and has a model with these turns. */
const play = async (script: unknown[], tools: Record<string, unknown> = {}, limits = {}) => {
  const agent_id = await app.addAgent({
    config: { model: 'simulated/script', script, tools: [{ connector_id: connector, require_approval: [], ...tools }] },
    limits,
  })
  const { body } = await app.call('POST', '/v2/runs', {
    body: { agent_id, input: {} },
    headers: { prefer: 'respond-async' },
  })
  return body.id as `run_${string}`
}

const calling = (...calls: [name: string, args?: Record<string, unknown>][]) => ({
  text: 'Let me see. ',
  tool_calls: calls.map(([name, args = {}]) => ({ name, arguments: args })),
})

const settled = (id: string, ...statuses: string[]) =>
  until(`${id} to settle`, async () => {
    const { body } = await app.call('GET', `/v2/runs/${id}`)
    const isThere = statuses.length > 0 ? statuses.includes(body.status) : body.finished_at !== null
    return isThere && body
  })

const waits = (id: string) => settled(id, 'requires_action')
const stepsOf = async (id: string) => (await app.call('GET', `/v2/runs/${id}/steps`)).body.data
const framesOfRun = async (id: string) => framesOf((await app.call('GET', `/v2/runs/${id}/stream`)).text)
const act = (id: string, body: unknown) => app.call('POST', `/v2/runs/${id}/action`, { body })
const callsOf = (id: string) => server.calls().filter(({ key }) => key?.startsWith(id))

/**
 * The recovery by the engine and the reconciler after a worker is lost: the run is started again, and its old worker is
 * stale.
 */
const loseTheWorker = async (id: `run_${string}`) => {
  await app.query(
    `with head as (
       update run_heads set epoch = epoch + 1 where run_id = $1 returning org_id, run_id, epoch, segment, step + 1 as step
     )
     insert into outbox (run_id, epoch, segment, org_id, step, due_at)
     select run_id, epoch, segment, org_id, step, app_now() from head`,
    [toUuid(id)],
  )
}

const called = (times: number) => until(`call ${times}`, async () => hangs.length >= times)

describe('a run with tools', () => {
  test('calls several at once, and shows the calls and their results', async () => {
    const id = await play([
      calling(['lookup', { name: 'Ada' }], ['upsert', { key: 'k', value: [1, null, { deep: true }] }]),
      { text: 'Ada is found.', chunk_chars: 3 },
    ])
    const run = await settled(id)
    expect(run).toMatchObject({ status: 'completed', output: { result: 'Ada is found.' } })

    const [model, tools, last] = await stepsOf(id)
    expect(model).toMatchObject({
      number: 1,
      type: 'model',
      text: 'Let me see. ',
      tool_calls: [{ name: 'lookup' }, { name: 'upsert' }],
    })
    expect(tools).toMatchObject({ number: 2, type: 'tools', status: 'completed' })
    expect(tools.tool_calls).toMatchObject([
      {
        name: 'lookup',
        connector_id: connector,
        arguments: { name: 'Ada' },
        status: 'completed',
        result: { name: 'Ada', found: true },
      },
      { name: 'upsert', arguments: { key: 'k', value: [1, null, { deep: true }] }, result: 'stored k' },
    ])
    for (const call of tools.tool_calls) {
      expect(Date.parse(call.finished_at)).toBeGreaterThanOrEqual(Date.parse(call.started_at))
    }
    expect(last).toMatchObject({ number: 3, type: 'model', text: 'Ada is found.', tool_calls: [] })

    const frames = await framesOfRun(id)
    const told = frames
      .filter(({ event }) => event.startsWith('run.tool_call.'))
      .map(({ event, data }) => [event, data.name])
    expect(told).toHaveLength(4)
    for (const name of ['lookup', 'upsert']) {
      expect(told.filter((each) => each[1] === name).map(([event]) => event)).toEqual([
        'run.tool_call.started',
        'run.tool_call.completed',
      ])
    }
    // Text before the tool calls is not part of the answer.
    expect(textLeftOf(frames)).toBe(run.output.result)
    expect(frames.map((frame) => Number(frame.id))).toEqual(frames.map((_, at) => at + 1))
  })

  test('sends each call once, under a key that names run, step and call', async () => {
    const id = await play([
      calling(['echo', { text: 'a' }], ['echo', { text: 'b' }]),
      calling(['echo', { text: 'c' }]),
      { text: 'ok' },
    ])
    expect((await settled(id)).status).toBe('completed')
    const keys = callsOf(id).map(({ key, arguments: args }) => [key, args.text])
    expect(keys.toSorted()).toEqual([
      [`${id}/2/0`, 'a'],
      [`${id}/2/1`, 'b'],
      [`${id}/4/0`, 'c'],
    ])
    for (const { key, header_key } of callsOf(id)) expect(header_key).toBe(key)
  })

  test('continues when a tool fails, does not exist or is not allowed: the model receives the error', async () => {
    const id = await play(
      [calling(['fail', { reason: 'no paper' }], ['teleport'], ['lookup', { name: 'Ada' }]), { text: 'I could not.' }],
      { allow: ['fail'] },
    )
    expect(await settled(id)).toMatchObject({ status: 'completed', output: { result: 'I could not.' } })
    const [results] = await app.query<{ results: unknown }>(
      `select output -> 'results' as results from run_steps where run_id = $1 and kind = 'tools'`,
      [toUuid(id)],
    )
    expect(results?.results).toMatchObject([
      { name: 'fail', isError: true, result: 'no paper' },
      { name: 'teleport', isError: true, result: expect.stringContaining('no tool teleport') },
      { name: 'lookup', isError: true, result: expect.stringContaining('no tool lookup') },
    ])
    expect(callsOf(id).map(({ tool }) => tool)).toEqual(['fail'])
    const [, tools] = await stepsOf(id)
    expect(tools.tool_calls).toMatchObject([
      { name: 'fail', status: 'failed', result: 'no paper' },
      { name: 'teleport', status: 'failed', started_at: null },
      { name: 'lookup', status: 'failed', started_at: null },
    ])
  })

  test('whose server is unavailable fails with a message, as retryable', async () => {
    const gone = await startMcpServer()
    const agent_id = await app.addAgent({
      config: {
        model: 'simulated/script',
        script: [{ text: 'x' }],
        tools: [{ connector_id: await connect(gone.url) }],
      },
    })
    await gone.stop()
    const { body } = await app.call('POST', '/v2/runs', { body: { agent_id, input: {} } })
    expect(body).toMatchObject({ status: 'failed', error: { code: 'tool_error', retryable: true } })
    expect(body.error.message).toContain('Loopback')
    expect(body.error.message).not.toMatch(/ECONN|undefined|Error:/)
  })

  test('whose connector was deleted fails with a message', async () => {
    const doomed = await connect(server.url)
    await app.call('DELETE', `/v2/connectors/${doomed}`)
    const agent_id = await app.addAgent({
      config: { model: 'simulated/script', script: [{ text: 'x' }], tools: [{ connector_id: doomed }] },
    })
    const { body } = await app.call('POST', '/v2/runs', { body: { agent_id, input: {} } })
    expect(body).toMatchObject({ status: 'failed', error: { code: 'tool_error', retryable: false } })
    expect(body.error.message).toContain(doomed)
  })

  test('has its call aborted when it is cancelled, and makes no other', async () => {
    const id = await play([calling(['slow', { ms: 60_000 }]), calling(['echo']), { text: 'never' }])
    await until('the call', async () => callsOf(id).length > 0)
    await app.call('DELETE', `/v2/runs/${id}`)
    expect(await settled(id)).toMatchObject({ status: 'cancelled', output: null })
    expect(callsOf(id)).toHaveLength(1)
  })
})

describe('a tool that needs approval', () => {
  const email = { to: 'ada@example.com', subject: 'Hello' }
  const script = [calling(['send_email', email], ['lookup', { name: 'Ada' }]), { text: 'Done.' }]

  test('is called after the approval and not before, with exactly the approved arguments', async () => {
    const id = await play(script, { require_approval: ['send_email'] })
    const { required_actions } = await waits(id)
    expect(required_actions).toMatchObject([
      { type: 'approval', tool_call: { name: 'send_email', arguments: email }, response_schema: null },
    ])
    expect(callsOf(id)).toEqual([])
    await act(id, { type: 'approve', comment: 'She asked for it', payload: { arguments: { to: 'eve@example.com' } } })
    expect((await settled(id)).status).toBe('completed')
    expect(
      callsOf(id)
        .filter(({ tool }) => tool === 'send_email')
        .map((call) => call.arguments),
    ).toEqual([email])
    const [, tools] = await stepsOf(id)
    expect(tools.tool_calls[0]).toMatchObject({
      status: 'completed',
      decision: {
        type: 'approve',
        by: expect.stringMatching(/^key_/),
        comment: 'She asked for it',
        at: expect.stringMatching(/Z$/),
      },
    })
    expect(tools.tool_calls[1]).toMatchObject({ name: 'lookup', decision: null })
  })

  test('is not called when it is rejected; the model receives the rejection and its reason', async () => {
    const id = await play(script, { require_approval: ['send_email'] })
    await waits(id)
    await act(id, { type: 'reject', comment: 'Not on a Sunday' })
    expect((await settled(id)).status).toBe('completed')
    expect(callsOf(id).map(({ tool }) => tool)).toEqual(['lookup'])
    const [row] = await app.query<{ result: unknown }>(
      `select output -> 'results' -> 0 as result from run_steps where run_id = $1 and kind = 'tools'`,
      [toUuid(id)],
    )
    expect(row?.result).toMatchObject({
      name: 'send_email',
      isError: true,
      result: expect.stringContaining('Not on a Sunday'),
    })
    const [, tools] = await stepsOf(id)
    expect(tools.tool_calls[0]).toMatchObject({
      name: 'send_email',
      arguments: email,
      status: 'failed',
      decision: { type: 'reject', comment: 'Not on a Sunday' },
      started_at: null,
    })
  })

  test('an approval applies to one call, not to the next of the same tool', async () => {
    const id = await play(
      [calling(['send_email', email]), calling(['send_email', { to: 'bob@example.com' }]), { text: 'Done.' }],
      {
        require_approval: ['send_email'],
      },
    )
    const first = await waits(id)
    await act(id, { type: 'approve' })
    const second = await until('the next question', async () => {
      const { body } = await app.call('GET', `/v2/runs/${id}`)
      return body.required_actions[0] && body.required_actions[0].id !== first.required_actions[0].id && body
    })
    expect(second.required_actions[0].tool_call.arguments).toEqual({ to: 'bob@example.com' })
    expect(callsOf(id)).toHaveLength(1)
    // The decision on the first call does not apply to the second.
    const replayed = await act(id, { type: 'approve', action_id: first.required_actions[0].id })
    expect([replayed.status, replayed.body.status]).toEqual([200, 'requires_action'])
    await act(id, { type: 'reject' })
    await settled(id)
    expect(callsOf(id)).toHaveLength(1)
  })
})

describe('an interrupted call', () => {
  test('of a repeatable tool is repeated under the same key, and the run completes without a person', async () => {
    const id = await play([calling(['hang_safely', { n: 1 }]), { text: 'ok' }])
    await called(1)
    await loseTheWorker(id)
    // Soon: stopping the stale worker must not stop its successor, which may be in the same process.
    await expect.poll(() => hangs.length, { timeout: 10_000 }).toBe(2)
    letGo()
    expect(await settled(id)).toMatchObject({ status: 'completed', output: { result: 'ok' }, required_actions: [] })
    expect(hangs).toHaveLength(2)
    const [, tools] = await stepsOf(id)
    expect(tools.tool_calls).toMatchObject([{ name: 'hang_safely', status: 'completed', result: 'at last' }])
  })

  test('of any other tool is never repeated automatically: a person confirms that it was done, and gives its result', async () => {
    const id = await play([calling(['hang', { n: 1 }]), { text: 'ok' }])
    await called(1)
    await loseTheWorker(id)
    const { required_actions } = await waits(id)
    expect(required_actions).toMatchObject([{ type: 'reconcile', tool_call: { name: 'hang', arguments: { n: 1 } } }])
    const wrong = await act(id, { type: 'respond', payload: { outcome: 'perhaps' } })
    expect([wrong.status, wrong.body.error.code]).toEqual([422, 'payload_invalid'])
    expect((await act(id, { type: 'approve' })).body.error.code).toBe('action_not_applicable')
    await act(id, { type: 'respond', payload: { outcome: 'done', result: { sent: true } }, comment: 'I saw it' })
    expect((await settled(id)).status).toBe('completed')
    expect(hangs).toHaveLength(1)
    const [row] = await app.query<{ result: unknown }>(
      `select output -> 'results' -> 0 as result from run_steps where run_id = $1 and kind = 'tools'`,
      [toUuid(id)],
    )
    expect(row?.result).toMatchObject({ name: 'hang', isError: false, result: { sent: true } })
    const [, tools] = await stepsOf(id)
    expect(tools.tool_calls[0]).toMatchObject({
      name: 'hang',
      status: 'completed',
      result: { sent: true },
      decision: { type: 'respond', comment: 'I saw it' },
    })
  })

  test('is sent again once a person states that it was not done, and needs a new decision when interrupted again', async () => {
    const id = await play([calling(['hang', { n: 1 }]), { text: 'ok' }])
    await called(1)
    await loseTheWorker(id)
    const first = await waits(id)
    await act(id, { type: 'respond', payload: { outcome: 'not_done' } })
    await called(2)
    await loseTheWorker(id)
    const second = await waits(id)
    expect(second.required_actions).toMatchObject([{ type: 'reconcile' }])
    expect(second.required_actions[0].id).not.toBe(first.required_actions[0].id)
    // The late answers of both lost calls change nothing.
    letGo()
    await until('both to answer', async () => returns.length === 2)
    expect((await settled(id, 'requires_action')).status).toBe('requires_action')
    await act(id, { type: 'respond', payload: { outcome: 'not_done' } })
    expect(await settled(id)).toMatchObject({ status: 'completed', output: { result: 'ok' } })
    expect(hangs).toHaveLength(3)
  })

  test('that was approved is not sent a second time under the old approval', async () => {
    const id = await play([calling(['hang', { n: 1 }]), { text: 'ok' }], { require_approval: ['hang'] })
    expect((await waits(id)).required_actions).toMatchObject([{ type: 'approval' }])
    await act(id, { type: 'approve' })
    await called(1)
    await loseTheWorker(id)
    expect((await waits(id)).required_actions).toMatchObject([{ type: 'reconcile' }])
    await act(id, { type: 'respond', payload: { outcome: 'done' } })
    expect((await settled(id)).status).toBe('completed')
    expect(hangs).toHaveLength(1)
  })

  test('does not affect the calls beside it: answered calls are not repeated', async () => {
    const id = await play([calling(['send_email', { to: 'ada@example.com' }], ['hang_safely']), { text: 'ok' }])
    await called(1)
    await until('the e-mail to be known as sent', async () => {
      const rows = await app.query(`select from run_tool_calls where run_id = $1 and status = 'completed'`, [
        toUuid(id),
      ])
      return rows.length === 1
    })
    await loseTheWorker(id)
    await called(2)
    letGo()
    expect((await settled(id)).status).toBe('completed')
    expect(callsOf(id).filter(({ tool }) => tool === 'send_email')).toHaveLength(1)
  })

  test('by a broken connection needs a decision as well', async () => {
    const fragile = await startMcpServer()
    const agent_id = await app.addAgent({
      config: {
        model: 'simulated/script',
        script: [calling(['slow', { ms: 60_000 }]), { text: 'ok' }],
        tools: [{ connector_id: await connect(fragile.url), require_approval: [] }],
      },
    })
    const run = await app.call('POST', '/v2/runs', {
      body: { agent_id, input: {} },
      headers: { prefer: 'respond-async' },
    })
    await until('the call', async () => fragile.calls().length > 0)
    await fragile.stop()
    expect((await waits(run.body.id)).required_actions).toMatchObject([
      { type: 'reconcile', tool_call: { name: 'slow' } },
    ])
  })
})
