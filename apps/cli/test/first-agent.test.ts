import { expect, test } from 'vitest'
import { describeAgent, usualModel } from '../src/first-agent.ts'

const model = (id: string) => ({ id, provider: id.slice(0, id.indexOf('/')), is_pattern: id.endsWith('*') })
const [echo, local, openai] = [model('simulated/echo'), model('local/*'), model('openai/*')]

test.for([
  ['a model that is named in full', [local, model('openai/gpt-5'), openai, echo], 'openai/gpt-5'],
  ['a small model of the first known vendor, also behind other providers', [local, openai, echo], 'openai/gpt-5-mini'],
  ['the simulated model, if only its server knows the names', [local, echo], 'simulated/echo'],
  ['the simulated model, if there is no other', [echo], 'simulated/echo'],
] as const)('a first agent gets %s', ([, models, usual]) => {
  expect(usualModel(models)).toBe(usual)
})

test('a person who got a simulated model reads how to get a real one', () => {
  const made = { id: 'ag_1', model: 'simulated/echo', isNew: true }
  expect(describeAgent({ ...made, offered: ['local/*'] })).toMatch(/is simulated.*name it with --model, of local\/\*$/)
  expect(describeAgent({ ...made, offered: [] })).toMatch(/is simulated.*"ars provider-keys set"/)
  expect(describeAgent({ ...made, model: 'openai/x' })).toBe('Created the agent ag_1 on openai/x.')
})
