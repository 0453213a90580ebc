import { describe, expect, test } from 'vitest'
import { changesBetween, createBody, moveEdit, patchBetween } from './agent-changes.ts'
import { type AgentContent, contentOf, fieldOfPath, fieldsOf, newFields } from './agent-fields.ts'

const llm: AgentContent = {
  name: 'Refund desk',
  description: 'Answers about refunds.',
  config: {
    model: 'simulated/script',
    fallback_models: ['simulated/echo', 'local/small'],
    instructions: 'Be brief.\nBe kind.',
    input_template: 'Q: ${{ input.query }}',
    temperature: 0.2,
    max_output_tokens: 500,
    script: [{ text: 'Hello' }],
    tools: [
      { connector_id: 'con_1', allow: ['find_order'], require_approval: ['refund'] },
      { connector_id: 'con_2', require_approval: [] },
      { connector_id: 'con_3' },
    ],
  },
  input_schema: { type: 'object', required: ['order'] },
  output_schema: null,
  limits: { timeout_seconds: 60, budget_usd: 0.5, approval: { by: 'person', not_starter: true } },
  metadata: { team: 'shop', stage: 'live' },
}
const remote: AgentContent = {
  ...llm,
  config: { url: 'https://agent.example.com/runs', auth: { type: 'bearer', header: null, hint: 'x1y2' } },
  limits: {},
}
/** The merge that the service does with a request (RFC 7396). */
const merged = (old: Record<string, unknown>, patch: Record<string, unknown>) =>
  Object.fromEntries(Object.entries({ ...old, ...patch }).filter(([, value]) => value !== null))
const patched = (old: AgentContent, patch: ReturnType<typeof patchBetween>) => ({
  ...old,
  ...patch,
  config: merged(old.config, patch.config ?? {}),
  limits: merged(old.limits, patch.limits ?? {}),
  metadata: merged(old.metadata, patch.metadata ?? {}),
})

describe('the form of an agent', () => {
  test('shows an agent and gives the same agent back', () => {
    expect(contentOf(fieldsOf(llm, 'llm'))).toEqual({ content: llm, faults: [] })
    expect(contentOf(fieldsOf(remote, 'remote'), remote)).toEqual({ content: remote, faults: [] })
  })

  test('an untouched form changes nothing', () => {
    const { content } = contentOf(fieldsOf(llm, 'llm'))
    expect(changesBetween(llm, content)).toEqual([])
    expect(patchBetween(llm, content)).toEqual({})
  })

  test('the request of an edit makes the edited agent, also where something was removed', () => {
    const fields = fieldsOf(llm, 'llm')
    const { content } = contentOf({
      ...fields,
      description: '',
      model: 'simulated/echo',
      temperature: '',
      tools: fields.tools.slice(0, 1),
      input_schema: '',
      output_schema: '{"type":"object"}',
      budget_usd: '',
      max_steps: '5',
      approval_by: 'anyone',
      approval_not_starter: false,
      metadata: [
        { key: 'team', value: 'shop' },
        { key: 'cost_centre', value: '7' },
      ],
    })
    const patch = patchBetween(llm, content)
    expect(patch).toMatchObject({
      description: null,
      config: { model: 'simulated/echo', temperature: null, script: null },
      input_schema: null,
      limits: { budget_usd: null, max_steps: 5, approval: null },
      metadata: { stage: null, cost_centre: '7' },
    })
    expect(patch.name).toBeUndefined()
    expect(patched(llm, patch)).toEqual(content)
  })

  test('differences are listed by path; a list and a schema are one field', () => {
    const fields = fieldsOf(llm, 'llm')
    const { content } = contentOf({ ...fields, temperature: '0.7', tools: [], input_schema: '{"type":"object"}' })
    expect(changesBetween(llm, content)).toEqual([
      { path: 'config.temperature', old: 0.2, new: 0.7 },
      { path: 'config.tools', old: llm.config.tools, new: null },
      { path: 'input_schema', old: llm.input_schema, new: { type: 'object' } },
    ])
  })

  test('a new agent is sent without empty parts', () => {
    const { content } = contentOf({ ...newFields('llm'), name: ' Mine ', model: 'simulated/echo' })
    expect(createBody(content, 'llm')).toEqual({ name: 'Mine', kind: 'llm', config: { model: 'simulated/echo' } })
  })

  test('mistakes are told at their fields', () => {
    const { faults } = contentOf({
      ...newFields('llm'),
      model: 'openai/*',
      temperature: 'warm',
      input_schema: '{',
      output_schema: '[]',
      tools: [{ connector_id: '', use: 'all', allow: [], ask: 'default', require_approval: [] }],
      metadata: [
        { key: 'a', value: '1' },
        { key: 'a', value: '2' },
      ],
    })
    expect(faults.map(({ field }) => field)).toEqual([
      'name',
      'model',
      'tools.0.connector_id',
      'temperature',
      'input_schema',
      'output_schema',
      'metadata',
    ])
    const noSecret = contentOf({ ...newFields('remote'), name: 'R', auth_type: 'header' })
    expect(noSecret.faults.map(({ field }) => field)).toEqual(['url', 'auth_header', 'auth_secret'])
  })

  test.each([
    ['config.model', 'model'],
    ['config.tools.2.allow.0', 'tools.2.connector_id'],
    ['config.auth.token', 'auth_secret'],
    ['limits.budget_usd', 'budget_usd'],
    ['input_schema', 'input_schema'],
    ['metadata.team', 'metadata'],
    ['rollout.rollback_rules.0.metric', 'rollout.rollback_rules.0.metric'],
  ])('the path %s belongs to the field %s', (path, field) => {
    expect(fieldOfPath(path)).toBe(field)
  })
})

describe('an edit after another person has changed the agent', () => {
  const base = fieldsOf(llm, 'llm')

  test('keeps what was edited and takes the rest from the newer version', () => {
    const mine = { ...base, instructions: 'Be very brief.' }
    const theirs = { ...base, temperature: '0.9', name: 'Refunds' }
    expect(moveEdit({ base, mine, theirs })).toEqual({
      fields: { ...base, instructions: 'Be very brief.', temperature: '0.9', name: 'Refunds' },
      both: [],
    })
  })

  test('names the fields that both have changed, and keeps the edit there', () => {
    const mine = { ...base, name: 'Desk A', model: 'simulated/echo' }
    const theirs = { ...base, name: 'Desk B', model: 'simulated/echo' }
    const moved = moveEdit({ base, mine, theirs })
    expect(moved.fields.name).toBe('Desk A')
    expect(moved.both).toEqual(['name'])
  })
})
