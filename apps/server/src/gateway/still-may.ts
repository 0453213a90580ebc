import type { Caller } from '@ars/core/ctx'
import type { FastifyRequest } from 'fastify'
import type { AdmissionDeps } from './admission.ts'
import { readCredential } from './credential.ts'

/** Whether the credential of a request that was let in is still good, and opens what it opened then. */
export const stillMay = async (
  { access, people }: Pick<AdmissionDeps, 'access' | 'people'>,
  request: FastifyRequest,
): Promise<boolean> => {
  const credential = readCredential(request.raw)
  if (credential.kind === 'none' || !request.caller) return false
  const { text } = credential
  const caller = await (credential.kind === 'bearer' ? access.authenticate(text) : people.authenticateSession(text))
  return caller !== null && reachOf(caller) === reachOf(request.caller)
}

const reachOf = ({ org, scopes, agentIds, runId, isDemo }: Caller): string =>
  JSON.stringify([org, [...scopes].sort(), agentIds && [...agentIds].sort(), runId, isDemo])
