import type { Plan, Scope } from '@ars/contract'
import type { TraceContext } from '@ars/platform/trace/trace-context'
import type { Fault } from './fault.ts'

/** The caller. It is made from the credential and from nothing else. */
export type Caller = {
  /** The organisation, as the UUID that the database keeps. */
  readonly org: string
  /** Details of the organisation, when the lookup of the credential has read them. */
  readonly organisation?: { readonly name: string; readonly plan: Plan; readonly maxKeyLifetimeDays: number | null }
  /** The policies in force, read with the credential: the UUID of their set. Null: none is in force. */
  readonly policySetId: string | null
  readonly actor: Actor
  /** `share`: the token of a link to one run, which reads that run and nothing else. */
  readonly credential: 'key' | 'session' | 'token' | 'share'
  readonly scopes: ReadonlySet<Scope>
  /** The agents that the key is narrowed to, as UUIDs. Null: every agent of the organisation. */
  readonly agentIds: ReadonlySet<string> | null
  /** The only run that a short-lived token or a shared link may access, as a UUID. Null: any. */
  readonly runId: string | null
  /** A demo key: catalog agents only, no connectors. */
  readonly isDemo: boolean
  /**
   * Set for a credential that sees only the runs that it created: a demo key, and a short-lived token without a run. The
   * UUID of that key or token, which its runs carry. Null: it sees every run of its agents.
   */
  readonly runOwner: string | null
  /** The bucket that the request counts against. */
  readonly bucket: Bucket
  /** Set when the key was rotated: since when, and until when it still works. */
  readonly retiring: { readonly since: Date; readonly until: Date } | null
  /** The browser session's id (`ses_…`). Null for keys. */
  readonly sessionId: string | null
}

/** The actor for records: `key_…` or `usr_…`. Actions of a token are recorded for its parent, and those of a link for its maker. */
export type Actor = { readonly type: 'key' | 'user'; readonly id: string }

/** The key or the member that created something that acts later, with the rights that it has then. `id` is a UUID. */
export type Creator = { readonly type: 'key' | 'user'; readonly id: string }

/** A token bucket: capacity = burst, refill = rate. */
export type Bucket = { readonly id: string; readonly requestsPerMinute: number; readonly burst: number }

/** One request: the caller and the request's own facts. */
export type Ctx = Caller & {
  readonly requestId: string
  /** The client's IP address. */
  readonly address: string
  readonly userAgent: string | undefined
  /** The session cookie of a request that needs no session. A login from the same browser ends that session. */
  readonly sessionToken?: string | undefined
  readonly idempotencyKey: string | undefined
  /** The trace that the request belongs to. */
  readonly trace?: TraceContext | undefined
  readonly prefer: Prefer
  /** The `Last-Event-ID` header, unparsed; the stream reads it. */
  readonly lastEventId: string | undefined
  /** Aborts when the gateway drains, so that a wait ends at once with the current state. */
  readonly draining: AbortSignal
  /**
   * For a request that waits: calls the listener once, when the credential has ended or lost permissions. Returns the
   * function that removes the listener.
   */
  readonly onLapse?: (listener: (refusal: Fault) => void) => () => void
}

/**
 * How long the caller wants to wait for a result, and the value of `Preference-Applied` when the caller asked for it.
 */
export type Prefer = { readonly waitMs: number; readonly applied: string | undefined }
