import type { Ctx } from '../ctx.ts'

/** An unauthenticated caller: the address of the request and the cookies that came with it. */
export type Visitor = Pick<Ctx, 'address' | 'requestId' | 'userAgent'> & {
  readonly sessionToken?: string | undefined
  readonly deviceToken?: string | undefined
}
