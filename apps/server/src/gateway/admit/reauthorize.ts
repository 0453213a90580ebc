import type { Caller } from '@ars/core/ctx'
import type { FastifyRequest } from 'fastify'
import type { AdmissionDeps } from './admission.ts'
import { readCredential } from './credential.ts'

/** Whether the credential of an admitted request is still valid with the same permissions. */
export const reauthorize = async (
  { access, people }: Pick<AdmissionDeps, 'access' | 'people'>,
  request: FastifyRequest,
): Promise<boolean> => {
  const credential = readCredential(request.raw)
  if (!('text' in credential) || !request.caller) return false
  const { text } = credential
  const caller = await (credential.kind === 'bearer' ? access.authenticate(text) : people.authenticateSession(text))
  return caller !== null && authorityOf(caller) === authorityOf(request.caller)
}

const authorityOf = ({ org, scopes, agentIds, runId, isDemo }: Caller): string =>
  JSON.stringify([org, [...scopes].sort(), agentIds && [...agentIds].sort(), runId, isDemo])
