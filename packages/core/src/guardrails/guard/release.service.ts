import { guardrailsBounds } from '../bounds.ts'
import { windowCharsOf } from '../check/window-chars.service.ts'
import type { Rule } from '../rule.ts'
import { isRemoteRule, isSpanRule } from './policy-set.ts'

/** How much of a stream is held back: nothing, as long as a piece can be, until so much is there, or everything. */
export type Release =
  | { mode: 'none' }
  | { mode: 'window'; chars: number }
  | { mode: 'chunk'; chars: number }
  | { mode: 'whole' }

/** Text that is kept in view after its release, because a forbidden piece may begin in it. */
export const maxWindowChars = guardrailsBounds.textInView.chars

/** Remote checks judge so much at a time. */
const chunkChars = 1_000

/** How much of a stream the enforced rules of the output hold back: the strictest rule decides. A rule that flags holds nothing back. */
export const releaseOf = (rules: readonly Rule[]): Release => {
  const holding = rules.filter(({ action }) => action !== 'flag')
  if (holding.length === 0) return { mode: 'none' }
  const spanRules = holding.filter(isSpanRule)
  const windowChars = Math.max(0, ...spanRules.map(windowCharsOf))
  const needsWhole = (rule: Rule) => rule.action === 'require_approval' || !(isSpanRule(rule) || isRemoteRule(rule))
  if (holding.some(needsWhole) || !Number.isFinite(windowChars)) return { mode: 'whole' }
  if (holding.some(isRemoteRule)) return { mode: 'chunk', chars: chunkChars }
  return { mode: 'window', chars: Math.min(maxWindowChars, windowChars) }
}
