import type { Clock } from '@ars/platform/clock'
import { fromUuid } from '@ars/platform/id'
import type { ModelReply } from '../../models/index.ts'
import type { Schemas } from '../../schemas/index.ts'
import { type CheckOfRule, type Facts, type Finding, maxSpans, type Span, type Stage } from '../rule.ts'
import { type ContentText, mergeSpans, redactContent, type TokenSpan, textOf } from './content.ts'
import type { About, GuardVerdict, RunTokens } from './guard.service.ts'
import { type GuardRule, isSpanRule } from './policy-set.ts'

/** What one rule says about one content. `error`: the check could not be made. */
export type CheckResult =
  | { kind: 'pass' }
  | { kind: 'violation'; reason: string; spans?: readonly Span[] | undefined }
  | { kind: 'error'; message: string }

export type JudgeDeps = {
  clock: Clock
  schemas: Pick<Schemas, 'check'>
  /** The checks that find pieces of text, each with its result. */
  findSpans(org: string, checks: readonly CheckOfRule[], text: string): Promise<CheckResult[]>
  evaluate(org: string, expression: string, facts: Facts & { content: unknown; text: string }): Promise<CheckResult>
  judgeRemotely(rule: GuardRule, asked: RemoteQuestion): Promise<CheckResult & { spent?: CheckSpent | undefined }>
}

/** What a model has cost that judged. `costUsd` is null if it has no price. */
export type CheckSpent = { usage?: ModelReply['usage'] | undefined; costUsd: number | null }

export type RemoteQuestion = { org: string; text: string; facts: Facts; signal?: AbortSignal | undefined }

export type Subject = {
  org: string
  agent: { id: string; version: number }
  key: string | null
  tokens: RunTokens
  signal?: AbortSignal | undefined
  /** Told of everything that rules found. */
  note(findings: readonly Finding[]): void
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
    return { blocked: null, spans: violations.flatMap(({ spans }) => spans ?? []) }
  }

  const violationsOf = async (
    subject: Pick<Subject, 'org' | 'agent' | 'key' | 'signal' | 'onSpent'>,
    rules: readonly GuardRule[],
    { stage, content, about, read }: Asked,
  ): Promise<Violation[]> => {
    const { org } = subject
    const nowMs = deps.clock.now().getTime()
    const live = rules.filter(({ shadowUntil }) => shadowUntil === null || shadowUntil > nowMs)
    const bySpans = live.filter(isSpanRule)
    const spanResults = bySpans.length === 0 ? [] : await deps.findSpans(org, bySpans, read.text)
    const found = bySpans.flatMap((rule, at) => toViolation(rule, spanResults[at] ?? unmade))
    const kinds = new Set(found.flatMap(({ spans }) => spans?.map(({ kind }) => kind) ?? []))
    const facts: Facts = {
      stage,
      agent: { ...subject.agent, id: fromUuid('ag', subject.agent.id) },
      key: subject.key && fromUuid('key', subject.key),
      tool: about?.tool ?? null,
      spend: { run_usd: about?.spentUsd ?? 0 },
      findings: [...kinds],
      hour: deps.clock.now().getUTCHours(),
    }
    const rest = live.filter((rule) => !isSpanRule(rule))
    const others = await Promise.all(
      rest.map(async (rule) => toViolation(rule, await judgeWhole(subject, rule, { content, read, facts }))),
    )
    return [...found, ...others.flat()]
  }

  const judgeWhole = async (
    { org, signal, onSpent }: Pick<Subject, 'org' | 'signal' | 'onSpent'>,
    rule: GuardRule,
    { content, read, facts }: { content: unknown; read: ContentText; facts: Facts },
  ): Promise<CheckResult> => {
    switch (rule.check) {
      case 'max_length':
        return read.text.length <= rule.params.chars
          ? { kind: 'pass' }
          : { kind: 'violation', reason: `It has more than ${rule.params.chars} characters` }
      case 'json_schema': {
        const [problem] = await deps.schemas.check(org, rule.params.schema, toValue(content))
        return problem === undefined
          ? { kind: 'pass' }
          : { kind: 'violation', reason: 'It does not fit the JSON Schema' }
      }
      case 'expression': {
        const { expression, message } = rule.params
        const result = await deps.evaluate(org, expression, { ...facts, content, text: read.text })
        return result.kind === 'violation' ? { kind: 'violation', reason: message } : result
      }
      default: {
        const result = await deps.judgeRemotely(rule, { org, text: read.text, facts, signal })
        if (result.spent) onSpent?.(result.spent)
        return result
      }
    }
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
    const spans = mergeSpans(hidden.flatMap((violation) => violation.spans ?? []))
    const replacements = await withTokens(subject.tokens, read.text, spans)
    return { kind: 'redact', content: redactContent(content, read, replacements), findings }
  }

  return { judge, look, examine }
}

type Asked = { stage: Stage; content: unknown; about?: About | undefined; read: ContentText }

const unmade: CheckResult = { kind: 'error', message: 'The check could not be made' }

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

/** The text of a model that should be JSON is judged as the value that it spells. */
const toValue = (content: unknown): unknown => {
  if (typeof content !== 'string') return content
  try {
    return JSON.parse(content)
  } catch {
    return content
  }
}
