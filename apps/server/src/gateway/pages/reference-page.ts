import { apiBasePath } from '@ars/contract'
import { type OpenApi, type OpenApiNode, type OpenApiOperation, resolveNode } from './document.ts'
import { escapeHtml, inline, markdown, pageOf, type Surroundings, table } from './html.ts'

/** The reference of all operations and types, for people. */
export const referencePage = (document: OpenApi, surroundings: Surroundings): string => {
  const operations = [
    ...routesOf(document.paths).map((route) => ({ ...route, path: apiBasePath + route.path })),
    ...routesOf(document.webhooks ?? {}),
  ]
  const groups = document.tags.map(({ name, description }) => ({
    name,
    description,
    own: operations.filter(({ operation }) => operation.tags.includes(name)),
  }))
  const types = Object.entries(document.components.schemas ?? {})
  const nav = groups.map(
    ({ name, own }) =>
      `<strong><a href="#${anchorOf(name)}">${escapeHtml(name)}</a></strong><ul>${own
        .map(({ operation }) => `<li><a href="#${operation.operationId}">${escapeHtml(operation.summary)}</a></li>`)
        .join('\n')}</ul>`,
  )
  const body = [
    markdown(document.info.description),
    ...groups.map(
      ({ name, description, own }) =>
        `<h2 id="${anchorOf(name)}">${escapeHtml(name)}</h2>\n<p>${inline(description)}</p>\n${own
          .map((each) => operationSection(document, each))
          .join('\n')}`,
    ),
    '<h2 id="types">Types</h2>',
    ...types.map(([name, schema]) => typeSection(name, schema)),
  ]
  const page = {
    title: `${document.info.title} ${document.info.version}`,
    nav: `${nav.join('\n')}<strong><a href="#types">Types</a></strong>`,
    body: body.join('\n'),
  }
  return pageOf(page, surroundings)
}

type Route = { readonly method: string; readonly path: string; readonly operation: OpenApiOperation }

const routesOf = (paths: OpenApi['paths']): Route[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )

const operationSection = (document: OpenApi, { method, path, operation }: Route): string => {
  const parameters = (operation.parameters ?? []).map((each) => resolveNode(document, each))
  const rows = parameters.map(({ name = '', in: place = '', required, schema = {}, description = '' }) => [
    `<code>${escapeHtml(name)}</code>`,
    place,
    `${typeOf(schema)}${required ? ', required' : ''}`,
    inline(description),
  ])
  const responses = Object.entries(operation.responses).map(([status, each]) => {
    const { description = '', content = {} } = resolveNode(document, each)
    const types = Object.entries(content).map(
      ([type, media]) => `${typeOf(media['x-item-schema'] ?? media.schema ?? {})} <code>${type}</code>`,
    )
    return [status, types.join(', '), inline(description)]
  })
  const [body] = Object.values(operation.requestBody?.content ?? {})
  return `<section id="${operation.operationId}"><h3>${escapeHtml(operation.summary)}</h3>
<p><code><span class="method">${method}</span>${escapeHtml(path)}</code></p>
${markdown(operation.description)}
${rows.length > 0 ? `<h4>Parameters</h4>${table(['Name', 'In', 'Type', 'Description'], rows)}` : ''}
${body ? `<h4>Body</h4><p>${typeOf(body.schema ?? {})}</p>${exampleOf(document, body)}` : ''}
<h4>Responses</h4>${table(['Status', 'Body', 'Description'], responses)}
${successExample(document, operation)}</section>`
}

const successExample = (document: OpenApi, { responses }: OpenApiOperation): string => {
  const [, success = {}] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? []
  const [media] = Object.values(resolveNode(document, success).content ?? {})
  return media ? exampleOf(document, media) : ''
}

const exampleOf = (
  document: OpenApi,
  { example, examples = {} }: { example?: unknown; examples?: Readonly<Record<string, OpenApiNode>> },
): string => {
  const [named] = Object.values(examples)
  const value = example ?? (named && resolveNode(document, named).value)
  if (value === undefined) return ''
  return `<pre><code>${escapeHtml(typeof value === 'string' ? value : JSON.stringify(value, null, 2))}</code></pre>`
}

const typeSection = (name: string, schema: OpenApiNode): string => {
  const required = Array.isArray(schema.required) ? (schema.required as readonly string[]) : []
  const rows = Object.entries(schema.properties ?? {}).map(([field, property]) => [
    `<code>${escapeHtml(field)}</code>`,
    `${typeOf(property)}${required.includes(field) ? '' : ', optional'}`,
    inline(property.description ?? ''),
  ])
  return `<section id="type-${name}"><h3>${name}</h3>
${schema.description ? markdown(schema.description) : ''}
${rows.length > 0 ? table(['Field', 'Type', 'Description'], rows) : `<p>${typeOf(schema)}</p>`}</section>`
}

/** A type in words, with a link to its section. */
const typeOf = (schema: OpenApiNode): string => {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1) ?? ''
    return `<a href="#type-${name}">${name}</a>`
  }
  if (schema.const !== undefined) return `<code>${escapeHtml(JSON.stringify(schema.const))}</code>`
  if (schema.enum) return schema.enum.map((value) => `<code>${escapeHtml(String(value))}</code>`).join(' | ')
  const options = schema.anyOf ?? schema.oneOf
  if (options) return options.map(typeOf).join(' | ')
  if (schema.items) return `list of ${typeOf(schema.items)}`
  const types = [schema.type ?? 'any'].flat().join(' | ')
  return schema.format === undefined ? types : `${types} (${schema.format})`
}

const anchorOf = (title: string): string => `group-${title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`
