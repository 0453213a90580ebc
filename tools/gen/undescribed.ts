import {
  allOperations,
  type Document,
  type Parameter,
  type RequestBody,
  type Response,
  resolve,
  type Schema,
} from './document.ts'

/**
 * Finds what makes the document hard to use: a property or parameter without a description, and an object or an
 * enumeration without a name, for which every generator invents another one.
 */
export const findUndescribed = (document: Document): string[] => {
  const schemas = Object.entries((document.components?.schemas ?? {}) as Readonly<Record<string, Described>>)
  const deciding = new Set(schemas.flatMap(([, schema]) => decidingFields(schema)))
  return [
    ...schemas
      .flatMap(([name, schema]) => faultsIn(document, name, schema))
      .filter((sentence) => ![...deciding].some((field) => sentence.startsWith(`${field} is an enumeration`))),
    ...allOperations(document).flatMap(({ operation }) => {
      const { operationId, parameters = [], requestBody, responses } = operation
      const body = requestBody && resolve<RequestBody>(document, requestBody)
      const contents = [body, ...Object.values(responses).map((each) => resolve<Response>(document, each))]
      return [
        ...parameters
          .map((each) => resolve<Parameter>(document, each))
          .filter(({ description }) => !description)
          .map(({ name }) => `The parameter ${name} of ${operationId} has no description.`),
        ...contents
          .flatMap((each) => Object.values(each?.content ?? {}))
          .filter(({ schema }) => schema.properties)
          .map(() => `A body of ${operationId} has no name: give its schema an id.`),
      ]
    }),
  ]
}

type Described = Schema & {
  readonly description?: string
  readonly discriminator?: { readonly propertyName: string }
}

const faultsIn = (document: Document, place: string, schema: Described): string[] => {
  const properties = Object.entries((schema.properties ?? {}) as Readonly<Record<string, Described>>)
  return [
    ...properties.flatMap(([name, property]) => [
      ...(isDescribed(document, property) ? [] : [`${place}.${name} has no description.`]),
      ...partsOf(property).flatMap((part) => [
        ...(part.properties ? [`${place}.${name} is an object without a name: give its schema an id.`] : []),
        ...(part.enum && !isRequest(schema) ? [`${place}.${name} is an enumeration without a name.`] : []),
        ...faultsIn(document, `${place}.${name}`, part),
      ]),
    ]),
    ...(schema.oneOf ?? [])
      .filter(({ properties: inner }) => inner)
      .map(() => `A form of ${place} has no name: give its schema an id.`),
  ]
}

/** The fields that say which form of a union it is. Their values are fixed. */
const decidingFields = ({ oneOf, discriminator }: Described): string[] =>
  (oneOf ?? []).flatMap(({ $ref }) =>
    $ref && discriminator ? [`${$ref.split('/').at(-1)}.${discriminator.propertyName}`] : [],
  )

/** A reference says what its component says. */
const isDescribed = (document: Document, property: Described): boolean => {
  if (property.description) return true
  const references = [property, ...(property.anyOf ?? [])].filter(({ $ref }) => $ref)
  return references.some((each) => Boolean((resolve<Schema>(document, each) as Described).description))
}

/** Only requests are closed to other fields. Their enumerations are closed too, and stand where they are used. */
const isRequest = ({ additionalProperties }: Schema): boolean => additionalProperties === false

const partsOf = (schema: Schema): Schema[] => [
  schema,
  ...[schema.anyOf, schema.oneOf, schema.allOf].flatMap((parts) => parts ?? []),
  ...(schema.items ? [schema.items] : []),
  ...(typeof schema.additionalProperties === 'object' ? [schema.additionalProperties] : []),
]
