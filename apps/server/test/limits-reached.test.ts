import { limits } from '@ars/contract'
import { fromUuid, toUuid } from '@ars/platform/id'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { serverBounds } from '../src/bounds.ts'
import { type App, sharedApp } from './app.ts'

let app: App
beforeAll(async () => {
  app = await sharedApp()
})
afterAll(() => app.stop())

const codeOf = ({ status, body }: { status: number; body: { error?: { code: string } } }) => [status, body.error?.code]
const rule = (id: string, words: string[]) => ({
  id,
  check: 'keywords',
  stages: ['input'],
  action: 'block',
  params: { words },
})

test('an organisation has as many policies and attachments as their rows say', async () => {
  const { org, key } = await app.addTenant()
  const plantPolicies = (count: number) =>
    app.query(
      `insert into policies (id, org_id, name, description, mode, version, created_by, created_by_type)
       select gen_random_uuid(), $1, 'p' || n, '', 'enforce', 1, $1, 'key' from generate_series(1, $2::integer) n`,
      [org, count],
    )
  const create = () => app.call('POST', '/v2/policies', { key, body: { name: 'one', rules: [rule('r', ['w'])] } })
  await plantPolicies(limits.policiesPerOrganisation - 1)
  const made = await create()
  expect(made.status).toBe(201)
  expect(codeOf(await create())).toEqual([422, 'limit_reached'])

  await app.query(
    `insert into policy_attachments (id, org_id, policy_id, subject_type, subject_id, new_runs_only)
     select gen_random_uuid(), $1, $2, 'agent', gen_random_uuid(), false from generate_series(1, $3::integer)`,
    [org, toUuid(made.body.id), limits.policyAttachmentsPerOrganisation],
  )
  const attached = await app.call('POST', `/v2/policies/${made.body.id}/attachments`, {
    key,
    body: { subject_id: fromUuid('org', org) },
  })
  expect(codeOf(attached)).toEqual([422, 'limit_reached'])
})

test('the rules of a policy have as many bytes of JSON as limits.policyRulesBytes', async () => {
  const words = (seed: number) => Array.from({ length: 250 }, (_, n) => `${seed}-${n}-`.padEnd(190, 'w'))
  const rules = Array.from({ length: Math.ceil(limits.policyRulesBytes / 48_000) }, (_, n) => rule(`r${n}`, words(n)))
  const { status, body } = await app.call('POST', '/v2/policies', { body: { name: 'large', rules } })
  expect([status, body.error.code, body.error.message]).toEqual([
    422,
    'policy_invalid',
    expect.stringContaining(`more than ${limits.policyRulesBytes} bytes`),
  ])
})

test('a longer id in a path than its row allows is not found', async () => {
  const reply = await app.call('GET', `/v2/agents/${'x'.repeat(serverBounds.pathParam.chars + 1)}`)
  expect(codeOf(reply)).toEqual([404, 'not_found'])
})
