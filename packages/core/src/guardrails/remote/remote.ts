import type { ModelReply } from '../../models/index.ts'
import { guardrailsBounds } from '../bounds.ts'
import type { CheckOfRule, Facts, Span } from '../rule.ts'

/** A check that another program makes. */
export type RemoteRule = Extract<CheckOfRule, { check: 'model' | 'http' | 'presidio' }>

export type RemoteRequest = {
  org: string
  text: string
  facts: Facts
  /** For the rule's host. Undefined: none. Never sent to a model. */
  credential?: string | undefined
  signal?: AbortSignal | undefined
}

/**
 * `error` decides nothing: the caller decides what a check without an answer means. No reason and no message holds a part
 * of the text.
 */
export type RemoteVerdict =
  | { kind: 'pass' }
  | {
      kind: 'violation'
      reason: string
      /** The pieces that violate the rule, in order, without overlap. Undefined: the whole text does. */
      spans?: readonly Span[]
      /** The text as the host wants it. */
      replacement?: string
    }
  | { kind: 'error'; message: string }

/** What a check cost. Only models cost something; `costUsd` is null if the model has no price. */
export type RemoteSpent = Pick<ModelReply, 'usage' | 'costUsd'>

/** `busy`: nobody was asked. */
export type Judged = { verdict: RemoteVerdict; outcome: RemoteOutcome; spent: RemoteSpent }

/** For the metrics. `timeout`: no answer within the time limit. `open`: not asked, because it failed too often lately. */
export type RemoteOutcome = 'pass' | 'violation' | 'error' | 'timeout' | 'open' | 'busy'

const nothing: RemoteSpent = { usage: { inputTokens: 0, outputTokens: 0 }, costUsd: 0 }

export const judged = (verdict: RemoteVerdict, spent: RemoteSpent = nothing): Judged => ({
  verdict,
  outcome: verdict.kind,
  spent,
})

export const notJudged = (message: string, outcome: RemoteOutcome = 'error', spent: RemoteSpent = nothing): Judged => ({
  verdict: { kind: 'error', message },
  outcome,
  spent,
})

export const remoteLimits = {
  /** Of a text that a host judges. A longer one is an error. */
  textChars: guardrailsBounds.textOfHost.chars,
  /** Of a text that a model judges. */
  modelTextChars: guardrailsBounds.textOfModel.chars,
  modelOutputTokens: guardrailsBounds.answerOfModel.count,
  reasonChars: guardrailsBounds.reason.chars,
  /** Of an answer, beside twice the bytes of the text. */
  answerBytes: guardrailsBounds.answerOfHost.bytes,
  /** Calls of one organisation in one process at a time, and those that wait for it. */
  callsPerOrganisation: guardrailsBounds.callsOfOrganisation.count,
  waitingPerOrganisation: guardrailsBounds.callsWaiting.count,
  /** Of the texts of all calls in one process that wait or are made, and of one organisation. */
  textsChars: guardrailsBounds.textsOfCalls.chars,
  textsOfOrganisationChars: guardrailsBounds.textsOfCallsOfOrganisation.chars,
} satisfies Record<string, number>

/**
 * A reason that others wrote, shortened. Findings are shown to people who may not read the text, so a reason that quotes
 * it is replaced.
 */
export const reasonOf = (given: unknown, text: string, otherwise: string): string => {
  if (typeof given !== 'string') return otherwise
  const reason = given
    .replace(/\p{C}+/gu, ' ')
    .trim()
    .slice(0, remoteLimits.reasonChars)
    .toWellFormed()
  return reason === '' || quotes(reason, text) ? otherwise : reason
}

const quotedChars = 10

const quotes = (reason: string, text: string): boolean => {
  const [said, judged] = [reason.toLowerCase(), text.toLowerCase()]
  if (judged.trim().length < quotedChars) return judged.trim() !== '' && said.includes(judged.trim())
  for (let at = 0; at + quotedChars <= said.length; at++)
    if (judged.includes(said.slice(at, at + quotedChars))) return true
  return false
}

/** The smallest piece of `text` that another text replaces: everything between the equal beginning and the equal end. */
export const changedSpan = (text: string, replacement: string): Span => {
  const shorter = Math.min(text.length, replacement.length)
  let start = 0
  while (start < shorter && text[start] === replacement[start]) start++
  let kept = 0
  while (kept < shorter - start && text.at(-1 - kept) === replacement.at(-1 - kept)) kept++
  // A text that only grew has no replaced piece; the character beside the place stands for it.
  const end = Math.max(text.length - kept, Math.min(text.length, start + 1))
  const begin = Math.min(start, end - 1)
  return { start: begin - (isLow(text, begin) ? 1 : 0), end: end + (isLow(text, end) ? 1 : 0), kind: 'REDACTED' }
}

/** The second half of a character of two units. */
const isLow = (text: string, at: number): boolean => /[\udc00-\udfff]/.test(text[at] ?? '')
