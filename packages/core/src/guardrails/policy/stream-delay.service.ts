import type { StreamDelay } from '@ars/contract'
import { releaseOf } from '../guard/release.service.ts'
import type { Action, CheckName, Rule } from '../rule.ts'

/** How the rules delay a stream of output, as guards do it. */
export const streamDelayOf = (rules: readonly Rule[]): StreamDelay => {
  const release = releaseOf(rules.filter(({ stages }) => stages.includes('output')))
  if (release.mode === 'none') return { mode: 'none', chars: 0 }
  return release.mode === 'whole' ? { mode: 'whole', chars: null } : release
}

/** Whether the check can take the action: only a check that finds pieces of a text can replace them. */
export const canTake = (check: CheckName, action: Action): boolean => action !== 'redact' || findsPieces.includes(check)

const findsPieces: readonly CheckName[] = ['regex', 'keywords', 'pii', 'secrets', 'url_allow', 'http', 'presidio']
