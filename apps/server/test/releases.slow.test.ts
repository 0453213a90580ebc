import { bucketOf } from '@ars/core/deployments'
import { toUuid } from '@ars/platform/id'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, type CallOptions, type Reply, startApp, type Tenant, until } from './app.ts'

const splitRuns = 500

let app: App
let second: { url: string }
let tenant: Tenant
beforeAll(async () => {
  app = await startApp()
  second = await app.join('gateway')
  tenant = await app.addTenant({ plan: 'enterprise' })
})
afterAll(() => app.stop())

type Json = Record<string, unknown>

const call = (method: string, path: string, body?: unknown, options: CallOptions = {}) =>
  app.call(method, `/v2${path}`, { key: tenant.key, ...options, ...(body === undefined ? {} : { body }) })

/** The response; a refusal fails the test. */
const ok = async (reply: Promise<Reply>) => {
  const { status, body } = await reply
  expect([status, body?.error ?? null]).toEqual([expect.toSatisfy((code: number) => code < 300), null])
  return body
}

const says = (text: string) => ({ model: 'simulated/script', script: [{ text }] })

/** A client that retries when the service is busy and nothing was accepted. */
const startPatiently = (agent_id: string, { key, url }: { key: string | undefined; url: string }) =>
  until('a start', async () => {
    const headers = { prefer: 'respond-async', ...(key === undefined ? {} : { 'idempotency-key': key }) }
    const reply = await call('POST', '/runs', { agent_id, input: {} }, { headers, url })
    return reply.status !== 503 && ok(Promise.resolve(reply))
  })

/** All runs of an agent, page by page. */
const runsOf = async (agentId: string) => {
  const runs: Json[] = []
  for (let after = ''; ; ) {
    const page = await ok(call('GET', `/runs?agent_id=${agentId}&limit=100${after}`))
    runs.push(...page.data)
    if (!page.has_more) return runs
    after = `&after=${page.last_id}`
  }
}

describe('a canary', () => {
  test(`gets those of ${splitRuns} runs over two gateways that the split assigns, and each runs its version`, async () => {
    const agent = await ok(call('POST', '/agents/custom', { name: 'Mine', config: says('version 1') }))
    const changed = await ok(
      call('PATCH', `/agents/${agent.id}`, {
        config: says('version 2'),
        rollout: { strategy: 'canary', traffic_percent: 30 },
      }),
    )
    const deployments = [undefined, agent.deployment.id, changed.deployment.id]
    const keys = new Map<string, string>()
    const lines = 8
    const inOneLine = async (first: number) => {
      for (let n = first; n < splitRuns; n += lines) {
        const key = n % 2 === 0 ? `split-${n}` : undefined
        // Of four consecutive runs each gateway gets one with a key and one without.
        const url = n % 4 < 2 ? app.url : second.url
        const run = await startPatiently(agent.id, { url, key })
        keys.set(run.id, key ?? toUuid(run.id))
        expect(run.deployment_id).toBe(deployments[run.agent_version])
      }
    }
    await Promise.all(Array.from({ length: lines }, (_, first) => inOneLine(first)))
    expect(keys.size).toBe(splitRuns)
    const runs = await until('all of them to end', async () => {
      const found = await runsOf(agent.id)
      return found.every(({ finished_at }) => finished_at !== null) && found
    })
    expect(runs).toHaveLength(splitRuns)
    let onCanary = 0
    for (const run of runs) {
      const isCanary = bucketOf(toUuid(agent.id), keys.get(String(run.id)) ?? '') < 3000
      const version = isCanary ? 2 : 1
      if (isCanary) onCanary++
      expect(run).toMatchObject({
        status: 'completed',
        agent_version: version,
        deployment_id: deployments[version],
        output: { result: `version ${version}` },
      })
    }
    // Of 500 with a probability of 0.3 each, fewer than 100 or more than 200 occur once in a million times.
    expect(onCanary).toBeGreaterThan(100)
    expect(onCanary).toBeLessThan(200)
    const [watched] = await app.query<{ runs: number }>(
      'select count(*)::integer as runs from runs where agent_id = $1 and is_watched',
      [toUuid(agent.id)],
    )
    expect(watched?.runs).toBe(splitRuns)
  }, 180_000)
})
