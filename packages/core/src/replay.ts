import type { Answer, EventStream } from '@ars/contract'
import type { Ctx } from './ctx.ts'

/**
 * The response to a request with an `Idempotency-Key` that was made before, or null, by operation name such as
 * `runs.create`. `thing` is the resolved thing that the operation names. Nothing is created. The gateway asks before it rejects a request, so that a retry of an accepted
 * request always gets its response.
 */
export type Replays = Readonly<Record<string, Replay['answer']>>

// A method, because each operation has a different input type, which the gateway parsed and does not know.
type Replay = { answer(ctx: Ctx, input: unknown, thing: unknown): Promise<Answer<unknown> | EventStream | null> }
