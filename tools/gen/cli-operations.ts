import type { ClientModel, ClientOperation, Field, NamedType, Parameter } from './client-shape.ts'

export const cliOperationsPath = 'apps/cli/src/generated/operations.json'

/** The operations as data for `ars`, which makes a command of each one that has none written by hand. */
export const cliFiles = (model: ClientModel): Readonly<Record<string, string>> => {
  const types = new Map(model.types.map((type) => [type.name, type]))
  const rows = model.resources.flatMap(({ name, operations }) =>
    operations.map((operation) => rowOf(name, operation, types)),
  )
  return { [cliOperationsPath]: `${JSON.stringify(rows, null, 1)}\n` }
}

type Types = ReadonlyMap<string, NamedType>

const rowOf = (resource: string, operation: ClientOperation, types: Types) => ({
  id: operation.id,
  resource,
  name: operation.name,
  method: operation.method,
  path: operation.path,
  summary: operation.summary,
  answers: operation.answer.kind,
  isForBrowsers: operation.forPeople,
  ids: operation.pathParameters.map(({ name }) => name),
  query: operation.query.map((parameter) => inputOf(parameter, types)),
  body: operation.body ? bodyOf(operation.body.type, types) : null,
})

const bodyOf = (name: string, types: Types) => {
  const type = types.get(name)
  // A union is sent as JSON only.
  return type?.kind === 'object' ? type.fields.map((field) => inputOf(field, types)) : []
}

const inputOf = (field: Field | Parameter, types: Types) => {
  const named = field.type.kind === 'list' ? field.type.items : field.type
  const form = named.kind === 'named' ? types.get(named.name) : undefined
  return {
    name: field.name,
    kind: kindOf(field, types),
    isRequired: field.required,
    ...(field.secret && kindOf(field, types) === 'text' && { isSecret: true }),
    docs: firstSentence(field.docs),
    ...(form?.kind === 'enum' && { values: form.values }),
    ...(field.type.kind === 'literal' && { values: [String(field.type.value)] }),
  }
}

/** How a value is written on a command line: as text, a number, a word, several words, `key=value`, or JSON. */
const kindOf = ({ type }: Field | Parameter, types: Types): string => {
  if (type.kind === 'integer' || type.kind === 'number') return 'number'
  if (type.kind === 'boolean') return 'boolean'
  if (type.kind === 'string' || type.kind === 'datetime') return 'text'
  if (type.kind === 'list') return isWord(type.items, types) ? 'words' : 'json'
  if (type.kind === 'map') return type.values.kind === 'string' ? 'pairs' : 'json'
  return isWord(type, types) ? 'text' : 'json'
}

const isWord = (type: Field['type'], types: Types): boolean =>
  type.kind === 'string' ||
  (type.kind === 'literal' && typeof type.value === 'string') ||
  (type.kind === 'named' && types.get(type.name)?.kind === 'enum')

const firstSentence = (docs: string): string => {
  const [first = ''] = docs.replace(/\s+/g, ' ').split(/(?<=\.) /)
  return first.replace(/\.$/, '')
}
