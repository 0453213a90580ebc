import type { AgentRunService } from '@agent-run-service/sdk'
import { CommandError, exitCodes } from './exit-code.ts'

/** An agent is named by its id, or by a name that only one active agent has. */
export const findAgentId = async (client: AgentRunService, given: string, signal: AbortSignal): Promise<string> => {
  if (/^ag_[0-9a-z]{26}$/.test(given)) return given
  const { data, hasMore } = await client.agents.list({ q: given, status: 'active', limit: 100 }, { signal })
  const [found, second] = data.filter(({ name }) => name === given)
  if (second || (found && hasMore)) {
    const ids = data.filter(({ name }) => name === given).map(({ id }) => id)
    throw new CommandError(`Several agents are called ${given}`, {
      advice: `Use one of their ids: ${ids.slice(0, 10).join(', ')}`,
    })
  }
  if (!found) {
    throw new CommandError(`No active agent is called ${given}`, {
      advice: 'See which there are: ars agents list',
      code: 'not_found',
      exitCode: exitCodes.notFound,
    })
  }
  return found.id
}
