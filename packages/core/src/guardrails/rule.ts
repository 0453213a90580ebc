import { guardrailsBounds } from './bounds.ts'

export const stages = ['input', 'action_payload', 'tool_call', 'tool_result', 'output'] as const
export type Stage = (typeof stages)[number]

export const actions = ['block', 'require_approval', 'redact', 'flag'] as const
export type Action = (typeof actions)[number]

/** A rule of a policy. Its version never changes. */
export type Rule = {
  /** Unique within the policy. */
  id: string
  stages: readonly Stage[]
  action: Action
} & CheckOfRule

/** A check and its parameters, as `packages/contract/src/policy-rule.ts` describes them. */
export type CheckOfRule =
  | { check: 'regex'; params: { pattern: string; case_sensitive: boolean; max_match_chars: number } }
  | { check: 'keywords'; params: { words: readonly string[]; whole_words: boolean } }
  | { check: 'pii'; params: { kinds: readonly PiiKind[]; countries: readonly string[] } }
  | { check: 'secrets'; params: Record<string, never> }
  | { check: 'json_schema'; params: { schema: Readonly<Record<string, unknown>> } }
  | { check: 'url_allow'; params: { hosts: readonly string[] } }
  | { check: 'max_length'; params: { chars: number } }
  | { check: 'expression'; params: { expression: string; message: string } }
  | { check: 'model'; params: { model: string; instructions: string; time_limit_ms: number } }
  | { check: 'http'; params: { url: string; time_limit_ms: number } & HasCredential }
  | {
      check: 'presidio'
      params: {
        url: string
        language: string
        entities: readonly string[]
        min_score: number
        time_limit_ms: number
      } & HasCredential
    }

/** The credential itself is sealed beside the rules. */
type HasCredential = { credential_set?: boolean | undefined }

export type CheckName = CheckOfRule['check']

export const piiKinds = ['email', 'phone', 'card', 'iban', 'ip', 'national_id'] as const
export type PiiKind = (typeof piiKinds)[number]

/** A found piece of a text: UTF-16 positions, the end not included. `kind` is the name in a token, such as EMAIL. */
export type Span = { start: number; end: number; kind: string }

/**
 * A check that finds pieces of a text. It is pure, takes a time that is linear in the text, and answers spans that do not
 * overlap, in order, at most `maxSpans`.
 */
export type SpanCheck = {
  /**
   * The most characters that one piece can have, with the characters around it that decide. A stream holds back this many. Infinite: the
   * check needs the whole text. A longer piece, such as a key block, is recognised by this many characters; a stream releases nothing of a
   * piece before its end is older than the window.
   */
  windowChars: number
  /** The sentence for people, such as "It contains an e-mail address". Never the text itself. */
  reason: string
  find(text: string): Span[]
}

export const maxSpans = guardrailsBounds.spansOfCheck.count

/** The facts that expressions and remote checks see beside the content. */
export type Facts = {
  stage: Stage
  agent: { id: string; version: number }
  /** The API key that created the run; null: a person. */
  key: string | null
  /** Of a tool call and of its result. */
  tool: { name: string; args: unknown } | null
  /** Of this run so far. */
  spend: { run_usd: number }
  /** The names of the kinds that other rules of the same stage have found. */
  findings: readonly string[]
  /** 0 to 23, UTC. */
  hour: number
}

/** Why a rule acted. Never the text. */
export type Finding = {
  policyId: string
  policyVersion: number
  rule: string
  check: CheckName
  stage: Stage
  action: Action
  /** False: the policy is in shadow mode. */
  enforced: boolean
  reason: string
  /** How many pieces were found; 1 for checks of the whole. */
  count: number
  /** The check could not be made, and the rule fails closed. */
  isUnmade: boolean
}

/** What one rule says about one content. `error`: the check could not be made. */
export type CheckResult =
  | { kind: 'pass' }
  | { kind: 'violation'; reason: string; spans?: readonly Span[] | undefined }
  | { kind: 'error'; message: string }
