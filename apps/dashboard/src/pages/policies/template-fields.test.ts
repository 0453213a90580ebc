import type { PolicyTemplate, PolicyTemplateParam } from '@agent-run-service/sdk'
import { expect, test } from 'vitest'
import { checkTemplate, fieldsOfTemplate, paramsOf } from './template-fields.ts'

const param = (name: string, more: Partial<PolicyTemplateParam>): PolicyTemplateParam => ({
  name,
  type: 'string',
  description: '',
  required: false,
  default: null,
  values: null,
  ...more,
})

const templateOf = (...params: PolicyTemplateParam[]): PolicyTemplate => ({
  id: 'x',
  object: 'policy_template',
  key: 'x',
  name: 'X',
  description: '',
  params,
  rules: [],
})

const all = templateOf(
  param('tools', { type: 'string_list', required: true }),
  param('kinds', { type: 'string_list', default: ['email', 'ip'], values: ['email', 'ip', 'card'] }),
  param('words', { type: 'string_list', default: ['sudo ', 'eval('] }),
  param('limit', { type: 'number', required: true }),
  param('field', { default: 'amount' }),
  param('model', {}),
  param('schema', { type: 'object', default: { type: 'object' } }),
)

test('defaults come back as they were, and empty parameters are left out', () => {
  const fields = { ...fieldsOfTemplate(all), tools: 'search\n\n refund \n', limit: '99.5' }
  expect(checkTemplate(all, fields)).toEqual({})
  expect(paramsOf(all, fields)).toEqual({
    tools: ['search', 'refund'],
    kinds: ['email', 'ip'],
    words: ['sudo ', 'eval('],
    limit: 99.5,
    field: 'amount',
    schema: { type: 'object' },
  })
})

test('a missing or wrong parameter is named', () => {
  const fields = { ...fieldsOfTemplate(all), kinds: [], limit: '-1', schema: [] }
  expect(Object.keys(checkTemplate(all, fields))).toEqual(['tools', 'kinds', 'limit', 'schema'])
})
