import type { Tx } from '@ars/platform/db/database'
import { fromUuid, type IdMaker, toUuid } from '@ars/platform/id'
import type { Change } from '../content-change.ts'
import { recordEvent } from '../events/index.ts'
import { lockAgent } from './agent.store.ts'
import type { Agent } from './agent.ts'
import { type AgentActor, agentUpdatedData, visibleChanges } from './agent-change.ts'

type AgentChange = { before: Agent; after: Agent; actor: AgentActor; changes?: readonly Change[] }

/** Records `agent.updated` in the transaction of the change, unless `GET /agents/{id}` shows the same as before. */
export const recordAgentUpdated = async (tx: Tx, org: string, newId: IdMaker, change: AgentChange): Promise<void> => {
  const { before, after, actor, changes = visibleChanges(before, after) } = change
  if (changes.length === 0 && before.version === after.version) return
  await recordEvent(tx, org, {
    id: toUuid(newId('evt')),
    type: 'agent.updated',
    subjectId: after.id,
    data: agentUpdatedData({
      agentId: fromUuid('ag', after.id),
      version: { old: before.version, new: after.version },
      changes,
      actor,
    }),
  })
}

/**
 * Runs a change of another slice that may change the agent too, such as a rollback, and records `agent.updated` after its
 * own events.
 */
export const createAgentWatch =
  ({ newId }: { newId: IdMaker }) =>
  async <Result>(
    tx: Tx,
    org: string,
    { agentId, actor }: { agentId: string; actor: AgentActor },
    work: () => Promise<Result>,
  ): Promise<Result> => {
    const before = await lockAgent(tx, org, agentId)
    const result = await work()
    const after = before && (await lockAgent(tx, org, agentId))
    if (after) await recordAgentUpdated(tx, org, newId, { before, after, actor })
    return result
  }
