import type { Scope } from '@ars/contract'

/** Who asks. It is made from the credential and from nothing else. */
export type Caller = {
  /** The organisation, as the UUID that the database keeps. */
  readonly org: string
  readonly keyId: string
  readonly scopes: ReadonlySet<Scope>
}

/** One request: who asks, and how it was asked. */
export type Ctx = Caller & {
  readonly requestId: string
  readonly idempotencyKey: string | undefined
  readonly prefer: Prefer
  /** Where a stream was left, as the header says it; the stream itself reads it. */
  readonly lastEventId: string | undefined
  /** Aborts when the gateway drains: a wait ends at once with what there is. */
  readonly draining: AbortSignal
}

/** How long the caller wants to wait for a result, and the words to echo when the caller said so. */
export type Prefer = { readonly waitMs: number; readonly applied: string | undefined }
