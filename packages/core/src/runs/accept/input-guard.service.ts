import type { Database } from '@ars/platform/db/database'
import { chargeBudgets, ownBudgetOf } from '../../budgets/index.ts'
import type { Ctx } from '../../ctx.ts'
import { Fault } from '../../fault.ts'
import { type Finding, type Guards, refusalOf } from '../../guardrails/index.ts'
import type { SecretService } from '../../secrets/index.ts'
import { noteBlocked } from '../../usage/index.ts'
import { createCheckSpend } from '../run/check-spend.service.ts'
import type { CheckSpend } from '../run/check-spend.ts'
import type { Redaction } from '../run/guarded-run.ts'
import { createTokens } from '../run/tokens-of-run.service.ts'
import { budgetSubjectsOf } from './budget-subjects.ts'

export type Guarded = { input: Record<string, unknown>; metadata: Record<string, string> }

/** The input to go on with, and what is stored with the run. `fault`: a policy forbids it. */
export type GuardedInput = Guarded & {
  policySetId: string | null
  findings: readonly Finding[]
  redactions: readonly Redaction[]
  /** Null: no model has judged. */
  checkSpend: CheckSpend | null
  fault: Fault | null
}

export type InputGuard = {
  judge(ctx: Ctx, asked: AskedInput): Promise<GuardedInput>
  /** Counts what models have cost that judged an input of which no run came. */
  charge(ctx: Ctx, agentId: string, spend: CheckSpend | null): Promise<void>
  /** Counts a refused input. */
  refused(org: string): Promise<void>
}

type AskedInput = Guarded & {
  agentId: string
  policySetId: string | null
  /** Throws if a budget refuses the run: then no model judges its input. */
  requireBudget(): Promise<void>
}

type Deps = { app: Database; guards: Guards; secrets: SecretService }

/** Policies judge the input and the metadata of a run before anything of it is stored. */
export const createInputGuard = ({ app, guards, secrets }: Deps): InputGuard => ({
  judge: async (ctx, { agentId, policySetId, input, metadata, requireBudget }) => {
    const findings: Finding[] = []
    const redactions: Redaction[] = []
    const { org } = ctx
    const spend = createCheckSpend()
    const asIs = { policySetId, input, metadata, findings, redactions, checkSpend: null, fault: null }
    if (policySetId === null) return asIs
    const guard = await guards.open({
      org,
      pinned: policySetId,
      current: policySetId,
      // The version is decided by the accept.
      agent: { id: agentId, version: 0 },
      key: ownBudgetOf(ctx)[0] ?? null,
      // A new run has no numbers yet. They are stored with it.
      tokens: createTokens(
        { secrets, org },
        { known: () => Promise.resolve([]), store: async (added) => void redactions.push(...added) },
      ),
      note: (found) => void findings.push(...found),
      beforePaid: once(requireBudget),
      onSpent: spend.note,
    })
    const verdict = await guard?.check('input', { input, metadata }).catch((error: unknown) => {
      if (error instanceof Fault && error.code === 'budget_exhausted') return error
      throw error
    })
    // Not thrown, because a retry of an accepted request gets its run.
    if (verdict instanceof Fault) return { ...asIs, checkSpend: spend.total(), fault: verdict }
    const judged = { ...asIs, checkSpend: spend.total() }
    if (verdict?.kind === 'block') return { ...judged, fault: refusalOf(verdict.finding) }
    return verdict?.kind === 'redact' ? { ...judged, ...(verdict.content as Guarded) } : judged
  },
  charge: async ({ org, ...ctx }, agentId, spend) => {
    const costUsd = spend?.costUsd ?? 0
    if (costUsd === 0) return
    const subjectIds = budgetSubjectsOf(org, { agentId, budgetKeyId: ownBudgetOf(ctx)[0] })
    await app.transaction(org, (tx) => chargeBudgets(tx, org, { subjectIds, costUsd }))
  },
  refused: (org) => noteBlocked(app, org),
})

const once = (look: () => Promise<void>): (() => Promise<void>) => {
  let answer: Promise<void> | undefined
  return () => {
    answer ??= look()
    return answer
  }
}
