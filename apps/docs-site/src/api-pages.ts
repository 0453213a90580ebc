import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SitePage } from './site-page.ts'

/** The part of an OpenAPI document that the reference shows. */
type Node = {
  $ref?: string
  type?: string | readonly string[]
  format?: string
  const?: unknown
  enum?: readonly unknown[]
  anyOf?: readonly Node[]
  oneOf?: readonly Node[]
  items?: Node
  properties?: Readonly<Record<string, Node>>
  additionalProperties?: Node | boolean
  required?: readonly string[] | boolean
  description?: string
  name?: string
  in?: string
  schema?: Node
  value?: unknown
  content?: Readonly<Record<string, Media>>
}

type Media = { schema?: Node; 'x-item-schema'?: Node; example?: unknown; examples?: Readonly<Record<string, Node>> }

type Operation = {
  operationId: string
  tags: readonly string[]
  summary: string
  description: string
  parameters?: readonly Node[]
  requestBody?: Node
  responses: Readonly<Record<string, Node>>
}

export type Document = {
  tags: readonly { name: string; description: string }[]
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  webhooks?: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  components: { schemas: Readonly<Record<string, Node>> } & Readonly<Record<string, Readonly<Record<string, Node>>>>
}

const basePath = '/docs/api'

export const readApiPages = (root: string): SitePage[] =>
  apiPages(JSON.parse(readFileSync(join(root, 'packages/contract/openapi.json'), 'utf8')))

/** A page for each group of operations: their fields, responses, examples and types. A type is on the first page that uses it. */
export const apiPages = (document: Document): SitePage[] => {
  const groups = document.tags.map(({ name, description }) => ({
    title: titleOf(name),
    description,
    own: routesOf(document, name),
  }))
  const homes = new Map<string, string>()
  const typesOf = groups.map(({ title, own }) => {
    const found: string[] = []
    const visit = (node: unknown): void => {
      for (const name of refsIn(node)) {
        if (homes.has(name)) continue
        homes.set(name, slugOf(title))
        found.push(name)
        visit(document.components.schemas[name])
      }
    }
    for (const { operation } of own) visit(shownOf(document, operation))
    return found
  })
  return groups.map(({ title, description, own }, at) => ({
    file: `docs/api/${slugOf(title)}.md`,
    slug: `api/${slugOf(title)}`,
    title: `API: ${title}`,
    description,
    body: pageBody({ document, homes, own, description, types: typesOf[at] ?? [] }),
  }))
}

type Route = { readonly method: string; readonly path: string; readonly operation: Operation }
type Scene = { document: Document; homes: ReadonlyMap<string, string> }

const pageBody = ({
  own,
  description,
  types,
  ...scene
}: Scene & { own: readonly Route[]; description: string; types: readonly string[] }) => {
  const sections = own.map((route) => operationSection(scene, route))
  const shown = types.map((name) => typeSection(scene, name))
  return [description, ...sections, ...(shown.length > 0 ? ['## Types', ...shown] : [])].join('\n\n').concat('\n')
}

const titleOf = (name: string): string =>
  name
    .replace(/^[a-z]/, (first) => first.toUpperCase())
    .replace(/([a-z])([A-Z])/g, (_, one, two) => `${one} ${two.toLowerCase()}`)

const slugOf = (title: string): string => title.toLowerCase().replaceAll(' ', '-')

const routesOf = ({ paths, webhooks = {} }: Document, tag: string): Route[] =>
  [...Object.entries(paths), ...Object.entries(webhooks)].flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) =>
      operation.tags.includes(tag) ? [{ method: method.toUpperCase(), path, operation }] : [],
    ),
  )

const operationSection = (scene: Scene, { method, path, operation }: Route): string => {
  const { document } = scene
  const inputs = (operation.parameters ?? []).map((each) => resolve(document, each))
  const place = path.startsWith('/') ? `/v2${path}` : path
  const [body] = Object.values(resolve(document, operation.requestBody ?? {}).content ?? {})
  const responses = Object.entries(operation.responses).map(([status, each]) => {
    const { description = '', content = {} } = {
      ...resolve(document, each),
      ...(each.description && { description: each.description }),
    }
    const types = Object.values(content).map((media) => typeWords(scene, media['x-item-schema'] ?? media.schema ?? {}))
    return [status, [...new Set(types)].join(', '), description]
  })
  const [success] = Object.entries(operation.responses).flatMap(([status, each]) =>
    status.startsWith('2') ? Object.values(resolve(document, each).content ?? {}) : [],
  )
  return [
    `## ${operation.summary}`,
    `\`\`\`http\n${method} ${place}\n\`\`\``,
    operation.description,
    ...(inputs.length > 0
      ? [
          table(
            ['Parameter', 'In', 'Type', 'Description'],
            inputs.map(({ name = '', in: where = '', required, schema = {}, description = '' }) => [
              `\`${name}\``,
              where,
              `${typeWords(scene, schema)}${required === true ? ', required' : ''}`,
              description,
            ]),
          ),
        ]
      : []),
    ...(body ? [`Body: ${typeWords(scene, body.schema ?? {})}`, ...exampleOf(document, body)] : []),
    table(['Status', 'Body', 'Description'], responses),
    ...(success ? exampleOf(document, success) : []),
  ].join('\n\n')
}

const typeSection = (scene: Scene, name: string): string => {
  const schema = scene.document.components.schemas[name] ?? {}
  const required = Array.isArray(schema.required) ? schema.required : []
  const rows = Object.entries(schema.properties ?? {}).map(([field, property]) => [
    `\`${field}\``,
    `${typeWords(scene, property)}${required.includes(field) ? '' : ', optional'}`,
    property.description ?? '',
  ])
  return [
    `### ${name}`,
    ...(schema.description ? [schema.description] : []),
    rows.length > 0 ? table(['Field', 'Type', 'Description'], rows) : typeWords(scene, schema),
  ].join('\n\n')
}

/** A type in words, with a link to its section. */
const typeWords = (scene: Scene, schema: Node): string => {
  const name = nameOf(schema)
  if (name !== undefined) return `[${name}](${basePath}/${scene.homes.get(name)}/#${name.toLowerCase()})`
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``
  if (schema.enum) return schema.enum.map((value) => `\`${String(value)}\``).join(', ')
  const options = schema.anyOf ?? schema.oneOf
  if (options) return options.map((option) => typeWords(scene, option)).join(' or ')
  if (schema.items) return `list of ${typeWords(scene, schema.items)}`
  const types = [schema.type ?? 'any'].flat().join(' or ')
  return schema.format === undefined ? types : `${types} (${schema.format})`
}

const exampleOf = (document: Document, { example, examples = {} }: Media): string[] => {
  const [named] = Object.values(examples)
  const value = example ?? (named && resolve(document, named).value)
  if (value === undefined) return []
  return [
    typeof value === 'string'
      ? `\`\`\`\n${value.trim()}\n\`\`\``
      : `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``,
  ]
}

/** What a section of an operation shows of types: parameters, body and responses, without examples. */
const shownOf = (document: Document, { parameters = [], requestBody = {}, responses }: Operation): unknown => {
  const nodes = [...parameters, requestBody, ...Object.values(responses)].map((node) => resolve(document, node))
  return nodes.map(({ schema, content = {} }) => [
    schema,
    Object.values(content).map((media) => media['x-item-schema'] ?? media.schema),
  ])
}

const refsIn = (node: unknown): string[] => {
  if (typeof node !== 'object' || node === null) return []
  if (Array.isArray(node)) return node.flatMap(refsIn)
  const own = nameOf(node)
  return own === undefined ? Object.values(node).flatMap(refsIn) : [own]
}

const nameOf = ({ $ref }: Node): string | undefined => /^#\/components\/schemas\/(.+)$/.exec($ref ?? '')?.[1]

const resolve = (document: Document, node: Node): Node => {
  const [, kind = '', name = ''] = /^#\/components\/([^/]+)\/(.+)$/.exec(node.$ref ?? '') ?? []
  return kind === '' ? node : resolve(document, document.components[kind]?.[name] ?? {})
}

const table = (heads: readonly string[], rows: readonly (readonly string[])[]): string => {
  const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ')
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n')
}
