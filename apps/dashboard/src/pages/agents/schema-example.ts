import type { Json } from './agent-fields.ts'

const maxDepth = 8

/** An input that has what a schema requires, for samples. Not every schema can be met in this way. */
export const exampleOf = (schema: Json | null): Json => {
  const example = schema === null ? {} : valueFor(schema, 0)
  return isObject(example) ? example : {}
}

const valueFor = (schema: Json, depth: number): unknown => {
  if (depth > maxDepth) return null
  if (Array.isArray(schema.examples) && schema.examples.length > 0) return schema.examples[0]
  for (const keyword of ['const', 'default'] as const) if (keyword in schema) return schema[keyword]
  if (Array.isArray(schema.enum)) return schema.enum[0]
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  if (type === 'object' || isObject(schema.properties)) return objectFor(schema, depth)
  if (type === 'array') return isObject(schema.items) ? [valueFor(schema.items, depth + 1)] : []
  return plain[String(type)] ?? null
}

const plain: Readonly<Record<string, unknown>> = { string: '…', integer: 1, number: 1, boolean: true }

const objectFor = (schema: Json, depth: number): Json => {
  const properties = isObject(schema.properties) ? schema.properties : {}
  const required = Array.isArray(schema.required) ? schema.required : []
  const named = Object.entries(properties).filter(([name]) => required.includes(name))
  const chosen = named.length > 0 ? named : Object.entries(properties).slice(0, 1)
  return Object.fromEntries(chosen.map(([name, part]) => [name, isObject(part) ? valueFor(part, depth + 1) : null]))
}

/** A schema that the example meets: its types, and all its fields required. */
export const schemaFrom = (example: unknown, depth = 0): Json => {
  if (example === null) return { type: 'null' }
  if (Array.isArray(example)) {
    return example.length === 0 || depth > maxDepth
      ? { type: 'array' }
      : { type: 'array', items: schemaFrom(example[0], depth + 1) }
  }
  if (isObject(example)) {
    if (depth > maxDepth) return { type: 'object' }
    const properties = Object.fromEntries(
      Object.entries(example).map(([name, part]) => [name, schemaFrom(part, depth + 1)]),
    )
    const required = Object.keys(example)
    return { type: 'object', properties, ...(required.length > 0 && { required }), additionalProperties: false }
  }
  if (typeof example === 'number') return { type: Number.isInteger(example) ? 'integer' : 'number' }
  return { type: typeof example }
}

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
