import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isDeeperThan, withoutSecret } from './json-value.ts'
import {
  mergeSelections,
  type NamelessTool,
  nameAll,
  nameTools,
  type PinnedTool,
  selectTools,
  toolLimits,
} from './tool-list.ts'
import type { ToolHints } from './tool-manifest.ts'
import { faultOfSchema } from './tool-schema.ts'

const reading: ToolHints = { read_only: true, destructive: true, idempotent: false, open_world: true }
const pinned = (name: string, hints: Partial<ToolHints> = {}): PinnedTool => ({
  name,
  state: 'approved',
  hash: `hash of ${name}`,
  manifest: {
    name,
    title: null,
    description: `About ${name}`,
    input_schema: {},
    output_schema: null,
    hints: { ...reading, ...hints },
  },
})
const off = (name: string, state: PinnedTool['state']): PinnedTool => ({ name, state, hash: null, manifest: null })
const select = (tools: readonly PinnedTool[], selection: { allow?: string[]; requireApproval?: string[] } = {}) =>
  selectTools(tools, { connectorId: 'con_a', ...selection })
const nameless = (connectorId: string, remoteName: string): NamelessTool => ({
  connectorId,
  remoteName,
  hash: 'h',
  description: '',
  inputSchema: {},
  repeatable: false,
  needsApproval: false,
})

test('an allow list that is left out offers all approved tools, an empty one none, and names offer these', () => {
  const tools = [pinned('read'), pinned('write')]
  const names = (allow?: string[]) => select(tools, allow ? { allow } : {}).tools.map(({ remoteName }) => remoteName)
  expect([names(), names([]), names(['write'])]).toEqual([['read', 'write'], [], ['write']])
})

test('tools that are not approved are off, also when they are allowed by name', () => {
  const tools = [pinned('read'), off('new', 'pending'), off('other', 'changed'), off('lost', 'gone')]
  const states = [
    { connectorId: 'con_a', remoteName: 'new', state: 'pending' },
    { connectorId: 'con_a', remoteName: 'other', state: 'changed' },
    { connectorId: 'con_a', remoteName: 'lost', state: 'gone' },
  ]
  expect(select(tools)).toMatchObject({ tools: [{ remoteName: 'read' }], off: states })
  expect(select(tools, { allow: ['new', 'other', 'lost'] })).toEqual({ tools: [], off: states })
})

test('a tool that is allowed by name and unknown is off as gone', () => {
  const { tools, off: left } = select([pinned('read')], { allow: ['read', 'gone'] })
  expect(tools).toHaveLength(1)
  expect(left).toEqual([{ connectorId: 'con_a', remoteName: 'gone', state: 'gone' }])
})

test('only a tool whose approved manifest is read-only or idempotent is repeatable', () => {
  const of = (hints: Partial<ToolHints>) => select([pinned('t', hints)]).tools[0]?.repeatable
  expect([of({}), of({ read_only: false, idempotent: true })]).toEqual([true, true])
  expect(of({ read_only: false })).toBe(false)
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

test('a tool that goes off renames no other, and a tool that was never approved cannot rename one', () => {
  const [a, b] = [nameless('con_a', 'search'), nameless('con_b', 'search')]
  const both = nameAll([a, b], []).tools.map(({ name }) => name)
  const offB = { connectorId: 'con_b', remoteName: 'search' }
  const changed = nameAll([a], [{ ...offB, state: 'changed' }])
  expect(changed.tools.map(({ name }) => name)).toEqual([both[0]])
  expect(changed.off.get(both[1] ?? '')).toMatchObject({ state: 'changed' })
  const added = nameAll([a], [{ connectorId: 'con_a', remoteName: 'Search', state: 'pending' }])
  expect(added.tools.map(({ name }) => name)).toEqual(['search'])
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
  const merged = (other: { allow?: string[]; requireApproval?: string[] }) =>
    mergeSelections([one, { connectorId: 'con_a', ...other }])[0]
  expect(merged({ allow: ['y'], requireApproval: [] })).toEqual({
    connectorId: 'con_a',
    allow: ['x', 'y'],
    requireApproval: ['x'],
  })
  expect(merged({})).toMatchObject({ allow: undefined, requireApproval: ['x'] })
  expect(merged({ allow: [] })).toMatchObject({ allow: ['x'] })
  const asks = (...lists: (string[] | undefined)[]) =>
    mergeSelections(lists.map((requireApproval) => ({ connectorId: 'con_a', requireApproval })))[0]?.requireApproval
  expect([asks([], []), asks([], undefined), asks(undefined, [])]).toEqual([[], undefined, undefined])
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
