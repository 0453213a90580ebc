import { schemasBounds } from './bounds.ts'
import type { JsonSchema } from './survey.ts'

/**
 * Plain schemas are evaluated on the event loop: a thread would cost more than the check. A schema is plain if it has only
 * the keywords below. Each sub-schema then meets each part of a value at most once, so the steps of a check are at most
 * weight × size. `maxPlainSteps` bounds this product, whatever the schema and the value are: such a check costs less than
 * parsing the largest request body.
 */
const maxPlainSteps = schemasBounds.plainSteps.count

/** Schemas above this weight would leave only tiny values below the bound. */
const maxPlainWeight = schemasBounds.plainWeight.count

export type PlainSchema = { root: PlainNode; weight: number }

export type PlainNode = {
  types: readonly string[] | undefined
  /** Primitive values only. */
  enum: readonly unknown[] | undefined
  const: unknown
  hasConst: boolean
  limits: readonly Limit[]
  anyOf: readonly (PlainNode | boolean)[] | undefined
  allOf: readonly (PlainNode | boolean)[]
  items: PlainNode | boolean | undefined
  required: readonly string[]
  properties: ReadonlyMap<string, PlainNode | boolean>
  additionalProperties: PlainNode | boolean | undefined
}

type Writable = { -readonly [Key in keyof PlainNode]: PlainNode[Key] }

type Limit = { of: 'number' | 'string' | 'array' | 'object'; isWithin(amount: number): boolean; message: string }

const known = new WeakMap<JsonSchema, PlainSchema | null>()

/** Null: the schema has other keywords, or is not well-formed. */
export const findPlain = (schema: JsonSchema): PlainSchema | null => {
  const found = known.get(schema)
  if (found !== undefined) return found
  const reader = createReader()
  const root = reader.read(schema)
  const plain = root && reader.weight() <= maxPlainWeight ? { root, weight: reader.weight() } : null
  known.set(schema, plain)
  return plain
}

/** Whether the check of the value is within the bound. Looks at no more of the value than the bound allows. */
export const isWithinPlainSteps = ({ weight }: PlainSchema, value: unknown): boolean => {
  const maxSize = maxPlainSteps / weight
  const waiting: unknown[] = [value]
  let size = 0
  while (waiting.length > 0) {
    const next = waiting.pop()
    size += typeof next === 'string' ? 1 + next.length / charsPerStep : 1
    if (size + waiting.length > maxSize) return false
    if (typeof next !== 'object' || next === null) continue
    if (Array.isArray(next)) {
      if (next.length > maxSize) return false
      for (const item of next) waiting.push(item)
    } else for (const key in next) waiting.push((next as Record<string, unknown>)[key])
  }
  return true
}

// Counting and comparing characters is so much cheaper than a step.
const charsPerStep = 64

const annotations = [
  '$schema',
  '$comment',
  'title',
  'description',
  'default',
  'examples',
  'format',
  'readOnly',
  'writeOnly',
  'deprecated',
]
const typeNames = ['string', 'number', 'integer', 'boolean', 'null', 'array', 'object']

const limitKeywords: Readonly<
  Record<string, { of: Limit['of']; isWithin(amount: number, bound: number): boolean; words(bound: number): string }>
> = {
  maximum: { of: 'number', isWithin: (amount, bound) => amount <= bound, words: (bound) => `must be <= ${bound}` },
  minimum: { of: 'number', isWithin: (amount, bound) => amount >= bound, words: (bound) => `must be >= ${bound}` },
  exclusiveMaximum: {
    of: 'number',
    isWithin: (amount, bound) => amount < bound,
    words: (bound) => `must be < ${bound}`,
  },
  exclusiveMinimum: {
    of: 'number',
    isWithin: (amount, bound) => amount > bound,
    words: (bound) => `must be > ${bound}`,
  },
  maxLength: {
    of: 'string',
    isWithin: (amount, bound) => amount <= bound,
    words: (bound) => more(bound, 'characters'),
  },
  minLength: {
    of: 'string',
    isWithin: (amount, bound) => amount >= bound,
    words: (bound) => fewer(bound, 'characters'),
  },
  maxItems: { of: 'array', isWithin: (amount, bound) => amount <= bound, words: (bound) => more(bound, 'items') },
  minItems: { of: 'array', isWithin: (amount, bound) => amount >= bound, words: (bound) => fewer(bound, 'items') },
  maxProperties: {
    of: 'object',
    isWithin: (amount, bound) => amount <= bound,
    words: (bound) => more(bound, 'properties'),
  },
  minProperties: {
    of: 'object',
    isWithin: (amount, bound) => amount >= bound,
    words: (bound) => fewer(bound, 'properties'),
  },
}

const more = (bound: number, unit: string): string => `must not have more than ${bound} ${unit}`
const fewer = (bound: number, unit: string): string => `must not have fewer than ${bound} ${unit}`

/** Reads a schema into nodes and adds up its weight: sub-schemas, and the entries of their lists. */
const createReader = () => {
  let weight = 0

  const read = (schema: JsonSchema): PlainNode | null => {
    weight++
    const limits: Limit[] = []
    const node: Writable = { ...emptyNode, limits }
    for (const [keyword, value] of Object.entries(schema)) {
      const limit = Object.hasOwn(limitKeywords, keyword) ? limitKeywords[keyword] : undefined
      if (annotations.includes(keyword) || keyword.startsWith('x-')) {
        if (keyword === '$schema' && !isKnownDraft(value)) return null
      } else if (limit) {
        if (!isBound(limit.of, value)) return null
        weight++
        const { of, isWithin, words } = limit
        limits.push({ of, isWithin: (amount) => isWithin(amount, value), message: words(value) })
      } else if (!readKeyword(node, keyword, value)) return null
    }
    return node
  }

  const readKeyword = (node: Writable, keyword: string, value: unknown): boolean => {
    switch (keyword) {
      case 'type':
        node.types = readList([value].flat(), (each): each is string => typeNames.includes(each as string))
        return node.types !== undefined && node.types.length > 0
      case 'enum':
        node.enum = Array.isArray(value) && value.length > 0 ? readList(value, isPrimitive) : undefined
        return node.enum !== undefined
      case 'const':
        node.const = value
        node.hasConst = true
        return isPrimitive(value)
      case 'required':
        node.required = (Array.isArray(value) && readList(value, (each) => typeof each === 'string')) || []
        return Array.isArray(value) && node.required.length === value.length
      case 'items':
        node.items = readAny(value)
        return node.items !== undefined
      case 'additionalProperties':
        node.additionalProperties = readAny(value)
        return node.additionalProperties !== undefined
      case 'anyOf':
        node.anyOf = readAll(value)
        return node.anyOf !== undefined
      case 'allOf':
        node.allOf = readAll(value) ?? []
        return node.allOf.length > 0
      case 'properties':
        return readProperties(node, value)
      default:
        return false
    }
  }

  const readProperties = (node: { properties: PlainNode['properties'] }, value: unknown): boolean => {
    if (!isObject(value)) return false
    const properties = new Map<string, PlainNode | boolean>()
    for (const [name, each] of Object.entries(value)) {
      const read = readAny(each)
      // The compiler of the threads skips this name; one meaning is enough.
      if (read === undefined || name === '__proto__') return false
      properties.set(name, read)
    }
    node.properties = properties
    return true
  }

  const readAny = (value: unknown): PlainNode | boolean | undefined => {
    if (typeof value === 'boolean') {
      weight++
      return value
    }
    return isObject(value) ? (read(value) ?? undefined) : undefined
  }

  const readAll = (value: unknown): (PlainNode | boolean)[] | undefined => {
    if (!Array.isArray(value) || value.length === 0) return
    const nodes = value.map(readAny)
    return nodes.every((node) => node !== undefined) ? nodes : undefined
  }

  const readList = <Item>(list: unknown[], isWanted: (each: unknown) => each is Item): Item[] | undefined => {
    weight += list.length
    return list.every(isWanted) ? (list as Item[]) : undefined
  }

  return { read, weight: () => weight }
}

const emptyNode: PlainNode = {
  types: undefined,
  enum: undefined,
  const: undefined,
  hasConst: false,
  limits: [],
  anyOf: undefined,
  allOf: [],
  items: undefined,
  required: [],
  properties: new Map(),
  additionalProperties: undefined,
}

const isKnownDraft = (name: unknown): boolean =>
  typeof name === 'string' && ['2020-12', '2019-09', 'draft-07'].some((draft) => name.includes(draft))

const isBound = (of: Limit['of'], value: unknown): value is number =>
  typeof value === 'number' && (of === 'number' || (Number.isInteger(value) && value >= 0))

const isPrimitive = (value: unknown): value is string | number | boolean | null =>
  value === null || ['string', 'number', 'boolean'].includes(typeof value)

const isObject = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
