import type { RunId } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import { toUuid } from '@ars/platform/id'
import type { AgentService, Reacher } from '../agents/index.ts'
import { Fault } from '../fault.ts'
import { findAgentOfRun } from './run.store.ts'

/** Refuses a run whose agent is out of the caller's reach. Only keys that are narrowed pay for the look. */
export const createRunReach =
  ({ app, agents }: { app: Database; agents: AgentService }) =>
  async (ctx: Reacher, id: RunId): Promise<void> => {
    const reach = await agents.reach(ctx)
    if (reach === null) return
    const agentId = await findAgentOfRun(app, ctx.org, toUuid(id))
    if (agentId === null) throw new Fault('not_found', `No run ${id}`)
    if (!reach.has(agentId)) throw new Fault('forbidden', `Run ${id} is of an agent that this key may not use`)
  }
