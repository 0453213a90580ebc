import type { Database } from '@ars/platform/db/database'
import { fromUuid, type IdMaker } from '@ars/platform/id'
import type { Log } from '@ars/platform/log/log'
import type { Sweep } from '@ars/platform/periodic'
import { deploymentsBounds } from './bounds.ts'
import { type DueCanary, listEndedRuns, takeDueCanaries } from './canary.store.ts'
import { lockReleasedAgent } from './release.store.ts'
import { createRollbacks, type WatchAgent } from './rollback.service.ts'
import { judgeAll, longestWindowSeconds, type RuleVerdict } from './rollback-rule.ts'
import { type EndedRun, sampleOf } from './run-sample.ts'

const canariesPerRound = deploymentsBounds.canariesTogether.count
/** The rest waits for the next sweep, so that many canaries do not block the worker. */
const maxRounds = deploymentsBounds.canaryRounds.count
/** The interval between two checks of a canary. */
const againAfterMs = 2_000

const service = { actor: { type: 'service', id: null }, address: null, requestId: null } as const

type Deps = { system: Database; newId: IdMaker; log: Log; watchAgent: WatchAgent }

/**
 * Rolls canaries back whose rules are broken. The metrics are read without a lock; the worker that then finds the
 * canary still active under the lock of its agent decides, so any number of workers decide once. A worker that dies in
 * between has decided nothing, and the canary is due again.
 */
export const rollbackSweep = (deps: Deps): Sweep => ({
  name: 'rollback-rules',
  everyMs: 1_000,
  run: async () => {
    for (let round = 0; round < maxRounds; round++) {
      const due = await takeDueCanaries(deps.system, { limit: canariesPerRound, againAfterMs })
      for (const canary of due) {
        // A canary that cannot be evaluated must not block the others.
        await check(deps, canary).catch((error: unknown) => {
          deps.log.error('canary could not be judged', { deployment_id: fromUuid('dep', canary.id), error })
        })
      }
      if (due.length < canariesPerRound) return
    }
  },
})

const check = async (deps: Deps, canary: DueCanary): Promise<void> => {
  const { system, newId, log, watchAgent } = deps
  const verdict = await judgeCanary(system, canary)
  if (!verdict.broken) return
  const rolledBack = await system.transaction(canary.org_id, async (tx) => {
    await lockReleasedAgent(tx, canary.org_id, canary.agent_id)
    const asked = { deployment: canary, reason: verdict.reason, actor: service }
    return createRollbacks({ newId, watchAgent }).ofCanary(tx, canary.org_id, asked)
  })
  if (!rolledBack) return
  log.info('canary rolled back', {
    deployment_id: fromUuid('dep', canary.id),
    agent_id: fromUuid('ag', canary.agent_id),
    org_id: canary.org_id,
    reason: verdict.reason,
  })
}

const judgeCanary = async (system: Database, canary: DueCanary): Promise<RuleVerdict> => {
  const rules = canary.rollback_rules
  const windowSeconds = longestWindowSeconds(rules)
  const runsOf = (deploymentId: string | null): Promise<EndedRun[]> =>
    deploymentId === null
      ? Promise.resolve([])
      : listEndedRuns(system, canary.org_id, { deploymentId, windowSeconds, until: null })
  const runs = await runsOf(canary.id)
  if (runs.length < Math.min(...rules.map(({ min_runs }) => min_runs))) return { broken: false }
  const base = await runsOf(canary.previous_deployment_id)
  return judgeAll(rules, ({ window_seconds }) => ({
    canary: sampleOf(runs, window_seconds),
    base: sampleOf(base, window_seconds),
  }))
}
