import type { ClientModel, ClientOperation } from './client-model.ts'
import { pascal } from './client-types.ts'
import { camel, comment, literal, paramsName, typeText } from './sdk-typescript-names.ts'
import { enumsOf } from './sdk-typescript-types.ts'

/** A type of methods for each resource, every operation as a row of data, and the class that joins them. */
export const resourcesFile = (model: ClientModel): string => {
  const { resources, version } = model
  const interfaces = resources.map(({ name, docs, operations }) => {
    const methods = operations.map((operation) => signature(model, operation))
    return `${comment([docs])}export type ${resourceName(model, name)} = {\n${methods.join('')}}\n`
  })
  const table = resources.map(({ name, operations }) => {
    const rows = operations.map((operation) => `    ${operation.name}: { ${row(model, operation).join(', ')} },\n`)
    return `  ${name}: {\n${rows.join('')}  },\n`
  })
  const members = resources.map(({ name }) => `  readonly ${name}: ${resourceName(model, name)}\n`)
  const made = resources.map(
    ({ name }) => `    this.${name} = resourceOf<${resourceName(model, name)}>(caller, operations.${name})\n`,
  )
  const body = [
    `export const sdkVersion = ${literal(version)}\n`,
    ...interfaces,
    `/** Every operation as data: the client is one loop over them. */\nexport const operations = {\n${table.join('')}} as const\n`,
    `export class Resources {\n${members.join('')}\n  constructor(caller: Caller) {\n${made.join('')}  }\n}\n`,
  ].join('\n')
  return `${imports(body)}\n${body}`
}

/** The methods of a resource. A type of the API may have the name already. */
const resourceName = ({ types }: ClientModel, name: string): string =>
  types.some((type) => type.name === pascal(name)) ? `${pascal(name)}Resource` : pascal(name)

/** Only what the file uses. */
const imports = (body: string): string => {
  const uses = (name: string): boolean => new RegExp(`\\b${name}\\b`).test(body)
  const from = (path: string, names: readonly string[]): string => {
    const used = names.filter(uses)
    return used.length > 0 ? `import type { ${used.join(', ')} } from '${path}'\n` : ''
  }
  const types = [...body.matchAll(/(?:ApiCall|ListCall|Stream)<(\w+)>|params\??: (\w+)|\(\w+: ([A-Z]\w+),/g)]
  const own = [...new Set(types.map(([, answer, params, sent]) => answer ?? params ?? sent ?? ''))].sort()
  return [
    from('../api-call.ts', ['ApiCall']),
    from('../options.ts', ['CallOptions', 'CreateOptions', 'StreamOptions', 'WaitOptions']),
    from('../page.ts', ['ListCall']),
    "import { type Caller, resourceOf } from '../resource.ts'\n",
    from('../run-stream.ts', ['RunStream']),
    from('../stream.ts', ['Stream']),
    own.length > 0 ? `import type {\n${own.map((name) => `  ${name},\n`).join('')}} from './types.ts'\n` : '',
  ].join('')
}

const signature = (model: ClientModel, operation: ClientOperation): string => {
  const { summary, docs, errors, body, query } = operation
  const isStream = operation.answer.kind === 'stream'
  const options = [
    isStream ? 'StreamOptions' : 'CallOptions',
    ...(operation.idempotent ? ['CreateOptions'] : []),
    ...(operation.waits ? ['WaitOptions'] : []),
  ]
  const mustBeGiven = body ? body.required : query.some(({ required }) => required)
  const args = [
    ...operation.pathParameters.map(({ name, type }) => `${camel(name)}: ${typeText(type, sent, enumsOf(model))}`),
    ...(takes(operation) ? [`params${mustBeGiven ? '' : '?'}: ${paramsName(operation.id)}`] : []),
    `options?: ${options.join(' & ')}`,
  ]
  const codes = errors.length > 0 ? `Error codes: ${errors.map((code) => `\`${code}\``).join(', ')}.` : ''
  const words = comment([`${summary}${/[.?]$/.test(summary) ? '' : '.'}`, ...docs, codes], '  ')
  return `${words}  ${operation.name}(${args.join(', ')}): ${answerText(model, operation)}\n`
}

const sent = { sent: true, received: false }
const received = { sent: false, received: true }

const takes = ({ body, query }: ClientOperation): 'body' | 'query' | undefined => {
  if (body) return 'body'
  return query.length > 0 ? 'query' : undefined
}

const answerText = (model: ClientModel, { answer }: ClientOperation): string => {
  const enums = enumsOf(model)
  if (answer.kind === 'page') return `ListCall<${typeText(answer.item, received, enums)}>`
  if (answer.kind === 'record') return `ApiCall<${typeText(answer.type, received, enums)}>`
  return answer.ends ? 'RunStream' : `Stream<${typeText(answer.frame, received, enums)}>`
}

const row = (model: ClientModel, operation: ClientOperation): string[] => {
  const { answer } = operation
  const place = takes(operation)
  const streams = answer.kind === 'stream' && (answer.ends ? 'run_stream' : 'event_stream')
  return [
    `method: '${operation.method}'`,
    `path: '${operation.path}'`,
    `answers: '${streams || (answer.kind === 'page' ? 'list' : 'record')}'`,
    ...(place ? [`takes: '${place}'`] : []),
    ...(operation.idempotent ? ['idempotent: true'] : []),
    ...(operation.waits ? ['waits: true'] : []),
    ...(answer.kind === 'stream' && operation.method === 'POST'
      ? [`resumesAt: '${pathOf(model, answer.resumedBy)}'`]
      : []),
  ]
}

const pathOf = ({ resources }: ClientModel, id: string): string => {
  const found = resources.flatMap(({ operations }) => operations).find((operation) => operation.id === id)
  if (!found) throw new Error(`There is no operation ${id}`)
  return found.path
}
