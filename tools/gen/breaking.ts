import { type Break, type Documents, type Place, schemaBreaks } from './breaking-place.ts'
import { compareWebhooks } from './breaking-webhooks.ts'
import { isAsOpen, needOf } from './callers.ts'
import {
  allOperations,
  type Content,
  type Document,
  type Header,
  type OperationObject,
  type Parameter,
  type RequestBody,
  type Response,
  resolve,
} from './document.ts'

export type { Break } from './breaking-place.ts'

/**
 * Changes in `after` that break a client of `before`. No request of such a client may be rejected, and no field that it
 * reads may vanish or change its type. Additions are harmless: clients ignore unknown fields and values. A new status
 * is not harmless.
 */
export const findBreaks = (before: Document, after: Document): Break[] => {
  const later = new Map(allOperations(after).map(({ address, operation }) => [address, operation]))
  const breaks = [
    ...compareAddresses(before, after),
    ...allOperations(before).flatMap(({ address, operation }) => {
      const name = `${operation.operationId} (${address})`
      const successor = later.get(address)
      if (!successor) return [{ kind: 'operation-removed' as const, sentence: `${name} is gone.` }]
      const pair = { name, documents: { before, after }, before: operation, after: successor }
      return [...compareIdentity(pair), ...compareParameters(pair), ...compareBodies(pair), ...compareResponses(pair)]
    }),
    ...compareWebhooks({ before, after }),
  ]
  return [...new Map(breaks.map((each) => [each.sentence, each])).values()]
}

type Pair = {
  readonly name: string
  readonly documents: Documents
  readonly before: OperationObject
  readonly after: OperationObject
}

const compareAddresses = (before: Document, after: Document): Break[] => {
  const [was, is] = [before.servers?.[0]?.url, after.servers?.[0]?.url]
  return was === is ? [] : [{ kind: 'address-changed', sentence: `The base address was ${was} and is now ${is}.` }]
}

const compareIdentity = ({ name, documents, before, after }: Pair): Break[] => {
  const breaks: Break[] = []
  if (before.operationId !== after.operationId) {
    breaks.push({ kind: 'operation-renamed', sentence: `${name} is now called ${after.operationId}.` })
  }
  if (!isAsOpen(before['x-scope'], after['x-scope'])) {
    const sentence = `${name} needed ${needOf(before['x-scope'])} and now needs ${needOf(after['x-scope'])}.`
    breaks.push({ kind: 'scope-changed', sentence })
  }
  // An empty list of schemes needs no credential.
  if (after.security?.length === 0) return breaks
  const ways = new Set(waysIn(documents.after, after).map(({ definition }) => definition))
  for (const way of waysIn(documents.before, before)) {
    if (ways.has(way.definition)) continue
    breaks.push({ kind: 'security-changed', sentence: `${name} no longer admits a caller by \`${way.names}\`.` })
  }
  return breaks
}

/** Each authentication scheme in full: a scheme that keeps its name and changes its header is another scheme. */
const waysIn = (document: Document, operation: OperationObject): { names: string; definition: string }[] =>
  (operation.security ?? document.security ?? []).map((requirement) => {
    const schemes = Object.keys(requirement).sort()
    const definitions = schemes.map((scheme) => {
      const { description: _, ...rest } = {
        description: '',
        ...(document.components?.securitySchemes?.[scheme] as object),
      }
      // The scope is compared separately.
      return rest
    })
    return { names: schemes.join(' and '), definition: JSON.stringify(definitions) }
  })

const compareParameters = ({ name, documents, before, after }: Pair): Break[] => {
  const earlier = parametersOf(documents.before, before)
  const later = parametersOf(documents.after, after)
  const breaks: Break[] = []
  for (const [key, was] of earlier) {
    const is = later.get(key)
    const place = `${name}, ${key}`
    if (!is) {
      breaks.push({ kind: 'input-removed', sentence: `${place}: it is no longer taken.` })
      continue
    }
    if (is.required && !was.required) breaks.push({ kind: 'input-required', sentence: `${place}: it is now required.` })
    if (is.style !== was.style || is.explode !== was.explode) {
      breaks.push({ kind: 'input-narrowed', sentence: `${place}: it is now written in another way.` })
    }
    breaks.push(...schemaBreaks({ place, documents, direction: 'input' }, was.schema, is.schema))
  }
  for (const [key, { required }] of later) {
    if (required && !earlier.has(key))
      breaks.push({ kind: 'input-required', sentence: `${name}, ${key}: it is new and required.` })
  }
  return breaks
}

const parametersOf = (document: Document, operation: OperationObject): Map<string, Parameter> =>
  new Map(
    (operation.parameters ?? []).map((each) => {
      const parameter = resolve<Parameter>(document, each)
      const isHeader = parameter.in === 'header'
      const kind = isHeader ? 'header' : `${parameter.in} parameter`
      return [`${kind} \`${isHeader ? parameter.name.toLowerCase() : parameter.name}\``, parameter]
    }),
  )

const compareBodies = ({ name, documents, before, after }: Pair): Break[] => {
  const place = `${name}, body`
  const was = before.requestBody && resolve<RequestBody>(documents.before, before.requestBody)
  const is = after.requestBody && resolve<RequestBody>(documents.after, after.requestBody)
  const breaks: Break[] = []
  if (is?.required && !was?.required) breaks.push({ kind: 'input-required', sentence: `${place}: it is now required.` })
  if (was && !is) breaks.push({ kind: 'input-removed', sentence: `${place}: it is no longer taken.` })
  if (was && is) breaks.push(...compareContents({ place, documents, direction: 'input' }, was.content, is.content))
  return breaks
}

const compareResponses = ({ name, documents, before, after }: Pair): Break[] => {
  const breaks: Break[] = []
  for (const [status, response] of Object.entries(before.responses)) {
    const successor = after.responses[status]
    const place = `${name}, answer ${status}`
    if (successor) {
      const was = resolve<Response>(documents.before, response)
      const is = resolve<Response>(documents.after, successor)
      breaks.push(...compareHeaders({ place, documents, direction: 'output' }, was, is))
      breaks.push(...compareContents({ place, documents, direction: 'output' }, was.content ?? {}, is.content ?? {}))
    } else if (status.startsWith('2')) {
      breaks.push({ kind: 'status-gone', sentence: `${name} no longer answers ${status}.` })
    }
  }
  for (const status of Object.keys(after.responses)) {
    if (!before.responses[status]) breaks.push({ kind: 'status-new', sentence: `${name} may now answer ${status}.` })
  }
  return breaks
}

const compareHeaders = ({ place, documents, direction }: Place, was: Response, is: Response): Break[] => {
  const later = new Map(Object.entries(is.headers ?? {}).map(([name, header]) => [name.toLowerCase(), header]))
  return Object.entries(was.headers ?? {}).flatMap(([name, header]): Break[] => {
    const here = `${place}, header ${name}`
    const successor = later.get(name.toLowerCase())
    if (!successor) return [{ kind: 'output-removed', sentence: `${here}: it is gone.` }]
    const earlier = resolve<Header>(documents.before, header)
    const now = resolve<Header>(documents.after, successor)
    const found = schemaBreaks({ place: here, documents, direction }, earlier.schema, now.schema)
    const isOptional = earlier.required && !now.required
    return isOptional ? [...found, { kind: 'output-optional', sentence: `${here}: it may now be missing.` }] : found
  })
}

const compareContents = (at: Place, was: Content, is: Content): Break[] =>
  Object.entries(was).flatMap(([mediaType, { schema }]): Break[] => {
    const successor = is[mediaType]
    if (successor) return schemaBreaks(at, schema, successor.schema)
    return [{ kind: `${at.direction}-removed`, sentence: `${at.place}: it is no longer ${mediaType}.` }]
  })
