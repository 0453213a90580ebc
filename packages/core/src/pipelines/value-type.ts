import type { JsonValue } from '../expressions/index.ts'
import { pipelinesBounds } from './bounds.ts'

/** The type of a value that an expression will read. `dyn` can be anything. */
export type ValueType =
  | { kind: 'bool' | 'int' | 'double' | 'string' | 'null' | 'dyn' }
  | { kind: 'list'; of: ValueType }
  | { kind: 'object'; fields: Readonly<Record<string, ValueType>> }

export const anyValue: ValueType = { kind: 'dyn' }
export const anyText: ValueType = { kind: 'string' }
export const anyWhole: ValueType = { kind: 'int' }
export const listTypeOf = (of: ValueType): ValueType => ({ kind: 'list', of })
export const objectTypeOf = (fields: Readonly<Record<string, ValueType>>): ValueType => ({ kind: 'object', fields })

/**
 * The type of the values that fit a JSON Schema. A schema that says more than a type can say gives `dyn`. An object that names its
 * properties has no others unless `additionalProperties` says so, because a misspelt field is more likely than an undeclared one.
 */
export const typeOfSchema = (schema: JsonValue | null | undefined, depth = 0): ValueType => {
  if (!isObject(schema) || depth === maxDepth || combining.some((word) => Object.hasOwn(schema, word))) return anyValue
  const type = singleType(schema.type)
  if (type === 'array') return listTypeOf(typeOfSchema(schema.items, depth + 1))
  if (type !== 'object') return plainTypes.get(type ?? '') ?? anyValue
  const { properties, additionalProperties = false } = schema
  if (!isObject(properties) || additionalProperties !== false) return anyValue
  return objectTypeOf(
    Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, typeOfSchema(each, depth + 1)])),
  )
}

const maxDepth = pipelinesBounds.typedDepth.count

const combining = ['$ref', '$dynamicRef', 'allOf', 'anyOf', 'oneOf', 'if', 'patternProperties', 'prefixItems']

const plainTypes: ReadonlyMap<string, ValueType> = new Map([
  ['string', anyText],
  ['integer', anyWhole],
  ['number', { kind: 'double' }],
  ['boolean', { kind: 'bool' }],
  ['null', { kind: 'null' }],
])

/** `["string", "null"]` counts as a string: every value may be compared with null. */
const singleType = (type: JsonValue | undefined): string | undefined => {
  if (typeof type === 'string') return type
  const others = Array.isArray(type) ? type.filter((each) => each !== 'null') : []
  return others.length === 1 && typeof others[0] === 'string' ? others[0] : undefined
}

const isObject = (value: JsonValue | undefined): value is { readonly [name: string]: JsonValue } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
