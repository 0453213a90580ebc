import type { Document, Schema } from './document.ts'

/** Normalises and corrects the output of the library. */
export const tidyDocument = (generated: object): Document => {
  // A round trip through JSON removes undefined values, so the result is exactly what is written.
  const {
    openapi,
    info,
    servers,
    security,
    tags,
    paths: all,
    components,
  } = tidyNode(JSON.parse(JSON.stringify(generated))) as Loose
  const types = Object.entries(components).map(([type, each]) => [type, withoutIdExamples(byName(each))] as const)
  const [paths, webhooks] = [true, false].map((isPath) =>
    Object.fromEntries(Object.entries(all as Node).filter(([path]) => path.startsWith('/') === isPath)),
  )
  const sent = Object.keys(webhooks ?? {}).length > 0 ? { webhooks } : {}
  return {
    ...{ openapi, info, servers, security, tags, paths, ...sent },
    components: byName(Object.fromEntries(types)),
  } as Document
}

export const printDocument = (document: Document): string => `${JSON.stringify(document, null, 2)}\n`

type Loose = { components: Record<string, Record<string, unknown>> } & Record<string, unknown>
type Node = Record<string, unknown>

const tidyNode = (node: unknown): unknown => {
  if (Array.isArray(node)) return node.map(tidyNode)
  if (!isNode(node)) return node
  const tidied = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, tidyNode(value)]))
  if (isNode(tidied.properties)) tidied.properties = describeType(tidied.properties)
  return precise(describedOnce(referenceWithRemarks(tidied)))
}

/**
 * A named schema that is nullable, or has a description here, arrives as `allOf: [reference, rest]`. With null in the
 * rest that would be a contradiction, because the referenced schema is never null.
 */
const referenceWithRemarks = (node: Node): Node => {
  const { allOf, ...others } = node as Schema & Node
  const [reference, rest, ...more] = allOf ?? []
  if (!reference?.$ref || !rest || more.length > 0 || rest.$ref || rest.properties) return node
  const remarks = Object.entries(rest).filter(([key]) =>
    ['description', 'default', 'examples', 'deprecated'].includes(key),
  )
  const target = [rest.type].flat().includes('null') ? { anyOf: [reference, { type: 'null' }] } : reference
  return { ...target, ...others, ...Object.fromEntries(remarks) }
}

/** A parameter has its description once, not again in its schema. An object in a query is `name[key]=value`, a list is `name=a,b`. */
const describedOnce = (node: Node): Node => {
  if (typeof node.in !== 'string' || !isNode(node.schema)) return node
  const { name, in: place, required, ...rest } = node
  const { description: _, ...schema } = node.schema
  const shown = place === 'path' ? schema : (withoutIdExamples(schema) as Node)
  return { name, in: place, required, ...rest, ...(place === 'query' ? styleOf(schema) : {}), schema: shown }
}

const styleOf = ({ type }: Node): Node => {
  if (type === 'object') return { style: 'deepObject', explode: true }
  return type === 'array' ? { style: 'form', explode: false } : {}
}

/** The pattern of an id says enough where whole examples stand beside it: in bodies and responses, and in filters. */
const withoutIdExamples = (node: unknown): unknown => {
  if (Array.isArray(node)) return node.map(withoutIdExamples)
  if (!isNode(node)) return node
  const isId = typeof node.pattern === 'string' && node.pattern.endsWith('_[0-7][0-9a-hjkmnp-tv-z]{25}$')
  const kept = Object.entries(node).filter(([key]) => !(isId && key === 'examples'))
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutIdExamples(value)]))
}

/** Every resource has a field `object` with the name of its type. */
const describeType = (properties: Node): Node => {
  const { object } = properties
  if (!isNode(object) || object.const === undefined || object.description !== undefined) return properties
  return { ...properties, object: { ...object, description: `Always \`${object.const}\`.` } }
}

/**
 * One possible value is a constant, and a number says how large it can be: without a format, some generators choose 32
 * bits.
 */
const precise = (node: Node): Node => {
  const { enum: values, ...others } = node
  if (Array.isArray(values) && values.length === 1 && node.type === 'string') return { ...others, const: values[0] }
  if (node.format !== undefined) return node
  const types = [node.type].flat()
  if (types.includes('integer')) return { ...node, format: 'int64' }
  return types.includes('number') ? { ...node, format: 'double' } : node
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && !Array.isArray(value)

/** By code point, because the order of a locale differs between machines. */
const byName = <Value>(record: Readonly<Record<string, Value>>): Record<string, Value> =>
  Object.fromEntries(Object.entries(record).sort(([left], [right]) => (left < right ? -1 : 1)))
