import type { Ctx } from '../ctx.ts'

/** Somebody who has shown nothing yet: where the request comes from, and the session cookie that came with it. */
export type Visitor = Pick<Ctx, 'address' | 'requestId' | 'userAgent'> & {
  readonly sessionToken?: string | undefined
}
