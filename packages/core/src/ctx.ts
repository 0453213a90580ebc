import type { Plan, Scope } from '@ars/contract'

/** Who asks. It is made from the credential and from nothing else. */
export type Caller = {
  /** The organisation, as the UUID that the database keeps. */
  readonly org: string
  /** What there is to tell of it, where the credential's look-up has read it on the way. */
  readonly organisation?: { readonly name: string; readonly plan: Plan }
  readonly actor: Actor
  readonly credential: 'key' | 'session' | 'token'
  readonly scopes: ReadonlySet<Scope>
  /** The agents that the key is narrowed to, as UUIDs; null: every agent of the organisation. */
  readonly agentIds: ReadonlySet<string> | null
  /** The only run that a short-lived token may touch, as a UUID; null: any. */
  readonly runId: string | null
  /** A demo key: catalog agents only, no connectors. */
  readonly isDemo: boolean
  /** What the request is counted against. */
  readonly bucket: Bucket
  /** The key was rotated: since when, and until when it still works. */
  readonly retiring: { readonly since: Date; readonly until: Date } | null
  /** The browser session, as its id `ses_…`; null for keys. */
  readonly sessionId: string | null
}

/** Who acts, for records: `key_…` or `usr_…`. What a token does, its parent does. */
export type Actor = { readonly type: 'key' | 'user'; readonly id: string }

/** A token bucket: capacity = burst, refill = rate. */
export type Bucket = { readonly id: string; readonly requestsPerMinute: number; readonly burst: number }

/** One request: who asks, and how it was asked. */
export type Ctx = Caller & {
  readonly requestId: string
  /** Where the request came from: the client's IP address. */
  readonly address: string
  readonly userAgent: string | undefined
  /** The session cookie that came along where nobody needs to be signed in: who logs in again leaves that session. */
  readonly sessionToken?: string | undefined
  readonly idempotencyKey: string | undefined
  readonly prefer: Prefer
  /** Where a stream was left, as the header says it; the stream itself reads it. */
  readonly lastEventId: string | undefined
  /** Aborts when the gateway drains: a wait ends at once with what there is. */
  readonly draining: AbortSignal
}

/** How long the caller wants to wait for a result, and the words to echo when the caller said so. */
export type Prefer = { readonly waitMs: number; readonly applied: string | undefined }
