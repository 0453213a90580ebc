import { type AgentWithSecret, Answer, limits } from '@ars/contract'
import { canonicalJson, sha256 } from '@ars/platform/crypto'
import type { Tx } from '@ars/platform/db/database'
import { fromUuid, toUuid } from '@ars/platform/id'
import { newSigningSecret } from '@ars/platform/signature'
import { auditOf, recordAudit } from '../audit/index.ts'
import type { Ctx } from '../ctx.ts'
import { Fault } from '../fault.ts'
import { createOnce, findReplayOf, type Once } from '../once.service.ts'
import { archiveAgent, findAgent, lockAgents, replaceSigningSecret, unarchiveAgent } from './agent.store.ts'
import type { Agent } from './agent.ts'
import { type AccessibleAgent, requireAgentAccess } from './agent-access.service.ts'
import { recordAgentUpdated } from './agent-event.service.ts'
import { requireAgentRoom } from './agent-make.service.ts'
import { type AgentParts, type Changer, wireOf } from './agent-parts.service.ts'
import { signingSecretSealContext } from './remote-agent.ts'

/** Changes of an agent that make no version. */
export type StateService = {
  /** Archiving an archived agent changes nothing. */
  archive(ctx: Changer, agent: AccessibleAgent): Promise<Agent>
  /** An active agent stays unchanged. */
  unarchive(ctx: Changer, agent: AccessibleAgent): Promise<Agent>
  rotateSigningSecret(ctx: Rotator, asked: Rotation, agent: AccessibleAgent): Promise<Answer<AgentWithSecret>>
  /** The replay of a repeated rotation, or null. */
  findRotation(ctx: Rotator, asked: Rotation, agent: AccessibleAgent): Promise<Answer<AgentWithSecret> | null>
}

type Rotator = Changer & Pick<Ctx, 'idempotencyKey'>
type Rotation = { overlap_hours?: number | undefined }

export const createStates = (deps: AgentParts): StateService => {
  const { app, newId, secrets } = deps

  const audit = (tx: Tx, ctx: Changer, act: Parameters<typeof auditOf>[2]): Promise<void> =>
    recordAudit(tx, ctx.org, auditOf(ctx, toUuid(newId('aud')), act))

  const get = async (ctx: Changer, uuid: string): Promise<AccessibleAgent> =>
    requireAgentAccess(ctx, uuid, await findAgent(app, ctx.org, uuid))

  const repetitionOf = (ctx: Rotator, { overlap_hours }: Rotation, agent: AccessibleAgent) => ({
    thing: 'agent_secret' as const,
    fingerprint: sha256(canonicalJson({ agent: agent.id, overlap_hours: overlap_hours ?? null })),
    replay: async (id: string) => new Answer({ ...wireOf(deps, await get(ctx, id)), signing_secret: null }, {}),
  })

  return {
    archive: async (ctx, seen) => {
      const { id } = seen
      if (seen.status === 'archived') return seen
      const archived = await app.transaction(ctx.org, async (tx) => {
        const done = await archiveAgent(tx, ctx.org, id)
        if (!done) return null
        const facts = { before: { status: 'active' }, after: { status: 'archived' } }
        const before = { ...done, status: 'active' } as const
        await recordAgentUpdated(tx, ctx.org, newId, { before, after: done, actor: ctx.actor })
        await audit(tx, ctx, { action: 'agent.archived', subject: fromUuid('ag', id), ...facts })
        return done
      })
      return archived ?? get(ctx, id)
    },
    unarchive: async (ctx, seen) => {
      const { id } = seen
      if (seen.status === 'active') return seen
      const active = await app.transaction(ctx.org, async (tx) => {
        await lockAgents(tx, ctx.org)
        const done = await unarchiveAgent(tx, ctx.org, id)
        if (!done) return null
        await requireAgentRoom(tx, ctx.org, { alreadyAdded: 1 })
        const facts = { before: { status: 'archived' }, after: { status: 'active' } }
        const before = { ...done, status: 'archived' } as const
        await recordAgentUpdated(tx, ctx.org, newId, { before, after: done, actor: ctx.actor })
        await audit(tx, ctx, { action: 'agent.unarchived', subject: fromUuid('ag', id), ...facts })
        return done
      })
      return active ?? get(ctx, id)
    },
    findRotation: (ctx, asked, agent) => findReplayOf(app, ctx, repetitionOf(ctx, asked, agent)),
    rotateSigningSecret: async (ctx, asked, agent) => {
      const subject = fromUuid('ag', agent.id)
      if (agent.kind !== 'remote') throw new Fault('agent_not_remote', `Agent ${subject} is not a remote agent`)
      const secret = newSigningSecret()
      const overlapHours = asked.overlap_hours ?? limits.signingSecretOverlapHours
      // Sealing may call a key service over the network, so it happens before the transaction.
      const sealed = await secrets.seal(ctx.org, secret, signingSecretSealContext(agent.id))
      const once: Once<AgentWithSecret> = {
        ...repetitionOf(ctx, asked, agent),
        id: agent.id,
        create: async (tx) => {
          await replaceSigningSecret(tx, ctx.org, { id: agent.id, secret: sealed, overlapHours })
          const act = { action: 'agent.signing_secret_rotated', subject, after: { overlap_hours: overlapHours } }
          await audit(tx, ctx, act)
          return new Answer({ ...wireOf(deps, agent), signing_secret: secret }, {})
        },
      }
      return createOnce(app, ctx, once)
    },
  }
}
