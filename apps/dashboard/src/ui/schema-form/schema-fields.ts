/** A JSON Schema as far as forms understand it. Everything else is edited as JSON. */
export type Schema = {
  type?: string | readonly string[]
  title?: string
  description?: string
  default?: unknown
  examples?: readonly unknown[]
  enum?: readonly unknown[]
  const?: unknown
  format?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  items?: Schema
  oneOf?: readonly Schema[]
}

export type FieldKind =
  | { kind: 'text'; input: 'text' | 'email' | 'url' | 'date' | 'time' | 'datetime-local'; isLong: boolean }
  | { kind: 'number'; step: 'any' | '1' }
  | { kind: 'boolean' }
  | { kind: 'choice'; values: readonly (string | number)[] }
  /** A list of texts or numbers, one on each line. */
  | { kind: 'lines'; of: 'string' | 'number' | 'integer' }
  | { kind: 'object'; properties: readonly (readonly [string, Schema])[] }
  | { kind: 'list'; items: Schema }
  /** One of several objects, told apart by a constant. */
  | { kind: 'variant'; by: string; variants: readonly (readonly [string, Schema])[] }
  | { kind: 'json' }

const maxDepth = 6
const longChars = 200
const inputs: Readonly<Record<string, 'email' | 'url' | 'date' | 'time' | 'datetime-local'>> = {
  email: 'email',
  uri: 'url',
  url: 'url',
  date: 'date',
  time: 'time',
}

/** The control for a schema. A part that no control can show without loss is edited as JSON. */
export const fieldOf = (schema: Schema, depth = 0): FieldKind => {
  if (depth > maxDepth) return { kind: 'json' }
  if (schema.enum) return choiceOf(schema.enum)
  if (schema.oneOf) return variantOf(schema.oneOf)
  switch (schema.type) {
    case 'string':
      return { kind: 'text', input: inputs[schema.format ?? ''] ?? 'text', isLong: isLong(schema) }
    case 'number':
    case 'integer':
      return { kind: 'number', step: schema.type === 'integer' ? '1' : 'any' }
    case 'boolean':
      return { kind: 'boolean' }
    case 'object': {
      const properties = Object.entries(schema.properties ?? {})
      return properties.length > 0 ? { kind: 'object', properties } : { kind: 'json' }
    }
    case 'array':
      return listOf(schema.items)
    default:
      return { kind: 'json' }
  }
}

const isLong = ({ format, maxLength = 1_000 }: Schema): boolean => format === undefined && maxLength >= longChars

const choiceOf = (values: readonly unknown[]): FieldKind =>
  values.every((value) => typeof value === 'string' || typeof value === 'number')
    ? { kind: 'choice', values: values as (string | number)[] }
    : { kind: 'json' }

const listOf = (items: Schema | undefined): FieldKind => {
  const type = items?.type
  if (items && !items.enum && (type === 'string' || type === 'number' || type === 'integer')) {
    return { kind: 'lines', of: type }
  }
  return items && type === 'object' && items.properties ? { kind: 'list', items } : { kind: 'json' }
}

const variantOf = (schemas: readonly Schema[]): FieldKind => {
  const [first] = schemas
  const by = Object.entries(first?.properties ?? {}).find(([, each]) => typeof each.const === 'string')?.[0]
  if (by === undefined) return { kind: 'json' }
  const variants = schemas.map((each) => [String(each.properties?.[by]?.const ?? ''), each] as const)
  const isClear = variants.every(([name], n) => name !== '' && variants.findIndex(([other]) => other === name) === n)
  return isClear ? { kind: 'variant', by, variants } : { kind: 'json' }
}

/** The first value of a form: defaults of the schema, and nothing for the rest. */
export const emptyValue = (schema: Schema): unknown => {
  if (schema.default !== undefined) return schema.default
  if (schema.const !== undefined) return schema.const
  if (schema.type !== 'object') return undefined
  const entries = Object.entries(schema.properties ?? {})
    .map(([name, each]) => [name, emptyValue(each)] as const)
    .filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries)
}

/** Sets one property; undefined removes it. Properties that the form does not know stay. */
export const withProperty = (value: unknown, name: string, next: unknown): Record<string, unknown> => {
  const { [name]: _, ...rest } = isObject(value) ? value : {}
  return next === undefined ? rest : { ...(isObject(value) ? value : {}), [name]: next }
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
