import type { ApiCall } from '../lab/client/api-caller.ts'
import { leakMarkerOf } from './leak-marker.ts'
import { keyField } from './records.ts'
import type { RunClient } from './run-client.ts'

/** Creates and starts pipelines over the API, as patiently as the client of the runs. */
export type PipelineClient = {
  /** Answers the `pl_…`. */
  create(key: string, pipeline: { name: string; definition: object }): Promise<string>
  /** Answers the `plr_…`. */
  start(key: string, pipelineId: string, input: object): Promise<string>
  get(pipelineRunId: string): Promise<WirePipelineRun>
}

/** In as far as it is looked at here. */
export type WirePipelineRun = {
  id: string
  status: string
  output: unknown
  error: { code: string; message: string } | null
}

/** A refusal stays one, however often it is asked for again. */
const answers = [200, 201, 400, 401, 403, 404, 409, 422]

export const pipelineClient = (client: RunClient): PipelineClient => {
  const ask = async <Body>(call: ApiCall, key?: string): Promise<Body> => {
    const headers = { ...client.authorization, ...(key !== undefined && { 'idempotency-key': key }) }
    // In the journal it is a listing: an answer without a run.
    const attempt = { what: 'list', key: key ?? call.path, call: { ...call, headers }, expects: answers } as const
    const { status, text } = await client.insist(attempt)
    if (status > 299) throw new Error(`${call.method} ${call.path} was refused: ${status} ${text.slice(0, 300)}`)
    return JSON.parse(text) as Body
  }
  return {
    create: async (key, body) => (await ask<{ id: string }>({ method: 'POST', path: '/v2/pipelines', body }, key)).id,
    start: async (key, pipelineId, input) => {
      const metadata = { [keyField]: key, leakMarker: leakMarkerOf(client.org) }
      const call = { method: 'POST', path: `/v2/pipelines/${pipelineId}/runs`, body: { input, metadata } } as const
      return (await ask<{ id: string }>(call, key)).id
    },
    get: (id) => ask({ method: 'GET', path: `/v2/pipeline-runs/${id}` }),
  }
}
