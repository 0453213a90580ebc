/** A JSON Schema of a customer, or a sub-schema of one. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** A sub-schema at one place of another. */
export type Part = {
  schema: JsonSchema
  path: string
  /** Definitions are evaluated only where something refers to them. */
  isApplied: boolean
  /** It is evaluated for the same value and not for a part of it. */
  isInPlace: boolean
}

export type Survey = {
  partsOf: ReadonlyMap<JsonSchema, readonly Part[]>
  patterns: readonly { path: string; source: string }[]
}

/** The schema cannot be used. The message is for its author. */
export class SchemaProblem extends Error {
  override readonly name = 'SchemaProblem'
}

const below = { isApplied: true, isInPlace: false }
const inPlace = { isApplied: true, isInPlace: true }
const unused = { isApplied: false, isInPlace: false }

/** Where a keyword has sub-schemas. */
const keywords: Readonly<Record<string, Pick<Part, 'isApplied' | 'isInPlace'>>> = {
  items: below,
  prefixItems: below,
  additionalItems: below,
  unevaluatedItems: below,
  contains: below,
  properties: below,
  patternProperties: below,
  additionalProperties: below,
  unevaluatedProperties: below,
  propertyNames: below,
  not: inPlace,
  if: inPlace,
  // biome-ignore lint/suspicious/noThenProperty: it is a keyword of JSON Schema
  then: inPlace,
  else: inPlace,
  allOf: inPlace,
  anyOf: inPlace,
  oneOf: inPlace,
  dependentSchemas: inPlace,
  dependencies: inPlace,
  $defs: unused,
  definitions: unused,
}
const maps = [
  'properties',
  'patternProperties',
  'dependentSchemas',
  'dependencies',
  '$defs',
  'definitions',
] as const as readonly string[]
const references = ['$ref', '$dynamicRef', '$recursiveRef']
/** Their values are data, whatever they look like. */
const dataKeywords = ['const', 'enum', 'default', 'examples']

/** Finds every sub-schema, also behind references, and what it contains. */
export const surveyOf = (root: JsonSchema): Survey => {
  const anchors = anchorsOf(root)
  const partsOf = new Map<JsonSchema, Part[]>()
  const patterns: { path: string; source: string }[] = []
  const waiting: { schema: JsonSchema; path: string }[] = [{ schema: root, path: '' }]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { schema, path } = next
    if (partsOf.has(schema)) continue
    const parts = [...subSchemasOf(schema, path), ...referencedBy(schema, path, { root, anchors })]
    partsOf.set(schema, parts)
    patterns.push(...patternsOf(schema, path))
    waiting.push(...parts)
  }
  return { partsOf, patterns }
}

const subSchemasOf = (schema: JsonSchema, path: string): Part[] => {
  const parts: Part[] = []
  for (const [keyword, value] of Object.entries(schema)) {
    const place = Object.hasOwn(keywords, keyword) ? keywords[keyword] : undefined
    if (!place || typeof value !== 'object' || value === null) continue
    const at = joined(path, keyword)
    const isOne = !Array.isArray(value) && !maps.includes(keyword)
    for (const [key, item] of isOne ? [['', value] as const] : Object.entries(value)) {
      if (isObject(item)) parts.push({ schema: item, path: key === '' ? at : joined(at, key), ...place })
    }
  }
  return parts
}

const referencedBy = (schema: JsonSchema, path: string, document: Document): Part[] =>
  references.flatMap((keyword) => {
    const reference = schema[keyword]
    if (typeof reference !== 'string') return []
    const target = targetOf(reference, document)
    if (target === undefined)
      throw new SchemaProblem(
        `${joined(path, keyword)} refers to ${reference.slice(0, 100)}, which is not in the schema`,
      )
    return isObject(target) ? [{ schema: target, path: joined(path, keyword), ...inPlace }] : []
  })

const patternsOf = (schema: JsonSchema, path: string): { path: string; source: string }[] => [
  ...(typeof schema.pattern === 'string' ? [{ path: joined(path, 'pattern'), source: schema.pattern }] : []),
  ...Object.keys(isObject(schema.patternProperties) ? schema.patternProperties : {}).map((source) => ({
    path: joined(path, 'patternProperties'),
    source,
  })),
]

type Document = { root: JsonSchema; anchors: ReadonlyMap<string, JsonSchema> }

/** Only references within the document: by JSON pointer or by anchor. */
const targetOf = (reference: string, { root, anchors }: Document): unknown => {
  const base = typeof root.$id === 'string' ? root.$id.replace(/#$/, '') : ''
  const local = base !== '' && reference.startsWith(base) ? reference.slice(base.length) : reference
  if (local === '' || local === '#') return root
  if (local.startsWith('#/')) return atPointer(root, local)
  return local.startsWith('#') ? anchors.get(local.slice(1)) : undefined
}

const atPointer = (root: unknown, pointer: string): unknown => {
  let at = root
  for (const part of pointer.split('/').slice(1)) {
    const key = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return
    at = (at as Record<string, unknown>)[key]
  }
  return at
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

// A second $id would start another document, and references would be relative to it.
const anchorsOf = (root: JsonSchema): Map<string, JsonSchema> => {
  const anchors = new Map<string, JsonSchema>()
  const waiting: unknown[] = [root]
  while (waiting.length > 0) {
    const value = waiting.pop()
    if (typeof value !== 'object' || value === null) continue
    for (const [key, item] of Object.entries(value)) {
      if (key === '$id' && typeof item === 'string' && value !== root)
        throw new SchemaProblem('$id is allowed only at the root of the schema')
      if ((key === '$anchor' || key === '$dynamicAnchor') && typeof item === 'string' && isObject(value))
        anchors.set(item, value)
      if (!dataKeywords.includes(key) || Array.isArray(value)) waiting.push(item)
    }
  }
  return anchors
}

const joined = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`)

const isObject = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
