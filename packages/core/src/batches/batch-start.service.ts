import type { AgentId } from '@ars/contract'
import { fromUuid } from '@ars/platform/id'
import type { Ctx } from '../ctx.ts'
import { Fault } from '../fault.ts'
import { unattended } from '../unattended.ts'
import type { BatchItem } from './batch.ts'
import type { BatchDeps, StartVerdict } from './batch-advance.service.ts'

type AcceptRun = (
  ctx: Ctx,
  body: {
    agent_id: AgentId
    input: Record<string, unknown>
    metadata: Record<string, string>
    timeout_seconds: number | undefined
  },
  item: BatchItem,
) => Promise<{ runId: string }>

/** Accepts the run of an item as the creator of its batch. The accept claims the item. */
export const createBatchStart =
  ({ acceptRun }: { acceptRun: AcceptRun }): BatchDeps['start'] =>
  async (caller, { agentId, input, metadata, timeoutSeconds, batchItem }): Promise<StartVerdict> => {
    const ctx = unattended(caller, { requestId: fromUuid('bat', batchItem.batchId) })
    const body = { agent_id: fromUuid('ag', agentId), input, metadata, timeout_seconds: timeoutSeconds ?? undefined }
    try {
      return { kind: 'accepted', runId: (await acceptRun(ctx, body, batchItem)).runId }
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      const { code, message, retryAfterSeconds } = error
      return { kind: 'refused', code, message, retryAfterSeconds }
    }
  }
