import type { NamedType, TypeUse } from './client-model.ts'
import { pascal } from './client-types.ts'

export const note = '// Made by `pnpm gen` from packages/contract/openapi.json. Change the contract, not this file.\n\n'

/** Names that the language has already. */
const renamed: Readonly<Record<string, string>> = { Error: 'ErrorBody' }

export const typeName = (name: string): string => renamed[name] ?? name

/** `agent_id` → `agentId` */
export const camel = (name: string): string => {
  const text = pascal(name)
  return text.charAt(0).toLowerCase() + text.slice(1)
}

/** The list of an enumeration's values: `RunStatus` → `runStatuses`. */
export const listName = (name: string): string => {
  const one = camel(name)
  if (/(s|x|ch)$/.test(one)) return `${one}es`
  return one.endsWith('y') ? `${one.slice(0, -1)}ies` : `${one}s`
}

/** The parameters of an operation: `RunsCreateParams`. */
export const paramsName = (id: string): string => `${pascal(id)}Params`

/** A documentation comment; an empty text has none. */
export const comment = (paragraphs: readonly string[], indent = ''): string => {
  const lines = paragraphs.filter(Boolean).flatMap((text, n) => [...(n > 0 ? [''] : []), ...text.split('\n')])
  const safe = lines.map((line) => line.replaceAll('*/', '*\\/'))
  const [only, ...more] = safe
  if (only === undefined) return ''
  if (more.length === 0) return `${indent}/** ${only} */\n`
  return `${indent}/**\n${safe.map((line) => `${indent} *${line && ` ${line}`}\n`).join('')}${indent} */\n`
}

/** Whether the value is written by the caller, read by the caller, or both. */
export type Direction = Pick<NamedType, 'sent' | 'received'>

/** The type of a value. An enumeration that is received stays open, because the service can add values. */
export const typeText = (type: TypeUse, direction: Direction, enums: ReadonlySet<string>): string => {
  const text = plainText(type, direction, enums)
  return type.nullable ? `${text} | null` : text
}

const plainText = (type: TypeUse, direction: Direction, enums: ReadonlySet<string>): string => {
  const inner = (part: TypeUse) => typeText(part, direction, enums)
  switch (type.kind) {
    case 'datetime':
      return direction.received ? 'string' : 'string | Date'
    case 'integer':
      return 'number'
    case 'literal':
      return literal(type.value)
    case 'list': {
      const item = inner(type.items)
      const list = /[|&]/.test(item) && !/^\w+<[^<>]*>$/.test(item) ? `(${item})[]` : `${item}[]`
      return direction.received ? list : `readonly ${list}`
    }
    case 'map':
      return `{ ${direction.received ? '' : 'readonly '}[key: string]: ${inner(type.values)} }`
    case 'named':
      return enums.has(type.name) && direction.received ? `Open<${typeName(type.name)}>` : typeName(type.name)
    default:
      return type.kind
  }
}

/** A value as source text, with single quotes. */
export const literal = (value: unknown): string => {
  if (typeof value !== 'string') return JSON.stringify(value)
  return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
}
