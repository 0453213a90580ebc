import { astToString, type OpenAPI3, resolveRef, scanDiscriminators, transformSchema } from 'openapi-typescript'
import type { Content, Document, OperationObject, RequestBody, Schema } from './document.ts'
import { openValues } from './openapi-enums.ts'

type Context = Parameters<typeof transformSchema>[1]

/**
 * The types of a document for the TypeScript SDK. Calls the transformation directly: the wrapper would first bundle and
 * lint for seconds, and our document is complete and linted already.
 */
export const sdkSchema = (document: Document): string => {
  const api = whatClientsUse(document)
  const options = { silent: true, defaultNonNullable: false }
  const context: Omit<Context, 'redoc'> = {
    additionalProperties: false,
    alphabetize: false,
    arrayLength: false,
    // A field with a default is optional in requests. In responses it is required explicitly.
    defaultNonNullable: false,
    discriminators: scanDiscriminators(api, options),
    emptyObjectsUnknown: true,
    enum: false,
    enumValues: false,
    conditionalEnums: false,
    dedupeEnums: false,
    excludeDeprecated: false,
    exportType: false,
    immutable: false,
    injectFooter: [],
    pathParamsAsTypes: false,
    postTransform: undefined,
    propertiesRequiredByDefault: false,
    rootTypes: false,
    rootTypesNoSchemaPrefix: false,
    rootTypesKeepCasing: false,
    silent: true,
    transform: undefined,
    transformProperty: undefined,
    makePathsEnum: false,
    generatePathParams: false,
    readWriteMarkers: false,
    resolve: ($ref) => resolveRef(api, $ref, { silent: true }),
  }
  // `redoc` configures the bundling, which is skipped here.
  const nodes = transformSchema(api, context as Context)
  return astToString(nodes.filter((node) => !unused.has(String((node as { name?: { text?: string } }).name?.text))))
}

/** Operations are found by their id. */
const unused: ReadonlySet<string> = new Set(['paths', 'webhooks', '$defs'])

/** Removes parts without client types: errors, which are one class, headers, which the core handles, and samples. */
const whatClientsUse = ({ components, ...document }: Document): OpenAPI3 =>
  ({
    ...document,
    paths: mapOperations(document.paths),
    ...(document.webhooks && { webhooks: mapOperations(document.webhooks) }),
    components: { schemas: closeEnums(components?.schemas) },
  }) as unknown as OpenAPI3

/** A list of known values is a better type than any text. The client itself never checks the values that it receives. */
const closeEnums = (schemas: unknown): object =>
  Object.fromEntries(
    Object.entries((schemas ?? {}) as Record<string, Schema>).map(([name, schema]) => {
      const values = openValues(schema)
      if (values === undefined) return [name, schema]
      const { anyOf: _, ...remarks } = schema
      return [name, { ...remarks, type: 'string', enum: values }]
    }),
  )

const mapOperations = (items: Document['paths']): Document['paths'] =>
  Object.fromEntries(
    Object.entries(items).map(([path, item]) => [
      path,
      Object.fromEntries(Object.entries(item).map(([method, operation]) => [method, slim(operation)])),
    ]),
  )

const slim = ({ parameters = [], requestBody, responses, ...operation }: OperationObject): OperationObject => ({
  ...operation,
  parameters: parameters.filter((each) => 'in' in each && each.in !== 'header'),
  ...(requestBody && {
    requestBody: 'content' in requestBody ? { ...requestBody, content: bare(requestBody) } : requestBody,
  }),
  responses: Object.fromEntries(
    Object.entries(responses)
      .filter(([status]) => status.startsWith('2'))
      .map(([status, response]) => [status, 'content' in response ? { ...response, headers: {} } : response]),
  ),
})

const bare = ({ content }: RequestBody): Content =>
  Object.fromEntries(Object.entries(content).map(([mediaType, { schema }]) => [mediaType, { schema }]))
