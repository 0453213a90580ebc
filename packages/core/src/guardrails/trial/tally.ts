import { guardrailsBounds } from '../bounds.ts'
import type { Action, Rule, Stage } from '../rule.ts'

/** What a trial has counted so far. It is stored as JSON, and slices are added to it. */
export type Tally = {
  /** Runs that were judged, and those whose data is erased. */
  runs: number
  erased: number
  /** Of the judged runs, those that hold tokens already. */
  redacted: number
  contents: number
  rules: Readonly<Record<string, RuleTally>>
  /** How often a check of a content took so long, by the logarithm of the microseconds. */
  delays: Readonly<Record<string, number>>
  costUsd: number
}

export type RuleTally = {
  /** Contents at the stages of the rule. */
  contents: number
  /** Those in which it has found something, by what would have happened. */
  blocked: number
  redacted: number
  asked: number
  flagged: number
  /** Runs in which it has found something. */
  runs: number
  /** The check could not be made. */
  unmade: number
  /** A remote check that was not paid for. */
  skipped: number
}

/** An example. `run` is a UUID. */
export type TrialSample = { run: string; rule: string; stage: Stage; action: Action; excerpt: string }

export const emptyTally: Tally = { runs: 0, erased: 0, redacted: 0, contents: 0, rules: {}, delays: {}, costUsd: 0 }

export const emptyRule: RuleTally = {
  contents: 0, blocked: 0, redacted: 0, asked: 0, flagged: 0, runs: 0, unmade: 0, skipped: 0,
} // biome-ignore format: counters

export const counterOf = {
  block: 'blocked',
  require_approval: 'asked',
  redact: 'redacted',
  flag: 'flagged',
} as const satisfies Record<Action, keyof RuleTally>

export const addTallies = (one: Tally, other: Tally): Tally => ({
  runs: one.runs + other.runs,
  erased: one.erased + other.erased,
  redacted: one.redacted + other.redacted,
  contents: one.contents + other.contents,
  rules: merge(one.rules, other.rules, addRules),
  delays: merge(one.delays, other.delays, (count, more) => count + more),
  costUsd: one.costUsd + other.costUsd,
})

const addRules = (one: RuleTally, other: RuleTally): RuleTally => {
  const names = Object.keys(emptyRule) as (keyof RuleTally)[]
  return Object.fromEntries(names.map((name) => [name, one[name] + other[name]])) as RuleTally
}

const merge = <Value>(
  one: Readonly<Record<string, Value>>,
  other: Readonly<Record<string, Value>>,
  add: (value: Value, more: Value) => Value,
): Record<string, Value> => {
  const sum: Record<string, Value> = { ...one }
  for (const [key, more] of Object.entries(other)) {
    const value = sum[key]
    sum[key] = value === undefined ? more : add(value, more)
  }
  return sum
}

/** All samples of a trial. Rules share them, so that one that finds much hides no other. */
const maxSamples = guardrailsBounds.trialSamples.count

export const samplesPerRule = (rules: readonly Pick<Rule, 'id'>[]): number =>
  Math.max(1, Math.floor(maxSamples / Math.max(1, rules.length)))

export const addSamples = (
  kept: readonly TrialSample[],
  added: readonly TrialSample[],
  perRule: number,
): TrialSample[] => {
  const all = [...kept]
  for (const sample of added) {
    const ofRule = all.filter(({ rule }) => rule === sample.rule).length
    if (ofRule < perRule && all.length < maxSamples) all.push(sample)
  }
  return all
}
