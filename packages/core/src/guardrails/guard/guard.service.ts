import type { Action, Finding, Stage } from '../rule.ts'

/**
 * Judges what enters and leaves one run. `redact`: go on with the changed content. `ask`: a person decides. `block`: the content must
 * not be used, stored or shown.
 */
export type Guard = {
  check(stage: Stage, content: unknown, about?: About): Promise<GuardVerdict>
  /** A stream of output. Text that may still turn out to be forbidden is held back until it has been judged. */
  openStream(sinks: StreamSinks, about?: About): GuardedStream
  /** Whether any rule with this action judges this stage. */
  judges(stage: Stage, action: Action): boolean
}

/** Facts beside the content. */
export type About = { tool?: { name: string; args: unknown } | undefined; spentUsd?: number | null | undefined }

export type GuardVerdict =
  | { kind: 'pass'; findings: readonly Finding[] }
  | { kind: 'redact'; content: unknown; findings: readonly Finding[] }
  | { kind: 'ask'; finding: Finding; findings: readonly Finding[] }
  | { kind: 'block'; finding: Finding; findings: readonly Finding[] }

export type StreamSinks = {
  /** Released text, redacted. */
  emit(text: string): void
  /** Called once. After it nothing more is released. */
  onBlocked(verdict: GuardVerdict): void
}

export type GuardedStream = {
  write(text: string): void
  /** Judges the rest and releases it. `ask`: nothing was released, and the text of the verdict is what a person decides about. */
  end(): Promise<GuardVerdict>
  /** The text was withdrawn: everything so far is dropped. */
  restart(): void
}

/** Gives the values of one run their numbers: the same value has the same token everywhere in the run. */
export type RunTokens = {
  tokensFor(values: readonly { kind: string; value: string }[]): Promise<readonly string[]>
}

export const passed: GuardVerdict = { kind: 'pass', findings: [] }
