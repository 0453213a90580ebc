import type { Database } from '@ars/platform/db/database'
import { fromUuid, type IdMaker } from '@ars/platform/id'
import type { Log } from '@ars/platform/log/log'
import type { Sweep } from '@ars/platform/periodic'
import { guardrailsBounds } from '../bounds.ts'
import { readPolicy } from './policy.store.ts'
import { recordChange } from './policy-change.service.ts'
import { changePolicies } from './policy-set.service.ts'
import { endShadow, listOverdueShadows } from './shadow.store.ts'

const policiesPerRound = guardrailsBounds.shadowsEnded.count

type Deps = { system: Database; newId: IdMaker; log: Log }

/** Ends policies in mode `shadow` whose time is over. Any number of workers end each once. */
export const shadowSweep = (deps: Deps): Sweep => ({
  name: 'policy-shadows',
  everyMs: 10_000,
  run: async () => {
    for (const { id, org_id: org } of await listOverdueShadows(deps.system, policiesPerRound)) {
      // One policy that cannot be ended must not hold up the others.
      await end(deps, org, id).catch((error: unknown) => {
        deps.log.error('the shadow of a policy could not be ended', { policy_id: fromUuid('pol', id), error })
      })
    }
  },
})

const service = { actor: { type: 'service', id: null }, address: null, requestId: null } as const

const end = ({ system, newId }: Deps, org: string, id: string): Promise<void> =>
  system.transaction(org, (tx) =>
    changePolicies(tx, org, newId, async () => {
      if (!(await endShadow(tx, org, id))) return
      const policy = await readPolicy(tx, org, id)
      if (policy) await recordChange(tx, { ...service, org }, newId, { policy, change: 'shadow_ended' })
    }),
  )
