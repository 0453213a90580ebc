import type { AlertSnapshot } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import { type IdMaker, toUuid } from '@ars/platform/id'
import { listManyMinutes, type MetricMinute } from '../usage/index.ts'
import { snapshotOf } from './alert.ts'
import { isLive, type MetricReading, spanOf } from './alert-metric.ts'
import { decide, isSameStanding } from './alert-rule.ts'
import { type DueRule, moveRule } from './due-rule.store.ts'
import { listQuotaUsed, listWaitingMinutes } from './live-value.store.ts'
import { readWindow, seriesOf } from './metric-window.service.ts'
import { createTransitions } from './transition.service.ts'

/** What a rule has read, with the series for people. */
export type Evaluation = { rule: DueRule; reading: MetricReading; series: () => AlertSnapshot['series'] }

/** Reads the values of many rules with one statement for each kind of value. Rules of one agent share its minutes. */
export const readRules = async (system: Database, rules: readonly DueRule[], asOf: Date): Promise<Evaluation[]> => {
  const [counted, live] = await Promise.all([
    readCounted(
      system,
      rules.filter(({ metric }) => !isLive(metric)),
      asOf,
    ),
    readLive(
      system,
      rules.filter(({ metric }) => isLive(metric)),
    ),
  ])
  return [...counted, ...live]
}

/**
 * Decides from the value of a rule. The rule, its alert and the event are stored in one transaction, and only if the rule is as
 * it was read: any number of workers decide once, and a worker that dies has decided nothing. Answers what happened.
 */
export const applyEvaluation = async (
  { system, newId }: { system: Database; newId: IdMaker },
  { rule, reading, series }: Evaluation,
): Promise<'fires' | 'resolves' | null> => {
  const { standing, transition } = decide(rule, rule, { value: reading.value, at: reading.to })
  if (isSameStanding(rule, standing)) return null
  const { fire, resolve } = createTransitions({ newId })
  return system.transaction(rule.org_id, async (tx) => {
    const firing = transition === 'fires' ? toUuid(newId('alt')) : rule.alert_id
    const alertId = transition === 'resolves' ? null : firing
    const moved = await moveRule(tx, rule.org_id, { id: rule.id, revision: rule.revision, standing, alertId })
    if (!moved) return null
    if (transition === 'fires' && alertId !== null && reading.value !== null) {
      const { metric, threshold } = rule
      const seen = { ...reading, value: reading.value }
      await fire(tx, rule, { alertId, snapshot: snapshotOf({ metric, threshold, reading: seen, series: series() }) })
    }
    if (transition === 'resolves') await resolve(tx, rule, 'recovered')
    return transition
  })
}

const readCounted = async (system: Database, rules: readonly DueRule[], asOf: Date): Promise<Evaluation[]> => {
  const groups = [...Map.groupBy(rules, ({ org_id, agent_id }) => `${org_id} ${agent_id}`).values()]
  const asked = groups.map((group) => {
    const [{ org_id: org, agent_id: agentId }] = group as [DueRule]
    const from = new Date(Math.min(...group.map((rule) => spanOf(rule, asOf).from.getTime())))
    return { org, agentId, from, to: asOf }
  })
  const minutes = asked.length === 0 ? [] : await listManyMinutes(system, asked)
  return groups.flatMap((group, at) => group.map((rule) => evaluationOf(rule, minutes[at] ?? [], asOf)))
}

const evaluationOf = (rule: DueRule, read: readonly MetricMinute[], asOf: Date): Evaluation => {
  const span = spanOf(rule, asOf)
  const minutes = read.filter(({ minute }) => minute >= span.from)
  return { rule, reading: readWindow(rule, minutes, span), series: () => seriesOf(rule, minutes, span) }
}

const readLive = async (system: Database, rules: readonly DueRule[]): Promise<Evaluation[]> => {
  const ofQuota = rules.filter(({ metric }) => metric === 'quota_used')
  const ofWaiting = rules.filter(({ metric }) => metric === 'action_waiting_minutes')
  const used = await listQuotaUsed(system, [...new Set(ofQuota.map(({ org_id }) => org_id))])
  const waiting = await listWaitingMinutes(
    system,
    ofWaiting.map(({ org_id: org, agent_id: agentId }) => ({ org, agentId })),
  )
  return [
    ...ofQuota.map((rule) => liveEvaluation(rule, used.get(rule.org_id) ?? null)),
    ...ofWaiting.map((rule, at) => liveEvaluation(rule, waiting[at] ?? null)),
  ]
}

/** A value of the moment has one point. */
const liveEvaluation = (rule: DueRule, value: number | null): Evaluation => ({
  rule,
  reading: { from: rule.now, to: rule.now, value, sampleSize: value === null ? 0 : 1 },
  series: () => [{ at: rule.now.toISOString(), value }],
})
