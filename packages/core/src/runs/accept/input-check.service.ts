import { Fault } from '../../fault.ts'
import type { JsonSchema, SchemaFault, Schemas } from '../../schemas/index.ts'
import { runsBounds } from '../bounds.ts'
import { type AgentRelease, type KnownRelease, learnRelease, versionAt } from './agent-release.ts'

/** A run before it is accepted. */
export type AskedInput = { agentId: string; bucket: number; input: Record<string, unknown> }

/** The result of a check against the schema of one version. `fault` is the reason why it could not be made. */
export type InputVerdict = { version: number; faults: readonly SchemaFault[]; fault?: Fault }

/** Checks inputs against the schema of the version that their runs will get. */
export type InputCheck = {
  /** The verdict of the known schema, or null. The accept checks that the run gets this version. Never throws a fault. */
  judge(org: string, asked: AskedInput): Promise<InputVerdict | null>
  /** Throws if the schema does not accept the input. Remembers the schema. `checked` spares a second check. */
  check(org: string, asked: AskedInput, known: { release: AgentRelease; checked: InputVerdict | null }): Promise<void>
}

/** Agents whose input schemas are remembered, so that the next run needs no query first. */
const maxKnownAgents = runsBounds.inputSchemasKnown.count

export const createInputCheck = ({ schemas }: { schemas: Schemas }): InputCheck => {
  // Only agents of which a released version has an input schema.
  const knownAgents = new Map<string, KnownRelease>()

  const remember = (agentId: string, release: AgentRelease): void => {
    const learnt = learnRelease(knownAgents.get(agentId), release)
    knownAgents.delete(agentId)
    if (!learnt) return
    if (knownAgents.size >= maxKnownAgents) knownAgents.delete(knownAgents.keys().next().value as string)
    knownAgents.set(agentId, learnt)
  }

  const judgeBy = async (
    org: string,
    { schema, version }: { schema: JsonSchema; version: number },
    { input }: AskedInput,
  ): Promise<InputVerdict> => {
    try {
      return { version, faults: await schemas.faultsOf(org, schema, { value: input, field: 'input' }) }
    } catch (error) {
      if (error instanceof Fault) return { version, faults: [], fault: error }
      throw error
    }
  }

  return {
    judge: async (org, asked) => {
      const known = knownAgents.get(asked.agentId)
      if (!known) return null
      const version = versionAt(known, asked.bucket)
      const schema = known.schemas.get(version)
      return schema ? judgeBy(org, { schema, version }, asked) : null
    },
    check: async (org, asked, { release, checked }) => {
      remember(asked.agentId, release)
      const { input_schema: schema, version } = release
      if (!schema) return
      const { faults, fault } = checked?.version === version ? checked : await judgeBy(org, { schema, version }, asked)
      if (fault) throw fault
      const [first] = faults
      if (first) throw new Fault('input_invalid', first.message, { param: first.param, details: faults })
    },
  }
}
