import { readFileSync } from 'node:fs'
import { allOperations, type Content, type Document, type RequestBody, type Response } from './document.ts'

/** Recorded calls of the service, by operation (`pnpm examples`). */
export type Examples = Readonly<Record<string, { request: Readonly<Record<string, unknown>>; response: unknown }>>

export const recordedExamples = (): Examples =>
  JSON.parse(readFileSync(new URL('../../packages/contract/examples.json', import.meta.url), 'utf8'))

/**
 * Adds the examples to the document. Operations that answer with the same component share one example, which keeps the
 * document small.
 */
export const withExamples = (document: Document, examples: Examples): Document => {
  const shared: Record<string, { value: unknown }> = {}
  const paths = structuredClone(document.paths) as Document['paths']
  for (const { operation } of allOperations({ ...document, paths })) {
    const example = examples[operation.operationId]
    if (!example) continue
    const body = (operation.requestBody as RequestBody | undefined)?.content['application/json']
    const names = new Set((operation.parameters ?? []).map((each) => ('name' in each ? each.name : '')))
    const sent = Object.fromEntries(Object.entries(example.request).filter(([name]) => !names.has(name)))
    if (body && Object.keys(sent).length > 0) Object.assign(body, { example: sent })
    for (const [status, response] of Object.entries(operation.responses)) {
      const { content } = response as Response
      if (!status.startsWith('2') || !content) continue
      const [media] = Object.values(content as Content)
      const name = media?.schema.$ref?.split('/').at(-1) ?? operation.operationId
      shared[name] ??= { value: example.response }
      Object.assign(media ?? {}, { examples: { default: { $ref: `#/components/examples/${name}` } } })
    }
  }
  const sorted = Object.fromEntries(Object.entries(shared).sort(([one], [other]) => (one < other ? -1 : 1)))
  return { ...document, paths, components: { ...document.components, examples: sorted } }
}
