import type { Ctx } from '../ctx.ts'

/** An unauthenticated caller: the address of the request and the session cookie that came with it. */
export type Visitor = Pick<Ctx, 'address' | 'requestId' | 'userAgent'> & {
  readonly sessionToken?: string | undefined
}
