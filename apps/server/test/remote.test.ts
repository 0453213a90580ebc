import { createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, framesOf, sharedApp, textLeftOf, until } from './app.ts'

let app: App
let endpoint: Server
let calls: { headers: IncomingMessage['headers']; body: string; closed: boolean }[] = []

beforeAll(async () => {
  app = await sharedApp()
  endpoint = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const call = { headers: request.headers, body, closed: false }
    calls.push(call)
    response.on('close', () => {
      call.closed = true
    })
    const { input } = JSON.parse(body)
    if (input.hang) return
    if (input.stream) {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (const word of ['one ', 'two ', 'three']) response.write(`data: ${JSON.stringify({ delta: word })}\n\n`)
      return response.end()
    }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(
      JSON.stringify({ output: { result: `you said ${input.query}` }, usage: { input_tokens: 2, output_tokens: 3 } }),
    )
  })
  await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  endpoint.closeAllConnections()
  endpoint.close()
  await app.stop()
})

const plantRemote = async (): Promise<{ id: string; signing_secret: string }> => {
  const { port } = endpoint.address() as AddressInfo
  const config = { url: `http://127.0.0.1:${port}/agent` }
  const { body } = await app.call('POST', '/v2/agents/custom', { body: { name: 'Mine', kind: 'remote', config } })
  return body
}

test('a remote agent is called with the run’s input and a signature, and its answer is the run’s output', async () => {
  calls = []
  const agent = await plantRemote()
  const { body: run } = await app.call('POST', '/v2/runs', { body: { agent_id: agent.id, input: { query: 'Hello' } } })
  expect(run).toMatchObject({ status: 'completed', output: { result: 'you said Hello' }, tokens_used: 5 })
  const [call] = calls
  expect(JSON.parse(call?.body ?? '')).toMatchObject({ run_id: run.id, agent_id: agent.id, input: { query: 'Hello' } })
  const signed = `${call?.headers['webhook-id']}.${call?.headers['webhook-timestamp']}.${call?.body}`
  const key = Buffer.from(agent.signing_secret.replace('whsec_', ''), 'base64')
  expect(call?.headers['webhook-signature']).toBe(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`)
  const { body: steps } = await app.call('GET', `/v2/runs/${run.id}/steps`)
  expect(steps.data).toMatchObject([{ type: 'remote', usage: { input_tokens: 2, output_tokens: 3 } }])
})

test('the stream of a remote agent is forwarded by POST /runs/stream, and its deltas equal the output', async () => {
  const agent = await plantRemote()
  const { text } = await app.call('POST', '/v2/runs/stream', { body: { agent_id: agent.id, input: { stream: true } } })
  const frames = framesOf(text)
  const last = frames.at(-1)
  expect(last).toMatchObject({ event: 'run.completed', data: { run: { output: { result: 'one two three' } } } })
  expect(textLeftOf(frames)).toBe('one two three')
})

test('cancelling a run of a remote agent closes the connection to it', async () => {
  calls = []
  const agent = await plantRemote()
  const { body: run } = await app.call('POST', '/v2/runs', {
    body: { agent_id: agent.id, input: { hang: true } },
    headers: { prefer: 'respond-async' },
  })
  await until('the call', async () => calls.length > 0)
  await app.call('DELETE', `/v2/runs/${run.id}`)
  await until('the end of the call', async () => calls[0]?.closed)
  await until(
    'the end of the run',
    async () => (await app.call('GET', `/v2/runs/${run.id}`)).body.status === 'cancelled',
  )
  expect(calls).toHaveLength(1)
})

const signaturesFor = ({ headers, body }: (typeof calls)[number], secrets: readonly string[]): string =>
  secrets
    .map((secret) => {
      const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
      const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
      return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
    })
    .join(' ')

test('after a rotation requests carry the signatures of both secrets, and without overlap only the new one', async () => {
  const agent = await plantRemote()
  const rotate = async (body: object) => {
    const {
      status,
      text,
      body: rotated,
    } = await app.call('POST', `/v2/agents/${agent.id}/rotate-signing-secret`, { body })
    expect(status, text).toBe(200)
    return rotated.signing_secret as string
  }
  const signaturesOfCall = async () => {
    calls = []
    await app.call('POST', '/v2/runs', { body: { agent_id: agent.id, input: { query: 'Hello' } } })
    const [call] = calls
    if (!call) throw new Error('The remote agent was not called')
    return { sent: call.headers['webhook-signature'], by: (secrets: string[]) => signaturesFor(call, secrets) }
  }
  const second = await rotate({})
  const both = await signaturesOfCall()
  expect(both.sent).toBe(both.by([second, agent.signing_secret]))
  const third = await rotate({ overlap_hours: 1 })
  const next = await signaturesOfCall()
  expect(next.sent).toBe(next.by([third, second]))
  const last = await rotate({ overlap_hours: 0 })
  const alone = await signaturesOfCall()
  expect(alone.sent).toBe(alone.by([last]))
})

test('a rollback does not restore a replaced signing secret', async () => {
  const agent = await plantRemote()
  const body = { overlap_hours: 0 }
  const { body: rotated } = await app.call('POST', `/v2/agents/${agent.id}/rotate-signing-secret`, { body })
  const { body: changed } = await app.call('PATCH', `/v2/agents/${agent.id}`, { body: { description: 'changed' } })
  const back = await app.call('POST', `/v2/deployments/${changed.deployment.id}/rollback`, { body: { reason: 'test' } })
  expect(back.status, back.text).toBe(200)
  calls = []
  await app.call('POST', '/v2/runs', { body: { agent_id: agent.id, input: { query: 'Hello' } } })
  const [call] = calls
  expect(call?.headers['webhook-signature']).toBe(call && signaturesFor(call, [rotated.signing_secret]))
})
