import fc from 'fast-check'
import { expect, test } from 'vitest'
import { mergeObjects } from '../content-change.ts'
import type { AgentContent } from './agent.ts'
import { applyPatch, changesBetween, takeCatalog } from './agent-change.ts'

const content: AgentContent = {
  name: 'Triage',
  description: 'Sorts what comes in.',
  config: { model: 'simulated/echo', instructions: 'Be brief.', temperature: 0.2 },
  input_schema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  output_schema: null,
  limits: { max_steps: 5, timeout_seconds: 60 },
  policies: [],
  metadata: { team: 'mail', cost: 'low' },
}

test('omitted fields stay, null clears, objects are merged and lists are replaced', () => {
  const patched = applyPatch(content, {
    description: null,
    config: { temperature: null, model: 'simulated/slow' },
    limits: { max_steps: null, budget_usd: 2 },
    metadata: { team: null, owner: 'Ada' },
    policies: ['a'],
  })
  expect(patched).toEqual({
    ...content,
    description: null,
    config: { model: 'simulated/slow', instructions: 'Be brief.' },
    limits: { timeout_seconds: 60, budget_usd: 2 },
    metadata: { cost: 'low', owner: 'Ada' },
    policies: ['a'],
  })
  expect(applyPatch(patched, { limits: null, metadata: null, policies: null })).toMatchObject({
    limits: {},
    metadata: {},
    policies: [],
  })
})

test('a schema is replaced as a whole and never merged', () => {
  const next = { type: 'object', additionalProperties: false }
  expect(applyPatch(content, { input_schema: next }).input_schema).toEqual(next)
  expect(applyPatch(content, { input_schema: null }).input_schema).toBeNull()
})

test('an empty patch changes nothing', () => {
  expect(changesBetween(content, applyPatch(content, {}))).toEqual([])
  expect(changesBetween(content, applyPatch(content, { config: { temperature: 0.2 }, output_schema: null }))).toEqual(
    [],
  )
})

test('the changes list each field with its old and new value', () => {
  const patched = applyPatch(content, {
    name: 'Sorter',
    config: { temperature: 0.9, max_output_tokens: 100 },
    input_schema: { type: 'object' },
    metadata: { team: null },
  })
  expect(changesBetween(content, patched)).toEqual([
    { path: 'name', old: 'Triage', new: 'Sorter' },
    { path: 'config.max_output_tokens', old: null, new: 100 },
    { path: 'config.temperature', old: 0.2, new: 0.9 },
    { path: 'input_schema', old: content.input_schema, new: { type: 'object' } },
    { path: 'metadata.team', old: 'mail', new: null },
  ])
})

test('a field named __proto__ is treated like any other field', () => {
  const merged = mergeObjects({ a: 1 }, JSON.parse('{"__proto__": {"polluted": true}}'))
  expect(Object.keys(merged)).toEqual(['a', '__proto__'])
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
})

const base = {
  name: 'Triage',
  description: 'Sorts.',
  config: { model: 'simulated/echo', instructions: 'Version 1.', temperature: 0.2 },
  input_schema: { type: 'object' },
  output_schema: null,
  limits: { max_steps: 5 },
}
const theirs = {
  ...base,
  description: 'Sorts better.',
  config: { model: 'simulated/slow', instructions: 'Version 2.', max_output_tokens: 200 },
  input_schema: { type: 'object', required: ['text'] },
  limits: { max_steps: 9, timeout_seconds: 30 },
}
const mineOf = (changed: Partial<AgentContent>): AgentContent => ({ ...base, policies: [], metadata: {}, ...changed })

test('an organisation without local changes receives the catalog’s newer agent unchanged', () => {
  expect(takeCatalog(base, mineOf({ metadata: { a: 'b' } }), theirs)).toEqual({
    ...theirs,
    policies: [],
    metadata: { a: 'b' },
  })
})

test('fields that the organisation changed since hiring keep their values', () => {
  const mine = mineOf({
    name: 'Our triage',
    config: { model: 'openai/gpt', instructions: 'Version 1.', temperature: 0.7 },
    input_schema: { type: 'object', required: ['ours'] },
    limits: {},
  })
  expect(takeCatalog(base, mine, theirs)).toMatchObject({
    name: 'Our triage',
    description: 'Sorts better.',
    config: { model: 'openai/gpt', instructions: 'Version 2.', temperature: 0.7, max_output_tokens: 200 },
    input_schema: { type: 'object', required: ['ours'] },
    limits: { timeout_seconds: 30 },
  })
  expect(takeCatalog(base, mine, theirs).limits).not.toHaveProperty('max_steps')
})

test('a field that both sides removed stays removed, and a field that the organisation removed does not return', () => {
  const mine = mineOf({ config: { model: 'simulated/echo', instructions: 'Version 1.' } })
  expect(takeCatalog(base, mine, theirs).config).toEqual(theirs.config)
  expect(takeCatalog(base, mine, { ...theirs, config: { ...base.config } }).config).not.toHaveProperty('temperature')
})

test('the list of changes is empty exactly when both contents are equal', () => {
  const json = fc.dictionary(
    fc.constantFrom('a', 'b', 'c'),
    fc.oneof(fc.integer(), fc.string(), fc.array(fc.integer())),
  )
  fc.assert(
    fc.property(json, json, (one, other) => {
      const changes = changesBetween({ ...content, config: one }, { ...content, config: other })
      const patched = mergeObjects(one, Object.fromEntries(changes.map((each) => [each.path.slice(7), each.new])))
      expect(patched).toEqual(other)
    }),
  )
})
