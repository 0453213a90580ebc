/** Which versions of an agent are out, and how the runs are shared between them. */
export type Split = { live_version: number; canary_version: number | null; canary_percent: number | null }

/** What a run of an agent meets: what is out, and what its own side takes as input. */
export type Release = Split & {
  status: 'active' | 'archived'
  /** The version of the run's side. */
  version: number
  input_schema: Record<string, unknown> | null
}

/** What is known of an agent of which some version has an input schema. A version never changes, so none grows old. */
export type KnownRelease = Split & { schemas: ReadonlyMap<number, Record<string, unknown>> }

/** The version that a run with this bucket gets, as the accepting statement has it. */
export const versionAt = ({ live_version, canary_version, canary_percent }: Split, bucket: number): number =>
  canary_version !== null && canary_percent !== null && bucket < canary_percent * 100 ? canary_version : live_version

/** Keeps the schemas of versions that are still out, two at the most. Null: there is no schema to remember. */
export const learnRelease = (known: KnownRelease | undefined, release: Release): KnownRelease | null => {
  const { live_version, canary_version, canary_percent, version, input_schema } = release
  const schemas = new Map(
    [...(known?.schemas ?? [])].filter(([each]) => each === live_version || each === canary_version),
  )
  if (input_schema) schemas.set(version, input_schema)
  return schemas.size === 0 ? null : { live_version, canary_version, canary_percent, schemas }
}
