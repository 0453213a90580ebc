import type { RunId } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import { toUuid } from '@ars/platform/id'
import type { AgentAccess } from '../../agent-access.ts'
import type { AgentService } from '../../agents/index.ts'
import { Fault } from '../../fault.ts'
import { type AccessibleRun, accessibleRun, anyRun } from '../run/accessible-run.ts'
import { findRunAccess } from '../run/run.store.ts'

/** Resolves an id to a run that the caller may touch. Keys that see every run of every agent need no statement. */
export const createRunAccess =
  ({ app, agents }: { app: Database; agents: AgentService }) =>
  async (ctx: AgentAccess, id: RunId): Promise<AccessibleRun> => {
    const allowed = await agents.allowedAgents(ctx)
    const any = anyRun(allowed, id)
    if (any) return any
    const row = await findRunAccess(app, ctx.org, toUuid(id))
    if (row === null) throw new Fault('not_found', `No run ${id}`)
    const access = accessibleRun(allowed, id, row)
    if ('refusal' in access) throw new Fault('forbidden', access.refusal)
    return access.run
  }
