/** The subset of JSON Schema that zod writes for an input. */
export type JsonSchema = {
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, JsonSchema>>
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly minItems?: number
  readonly minLength?: number
  readonly minimum?: number
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly pattern?: string
  readonly format?: string
  readonly examples?: readonly unknown[]
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
}

/** A minimal value that matches a schema. Ids come from `idOf`, because they must name an object. */
export const sampleOf = (schema: JsonSchema, idOf: (prefix: string) => string, place = 'input'): unknown => {
  const prefix = idPrefixOf(schema)
  if (prefix !== undefined) return idOf(prefix)
  if (schema.examples?.length) return schema.examples[0]
  if (schema.const !== undefined) return schema.const
  // Where values are ordered, such as roles, the last has the fewest rights.
  if (schema.enum) return schema.enum.at(-1)
  const form = (schema.anyOf ?? schema.oneOf)?.find(({ type }) => type !== 'null')
  if (form) return sampleOf(form, idOf, place)
  switch ([schema.type].flat()[0]) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {})
          .filter(([name]) => schema.required?.includes(name))
          .map(([name, part]) => [name, sampleOf(part, idOf, `${place}.${name}`)]),
      )
    case 'array':
      return Array.from({ length: schema.minItems ?? 0 }, () => sampleOf(schema.items ?? {}, idOf, `${place}[]`))
    case 'string':
      return textSample(schema, place)
    case 'integer':
    case 'number':
      return schema.minimum ?? 1
    case 'boolean':
      return false
    default:
      return {}
  }
}

/** `run` for a schema of `run_…`, undefined for anything that is not an id. */
export const idPrefixOf = ({ pattern, type }: JsonSchema): string | undefined =>
  type === 'string' ? /^\^([a-z]+)_\[0-7\]/.exec(pattern ?? '')?.[1] : undefined

/** The schema with every reference resolved. */
export const resolved = (schema: JsonSchema, defs = schema.$defs ?? {}): JsonSchema => {
  const walk = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(walk)
    if (typeof node !== 'object' || node === null) return node
    const { $ref, $defs: _, ...rest } = node as JsonSchema
    const target = $ref === undefined ? {} : (defs[$ref.replace('#/$defs/', '')] ?? {})
    return Object.fromEntries(Object.entries({ ...target, ...rest }).map(([name, part]) => [name, walk(part)]))
  }
  return walk(schema) as JsonSchema
}

const textSample = ({ format, pattern, minLength = 1 }: JsonSchema, place: string): string => {
  if (format === 'date-time') return '2030-01-01T00:00:00Z'
  if (format === 'uri') return 'https://example.com/'
  const text = 'x'.repeat(Math.max(minLength, 1))
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(text)) {
    throw new Error(`${place} must fit ${pattern}: give its schema an example, .meta({ examples: ['…'] })`)
  }
  return text
}
