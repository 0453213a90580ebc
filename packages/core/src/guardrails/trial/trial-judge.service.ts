import type { Clock } from '@ars/platform/clock'
import { histogramOf } from '../../usage/index.ts'
import { mergeSpans } from '../guard/content.ts'
import { createJudge, type JudgeDeps, spansOf } from '../guard/judge.service.ts'
import { atStage, type GuardRule, isRemoteRule } from '../guard/policy-set.ts'
import type { Rule } from '../rule.ts'
import { excerptOf } from './excerpt.ts'
import type { PastContent, PastRun } from './past-run.ts'
import { addTallies, counterOf, emptyRule, emptyTally, type RuleTally, type Tally, type TrialSample } from './tally.ts'

/** The checks as runs use them. */
export type TrialChecks = JudgeDeps

export type Tried = { tally: Tally; samples: readonly TrialSample[] }

type Asked = {
  org: string
  policy: { id: string; version: number; rules: readonly Rule[] }
  /** What remote checks may still cost. Null: none is made. */
  leftUsd: number | null
  /** False: a budget is used up, so that no model is asked. */
  mayPay(): boolean
  /** Called after each content, so that the work can pause. */
  rest(): Promise<void>
  /** Remote checks are made in it. */
  outside<Result>(work: () => Promise<Result>): Promise<Result>
}

/** Judges past runs with the rules of a policy, as if it had been in force. It writes nothing. */
export const createTrialJudge = (checks: TrialChecks, { org, policy, leftUsd, mayPay, rest, outside }: Asked) => {
  let costUsd = 0
  let isUnpriced = false
  const rules = policy.rules.map(
    (rule): GuardRule => ({
      ...rule,
      policyId: policy.id,
      policyVersion: policy.version,
      enforced: true,
      shadowUntil: null,
    }),
  )
  // What a model without a price costs is unknown, so a bound cannot be kept.
  const isPaid = () => leftUsd !== null && costUsd < leftUsd && !isUnpriced
  const deps: JudgeDeps = {
    ...checks,
    // Trials pay for themselves: they use up no time of the threads that live runs of the organisation need.
    checkContent: (_, ...asked) => checks.checkContent(`${org} trials`, ...asked),
    judgeRemotely: async (...asked) => {
      const result = await outside(() => checks.judgeRemotely(...asked))
      const cost = result.spent === undefined ? 0 : result.spent.costUsd
      isUnpriced ||= cost === null
      costUsd += cost ?? 0
      return result
    },
  }

  const judgeRun = async (run: PastRun): Promise<Tried> => {
    if (run.isErased) return { tally: { ...emptyTally, erased: 1 }, samples: [] }
    const before = costUsd
    const { examine } = createJudge({ ...deps, clock: clockAt(checks.clock, run.createdAt) })
    const subject = { org, agent: { id: run.agentId, version: run.agentVersion }, key: run.keyId }
    const matched = new Map<string, TrialSample>()
    const delaysUs: number[] = []
    const counts = new Map<string, RuleTally>()
    const count = (rule: string, name: keyof RuleTally) => {
      const was = counts.get(rule) ?? emptyRule
      counts.set(rule, { ...was, [name]: was[name] + 1 })
    }

    const judgeContent = async ({ stage, content, tool, spentUsd }: PastContent): Promise<void> => {
      const atIt = atStage(rules, stage)
      const asked = atIt.filter((rule) => !isRemoteRule(rule) || (isPaid() && (rule.check !== 'model' || mayPay())))
      for (const { id } of atIt) count(id, 'contents')
      for (const rule of atIt) if (!asked.includes(rule)) count(rule.id, 'skipped')
      if (asked.length === 0) return
      const beganMs = checks.clock.monotonicMs()
      const { text, violations } = await examine(subject, asked, { stage, content, about: { tool, spentUsd } })
      delaysUs.push((checks.clock.monotonicMs() - beganMs) * 1_000)
      const spans = mergeSpans(spansOf(violations))
      for (const violation of violations) {
        const { id, action } = violation.rule
        if (violation.isUnmade) {
          count(id, 'unmade')
          continue
        }
        count(id, counterOf[action])
        if (!matched.has(id))
          matched.set(id, {
            run: run.id,
            rule: id,
            stage,
            action,
            excerpt: excerptOf(text, spans, violation.spans?.[0] ?? null),
          })
      }
    }

    for (const content of run.contents) {
      await judgeContent(content)
      await rest()
    }
    for (const id of matched.keys()) count(id, 'runs')
    const tally: Tally = {
      runs: 1,
      erased: 0,
      redacted: run.isRedacted ? 1 : 0,
      contents: run.contents.length,
      rules: Object.fromEntries(counts),
      delays: histogramOf(delaysUs),
      costUsd: costUsd - before,
    }
    return { tally, samples: [...matched.values()] }
  }

  return { judgeRun }
}

export const addTried = (one: Tried, other: Tried): Tried => ({
  tally: addTallies(one.tally, other.tally),
  samples: [...one.samples, ...other.samples],
})

export const nothingTried: Tried = { tally: emptyTally, samples: [] }

/** Rules see the hour of the run, not that of the trial. */
const clockAt = (clock: Clock, now: Date): Clock => ({ now: () => now, monotonicMs: () => clock.monotonicMs() })
