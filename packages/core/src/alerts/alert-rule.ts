import type { AlertRule, AlertTerms } from '@ars/contract'
import { fromUuid } from '@ars/platform/id'
import { Fault } from '../fault.ts'
import { isLive, isShare } from './alert-metric.ts'

/** A rule as the database keeps it. */
export type AlertRuleRow = RuleStanding &
  Omit<AlertTerms, 'id' | 'agent_id'> & {
    id: string
    org_id: string
    agent_id: string | null
    enabled: boolean
    alert_id: string | null
    revision: number
    created_at: Date
  }

/** Where a rule stands between two evaluations. */
export type RuleStanding = {
  state: AlertRule['state']
  /** In state `pending`: since when the value is beyond the threshold. */
  pending_since: Date | null
  /** In state `firing`: since when the value is clear of the threshold. */
  clear_since: Date | null
}

export type RuleDecision = { standing: RuleStanding; transition: 'fires' | 'resolves' | null }

type Limits = Pick<AlertTerms, 'operator' | 'threshold' | 'window_seconds' | 'for_seconds'>

/** How far from the threshold a value is clear of it, as a share of the threshold. */
const margin = 0.1
/** How long a value is clear before the rule resolves, at least. */
const minClearSeconds = 300

export const quiet: RuleStanding = { state: 'ok', pending_since: null, clear_since: null }

/**
 * Decides from one value. The rule fires when the value has been beyond the threshold for `for_seconds`. It resolves when the
 * value has been clear of the threshold, by a tenth of it, or absent, for a whole window, for `for_seconds` and for 5
 * minutes, whichever is longest. A value that returns within that time does not fire again, so a value that swings fires once.
 */
export const decide = (
  rule: Limits,
  before: RuleStanding,
  { value, at }: { value: number | null; at: Date },
): RuleDecision => {
  if (before.state === 'firing') {
    if (!isClear(rule, value)) return { standing: { ...before, clear_since: null }, transition: null }
    const since = before.clear_since ?? at
    const clearMs = Math.max(minClearSeconds, rule.window_seconds, rule.for_seconds) * 1_000
    const isOver = at.getTime() - since.getTime() >= clearMs
    return isOver
      ? { standing: quiet, transition: 'resolves' }
      : { standing: { ...before, clear_since: since }, transition: null }
  }
  if (!isBeyond(rule, value)) return { standing: quiet, transition: null }
  const since = before.pending_since ?? at
  return at.getTime() - since.getTime() >= rule.for_seconds * 1_000
    ? { standing: { ...quiet, state: 'firing' }, transition: 'fires' }
    : { standing: { ...quiet, state: 'pending', pending_since: since }, transition: null }
}

export const isSameStanding = (one: RuleStanding, other: RuleStanding): boolean =>
  one.state === other.state &&
  one.pending_since?.getTime() === other.pending_since?.getTime() &&
  one.clear_since?.getTime() === other.clear_since?.getTime()

const isBeyond = ({ operator, threshold }: Limits, value: number | null): boolean =>
  value !== null && (operator === 'above' ? value > threshold : value < threshold)

// Without a value nothing is wrong that the rule could see.
const isClear = ({ operator, threshold }: Limits, value: number | null): boolean =>
  value === null || (operator === 'above' ? value <= threshold * (1 - margin) : value >= threshold * (1 + margin))

type CheckedTerms = Pick<AlertTerms, 'metric' | 'error_code' | 'operator' | 'threshold'> & { agent_id: string | null }

/** Refuses terms that are well-formed and make no sense together. */
export const requireTerms = ({ metric, error_code, agent_id, operator, threshold }: CheckedTerms): void => {
  const refuse = (param: string, message: string): never => {
    throw new Fault('input_invalid', message, { param })
  }
  if (agent_id !== null && ofOrganisation.has(metric))
    refuse('agent_id', `${metric} is a value of the organisation: send agent_id null.`)
  if (metric === 'error_code_count' && error_code === null)
    refuse('error_code', 'error_code is required for error_code_count.')
  if (metric !== 'error_code_count' && error_code !== null)
    refuse('error_code', `error_code is for error_code_count and not for ${metric}.`)
  if (isShare(metric) && threshold > 1) refuse('threshold', `${metric} is a share from 0 to 1.`)
  if (operator === 'below' && threshold === 0) refuse('threshold', 'No value is below 0.')
}

export const requireHistory = ({ metric }: Pick<AlertTerms, 'metric'>): void => {
  if (isLive(metric)) throw new Fault('input_invalid', `${metric} has no history.`, { param: 'metric' })
}

const ofOrganisation: ReadonlySet<string> = new Set(['quota_used', 'webhook_failure_rate'])

export const termsOf = (rule: AlertRuleRow): AlertTerms => ({
  id: fromUuid('alr', rule.id),
  name: rule.name,
  metric: rule.metric,
  error_code: rule.error_code,
  agent_id: rule.agent_id === null ? null : fromUuid('ag', rule.agent_id),
  operator: rule.operator,
  threshold: rule.threshold,
  window_seconds: rule.window_seconds,
  for_seconds: rule.for_seconds,
  min_sample_size: rule.min_sample_size,
  severity: rule.severity,
})

/** `isStale`: the figures by minute are too old to evaluate. */
export const toWireRule = (rule: AlertRuleRow, { isStale }: { isStale: boolean }): AlertRule => {
  const { id, ...terms } = termsOf(rule)
  return {
    id,
    object: 'alert_rule',
    ...terms,
    enabled: rule.enabled,
    state: rule.state,
    alert_id: rule.alert_id === null ? null : fromUuid('alt', rule.alert_id),
    stale: isStale && !isLive(rule.metric),
    created_at: rule.created_at.toISOString(),
  }
}

/** For the audit log. */
export const ruleAuditFacts = (rule: AlertRuleRow) => {
  const { id: _, ...terms } = termsOf(rule)
  return { ...terms, enabled: rule.enabled }
}
