import { type CreatedRunShare, limits, type Scope, type RunShare as WireShare } from '@ars/contract'
import { fromUuid } from '@ars/platform/id'
import { Fault } from '../fault.ts'
import type { Found, ScopesOfRole } from './caller.ts'
import { isScope } from './grant.ts'

/** A link to a run, without its token. */
export type RunShare = {
  id: string
  run_id: string
  created_by: string
  created_by_type: 'key' | 'user'
  created_at: Date
  expires_at: Date
}

/** A link that was found by the hash of its token, with its maker. */
export type ShareRow = {
  id: string
  org_id: string
  run_id: string
  requests_per_minute: number
  burst: number
  policy_set_id: string | null
  lives_ms: number
} & (
  | {
      key_id: string
      kind: 'live' | 'demo'
      key_scopes: string[]
      agent_ids: string[] | null
      user_id: null
      role: null
    }
  | { key_id: null; kind: null; key_scopes: null; agent_ids: null; user_id: string; role: string }
)

/**
 * The caller with a link: it reads one run. Null while its maker may not read or share runs, so that a link never shows more
 * than its maker may show. It has its own rate: strangers must not use up the maker's.
 */
export const foundByShare = (row: ShareRow, scopesOfRole: ScopesOfRole): Found | null => {
  const held = new Set<Scope>(row.user_id === null ? row.key_scopes.filter(isScope) : scopesOfRole(row.role))
  if (!needed.every((scope) => held.has(scope))) return null
  return {
    caller: {
      org: row.org_id,
      policySetId: row.policy_set_id,
      actor:
        row.user_id === null
          ? { type: 'key', id: fromUuid('key', row.key_id) }
          : { type: 'user', id: fromUuid('usr', row.user_id) },
      credential: 'share',
      scopes: new Set<Scope>(['runs:read']),
      agentIds: row.agent_ids && new Set(row.agent_ids),
      runId: row.run_id,
      isDemo: row.kind === 'demo',
      runOwner: null,
      bucket: {
        id: row.id,
        requestsPerMinute: Math.min(limits.shareRequestsPerMinute, row.requests_per_minute),
        burst: Math.min(limits.shareBurst, row.burst),
      },
      retiring: null,
      sessionId: null,
    },
    // Reading by a link is no use of the key.
    keyId: null,
    dependsOn: [row.id, row.run_id, row.key_id ?? row.user_id, row.org_id],
    livesMs: row.lives_ms,
  }
}

const needed: readonly Scope[] = ['runs:share', 'runs:read']

export const shareToWire = (share: RunShare): WireShare => ({
  id: fromUuid('shr', share.id),
  object: 'run_share',
  run_id: fromUuid('run', share.run_id),
  created_by: fromUuid(share.created_by_type === 'key' ? 'key' : 'usr', share.created_by),
  created_at: share.created_at.toISOString(),
  expires_at: share.expires_at.toISOString(),
})

/** The fragment is not sent by browsers, so the token appears in no server log. */
export const newShareToWire = (share: RunShare, token: string, publicUrl: string): CreatedRunShare => {
  const wire = shareToWire(share)
  const page = `${publicUrl.replace(/\/+$/, '')}/dashboard/shared`
  return { ...wire, token, url: `${page}#run=${wire.run_id}&token=${token}` }
}

export const requireShareRoom = ({ of_run, all }: { of_run: number; all: number }): void => {
  if (of_run >= limits.sharesPerRun) {
    throw new Fault('limit_reached', `A run has at most ${limits.sharesPerRun} links; revoke one first`)
  }
  if (all >= limits.sharesPerOrganisation) {
    throw new Fault(
      'limit_reached',
      `An organisation has at most ${limits.sharesPerOrganisation} links; revoke one first`,
    )
  }
}
