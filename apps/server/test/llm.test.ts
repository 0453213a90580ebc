import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type LoopbackMcpServer, startMcpServer } from '@ars/testkit/mcp-server'
import { LLMock } from '@copilotkit/aimock'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type App, framesOf, type NewAgent, startApp, textLeftOf, until } from './app.ts'

// A provider on loopback that speaks the real protocol. A thousand tokens of `local/priced` cost a dollar.
const provider = new LLMock({ port: 0, chunkSize: 4 })
let app: App
let tools: LoopbackMcpServer
let folder: string
let connector: string

beforeAll(async () => {
  await provider.start()
  tools = await startMcpServer()
  folder = mkdtempSync(join(tmpdir(), 'models-'))
  const file = join(folder, 'models.yaml')
  writeFileSync(
    file,
    `
providers:
  local: { kind: openai-compatible, base_url: "${provider.url}/v1" }
  nobody: { kind: openai-compatible, base_url: "http://127.0.0.1:1/v1" }
models:
  - { model: local/priced, price_per_million: { input: 1000, output: 1000 } }
  - { model: local/unpriced }
  - { model: nobody/x, price_per_million: { input: 1, output: 1 } }
`,
  )
  app = await startApp({
    env: {
      ARS_MODELS_FILE: file,
      ARS_EGRESS_ALLOW_RANGES: '127.0.0.0/8',
      ARS_EGRESS_ALLOW_PORTS: 'any',
      ARS_EGRESS_ALLOW_PLAIN_HTTP: 'true',
    },
  })
  const body = { name: 'Loopback', url: tools.url }
  connector = (await app.call('POST', '/v2/connectors', { body })).body.id
})
afterAll(async () => {
  await app.stop()
  await tools.stop()
  await provider.stop()
  rmSync(folder, { recursive: true })
})
beforeEach(() => {
  provider.reset()
})

const usage = { prompt_tokens: 600, completion_tokens: 400 }

const run = async (agent: NewAgent, input: Record<string, unknown> = { query: 'hello' }) =>
  (await app.call('POST', '/v2/runs', { body: { agent_id: await app.addAgent(agent), input } })).body

const play = (script: unknown[], agent: Omit<NewAgent, 'config'> = {}) =>
  run({ config: { model: 'simulated/script', script }, ...agent })

const streamOf = async (id: string) => framesOf((await app.call('GET', `/v2/runs/${id}/stream`)).text)

/** The messages of the provider's last call: `role: text`. */
const heard = (): string[] => {
  const body = (provider.getLastRequest()?.body ?? { messages: [] }) as {
    messages: { role: string; content: unknown }[]
  }
  return body.messages.map(
    ({ role, content }) => `${role}: ${typeof content === 'string' ? content : JSON.stringify(content)}`,
  )
}

describe('the loop of model and tools', () => {
  test('gives the model its instructions, the input and the tool results, and sums up tokens and cost', async () => {
    const call = { toolCalls: [{ id: 'call_1', name: 'lookup', arguments: '{"name":"Ada"}' }], usage }
    provider.on({ userMessage: 'hello', hasToolResult: false }, call)
    provider.on({ userMessage: 'hello', hasToolResult: true }, { content: 'Ada is found.', usage })
    const ended = await run({
      config: {
        model: 'local/priced',
        instructions: 'Be brief.',
        temperature: 0.5,
        tools: [{ connector_id: connector }],
      },
    })
    expect(ended).toMatchObject({
      status: 'completed',
      output: { result: 'Ada is found.' },
      tokens_used: 2000,
      usage: { input_tokens: 1200, output_tokens: 800, cost_usd: 2 },
    })
    expect(provider.getRequests()).toHaveLength(2)
    expect(provider.getLastRequest()?.body).toMatchObject({ temperature: 0.5 })
    const [system, user, , tool] = heard()
    expect([system, user]).toEqual(['system: Be brief.', 'user: hello'])
    expect(tool).toMatch(/^tool: .*Ada.*true/)
    const steps = (await app.call('GET', `/v2/runs/${ended.id}/steps`)).body.data
    expect(
      steps.map((step: { type: string; usage: { cost_usd: number } }) => [step.type, step.usage.cost_usd]),
    ).toEqual([
      ['model', 1],
      ['tools', 0],
      ['model', 1],
    ])
    const begins = (await streamOf(ended.id)).filter(({ event }) => event === 'run.step.started')
    expect(begins.map(({ data }) => [data.step, data.step_type, data.model])).toEqual([
      [1, 'model', 'local/priced'],
      [2, 'tools', null],
      [3, 'model', 'local/priced'],
    ])
  })

  test('goes on with a fallback model, at its price, and the step names the model that answered', async () => {
    provider.on({ userMessage: 'hello' }, { content: 'Here I am.', usage })
    const ended = await run({ config: { model: 'nobody/x', fallback_models: ['local/unpriced', 'local/priced'] } })
    expect(ended).toMatchObject({ status: 'completed', output: { result: 'Here I am.' }, usage: { cost_usd: null } })
    // The first model is not asked again while it cools down, and with a budget a model without a price is left out.
    const agent = { config: { model: 'nobody/x', fallback_models: ['local/priced'] }, limits: { budget_usd: 5 } }
    const next = await run(agent)
    expect(next).toMatchObject({ status: 'completed', usage: { cost_usd: 1 } })
    const stepsOf = async (id: string) => (await app.call('GET', `/v2/runs/${id}/steps`)).body.data
    expect(await stepsOf(ended.id)).toMatchObject([{ model: 'local/unpriced', attempts: [{}, {}] }])
    expect(await stepsOf(next.id)).toMatchObject([{ model: 'local/priced', attempts: [], usage: { cost_usd: 1 } }])
    const models = (await streamOf(ended.id)).flatMap(({ event, data }) =>
      event.startsWith('run.step.') ? [[event, data.model]] : [],
    )
    expect(models).toEqual([
      ['run.step.started', 'nobody/x'],
      ['run.step.completed', 'local/unpriced'],
    ])
  })

  test('gives the model messages as user text, in order, and calls it again when one arrived too late', async () => {
    provider.on({ userMessage: 'hello' }, { content: 'One moment, please, I am thinking about it.' }, { latency: 200 })
    provider.on({ userMessage: 'and three' }, { content: 'All done.' })
    const agent_id = await app.addAgent({ config: { model: 'local/unpriced' } })
    const { body } = await app.call('POST', '/v2/runs', {
      body: { agent_id, input: { query: 'hello' } },
      headers: { prefer: 'respond-async' },
    })
    await until('the model to be asked', async () => provider.getRequests().length > 0)
    for (const message of ['one', 'two', 'and three']) {
      await app.call('POST', `/v2/runs/${body.id}/action`, { body: { type: 'message', payload: { message } } })
    }
    const ended = await until('the end', async () => {
      const { body: now } = await app.call('GET', `/v2/runs/${body.id}`)
      return now.finished_at && now
    })
    expect(ended).toMatchObject({ status: 'completed', output: { result: 'All done.' }, usage: { cost_usd: null } })
    expect(heard()).toEqual([
      'user: hello',
      'assistant: One moment, please, I am thinking about it.',
      'user: one',
      'user: two',
      'user: and three',
    ])
    // The first answer was not the final one.
    expect(textLeftOf(await streamOf(body.id))).toBe('All done.')
  })

  test('ends after max_steps, with its partial output', async () => {
    const again = { text: 'Still thinking.', again: true }
    const ended = await play([again, again, { text: 'Nearly there.', again: true }, again], {
      limits: { max_steps: 3 },
    })
    expect(ended).toMatchObject({
      status: 'failed',
      error: { code: 'max_steps_exceeded', message: 'The run took 3 steps without an end', retryable: false },
      output: { result: 'Nearly there.' },
    })
    expect((await app.call('GET', `/v2/runs/${ended.id}/steps`)).body.data).toHaveLength(3)
    expect(textLeftOf(await streamOf(ended.id))).toBe('Nearly there.')
  })

  test('ends before a call that would exceed its budget, with its partial output', async () => {
    const call = {
      content: 'Let me look. ',
      toolCalls: [{ id: 'call_1', name: 'lookup', arguments: '{"name":"Ada"}' }],
    }
    provider.on({ userMessage: 'hello' }, { ...call, usage })
    const config = { model: 'local/priced', tools: [{ connector_id: connector }] }
    const ended = await run({ config, limits: { budget_usd: 1.5 } })
    expect(ended).toMatchObject({
      status: 'failed',
      error: { code: 'budget_exceeded', details: { spent_usd: 2, budget_usd: 1.5 } },
      output: { result: 'Let me look. ' },
      usage: { cost_usd: 2 },
    })
    expect(provider.getRequests()).toHaveLength(2)
    expect(textLeftOf(await streamOf(ended.id))).toBe('Let me look. ')
  })

  test('does not start with a budget for a model without a price', async () => {
    const ended = await run({ config: { model: 'local/unpriced' }, limits: { budget_usd: 1 } })
    expect(ended).toMatchObject({ status: 'failed', error: { code: 'budget_exceeded' }, output: null })
    expect(ended.error.message).toContain('local/unpriced has no price')
    expect(provider.getRequests()).toEqual([])
  })

  test('fails with a message when the model does not answer or does not exist', async () => {
    provider.onMessage('hello', { error: { message: 'secret-key-1234 is wrong' }, status: 401 })
    const refused = await run({ config: { model: 'local/priced' } })
    expect(refused).toMatchObject({ status: 'failed', output: null, error: { code: 'model_error', retryable: false } })
    expect(refused.error.message).toBe('The model provider local answered 401: the key is not accepted')
    const missing = await run({ config: { model: 'acme/none' } })
    expect(missing.error).toMatchObject({ code: 'agent_error' })
    expect(missing.error.message).toContain('acme/none is not configured')
  })

  test('keeps the text from before the model failed', async () => {
    const ended = await play([
      { chunks: ['Half ', 'an answer', ' lost'], fail: { message: 'It broke', after_chunks: 2, code: 'model_error' } },
    ])
    expect(ended).toMatchObject({ status: 'failed', error: { code: 'model_error', message: 'It broke' } })
    expect(ended.output).toEqual({ result: 'Half an answer' })
    expect(textLeftOf(await streamOf(ended.id))).toBe('Half an answer')
  })
})

describe('the output of a run', () => {
  const outputSchema = {
    type: 'object',
    properties: { mood: { type: 'string' }, degree: { type: 'integer' } },
    required: ['mood'],
    additionalProperties: false,
  }

  test('with a schema is an object, and the deltas parse to it', async () => {
    provider.onMessage('hello', { content: '{ "mood": "fine",\n "degree": 3 }' })
    const ended = await run({ config: { model: 'local/priced' }, outputSchema })
    expect(ended).toMatchObject({ status: 'completed' })
    expect(ended.output).toEqual({ mood: 'fine', degree: 3 })
    expect(JSON.parse(textLeftOf(await streamOf(ended.id)))).toEqual(ended.output)
    expect(provider.getLastRequest()?.body).toMatchObject({ response_format: { type: 'json_schema' } })
  })

  test.for<[string, string, RegExp]>([
    ['no JSON', 'I feel fine', /not JSON/],
    ['no object', '["fine"]', /not a JSON object/],
    ['a field too many', '{"mood":"fine","colour":"blue"}', /colour/],
    ['a wrong type', '{"mood":7}', /mood/],
  ])('that does not match the schema is output_invalid, with a message: %s', async ([, text, problem]) => {
    const ended = await play([{ text }], { outputSchema })
    expect(ended).toMatchObject({ status: 'failed', error: { code: 'output_invalid' }, output: { result: text } })
    expect(ended.error.message).toMatch(problem)
    expect(ended.error.details.problems.length).toBeGreaterThan(0)
  })

  test('that was truncated is marked so', async () => {
    const ended = await play([{ text: '{"mood": "fi', finish: 'length' }], { outputSchema })
    expect(ended.error).toMatchObject({ code: 'output_invalid', message: expect.stringContaining('max_output_tokens') })
  })

  test('beyond 10 MiB ends the run, and the service continues', async () => {
    const ended = await play([{ chunks: Array.from({ length: 11 }, () => 'x'.repeat(1_048_576)) }])
    expect(ended).toMatchObject({ status: 'failed', error: { code: 'output_too_large' }, output: null })
    const steps = (await app.call('GET', `/v2/runs/${ended.id}/steps`)).body.data
    expect(steps.map(({ status, text }: { status: string; text: unknown }) => [status, text === null])).toEqual([
      ['failed', true],
    ])
    expect((await play([{ text: 'still here' }])).output).toEqual({ result: 'still here' })
  })

  test('just below 10 MiB is kept completely', async () => {
    const text = 'é'.repeat(1_048_576 / 2)
    const ended = await play([{ chunks: Array.from({ length: 9 }, () => text) }])
    expect(ended.status).toBe('completed')
    expect(ended.output.result).toBe(text.repeat(9))
  })
})

describe('[S11] the remaining deltas equal the output’s text, byte for byte', () => {
  test.for<[string, Record<string, unknown>]>([
    ['test-stream', { chunks: 40, delay_ms: 5 }],
    [
      'test-stream',
      { text: 'ein Satz, 🙂 und\n\ndata: {"x":1}\u2028event: run.failed\r\n', chunk_chars: 1, delay_ms: 1 },
    ],
    ['test-stream', { text: 'a'.repeat(300_000), chunk_chars: 4096, delay_ms: 0 }],
    ['test-flaky', { fail_times: 3, after_chunks: 2, retry_after_ms: 5 }],
    ['test-flaky', { fail_times: 4, after_chunks: 1, retry_after_ms: 1 }],
    ['test-steps', { steps: 3 }],
    ['test-echo', { query: '' }],
  ])('%s with %o', async ([name, input]) => {
    const answer = await app.call('POST', '/v2/runs/stream', { body: { agent_id: app.tenant.agents[name], input } })
    const frames = framesOf(answer.text)
    const ended = frames.at(-1)?.data.run as { status: string; output: { result: string } }
    expect(ended.status).toBe('completed')
    expect(textLeftOf(frames)).toBe(ended.output.result)
    // A later reader gets the same.
    const later = await streamOf(String(answer.headers['x-run-id']))
    expect(textLeftOf(later)).toBe(ended.output.result)
    expect(later.map(({ id }) => Number(id))).toEqual(later.map((_, at) => at + 1))
  })

  test('also when retries follow so closely that their withdrawals overlap', async () => {
    const input = { fail_times: 4, after_chunks: 2, retry_after_ms: 1 }
    const body = { agent_id: app.tenant.agents['test-flaky'], input }
    for (let round = 0; round < 20; round++) {
      const frames = framesOf((await app.call('POST', '/v2/runs/stream', { body })).text)
      expect(frames.filter(({ event }) => event === 'run.output.reset').length).toBeGreaterThan(0)
      expect(textLeftOf(frames)).toBe('succeeded after 4 failed tries')
    }
  })
})

describe('an input', () => {
  const inputSchema = {
    type: 'object',
    properties: { city: { type: 'string', minLength: 1 }, days: { type: 'integer', minimum: 1 } },
    required: ['city'],
    additionalProperties: false,
  }

  test('that does not match the agent’s schema is 422 with all violations, on both routes, and creates no run', async () => {
    const agent_id = await app.addAgent({ config: { model: 'simulated/echo' }, inputSchema })
    for (const path of ['/v2/runs', '/v2/runs/stream']) {
      // The first call fetches the schema and the second has it cached.
      for (const input of [{ days: 0 }, { days: 0 }]) {
        const refused = await app.call('POST', path, { body: { agent_id, input } })
        expect([refused.status, refused.body.error.code, refused.body.error.param]).toEqual([
          422,
          'input_invalid',
          'input.city',
        ])
        expect(JSON.stringify(refused.body.error.details)).toMatch(/city/)
        expect(JSON.stringify(refused.body.error.details)).toMatch(/days/)
      }
    }
    expect((await app.call('GET', `/v2/runs?agent_id=${agent_id}`)).body.data).toEqual([])
    const fits = await app.call('POST', '/v2/runs', { body: { agent_id, input: { city: 'Ghent', days: 2 } } })
    expect(fits.body).toMatchObject({ status: 'completed' })
  })

  test('that was accepted is replayed under its key, although the agent’s schema has become stricter', async () => {
    const agent_id = await app.addAgent({ config: { model: 'simulated/echo' } })
    const headers = { 'idempotency-key': 'before it was strict' }
    const body = { agent_id, input: { days: 0 } }
    const first = await app.call('POST', '/v2/runs', { body, headers })
    await app.query(
      'update agents set input_schema = $1, version = version + 1 where name = $2 and config ->> $3 = $4',
      [inputSchema, 'planted', 'model', 'simulated/echo'],
    )
    const replay = await app.call('POST', '/v2/runs', { body, headers })
    expect([replay.status, replay.body.id]).toEqual([200, first.body.id])
    expect((await app.call('POST', '/v2/runs', { body })).status).toBe(422)
  })
})
