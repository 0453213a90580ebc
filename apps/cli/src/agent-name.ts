import { type AgentRunService, PermissionError } from '@agent-run-service/sdk'
import { cliBounds } from './bounds.ts'
import { findIdByName } from './thing-name.ts'

/** An agent is named by its id, or by a name that only one active agent has. */
export const findAgentId = (client: AgentRunService, given: string, signal: AbortSignal): Promise<string> =>
  findIdByName({ prefix: 'ag', noun: 'agent', list: 'ars agents list' }, given, () =>
    client.agents.list({ q: given, status: 'active', limit: cliBounds.page.count }, { signal }),
  )

/** The names of the agents of some things, by their ids. A key that may not list agents finds none. */
export const agentNames = async (
  client: AgentRunService,
  things: readonly { agent_id: string }[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> => {
  const names = new Map<string, string>()
  const wanted = new Set(things.map(({ agent_id }) => agent_id))
  if (wanted.size === 0) return names
  let seen = 0
  try {
    for await (const { id, name } of client.agents.list({ limit: cliBounds.page.count }, { signal })) {
      names.set(id, name)
      wanted.delete(id)
      seen++
      if (wanted.size === 0 || seen === cliBounds.page.count) break
    }
  } catch (error) {
    if (!(error instanceof PermissionError)) throw error
  }
  return names
}
