import { pipelineBounds } from '@ars/contract'
import type { JsonValue } from '../../expressions/index.ts'
import { Fault } from '../../fault.ts'
import { isApproval, type PipelineDefinition, pipelineLimits } from '../definition.ts'
import type { DefinitionFacts, DefinitionProblem } from '../definition-problems.ts'

/** An agent that a step names, as the database keeps it. */
export type StepAgentRow = { id: string; status: 'active' | 'archived'; output_schema: JsonValue | null }

/** The agents that the steps name, each once, in the order of the steps. */
export const agentsNamedBy = ({ steps }: PipelineDefinition): string[] => [
  // A step that lacks both fields is found by the check.
  ...new Set(steps.flatMap((step) => (isApproval(step) || step.agent_id === undefined ? [] : [step.agent_id]))),
]

/** The agents of a definition with their output schemas, by the ids that customers see. */
export const agentFacts = (rows: ReadonlyMap<string, StepAgentRow>): DefinitionFacts['agents'] =>
  new Map([...rows].map(([id, { output_schema }]) => [id, { outputSchema: output_schema }]))

/** An archived agent is known to the check, so that what reads its output is checked too. */
export const archivedAgentProblems = (
  { steps }: PipelineDefinition,
  rows: ReadonlyMap<string, StepAgentRow>,
): DefinitionProblem[] =>
  steps.flatMap((step, at) =>
    !isApproval(step) && rows.get(step.agent_id)?.status === 'archived'
      ? [{ param: `steps.${at}.agent_id`, message: `names an archived agent: ${step.agent_id}` }]
      : [],
  )

export const sizeProblems = (definition: PipelineDefinition): DefinitionProblem[] => {
  const { definitionBytes } = pipelineBounds
  const bytes = Buffer.byteLength(JSON.stringify(definition))
  if (bytes <= definitionBytes) return []
  return [{ param: '', message: `has ${bytes} bytes of JSON; at most ${definitionBytes} are allowed` }]
}

/** The problems as a client sees them: with paths of the request, at most `pipelineLimits.problems`. */
export const toWireProblems = (problems: readonly DefinitionProblem[]) =>
  problems.slice(0, pipelineLimits.problems).map(({ param, message, position }) => ({
    param: param === '' ? 'definition' : `definition.${param}`,
    message,
    position: position ?? null,
  }))

/** The details of an error have no field for a position, so the message has it. */
export const requireNoProblems = (problems: readonly DefinitionProblem[]): void => {
  const details = toWireProblems(problems).map(({ param, message, position }) => ({
    param,
    message: position === null ? message : `${message} (position ${position})`,
  }))
  const [first] = details
  if (first) throw new Fault('config_invalid', `${first.param}: ${first.message}`, { param: first.param, details })
}
