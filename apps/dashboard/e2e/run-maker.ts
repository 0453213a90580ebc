import type { Run } from '@agent-run-service/sdk'
import { until } from '../../server/test/app.ts'
import type { Dashboard } from './dashboard.ts'

/** Runs of the test agents, made through the API while a page shows them. */
export const runMaker = ({ app, client }: Dashboard) => {
  const agent = (name: string): string => app.tenant.agents[name] ?? ''
  return {
    agent,
    /** Accepts a run and does not wait for it. Returns its id. */
    begin: async (
      agentId: string,
      input: Record<string, unknown>,
      metadata: Record<string, string> = {},
    ): Promise<string> => {
      const request = { agent_id: agent(agentId) || agentId, input, metadata }
      return (await client.runs.create(request, { wait: false })).id
    },
    end: (id: string): Promise<Run> =>
      until(`the end of ${id}`, async () => {
        const run = await client.runs.get(id)
        return run.finished_at !== null && run
      }),
    asks: (id: string): Promise<unknown> =>
      until(`${id} to wait`, async () => (await client.runs.get(id)).status === 'requires_action'),
  }
}
