import { type AlertMetric, alertMetrics } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import { DatabaseUnavailable } from '@ars/platform/db/unavailable'
import { fromUuid, type IdMaker } from '@ars/platform/id'
import type { Log } from '@ars/platform/log/log'
import type { Sweep } from '@ars/platform/periodic'
import { findAsOf } from '../usage/index.ts'
import { isLive } from './alert-metric.ts'
import { alertsBounds } from './bounds.ts'
import { type DueRule, takeDueRules } from './due-rule.store.ts'
import { applyEvaluation, type Evaluation, readRules } from './evaluation.service.ts'

const rulesPerRound = alertsBounds.rulesTogether.count
/** The rest waits for the next sweep, so that many rules do not block the worker. */
const maxRounds = alertsBounds.ruleRounds.count
/** The interval between two evaluations of a rule. With that of the sweep, a rule fires within its window and 15 s. */
const everySeconds = 10

const liveMetrics: readonly AlertMetric[] = alertMetrics.filter(isLive)

type Deps = { system: Database; newId: IdMaker; log: Log; onEvaluated(rules: number): void }

/** Evaluates the rules that are due. Windows end at the time up to which the figures are complete. */
export const alertSweep = (deps: Deps): Sweep => ({
  name: 'alert-rules',
  everyMs: 2_000,
  run: async () => {
    const { system, onEvaluated } = deps
    for (let round = 0; round < maxRounds; round++) {
      const asOf = await findAsOf(system, null)
      const due = await takeDueRules(system, { limit: rulesPerRound, everySeconds, asOf, liveMetrics })
      for (const evaluation of await readEach(deps, due, asOf)) {
        // A rule that cannot be evaluated must not block the others.
        await apply(deps, evaluation).catch((error: unknown) => {
          deps.log.error('alert rule could not be evaluated', { rule_id: fromUuid('alr', evaluation.rule.id), error })
        })
      }
      onEvaluated(due.length)
      if (due.length < rulesPerRound) return
    }
  },
})

/** All rules at once. If that fails, each organisation alone: the figures of one must not keep the rules of the others. */
const readEach = async ({ system, log }: Deps, due: readonly DueRule[], asOf: Date): Promise<Evaluation[]> => {
  try {
    return await readRules(system, due, asOf)
  } catch (error) {
    if (error instanceof DatabaseUnavailable) throw error
  }
  const read: Evaluation[] = []
  for (const [org, rules] of Map.groupBy(due, ({ org_id }) => org_id)) {
    try {
      read.push(...(await readRules(system, rules, asOf)))
    } catch (error) {
      log.error('the figures of alert rules could not be read', { org_id: org, rules: rules.length, error })
    }
  }
  return read
}

const apply = async ({ system, newId, log }: Deps, evaluation: Evaluation): Promise<void> => {
  const transition = await applyEvaluation({ system, newId }, evaluation)
  if (transition === null) return
  const { rule, reading } = evaluation
  const facts = { rule_id: fromUuid('alr', rule.id), org_id: rule.org_id, metric: rule.metric, value: reading.value }
  log.info(transition === 'fires' ? 'alert fired' : 'alert resolved', facts)
}
