import type { AgentId, PipelineId } from '@ars/contract'
import { DatabaseUnavailable } from '@ars/platform/db/unavailable'
import { fromUuid } from '@ars/platform/id'
import type { Ctx } from '../ctx.ts'
import { Fault } from '../fault.ts'
import { unattended } from '../unattended.ts'
import type { StartAnswer, StartTarget } from './firing-start.service.ts'

type Asked = { input: Record<string, unknown>; metadata: Record<string, string> }

type Deps = {
  /** Both accept at most one for each idempotency key, and answer a UUID. A refusal is thrown. */
  acceptRun(ctx: Ctx, body: Asked & { agent_id: AgentId }): Promise<{ runId: string }>
  acceptPipelineRun(ctx: Ctx, body: Asked & { id: PipelineId }): Promise<{ pipelineRunId: string }>
}

/** Starts targets through the accept of every run and pipeline run. The key of the firing is the idempotency key. */
export const createTargetStart =
  ({ acceptRun, acceptPipelineRun }: Deps): StartTarget =>
  async (caller, { target, input, metadata, key, scheduleId }): Promise<StartAnswer> => {
    const ctx = unattended(caller, { requestId: fromUuid('sch', scheduleId), idempotencyKey: key })
    try {
      if (target.kind === 'agent') {
        const { runId } = await acceptRun(ctx, { agent_id: fromUuid('ag', target.id), input, metadata })
        return { kind: 'started', id: runId }
      }
      const started = await acceptPipelineRun(ctx, { id: fromUuid('pl', target.id), input, metadata })
      return { kind: 'started', id: started.pipelineRunId }
    } catch (error) {
      // The target may have started. The next attempt asks with the same key.
      if (error instanceof DatabaseUnavailable) return { kind: 'refused', code: 'unavailable', retryAfterSeconds: 1 }
      if (!(error instanceof Fault)) throw error
      return { kind: 'refused', code: error.code, retryAfterSeconds: error.retryAfterSeconds }
    }
  }
