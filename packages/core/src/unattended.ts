import type { Caller, Ctx } from './ctx.ts'

/** A request that nobody sent and nobody waits for, as this caller. `requestId`: the id of the thing that asks. */
export const unattended = (
  caller: Caller,
  { requestId, idempotencyKey }: { requestId: string; idempotencyKey?: string },
): Ctx => ({
  ...caller,
  requestId,
  address: '',
  userAgent: undefined,
  idempotencyKey,
  prefer: { waitMs: 0, applied: undefined },
  lastEventId: undefined,
  draining: never,
})

const never = new AbortController().signal
