import { compileLinear } from '../../schemas/index.ts'
import type { CheckOfRule, SpanCheck } from '../rule.ts'
import { createKeywordCheck } from './keyword-check.ts'
import { createPatternCheck, hasAnchor } from './pattern-check.ts'
import { createPiiCheck } from './pii-check.ts'
import { createSecretCheck } from './secret-check.ts'
import { createUrlCheck } from './url-check.ts'

/** For a rule without problems. `windowChars` is infinite for a check that needs the whole text. */
export const compileSpanCheck = (rule: CheckOfRule): SpanCheck => {
  switch (rule.check) {
    case 'regex': {
      const { pattern, case_sensitive, max_match_chars } = rule.params
      const compiled = compileLinear(pattern.normalize('NFC'), { ignoreCase: !case_sensitive })
      return createPatternCheck(compiled, max_match_chars, hasAnchor(pattern))
    }
    case 'keywords':
      return createKeywordCheck(rule.params)
    case 'pii':
      return createPiiCheck(rule.params)
    case 'secrets':
      return createSecretCheck()
    case 'url_allow':
      return createUrlCheck(rule.params)
    case 'max_length':
      return createLengthCheck(rule.params.chars)
    default:
      throw new Error(`The check ${rule.check} finds no pieces`)
  }
}

const createLengthCheck = (chars: number): SpanCheck => ({
  windowChars: Number.POSITIVE_INFINITY,
  reason: `It is longer than ${chars} characters`,
  find: (text) => (text.length > chars ? [{ start: chars, end: text.length, kind: 'EXCESS' }] : []),
})
