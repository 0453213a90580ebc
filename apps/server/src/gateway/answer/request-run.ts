import { RunId } from '@ars/contract'
import type { FastifyRequest } from 'fastify'

/** The run that the request names or has created. Anything else in the path stays out of the log. */
export const runIdOf = ({ params, responseHeaders }: FastifyRequest): string | undefined => {
  const id = responseHeaders?.['x-run-id'] ?? (params as { id?: unknown } | undefined)?.id
  return typeof id === 'string' && RunId.safeParse(id).success ? id : undefined
}
