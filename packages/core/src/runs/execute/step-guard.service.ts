import type { Database } from '@ars/platform/db/database'
import type { Finding, Guard, Guards } from '../../guardrails/index.ts'
import type { SecretService } from '../../secrets/index.ts'
import type { StepAttempt, StepOutcome } from '../../steps/index.ts'
import { createCheckSpend } from '../run/check-spend.service.ts'
import type { CheckSpend } from '../run/check-spend.ts'
import { tokensOfRun } from '../run/tokens-of-run.service.ts'
import type { Claim } from './segment.store.ts'
import type { ClaimedStep } from './step-row.ts'

type Deps = { app: Database; guards: Guards; secrets: SecretService }

/** The guard of one step, what it found, and what that cost. Null: no policy applies to the run, and nothing was read. */
export const openStepGuard = async (
  { app, guards, secrets }: Deps,
  { segment: { org, run } }: ClaimedStep,
  claim: Claim,
  signal: AbortSignal,
): Promise<{ guard: Guard; findings: Finding[]; spend(): CheckSpend | null } | null> => {
  if (claim.policy_set_id === null && claim.current_set_id === null) return null
  const findings: Finding[] = []
  const spend = createCheckSpend()
  const guard = await guards.open({
    org,
    pinned: claim.policy_set_id,
    current: claim.current_set_id,
    agent: { id: claim.agent_id, version: claim.agent_version },
    key: claim.policy_key_id,
    tokens: tokensOfRun({ app, secrets }, org, run),
    signal,
    note: (found) => void findings.push(...found),
    onSpent: spend.note,
  })
  return guard && { guard, findings, spend: spend.total }
}

/** The texts of errors come from providers, tools and remote agents, so they are judged like output. */
export const guardFailure = async (guard: Guard, outcome: StepOutcome): Promise<StepOutcome> => {
  if (outcome.kind !== 'failed' || outcome.code === 'guardrail_blocked') return outcome
  const { message, details } = outcome
  const verdict = await guard.check('output', { message, details })
  if (verdict.kind === 'pass') return outcome
  if (verdict.kind === 'redact')
    return { ...outcome, ...(verdict.content as Pick<typeof outcome, 'message' | 'details'>) }
  return { ...outcome, message: withheld, details: null }
}

export const guardAttempts = async (guard: Guard, attempts: readonly StepAttempt[]): Promise<StepAttempt[]> =>
  Promise.all(
    attempts.map(async (attempt) => {
      const verdict = await guard.check('output', attempt.error.message)
      if (verdict.kind === 'pass') return attempt
      const message = verdict.kind === 'redact' ? String(verdict.content) : withheld
      return { ...attempt, error: { ...attempt.error, message } }
    }),
  )

const withheld = 'A policy has withheld the text of this error'
