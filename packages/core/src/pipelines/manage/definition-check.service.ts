import { canonicalJson } from '@ars/platform/crypto'
import type { Database } from '@ars/platform/db/database'
import { fromUuid, toUuid } from '@ars/platform/id'
import type { JsonSchema, Schemas } from '../../schemas/index.ts'
import { isApproval, type PipelineDefinition, pipelineLimits } from '../definition.ts'
import type { DefinitionFacts, DefinitionProblem } from '../definition-problems.ts'
import { agentFacts, agentsNamedBy, archivedAgentProblems, sizeProblems } from './definition-fault.ts'
import { listStepAgents } from './step-agent.store.ts'

export type DefinitionCheckDeps = {
  app: Database
  schemas: Pick<Schemas, 'checkSchema'>
  /** `problemsOfDefinition` in a thread that counts for the organisation. */
  check(
    org: string,
    definition: PipelineDefinition,
    agents: DefinitionFacts['agents'],
  ): Promise<readonly DefinitionProblem[]>
}

/**
 * Everything that keeps a definition from being saved. It can wait for a thread, so no transaction may be open. An agent can be
 * archived or changed a moment later: a pipeline run checks it again when it starts the step.
 */
export const findDefinitionProblems = async (
  { app, schemas, check }: DefinitionCheckDeps,
  org: string,
  definition: PipelineDefinition,
): Promise<DefinitionProblem[]> => {
  const size = sizeProblems(definition)
  // Nothing else is checked: the work would grow with the size of a mistake.
  if (size.length > 0) return size
  const named = await listStepAgents(app, org, agentsNamedBy(definition).map(toUuid))
  const rows = new Map(named.map((row) => [fromUuid('ag', row.id) as string, row]))
  return [
    ...archivedAgentProblems(definition, rows),
    ...(await check(org, definition, agentFacts(rows))),
    ...(await findSchemaProblems(schemas, org, definition)),
  ]
}

/** Equal schemas are checked once. */
const findSchemaProblems = async (
  schemas: DefinitionCheckDeps['schemas'],
  org: string,
  { steps }: PipelineDefinition,
): Promise<DefinitionProblem[]> => {
  const known = new Map<string, readonly string[]>()
  const problems: DefinitionProblem[] = []
  for (const [at, step] of steps.entries()) {
    const schema = isApproval(step) ? step.approval.response_schema : undefined
    if (schema === undefined || problems.length >= pipelineLimits.problems) continue
    const text = canonicalJson(schema)
    const messages = known.get(text) ?? (await schemas.checkSchema(org, schema as JsonSchema))
    known.set(text, messages)
    problems.push(...messages.map((message) => ({ param: `steps.${at}.approval.response_schema`, message })))
  }
  return problems
}
