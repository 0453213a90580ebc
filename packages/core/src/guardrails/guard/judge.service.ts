import type { Clock } from '@ars/platform/clock'
import { fromUuid } from '@ars/platform/id'
import type { ModelReply } from '../../models/index.ts'
import {
  type CheckOfRule,
  type CheckResult,
  type Facts,
  type Finding,
  maxSpans,
  type Span,
  type Stage,
} from '../rule.ts'
import { type ContentText, mergeSpans, redactContent, type TokenSpan, textOf } from './content.ts'
import { type CheckedContent, kindsIn } from './content-checker.service.ts'
import type { About, GuardVerdict, RunTokens } from './guard.service.ts'
import { type GuardRule, isRemoteRule, isSpanRule } from './policy-set.ts'

export type JudgeDeps = {
  clock: Clock
  /** Our own checks of one content, each with its result. With a signal, it waits for a thread until the signal is aborted. */
  checkContent(
    org: string,
    checks: readonly CheckOfRule[],
    checked: CheckedContent & { signal?: AbortSignal | undefined },
  ): Promise<CheckResult[]>
  judgeRemotely(rule: GuardRule, asked: RemoteQuestion): Promise<CheckResult & { spent?: CheckSpent | undefined }>
}

/** What a model has cost that judged. `costUsd` is null if it has no price. */
export type CheckSpent = { usage?: ModelReply['usage'] | undefined; costUsd: number | null }

export type RemoteQuestion = { org: string; text: string; facts: Facts; signal?: AbortSignal | undefined }

export type Subject = {
  org: string
  /** Null: the text belongs to no run of an agent. */
  agent: { id: string; version: number } | null
  key: string | null
  tokens: RunTokens
  signal?: AbortSignal | undefined
  /** Told of everything that rules found. */
  note(findings: readonly Finding[]): void
  /** Awaited before a model judges. What it throws ends the judgement. */
  beforePaid?(): Promise<void>
  /** Told of what a check has cost. */
  onSpent?(spent: CheckSpent): void
}

/** What a rule has found in a content. */
export type Violation = { rule: GuardRule; reason: string; spans: readonly Span[] | null; isUnmade: boolean }

/** Applies rules to one content and decides. */
export const createJudge = (deps: JudgeDeps) => {
  const judge = async (
    subject: Subject,
    rules: readonly GuardRule[],
    asked: { stage: Stage; content: unknown; about?: About | undefined },
  ): Promise<GuardVerdict> => {
    const read = textOf(asked.content)
    const violations = await violationsOf(subject, rules, { ...asked, read })
    return decide(subject, violations, { ...asked, read })
  }

  /** What rules would find, without a decision: nothing is hidden, so no value gets a number. */
  const examine = async (
    subject: Pick<Subject, 'org' | 'agent' | 'key' | 'signal'>,
    rules: readonly GuardRule[],
    asked: { stage: Stage; content: unknown; about?: About | undefined },
  ): Promise<{ text: string; violations: readonly Violation[] }> => {
    const read = textOf(asked.content)
    return { text: read.text, violations: await violationsOf(subject, rules, { ...asked, read }) }
  }

  /** A part of a stream: whether it must end, and what must be hidden. */
  const look = async (
    subject: Subject,
    rules: readonly GuardRule[],
    asked: { stage: Stage; content: string; about?: About | undefined },
  ): Promise<{ blocked: GuardVerdict | null; spans: readonly Span[] }> => {
    const violations = await violationsOf(subject, rules, { ...asked, read: textOf(asked.content) })
    const findings = violations.map((violation) => findingOf(violation, asked.stage))
    const finding = findings.find(({ action }) => action === 'block')
    if (finding) return { blocked: { kind: 'block', finding, findings }, spans: [] }
    return { blocked: null, spans: spansOf(violations) }
  }

  const violationsOf = async (
    subject: Pick<Subject, 'org' | 'agent' | 'key' | 'signal' | 'beforePaid' | 'onSpent'>,
    rules: readonly GuardRule[],
    { stage, content, about, read }: Asked,
  ): Promise<Violation[]> => {
    const { org, signal } = subject
    const now = deps.clock.now()
    const live = rules.filter(({ shadowUntil }) => shadowUntil === null || shadowUntil > now.getTime())
    const facts: Omit<Facts, 'findings'> = {
      stage,
      agent: subject.agent ? { ...subject.agent, id: fromUuid('ag', subject.agent.id) } : noAgent,
      key: subject.key && fromUuid('key', subject.key),
      tool: about?.tool ?? null,
      spend: { run_usd: about?.spentUsd ?? 0 },
      hour: now.getUTCHours(),
    }
    const own = live.filter((rule) => !isLate(rule))
    const checked = { content, text: read.text, facts: { ...facts, findings: [] }, signal }
    const results = own.length === 0 ? [] : await deps.checkContent(org, own, checked)
    const known = { ...facts, findings: kindsIn(results) }
    const resultOf = new Map(own.map((rule, at) => [rule, withMessage(rule, results[at] ?? unmade)]))
    await Promise.all(
      live
        .filter(isLate)
        .map(async (rule) => void resultOf.set(rule, await judgeText(subject, rule, read.text, known))),
    )
    const inOrder = [...live.filter(isSpanRule), ...live.filter((rule) => !isSpanRule(rule))]
    return inOrder.flatMap((rule) => toViolation(rule, resultOf.get(rule) ?? unmade))
  }

  const judgeText = async (
    { org, signal, beforePaid, onSpent }: Pick<Subject, 'org' | 'signal' | 'beforePaid' | 'onSpent'>,
    rule: GuardRule,
    text: string,
    facts: Facts,
  ): Promise<CheckResult> => {
    if (rule.check === 'max_length') {
      return text.length <= rule.params.chars
        ? { kind: 'pass' }
        : { kind: 'violation', reason: `It has more than ${rule.params.chars} characters` }
    }
    if (rule.check === 'model') await beforePaid?.()
    const result = await deps.judgeRemotely(rule, { org, text, facts, signal })
    if (result.spent) onSpent?.(result.spent)
    return result
  }

  const decide = async (
    subject: Subject,
    violations: readonly Violation[],
    { stage, content, read }: Asked,
  ): Promise<GuardVerdict> => {
    const findings = violations.map((violation) => findingOf(violation, stage))
    const first = (action: Finding['action']): Finding | undefined =>
      findings.find((finding) => finding.enforced && finding.action === action)
    const block = first('block')
    if (block) return { kind: 'block', finding: block, findings }
    const ask = first('require_approval')
    if (ask) return { kind: 'ask', finding: ask, findings }
    const hidden = violations.filter(({ rule }) => rule.enforced && rule.action === 'redact')
    if (hidden.length === 0) return { kind: 'pass', findings }
    const spans = mergeSpans(spansOf(hidden))
    const replacements = await withTokens(subject.tokens, read.text, spans)
    return { kind: 'redact', content: redactContent(content, read, replacements), findings }
  }

  return { judge, look, examine }
}

const noAgent = { id: '', version: 0 } as const

type Asked = { stage: Stage; content: unknown; about?: About | undefined; read: ContentText }

const unmade: CheckResult = { kind: 'error', message: 'The check could not be made' }

/** Other programs are asked with the findings of our own checks. A length is not worth a check. */
const isLate = (rule: GuardRule): boolean => isRemoteRule(rule) || rule.check === 'max_length'

const withMessage = (rule: GuardRule, result: CheckResult): CheckResult =>
  rule.check === 'expression' && result.kind === 'violation' ? { ...result, reason: rule.params.message } : result

/** Rules with the same check share its pieces. */
export const spansOf = (violations: readonly Violation[]): Span[] =>
  [...new Set(violations.map(({ spans }) => spans))].flatMap((spans) => spans ?? [])

/**
 * A check that could not be made counts as a violation of rules that forbid, ask or hide: they fail closed. What cannot be hidden is
 * forbidden, and so is text with more pieces than can be found.
 */
const toViolation = (rule: GuardRule, result: CheckResult): Violation[] => {
  if (result.kind === 'pass') return []
  if (result.kind === 'error') {
    if (rule.action === 'flag') return []
    const closed = rule.action === 'redact' ? { ...rule, action: 'block' as const } : rule
    return [{ rule: closed, reason: `${unmadeWords}: ${result.message}`, spans: null, isUnmade: true }]
  }
  const { reason, spans = null } = result
  const cannotHide = rule.action === 'redact' && (spans === null || spans.length >= maxSpans)
  return [{ rule: cannotHide ? { ...rule, action: 'block' } : rule, reason, spans, isUnmade: false }]
}

const unmadeWords = 'A check could not be made, so the rule forbids it'

const findingOf = ({ rule, reason, spans, isUnmade }: Violation, stage: Stage): Finding => ({
  policyId: rule.policyId,
  policyVersion: rule.policyVersion,
  rule: rule.id,
  check: rule.check,
  stage,
  action: rule.action,
  enforced: rule.enforced,
  reason,
  count: spans?.length ?? 1,
  isUnmade,
})

export const withTokens = async (tokens: RunTokens, text: string, spans: readonly Span[]): Promise<TokenSpan[]> => {
  if (spans.length === 0) return []
  const values = spans.map(({ kind, start, end }) => ({ kind, value: text.slice(start, end) }))
  const names = await tokens.tokensFor(values)
  return spans.map((span, at) => ({ ...span, token: names[at] ?? '[REDACTED]' }))
}
