import type { Answer, EventStream } from '@ars/contract'
import type { Ctx } from './ctx.ts'

/**
 * What a request with an `Idempotency-Key` is answered when it was made before, or null when it was not; by the
 * operation's name, such as `runs.create`. Nothing is created. The gateway asks when it would have to refuse a request:
 * a retry of what was accepted always gets its answer.
 */
export type Replays = Readonly<Record<string, Replay['answer']>>

// A method, because each operation has an input of its own: parsed by the gateway, which knows none of them.
type Replay = { answer(ctx: Ctx, input: unknown): Promise<Answer<unknown> | EventStream | null> }
