import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, sharedApp, type Tenant } from './app.ts'

let app: App

beforeAll(async () => {
  app = await sharedApp()
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
