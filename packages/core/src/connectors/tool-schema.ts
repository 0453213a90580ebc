import { isDeeperThan } from './json-value.ts'

export type SchemaLimits = { readonly maxSchemaBytes: number; readonly maxSchemaDepth: number }

/** Why a tool's input schema cannot be given to a model. Undefined: it can. */
export const faultOfSchema = (schema: Readonly<Record<string, unknown>>, limits: SchemaLimits): string | undefined => {
  if (isDeeperThan(schema, limits.maxSchemaDepth)) return `its schema is deeper than ${limits.maxSchemaDepth} levels`
  if (Buffer.byteLength(JSON.stringify(schema)) > limits.maxSchemaBytes)
    return `its schema is larger than ${limits.maxSchemaBytes} bytes`
  if (schema.type !== undefined && schema.type !== 'object') return 'its schema does not describe an object'
  return faultOfReferences(schema)
}

// A model gets the schema unchanged. Some providers reject references to elsewhere, and a recursive schema cannot be
// expanded.
const faultOfReferences = (root: Readonly<Record<string, unknown>>): string | undefined => {
  const state = new Map<string, 'entered' | 'left'>()

  const visit = (value: unknown): string | undefined => {
    if (typeof value !== 'object' || value === null) return
    for (const [key, item] of Object.entries(value)) {
      const isReference = typeof item === 'string' && referenceKeys.includes(key)
      const fault = isReference ? follow(item) : visit(item)
      if (fault) return fault
    }
    return
  }

  const follow = (pointer: string): string | undefined => {
    if (pointer !== '#' && !pointer.startsWith('#/')) return 'its schema refers to another document'
    if (state.get(pointer) === 'left') return
    if (state.get(pointer) === 'entered' || pointer === '#') return 'its schema refers to itself'
    const target = resolve(root, pointer)
    if (target === undefined) return 'its schema refers to a part that is not there'
    state.set(pointer, 'entered')
    const fault = visit(target)
    state.set(pointer, 'left')
    return fault
  }

  return visit(root)
}

const referenceKeys = ['$ref', '$dynamicRef', '$recursiveRef']

const resolve = (root: unknown, pointer: string): unknown => {
  let at = root
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return
    at = (at as Record<string, unknown>)[key]
  }
  return at
}
