import type { Tx } from '@ars/platform/db/database'
import { fromUuid, type IdMaker, toUuid } from '@ars/platform/id'
import { type AuditEntry, recordAudit } from '../audit/index.ts'
import { recordEvent } from '../events/index.ts'
import { Fault } from '../fault.ts'
import { type Deployment, type ReleaseAuthor, toWireDeployment } from './deployment.ts'
import { rollBackActive, rollBackCanary } from './release.store.ts'

/** Both run in the transaction of the caller, who holds the lock of the agent's row, and both emit their events. */
export type Rollbacks = {
  /** Null: it was no longer a canary, and nothing was done. */
  ofCanary(tx: Tx, org: string, asked: Asked<Pick<Deployment, 'id' | 'agent_id'>>): Promise<Deployment | null>
  ofActive(tx: Tx, org: string, asked: Asked<Deployment> & { author: ReleaseAuthor }): Promise<Deployment>
}

/** `actor`: the actor and origin; a request, or the service. */
type Asked<What> = { deployment: What; reason: string; actor: Actor }
type Actor = Pick<AuditEntry, 'actor' | 'address' | 'requestId'>

/** Runs a change that the agent may show too, and records what the agent shows differently. The agents slice has it. */
export type WatchAgent = <Result>(
  tx: Tx,
  org: string,
  of: { agentId: string; actor: Actor['actor'] },
  work: () => Promise<Result>,
) => Promise<Result>

export const createRollbacks = ({ newId, watchAgent }: { newId: IdMaker; watchAgent: WatchAgent }): Rollbacks => {
  const tellCreated = (tx: Tx, org: string, created: Deployment): Promise<void> =>
    recordEvent(tx, org, {
      id: toUuid(newId('evt')),
      type: 'deployment.created',
      subjectId: created.id,
      data: toWireDeployment(created),
    })

  const tellRolledBack = async (tx: Tx, org: string, rolled: Rolled): Promise<void> => {
    const { rolledBack, created, was, reason, actor } = rolled
    await recordEvent(tx, org, {
      id: toUuid(newId('evt')),
      type: 'deployment.rollback',
      subjectId: rolledBack.id,
      data: { ...toWireDeployment(rolledBack), reason },
    })
    if (created) await tellCreated(tx, org, created)
    await recordAudit(tx, org, {
      id: toUuid(newId('aud')),
      ...actor,
      action: 'deployment.rolled_back',
      subject: fromUuid('dep', rolledBack.id),
      before: { status: was, version: rolledBack.version },
      after: { status: rolledBack.status, reason, deployment_id: created && fromUuid('dep', created.id) },
    })
  }

  return {
    ofCanary: (tx, org, { deployment, reason, actor }) =>
      watchAgent(tx, org, { agentId: deployment.agent_id, actor: actor.actor }, async () => {
        const rolledBack = await rollBackCanary(tx, org, deployment, reason)
        if (rolledBack) await tellRolledBack(tx, org, { rolledBack, created: null, was: 'canary', reason, actor })
        return rolledBack
      }),
    ofActive: (tx, org, { deployment, reason, actor, author }) =>
      watchAgent(tx, org, { agentId: deployment.agent_id, actor: actor.actor }, async () => {
        const rolled = await rollBackActive(tx, org, deployment, { id: toUuid(newId('dep')), reason, author })
        if (!rolled) {
          const message = `No other version ran before that of deployment ${fromUuid('dep', deployment.id)}`
          throw new Fault('nothing_to_roll_back', message)
        }
        await tellRolledBack(tx, org, { ...rolled, was: 'active', reason, actor })
        return rolled.rolledBack
      }),
  }
}

type Rolled = {
  rolledBack: Deployment
  created: Deployment | null
  was: Deployment['status']
  reason: string
  actor: Actor
}
