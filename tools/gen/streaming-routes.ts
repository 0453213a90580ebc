import { table } from './markdown.ts'
import type { Contract } from './openapi.ts'

/** The section of the changelog that says for every route whether it streams. */
export const streamingRoutes = (contract: Contract): string => {
  const operations = Object.values(contract).flatMap((group) => Object.values(group))
  const streaming = operations.filter(({ streams }) => streams === true)
  const rows = streaming.map(({ method, path, summary }) => [`\`${method} ${path}\``, summary])
  return `${table(['Route', 'Content'], rows)}

All other routes respond with JSON and do not stream.`
}
