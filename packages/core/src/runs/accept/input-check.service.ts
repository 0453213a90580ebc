import { Fault } from '../../fault.ts'
import type { Schemas } from '../../models/index.ts'
import { type AgentRelease, type KnownRelease, learnRelease, versionAt } from './agent-release.ts'

/** A run before it is accepted. */
export type AskedInput = { agentId: string; bucket: number; input: Record<string, unknown> }

/** Checks inputs against the schema of the version that their runs will get. */
export type InputCheck = {
  /** The version whose known schema accepts the input, or null. The accept checks that the run gets this version. */
  fittingVersion(asked: AskedInput): number | null
  /** Throws if the schema does not accept the input. Remembers the schema. */
  check(asked: AskedInput, release: AgentRelease): void
}

/** Agents whose input schemas are remembered, so that the next run needs no query first. */
const maxKnownAgents = 1000

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

  return {
    fittingVersion: ({ agentId, bucket, input }) => {
      const known = knownAgents.get(agentId)
      if (!known) return null
      const version = versionAt(known, bucket)
      const schema = known.schemas.get(version)
      return schema && schemas.check(schema, input).length === 0 ? version : null
    },
    check: ({ agentId, input }, release) => {
      remember(agentId, release)
      const faults = release.input_schema ? schemas.faultsOf(release.input_schema, input, 'input') : []
      const [fault] = faults
      if (fault) throw new Fault('input_invalid', fault.message, { param: fault.param, details: faults })
    },
  }
}
