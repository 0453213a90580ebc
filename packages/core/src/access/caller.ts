import { type Plan, plans, type Scope } from '@ars/contract'
import { fromUuid } from '@ars/platform/id'
import type { Bucket, Caller } from '../ctx.ts'
import { intersect, isScope } from './grant.ts'

/** The result of looking up a valid credential. */
export type Found = {
  readonly caller: Caller
  /** The key whose use is recorded, as a UUID. Null for credentials of a browser session. */
  readonly keyId: string | null
  /** The things it depends on, as UUIDs: a change to one of them drops the cached answer. */
  readonly dependsOn: readonly string[]
  /** How long it stays valid, by the database's clock. Null: for ever. */
  readonly livesMs: number | null
}

/** The scopes of a member's role. */
export type ScopesOfRole = (role: string) => Iterable<Scope>

type KeyFacts = {
  key_id: string
  kind: 'live' | 'demo'
  key_scopes: string[]
  agent_ids: string[] | null
  bucket_id: string
}

type Limits = {
  org_id: string
  org_name: string
  plan: Plan
  max_key_lifetime_days: number | null
  requests_per_minute: number
  burst: number
  policy_set_id: string | null
}

export type KeyRow = KeyFacts & Limits & { rotated_at: Date | null; ends_at: Date | null; lives_ms: number | null }

export type TokenRow = Limits & { token_id: string; scopes: string[]; run_id: string | null; lives_ms: number } & (
    | (KeyFacts & { user_id: null; session_id: null; role: null })
    | ({ [Name in keyof KeyFacts]: null } & { user_id: string; session_id: string; role: string })
  )

export type MemberRow = Limits & { user_id: string; role: string }

/** As in a session, but without one. */
export const callerOfMember = (row: MemberRow, scopesOfRole: ScopesOfRole): Caller => ({
  org: row.org_id,
  organisation: organisationOf(row),
  policySetId: row.policy_set_id,
  actor: { type: 'user', id: fromUuid('usr', row.user_id) },
  credential: 'session',
  scopes: new Set(scopesOfRole(row.role)),
  agentIds: null,
  runId: null,
  isDemo: false,
  runOwner: null,
  bucket: { id: row.user_id, requestsPerMinute: row.requests_per_minute, burst: row.burst },
  retiring: null,
  sessionId: null,
})

export const foundByKey = (row: KeyRow): Found => ({
  caller: {
    org: row.org_id,
    organisation: organisationOf(row),
    policySetId: row.policy_set_id,
    actor: { type: 'key', id: fromUuid('key', row.key_id) },
    credential: 'key',
    scopes: new Set(row.key_scopes.filter(isScope)),
    agentIds: row.agent_ids && new Set(row.agent_ids),
    runId: null,
    isDemo: row.kind === 'demo',
    runOwner: row.kind === 'demo' ? row.key_id : null,
    bucket: bucketOfKey(row),
    retiring: row.rotated_at && row.ends_at && { since: row.rotated_at, until: row.ends_at },
    sessionId: null,
  },
  keyId: row.key_id,
  dependsOn: [row.key_id, row.org_id],
  livesMs: row.lives_ms,
})

/** A token may do what both it and its parent may do; it is counted, recorded and narrowed like its parent. */
export const foundByToken = (row: TokenRow, scopesOfRole: ScopesOfRole): Found => {
  const organisation = organisationOf(row)
  const { org_id: org, policy_set_id: policySetId } = row
  const shared = { org, organisation, policySetId, credential: 'token', runId: row.run_id, retiring: null } as const
  if (row.user_id !== null) {
    return {
      caller: {
        ...shared,
        sessionId: null,
        actor: { type: 'user', id: fromUuid('usr', row.user_id) },
        scopes: intersect(row.scopes, new Set(scopesOfRole(row.role))),
        agentIds: null,
        isDemo: false,
        runOwner: row.run_id === null ? row.token_id : null,
        bucket: { id: row.user_id, requestsPerMinute: row.requests_per_minute, burst: row.burst },
      },
      keyId: null,
      dependsOn: [row.session_id, row.user_id, row.org_id],
      livesMs: row.lives_ms,
    }
  }
  return {
    caller: {
      ...shared,
      sessionId: null,
      actor: { type: 'key', id: fromUuid('key', row.key_id) },
      scopes: intersect(row.scopes, new Set(row.key_scopes.filter(isScope))),
      agentIds: row.agent_ids && new Set(row.agent_ids),
      isDemo: row.kind === 'demo',
      runOwner: runOwnerOfToken(row),
      bucket: bucketOfKey(row),
    },
    keyId: row.key_id,
    dependsOn: [row.key_id, row.org_id],
    livesMs: row.lives_ms,
  }
}

/** A demo key and its tokens share their runs. A live key may serve many users, so each of its tokens has its own runs. */
const runOwnerOfToken = ({ kind, key_id, run_id, token_id }: TokenRow): string | null => {
  if (kind === 'demo') return key_id
  return run_id === null ? token_id : null
}

const organisationOf = (row: Limits): NonNullable<Caller['organisation']> => ({
  name: row.org_name,
  plan: row.plan,
  maxKeyLifetimeDays: row.max_key_lifetime_days,
})

/** A demo key has low limits on every plan. */
const bucketOfKey = (row: Pick<KeyFacts, 'kind' | 'bucket_id'> & Limits): Bucket => {
  const { requestsPerMinute, burst } = plans.demo
  return row.kind === 'demo'
    ? { id: row.bucket_id, requestsPerMinute, burst }
    : { id: row.bucket_id, requestsPerMinute: row.requests_per_minute, burst: row.burst }
}
