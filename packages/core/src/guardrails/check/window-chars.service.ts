import type { CheckOfRule } from '../rule.ts'
import { compileSpanCheck } from './compile.service.ts'
import { keywordWindowChars } from './keyword-check.ts'
import { hasAnchor, patternWindowChars } from './pattern-check.ts'
import { urlWindowChars } from './url-check.ts'

/** As `compileSpanCheck(rule).windowChars`. Patterns and lists are not compiled for it, because a list of policies asks for many. */
export const windowCharsOf = (rule: CheckOfRule): number => {
  if (rule.check === 'regex') return patternWindowChars(rule.params.max_match_chars, hasAnchor(rule.params.pattern))
  if (rule.check === 'keywords') return keywordWindowChars(rule.params.words)
  if (rule.check === 'url_allow') return urlWindowChars
  return compileSpanCheck(rule).windowChars
}
