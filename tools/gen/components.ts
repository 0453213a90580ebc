import { zodToOpenAPIRegistry } from '@asteasolutions/zod-to-openapi'
import { z } from 'zod'

/**
 * Every schema that carries a name (`.meta({ id })`), what it is made of before itself. The generator of the document
 * takes the first form in which it meets a named schema for the component: met first as `RunError.nullable()`, the
 * component itself would become nullable. So the plain ones are handed to it first, in this order.
 */
export const namedSchemas = (roots: readonly z.ZodType[]): z.ZodType[] => {
  const seen = new Set<z.ZodType>()
  const named = new Map<string, z.ZodType>()
  const visit = (schema: z.ZodType): void => {
    if (seen.has(schema)) return
    seen.add(schema)
    for (const part of partsOf(schema)) visit(part)
    const name = nameOf(schema)
    if (name === undefined) keepNameWithin(schema)
    else if (named.has(name))
      throw new Error(`Two schemas of the contract are called ${name}; one would hide the other`)
    else named.set(name, schema)
  }
  for (const root of roots) visit(root)
  return [...named.values()]
}

export const nameOf = (schema: z.ZodType): string | undefined => schema.meta()?.id

/**
 * `Part.optional().meta({ description })` is still a `Part`. The library forgets the name as soon as the wrapper has
 * words of its own, and would write the whole schema out at that place, so it is told the name once more.
 */
const keepNameWithin = (schema: z.ZodType): void => {
  const inner: unknown = 'innerType' in schema.def ? schema.def.innerType : undefined
  const name = inner instanceof z.ZodType ? nameOf(inner) : undefined
  if (name !== undefined && schema.meta()) zodToOpenAPIRegistry.add(schema, { _internal: { refId: name } })
}

const partsOf = (schema: z.ZodType): z.ZodType[] => {
  const parts: unknown[] = Object.values(schema.def).flatMap((value: unknown) => {
    if (Array.isArray(value)) return value
    return isShape(value) ? Object.values(value) : [value]
  })
  if (schema instanceof z.ZodLazy) parts.push(schema.def.getter())
  return parts.filter((part) => part instanceof z.ZodType)
}

const isShape = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
