import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { spanAttributes, spanSchemaUrl } from '@ars/core/span'
import { type LoopbackMcpServer, startMcpServer } from '@ars/testkit/mcp-server'
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from '@ars/testkit/otlp-receiver'
import { request } from 'undici'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, startApp, until } from './app.ts'
import { type ChatProvider, startChatProvider } from './chat-provider.ts'
import { type Receiver, startReceiver } from './webhook-receiver.ts'

const secret = 'canary-of-the-content'
const collectorKey = 'canary-of-the-collector'
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const callerSpan = '00f067aa0ba902b7'
const traceparent = `00-${traceId}-${callerSpan}-01`

let collector: OtlpReceiver
let receiver: Receiver
let provider: ChatProvider
let tools: LoopbackMcpServer
let app: App
let connector: string
let folder: string
const toolCalls: { meta: Record<string, unknown>; headers: Headers }[] = []

beforeAll(async () => {
  collector = await startOtlpReceiver()
  receiver = await startReceiver()
  provider = await startChatProvider()
  tools = await startMcpServer({
    extend: (server) =>
      server.registerTool('pay', { annotations: { idempotentHint: false } }, async (context) => {
        toolCalls.push({ meta: context.mcpReq._meta ?? {}, headers: context.http?.req?.headers ?? new Headers() })
        return { content: [{ type: 'text', text: secret }] }
      }),
  })
  folder = mkdtempSync(join(tmpdir(), 'models-'))
  const file = join(folder, 'models.yaml')
  writeFileSync(
    file,
    `providers:\n  local: { kind: openai-compatible, base_url: "${provider.baseUrl}" }\nmodels:\n  - { model: local/small }\n`,
  )
  // The gateway and the worker are two processes of the cell: what one knows reaches the other by the database alone.
  app = await startApp({
    role: 'gateway',
    env: {
      ...receiver.env,
      ARS_EGRESS_ALLOW_PLAIN_HTTP: 'true',
      ARS_MODELS_FILE: file,
      OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
      OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${collectorKey}`,
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=canary,service.name=unused',
      OTEL_SERVICE_NAME: 'runs',
    },
  })
  await app.join('worker')
  connector = (await app.call('POST', '/v2/connectors', { body: { name: 'Loopback', url: tools.url } })).body.id
})
afterAll(async () => {
  await app.stop()
  await Promise.all([tools.stop(), receiver.close(), provider.close(), collector.close()])
  rmSync(folder, { recursive: true })
})

const agentWith = (config: Record<string, unknown>) =>
  app.addAgent({ config: { model: 'local/small', instructions: secret, ...config } })

const start = async (agent_id: string, headers: Record<string, string>) =>
  (
    await app.call('POST', '/v2/runs', {
      body: { agent_id, input: { query: secret }, metadata: { note: secret } },
      headers: { prefer: 'respond-async', ...headers },
    })
  ).body.id as string

const settled = (id: string, ...statuses: string[]) =>
  until(`${id} to be ${statuses}`, async () => {
    const { body } = await app.call('GET', `/v2/runs/${id}`)
    return statuses.includes(body.status) && body
  })

const spansOf = (trace: string) => collector.spans().filter((span) => span.traceId === trace)
const named = (spans: readonly ReceivedSpan[], name: string) => spans.filter((span) => span.name === name)

const registered = async (path: string) => {
  const body = { url: receiver.url(path), events: ['run.completed'] }
  expect((await app.call('POST', '/v2/webhooks', { body })).status).toBe(201)
}

test('one trace shows a run with two model calls, a tool call, an approval and a webhook, from the caller to the receiver', async () => {
  await registered('/whole')
  provider.play({ tool: 'pay', arguments: { to: secret } }, { text: secret })
  const agent = await agentWith({ tools: [{ connector_id: connector, allow: ['pay'], require_approval: ['pay'] }] })
  const run = await start(agent, { traceparent, tracestate: 'vendor=7' })
  await settled(run, 'requires_action')
  await app.call('POST', `/v2/runs/${run}/action`, { body: { type: 'approve', comment: secret } })
  await settled(run, 'completed')
  const [delivery] = await until(
    'the delivery',
    async () => receiver.calls('/whole').length > 0 && receiver.calls('/whole'),
  )

  const spans = await until('the trace', async () => {
    const found = spansOf(traceId)
    return named(found, 'deliver webhook').length > 0 && named(found, 'segment').length > 1 && found
  })
  expect(collector.faults()).toEqual([])
  const byId = new Map(spans.map((span) => [span.spanId, span]))
  const agentSpan = `invoke_agent ${agent}`
  const paths = spans.map((span) => {
    const path = [span.name]
    for (let at = byId.get(span.parentSpanId ?? ''); at; at = byId.get(at.parentSpanId ?? '')) path.unshift(at.name)
    return path.join(' > ')
  })
  const accept = 'POST /v2/runs > accept'
  expect(paths.toSorted()).toEqual(
    [
      'POST /v2/runs',
      accept,
      `${accept} > engine`,
      // The model asks for the tool, and the run waits.
      `${accept} > segment`,
      `${accept} > segment > ${agentSpan}`,
      `${accept} > segment > ${agentSpan} > chat small`,
      `${accept} > requires_action`,
      // The tool is called, and the model answers.
      `${accept} > segment`,
      `${accept} > segment > ${agentSpan}`,
      `${accept} > segment > ${agentSpan} > execute_tool pay`,
      `${accept} > segment > ${agentSpan} > chat small`,
      `${accept} > deliver webhook`,
    ].toSorted(),
  )
  expect(named(spans, 'POST /v2/runs')[0]).toMatchObject({ parentSpanId: callerSpan, kind: 2 })
  for (const span of spans) {
    expect(span).toMatchObject({ schemaUrl: spanSchemaUrl, traceState: 'vendor=7', hasFailed: false })
    const parent = byId.get(span.parentSpanId ?? '')
    // Times of one process are of one clock, up to its resolution.
    if (parent && parent.name !== 'accept') {
      expect(span.startNano).toBeGreaterThanOrEqual(parent.startNano - 5_000_000n)
      expect(span.endNano).toBeLessThanOrEqual(parent.endNano + 5_000_000n)
    }
  }
  expect(named(spans, 'accept')[0]?.resource).toMatchObject({
    'service.name': 'runs',
    'deployment.environment.name': 'canary',
    'ars.role': 'gateway',
  })
  expect(
    named(spans, 'segment').map(({ attributes, resource }) => [attributes['ars.segment.result'], resource['ars.role']]),
  ).toEqual([
    ['wait', 'worker'],
    ['done', 'worker'],
  ])
  expect(named(spans, 'accept')[0]?.attributes).toMatchObject({ 'ars.run.id': run, 'gen_ai.agent.id': agent })
  const chats = named(spans, 'chat small')
  expect(chats.map(({ attributes }) => attributes)).toEqual(
    ['tool_calls', 'stop'].map((finish, n) => ({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'local',
      'gen_ai.request.model': 'small',
      'gen_ai.usage.input_tokens': 7,
      'gen_ai.usage.output_tokens': 3,
      'gen_ai.response.model': 'small',
      'gen_ai.response.finish_reasons': [finish],
      'ars.step': n === 0 ? 1 : 3,
    })),
  )

  // Each receiver gets the trace with the span that called it.
  const childOf = (span: ReceivedSpan | undefined) => `00-${traceId}-${span?.spanId}-01`
  expect(
    provider
      .headers()
      .slice(-2)
      .map((headers) => headers.traceparent),
  ).toEqual(chats.map(childOf))
  const [call] = toolCalls
  const asTool = { traceparent: childOf(named(spans, 'execute_tool pay')[0]), tracestate: 'vendor=7' }
  expect(call?.meta).toMatchObject(asTool)
  expect(call?.headers.get('traceparent')).toBe(asTool.traceparent)
  expect(delivery?.headers).toMatchObject({
    traceparent: childOf(named(spans, 'deliver webhook')[0]),
    tracestate: 'vendor=7',
  })
  expect(named(spans, 'deliver webhook')[0]?.attributes).toMatchObject({
    'http.response.status_code': 204,
    'ars.delivery.attempt': 1,
  })
})

test('a remote agent is a client span, and gets its context', async () => {
  const trace = 'a1'.repeat(16)
  const url = receiver.on('/agent', (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ output: { result: secret } }))
  })
  const body = { name: 'Remote', kind: 'remote', config: { url } }
  const { body: agent } = await app.call('POST', '/v2/agents/custom', { body })
  const run = await start(agent.id, { traceparent: `00-${trace}-${callerSpan}-01`, tracestate: 'vendor=7' })
  await settled(run, 'completed')
  const [invoked] = await until('the span', async () => {
    const found = named(spansOf(trace), `invoke_agent ${agent.id}`)
    return found.length > 0 && found
  })
  expect(invoked).toMatchObject({
    kind: 3,
    attributes: { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.id': agent.id, 'gen_ai.conversation.id': run },
  })
  expect(receiver.calls('/agent')[0]?.headers).toMatchObject({
    traceparent: `00-${trace}-${invoked?.spanId}-01`,
    tracestate: 'vendor=7',
  })
})

test('no content and no secret is in any span, and every attribute is one of the list', async () => {
  const sent = collector.bodies().join('\n')
  expect(collector.spans().length).toBeGreaterThan(10)
  for (const hidden of [secret, collectorKey, app.tenant.key, receiver.url('/whole'), tools.url])
    expect(sent).not.toContain(hidden)
  for (const { attributes } of collector.spans())
    expect([...spanAttributes]).toEqual(expect.arrayContaining(Object.keys(attributes)))
  expect(collector.headers()[0]?.authorization).toBe(`Bearer ${collectorKey}`)
  expect(app.logLines.join('\n')).not.toContain(collectorKey)
})

test('a caller that does not record its trace gets no spans, and its context still reaches every receiver', async () => {
  await registered('/unrecorded')
  provider.play({ text: 'Hello' })
  const quiet = `00-${'b'.repeat(32)}-${'c'.repeat(16)}-00`
  const run = await start(await agentWith({}), { traceparent: quiet })
  await settled(run, 'completed')
  const [delivery] = await until(
    'the delivery',
    async () => receiver.calls('/unrecorded').length > 0 && receiver.calls('/unrecorded'),
  )
  expect(provider.headers().at(-1)?.traceparent).toBe(quiet)
  expect(delivery?.headers.traceparent).toBe(quiet)
  expect(spansOf('b'.repeat(32))).toEqual([])
})

test('without a valid traceparent nothing is stored or handed on when the ratio chooses none', async () => {
  provider.play({ text: 'Hello' })
  const run = await start(await agentWith({}), {
    traceparent: `00-${traceId}-${callerSpan}-01-x`,
    tracestate: 'vendor=7',
  })
  await settled(run, 'completed')
  expect(provider.headers().at(-1)).not.toHaveProperty('traceparent')
  const rows = await app.query<{ count: number }>('select count(*)::integer from runs where trace_context is null')
  expect(rows).toEqual([{ count: 1 }])
})

test('an erasure removes the trace context of the run', async () => {
  provider.play({ text: 'Hello' })
  const run = await start(await agentWith({}), { traceparent: `00-${'d'.repeat(32)}-${callerSpan}-00` })
  await settled(run, 'completed')
  const stored = () => app.query(`select trace_context from runs where trace_context like '00-dddd%'`)
  expect(await stored()).toHaveLength(1)
  expect((await app.call('DELETE', `/v2/runs/${run}/data`)).status).toBeLessThan(300)
  expect(await stored()).toEqual([])
})

test('a collector that hangs delays no run, and a caller without a credential causes no span', async () => {
  collector.answer('hang')
  try {
    for (let n = 0; n < 5; n++) {
      provider.play({ text: 'Hello' })
      const run = await start(await agentWith({}), { traceparent: `00-${'e'.repeat(32)}-${callerSpan}-01` })
      expect((await settled(run, 'completed')).output).toEqual({ result: 'Hello' })
    }
    const refused = await app.call('GET', '/v2/runs', {
      key: null,
      headers: { traceparent: `00-${'f'.repeat(32)}-${callerSpan}-01` },
    })
    expect(refused.status).toBe(401)
  } finally {
    collector.answer(undefined)
  }
  const metrics = await (await request(`${app.metricsUrl}/metrics`)).body.text()
  expect(metrics).toMatch(/^ars_trace_spans_exported_total\S* [1-9]/m)
  expect(metrics).toMatch(/^ars_trace_spans_dropped_total\{[^}]*reason="queue_full"[^}]*\} 0$/m)
  await until('the spans after the pause', async () => spansOf('e'.repeat(32)).length > 0)
  expect(spansOf('f'.repeat(32))).toEqual([])
})
