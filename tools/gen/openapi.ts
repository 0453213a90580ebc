import { apiBasePath, apiVersion, ErrorBody, type Operations } from '@ars/contract'
import { type OpenAPIRegistry, OpenApiGeneratorV31 } from '@asteasolutions/zod-to-openapi'
import { findClosedAnswers } from './closed-answers.ts'
import { namedSchemas } from './components.ts'
import type { Document } from './document.ts'
import { openEnums } from './openapi-enums.ts'
import { usedHeaders, usedParameters } from './openapi-headers.ts'
import { introduction, tagOf, tagWords } from './openapi-info.ts'
import { bodyOf, routeOf, serverAt } from './openapi-operation.ts'
import { responseComponents } from './openapi-responses.ts'
import { tidyDocument } from './openapi-tidy.ts'
import { eventSchemas, webhookRoutes, webhookTag, webhookTagWords } from './openapi-webhooks.ts'

export type Contract = Readonly<Record<string, Operations>>

/** The OpenAPI 3.1 document of a contract. The output is deterministic. */
export const buildDocument = (contract: Contract): Document => {
  const operations = Object.entries(contract).flatMap(([resource, operations]) =>
    Object.entries(operations).map(([name, operation]) => ({ resource, name, operation })),
  )
  const rows = operations.map(({ operation }) => operation)
  const bodies = operations.flatMap(({ operation }) => bodyOf(operation) ?? [])
  const outputs = operations.map(({ operation }) => operation.output)
  const sent = Object.hasOwn(contract, 'events')
    ? { schemas: eventSchemas, routes: webhookRoutes() }
    : { schemas: [], routes: [] }
  const definitions: Definition[] = [
    ...namedSchemas([ErrorBody, ...bodies, ...outputs, ...sent.schemas]).map((schema) => ({
      type: 'schema' as const,
      schema,
    })),
    ...rawComponents('parameters', usedParameters(rows)),
    ...rawComponents('headers', usedHeaders(rows)),
    ...rawComponents('responses', responseComponents(rows)),
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
      description: introduction,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [serverAt(apiBasePath)],
    security: [{ bearer: [] }, { session: [] }],
    tags: [
      ...Object.keys(contract).map((resource) => ({ name: tagOf(resource), description: tagWords(resource) })),
      ...(sent.routes.length > 0 ? [{ name: webhookTag, description: webhookTagWords }] : []),
    ],
  })
  const document = openEnums(tidyDocument(generated))
  const closed = findClosedAnswers(document)
  if (closed.length > 0) throw new Error(closed.join('\n'))
  return document
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
