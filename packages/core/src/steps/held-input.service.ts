import { askAbout, blockedBy, heldDecision, heldOrdinals, refusedBy } from './guarded.ts'
import type { StepOutcome } from './step.ts'
import type { StepRequest } from './step-context.service.ts'

/** A policy may want a person to see the input before anything happens. Null: the run goes on. */
export const decideInput = async ({ guard, step, input, context }: StepRequest): Promise<StepOutcome | null> => {
  if (step !== 1 || !guard?.judges('input', 'require_approval')) return null
  const verdict = await guard.check('input', input)
  if (verdict.kind === 'block') return blockedBy(verdict.finding)
  if (verdict.kind !== 'ask') return null
  const about = { step, ordinal: heldOrdinals.input }
  const decision = heldDecision(await context.history(), about)
  if (!decision) return { kind: 'wait', record: null, asks: [askAbout(verdict.finding, about)] }
  return decision.resolution === 'approve' ? null : refusedBy(decision)
}
