import { ownBudgetOf } from '../../budgets/index.ts'
import type { Caller } from '../../ctx.ts'
import { Fault } from '../../fault.ts'
import type { Stage } from '../rule.ts'
import type { RunTokens } from './guard.service.ts'
import type { Guards } from './guards.service.ts'
import { refusalOf } from './refusal.ts'

/**
 * Judges text of a customer that belongs to no run: of pipeline runs, schedules and batches. Rules with the action `require_approval` leave
 * it to the runs that get the text; what people decide they forbid, as in a run.
 */
export type TextGuard = {
  judge<Content>(author: TextAuthor, text: GuardedText<Content>): Promise<TextVerdict<Content>>
  /** For a request: answers what is left of the content, counts a refusal and throws it. */
  require<Content>(author: TextAuthor, text: GuardedText<Content>): Promise<Content>
}

/** Whose policies apply. `key`: the first of rotated keys; null: a person. `policySetId`: the policies in force; null: none. */
export type TextAuthor = { org: string; key: string | null; policySetId: string | null }

export const textAuthorOf = (caller: Caller): TextAuthor => ({
  org: caller.org,
  key: ownBudgetOf(caller)[0] ?? null,
  policySetId: caller.policySetId,
})

export type GuardedText<Content> = {
  stage: Stage
  content: Content
  /** The agent whose policies apply too. */
  agentId?: string | null | undefined
  /** It is only shown: no model and no host is asked about it. */
  isPreview?: boolean | undefined
  /** Until then it waits for a thread. Without it, a check that gets none is not made, and so forbids. */
  signal?: AbortSignal | undefined
}

export type TextVerdict<Content> = { kind: 'fits'; content: Content } | { kind: 'blocked'; fault: Fault }

type Deps = {
  guards: Guards
  budgets: {
    /** Why models may judge no more; null: they may. `actions`: of the budgets that forbid it. */
    findRefusal(
      org: string,
      subjectIds: readonly string[],
      actions: readonly ('refuse' | 'park')[],
    ): Promise<Fault | null>
    /** Counts what models have cost that judged. */
    charge(org: string, spent: { subjectIds: readonly string[]; costUsd: number }): Promise<void>
  }
  onRefused(org: string): Promise<void>
  /** A request was refused because a budget is used up. */
  onBudgetRefusal?: (() => void) | undefined
}

export const createTextGuard = ({ guards, budgets, onRefused, onBudgetRefusal }: Deps): TextGuard => {
  const judgeWith = async <Content>(
    { org, key, policySetId }: TextAuthor,
    { stage, content, agentId = null, isPreview, signal }: GuardedText<Content>,
    actions: readonly ('refuse' | 'park')[],
  ): Promise<TextVerdict<Content>> => {
    if (policySetId === null) return { kind: 'fits', content }
    const subjectIds = [org, key, agentId].filter((id) => id !== null)
    let costUsd = 0
    let refusal: Promise<Fault | null> | undefined
    const guard = await guards.open({
      ...{ org, key, pinned: policySetId, current: policySetId, asks: 'nobody', isPreview, signal },
      // The version is decided when a run is accepted.
      agent: agentId === null ? null : { id: agentId, version: 0 },
      tokens: numbersWithin(content),
      note: () => undefined,
      beforePaid: async () => {
        refusal ??= budgets.findRefusal(org, subjectIds, actions)
        const fault = await refusal
        if (fault) throw fault
      },
      onSpent: (spent) => {
        costUsd += spent.costUsd ?? 0
      },
    })
    const verdict = await guard?.check(stage, content).catch(budgetFault)
    if (costUsd > 0) await budgets.charge(org, { subjectIds, costUsd })
    if (verdict instanceof Fault) return { kind: 'blocked', fault: verdict }
    if (verdict?.kind === 'block') return { kind: 'blocked', fault: refusalOf(verdict.finding) }
    return { kind: 'fits', content: verdict?.kind === 'redact' ? (verdict.content as typeof content) : content }
  }
  return {
    // A pipeline run in progress goes on beside a budget that parks: its runs wait, and it keeps what it has done.
    judge: (author, text) => judgeWith(author, text, ['refuse']),
    require: async (author, text) => {
      // A request cannot wait.
      const verdict = await judgeWith(author, text, ['refuse', 'park'])
      if (verdict.kind === 'fits') return verdict.content
      if (verdict.fault.code === 'guardrail_blocked') await onRefused(author.org)
      if (verdict.fault.code === 'budget_exhausted') onBudgetRefusal?.()
      throw verdict.fault
    },
  }
}

/** A budget that refuses is an answer; everything else that a check throws is not. */
const budgetFault = (error: unknown): Fault => {
  if (error instanceof Fault && error.code === 'budget_exhausted') return error
  throw error
}

/** The numbers count within one content, after those that its tokens have already. */
const numbersWithin = (content: unknown): RunTokens => {
  let last: Map<string, number> | undefined
  const tokens = new Map<string, string>()
  const tokenOf = (kind: string, value: string): string => {
    last ??= lastNumbersIn(content)
    const known = tokens.get(`${kind}:${value}`)
    if (known !== undefined) return known
    const number = (last.get(kind) ?? 0) + 1
    last.set(kind, number)
    const token = `[${kind}_${number}]`
    tokens.set(`${kind}:${value}`, token)
    return token
  }
  return { tokensFor: async (values) => values.map(({ kind, value }) => tokenOf(kind, value)) }
}

const lastNumbersIn = (content: unknown): Map<string, number> => {
  const last = new Map<string, number>()
  for (const [, kind = '', number] of JSON.stringify(content).matchAll(/\[([A-Z_]{1,40})_(\d{1,9})\]/g))
    last.set(kind, Math.max(last.get(kind) ?? 0, Number(number)))
  return last
}
