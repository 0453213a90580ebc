import { type Break, type Documents, schemaBreaks } from './breaking-place.ts'
import { type OperationObject, type Parameter, type RequestBody, resolve } from './document.ts'

/** Changes that break a receiver. The service sends and the client reads, so the rules of responses apply. */
export const compareWebhooks = (documents: Documents): Break[] =>
  Object.entries(documents.before.webhooks ?? {}).flatMap(([name, { post: was }]): Break[] => {
    const is = documents.after.webhooks?.[name]?.post
    if (!was) return []
    if (!is) return [{ kind: 'operation-removed', sentence: `The event ${name} is gone.` }]
    return [...compareHeaders(name, documents, { was, is }), ...compareBodies(name, documents, { was, is })]
  })

type Pair = { readonly was: OperationObject; readonly is: OperationObject }

const compareHeaders = (name: string, { before, after }: Documents, { was, is }: Pair): Break[] => {
  const later = new Set((is.parameters ?? []).map((each) => resolve<Parameter>(after, each).name.toLowerCase()))
  return (was.parameters ?? [])
    .map((each) => resolve<Parameter>(before, each).name)
    .filter((header) => !later.has(header.toLowerCase()))
    .map((header) => ({ kind: 'output-removed', sentence: `The event ${name}, header ${header}: it is gone.` }))
}

const compareBodies = (name: string, documents: Documents, { was, is }: Pair): Break[] => {
  const [earlier, later] = [was, is].map((each, n) => {
    const body =
      each.requestBody && resolve<RequestBody>(n === 0 ? documents.before : documents.after, each.requestBody)
    return body?.content['application/json']?.schema
  })
  if (!earlier) return []
  const place = `The event ${name}`
  if (!later) return [{ kind: 'output-removed', sentence: `${place}: it is no longer application/json.` }]
  return schemaBreaks({ place, documents, direction: 'output' }, earlier, later)
}
