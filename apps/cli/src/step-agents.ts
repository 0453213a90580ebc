import type { Agent } from '@agent-run-service/sdk'
import { cliBounds } from './bounds.ts'
import type { FileProblem } from './pipeline-file.ts'
import { isRecord } from './record.ts'

type NamedAgent = Pick<Agent, 'id' | 'name' | 'catalog_key'>

/** Whether a step names its agent by something else than its id. */
export const namesAgents = (definition: unknown): boolean => agentWords(definition).some(({ word }) => !isId(word))

/** The definition with the id of each agent, and what is wrong with the names. */
export const withAgentIds = (
  definition: unknown,
  agents: readonly NamedAgent[],
): { definition: unknown; problems: FileProblem[] } => {
  const problems: FileProblem[] = []
  const ids = new Map<number, string>()
  for (const { at, word } of agentWords(definition)) {
    const found = findAgent(word, agents)
    if ('message' in found)
      problems.push({ param: `definition.steps.${at}.agent_id`, message: found.message, position: null })
    else ids.set(at, found.id)
  }
  if (!isRecord(definition) || !Array.isArray(definition.steps)) return { definition, problems }
  const steps = definition.steps.map((step: unknown, at) => {
    const id = ids.get(at)
    return id !== undefined && isRecord(step) ? { ...step, agent_id: id } : step
  })
  return { definition: { ...definition, steps }, problems }
}

/** By id, by name, or by the key of the catalog. A name comes first, because people choose it. */
const findAgent = (word: string, agents: readonly NamedAgent[]): { id: string } | { message: string } => {
  if (isId(word)) return { id: word }
  const named = agents.filter(({ name }) => name === word)
  const found = named.length > 0 ? named : agents.filter(({ catalog_key }) => catalog_key === word)
  const [first, ...others] = found
  if (!first) return { message: `No active agent has the name or the catalog key ${word}` }
  if (others.length === 0) return { id: first.id }
  const ids = found.slice(0, maxShown).map(({ id, name }) => `${id} (${name})`)
  return { message: `Several agents have the name or the catalog key ${word}. Use an id: ${ids.join(', ')}` }
}

const maxShown = cliBounds.idsTold.count

const isId = (word: string): boolean => /^ag_[0-9a-z]{26}$/.test(word)

const agentWords = (definition: unknown): { at: number; word: string }[] => {
  if (!isRecord(definition) || !Array.isArray(definition.steps)) return []
  return definition.steps.flatMap((step: unknown, at) =>
    isRecord(step) && typeof step.agent_id === 'string' ? [{ at, word: step.agent_id }] : [],
  )
}
