import { apiBasePath, apiVersion, ErrorBody, type Operations } from '@ars/contract'
import { type OpenAPIRegistry, OpenApiGeneratorV31 } from '@asteasolutions/zod-to-openapi'
import { findClosedAnswers } from './closed-answers.ts'
import { namedSchemas } from './components.ts'
import type { Document } from './document.ts'
import { parameterComponents, usedHeaders } from './openapi-headers.ts'
import { bodyOf, routeOf, serverAt } from './openapi-operation.ts'
import { responseComponents } from './openapi-responses.ts'
import { tidyDocument } from './openapi-tidy.ts'
import { eventData, webhookRoutes } from './openapi-webhooks.ts'

export type Contract = Readonly<Record<string, Operations>>

/** The OpenAPI 3.1 document of a contract. The output is deterministic. */
export const buildDocument = (contract: Contract): Document => {
  const operations = Object.entries(contract).flatMap(([resource, operations]) =>
    Object.entries(operations).map(([name, operation]) => ({ resource, name, operation })),
  )
  const bodies = operations.flatMap(({ operation }) => bodyOf(operation) ?? [])
  const outputs = operations.map(({ operation }) => operation.output)
  const sent = Object.hasOwn(contract, 'events')
    ? { data: eventData, routes: webhookRoutes() }
    : { data: [], routes: [] }
  const definitions: Definition[] = [
    ...namedSchemas([ErrorBody, ...bodies, ...outputs, ...sent.data]).map((schema) => ({
      type: 'schema' as const,
      schema,
    })),
    ...rawComponents('parameters', parameterComponents),
    ...rawComponents('headers', usedHeaders(operations.map(({ operation }) => operation))),
    ...rawComponents('responses', responseComponents(operations.map(({ operation }) => operation))),
    ...rawComponents('securitySchemes', securitySchemes),
    ...operations.map((each) => ({ type: 'route' as const, route: routeOf(each) })),
    // Not passed as webhooks, because the library would read those before the components; their paths distinguish them.
    ...sent.routes.map((route) => ({ type: 'route' as const, route })),
  ]
  const generated = new OpenApiGeneratorV31(definitions).generateDocument({
    openapi: '3.1.0',
    info: {
      title: 'Agent Run Service',
      version: apiVersion,
      description:
        'Runs AI agents for other programs. Responses can gain fields, and enumerations can gain values, without a new version: ' +
        'ignore unknown fields and values.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [serverAt(apiBasePath)],
    security: [{ bearer: [] }, { session: [] }],
    tags: Object.keys(contract).map((resource) => ({
      name: resource,
      description: tagWords[resource] ?? `Operations on ${resource}.`,
    })),
  })
  const document = tidyDocument(generated)
  const closed = findClosedAnswers(document)
  if (closed.length > 0) throw new Error(closed.join('\n'))
  return document
}

const tagWords: Readonly<Record<string, string>> = {
  runs: 'Create, stream, read, answer and cancel runs of agents.',
  agents: 'Hire, create, change and archive agents, and read their versions.',
  catalog: 'Agents that can be hired.',
  deployments: 'Released versions of agents: promote and roll back.',
  connectors: 'MCP servers whose tools agents can use.',
  webhooks: 'Endpoints that receive events, and their deliveries.',
  events: 'Events of the organisation.',
  apiKeys: 'Credentials for programs.',
  sessionTokens: 'Short-lived tokens for browsers.',
  auth: 'Login, logout, invitations and passwords.',
  sessions: 'Browser sessions of the current person.',
  members: 'Members of the organisation and invitations.',
  auditLog: 'Administrative operations of the organisation.',
}

const securitySchemes = {
  bearer: { type: 'http', scheme: 'bearer', description: 'An API key or a short-lived token.' },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-ars_session',
    description: 'The session cookie of a browser. Writes must come from the origin of the service.',
  },
} as const

type Definition = OpenAPIRegistry['definitions'][number]
type ComponentType = Extract<Definition, { type: 'component' }>['componentType']

const rawComponents = (componentType: ComponentType, components: Readonly<Record<string, object>>): Definition[] =>
  Object.entries(components).map(([name, component]) => ({ type: 'component', componentType, name, component }))
