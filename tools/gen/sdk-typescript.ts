import {
  allOperations,
  type Document,
  type OperationObject,
  type Parameter,
  type RequestBody,
  resolve,
  type Schema,
} from './document.ts'
import { sdkSchema } from './sdk-schema.ts'

const folder = 'sdks/typescript/src/generated'
const note = '// Made by `pnpm gen` from packages/contract/openapi.json. Change the contract, not this file.\n'

/** The generated part of the TypeScript SDK: the types, and a method for each operation that a key may call. */
export const sdkFiles = (document: Document): Readonly<Record<string, string>> => ({
  [`${folder}/schema.ts`]: `${note}\n${sdkSchema(document)}`,
  [`${folder}/types.ts`]: typesFile(document),
  [`${folder}/resources.ts`]: resourcesFile(document),
})

/** These operations are for people with a browser and a password, not for API keys. */
const forPeople: ReadonlySet<string> = new Set(['auth', 'sessions'])

/** Reserved words of the language. */
const renamed: Readonly<Record<string, string>> = { Error: 'ErrorBody' }

const typesFile = (document: Document): string => {
  const schemas = schemaNames(document)
  const aliases = schemas.map((name) => `export type ${renamed[name] ?? name} = components['schemas']['${name}']\n`)
  return [note, "import type { components } from './schema.ts'\n", aliases.join(''), ...events(document)].join('\n')
}

/** The data of an event depends on its type. */
const events = (document: Document): string[] => {
  const sent = Object.entries(document.webhooks ?? {}).flatMap(([type, { post }]) => {
    const body = post?.requestBody && resolve<RequestBody>(document, post.requestBody)
    const schema = body?.content['application/json']?.schema
    return schema ? [`  '${type}': ${typeOf(schema)}`] : []
  })
  return ['/** Every event, by its type. */', `export type EventByType = {\n${sent.join('\n')}\n}\n`]
}

const schemaNames = (document: Document): string[] => Object.keys((document.components?.schemas ?? {}) as object)

type Method = {
  resource: string
  name: string
  verb: string
  path: string
  operation: OperationObject
}

const resourcesFile = (document: Document): string => {
  const methods = allOperations(document)
    .map(({ address, operation }): Method => {
      const [verb = '', path = ''] = address.split(' ')
      const [resource = '', name = ''] = operation.operationId.split('.')
      return { resource, name, verb, path, operation }
    })
    .filter(({ resource }) => !forPeople.has(resource))
  const resources = [...Map.groupBy(methods, ({ resource }) => resource)]
  const asWritten = resources.map(([resource, own]) => ({ resource, own: own.map((each) => write(document, each)) }))
  const body = [
    `export const sdkVersion = '${document.info.version}'\n`,
    ...asWritten.flatMap(({ own }) => own.flatMap(({ params }) => params ?? [])),
    ...asWritten.map(
      ({ resource, own }) =>
        `export type ${capital(resource)} = {\n${own.map(({ signature }) => signature).join('\n')}\n}\n`,
    ),
    '/** Every operation as data: the client is one loop over them. */',
    'const table = {',
    ...asWritten.map(({ resource, own }) => `  ${resource}: {\n${own.map(({ row }) => row).join('\n')}\n  },`),
    '} as const\n',
    'export class Resources {',
    ...resources.map(([resource]) => `  readonly ${resource}: ${capital(resource)}`),
    '',
    '  constructor(caller: Caller) {',
    ...resources.map(
      ([resource]) => `    this.${resource} = resourceOf<${capital(resource)}>(caller, table.${resource})`,
    ),
    '  }',
    '}\n',
  ].join('\n')
  const named = schemaNames(document).filter((name) => new RegExp(`[<]${name}[>]`).test(body))
  const types = `import type {\n${named.map((name) => `  ${name},\n`).join('')}} from './types.ts'\n`
  return [note, imports + types, body].join('\n')
}

const imports = `import type { CallOptions, CreateOptions, Given, StreamOptions, WaitOptions } from '../options.ts'
import type { ListCall } from '../page.ts'
import { type Caller, resourceOf } from '../resource.ts'
import type { Stream } from '../stream.ts'
import type { operations } from './schema.ts'
`

/** Writes an operation three times: the type of its parameters, its documented method, and its row of the table. */
const write = (document: Document, { resource, name, verb, path, operation }: Method) => {
  const key = `${resource}.${name}`
  const parameters = (operation.parameters ?? []).map((each) => resolve<Parameter>(document, each))
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, each = '']) => each)
  const queries = parameters.filter((each) => each.in === 'query')
  const body = operation.requestBody && 'content' in operation.requestBody ? operation.requestBody : undefined
  const fromQuery = queries.length > 0 ? 'query' : undefined
  const takes = body ? 'body' : fromQuery
  const mustBeGiven = body ? body.required === true : queries.some(({ required }) => required)
  const paramsName = `${capital(resource)}${capital(name)}Params`
  const source = body
    ? `NonNullable<operations['${key}']['requestBody']>['content']['application/json']`
    : `NonNullable<operations['${key}']['parameters']['query']>`
  const headers = new Set(parameters.filter((each) => each.in === 'header').map((each) => each.name))
  const answer = answerOf(document, operation)
  const isIdempotent = headers.has('Idempotency-Key')
  const prefers = headers.has('Prefer')
  const options = [
    answer.kind.endsWith('stream') ? 'StreamOptions' : 'CallOptions',
    isIdempotent && 'CreateOptions',
    prefers && 'WaitOptions',
  ].filter(Boolean)
  const args = [
    ...names.map((each) => `${camel(each)}: string`),
    ...(takes ? [`params${mustBeGiven ? '' : '?'}: ${paramsName}`] : []),
    `options?: ${options.join(' & ')}`,
  ]
  const row = [
    `method: '${verb}'`,
    `path: '${path}'`,
    `answers: '${answer.kind}'`,
    takes && `takes: '${takes}'`,
    isIdempotent && 'idempotent: true',
    prefers && 'prefers: true',
    answer.kind.endsWith('stream') && verb === 'POST' && `resumesAt: '${resumePath(document, resource)}'`,
  ].filter(Boolean)
  return {
    params: takes && `export type ${paramsName} = Given<${source}>\n`,
    signature: `${words(operation)}  ${name}(${args.join(', ')}): ${answer.type}`,
    row: `    ${name}: { ${row.join(', ')} },`,
  }
}

type AnswerKind = 'record' | 'list' | 'run_stream' | 'event_stream'

const answerOf = (document: Document, operation: OperationObject): { kind: AnswerKind; type: string } => {
  const [status = ''] = Object.keys(operation.responses).filter((each) => each.startsWith('2'))
  const response = operation.responses[status]
  const content = response && 'content' in response ? response.content : undefined
  const frames = content?.['text/event-stream']?.['x-item-schema']
  if (frames) {
    const type = typeOf(frames)
    return { kind: frames.$ref?.endsWith('/RunFrame') ? 'run_stream' : 'event_stream', type: `Stream<${type}>` }
  }
  const schema = content?.['application/json']?.schema ?? {}
  const { properties } = resolve<Schema>(document, schema as Schema)
  const items = properties?.object?.const === 'list' || properties?.object?.enum?.[0] === 'list'
  if (items && properties?.data?.items) return { kind: 'list', type: `ListCall<${typeOf(properties.data.items)}>` }
  const written = schema.$ref
    ? typeOf(schema)
    : `operations['${operation.operationId}']['responses'][${status}]['content']['application/json']`
  return { kind: 'record', type: `Promise<${written}>` }
}

/** Only named schemas: a list of anonymous items would be useless to the caller. */
const typeOf = (schema: Schema): string => {
  const name = schema.$ref?.split('/').at(-1)
  if (!name) throw new Error('The items of a list and the frames of a stream need a schema with a name')
  return renamed[name] ?? name
}

/** The operation that resumes a stream of a POST: the stream of the created resource. */
const resumePath = (document: Document, resource: string): string => {
  const found = allOperations(document).find(
    ({ address, operation }) =>
      operation.operationId.startsWith(`${resource}.`) &&
      address.startsWith('GET ') &&
      'content' in (operation.responses['200'] ?? {}) &&
      JSON.stringify(operation.responses['200']).includes('text/event-stream'),
  )
  if (!found) throw new Error(`A stream of ${resource} is begun with POST and cannot be resumed: it needs a GET`)
  return found.address.slice('GET '.length)
}

const words = (operation: OperationObject): string => {
  const { summary = '', description = '' } = operation as { summary?: string; description?: string }
  const lines = [`${summary}${/[.?]$/.test(summary) ? '' : '.'}`, ...description.split('\n\n').filter(Boolean)]
  return `  /**\n${lines.map((line) => `   * ${line.replaceAll('*/', '*\\/')}`).join('\n   *\n')}\n   */\n`
}

const capital = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)
const camel = (name: string): string => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
