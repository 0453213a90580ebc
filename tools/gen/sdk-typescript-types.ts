import type { ClientModel, ClientOperation, Field, NamedType, Parameter } from './client-model.ts'
import { hasOutputText } from './output-text.ts'
import { comment, type Direction, literal, paramsName, typeName, typeText } from './sdk-typescript-names.ts'

/** Every type of the model, and the parameters of every operation. */
export const typesFile = (model: ClientModel): string => {
  const enums = enumsOf(model)
  const operations = model.resources.flatMap((resource) => resource.operations)
  const named = new Set(model.types.map(({ name }) => name))
  const parts = [
    ...model.types.map((type) => declaration(type, enums)),
    ...operations.flatMap((operation) => params(operation, enums, named) ?? []),
    eventsByType(model),
  ].filter(Boolean)
  return `import type { Open } from '../open.ts'\n\n${parts.join('\n')}`
}

export const enumsOf = ({ types }: ClientModel): ReadonlySet<string> =>
  new Set(types.flatMap(({ kind, name }) => (kind === 'enum' ? [name] : [])))

const declaration = (type: NamedType, enums: ReadonlySet<string>): string => {
  const name = typeName(type.name)
  const docs = comment([type.docs])
  if (type.kind === 'enum') return `${docs}export type ${name} = ${type.values.map(literal).join(' | ')}\n`
  if (type.kind === 'union') {
    const variants = type.variants.map((variant) => `  | ${typeText(variant, type, enums)}\n`)
    const open = type.received ? 'Other variants can come: handle the ones that you know.' : ''
    return `${comment([type.docs, open])}export type ${name} =\n${variants.join('')}`
  }
  const fields = type.fields.map((field) => fieldLine(field, type, enums))
  const rest = type.loose ? '  [field: string]: unknown\n' : ''
  const text = hasOutputText(type.name) ? outputTextLine : ''
  return `${docs}export type ${name} = {\n${fields.join('')}${text}${rest}}\n`
}

/** Added by the client. */
const outputTextLine =
  '  /** The text of the output, which is its field `result`; null if that is no text. The client adds it. */\n  output_text: string | null\n'

const fieldLine = (field: Field, direction: Direction, enums: ReadonlySet<string>): string => {
  const text = typeText(field.type, direction, enums)
  // With `exactOptionalPropertyTypes` a caller could not pass what may be undefined.
  const optional = direction.sent ? ' | undefined' : ''
  const standard = field.default === undefined ? '' : `Default: \`${JSON.stringify(field.default)}\`.`
  const docs = comment([[field.docs, standard].filter(Boolean).join(' ')], '  ')
  return `${docs}  ${field.name}${field.required ? '' : '?'}: ${text}${field.required ? '' : optional}\n`
}

/** `RunsCreateParams`: the body under the name of its operation, or the fields of the query. */
const params = (
  { id, body, query }: ClientOperation,
  enums: ReadonlySet<string>,
  named: ReadonlySet<string>,
): string | undefined => {
  const name = paramsName(id)
  const docs = comment([`The parameters of \`${id}\`.`])
  if (body) return named.has(name) ? undefined : `${docs}export type ${name} = ${typeName(body.type)}\n`
  if (query.length === 0) return undefined
  const fields = query.map((parameter) => queryLine(parameter, enums))
  return `${docs}export type ${name} = {\n${fields.join('')}}\n`
}

const asked: Direction = { sent: true, received: false }

/** A list can also be one item. */
const queryLine = (parameter: Parameter, enums: ReadonlySet<string>): string => {
  if (parameter.style !== 'comma' || parameter.type.kind !== 'list') return fieldLine(parameter, asked, enums)
  const { items } = parameter.type
  const line = fieldLine(parameter, asked, enums)
  return line.replace(/(\n|^)( {2}\w+\??: )(?=readonly )/, `$1$2${typeText(items, asked, enums)} | `)
}

const eventsByType = ({ events }: ClientModel): string => {
  if (events.length === 0) return ''
  const lines = events.map(({ type, envelope, docs }) => `${comment([docs], '  ')}  ${literal(type)}: ${envelope}\n`)
  return `${comment(['Every event, by its type.'])}export type EventByType = {\n${lines.join('')}}\n`
}
