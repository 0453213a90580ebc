import { allOperations, type Document, type RequestBody, type Response, resolve, type Schema } from './document.ts'

/**
 * Finds responses that forbid additional fields. A generated client would reject the next release, so the contract uses
 * `z.object` for responses and `z.strictObject` for requests.
 */
export const findClosedAnswers = (document: Document): string[] => {
  const found: string[] = []
  const seen = new Set<Schema>()
  const visit = (schema: Schema, place: string): void => {
    const whole = resolve<Schema>(document, schema)
    if (seen.has(whole)) return
    seen.add(whole)
    if (whole.additionalProperties === false) found.push(`${place} is closed to new fields: write it with z.object.`)
    for (const [name, part] of partsOf(whole)) visit(part, place + name)
  }
  for (const { operation } of allOperations(document)) {
    for (const [status, response] of Object.entries(operation.responses)) {
      const { content = {} } = resolve<Response>(document, response)
      for (const { schema } of Object.values(content)) visit(schema, `The answer ${status} of ${operation.operationId}`)
    }
  }
  for (const [name, { post }] of Object.entries(document.webhooks ?? {})) {
    const body = post?.requestBody && resolve<RequestBody>(document, post.requestBody)
    for (const { schema } of Object.values(body?.content ?? {})) visit(schema, `The event ${name}`)
  }
  return found
}

const partsOf = (schema: Schema): (readonly [string, Schema])[] => [
  ...Object.entries(schema.properties ?? {}).map(([name, part]) => [`.${name}`, part] as const),
  ...[schema.allOf, schema.anyOf, schema.oneOf].flatMap((parts) => parts ?? []).map((part) => ['', part] as const),
  ...[schema.items, ...(schema.prefixItems ?? [])].flatMap((part) => (part ? [['[]', part] as const] : [])),
  ...(typeof schema.additionalProperties === 'object' ? [['.*', schema.additionalProperties] as const] : []),
]
