import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '@ars/platform/clock'
import type { TaskOutcome, ThreadPool } from '@ars/platform/thread-pool'
import { guardrailsBounds } from '../bounds.ts'
import type { CheckOfRule, CheckResult } from '../rule.ts'
import type { ContentCheckResult, ContentCheckTask } from './content-check-task.service.ts'
import { type CheckedContent, checkHere, createContentChecker, keyOf, kindsIn } from './content-checker.service.ts'
import type { JudgeDeps } from './judge.service.ts'
import { isSpanRule } from './policy-set.ts'

/** Bounds what the event loop checks: the characters of the text and of the check, added over all different checks of a content. */
const maxInlineChars = guardrailsBounds.inlineChecks.chars

/** A request waits no longer for all checks of its content. A check that is left could not be made, and the request can be sent again. */
const maxRequestWaitMs = guardrailsBounds.requestChecks.ms

/** What the checks of one content may use of a thread together. A rule that is left when it is used up could not be made. */
const contentCpuLimits = {
  baseMs: guardrailsBounds.contentCpu.ms,
  perCheckMs: guardrailsBounds.contentCpuOfCheck.ms,
  perMibMs: guardrailsBounds.contentCpuOfMib.ms,
} as const
/** What one task may use. Compiling a schema is a part of its first task. */
const taskCpuLimits = {
  baseMs: guardrailsBounds.taskCpu.ms,
  schemaMs: guardrailsBounds.taskCpuOfSchema.ms,
  perMibMs: guardrailsBounds.taskCpuOfMib.ms,
} as const
/** Tasks are small, so that the contents of other organisations are checked between them. In characters of `costOf`. */
const maxTaskCost = guardrailsBounds.checksOfTask.chars
/** A schema or an expression costs as much as a search of 6,000 characters. */
const programCost = 6_000
/** Compiled checks that the event loop keeps. */
const maxInlineBytes = guardrailsBounds.compiledOfLoop.bytes
/** Pieces that all checks find in one content. A check that finds more than are left hides nothing, so it forbids. */
const maxPiecesPerContent = guardrailsBounds.contentPieces.count

/**
 * Checks one content. Equal checks are made once. The event loop makes the checks only if they compile nothing and their sum is small;
 * threads make all others.
 */
export const createContentChecks = ({ threads, clock, pause = sleep }: Deps): JudgeDeps['checkContent'] => {
  const checker = createContentChecker({ maxBytes: maxInlineBytes, hasFaults: notHere })

  const runTask = async (org: string, task: Task, { signal }: CheckedContent & Waits): Promise<TaskOutcome> => {
    const { payload, maxCpuMs } = task
    const bytes = 2 * Object.values(payload).reduce((sum, text) => sum + text.length, 0)
    for (;;) {
      const outcome = await threads.run({ owner: org, kind: 'guardrails.check', payload, bytes, maxCpuMs })
      // Nobody waits for the response of a step, so it waits until a thread is free. Its signal ends with the run.
      if (outcome.kind !== 'busy' || !signal) return outcome
      await pause(pauseMs, undefined, { signal }).catch(() => signal.throwIfAborted())
    }
  }

  const checkInThreads = async (
    org: string,
    keys: readonly string[],
    asked: CheckedContent & Waits,
    allowance: Allowance,
    results: Map<string, CheckResult>,
  ): Promise<void> => {
    const texts = textsOf(asked)
    const isLate = (): boolean => !asked.signal && clock.monotonicMs() >= allowance.untilMs
    const waiting = slicesOf(keys, asked.text.length)
    for (let slice = waiting.shift(); slice; slice = waiting.shift()) {
      const maxCpuMs = Math.min(maxTaskCpuMs(slice, asked.text), Math.ceil(allowance.leftMs))
      if (maxCpuMs <= 0) {
        for (const key of slice) results.set(key, tooSlow)
        continue
      }
      const task = { payload: payloadOf(slice, texts), maxCpuMs }
      const outcome: TaskOutcome = isLate() ? { kind: 'busy' } : await runTask(org, task, asked)
      if (outcome.kind === 'busy') {
        for (const key of [slice, ...waiting].flat()) results.set(key, busy)
        return
      }
      if (outcome.kind === 'done') {
        const { found, cpuMs } = outcome.result as ContentCheckResult
        allowance.leftMs -= cpuMs
        for (const [at, key] of slice.entries()) results.set(key, found[at] ?? tooSlow)
        continue
      }
      allowance.leftMs -= maxCpuMs
      // One check must not take the others of its task along.
      if (slice.length > 1) waiting.unshift(...slice.map((key) => [key]))
      else for (const key of slice) results.set(key, tooSlow)
    }
  }

  return async (org, checks, asked) => {
    const keys = checks.map(keyOf)
    const different = new Map(checks.map((check, at) => [keys[at] as string, check]))
    const own = [...different.values()]
    if (isSmall(different, asked.text)) {
      const found = checkHere(checker, own, asked)
      const results = new Map([...different.keys()].map((key, at) => [key, found[at] as CheckResult]))
      return keys.map((key) => results.get(key) as CheckResult)
    }
    const results = new Map<string, CheckResult>()
    const { baseMs, perCheckMs, perMibMs } = contentCpuLimits
    const allowance = {
      leftMs: baseMs + perCheckMs * different.size + perMibMs * (asked.text.length / mib),
      untilMs: clock.monotonicMs() + maxRequestWaitMs,
    }
    const keysOf = (wanted: boolean) =>
      [...different].flatMap(([key, check]) => (isSpanRule(check) === wanted ? [key] : []))
    await checkInThreads(org, keysOf(true), { ...asked, content: undefined }, allowance, results)
    withinPieces(results)
    const facts = { ...asked.facts, findings: kindsIn(results.values()) }
    await checkInThreads(org, keysOf(false), { ...asked, facts }, allowance, results)
    return keys.map((key) => results.get(key) ?? tooSlow)
  }
}

type Deps = {
  threads: Pick<ThreadPool, 'run'>
  clock: Pick<Clock, 'monotonicMs'>
  /** Waits; for tests. */
  pause?: ((ms: number, value: undefined, options: { signal: AbortSignal }) => Promise<unknown>) | undefined
}
type Waits = { signal?: AbortSignal | undefined }
type Allowance = { leftMs: number; untilMs: number }
type Task = { payload: ContentCheckTask; maxCpuMs: number }

const mib = 1_048_576
const pauseMs = 500

const isSmall = (different: ReadonlyMap<string, CheckOfRule>, text: string): boolean => {
  let sum = 0
  for (const [key, { check }] of different) {
    if (!inlineChecks.has(check)) return false
    sum += text.length + key.length
    if (sum > maxInlineChars) return false
  }
  return true
}

/** Patterns, schemas and expressions are compiled, so they are not here. */
const inlineChecks: ReadonlySet<string> = new Set(['keywords', 'pii', 'secrets', 'url_allow'])

const notHere = (): never => {
  throw new Error('A schema is evaluated in a thread')
}

const isProgram = (key: string): boolean =>
  key.startsWith('{"check":"json_schema"') || key.startsWith('{"check":"expression"')

const costOf = (key: string, textChars: number): number =>
  (isProgram(key) ? programCost : 0) + textChars + key.length / 4

/** One check at least is in each. */
const slicesOf = (keys: readonly string[], textChars: number): string[][] => {
  const slices: string[][] = []
  let cost = Number.POSITIVE_INFINITY
  for (const key of keys) {
    const own = costOf(key, textChars)
    if (cost + own > maxTaskCost) {
      slices.push([])
      cost = 0
    }
    slices.at(-1)?.push(key)
    cost += own
  }
  return slices
}

const maxTaskCpuMs = (slice: readonly string[], text: string): number => {
  const { baseMs, schemaMs, perMibMs } = taskCpuLimits
  return Math.ceil((slice.some(isProgram) ? schemaMs : baseMs) + perMibMs * (text.length / mib))
}

type Texts = { text: string; content: string | undefined; facts: string }

/** Written once for all tasks of a content. */
const textsOf = ({ text, content, facts }: CheckedContent): Texts => ({
  text,
  content: jsonOf(content),
  facts: JSON.stringify(facts),
})

/** Only what the checks read: a large content is not copied for a rule about the hour. */
const payloadOf = (slice: readonly string[], { text, content, facts }: Texts): ContentCheckTask => {
  const checks = `[${slice.join(',')}]`
  const programs = slice.filter(isProgram).join('')
  const readsText = slice.some((key) => !isProgram(key)) || programs.includes('text')
  const readsContent = programs.includes('json_schema') || programs.includes('content')
  return {
    checks,
    facts: programs === '' ? '{}' : facts,
    ...(readsText && { text }),
    ...(readsContent && content !== undefined && { content }),
  }
}

/** Undefined: too deep to be written as text. */
const jsonOf = (value: unknown): string | undefined => {
  try {
    return JSON.stringify(value)
  } catch (error) {
    if (error instanceof RangeError) return
    throw error
  }
}

const withinPieces = (results: Map<string, CheckResult>): void => {
  let left = maxPiecesPerContent
  for (const [key, result] of results) {
    if (result.kind !== 'violation') continue
    left -= result.spans?.length ?? 0
    if (left < 0) results.set(key, { ...result, spans: undefined })
  }
}

const tooSlow: CheckResult = { kind: 'error', message: 'It takes too long' }
const busy: CheckResult = { kind: 'error', message: 'Too many checks wait' }
