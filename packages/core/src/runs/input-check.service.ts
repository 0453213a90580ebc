import { Fault } from '../fault.ts'
import type { Schemas } from '../models/index.ts'
import { type KnownRelease, learnRelease, type Release, versionAt } from './release.ts'

/** A run before it is accepted. */
export type AskedInput = { agentId: string; bucket: number; input: Record<string, unknown> }

/** Holds inputs against the schema of the version that their runs will get. */
export type InputCheck = {
  /** The version whose schema this input is known to fit, or null. Whether the run gets it, the accept sees. */
  fittingVersion(asked: AskedInput): number | null
  /** Refuses an input that does not fit, and remembers the schema. */
  check(asked: AskedInput, release: Release): void
}

/** Agents whose input schemas are remembered, so that the next run needs no look at the agent first. */
const knownAgentsMost = 1000

export const createInputCheck = ({ schemas }: { schemas: Schemas }): InputCheck => {
  // An agent is here only if a version of it that is out has an input schema.
  const knownAgents = new Map<string, KnownRelease>()

  const remember = (agentId: string, release: Release): void => {
    const learnt = learnRelease(knownAgents.get(agentId), release)
    knownAgents.delete(agentId)
    if (!learnt) return
    if (knownAgents.size >= knownAgentsMost) knownAgents.delete(knownAgents.keys().next().value as string)
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
      const problems = release.input_schema ? schemas.check(release.input_schema, input) : []
      if (problems.length === 0) return
      throw new Fault('input_invalid', `The input does not fit the agent: ${problems[0]}`, {
        param: 'input',
        details: problems.map((message) => ({ param: 'input', message })),
      })
    },
  }
}
