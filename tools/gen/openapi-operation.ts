import type { Operation } from '@ars/contract'
import type { RouteConfig } from '@asteasolutions/zod-to-openapi'
import { z } from 'zod'
import { callersInSentences } from './callers.ts'
import { nameOf } from './components.ts'
import { requestHeadersOf } from './openapi-headers.ts'
import { tagOf } from './openapi-info.ts'
import { errorResponsesOf, successResponsesOf } from './openapi-responses.ts'

export type NamedOperation = { readonly resource: string; readonly name: string; readonly operation: Operation }

/** One operation of the contract as one route of the document. */
export const routeOf = ({ resource, name, operation }: NamedOperation): RouteConfig => {
  const body = bodyOf(operation)
  const headers = requestHeadersOf(operation)
  return {
    method: operation.method.toLowerCase() as RouteConfig['method'],
    path: operation.path,
    // The dot separates resource and operation: `client.runs.create` in our SDKs, `runsCreate` in other generators.
    operationId: `${resource}.${name}`,
    tags: [tagOf(resource)],
    summary: operation.summary,
    description: [operation.description, callersInSentences(operation)].filter(Boolean).join('\n\n'),
    'x-scope': operation.scope,
    ...(operation.alsoScopes && { 'x-also-scopes': operation.alsoScopes }),
    ...(operation.conditionalScopes && { 'x-conditional-scopes': operation.conditionalScopes }),
    ...(operation.storedScopes && { 'x-stored-scopes': operation.storedScopes }),
    ...securityOf(operation),
    ...(headers.length > 0 && { parameters: headers }),
    request: {
      params: z.object(fieldsIn(operation, 'path')),
      query: z.object(fieldsIn(operation, 'query')),
      ...(body && { body: { required: hasRequiredField(body), content: { 'application/json': { schema: body } } } }),
    },
    responses: { ...successResponsesOf(operation), ...errorResponsesOf(operation) },
  }
}

/** An empty list means that no credential is needed; without a list the default of the document applies. */
const securityOf = ({ scope, session }: Operation): Pick<RouteConfig, 'security'> => {
  if (scope === 'anyone') return { security: [] }
  const needed = scope === 'signed_in' ? [] : [scope]
  if (session === 'required') return { security: [{ session: needed }] }
  if (scope === 'signed_in') return {}
  return { security: [{ bearer: needed }, { session: session === 'suffices' ? [] : needed }] }
}

export const serverAt = (basePath: string) => ({
  url: `https://{host}${basePath}`,
  variables: { host: { default: 'localhost:8443', description: 'Host and port of the installation.' } },
})

/** The JSON body of an operation: its input without path parameters. It keeps the name of the input. */
export const bodyOf = (operation: Operation): z.ZodObject | undefined => {
  const fields = fieldsIn(operation, 'body')
  if (Object.keys(fields).length === 0) return undefined
  if (Object.keys(fields).length === Object.keys(operation.input.shape).length) return operation.input
  const name = nameOf(operation.input)
  const { minProperties } = operation.input.meta() ?? {}
  const body = new z.ZodObject({ ...operation.input.def, shape: fields })
  return body.meta({ ...(name !== undefined && { id: name }), ...(minProperties !== undefined && { minProperties }) })
}

const pathParametersOf = (path: string): string[] => [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name ?? '')

const fieldsIn = (operation: Operation, place: 'path' | 'query' | 'body'): Record<string, z.ZodType> => {
  const inPath = new Set(pathParametersOf(operation.path))
  const elsewhere = operation.method === 'GET' || operation.method === 'DELETE' ? 'query' : 'body'
  const fields = Object.entries(operation.input.shape) as [string, z.ZodType][]
  return Object.fromEntries(fields.filter(([name]) => (inPath.has(name) ? 'path' : elsewhere) === place))
}

const hasRequiredField = (body: z.ZodObject): boolean =>
  !body.safeParse({}).success || body.meta()?.minProperties !== undefined
