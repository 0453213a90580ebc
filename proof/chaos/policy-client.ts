import type { ApiCall } from '../lab/client/api-caller.ts'
import type { RunClient } from './run-client.ts'

/** Makes and attaches policies over the API, as patiently as the client of the runs. */
export type PolicyClient = {
  /** Answers the id. */
  create(key: string, policy: { name: string; rules: readonly WireRule[] }): Promise<string>
  /** To an agent, a key or the organisation, by its id. */
  attach(key: string, policyId: string, subjectId: string): Promise<void>
  change(policyId: string, body: { rules: readonly WireRule[] }): Promise<void>
}

export type WireRule = {
  id: string
  check: string
  stages: readonly string[]
  action: 'block' | 'redact' | 'require_approval' | 'flag'
  params: object
}

/** A refusal stays one, however often it is asked for again. */
const answers = [200, 201, 400, 401, 403, 404, 409, 422]

export const policyClient = (client: RunClient): PolicyClient => {
  const ask = async (call: ApiCall, key?: string): Promise<{ id: string }> => {
    const headers = { ...client.authorization, ...(key !== undefined && { 'idempotency-key': key }) }
    // In the journal it is a listing: an answer without a run.
    const attempt = { what: 'list', key: key ?? call.path, call: { ...call, headers }, expects: answers } as const
    const { status, text } = await client.insist(attempt)
    if (status > 299) throw new Error(`${call.method} ${call.path} was refused: ${status} ${text.slice(0, 300)}`)
    return JSON.parse(text) as { id: string }
  }
  return {
    create: async (key, body) => (await ask({ method: 'POST', path: '/v2/policies', body }, key)).id,
    attach: async (key, id, subject_id) => {
      await ask({ method: 'POST', path: `/v2/policies/${id}/attachments`, body: { subject_id } }, key)
    },
    change: async (id, body) => {
      await ask({ method: 'PATCH', path: `/v2/policies/${id}`, body })
    },
  }
}
