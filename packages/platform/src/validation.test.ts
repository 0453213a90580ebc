import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { validate } from './validation.ts'

const messagesOf = (schema: z.ZodType, value: unknown): string[] => {
  const result = validate(schema, value)
  if ('data' in result) return []
  return result.faults.map(({ path, message }) => [path.map(String).join('.'), message].filter(Boolean).join(' '))
}

const object = z.strictObject({ input: z.record(z.string(), z.unknown()), agent_id: z.string().optional() })

test('a valid value is returned as the schema parses it', () => {
  expect(validate(z.strictObject({ n: z.string().transform(Number) }), { n: '7' })).toEqual({ data: { n: 7 } })
})

test.each<[string, z.ZodType, unknown, string]>([
  ['a missing field', object, {}, 'input is required and must be a JSON object'],
  ['a wrong type', object, { input: 'x' }, 'input must be a JSON object'],
  ['null', object, { input: null }, 'input must be a JSON object'],
  ['a list', z.array(z.string()), 'x', 'must be a list'],
  ['a boolean', z.boolean(), 'yes', 'must be true or false'],
  ['an integer', z.int(), 1.5, 'must be an integer'],
  [
    'a missing choice',
    z.object({ role: z.enum(['owner', 'admin']) }),
    {},
    'role is required and must be one of owner, admin',
  ],
  [
    'a wrong choice',
    z.object({ role: z.enum(['owner', 'admin']) }),
    { role: 'boss' },
    'role must be one of owner, admin',
  ],
  ['a literal', z.literal('list'), 'x', 'must be list'],
  ['an empty string', z.string().min(1), '', 'must not be empty'],
  ['a short string', z.string().min(3), 'x', 'must have at least 3 characters'],
  ['a long string', z.string().max(1), 'xx', 'must have at most 1 character'],
  ['a long list', z.array(z.unknown()).max(2), [1, 2, 3], 'must have at most 2 items'],
  ['an exact length', z.string().length(3), 'x', 'must have exactly 3 characters'],
  ['a small number', z.number().min(1), 0, 'must be at least 1'],
  ['a large number', z.number().max(2), 3, 'must be at most 2'],
  ['an exclusive bound', z.number().gt(2), 2, 'must be more than 2'],
  ['a multiple', z.number().multipleOf(5), 7, 'must be a multiple of 5'],
  [
    'a date',
    z.iso.datetime(),
    'yesterday',
    'must be a date and time in ISO 8601 with a time zone, for example 2026-03-14T09:30:00Z',
  ],
  ['a URL', z.url(), 'x', 'must be a URL, for example https://example.com/hook'],
  ['a pattern without a message', z.string().regex(/^a$/), 'b', 'has the wrong format'],
  ['a message of the schema', z.string().regex(/^a$/, 'must be a'), 'b', 'must be a'],
  [
    'a key',
    z.record(z.string().max(2), z.unknown()),
    { long: 1 },
    'long is not a valid key: it must have at most 2 characters',
  ],
  ['a union', z.union([z.string(), z.number()]), true, 'must be a string, or must be a number'],
  [
    'a union of objects',
    z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]),
    {},
    'has none of the allowed forms',
  ],
])('%s is described in plain English', (_what, schema, value, message) => {
  expect(messagesOf(schema, value)).toEqual([message])
})

describe('an unknown field', () => {
  test.each([
    ['imput', 'input'],
    ['inptu', 'input'],
    ['Input', 'input'],
    ['agentId', 'agent_id'],
    ['agent-id', 'agent_id'],
    ['agnt_id', 'agent_id'],
  ])('%s is reported first, with the field that was probably meant', (name, similar) => {
    const result = validate(object, { [name]: {} })
    expect('faults' in result && result.faults[0]).toEqual({
      path: [name],
      message: `is not a known field; did you mean ${similar}?`,
      unknown: { similar: [similar] },
    })
  })

  test.each(['org_id', 'x', '', '__proto', 'output', 'i'.repeat(1_000)])('%s gets no suggestion', (name) => {
    const result = validate(object, { input: {}, [name]: {} })
    expect('faults' in result && result.faults).toEqual([
      { path: [name], message: 'is not a known field', unknown: { similar: null } },
    ])
  })

  test('of a nested object is compared with the fields of that object', () => {
    const nested = z.strictObject({ tools: z.array(z.strictObject({ allow: z.string().optional() })) })
    const result = validate(nested, { tools: [{ alow: 'x' }] })
    expect('faults' in result && result.faults[0]?.unknown).toEqual({ similar: ['tools', 0, 'allow'] })
  })
})
