import { compileLinear, PatternProblem } from '../../schemas/index.ts'
import { guardrailsBounds } from '../bounds.ts'
import type { CheckOfRule } from '../rule.ts'
import { isPhoneCountry } from './phone-number.ts'
import { asSeen } from './reading.ts'
import { plainHost } from './url-check.ts'

/** `path` is a path within the rule, such as `params.pattern`. */
export type CheckProblem = { path: string; message: string }

/** A larger program can take longer than a check may. */
const maxProgramSize = guardrailsBounds.patternProgram.count
/** All words of a list together: each character takes about 40 bytes of memory. */
const maxKeywordChars = guardrailsBounds.keywords.chars

/** The faults of the parameters that their schema cannot describe, as sentences for the author. */
export const problemsOfCheck = (rule: CheckOfRule): CheckProblem[] => {
  switch (rule.check) {
    case 'regex':
      return problemsIn('params.pattern', patternProblems(rule.params))
    case 'keywords':
      return problemsIn('params.words', wordProblems(rule.params.words))
    case 'url_allow':
      return problemsIn(
        'params.hosts',
        rule.params.hosts
          .filter((host) => !isHostPattern(host))
          .map((host) => `contains ${quoted(host)}, which is neither a host nor *. and a host`),
      )
    case 'pii':
      return problemsIn(
        'params.countries',
        rule.params.countries
          .filter((country) => !isPhoneCountry(country))
          .map((country) => `contains ${quoted(country)}, which is no ISO code of a country`),
      )
    default:
      return []
  }
}

const problemsIn = (path: string, messages: readonly string[]): CheckProblem[] =>
  messages.map((message) => ({ path, message }))

const quoted = (text: string): string => JSON.stringify(text.slice(0, 100))

const patternProblems = (params: { pattern: string; case_sensitive: boolean }): string[] => {
  try {
    const compiled = compileLinear(params.pattern, { ignoreCase: !params.case_sensitive })
    if (compiled.size > maxProgramSize)
      return [`is too large: its repetitions make ${compiled.size} steps, the maximum is ${maxProgramSize}`]
    return compiled.test('') ? ['matches the empty text, and so every text'] : []
  } catch (error) {
    if (!(error instanceof PatternProblem)) throw error
    return [error.message]
  }
}

const wordProblems = (words: readonly string[]): string[] => {
  const chars = words.reduce((sum, word) => sum + word.length, 0)
  if (words.length === 0) return ['must not be empty']
  if (words.some((word) => asSeen(word).trim() === '')) return ['must not contain a blank word']
  return chars > maxKeywordChars ? [`have ${chars} characters together; the maximum is ${maxKeywordChars}`] : []
}

const isHostPattern = (written: string): boolean => {
  const host = written.replace(/^\*\./, '')
  const hasPort = /:\d+$/.test(host.replace(/\[.*\]/, ''))
  return /^[\p{L}\p{N}\p{M}.\-_[\]:]{1,253}$/u.test(host) && !hasPort && Boolean(plainHost(host))
}
