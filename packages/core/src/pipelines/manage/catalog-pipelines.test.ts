import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CreatePipeline } from '@ars/contract'
import { systemClock } from '@ars/platform/clock'
import { createIdMaker } from '@ars/platform/id'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { builtInCatalogFolder } from '../../catalog/index.ts'
import { checkExpression, expressionTexts, type JsonValue } from '../../expressions/index.ts'
import { createValidator } from '../../schemas/index.ts'
import { isApproval, type PipelineDefinition } from '../definition.ts'
import { problemsOfDefinition } from '../definition-problems.ts'
import { agentsNamedBy } from './definition-fault.ts'

type CatalogPipeline = {
  key: string
  name: string
  description: string
  definition: PipelineDefinition
  sample_input: Record<string, unknown>
}

const folder = join(builtInCatalogFolder, 'pipelines')
const read = <Content>(file: string): Content => parse(readFileSync(file, 'utf8')) as Content
const files = readdirSync(folder).map((name) => [name, read<CatalogPipeline>(join(folder, name))] as const)

const schemaOf = (agent: string): JsonValue | null =>
  read<{ output_schema?: JsonValue }>(join(builtInCatalogFolder, `${agent}.yaml`)).output_schema ?? null

test('the catalog has three pipelines', () => {
  const keys = files.map(([, { key }]) => key).sort()
  expect(keys).toEqual(['approval-chain', 'document-review', 'fan-out-research'])
})

test.each(files)('%s has no problems with the catalog agents that it names', (name, pipeline) => {
  const { key, definition, sample_input } = pipeline
  expect(name).toBe(`${key}.yaml`)
  const agents = new Map(agentsNamedBy(definition).map((agent) => [agent, { outputSchema: schemaOf(agent) }]))
  expect(agents.size).toBeGreaterThan(1)
  expect(problemsOfDefinition(definition, { agents, check: checkExpression, texts: expressionTexts })).toEqual([])
  expect(sample_input).toBeTypeOf('object')
  const schemas = definition.steps.filter(isApproval).map(({ approval }) => approval.response_schema ?? {})
  const validator = createValidator()
  for (const schema of schemas) expect(validator.problemsOf(schema)).toEqual([])
})

test.each(files)('%s is a valid request once its agents are hired', (_, pipeline) => {
  const { name, description, definition } = pipeline
  const newId = createIdMaker(systemClock)
  const steps = definition.steps.map((step) => (isApproval(step) ? step : { ...step, agent_id: newId('ag') }))
  const request = { name, description, definition: { ...definition, steps } }
  expect(CreatePipeline.safeParse(request).error?.issues).toBeUndefined()
})
