import { limits } from '@ars/contract'
import { traceHeaders } from '@ars/platform/trace/trace-context'
import type { Tracer } from '@ars/platform/trace/tracer'
import type { Toolbox } from '../connectors/index.ts'
import { ToolFailure } from '../connectors/index.ts'
import type { ToolCall, ToolResult } from '../models/index.ts'
import { executeToolSpan } from '../span.ts'
import { stepsBounds } from './bounds.ts'
import { askAbout, blockedBy, contentOf, heldDecision, heldOrdinals } from './guarded.ts'
import { type Failed, type History, noTokens, type PastStep, type PersonRequest, type StepOutcome } from './step.ts'
import type { StepRequest } from './step-context.service.ts'
import { type CallPlan, planCalls } from './tool-plan.ts'

/** Concurrent tool calls of one step. */
const maxCallsUnderWay = stepsBounds.toolCallsUnderWay.count
/** Attempts for a call that certainly did not reach its server, or whose tool is repeatable. */
const maxCallTries = stepsBounds.toolCallTries.count

type Sending = Extract<CallPlan, { kind: 'send' }>
type Answered = { result: ToolResult } | { unknown: Sending } | { blocked: Failed } | { ask: PersonRequest }

/**
 * The tool calls that a model step requested. Each is recorded before it is sent, and its answer as soon as it
 * arrives.
 */
export const createToolStep = ({ tracer }: { tracer?: Tracer | undefined }) => {
  const take = async (
    request: StepRequest,
    history: History,
    open: PastStep,
    toolbox: Toolbox | null,
  ): Promise<StepOutcome> => {
    const calls = await releaseCalls(request, history, open)
    const plans = planCalls(calls, {
      tools: toolbox?.tools ?? [],
      off: toolbox?.off ?? new Map(),
      records: history.calls.filter(({ step }) => step === request.step),
      decisions: history.decisions.filter(({ step }) => step === request.step),
    })
    const asks = plans.flatMap((plan) => (plan.kind === 'ask' ? [plan.ask] : []))
    if (asks.length > 0) return { kind: 'wait', record: null, asks }
    const room = openRoom(plans)
    const answers = await inOrder(plans, async (plan, ordinal): Promise<Answered> => {
      if (plan.kind === 'send') return send(request, toolbox as Toolbox, { ...plan, room })
      // A stored result was judged before it was stored.
      return { result: await releaseResult(request, history, { ...(plan as { result: ToolResult }), ordinal }) }
    })
    // A connection that broke during the call leaves the same doubt as a crash: the records decide again.
    if (answers.some((answer) => 'unknown' in answer))
      return take(request, await request.context.history(), open, toolbox)
    const blocked = answers.find((answer) => 'blocked' in answer)?.blocked
    if (blocked) return blocked
    const held = answers.flatMap((answer) => ('ask' in answer ? [answer.ask] : []))
    if (held.length > 0) return { kind: 'wait', record: null, asks: held }
    const results = answers.flatMap((answer) => ('result' in answer ? [answer.result] : []))
    const messagesRead = open.messagesRead
    return {
      kind: 'continue',
      record: { kind: 'tools', content: { results }, tokens: noTokens, costUsd: 0, messagesRead },
    }
  }

  /** A result before it is stored. */
  const judge = async (
    { guard, spentUsd }: StepRequest,
    { ordinal, call }: Sending,
    result: ToolResult,
  ): Promise<Exclude<Answered, { unknown: Sending }>> => {
    if (!guard) return { result }
    const tool = { name: call.name, args: call.arguments }
    const verdict = await guard.check('tool_result', result.result, { tool, spentUsd })
    if (verdict.kind === 'block') return { blocked: blockedBy(verdict.finding) }
    if (verdict.kind === 'ask') {
      const about = { ordinal: heldOrdinals.toolResult(ordinal), held: result, toolName: call.name }
      return { ask: askAbout(verdict.finding, about) }
    }
    return { result: { ...result, result: contentOf(verdict, result.result) } }
  }

  /** The arguments that a policy held back, after a person has approved the call. */
  const releaseCalls = async ({ context }: StepRequest, history: History, open: PastStep): Promise<ToolCall[]> =>
    Promise.all(
      (open.content?.toolCalls ?? []).map(async ({ held, ...call }, ordinal) => {
        if (!held) return call
        const decision = heldDecision(history, { step: open.step, ordinal })
        if (decision?.resolution !== 'approve') return { ...call, refused: decision?.comment ?? '' }
        return { ...call, arguments: (await context.openHeld(decision.id)) as ToolCall['arguments'] }
      }),
    )

  /** A result that a policy held back, after a person has decided. */
  const releaseResult = async (
    { context, step }: StepRequest,
    history: History,
    { ordinal, result }: { ordinal: number; result: ToolResult },
  ): Promise<ToolResult> => {
    const decision = heldDecision(history, { step, ordinal: heldOrdinals.toolResult(ordinal) })
    return decision?.resolution === 'approve' ? ((await context.openHeld(decision.id)) as ToolResult) : result
  }

  const send = async (
    request: StepRequest,
    toolbox: Toolbox,
    sending: Sending & { room: ResultRoom },
  ): Promise<Answered> => {
    const { context, runId, step, signal } = request
    const { tool, ordinal, call, room } = sending
    const finish = async (told: unknown, isToldError: boolean): Promise<Answered> => {
      const { result, isError } = room.admit(told) ? { result: told, isError: isToldError } : tooMuch
      const answer = await judge(request, sending, { callId: call.id, name: call.name, result, isError })
      // A forbidden result is not recorded, and neither is one that waits for a person.
      const kept = 'result' in answer ? { result: answer.result.result, isError } : { result: withheld, isError: true }
      await context.finishCall({ ordinal, name: call.name, ...kept })
      return answer
    }
    const { connectorId, repeatable } = tool
    await context.startCall({ ordinal, name: call.name, connectorId, arguments: call.arguments, repeatable })
    const span = request.trace && tracer?.start(request.trace, executeToolSpan({ name: call.name, step }))
    const trace = traceHeaders(span?.context ?? request.trace)
    for (let tries = 1; ; tries++) {
      try {
        const key = `${runId}/${step}/${ordinal}`
        const { result, isError } = await toolbox.call(call.name, call.arguments, { key, signal, trace })
        span?.end({ attributes: { 'ars.tries': tries }, error: isError ? 'tool_error' : undefined })
        return await finish(result, isError)
      } catch (error) {
        const again = error instanceof ToolFailure && error.retryable && tries < maxCallTries
        if (signal.aborted || !again) span?.end({ attributes: { 'ars.tries': tries }, error: errorTypeOf(error) })
        signal.throwIfAborted()
        if (!(error instanceof ToolFailure)) throw error
        if (error.outcome === 'unknown' && !repeatable) return { unknown: sending }
        if (again) continue
        return finish(error.message, true)
      }
    }
  }

  return take
}

const errorTypeOf = (error: unknown): string => (error instanceof ToolFailure ? error.outcome : 'stopped')

const withheld = 'A policy has withheld the result'

const tooMuch = {
  result: `The tool was called and has answered, but the results of this step together are larger than ${limits.stepResultBytes} bytes, so this one cannot be shown`,
  isError: true,
}

type ResultRoom = {
  /** Whether the result may be stored with those before it. */
  admit(result: unknown): boolean
}

/** Of the bytes that the results of one step may have. Those that are known already count. */
const openRoom = (plans: readonly CallPlan[]): ResultRoom => {
  const known = plans.map((plan) => (plan.kind === 'known' ? bytesOf(plan.result.result) : 0))
  let used = known.reduce((sum, bytes) => sum + bytes, 0)
  return {
    admit: (result) => {
      const bytes = bytesOf(result)
      if (used + bytes > limits.stepResultBytes) return false
      used += bytes
      return true
    },
  }
}

const bytesOf = (result: unknown): number => Buffer.byteLength(JSON.stringify(result ?? null))

/** Runs all of them, a few at a time, and answers in the order of the calls. */
const inOrder = async <Item, Result>(
  items: readonly Item[],
  work: (item: Item, at: number) => Promise<Result>,
): Promise<Result[]> => {
  const results: Result[] = new Array(items.length)
  let next = 0
  const worker = async (): Promise<void> => {
    for (let at = next++; at < items.length; at = next++) results[at] = await work(items[at] as Item, at)
  }
  await Promise.all(Array.from({ length: Math.min(maxCallsUnderWay, items.length) }, worker))
  return results
}
