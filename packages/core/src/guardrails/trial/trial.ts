import type { PolicyTrial as WireTrial } from '@ars/contract'
import { fromUuid } from '@ars/platform/id'
import type { Rule } from '../rule.ts'
import { emptyRule, type Tally, type TrialSample } from './tally.ts'

/** A trial as stored. Ids are UUIDs. */
export type Trial = {
  id: string
  org_id: string
  policy_id: string
  policy_version: number
  since: Date
  until: Date
  agent_id: string | null
  sample: number
  max_cost_usd: number | null
  status: 'queued' | 'running' | 'completed' | 'failed' | 'cancelled'
  total: number | null
  expired: number | null
  result: Tally
  samples: readonly TrialSample[]
  rules: readonly Rule[]
  created_by: string
  created_by_type: 'key' | 'user'
  created_at: Date
  ended_at: Date | null
}

/** A trial as the database returns it. */
export type TrialRow = Omit<Trial, 'max_cost_usd'> & { max_cost_usd: string | null }

export const toTrial = ({ max_cost_usd, ...row }: TrialRow): Trial => ({
  ...row,
  max_cost_usd: max_cost_usd === null ? null : Number(max_cost_usd),
})

/** What a worker holds while it works on a trial. */
export type ClaimedTrial = Trial & {
  claim: string
  cursor: string | null
  /** Of its creator: the first of rotated keys. Null: a person, or a key that is gone. */
  budget_key_id: string | null
}

/** Runs that were looked at. */
export const seenOf = ({ runs, erased }: Tally): number => runs + erased

/** `delayMs`: percentiles of `result.delays`. */
export const toWireTrial = (trial: Trial, delayMs: WireTrial['delay_ms']): WireTrial => {
  const { result, total } = trial
  return {
    id: fromUuid('ptr', trial.id),
    object: 'policy_trial',
    policy_id: fromUuid('pol', trial.policy_id),
    policy_version: trial.policy_version,
    since: trial.since.toISOString(),
    until: trial.until.toISOString(),
    agent_id: trial.agent_id === null ? null : fromUuid('ag', trial.agent_id),
    sample: trial.sample,
    max_cost_usd: trial.max_cost_usd,
    status: trial.status,
    progress: { seen: seenOf(result), total: total === null ? null : Math.min(total, trial.sample) },
    coverage: {
      runs: result.runs,
      contents: result.contents,
      erased: result.erased,
      expired: trial.expired ?? 0,
      redacted: result.redacted,
    },
    rules: trial.rules.map((rule) => toTriedRule(rule, result)),
    delay_ms: delayMs,
    cost_usd: result.costUsd,
    samples: trial.samples.map(({ run, ...sample }) => ({ run_id: fromUuid('run', run), ...sample })),
    created_by: fromUuid(trial.created_by_type === 'user' ? 'usr' : 'key', trial.created_by),
    created_at: trial.created_at.toISOString(),
    ended_at: trial.ended_at?.toISOString() ?? null,
  }
}

const toTriedRule = ({ id, check, action }: Rule, { rules }: Tally): WireTrial['rules'][number] => {
  const { unmade: failed, ...counts } = rules[id] ?? emptyRule
  return { rule: id, check, action, ...counts, failed }
}
