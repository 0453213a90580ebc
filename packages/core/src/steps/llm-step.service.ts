import { limits } from '@ars/contract'
import type { Log } from '@ars/platform/log/log'
import { traceHeaders } from '@ars/platform/trace/trace-context'
import type { Span, Tracer } from '@ars/platform/trace/tracer'
import { inDollars } from '../budgets/index.ts'
import { type ConnectorService, type Toolbox, ToolFailure, type ToolSelection } from '../connectors/index.ts'
import { type Finding, type GuardedStream, passed } from '../guardrails/index.ts'
import { ModelFailure, type ModelReply, type ModelService, type OwnKeys, type ToolCall } from '../models/index.ts'
import { openingOf } from '../prompts/index.ts'
import { chatSpan } from '../span.ts'
import { waitForBudget, waitForOwnBudget } from './budget-step.ts'
import { conversationOf, lastText, openCallsOf } from './conversation.ts'
import { askAbout, blockedBy, contentOf, heldDecision, heldOrdinals, refusedBy } from './guarded.ts'
import { decideInput } from './held-input.service.ts'
import { type InputText, readInputText, withPrompt } from './input-text.service.ts'
import { toOutput } from './output.ts'
import {
  type Failed,
  failed,
  type History,
  type PersonRequest,
  type StepOutcome,
  type StepRecord,
  tokensOf,
} from './step.ts'
import type { StepChecks } from './step-check.service.ts'
import type { StepRequest } from './step-context.service.ts'
import { createToolStep } from './tool-step.service.ts'

export type LlmDeps = {
  models: ModelService
  ownKeys?: OwnKeys | undefined
  connectors: Pick<ConnectorService, 'openToolbox'>
  checks: StepChecks
  log: Log
  tracer?: Tracer | undefined
}

const nothingYet: History = { steps: [], messages: [], calls: [], decisions: [] }

/** One iteration of the loop: a model call, or the tool calls that the last one requested. */
export const createLlmStep = (deps: LlmDeps) => {
  const takeTools = createToolStep(deps)
  const { ownKeys } = deps

  const take = async (request: StepRequest): Promise<StepOutcome> => {
    const isFirst = request.step === 1 && request.messages === 0
    const history = isFirst ? nothingYet : await request.context.history()
    const decided = (await decideInput(request)) ?? (await decideOutput(request, history))
    if (decided) return decided
    const open = openCallsOf(history)
    const refusal = open
      ? null
      : (refuseModelCall(request, history) ?? (await waitBeforeModelCall(request, isFirst, history)))
    if (refusal) return refusal
    const selections = toolSelectionsOf(request.agent.config)
    const toolbox = selections.length === 0 ? null : await openToolbox(deps, request, selections)
    if (toolbox instanceof ToolFailure) {
      return stopping(request, history, failed('tool_error', toolbox.message, { retryable: toolbox.retryable }))
    }
    try {
      if (open) return await takeTools(request, history, open, toolbox)
      const inputText = await readInputText(deps.checks, request, history)
      if ('outcome' in inputText) return inputText.outcome
      return withPrompt(await callModel(request, history, toolbox, inputText), inputText)
    } finally {
      await toolbox
        ?.close()
        .catch((error: unknown) => deps.log.warn('toolbox did not close', { run_id: request.runId, error }))
    }
  }

  /** The step before may have ended with a reply that a policy held back until a person has decided. */
  const decideOutput = async (request: StepRequest, history: History): Promise<StepOutcome | null> => {
    const last = history.steps.at(-1)
    const decision = last && heldDecision(history, { step: last.step, ordinal: heldOrdinals.output })
    if (!last || !decision || last.step !== request.step - 1) return null
    if (decision.resolution !== 'approve') return refusedBy(decision)
    const { text, toolCalls, finish } = (await request.context.openHeld(decision.id)) as HeldReply
    const reply: ModelReply = { ...emptyReply, text, toolCalls, finish }
    // The person has approved the text. The calls that came with it are judged now.
    const judged = await judgeCalls(request, reply)
    if (judged?.refusal) return judged.refusal
    request.context.delta(text)
    const kept = judged ? { ...reply, toolCalls: judged.toolCalls } : reply
    const record = recordOf(last.content?.model ?? '', last.messagesRead, kept, { text })
    if (judged && judged.asks.length > 0) return { kind: 'wait', record, asks: judged.asks }
    return outcomeOf(request, record, kept)
  }

  /** Why another model call is not allowed, checked before it costs anything. */
  const refuseModelCall = (request: StepRequest, history: History): StepOutcome | null => {
    const { agent, step, spentUsd } = request
    const most = numberOr(agent.limits.max_steps, limits.stepsDefault)
    if (step > most) {
      const tooMany = failed('max_steps_exceeded', `The run took ${most} steps without an end`)
      return stopping(request, history, tooMany)
    }
    const model = deps.models.find(String(agent.config.model))
    if (!model) return failed('agent_error', `The agent's model ${String(agent.config.model)} is not configured here`)
    const budget = agent.limits.budget_usd
    if (typeof budget !== 'number') return null
    if (spentUsd === null || model.price === null) {
      return failed('budget_exceeded', `The model ${model.model} has no price, so its budget cannot be kept`)
    }
    if (spentUsd < budget || agent.limits.budget_action === 'park') return null
    const tooDear = failed(
      'budget_exceeded',
      `The run has cost ${inDollars(spentUsd)} of the ${inDollars(budget)} that it may cost`,
      {
        details: { spent_usd: spentUsd, budget_usd: budget },
      },
    )
    return stopping(request, history, tooDear)
  }

  /** Of a run with a budget, a model without a price answers nothing: the operator has removed its price. */
  const fallbacksOf = ({ agent }: StepRequest): string[] | undefined => {
    const models = stringsOf(agent.config.fallback_models)
    if (typeof agent.limits.budget_usd !== 'number') return models
    return models?.filter((model) => deps.models.find(model)?.price)
  }

  /** Where a budget lets the run wait instead of ending it. Most runs have no budget, and nothing is read for them. */
  const waitBeforeModelCall = async (
    request: StepRequest,
    isFirst: boolean,
    history: History,
  ): Promise<StepOutcome | null> => {
    const { agent, spentUsd, context, findUsedUp } = request
    const budget = agent.limits.budget_usd
    const isOver = agent.limits.budget_action === 'park' && typeof budget === 'number' && (spentUsd ?? 0) >= budget
    const usedUp = (await findUsedUp?.()) ?? null
    if (!isOver && !usedUp) return null
    // A run that waited before its first step has decisions.
    const known = isFirst ? await context.history() : history
    const asked = usedUp && waitForBudget(known, usedUp)
    if (asked || !isOver) return asked
    const message = `The run has cost ${inDollars(spentUsd ?? 0)} of the ${inDollars(budget)} that it may cost.`
    return waitForOwnBudget(known, { spentUsd: spentUsd ?? 0, budgetUsd: budget, message })
  }

  const callModel = async (
    request: StepRequest,
    history: History,
    toolbox: Toolbox | null,
    { text: inputText, isTemplated }: InputText,
  ): Promise<StepOutcome> => {
    const { agent, context, input, step, attempt, runId } = request
    const call = new AbortController()
    const signal = AbortSignal.any([request.signal, call.signal])
    const { guard } = request
    const stream = watchOutput(request, (verdict) => call.abort(verdict))
    const messagesRead = Math.max(0, ...history.messages.map(({ number }) => number))
    let model = String(agent.config.model)
    const span = request.trace && deps.tracer?.start(request.trace, chatSpan({ model, step }))
    let reply: ModelReply
    try {
      reply = await deps.models.call({
        model,
        ownKeys: ownKeys && { org: request.org, open: (provider) => ownKeys.open(request.org, provider) },
        fallbackModels: fallbacksOf(request),
        messages: conversationOf(openingOf(agent.config.instructions, inputText), history),
        tools: toolbox?.tools ?? [],
        temperature: optionalNumber(agent.config.temperature),
        maxOutputTokens: optionalNumber(agent.config.max_output_tokens),
        outputSchema: agent.outputSchema ?? undefined,
        signal,
        onModel: (called) => {
          model = called
        },
        onText: stream.onText,
        onRestart: stream.onRestart,
        onFailedTry: context.failedTry,
        onBackOff: context.backOff,
        simulation: {
          input,
          ...(isTemplated && { text: inputText }),
          ...{ step, attempt, runId, script: agent.config.script },
        },
        headers: traceHeaders(span?.context ?? request.trace),
      })
      endChat(span, model, reply)
    } catch (error) {
      span?.end(request.signal.aborted ? stoppedEnd : failedEnd(error))
      if (request.signal.aborted) throw error
      const stopped = stream.stopped()
      if (stopped) {
        // What the call cost is not known.
        const record = recordOf(model, messagesRead, emptyReply, { text: keptText(stopped, stream) })
        return stopping(request, history, { ...stopped, record }, stream.text())
      }
      if (!(error instanceof ModelFailure)) throw error
      const { usage, costUsd, code = 'model_error', message, retryable } = error
      const record = recordOf(model, messagesRead, { ...emptyReply, usage, costUsd }, { text: stream.text() })
      return stopping(request, history, failed(code, message, { retryable, record }), stream.text())
    }
    const ended = await stream.end()
    const judged = ended.refusal ? null : await judgeCalls(request, reply)
    const refused = ended.refusal ?? judged?.refusal
    if (refused) {
      // Forbidden text is not stored: of the reply only its cost and the released text remain.
      const { usage, costUsd } = reply
      const record = recordOf(
        model,
        messagesRead,
        { ...emptyReply, usage, costUsd },
        { text: keptText(refused, stream) },
      )
      return stopping(request, history, { ...refused, record }, stream.text())
    }
    // Without a guard the reply is stored as it is. The provider's own form of it would show what was hidden.
    const kept: ModelReply = guard
      ? {
          ...reply,
          text: stream.text(),
          toolCalls: judged?.toolCalls ?? [],
          parts: isSame(reply, stream, judged) ? reply.parts : undefined,
        }
      : reply
    if (ended.ask) {
      const { usage, costUsd, finish, toolCalls } = reply
      const held: HeldReply = { text: ended.held, toolCalls, finish }
      const record = recordOf(model, messagesRead, { ...emptyReply, usage, costUsd }, {})
      return { kind: 'wait', record, asks: [askAbout(ended.ask, { ordinal: heldOrdinals.output, held })] }
    }
    const record = recordOf(model, messagesRead, kept, { text: kept.text })
    if (judged && judged.asks.length > 0) return { kind: 'wait', record, asks: judged.asks }
    return outcomeOf(request, record, kept)
  }

  const outcomeOf = async (request: StepRequest, record: StepRecord, reply: ModelReply): Promise<StepOutcome> => {
    if (reply.asks) {
      const unusable = await findUnusableSchema(request, reply.asks)
      if (unusable) return failed('agent_error', unusable, { record })
      const asks = reply.asks.map((ask, ordinal) => ({
        type: ask.type,
        ordinal,
        message: ask.message,
        toolCall: ask.toolCall ?? null,
        responseSchema: ask.responseSchema ?? null,
        expiresInSeconds: Math.min(
          ask.expiresInSeconds ?? limits.actionTimeoutMaxSeconds,
          limits.actionTimeoutMaxSeconds,
        ),
      }))
      const content = { ...record.content, askIds: reply.asks.map(({ id }) => id) }
      return { kind: 'wait', record: { ...record, content }, asks }
    }
    if (reply.again || reply.toolCalls.length > 0) return { kind: 'continue', record }
    if (reply.finish === 'content_filter') {
      return failed('model_error', 'The model provider withheld the answer by its content filter', { record })
    }
    if (reply.output) return completedWith(request, record, reply.output)
    const made = await outputOf(request, reply.text)
    if ('output' in made) return { kind: 'completed', record, output: made.output }
    const cut = reply.finish === 'length'
    const message = cut ? 'The answer was cut at max_output_tokens' : 'The answer does not fit the output schema'
    return failed('output_invalid', `${message}: ${made.problems[0]}`, {
      record,
      details: { problems: made.problems },
      output: { result: reply.text },
    })
  }

  /** An output that was not streamed. */
  const completedWith = async (
    { guard, spentUsd }: StepRequest,
    record: StepRecord,
    output: Record<string, unknown>,
  ): Promise<StepOutcome> => {
    const verdict = (await guard?.check('output', output, { spentUsd })) ?? passed
    if (verdict.kind === 'block' || verdict.kind === 'ask') return { ...blockedBy(verdict.finding), record }
    return { kind: 'completed', record, output: contentOf(verdict, output) }
  }

  /** The gateway evaluates a `response_schema` for every answer, so one that cannot be used never gets that far. */
  const findUnusableSchema = async (
    request: StepRequest,
    asks: NonNullable<ModelReply['asks']>,
  ): Promise<string | null> => {
    for (const schema of new Set(asks.map(({ responseSchema }) => responseSchema))) {
      if (!schema) continue
      const [problem] = await deps.checks.schema(request, schema)
      if (problem !== undefined) return `The response_schema of a question cannot be used: ${problem}`
    }
    return null
  }

  const outputOf = async (request: StepRequest, text: string): Promise<ReturnType<typeof toOutput>> => {
    const { outputSchema } = request.agent
    const made = toOutput(text, outputSchema)
    if (!outputSchema || !('output' in made)) return made
    const problems = await deps.checks.output(request, outputSchema, made.output)
    return problems.length > 0 ? { problems } : made
  }

  return take
}

const endChat = (span: Span | undefined, model: string, { usage, finish }: ModelReply): void =>
  span?.end({
    attributes: {
      'gen_ai.response.model': model.slice(model.indexOf('/') + 1),
      'gen_ai.usage.input_tokens': usage.inputTokens,
      'gen_ai.usage.output_tokens': usage.outputTokens,
      'gen_ai.response.finish_reasons': [finish],
    },
  })

const stoppedEnd = { error: 'stopped' } as const

const failedEnd = (error: unknown) => {
  if (!(error instanceof ModelFailure)) return { error: 'stopped' }
  const { usage, code = 'model_error' } = error
  const attributes = {
    'gen_ai.usage.input_tokens': usage.inputTokens,
    'gen_ai.usage.output_tokens': usage.outputTokens,
  }
  return { attributes, error: code }
}

const emptyReply: ModelReply = {
  text: '',
  toolCalls: [],
  usage: { inputTokens: 0, outputTokens: 0 },
  costUsd: 0,
  finish: 'other',
}

/** A reply that waits for the decision of a person. */
type HeldReply = Pick<ModelReply, 'text' | 'toolCalls' | 'finish'>

/** Counts, guards and forwards the model's output. `stop` aborts the call when it must not continue. */
const watchOutput = ({ guard, context, spentUsd }: StepRequest, stop: (why: Error) => void) => {
  let text = ''
  let received = ''
  let bytes = 0
  let refusal: Failed | null = null
  const refuse = (outcome: Failed): void => {
    refusal ??= outcome
    stop(new Error(outcome.message))
  }
  const emit = (passed: string): void => {
    text += passed
    context.delta(passed)
  }
  const guarded: GuardedStream | undefined = guard?.openStream(
    { emit, onBlocked: (verdict) => verdict.kind === 'block' && refuse(blockedBy(verdict.finding)) },
    { spentUsd },
  )
  return {
    onText: (chunk: string): void => {
      if (refusal) return
      bytes += Buffer.byteLength(chunk)
      received += chunk
      if (bytes > limits.outputBytes) {
        refuse(failed('output_too_large', `The output is larger than ${limits.outputBytes} bytes`))
      } else if (guarded) guarded.write(chunk)
      else emit(chunk)
    },
    onRestart: (): void => {
      text = ''
      received = ''
      bytes = 0
      guarded?.restart()
      void context.reset()
    },
    end: async (): Promise<{ refusal: Failed | null; ask?: Finding; held: string }> => {
      const verdict = refusal ? undefined : await guarded?.end()
      if (verdict?.kind === 'ask') return { refusal, ask: verdict.finding, held: received }
      return { refusal, held: '' }
    },
    stopped: () => refusal,
    /** The released part of the text. */
    text: () => text,
    received: () => received,
  }
}

/** Text that is too large for the output is not stored with the step either. */
const keptText = ({ code }: Failed, stream: { text(): string }): string =>
  code === 'output_too_large' ? '' : stream.text()

type JudgedCalls = { refusal: Failed | null; toolCalls: ModelReply['toolCalls']; asks: PersonRequest[] }

/** The tool calls of a reply, before anything of them is stored. One that waits for a person is stored without its arguments. */
const judgeCalls = async ({ guard, spentUsd }: StepRequest, reply: ModelReply): Promise<JudgedCalls | null> => {
  if (!guard) return null
  const judged: JudgedCalls = { refusal: null, toolCalls: [], asks: [] }
  const toolCalls: (ToolCall & { held?: true })[] = []
  for (const [ordinal, call] of reply.toolCalls.entries()) {
    const tool = { name: call.name, args: call.arguments }
    const verdict = await guard.check('tool_call', { name: call.name, arguments: call.arguments }, { tool, spentUsd })
    if (verdict.kind === 'block') return { ...judged, refusal: blockedBy(verdict.finding) }
    if (verdict.kind === 'ask') {
      judged.asks.push(askAbout(verdict.finding, { ordinal, held: call.arguments, toolName: call.name }))
      toolCalls.push({ ...call, arguments: {}, held: true })
    } else toolCalls.push({ ...call, ...contentOf(verdict, { name: call.name, arguments: call.arguments }) })
  }
  for (const ask of reply.asks ?? []) {
    const verdict = await guard.check('output', { message: ask.message, tool_call: ask.toolCall })
    if (verdict.kind === 'block') return { ...judged, refusal: blockedBy(verdict.finding) }
    if (verdict.kind === 'redact') Object.assign(ask, { message: (verdict.content as { message: string }).message })
  }
  return { ...judged, toolCalls }
}

const isSame = (reply: ModelReply, stream: { text(): string }, judged: JudgedCalls | null): boolean =>
  reply.text === stream.text() && JSON.stringify(judged?.toolCalls ?? []) === JSON.stringify(reply.toolCalls)

const recordOf = (model: string, messagesRead: number, reply: ModelReply, { text }: { text?: string }): StepRecord => ({
  kind: 'model',
  content: {
    model,
    ...(text === undefined || text === '' ? {} : { text }),
    ...(reply.toolCalls.length === 0 ? {} : { toolCalls: reply.toolCalls }),
    ...(reply.parts === undefined ? {} : { parts: reply.parts }),
  },
  tokens: tokensOf(reply.usage),
  costUsd: reply.costUsd,
  messagesRead,
})

/**
 * The output of a run that must stop: the text of this step, or else the last text before it. That text was withdrawn
 * when the run continued, so it is streamed again: the streamed text and the output are equal.
 */
const stopping = ({ context }: StepRequest, history: History, failure: Failed, said = ''): Failed => {
  if (failure.code === 'output_too_large') return failure
  if (said !== '') return { ...failure, output: { result: said } }
  const text = lastText(history)
  if (text === null) return failure
  context.delta(text)
  return { ...failure, output: { result: text } }
}

const openToolbox = async (
  { connectors, log }: LlmDeps,
  { org, runId, signal }: StepRequest,
  selections: readonly ToolSelection[],
): Promise<Toolbox | ToolFailure> => {
  try {
    const toolbox = await connectors.openToolbox(org, selections, signal)
    for (const [tool, reason] of toolbox.off) log.info('tool is off', { run_id: runId, org_id: org, tool, reason })
    return toolbox
  } catch (error) {
    if (error instanceof ToolFailure && !signal.aborted) return error
    throw error
  }
}

/** `config.tools` of an agent: `[{connector_id, allow, require_approval}]`. */
const toolSelectionsOf = (config: Readonly<Record<string, unknown>>): ToolSelection[] =>
  Array.isArray(config.tools)
    ? config.tools.map((tool: Record<string, unknown>) => ({
        connectorId: String(tool.connector_id),
        allow: stringsOf(tool.allow),
        requireApproval: stringsOf(tool.require_approval),
      }))
    : []

/** A list that was left out does not mean the same as an empty one. */
const stringsOf = (value: unknown): string[] | undefined => (Array.isArray(value) ? value.map(String) : undefined)

const numberOr = (value: unknown, fallback: number): number => (typeof value === 'number' ? value : fallback)

const optionalNumber = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)
