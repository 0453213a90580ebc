import { scopes as allScopes, demoScopes, type Plan, type PlanLimits, type Scope } from '@ars/contract'
import type { Clock } from '@ars/platform/clock'
import { sha256 } from '@ars/platform/crypto'
import type { Database } from '@ars/platform/db/database'
import { type IdMaker, toUuid } from '@ars/platform/id'
import { createLog, type Log } from '@ars/platform/log/log'
import type { PubSub } from '@ars/platform/redis/pub-sub'
import type { Caller } from '../ctx.ts'
import { findKeyByHash, findTokenByHash } from './access.store.ts'
import { type ApiKeyService, createApiKeys } from './api-key.service.ts'
import { type Found, foundByKey, foundByToken, type ScopesOfRole } from './caller.ts'
import { createCallerCache } from './caller-cache.service.ts'
import { type CredentialKind, hasTrueChecksum, kindOf } from './credential.ts'
import { createExposures, type PlainHttpKey } from './exposure.service.ts'
import { createKeyTree, type KeyTree } from './key-tree.service.ts'
import { createKeyUses } from './key-use.service.ts'
import { operator } from './operator.service.ts'
import { createOrganisations, type OrganisationService } from './organisation.service.ts'
import type { Plans } from './plan-limits.ts'
import { createRunShares, type RunShareService } from './run-share.service.ts'
import { findShareByHash } from './run-share.store.ts'
import { foundByShare } from './run-share.ts'
import { createSessionTokens, type SessionTokenService } from './session-token.service.ts'

export type AccessService = {
  /** The holder of this key or token, or null. A wrong checksum is rejected without asking the database. */
  authenticate(bearer: string): Promise<Caller | null>
  /** Whether this would be answered from the cache: a key that was valid a moment ago. */
  isRemembered(bearer: string): boolean
  /** For a credential that arrived over plain HTTP. Null: it is not a valid key. */
  noteExposed(bearer: string, request: { address: string; requestId: string }): Promise<{ revoked: boolean } | null>
  /** This key, session, person or organisation (a UUID) has changed: every process drops what it cached about it. */
  forget(uuid: string): void
  keys: ApiKeyService
  tokens: SessionTokenService
  shares: RunShareService
  /** For the removal of a member, who may have created keys. */
  tree: KeyTree
  /** On the largest plan by default, for an installation with one organisation. */
  createOrganisation(name: string, options?: { plan?: Plan; limits?: Partial<PlanLimits> }): Promise<{ org: string }>
  setPlan: OrganisationService['setPlan']
  setLimits: OrganisationService['setLimits']
  applyPlans: OrganisationService['applyPlans']
  countOutdated: OrganisationService['countOutdated']
  setKeyLifetime: OrganisationService['setKeyLifetime']
  /** For the operator. The full key is part of this response only. */
  createKey(org: string, options: OperatorsKey): Promise<{ id: string; key: string }>
  /** Stores pending writes. */
  close(): Promise<void>
}

export type OperatorsKey = {
  name: string
  /** By default everything that a key of the kind can hold. */
  scopes?: readonly Scope[]
  kind?: 'live' | 'demo'
  agentIds?: readonly string[]
  expiresAt?: Date
}

type Deps = {
  auth: Database
  app: Database
  /** Role `ars_system`, which may create organisations and change their plan. The gateway does not have it. */
  operator?: Database | undefined
  /** The operator's plans. By default those of the contract. */
  plans?: Plans | undefined
  clock: Clock
  newId: IdMaker
  /** Without it, other processes learn about changes within seconds by polling. */
  pubSub?: PubSub | undefined
  log?: Log | undefined
  plainHttpKey?: PlainHttpKey | undefined
  /** Off: no short-lived token and no link to a run is valid, and none is created. */
  sessionTokens?: 'on' | 'off' | undefined
  /** Where the links to runs lead to. */
  publicUrl?: string | undefined
  /** Without it, tokens of browser sessions are invalid, because their scopes are unknown. */
  scopesOfRole?: ScopesOfRole | undefined
  /** For tests: how often the uses of keys are stored. */
  noteUsesEveryMs?: number | undefined
}

export const createAccess = (deps: Deps): AccessService => {
  const { auth, app, clock, newId, pubSub, plainHttpKey = 'flag', scopesOfRole = () => [] } = deps
  const log = deps.log ?? createLog({ level: 'silent', write: () => undefined })
  const cache = createCallerCache({ clock, pubSub })
  const uses = createKeyUses({ auth, clock, log, everyMs: deps.noteUsesEveryMs })
  const { forget } = cache
  const tree = createKeyTree({ newId, forget })
  const keys = createApiKeys({ app, newId, tree, forget })
  const organisations = createOrganisations({ operator: deps.operator ?? app, newId, forget, plans: deps.plans })
  const exposures = createExposures({ app, newId, log, plainHttpKey, forget })

  const lookUp = async (hash: Buffer, kind: CredentialKind): Promise<Found | null> => {
    if (kind === 'st') {
      const row = await findTokenByHash(auth, hash)
      return row && foundByToken(row, scopesOfRole)
    }
    if (kind === 'share') {
      const row = await findShareByHash(auth, hash)
      return row && foundByShare(row, scopesOfRole)
    }
    const row = await findKeyByHash(auth, hash)
    return row && foundByKey(row)
  }

  const find = (bearer: string): Promise<Found | null> | Found | null => {
    const kind = kindOf(bearer)
    if (kind === null) return null
    // Cached credentials have a correct checksum. The key is never kept, only its hash.
    const hash = sha256(bearer)
    const name = hash.toString('base64')
    const known = cache.find(name)
    if (known) return known
    if ((kind === 'st' || kind === 'share') && deps.sessionTokens === 'off') return null
    return hasTrueChecksum(bearer) ? cache.ask(name, () => lookUp(hash, kind)) : null
  }

  return {
    authenticate: async (bearer) => {
      const found = await find(bearer)
      if (!found) return null
      if (found.keyId !== null) uses.note(found.keyId)
      return found.caller
    },
    isRemembered: (bearer) => kindOf(bearer) !== null && cache.find(sha256(bearer).toString('base64')) !== null,
    noteExposed: async (bearer, request) => {
      const found = await find(bearer)
      return found?.caller.credential === 'key' ? exposures.note(found.caller, request) : null
    },
    forget,
    keys,
    tree,
    tokens: createSessionTokens({ app, newId, sessionTokens: deps.sessionTokens }),
    shares: createRunShares({ app, newId, forget, publicUrl: deps.publicUrl ?? '', sessionTokens: deps.sessionTokens }),
    createOrganisation: (name, { plan = 'business', limits } = {}) => organisations.create(name, { plan, limits }),
    setPlan: organisations.setPlan,
    setLimits: organisations.setLimits,
    applyPlans: organisations.applyPlans,
    countOutdated: organisations.countOutdated,
    setKeyLifetime: organisations.setKeyLifetime,
    createKey: (org, { name, kind = 'live', scopes, agentIds, expiresAt }) =>
      keys.issue(org, operator, {
        name,
        grant: {
          kind,
          scopes: scopes ?? (kind === 'demo' ? demoScopes : allScopes),
          agentIds: agentIds?.map(toUuid) ?? null,
        },
        expiresAt: expiresAt ?? null,
      }),
    close: async () => {
      cache.close()
      await uses.close()
    },
  }
}
