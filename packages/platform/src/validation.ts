import type { z } from 'zod'
import { platformBounds } from './bounds.ts'

/** One fault of a value. `message` is the predicate of a sentence whose subject is the field: `must be a string`. */
export type ValidationFault = {
  readonly path: readonly PropertyKey[]
  readonly message: string
  /** The field does not exist in the schema. `similar`: the path of a field with nearly the same name. */
  readonly unknown?: { readonly similar: readonly PropertyKey[] | null }
}

/**
 * Parses a value and describes each fault in plain English. Messages that a schema defines take precedence over the
 * descriptions here. Misspelt fields come first, because they explain the missing ones.
 */
export const validate = <Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): { readonly data: z.output<Schema> } | { readonly faults: ValidationFault[] } => {
  const fieldsByPath = new Map<string, readonly string[]>()
  const parsed = schema.safeParse(value, {
    error: (issue) => {
      if (issue.code === 'unrecognized_keys') fieldsByPath.set(keyOf(issue.path ?? []), fieldsOf(issue.inst))
      return describeIssue(issue)
    },
  })
  if (parsed.success) return { data: parsed.data }
  const faults = parsed.error.issues.flatMap((issue) => toFaults(issue, fieldsByPath.get(keyOf(issue.path)) ?? []))
  return { faults: [...faults.filter(isMisspelt), ...faults.filter((fault) => !isMisspelt(fault))] }
}

const maxFaultsPerIssue = platformBounds.unknownFieldsTold.count
const maxSuggestionsPerIssue = platformBounds.similarFieldsTold.count

const toFaults = (issue: z.core.$ZodIssue, fields: readonly string[]): ValidationFault[] => {
  if (issue.code !== 'unrecognized_keys') return [{ path: issue.path, message: issue.message }]
  return issue.keys.slice(0, maxFaultsPerIssue).map((key, index) => {
    const similar = index < maxSuggestionsPerIssue ? findSimilar(key, fields) : undefined
    const hint = similar === undefined ? '' : `; did you mean ${[...issue.path, similar].map(String).join('.')}?`
    return {
      path: [...issue.path, key],
      message: `is not a known field${hint}`,
      unknown: { similar: similar === undefined ? null : [...issue.path, similar] },
    }
  })
}

const isMisspelt = ({ unknown }: ValidationFault): boolean => unknown !== undefined && unknown.similar !== null

const keyOf = (path: readonly PropertyKey[]): string => JSON.stringify(path.map(String))

const fieldsOf = (inst: unknown): readonly string[] => {
  const shape = (inst as { _zod?: { def?: { shape?: object } } } | undefined)?._zod?.def?.shape
  return shape === undefined ? [] : Object.keys(shape)
}

const describeIssue = (issue: z.core.$ZodRawIssue): string => {
  const message = predicateOf(issue)
  return issue.input === undefined && message.startsWith('must ') ? `is required and ${message}` : message
}

const predicateOf = (issue: z.core.$ZodRawIssue): string => {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${typeNames[issue.expected as string] ?? 'of another type'}`
    case 'invalid_value':
      return `must be ${oneOf((issue.values as unknown[]).map(String))}`
    case 'too_small':
      return boundOf(issue, { limit: Number(issue.minimum), inclusive: 'at least', exclusive: 'more than' })
    case 'too_big':
      return boundOf(issue, { limit: Number(issue.maximum), inclusive: 'at most', exclusive: 'less than' })
    case 'invalid_format':
      return formatNames[issue.format as string] ?? 'has the wrong format'
    case 'not_multiple_of':
      return `must be a multiple of ${String(issue.divisor)}`
    case 'invalid_key':
      return `is not a valid key: it ${firstMessage(issue.issues)}`
    case 'invalid_union':
      return unionMessage(issue.errors as readonly (readonly z.core.$ZodIssue[])[] | undefined)
    case 'unrecognized_keys':
      return 'has unknown fields'
    default:
      return 'is not valid'
  }
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  array: 'a list',
  object: 'a JSON object',
  record: 'a JSON object',
  null: 'null',
}

const formatNames: Readonly<Record<string, string>> = {
  datetime: 'must be a date and time in ISO 8601 with a time zone, for example 2026-03-14T09:30:00Z',
  url: 'must be a URL, for example https://example.com/hook',
  email: 'must be an e-mail address',
  uuid: 'must be a UUID',
}

const oneOf = (values: readonly string[]): string =>
  values.length === 1 ? `${values[0]}` : `one of ${values.join(', ')}`

const units: Readonly<Record<string, string>> = {
  string: 'character',
  array: 'item',
  set: 'item',
  record: 'key',
  object: 'key',
  map: 'key',
  file: 'byte',
}

const boundOf = (
  { origin, inclusive, exact }: z.core.$ZodRawIssue,
  words: { limit: number; inclusive: string; exclusive: string },
): string => {
  const { limit } = words
  const relation = inclusive === false ? words.exclusive : words.inclusive
  const unit = units[String(origin)]
  if (unit === undefined) return `must be ${relation} ${limit}`
  if (words.inclusive === 'at least' && limit === 1) return 'must not be empty'
  return `must have ${exact ? 'exactly' : relation} ${limit} ${unit}${limit === 1 ? '' : 's'}`
}

const firstMessage = (issues: unknown): string =>
  (issues as readonly { message?: string }[] | undefined)?.[0]?.message ?? 'is not valid'

/**
 * The alternatives of a union, if each rejects the value as a whole; otherwise the fault is too deep for one sentence.
 */
const unionMessage = (forms: readonly (readonly z.core.$ZodIssue[])[] | undefined): string => {
  const messages = (forms ?? []).flatMap(([issue]) => (issue && issue.path.length === 0 ? [issue.message] : []))
  const predicates = messages.map((message) => message.replace(/^is required and /, ''))
  if (messages.length === 0 || messages.length !== forms?.length) return 'has none of the allowed forms'
  return [...new Set(predicates)].join(', or ')
}

const maxNameChars = platformBounds.similarFieldName.chars

/** The field whose name differs by case, separators or one or two letters. */
const findSimilar = (name: string, fields: readonly string[]): string | undefined => {
  if (name.length > maxNameChars) return undefined
  const wanted = plainName(name)
  // Short names allow fewer wrong letters.
  const maxDistance = Math.min(2, Math.floor(wanted.length / 3))
  let best: { field: string; distance: number } | undefined
  for (const field of fields) {
    const distance = editDistance(wanted, plainName(field))
    if (distance <= maxDistance && (best === undefined || distance < best.distance)) best = { field, distance }
  }
  return best?.field
}

const plainName = (name: string): string => name.toLowerCase().replaceAll(/[_\-\s]/g, '')

/** Insertions, deletions, substitutions and swaps of two neighbours (optimal string alignment). */
const editDistance = (one: string, other: string): number => {
  let beforeLast: number[] = []
  let last = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let row = 1; row <= one.length; row++) {
    const current = [row]
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1]
      const isSwap = row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      current[column] = Math.min(
        (last[column] as number) + 1,
        (current[column - 1] as number) + 1,
        (last[column - 1] as number) + (isSame ? 0 : 1),
        isSwap ? (beforeLast[column - 2] as number) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    beforeLast = last
    last = current
  }
  return last[other.length] as number
}
