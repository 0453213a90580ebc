import { createSecretKey, randomBytes } from 'node:crypto'
import type { RuleInput } from '@ars/contract'
import { createKeyring, type Keyring } from '@ars/platform/envelope'
import { expect, test } from 'vitest'
import { testThreads } from '../../schemas/schemas.fixture.ts'
import { requireRules } from './rule-check.service.ts'
import { findTemplate, rulesOfTemplate } from './template-params.ts'

const keyring = createKeyring({ keks: [{ id: 'k1', key: createSecretKey(randomBytes(32)) }], activeKekId: 'k1' })

const check = (rules: readonly RuleInput[], keys: Keyring | undefined) =>
  requireRules(
    {
      threads: testThreads(),
      expressions: { check: () => Promise.resolve([]) },
      egress: { checkTarget: async () => ({ ok: false, reason: 'No address may be called here' }) as const },
      ownUrl: new URL('https://ars.example.com'),
      schemas: { checkSchema: () => Promise.resolve([]) },
      models: { find: () => null },
      keyring: keys,
    },
    'o',
    rules,
  )

const rule = (action: RuleInput['action'], stages: RuleInput['stages']): RuleInput => ({
  check: 'keywords',
  stages,
  action,
  params: { words: ['x'], whole_words: true },
})

test.each([
  rule('redact', ['input']),
  rule('require_approval', ['output']),
  rule('require_approval', ['input', 'tool_call']),
  rule('require_approval', ['tool_result']),
])(
  'a rule that needs the key of the operator is refused without one, and the message says what to set: $action at $stages',
  async (needy) => {
    await expect(check([rule('flag', ['input']), needy], undefined)).rejects.toMatchObject({
      code: 'policy_invalid',
      message: expect.stringContaining('Ask the operator to set ARS_KEK_FILE'),
      param: 'rules.1.action',
    })
    expect(await check([needy], keyring)).toHaveLength(1)
  },
)

test('the rules of a template need the key, too', async () => {
  const template = findTemplate('pii-redact')
  const { rules } = rulesOfTemplate(template ?? expect.fail('no template'), {})
  await expect(check(rules, undefined)).rejects.toMatchObject({ code: 'policy_invalid' })
})

test('other rules need no key', async () => {
  const rules = [rule('block', ['output']), rule('flag', ['tool_call']), rule('require_approval', ['input'])]
  expect(await check(rules, undefined)).toHaveLength(3)
})
