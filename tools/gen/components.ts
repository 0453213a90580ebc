import { zodToOpenAPIRegistry } from '@asteasolutions/zod-to-openapi'
import { z } from 'zod'

/**
 * Every named schema (`.meta({ id })`), after its parts. The generator takes the first form of a named schema as the
 * component: if it meets `RunError.nullable()` first, the component becomes nullable. So it gets the plain schemas
 * first, in this order.
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
 * `Part.optional().meta({ description })` is still a `Part`, and so is `Part.meta({ description })`, which is a copy. The
 * library drops the name if there is another description and would inline the schema, so the name is set again.
 */
const keepNameWithin = (schema: z.ZodType): void => {
  const inner: unknown = 'innerType' in schema.def ? schema.def.innerType : schema._zod.parent
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
