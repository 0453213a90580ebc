import { allOperations, type Document, type RequestBody, type Response, resolve, type Schema } from './document.ts'

/**
 * Opens the enumerations of responses: a client must accept values that are new. A request stays closed: it is rejected
 * with an unknown value. A component that both use is open, and requests get a copy of its values.
 */
export const openEnums = (document: Document): Document => {
  const schemas = (document.components?.schemas ?? {}) as Readonly<Record<string, Schema>>
  const answered = componentsOf(document, answersOf(document))
  const isOpen = (name: string): boolean => answered.has(name) && isEnum(schemas[name])
  const taken = componentsOf(document, requestsOf(document))
  const closeWithin = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(closeWithin)
    if (typeof node !== 'object' || node === null) return node
    const name = nameIn(node as Schema)
    if (name === undefined || !isOpen(name))
      return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, closeWithin(value)]))
    const { $ref: _, ...remarks } = node as Schema
    return { ...schemas[name], ...remarks }
  }
  const opened = Object.entries(schemas).map(([name, schema]): [string, unknown] => {
    if (isOpen(name)) return [name, open(schema)]
    return [name, taken.has(name) ? closeWithin(schema) : schema]
  })
  return {
    ...document,
    paths: Object.fromEntries(
      Object.entries(document.paths).map(([path, item]) => [
        path,
        Object.fromEntries(
          Object.entries(item).map(([method, operation]) => [
            method,
            {
              ...operation,
              ...(operation.parameters && { parameters: closeWithin(operation.parameters) }),
              ...(operation.requestBody && { requestBody: closeWithin(operation.requestBody) }),
            },
          ]),
        ),
      ]),
    ) as Document['paths'],
    components: { ...document.components, schemas: Object.fromEntries(opened) },
  }
}

/** The values of an open enumeration; undefined for any other schema. */
export const openValues = ({ anyOf }: Schema): readonly unknown[] | undefined => {
  const [known, any, ...others] = anyOf ?? []
  const isOpen = known?.enum && any?.type === 'string' && !any.enum && others.length === 0
  return isOpen ? known.enum : undefined
}

/** `x-go-type` is for oapi-codegen, which would make a struct of the two forms. */
const open = ({ description, type, enum: values }: Schema & { description?: string }): object => ({
  ...(description !== undefined && { description }),
  anyOf: [{ type, enum: values }, { type: 'string' }],
  'x-go-type': 'string',
})

const isEnum = (schema: Schema | undefined): boolean => schema?.type === 'string' && schema.enum !== undefined

const nameIn = ({ $ref }: Schema): string | undefined =>
  typeof $ref === 'string' && $ref.startsWith('#/components/schemas/') ? $ref.split('/').at(-1) : undefined

/** The components that these schemas refer to, directly or through others. */
const componentsOf = (document: Document, roots: readonly unknown[]): Set<string> => {
  const found = new Set<string>()
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    const name = nameIn(node as Schema)
    if (name !== undefined && !found.has(name)) {
      found.add(name)
      visit(resolve<Schema>(document, node as Schema))
    }
    for (const value of Object.values(node)) visit(value)
  }
  for (const root of roots) visit(root)
  return found
}

const answersOf = (document: Document): unknown[] => [
  ...allOperations(document).flatMap(({ operation }) =>
    Object.values(operation.responses).map((response) => resolve<Response>(document, response).content),
  ),
  ...Object.values(document.webhooks ?? {}).map(({ post }) => post?.requestBody),
]

const requestsOf = (document: Document): unknown[] =>
  allOperations(document).flatMap(({ operation }) => [
    operation.parameters,
    operation.requestBody && resolve<RequestBody>(document, operation.requestBody).content,
  ])
