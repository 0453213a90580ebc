import { limits, type PolicyTrialsCreateParams } from '@agent-run-service/sdk'

/** The form of a trial. Times are exact, numbers are kept as they were typed. */
export type TrialFields = {
  since: string | undefined
  until: string | undefined
  agentId: string
  sample: string
  maxCostUsd: string
}

export const newTrial = (nowMs: number): TrialFields => ({
  since: new Date(nowMs - 7 * 86_400_000).toISOString(),
  until: undefined,
  agentId: '',
  sample: String(limits.trialRunsDefault),
  maxCostUsd: '',
})

export const trialFieldNames = ['since', 'until', 'agent_id', 'sample', 'max_cost_usd'] as const
export type TrialErrors = Partial<Record<(typeof trialFieldNames)[number], string>>

const maxMs = limits.trialMaxDays * 86_400_000

export const checkTrial = (fields: TrialFields, nowMs: number): TrialErrors => {
  const { since, until, sample, maxCostUsd } = fields
  const lengthMs = (until === undefined ? nowMs : Date.parse(until)) - Date.parse(since ?? '')
  const runs = Number(sample)
  return {
    ...(since === undefined && { since: 'Enter a time.' }),
    ...(lengthMs <= 0 && { until: 'Enter a time after the first one.' }),
    ...(lengthMs > maxMs && { since: `A trial covers at most ${limits.trialMaxDays} days.` }),
    ...(!(Number.isInteger(runs) && runs >= 1 && runs <= limits.trialRunsMax) && {
      sample: `Enter a whole number from 1 to ${limits.trialRunsMax}.`,
    }),
    ...(maxCostUsd.trim() !== '' &&
      !(Number(maxCostUsd) > 0 && Number(maxCostUsd) <= limits.trialCostMaxUsd) && {
        max_cost_usd: `Enter an amount above 0, at most ${limits.trialCostMaxUsd}.`,
      }),
  }
}

export const trialParams = (fields: TrialFields): PolicyTrialsCreateParams => ({
  since: fields.since ?? '',
  ...(fields.until !== undefined && { until: fields.until }),
  ...(fields.agentId !== '' && { agent_id: fields.agentId }),
  sample: Number(fields.sample),
  ...(fields.maxCostUsd.trim() !== '' && { max_cost_usd: Number(fields.maxCostUsd) }),
})
