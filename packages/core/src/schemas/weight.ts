import { limits } from '@ars/contract'
import { type JsonSchema, type Part, SchemaProblem, surveyOf } from './survey.ts'

/** What a schema can cost, computed without evaluating it. */
export type Weight = {
  text: string
  subSchemas: number
  /** The ways from the root to a sub-schema, references followed. */
  paths: number
  patterns: readonly { path: string; source: string }[]
}

/** A schema is refused with these sentences when it is handed in. Each names the limit and the actual value. */
export type Weighed = { kind: 'ok'; weight: Weight } | { kind: 'refused'; problems: string[] }

// Schemas are data that nobody changes, so the result belongs to the object.
const known = new WeakMap<JsonSchema, Weighed>()

export const weigh = (schema: JsonSchema): Weighed => {
  const found = known.get(schema)
  if (found) return found
  const weighed = weighNew(schema)
  known.set(schema, weighed)
  return weighed
}

const weighNew = (schema: JsonSchema): Weighed => {
  if (isDeeperThan(schema, limits.schemaDepth))
    return refused(`The schema is nested deeper than the ${limits.schemaDepth} levels that are allowed`)
  const text = JSON.stringify(schema)
  const bytes = Buffer.byteLength(text)
  if (bytes > limits.schemaBytes) return refused(tooMany(bytes, 'bytes', limits.schemaBytes))
  try {
    const { partsOf, patterns } = surveyOf(schema)
    if (partsOf.size > limits.schemaSubschemas)
      return refused(tooMany(partsOf.size, 'sub-schemas', limits.schemaSubschemas))
    const long = patterns.find(({ source }) => source.length > limits.schemaPatternChars)
    if (long)
      return refused(
        `${long.path} has ${long.source.length} characters; at most ${limits.schemaPatternChars} are allowed`,
      )
    const paths = pathsIn(schema, partsOf)
    if (paths > limits.schemaPaths) return refused(tooMany(paths, 'paths through its references', limits.schemaPaths))
    return { kind: 'ok', weight: { text, subSchemas: partsOf.size, paths, patterns } }
  } catch (error) {
    if (error instanceof SchemaProblem) return refused(error.message)
    throw error
  }
}

const refused = (problem: string): Weighed => ({ kind: 'refused', problems: [problem] })

const tooMany = (actual: number, unit: string, max: number): string =>
  `The schema has ${actual > 1e15 ? 'more than 1e15' : actual} ${unit}; at most ${max} are allowed`

/**
 * The number of paths, by addition: a definition that is referenced twice counts twice and is visited once. A schema that
 * contains itself is counted up to the repetition; how often it repeats depends on the value.
 */
const pathsIn = (root: JsonSchema, partsOf: ReadonlyMap<JsonSchema, readonly Part[]>): number => {
  const inPlace = countPaths(partsOf, ({ isInPlace }) => isInPlace, {
    onCycle: () => {
      throw new SchemaProblem('The schema refers to itself without descending into the value, so it has no end')
    },
  })
  const all = countPaths(partsOf, ({ isApplied }) => isApplied, { onCycle: () => 1 })
  // All sub-schemas are counted in place: a cycle through the value must not hide one.
  return Math.max(all(root), ...[...partsOf.keys()].map(inPlace))
}

const countPaths = (
  partsOf: ReadonlyMap<JsonSchema, readonly Part[]>,
  isWanted: (part: Part) => boolean,
  { onCycle }: { onCycle: () => number },
) => {
  const counted = new Map<JsonSchema, number>()
  const entered = new Set<JsonSchema>()
  const count = (schema: JsonSchema): number => {
    const paths = counted.get(schema)
    if (paths !== undefined) return paths
    if (entered.has(schema)) return onCycle()
    entered.add(schema)
    let sum = 1
    for (const part of partsOf.get(schema) ?? []) if (isWanted(part)) sum += count(part.schema)
    entered.delete(schema)
    counted.set(schema, sum)
    return sum
  }
  return count
}

const isDeeperThan = (value: unknown, max: number): boolean => {
  if (typeof value !== 'object' || value === null) return false
  if (max === 0) return true
  return Object.values(value).some((item) => isDeeperThan(item, max - 1))
}
