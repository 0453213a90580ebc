import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isDeeperThan, withoutSecret } from './json-value.ts'
import { type ListedTool, mergeSelections, type NamelessTool, nameTools, selectTools, toolLimits } from './tool-list.ts'
import { faultOfSchema } from './tool-schema.ts'

const listed = (name: string, more: Partial<ListedTool> = {}): ListedTool => ({ name, inputSchema: {}, ...more })
const select = (tools: readonly ListedTool[], selection: { allow?: string[]; requireApproval?: string[] } = {}) =>
  selectTools(tools, { connectorId: 'con_a', ...selection }, toolLimits)
const nameless = (connectorId: string, remoteName: string): NamelessTool => ({
  connectorId,
  remoteName,
  description: '',
  inputSchema: {},
  repeatable: false,
  needsApproval: false,
})

test('without an allow list, or with an empty one, all tools are offered; with one, only the listed tools', () => {
  const tools = [listed('read'), listed('write')]
  expect(select(tools).tools.map(({ remoteName }) => remoteName)).toEqual(['read', 'write'])
  expect(select(tools, { allow: [] }).tools).toHaveLength(2)
  expect(select(tools, { allow: ['write'] }).tools.map(({ remoteName }) => remoteName)).toEqual(['write'])
})

test('a tool that is allowed by name and no longer listed is reported and not offered', () => {
  const { tools, leftOut } = select([listed('read')], { allow: ['read', 'gone'] })
  expect(tools).toHaveLength(1)
  expect(leftOut).toEqual([{ connectorId: 'con_a', remoteName: 'gone', reason: 'the server does not list it' }])
})

test('only a tool that its server marks read-only or idempotent is repeatable', () => {
  const of = (annotations: ListedTool['annotations']) => select([listed('t', { annotations })]).tools[0]?.repeatable
  expect([of({ readOnlyHint: true }), of({ idempotentHint: true })]).toEqual([true, true])
  expect([of(undefined), of({}), of({ readOnlyHint: false, idempotentHint: false })]).toEqual([false, false, false])
})

test('a tool that needs approval is marked so', () => {
  const { tools } = select([listed('read'), listed('write')], { requireApproval: ['write'] })
  expect(tools.map(({ needsApproval }) => needsApproval)).toEqual([false, true])
})

test('a description of one megabyte is truncated without splitting a character', () => {
  const description = select([listed('t', { description: 'ü'.repeat(500_000) })]).tools[0]?.description ?? ''
  expect(Buffer.byteLength(description)).toBeLessThanOrEqual(toolLimits.maxDescriptionBytes)
  expect(description).toMatch(/^ü+…$/)
})

test('a tool with an invalid or duplicate name is omitted', () => {
  const { tools, leftOut } = select([listed(''), listed('a\u0000b'), listed('x'.repeat(200)), listed('a'), listed('a')])
  expect(tools).toHaveLength(1)
  expect(leftOut.map(({ reason }) => reason)).toEqual([
    'its name is empty or holds control characters',
    'its name is empty or holds control characters',
    'its name is longer than 128 characters',
    'the server lists another tool of this name',
  ])
})

const nested = (depth: number): Record<string, unknown> => {
  let schema = {}
  for (let level = 0; level < depth; level++) schema = { items: schema }
  return schema
}

test.for<[string, Record<string, unknown>, string | undefined]>([
  ['plain', { type: 'object', properties: { a: { type: 'string' } } }, undefined],
  ['without a type', { properties: {} }, undefined],
  ['of something else', { type: 'string' }, 'its schema does not describe an object'],
  ['too deep', nested(100_000), 'its schema is deeper than 32 levels'],
  ['too large', { description: 'x'.repeat(40_000) }, 'its schema is larger than 32768 bytes'],
  [
    'with a part used twice',
    { $defs: { a: {} }, properties: { x: { $ref: '#/$defs/a' }, y: { $ref: '#/$defs/a' } } },
    undefined,
  ],
  ['that is its own part', { properties: { child: { $ref: '#' } } }, 'its schema refers to itself'],
  [
    'with a circle',
    { $defs: { a: { $ref: '#/$defs/b' }, b: { items: { $ref: '#/$defs/a' } } }, $ref: '#/$defs/a' },
    'its schema refers to itself',
  ],
  ['with a missing part', { $ref: '#/$defs/none' }, 'its schema refers to a part that is not there'],
  ['of another site', { $ref: 'https://example.com/schema.json' }, 'its schema refers to another document'],
])('a schema %s is validated', ([, schema, fault]) => {
  expect(faultOfSchema(schema, toolLimits)).toBe(fault)
})

test('tools keep the server’s names if they are safe and unique', () => {
  const names = nameTools([nameless('con_a', 'search'), nameless('con_b', 'send_email')]).map(({ name }) => name)
  expect(names).toEqual(['search', 'send_email'])
})

test('the same tool on two servers gets two names, stable across steps and orders', () => {
  const [a, b] = [nameless('con_a', 'search'), nameless('con_b', 'search')]
  const [first, second] = nameTools([a, b])
  expect(first?.name).not.toBe(second?.name)
  expect(nameTools([b, a]).map(({ name }) => name)).toEqual([second?.name, first?.name])
})

test('tool names are unique and safe for every provider, whatever the servers send', () => {
  const tools = fc.uniqueArray(
    fc.tuple(fc.constantFrom('con_a', 'con_b'), fc.string({ unit: 'binary', maxLength: 90 })),
    {
      selector: ([connector, name]) => `${connector} ${name}`,
    },
  )
  fc.assert(
    fc.property(tools, (given) => {
      const names = nameTools(given.map(([connector, name]) => nameless(connector, name))).map(({ name }) => name)
      for (const name of names) expect(name).toMatch(/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/)
      expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length)
    }),
  )
})

test('two selections of one connector are merged: the union of allowed tools and of required approvals', () => {
  const one = { connectorId: 'con_a', allow: ['x'], requireApproval: ['x'] }
  expect(mergeSelections([one, { connectorId: 'con_a', allow: ['y'] }])).toEqual([
    { connectorId: 'con_a', allow: ['x', 'y'], requireApproval: ['x'] },
  ])
  expect(mergeSelections([one, { connectorId: 'con_a' }, one])[0]).toMatchObject({
    allow: [],
    requireApproval: ['x', 'x'],
  })
})

test('a credential is redacted from every text of a result', () => {
  const result = { a: ['Bearer s3cret-value'], s: 's3cret-values', n: 1, none: null }
  expect(withoutSecret(result, 's3cret-value')).toEqual({
    a: ['Bearer [credential]'],
    s: '[credential]s',
    n: 1,
    none: null,
  })
  expect(withoutSecret(result, null)).toBe(result)
})

test('depth is measured without recursion', () => {
  expect(isDeeperThan(nested(64), 64)).toBe(false)
  expect(isDeeperThan(nested(65), 64)).toBe(true)
  expect(isDeeperThan(nested(200_000), 64)).toBe(true)
})
