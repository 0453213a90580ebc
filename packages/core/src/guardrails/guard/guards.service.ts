import type { Database } from '@ars/platform/db/database'
import { guardrailsBounds } from '../bounds.ts'
import type { Finding, Stage } from '../rule.ts'
import { redactText } from './content.ts'
import { type About, type Guard, type GuardVerdict, passed, type StreamSinks } from './guard.service.ts'
import { guardStream, type StreamJudge } from './guarded-stream.service.ts'
import { createJudge, type JudgeDeps, type Subject, withTokens } from './judge.service.ts'
import { findPolicySet } from './policy-set.store.ts'
import { atStage, type GuardRule, isRemoteRule, type PolicySet, rulesOf, withoutQuestions } from './policy-set.ts'
import { releaseOf } from './release.service.ts'

export type Guards = {
  /** The guard of one run. Null: no rule applies to it, so nothing is judged. */
  open(asked: GuardedRun): Promise<Guard | null>
}

export type GuardedRun = Subject & {
  /** The set with which the run was accepted, and the one that is in force now. Null: none. */
  pinned: string | null
  current: string | null
  /** Nobody can be asked about the text, because it belongs to no run. */
  asks?: 'nobody' | undefined
  /** No model and no host is asked: their rules are left to the run that gets the text. */
  isPreview?: boolean | undefined
}

type Deps = JudgeDeps & { app: Database }

/** Sets that a process keeps, by count and by the length of their rules as JSON. A forgotten one is read again. */
const maxSets = guardrailsBounds.policySetsKept.count
const maxSetChars = guardrailsBounds.policySetsKept.chars
/** As often as deltas are sent. */
const tickMs = 50

export const createGuards = (deps: Deps): Guards => {
  const openGuard = createGuardMaker(deps)
  const sets = createSetCache(deps.app)

  return {
    open: async ({ pinned, current, asks, isPreview = false, ...subject }) => {
      if (pinned === null && current === null) return null
      const [own, now] = await Promise.all([sets.find(subject.org, pinned), sets.find(subject.org, current)])
      const found = rulesOf({ pinned: own, current: now }, { agentId: subject.agent?.id ?? null, keyId: subject.key })
      const local = isPreview ? found.filter((rule) => !isRemoteRule(rule)) : found
      const rules = asks === 'nobody' ? withoutQuestions(local) : local
      return rules.length === 0 ? null : openGuard(subject, rules)
    },
  }
}

/** Makes guards of rules that are known already. */
export const createGuardMaker = (
  deps: Omit<Deps, 'app'>,
): ((subject: Subject, rules: readonly GuardRule[]) => Guard) => {
  const { judge, look } = createJudge(deps)

  return (subject: Subject, rules: readonly GuardRule[]): Guard => {
    const check = async (stage: Stage, content: unknown, about?: About): Promise<GuardVerdict> => {
      const asked = atStage(rules, stage)
      if (asked.length === 0) return passed
      const verdict = await judge(subject, asked, { stage, content, about })
      if (verdict.findings.length > 0) subject.note(noted(verdict.findings))
      return verdict
    }
    const openStream = (sinks: StreamSinks, about?: About) => {
      const output = atStage(rules, 'output')
      const holding = output.filter(({ enforced, action }) => enforced && (action === 'block' || action === 'redact'))
      const streamJudge: StreamJudge = {
        look: async (text) => {
          const seen = await look(subject, holding, { stage: 'output', content: text, about })
          if (seen.blocked) subject.note(noted(seen.blocked.findings))
          return seen
        },
        last: (text) => check('output', text, about),
        hide: async (text, spans) => redactText(text, await withTokens(subject.tokens, text, spans)),
        schedule: (work) => void setTimeout(work, tickMs),
      }
      return guardStream(releaseOf(output.filter(({ enforced }) => enforced)), streamJudge, sinks)
    }
    return {
      check,
      openStream,
      judges: (stage, action) => atStage(rules, stage).some((rule) => rule.enforced && rule.action === action),
    }
  }
}

/** Findings of one content that are stored. Those that only flag are left out first. */
const maxNotedFindings = guardrailsBounds.findingsNoted.count

const noted = (findings: readonly Finding[]): readonly Finding[] =>
  findings.length <= maxNotedFindings
    ? findings
    : findings.toSorted((one, other) => Number(isFlag(one)) - Number(isFlag(other))).slice(0, maxNotedFindings)

const isFlag = ({ action, enforced }: Finding): boolean => action === 'flag' || !enforced

/** Sets never change, so what was read once stays true. */
const createSetCache = (app: Database) => {
  const kept = new Map<string, { set: PolicySet; chars: number }>()
  let chars = 0
  const find = async (org: string, id: string | null): Promise<PolicySet | null> => {
    if (id === null) return null
    const key = `${org}/${id}`
    const known = kept.get(key)
    if (known) {
      kept.delete(key)
      kept.set(key, known)
      return known.set
    }
    const set = await findPolicySet(app, org, id)
    if (!set) throw new Error('The policies of the run cannot be read')
    const size = JSON.stringify([...set.policies.values()]).length
    if (!kept.has(key)) chars += size
    kept.set(key, { set, chars: size })
    for (const [oldest, entry] of kept) {
      if (kept.size <= maxSets && chars <= maxSetChars) break
      kept.delete(oldest)
      chars -= entry.chars
    }
    return set
  }
  return { find }
}
