import type { RunId } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import { toUuid } from '@ars/platform/id'
import type { AgentAccess } from '../../agent-access.ts'
import type { AgentService } from '../../agents/index.ts'
import { Fault } from '../../fault.ts'
import { type AccessibleRun, accessibleRun, anyRun } from '../run/accessible-run.ts'
import { findAgentOfRun } from '../run/run.store.ts'

/** Resolves an id to a run of an agent that the caller may use. Only narrowed keys and demo keys need a statement. */
export const createRunAccess =
  ({ app, agents }: { app: Database; agents: AgentService }) =>
  async (ctx: AgentAccess, id: RunId): Promise<AccessibleRun> => {
    const allowed = await agents.allowedAgents(ctx)
    const any = anyRun(allowed, id)
    if (any) return any
    const agentId = await findAgentOfRun(app, ctx.org, toUuid(id))
    if (agentId === null) throw new Fault('not_found', `No run ${id}`)
    const run = accessibleRun(allowed, id, agentId)
    if (!run) throw new Fault('forbidden', `Run ${id} is of an agent that this key may not use`)
    return run
  }
