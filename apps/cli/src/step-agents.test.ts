import { expect, test } from 'vitest'
import { namesAgents, withAgentIds } from './step-agents.ts'

const id = (letter: string) => `ag_${letter.repeat(26)}`
const agents = [
  { id: id('a'), name: 'Reader', catalog_key: 'extractor' },
  { id: id('b'), name: 'extractor', catalog_key: null },
  { id: id('c'), name: 'Judge', catalog_key: 'classifier' },
  { id: id('d'), name: 'Twin', catalog_key: 'twin' },
  { id: id('e'), name: 'Twin', catalog_key: null },
]
const definitionOf = (...words: string[]) => ({ steps: words.map((agent_id, at) => ({ key: `s${at}`, agent_id })) })

test('a step names its agent by id, by name or by catalog key, and a name comes first', () => {
  const { definition, problems } = withAgentIds(definitionOf(id('z'), 'Reader', 'extractor', 'classifier'), agents)
  expect(problems).toEqual([])
  expect(definition).toEqual(definitionOf(id('z'), id('a'), id('b'), id('c')))
})

test('each name that no agent or several agents have is a problem at its step', () => {
  const { problems } = withAgentIds(definitionOf('Judge', 'nobody', 'Twin'), agents)
  expect(problems).toEqual([
    {
      param: 'definition.steps.1.agent_id',
      message: 'No active agent has the name or the catalog key nobody',
      position: null,
    },
    {
      param: 'definition.steps.2.agent_id',
      message: `Several agents have the name or the catalog key Twin. Use an id: ${id('d')} (Twin), ${id('e')} (Twin)`,
      position: null,
    },
  ])
})

test('a definition of another form is left to the service', () => {
  expect(namesAgents(definitionOf(id('a')))).toBe(false)
  expect(namesAgents(definitionOf('Reader'))).toBe(true)
  expect(withAgentIds('wrong', agents)).toEqual({ definition: 'wrong', problems: [] })
  expect(withAgentIds({ steps: ['wrong', { key: 'ask', approval: {} }] }, agents).problems).toEqual([])
})
