import { equal, match, ok } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { get as httpGet, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import type { ServerPart } from '@ars/tools/dev/server'
import type { ApiCaller } from '../lab/client/api-caller.ts'
import type { TemporaryStack } from '../lab/stack/temporary-stack.ts'

export type Scene = Omit<TemporaryStack, 'dispose'> & {
  api: ApiCaller
  server: ServerPart
}

/** Answers what it found, for the line that is printed; throws when it is not as it should be. */
export type Check = {
  name: string
  check(scene: Scene): Promise<string>
}

const maxStopMs = 15_000

/** In this order: the last one ends the server. */
export const checks: readonly Check[] = [
  {
    name: 'a first run completes',
    check: async (scene) => {
      const { status, run, headers } = await createRun(scene, 'test-echo', { query: 'Hello' })
      equal(status, 200)
      equal(run.status, 'completed')
      equal(run.output?.result, 'Hello')
      match(String(headers['x-request-id']), /^req_/)
      equal(headers['x-run-id'], run.id)
      return `${run.id}, ${run.latency_ms} ms`
    },
  },
  {
    name: 'the run can be read',
    check: async (scene) => {
      const { run } = await createRun(scene, 'test-echo', { query: 'Hello again' })
      const answer = await scene.api.call({ method: 'GET', path: `/v2/runs/${run.id}`, headers: withKey(scene) })
      equal(answer.status, 200)
      equal((JSON.parse(answer.text) as WireRun).output?.result, 'Hello again')
      return `GET answers ${answer.status} with its output`
    },
  },
  {
    name: 'a call without a key is refused',
    check: async (scene) => {
      const body = { agent_id: scene.agentId('test-echo'), input: {} }
      const answer = await scene.api.call({ method: 'POST', path: '/v2/runs', body })
      equal(answer.status, 401)
      equal(JSON.parse(answer.text).error.code, 'unauthorized')
      return '401 unauthorized'
    },
  },
  {
    name: 'plain HTTP is refused',
    check: async ({ stack }) => {
      const answer = await getPlain(`http://127.0.0.1:${stack.ports.gateway[0]}/v2/agents`)
      equal(answer.status, 400)
      equal(answer.location, undefined)
      match(answer.text, /https/i)
      return '400 with a message, no redirect'
    },
  },
  {
    name: 'readiness is reported',
    check: async ({ api }) => {
      const answer = await api.call({ method: 'GET', path: '/readyz' })
      equal(answer.status, 200)
      return answer.text.trim()
    },
  },
  {
    name: 'doctor finds no fault',
    check: async ({ stack }) => {
      // It throws, with all that doctor said, when the exit code is not 0.
      const said = await stack.command(['doctor'])
      return `${said.trim().split('\n').length - 1} checks passed`
    },
  },
  {
    name: 'metrics on the private port',
    check: async ({ server, api }) => {
      const answer = await getPlain(`${server.metricsUrl}/metrics`)
      equal(answer.status, 200)
      match(answer.text, /^ars_requests(_total)?\{/m)
      equal((await api.call({ method: 'GET', path: '/metrics' })).status, 404, 'the public port must not show metrics')
      return `${new Set(answer.text.match(/^ars_\w+/gm)).size} series`
    },
  },
  {
    name: 'SIGTERM shuts down gracefully',
    check: async (scene) => {
      const { server } = scene
      const waiting = createRun(scene, 'test-slow', { seconds: 4 })
      await scene.api.call({ method: 'GET', path: '/livez' }) // The run is under way when this answers.
      const from = performance.now()
      const stopped = server.stop().then(() => performance.now() - from)
      const { status } = await waiting
      equal(status, 202, 'a POST that waits is answered 202 when its gateway stops')
      const tookMs = await stopped
      ok(tookMs < maxStopMs, `it took ${Math.round(tookMs)} ms`)
      match(readFileSync(server.logFile, 'utf8'), /"shutdown ends"/, 'the log does not tell of an orderly end')
      return `${Math.round(tookMs)} ms; the POST that waited got its 202`
    },
  },
]

type WireRun = {
  id: string
  status: string
  output: { result?: unknown } | null
  latency_ms: number | null
}

const createRun = async (scene: Scene, agent: string, input: Record<string, unknown>) => {
  const { status, headers, text } = await scene.api.call(
    {
      method: 'POST',
      path: '/v2/runs',
      headers: withKey(scene),
      body: { agent_id: scene.agentId(agent), input },
    },
    { timeoutMs: 40_000 },
  )
  ok(status < 300, `POST /v2/runs answered ${status}: ${text}`)
  return { status, headers, run: JSON.parse(text) as WireRun }
}

const withKey = ({ seed }: Scene): Record<string, string> => ({ authorization: `Bearer ${seed.api_key}` })

const getPlain = (url: string): Promise<{ status: number | undefined; location: string | undefined; text: string }> =>
  new Promise((resolve, reject) => {
    const outgoing = httpGet(url, { timeout: 10_000, agent: false }, (response: IncomingMessage) => {
      const { statusCode: status, headers } = response
      text(response).then((body) => resolve({ status, location: headers.location, text: body }), reject)
    })
    outgoing.once('timeout', () => outgoing.destroy(new Error(`${url} did not answer in time`)))
    outgoing.once('error', reject)
  })
