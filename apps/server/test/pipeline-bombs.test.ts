import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, startApp, type Tenant } from './app.ts'

let app: App

beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.stop())

const stepOf = (tenant: Tenant, fields: Record<string, unknown>) => ({
  key: 'only',
  agent_id: tenant.agents['test-echo'],
  ...fields,
})
const save = (tenant: Tenant, fields: Record<string, unknown>) =>
  app.call('POST', '/v2/pipelines', {
    key: tenant.key,
    body: { name: 'Bomb', definition: { steps: [stepOf(tenant, fields)] } },
  })

const loops = (depth: number): string =>
  depth === 0 ? 'true' : `input.list.all(x${depth}, ${loops(depth - 1)} && x${depth} >= 0)`

test.for<[string, Record<string, unknown>, string, RegExp]>([
  ['a loop in a loop in a loop', { when: loops(3) }, 'when', /loop/i],
  ['a sum of 150 terms', { when: `${'1 + '.repeat(150)}1 == 151` }, 'when', /nodes; at most 200/],
  [
    'a list in a list, 400 times',
    { for_each: `${'['.repeat(400)}${']'.repeat(400)}` },
    'for_each',
    /nodes; at most 200/,
  ],
  ['a pattern with a back reference', { when: '"aaa".matches("(a+)+\\\\1")' }, 'when', /pattern/],
  ['such loops in a placeholder', { input: { n: `\${{ ${loops(3)} }}` } }, 'input.n', /loop/i],
  ['a for_each that is no list', { for_each: '1 + 1' }, 'for_each', /must answer a list/],
])('%s is refused when the pipeline is saved, with its position', async ([, fields, param, message]) => {
  const { status, text, body } = await save(app.tenant, fields)
  expect(status, text).toBe(422)
  expect(body.error).toMatchObject({ code: 'config_invalid', param: `definition.steps.0.${param}` })
  expect(body.error.message).toMatch(message)
  expect(body.error.message).toMatch(/\(position \d+\)/)
  const definition = { steps: [stepOf(app.tenant, fields)] }
  const checked = await app.call('POST', '/v2/pipelines/check', { body: { definition } })
  expect(checked.body.problems[0]).toMatchObject({ position: expect.any(Number) })
})

/** Each is valid, and costs as much as its input makes of it. */
const bombs: readonly Record<string, unknown>[] = [
  { when: loops(2) },
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
