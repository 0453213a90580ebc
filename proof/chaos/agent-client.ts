import type { ApiCall } from '../lab/client/api-caller.ts'
import type { RunClient } from './run-client.ts'

/** Makes and releases agents over the API, as patiently as the client of the runs: whatever is repeated has one effect. */
export type AgentClient = {
  create(key: string, agent: { name: string; config: object }): Promise<WireAgent>
  /** Sent again after a lost answer it changes nothing. `first` is the gateway that is tried first. */
  change(id: string, body: object, options?: { first?: number }): Promise<WireAgent & { deployment: object | null }>
  get(id: string, options?: { first?: number }): Promise<WireAgent>
  /** Of the agent, newest first. */
  versions(id: string): Promise<{ version: number }[]>
  /** Of the agent, newest first. */
  deployments(id: string): Promise<WireDeployment[]>
  getDeployment(id: string): Promise<WireDeployment>
  rollBack(deploymentId: string, reason: string): Promise<WireDeployment>
  approve(runId: string, key: string): Promise<void>
}

/** In as far as it is looked at here. */
export type WireAgent = {
  id: string
  version: number
}

export type WireDeployment = {
  id: string
  version: number
  status: string
  source: string
  rolled_back_at: string | null
  rollback_reason: string | null
}

/** A refusal stays one, however often it is asked for again. */
const answers = [200, 201, 400, 401, 403, 404, 422]

export const agentClient = (client: RunClient): AgentClient => {
  const ask = async <Body>(call: ApiCall, options: { key?: string; first?: number } = {}): Promise<Body> => {
    const { key, first } = options
    const headers = { ...client.authorization, ...(key !== undefined && { 'idempotency-key': key }) }
    // In the journal it is a listing: an answer without a run.
    const attempt = { what: 'list', key: key ?? call.path, call: { ...call, headers }, expects: answers } as const
    const { status, text } = await client.insist(attempt, { ...(first !== undefined && { first }) })
    if (status > 299) throw new Error(`${call.method} ${call.path} was refused: ${status} ${text.slice(0, 300)}`)
    return JSON.parse(text) as Body
  }
  const list = async <Item>(path: string): Promise<Item[]> =>
    (await ask<{ data: Item[] }>({ method: 'GET', path })).data
  return {
    create: (key, body) => ask({ method: 'POST', path: '/v2/agents/custom', body }, { key }),
    change: (id, body, options) => ask({ method: 'PATCH', path: `/v2/agents/${id}`, body }, options),
    get: (id, options) => ask({ method: 'GET', path: `/v2/agents/${id}` }, options),
    versions: (id) => list(`/v2/agents/${id}/versions?limit=100`),
    deployments: (id) => list(`/v2/deployments?agent_id=${id}&limit=100`),
    getDeployment: (id) => ask({ method: 'GET', path: `/v2/deployments/${id}` }),
    rollBack: (id, reason) => ask({ method: 'POST', path: `/v2/deployments/${id}/rollback`, body: { reason } }),
    approve: async (runId, key) => {
      const headers = { ...client.authorization, 'idempotency-key': key }
      const call: ApiCall = { method: 'POST', path: `/v2/runs/${runId}/action`, headers, body: { type: 'approve' } }
      await client.insist({ what: 'act', key, call })
    },
  }
}
