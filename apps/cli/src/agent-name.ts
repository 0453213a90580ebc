import type { AgentRunService } from '@agent-run-service/sdk'
import { CommandError, exitCodes } from './exit-code.ts'

/** An agent is named by its id, or by a name that only one active agent has. */
export const findAgentId = async (client: AgentRunService, given: string, signal: AbortSignal): Promise<string> => {
  if (/^ag_[0-9a-z]{26}$/.test(given)) return given
  const found: string[] = []
  const pages = client.agents.list({ q: given, status: 'active', limit: 100 }, { signal })
  for await (const { id, name } of pages) if (name === given) found.push(id)
  if (found.length > 1) {
    throw new CommandError(`Several agents have the name ${given}`, {
      advice: `Use one of their ids: ${found.slice(0, 10).join(', ')}`,
    })
  }
  const [id] = found
  if (id === undefined) {
    throw new CommandError(`No active agent has the name ${given}`, {
      advice: 'List the agents with: ars agents list',
      code: 'not_found',
      exitCode: exitCodes.notFound,
    })
  }
  return id
}
