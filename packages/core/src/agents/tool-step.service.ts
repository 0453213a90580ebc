import type { Toolbox } from '../connectors/index.ts'
import { ToolFailure } from '../connectors/index.ts'
import type { Guardrails } from '../guardrails/index.ts'
import type { ToolResult } from '../models/index.ts'
import { failed, type History, noTokens, type PastStep, type StepOutcome } from './step.ts'
import type { StepRequest } from './step-book.service.ts'
import { type CallPlan, planCalls } from './tool-plan.ts'

/** Tool calls of one step that are under way at the same time. */
const callsUnderWayMost = 4
/** A call that certainly did not reach its server, or that does no harm twice, is tried so often. */
const callTriesMost = 3

type Sending = Extract<CallPlan, { kind: 'send' }>
type Answered = { result: ToolResult } | { unknown: Sending }

/** The calls that a model step asked for. Each is written down before it is sent, and its answer as soon as it is there. */
export const createToolStep = ({ guardrails }: { guardrails: Guardrails }) => {
  const take = async (
    request: StepRequest,
    history: History,
    open: PastStep,
    toolbox: Toolbox | null,
  ): Promise<StepOutcome> => {
    const plans = planCalls(open.content?.toolCalls ?? [], {
      tools: toolbox?.tools ?? [],
      records: history.calls.filter(({ step }) => step === request.step),
      decisions: history.decisions.filter(({ step }) => step === request.step),
    })
    const asks = plans.flatMap((plan) => (plan.kind === 'ask' ? [plan.ask] : []))
    if (asks.length > 0) return { kind: 'wait', record: null, asks }
    const answers = await inOrder(plans, (plan) =>
      plan.kind === 'send'
        ? send(request, toolbox as Toolbox, plan)
        : Promise.resolve({ result: (plan as { result: ToolResult }).result }),
    )
    // A connection that broke in mid-call leaves the same doubt as a crash: the records say what is known, so look again.
    if (answers.some((answer) => 'unknown' in answer)) return take(request, await request.book.history(), open, toolbox)
    const results = answers.map((answer) => (answer as { result: ToolResult }).result)
    for (const result of results) {
      const verdict = guardrails.check('tool_result', result)
      if (!verdict.pass) {
        return failed('guardrail_blocked', `A guardrail has stopped the run: ${verdict.reason}`, {
          details: { policy: verdict.policy, check: verdict.check, reason: verdict.reason },
        })
      }
    }
    const messagesRead = open.messagesRead
    return {
      kind: 'continue',
      record: { kind: 'tools', content: { results }, tokens: noTokens, costUsd: 0, messagesRead },
    }
  }

  return take
}

const send = async (request: StepRequest, toolbox: Toolbox, { tool, ordinal, call }: Sending): Promise<Answered> => {
  const { book, runId, step, signal } = request
  await book.startCall({
    ordinal,
    name: call.name,
    connectorId: tool.connectorId,
    arguments: call.arguments,
    repeatable: tool.repeatable,
  })
  for (let tries = 1; ; tries++) {
    try {
      const { result, isError } = await toolbox.call(call.name, call.arguments, {
        key: `${runId}/${step}/${ordinal}`,
        signal,
      })
      return finish(request, { tool, ordinal, call, kind: 'send' }, result, isError)
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof ToolFailure)) throw error
      const doubtful = error.outcome === 'unknown' && !tool.repeatable
      if (doubtful) return { unknown: { kind: 'send', tool, ordinal, call } }
      if (error.retryable && tries < callTriesMost) continue
      return finish(request, { tool, ordinal, call, kind: 'send' }, error.message, true)
    }
  }

  async function finish(at: StepRequest, sending: Sending, result: unknown, isError: boolean): Promise<Answered> {
    await at.book.finishCall({ ordinal: sending.ordinal, name: sending.call.name, result, isError })
    return { result: { callId: sending.call.id, name: sending.call.name, result, isError } }
  }
}

/** All of them, a few at a time, answers in the order of the questions. */
const inOrder = async <Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> => {
  const results: Result[] = new Array(items.length)
  let next = 0
  const worker = async (): Promise<void> => {
    for (let at = next++; at < items.length; at = next++) results[at] = await work(items[at] as Item)
  }
  await Promise.all(Array.from({ length: Math.min(callsUnderWayMost, items.length) }, worker))
  return results
}
