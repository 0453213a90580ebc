import type { ClientModel } from './client-model.ts'
import { camel, comment, listName, literal, typeName } from './sdk-typescript-names.ts'

/** Lists of values for programs that show or check them. */
export const valuesFile = ({ types, errors, limits }: ClientModel): string => {
  const enums = types.flatMap((type) => (type.kind === 'enum' ? [type] : []))
  const lists = enums.map(({ name, values }) => {
    const docs = comment([`The values of \`${typeName(name)}\` that this version knows.`])
    return `${docs}export const ${listName(name)} = [${values.map(literal).join(', ')}] as const\n`
  })
  const codes = errors.map(({ code, status, meaning }) => `  /** ${status}: ${meaning} */\n  ${literal(code)},\n`)
  const numbers = Object.entries(limits).map(([name, value]) => `  ${name}: ${value},\n`)
  return [
    ...lists,
    `/** The codes of refusals that this version knows. */\nexport const errorCodes = [\n${codes.join('')}] as const\n`,
    'export type ErrorCode = (typeof errorCodes)[number]\n',
    `/** The limits of the API. The unit is last in the name. */\nexport const limits = {\n${numbers.join('')}} as const\n`,
  ].join('\n')
}

/** The JSON Schema of each request body, for forms and checks before a call. */
export const schemasFile = ({ resources }: ClientModel): string => {
  const bodies = resources.flatMap(({ operations }) =>
    operations.flatMap(({ id, body }) => (body ? [{ id, schema: body.schema }] : [])),
  )
  const written = bodies.map(
    ({ id, schema }) =>
      `/** The body of \`${id}\`. */\nexport const ${camel(id)}Schema: JsonSchema = ${JSON.stringify(schema)}\n`,
  )
  const type = '/** A JSON Schema (2020-12). */\nexport type JsonSchema = { readonly [keyword: string]: unknown }\n'
  return [type, ...written].join('\n')
}
