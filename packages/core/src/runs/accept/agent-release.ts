/** The released versions of an agent, and how runs are split between them. */
export type Split = { live_version: number; canary_version: number | null; canary_percent: number | null }

/** The release of an agent for one run, with the input schema of the side that the run gets. */
export type AgentRelease = Split & {
  status: 'active' | 'archived'
  /** The version that the run gets. */
  version: number
  input_schema: Record<string, unknown> | null
}

/** The known schemas of an agent, for agents with an input schema. A version never changes, so the schemas stay valid. */
export type KnownRelease = Split & { schemas: ReadonlyMap<number, Record<string, unknown>> }

/** The version that a run with this bucket gets. `accept.sql.ts` has the same rule. */
export const versionAt = ({ live_version, canary_version, canary_percent }: Split, bucket: number): number =>
  canary_version !== null && canary_percent !== null && bucket < canary_percent * 100 ? canary_version : live_version

/** Keeps the schemas of the released versions, at most two. Null: there is no schema to keep. */
export const learnRelease = (known: KnownRelease | undefined, release: AgentRelease): KnownRelease | null => {
  const { live_version, canary_version, canary_percent, version, input_schema } = release
  const schemas = new Map(
    [...(known?.schemas ?? [])].filter(([each]) => each === live_version || each === canary_version),
  )
  if (input_schema) schemas.set(version, input_schema)
  return schemas.size === 0 ? null : { live_version, canary_version, canary_percent, schemas }
}
