import type { AgentRunService } from '@agent-run-service/sdk'
import { findIdByName } from './thing-name.ts'

/** An agent is named by its id, or by a name that only one active agent has. */
export const findAgentId = (client: AgentRunService, given: string, signal: AbortSignal): Promise<string> =>
  findIdByName({ prefix: 'ag', noun: 'agent', list: 'ars agents list' }, given, () =>
    client.agents.list({ q: given, status: 'active', limit: 100 }, { signal }),
  )
