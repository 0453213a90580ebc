import { limits, type ReleasedAgent, type Rollout, type UpdateAgent } from '@ars/contract'
import type { Tx } from '@ars/platform/db/database'
import { fromUuid, toUuid } from '@ars/platform/id'
import { auditOf, recordAudit } from '../audit/index.ts'
import { budgetPatchOf, hasChanged, setBudget } from '../budgets/index.ts'
import type { Change } from '../content-change.ts'
import { release, toWireDeployment } from '../deployments/index.ts'
import { recordEvent } from '../events/index.ts'
import { Fault } from '../fault.ts'
import { findAgent, type LockedAgent, lockAgent, updateAgent } from './agent.store.ts'
import { type Agent, type AgentContent, agentContentOf } from './agent.ts'
import { type AccessibleAgent, requireAgentAccess } from './agent-access.service.ts'
import { applyPatch, type ContentPatch, changesBetween, takeCatalog } from './agent-change.ts'
import {
  type ConfigFault,
  findComputedFaults,
  requireConnectors,
  requireReadable,
  requireWorkable,
} from './agent-check.service.ts'
import { recordAgentUpdated } from './agent-event.service.ts'
import { type AgentParts, type CatalogContent, type Changer, catalogContentOf, wireOf } from './agent-parts.service.ts'
import { agentsBounds } from './bounds.ts'
import { type RemoteWishes, SecretsLost, sealChangedRemote } from './remote-agent.service.ts'
import { type RemoteConfig, readRemoteConfig } from './remote-agent.ts'

export type UpdateService = {
  update(ctx: Changer, body: AgentPatch, agent: AccessibleAgent): Promise<ReleasedAgent>
}

type AgentPatch = Omit<UpdateAgent, 'id'>

/** The part of a change that was prepared outside the transaction, for the version that was read there. */
type Sealed = { forVersion: number; config: RemoteConfig; secrets: Buffer } | null

/** The maximum number of retries of a credential change after concurrent changes. */
const maxTries = agentsBounds.updateTries.count

export const createUpdates = (deps: AgentParts): UpdateService => {
  const { app, newId } = deps

  const get = async (ctx: Changer, uuid: string): Promise<AccessibleAgent> =>
    requireAgentAccess(ctx, uuid, await findAgent(app, ctx.org, uuid))

  const update: UpdateService['update'] = async (ctx, body, resolved) => {
    const { id: uuid } = resolved
    requireReadable(resolved.kind, body)
    const computedFaults = await findComputedFaults(deps, ctx.org, body)
    const models = await deps.modelsOf(ctx.org)
    for (let tries = 1; tries <= maxTries; tries++) {
      const seen = tries === 1 ? resolved : await get(ctx, uuid)
      // Sealing may call a key service over the network, which must not happen while a lock is held.
      const sealed = seen.kind === 'remote' ? await sealChange(deps, ctx.org, seen, body) : null
      const changed = await app.transaction(ctx.org, async (tx) => {
        const agent = await lockAgent(tx, ctx.org, uuid)
        if (!agent) throw new Fault('not_found', `No agent ${fromUuid('ag', uuid)}`)
        if (sealed && sealed.forVersion !== agent.version) return null
        return change(tx, ctx, { agent, body, sealed, computedFaults, models })
      })
      if (changed) return changed
    }
    throw new Fault('unavailable', 'Others are changing this agent', { reason: 'contended', retryAfterSeconds: 1 })
  }

  /** Runs under the lock of the agent's row. */
  const change = async (
    tx: Tx,
    ctx: Changer,
    { computedFaults, models, ...changing }: Changing,
  ): Promise<ReleasedAgent> => {
    const { agent, body, sealed } = changing
    const id = fromUuid('ag', agent.id)
    if (agent.status !== 'active') throw new Fault('agent_archived', `Agent ${id} is archived`)
    if (body.version !== undefined && body.version !== agent.version) {
      const words = `Agent ${id} is at version ${agent.version}, not ${body.version}`
      throw new Fault('version_conflict', words, { param: 'version' })
    }
    const budgeted = await changeBudget(tx, ctx, agent, body)
    const next = nextOf(deps, changing)
    if (next.changes.length === 0) return { ...wireOf(deps, budgeted), deployment: null }
    requireWorkable(
      { ...deps, models },
      { ...next.content, kind: agent.kind },
      { computedFaults, rollout: body.rollout },
    )
    await requireConnectors(tx, ctx.org, next.content)
    if (agent.latest_version >= limits.versionsPerAgent) {
      throw new Fault('limit_reached', `An agent has at most ${limits.versionsPerAgent} versions`)
    }
    const author = { by: toUuid(ctx.actor.id), type: ctx.actor.type }
    const version = agent.latest_version + 1
    const changed = await updateAgent(tx, ctx.org, agent.id, {
      ...next.content,
      version,
      catalogVersion: next.catalogVersion,
      catalogBase: next.catalogBase,
      secrets: sealed?.secrets ?? null,
      author,
    })
    const rollout: Rollout = body.rollout ?? { strategy: 'all_at_once' }
    const released = {
      id: toUuid(newId('dep')),
      agentId: agent.id,
      version,
      source: 'update',
      rollout,
      author,
    } as const
    const deployment = toWireDeployment(await release(tx, ctx.org, released))
    await recordChange(tx, ctx, { agent, changed, changes: next.changes, deployment, deploymentId: released.id })
    return { ...wireOf(deps, changed), deployment }
  }

  /** A budget belongs to the agent and not to a version. */
  const changeBudget = async (tx: Tx, ctx: Changer, agent: LockedAgent, body: AgentPatch): Promise<Agent> => {
    const budget = budgetPatchOf(body)
    if (!budget) return agent
    const { before, after } = await setBudget(tx, ctx.org, { kind: 'agent', id: agent.id }, budget)
    if (!hasChanged(before, after)) return agent
    const changed = { ...agent, ...after }
    await recordAgentUpdated(tx, ctx.org, newId, { before: agent, after: changed, actor: ctx.actor })
    const act = { action: 'agent.budget_changed', subject: fromUuid('ag', agent.id), before, after }
    await recordAudit(tx, ctx.org, auditOf(ctx, toUuid(newId('aud')), act))
    return changed
  }

  const recordChange = async (tx: Tx, ctx: Changer, change: AgentChange): Promise<void> => {
    const { agent, changed, changes, deployment, deploymentId } = change
    const subject = fromUuid('ag', agent.id)
    await recordAgentUpdated(tx, ctx.org, newId, { before: agent, after: changed, changes, actor: ctx.actor })
    const created = { type: 'deployment.created', subjectId: deploymentId, data: deployment } as const
    await recordEvent(tx, ctx.org, { id: toUuid(newId('evt')), ...created })
    // The audit log is kept forever, so it holds the names of the changed fields and not their values; the versions
    // hold those.
    const act = {
      action: 'agent.updated',
      subject,
      before: { version: agent.version },
      after: { version: changed.version, deployment_id: deployment.id, changed: changes.map(({ path }) => path) },
    }
    await recordAudit(tx, ctx.org, auditOf(ctx, toUuid(newId('aud')), act))
  }

  return { update }
}

type Changing = {
  agent: LockedAgent
  body: AgentPatch
  sealed: Sealed
  computedFaults: readonly ConfigFault[]
  models: AgentParts['models']
}

type AgentChange = {
  agent: Agent
  changed: Agent
  changes: readonly Change[]
  deployment: ReturnType<typeof toWireDeployment>
  deploymentId: string
}

type Next = {
  content: AgentContent
  changes: Change[]
  catalogVersion: number | null
  catalogBase: Readonly<Record<string, unknown>> | null
}

/** The new agent: first the catalog's changes, then the request's. */
const nextOf = (deps: AgentParts, { agent, body, sealed }: Omit<Changing, 'computedFaults' | 'models'>): Next => {
  const old = agentContentOf(agent)
  const taken = catalogUpdateOf(deps, agent, body.catalog_version)
  const { config, ...rest } = body
  const patch: ContentPatch = agent.kind === 'llm' && config ? { ...rest, config } : rest
  const merged = applyPatch(taken?.content ?? old, patch)
  const content = { ...merged, config: sealed ? sealed.config : withoutScript(merged.config, config) }
  const changes = changesBetween(old, content)
  // Two credentials with the same suffix look the same.
  if (sealed && !changes.some(({ path }) => path.startsWith('config.'))) {
    changes.push({ path: 'config.auth', old: agent.config.auth, new: sealed.config.auth })
  }
  if (taken) changes.push({ path: 'catalog_version', old: agent.catalog_version, new: taken.version })
  return {
    content,
    changes,
    catalogVersion: taken?.version ?? agent.catalog_version,
    catalogBase: taken?.base ?? agent.catalog_base,
  }
}

/** A script replaces a model: with another model it is removed, unless the request names a script. */
const withoutScript = (
  config: Record<string, unknown>,
  asked: Readonly<Record<string, unknown>> | null | undefined,
): Record<string, unknown> => {
  const { script: _, ...rest } = config
  return config.model === 'simulated/script' || asked?.script !== undefined ? config : rest
}

type CatalogUpdate = { version: number; base: CatalogContent; content: AgentContent }

/** Null: the request does not ask for the catalog's version, or the agent already has it. */
const catalogUpdateOf = (
  { catalog }: AgentParts,
  agent: LockedAgent,
  asked: number | undefined,
): CatalogUpdate | null => {
  if (asked === undefined) return null
  const entry = agent.catalog_key === null ? null : catalog.find(agent.catalog_key)
  if (entry?.version !== asked) {
    const message = entry
      ? `The catalog has version ${entry.version} of ${entry.key}, and no other`
      : 'The catalog does not have this agent'
    throw new Fault('config_invalid', `catalog_version: ${message}`, {
      param: 'catalog_version',
      details: [{ param: 'catalog_version', message }],
    })
  }
  if (agent.catalog_version === asked) return null
  const mine = agentContentOf(agent)
  const theirs = catalogContentOf(entry)
  const base = agent.catalog_base as CatalogContent
  return { version: asked, base: theirs, content: takeCatalog(base, mine, theirs) }
}

const sealChange = async (
  deps: AgentParts,
  org: string,
  seen: Agent,
  { config }: Pick<UpdateAgent, 'config'>,
): Promise<Sealed> => {
  const shown = readRemoteConfig(seen.config)
  if (!config || !shown) return null
  const agent = { id: seen.id, version: seen.version, config: shown }
  try {
    const changed = await sealChangedRemote(deps, org, agent, config as RemoteWishes)
    return changed && { forVersion: seen.version, config: changed.config, secrets: changed.sealed }
  } catch (error) {
    // Without an encryption key for secrets, the caller gets that error.
    throw error instanceof SecretsLost && error.cause instanceof Fault ? error.cause : error
  }
}
