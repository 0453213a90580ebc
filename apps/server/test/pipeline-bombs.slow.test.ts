import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, startApp, type Tenant } from './app.ts'

let app: App
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.stop())

const save = (tenant: Tenant, fields: Record<string, unknown>) => {
  const step = { key: 'only', agent_id: tenant.agents['test-echo'], ...fields }
  return app.call('POST', '/v2/pipelines', { key: tenant.key, body: { name: 'Bomb', definition: { steps: [step] } } })
}

/** Each is valid, and costs as much as its input makes of it. */
const bombs: readonly Record<string, unknown>[] = [
  { when: 'input.list.all(x2, input.list.all(x1, true && x1 >= 0) && x2 >= 0)' },
  { for_each: 'input.list.map(x, input.list.map(y, [x, y]))' },
  { input: { text: '${{ input.list.map(x, input.text + input.text) }}' } },
]
const bombInput = { list: Array.from({ length: 5_000 }, (_, n) => n), text: 'x'.repeat(200_000) }
const bombsOfEach = 8
const samples = 20
/** Generous: the machine may be busy with other tests. */
const maxRatio = 10

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN

test('an expression that costs too much fails its step, and other customers hardly notice', async () => {
  const attacker = await app.addTenant()
  const paths = await Promise.all(
    bombs.map(async (fields) => {
      const { status, text, body } = await save(attacker, fields)
      expect(status, text).toBe(201)
      return `/v2/pipelines/${body.id}/runs`
    }),
  )
  const timed = async (): Promise<number> => {
    const beganMs = performance.now()
    const body = { agent_id: app.tenant.agents['test-echo'], input: { query: 'hello' } }
    const { status, text } = await app.call('POST', '/v2/runs', { body, headers: { prefer: 'wait=60' } })
    expect(status, text).toBeLessThan(300)
    return performance.now() - beganMs
  }
  for (let n = 0; n < 3; n++) await timed()
  const alone: number[] = []
  for (let n = 0; n < samples; n++) alone.push(await timed())

  const started = await Promise.all(
    Array.from({ length: bombsOfEach }, () => paths)
      .flat()
      .map((path) => app.call('POST', path, { key: attacker.key, body: { input: bombInput } })),
  )
  for (const { status, text } of started) expect(status, text).toBe(201)
  const beside: number[] = []
  for (let n = 0; n < samples; n++) beside.push(await timed())
  expect(median(beside) / median(alone)).toBeLessThan(maxRatio)

  for (const { body } of started) {
    const path = `/v2/pipeline-runs/${body.id}`
    const read = async () => (await app.call('GET', path, { key: attacker.key })).body
    await expect.poll(async () => (await read()).status, { timeout: 120_000, interval: 250 }).toBe('failed')
    expect((await read()).error).toMatchObject({ code: 'expression_failed', step: 'only' })
  }
  expect(await app.query('select id from runs where org_id = $1', [attacker.org])).toEqual([])
}, 300_000)
