/** The part of OpenAPI 3.1 that our generator writes and our checks read. */
export type Document = {
  readonly openapi: string
  readonly info: { readonly title: string; readonly version: string }
  readonly servers?: readonly { readonly url: string }[]
  readonly security?: readonly SecurityRequirement[]
  readonly paths: Readonly<Record<string, PathItem>>
  /** The requests of the service, by event type. */
  readonly webhooks?: Readonly<Record<string, PathItem>>
  readonly components?: { readonly securitySchemes?: Readonly<Record<string, unknown>> } & Readonly<
    Record<string, unknown>
  >
}

type PathItem = Readonly<Partial<Record<Method, OperationObject>>>

const methods = ['get', 'put', 'post', 'patch', 'delete'] as const
type Method = (typeof methods)[number]

export type SecurityRequirement = Readonly<Record<string, readonly string[]>>

export type OperationObject = {
  readonly operationId: string
  readonly 'x-scope'?: string
  readonly security?: readonly SecurityRequirement[]
  readonly parameters?: readonly (Parameter | Reference)[]
  readonly requestBody?: RequestBody | Reference
  readonly responses: Readonly<Record<string, Response | Reference>>
}

export type Parameter = {
  readonly name: string
  readonly in: 'path' | 'query' | 'header' | 'cookie'
  readonly description?: string
  readonly required?: boolean
  readonly style?: string
  readonly explode?: boolean
  readonly schema: Schema
}

export type RequestBody = { readonly required?: boolean; readonly content: Content }
export type Response = { readonly headers?: Readonly<Record<string, Header | Reference>>; readonly content?: Content }
export type Header = { readonly required?: boolean; readonly schema: Schema }
/** `x-item-schema`: the schema of one item of a stream. */
export type Content = Readonly<Record<string, { readonly schema: Schema; readonly 'x-item-schema'?: Schema }>>
export type Reference = { readonly $ref: string }

export type Schema = {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly propertyNames?: Schema
  readonly items?: Schema
  readonly prefixItems?: readonly Schema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly pattern?: string
  readonly format?: string
  readonly allOf?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly discriminator?: { readonly propertyName: string }
  readonly uniqueItems?: boolean
  readonly multipleOf?: number
} & Readonly<Partial<Record<LowerBound | UpperBound, number>>>

export const lowerBounds = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'] as const
export const upperBounds = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'] as const
export type LowerBound = (typeof lowerBounds)[number]
export type UpperBound = (typeof upperBounds)[number]

/** Every operation of a document with its path, in document order. */
export const allOperations = (document: Document): { address: string; operation: OperationObject }[] =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method]
      return operation ? [{ address: `${method.toUpperCase()} ${path}`, operation }] : []
    }),
  )

/** Resolves a reference. The same reference returns the same object, so cycles can be detected by identity. */
export const resolve = <Thing extends object>(document: Document, thing: Thing | Reference): Thing => {
  let found: unknown = thing
  for (let hops = 0; isReference(found); hops++) {
    if (hops > 20) throw new Error(`The reference ${found.$ref} leads in a circle`)
    found = lookUp(document, found.$ref)
  }
  return found as Thing
}

const isReference = (thing: unknown): thing is Reference =>
  typeof thing === 'object' && thing !== null && typeof (thing as Reference).$ref === 'string'

const lookUp = (document: Document, reference: string): unknown => {
  const names = reference.replace(/^#\//, '').split('/').map(unescapePointer)
  let found: unknown = document
  for (const name of names) found = (found as Record<string, unknown> | undefined)?.[name]
  if (found === undefined) throw new Error(`The document refers to ${reference}, which it does not hold`)
  return found
}

const unescapePointer = (name: string): string => name.replaceAll('~1', '/').replaceAll('~0', '~')
