import { systemClock } from '@ars/platform/clock'
import type { Database } from '@ars/platform/db/database'
import type { Guard } from '../src/guardrails/guard/guard.service.ts'
import { createGuardMaker } from '../src/guardrails/guard/guards.service.ts'
import type { Guards } from '../src/guardrails/index.ts'
import type { Action, Stage } from '../src/guardrails/rule.ts'
import { createSecrets } from '../src/secrets/index.ts'
import { checksWithoutThreads } from './content-checks.ts'

/** No policy applies to any run. */
export const unguarded = (app: Database) => ({
  guards: { open: () => Promise.resolve(null) } satisfies Guards,
  secrets: createSecrets({ app, keyring: undefined }),
})

export type Word = { stage: Stage; word: string; action?: Action }

/** A guard with one rule per word. The values that it hides have the number 1. */
export const guardAgainst = (words: readonly Word[]): Guard | null => {
  if (words.length === 0) return null
  const open = createGuardMaker({
    clock: systemClock,
    checkContent: checksWithoutThreads,
    judgeRemotely: () => Promise.resolve({ kind: 'pass' }),
  })
  const rules = words.map(({ stage, word, action = 'block' as const }, at) => ({
    id: `word_${at}`,
    stages: [stage],
    action,
    check: 'keywords' as const,
    params: { words: [word], whole_words: false },
    policyId: '01890a5d-ac96-774b-bcce-b302099a8057',
    policyVersion: 1,
    enforced: true,
    shadowUntil: null,
  }))
  const tokens = { tokensFor: async (values: readonly { kind: string }[]) => values.map(({ kind }) => `[${kind}_1]`) }
  return open(
    {
      org: 'o',
      agent: { id: '01890a5d-ac96-774b-bcce-b302099a8057', version: 1 },
      key: null,
      tokens,
      note: () => undefined,
    },
    rules,
  )
}
