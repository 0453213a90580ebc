import type { AgentId, ErrorCode } from '@ars/contract'
import { fromUuid } from '@ars/platform/id'
import type { Caller, Creator, Ctx } from '../../ctx.ts'
import type { PipelineItemRef } from './claimed-item.ts'

export type ItemStart = {
  creator: Creator
  /** The demo key or token that alone may see the pipeline run and its runs. */
  owner: string | null
  agentId: string
  input: Record<string, unknown>
  timeoutSeconds: number | undefined
  item: PipelineItemRef
}

/** `taken`: the item has a run already, or is closed. */
export type ItemStarted =
  | { kind: 'accepted'; runId: string }
  | { kind: 'taken' }
  | { kind: 'refused'; code: string; retryAfterSeconds?: number | undefined }

export type StartPipelineItem = (org: string, start: ItemStart) => Promise<ItemStarted>

/** Asks a run to stop. Idempotent; a run that has ended stays as it is. */
export type CancelPipelineItem = (org: string, runId: string) => Promise<void>

type Deps = {
  /** What the key or the member may do now; null: it may do nothing any more. */
  callerOf(org: string, creator: Creator): Promise<Caller | null>
  acceptItem(
    ctx: Ctx,
    body: { agent_id: AgentId; input: Record<string, unknown>; timeout_seconds?: number | undefined },
    item: PipelineItemRef,
  ): Promise<
    | { kind: 'accepted'; runId: string }
    | { kind: 'taken' }
    | { kind: 'refused'; code: ErrorCode; retryAfterSeconds: number | undefined }
  >
}

/** Accepts the run of an item as its creator would. The rights are resolved for each start. */
export const createItemStart =
  ({ callerOf, acceptItem }: Deps): StartPipelineItem =>
  async (org, { creator, owner, agentId, input, timeoutSeconds, item }) => {
    const caller = await callerOf(org, creator)
    if (!caller?.scopes.has('runs:write')) return { kind: 'refused', code: 'forbidden' }
    const body = { agent_id: agentId as AgentId, input, timeout_seconds: timeoutSeconds }
    return acceptItem(ctxOf(caller, { owner, pipelineRunId: item.pipelineRunId }), body, item)
  }

const never = new AbortController().signal

/** A request that nobody sent and nobody waits for. */
const ctxOf = (caller: Caller, { owner, pipelineRunId }: { owner: string | null; pipelineRunId: string }): Ctx => ({
  ...caller,
  runOwner: owner ?? caller.runOwner,
  requestId: fromUuid('plr', pipelineRunId),
  address: '',
  userAgent: undefined,
  idempotencyKey: undefined,
  prefer: { waitMs: 0, applied: undefined },
  lastEventId: undefined,
  draining: never,
})
