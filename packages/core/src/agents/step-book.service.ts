import type { History, StepAgent, ToolCallStart } from './step.ts'

/** One unit of an agent's work: a model call, a group of tool calls, or a call of a remote agent. It may be asked for twice. */
export type StepRequest = {
  org: string
  runId: string
  step: number
  attempt: number
  /** Claims of this step so far; above the first, an earlier one was interrupted. */
  claims: number
  agent: StepAgent
  input: Readonly<Record<string, unknown>>
  spentUsd: number | null
  /** Whether anything was said to the run beside its input. */
  messages: number
  signal: AbortSignal
  book: StepBook
}

/** What the run remembers, and what a step writes down on its way. A write that finds the run taken over throws. */
export type StepBook = {
  history(): Promise<History>
  /** A piece of the output, for whoever watches. */
  delta(text: string): void
  /** What was streamed in this step is void. */
  reset(): Promise<void>
  startCall(call: ToolCallStart): Promise<void>
  finishCall(call: { ordinal: number; name: string; result: unknown; isError: boolean }): Promise<void>
  /** The step waits before it asks a provider again. */
  backOff(info: { untilMs: number; message: string }): void
}
