import type { TraceContext } from '@ars/platform/trace/trace-context'
import type { Guard } from '../guardrails/index.ts'
import type { FailedTry, History, StepAgent, ToolCallStart, UsedUp } from './step.ts'

/** One unit of an agent's work: a model call, a group of tool calls, or a call of a remote agent. It may run twice. */
export type StepRequest = {
  org: string
  runId: string
  step: number
  attempt: number
  /** Claims of this step so far. More than one means that an earlier one was interrupted. */
  claims: number
  agent: StepAgent
  input: Readonly<Record<string, unknown>>
  spentUsd: number | null
  /** The monthly budget that lets the run wait before a model call; null: none does. Undefined: the run has no budget. */
  findUsedUp?: (() => Promise<UsedUp | null>) | undefined
  /** Whether the run received messages beside its input. */
  messages: number
  /** Judges everything that enters and leaves the run. Null: no policy applies. */
  guard: Guard | null
  signal: AbortSignal
  context: StepContext
  /** Where the spans of the step stand, and what other services are handed. Undefined: the run is in no trace. */
  trace?: TraceContext | undefined
}

/** What the run remembers, and what a step records. A write that finds the run taken over throws. */
export type StepContext = {
  history(): Promise<History>
  /** A chunk of the output, for streams. */
  delta(text: string): void
  /** The text that was streamed in this step is void. */
  reset(): Promise<void>
  startCall(call: ToolCallStart): Promise<void>
  finishCall(call: { ordinal: number; name: string; result: unknown; isError: boolean }): Promise<void>
  /** The content that a policy held back, after a person has approved it. */
  openHeld(decisionId: string): Promise<unknown>
  /** A try failed, whether or not another one follows. The step keeps a trace of the last ones. */
  failedTry(failedTry: FailedTry): void
  /** The step backs off before it calls a provider again. */
  backOff(info: { untilMs: number; message: string }): void
}
