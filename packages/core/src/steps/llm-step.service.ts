import { limits } from '@ars/contract'
import type { Log } from '@ars/platform/log/log'
import { traceHeaders } from '@ars/platform/trace/trace-context'
import type { Span, Tracer } from '@ars/platform/trace/tracer'
import { type ConnectorService, type Toolbox, ToolFailure, type ToolSelection } from '../connectors/index.ts'
import type { GuardedStream, Guardrails } from '../guardrails/index.ts'
import { ModelFailure, type ModelReply, type ModelService } from '../models/index.ts'
import { chatSpan } from '../span.ts'
import { conversationOf, lastText, openCallsOf } from './conversation.ts'
import { toOutput } from './output.ts'
import { type Failed, failed, type History, type StepOutcome, type StepRecord } from './step.ts'
import type { StepChecks } from './step-check.service.ts'
import type { StepRequest } from './step-context.service.ts'
import { createToolStep } from './tool-step.service.ts'

export type LlmDeps = {
  models: ModelService
  connectors: Pick<ConnectorService, 'openToolbox'>
  guardrails: Guardrails
  checks: StepChecks
  log: Log
  tracer?: Tracer | undefined
}

const nothingYet: History = { steps: [], messages: [], calls: [], decisions: [] }

/** One iteration of the loop: a model call, or the tool calls that the last one requested. */
export const createLlmStep = (deps: LlmDeps) => {
  const takeTools = createToolStep(deps)

  const take = async (request: StepRequest): Promise<StepOutcome> => {
    const isFirst = request.step === 1 && request.messages === 0
    const history = isFirst ? nothingYet : await request.context.history()
    const open = openCallsOf(history)
    const refusal = open ? null : refuseModelCall(request, history)
    if (refusal) return refusal
    const selections = toolSelectionsOf(request.agent.config)
    const toolbox = selections.length === 0 ? null : await openToolbox(deps, request, selections)
    if (toolbox instanceof ToolFailure) {
      return stopping(request, history, failed('tool_error', toolbox.message, { retryable: toolbox.retryable }))
    }
    try {
      return open ? await takeTools(request, history, open, toolbox) : await callModel(request, history, toolbox)
    } finally {
      await toolbox
        ?.close()
        .catch((error: unknown) => deps.log.warn('toolbox did not close', { run_id: request.runId, error }))
    }
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
    if (spentUsd < budget) return null
    const tooDear = failed(
      'budget_exceeded',
      `The run has cost ${inDollars(spentUsd)} of the ${inDollars(budget)} that it may cost`,
      {
        details: { spent_usd: spentUsd, budget_usd: budget },
      },
    )
    return stopping(request, history, tooDear)
  }

  const callModel = async (request: StepRequest, history: History, toolbox: Toolbox | null): Promise<StepOutcome> => {
    const { agent, context, input, step, attempt, runId } = request
    const call = new AbortController()
    const signal = AbortSignal.any([request.signal, call.signal])
    const stream = watchOutput(deps.guardrails, context, (verdict) => call.abort(verdict))
    const messagesRead = Math.max(0, ...history.messages.map(({ number }) => number))
    const model = String(agent.config.model)
    const span = request.trace && deps.tracer?.start(request.trace, chatSpan({ model, step }))
    let reply: ModelReply
    try {
      reply = await deps.models.call({
        model,
        messages: conversationOf(agent.config.instructions, input, history),
        tools: toolbox?.tools ?? [],
        temperature: optionalNumber(agent.config.temperature),
        maxOutputTokens: optionalNumber(agent.config.max_output_tokens),
        outputSchema: agent.outputSchema ?? undefined,
        signal,
        onText: stream.onText,
        onRestart: stream.onRestart,
        onFailedTry: context.failedTry,
        onBackOff: context.backOff,
        simulation: { input, step, attempt, runId, script: agent.config.script },
        headers: traceHeaders(span?.context ?? request.trace),
      })
      endChat(span, reply)
    } catch (error) {
      span?.end(request.signal.aborted ? stoppedEnd : failedEnd(error))
      if (request.signal.aborted) throw error
      const stopped = stream.stopped()
      if (stopped) {
        // What the call cost is not known.
        const record = recordOf(request, messagesRead, emptyReply, { text: keptText(stopped, stream) })
        return stopping(request, history, { ...stopped, record }, stream.text())
      }
      if (!(error instanceof ModelFailure)) throw error
      const { usage, costUsd, code = 'model_error', message, retryable } = error
      const record = recordOf(request, messagesRead, { ...emptyReply, usage, costUsd }, { text: stream.text() })
      return stopping(request, history, failed(code, message, { retryable, record }), stream.text())
    }
    const refused = stream.end() ?? refuseToolCalls(deps.guardrails, reply)
    if (refused) {
      // Forbidden text is not stored: of the reply only its cost and the released text remain.
      const { usage, costUsd } = reply
      const record = recordOf(
        request,
        messagesRead,
        { ...emptyReply, usage, costUsd },
        { text: keptText(refused, stream) },
      )
      return stopping(request, history, { ...refused, record }, stream.text())
    }
    return outcomeOf(request, messagesRead, reply)
  }

  const outcomeOf = async (request: StepRequest, messagesRead: number, reply: ModelReply): Promise<StepOutcome> => {
    const record = recordOf(request, messagesRead, reply, { text: reply.text })
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
    const made = reply.output ? { output: reply.output } : await outputOf(request, reply.text)
    if ('output' in made) return { kind: 'completed', record, output: made.output }
    const cut = reply.finish === 'length'
    const message = cut ? 'The answer was cut at max_output_tokens' : 'The answer does not fit the output schema'
    return failed('output_invalid', `${message}: ${made.problems[0]}`, {
      record,
      details: { problems: made.problems },
      output: { result: reply.text },
    })
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

const endChat = (span: Span | undefined, { usage, finish }: ModelReply): void =>
  span?.end({
    attributes: {
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

/** Counts, guards and forwards the model's output. `stop` aborts the call when it must not continue. */
const watchOutput = (guardrails: Guardrails, context: StepRequest['context'], stop: (why: Error) => void) => {
  let text = ''
  let bytes = 0
  let refusal: Failed | null = null
  const refuse = (outcome: Failed): void => {
    refusal ??= outcome
    stop(new Error(outcome.message))
  }
  const guarded: GuardedStream = guardrails.openStream((passed) => {
    text += passed
    context.delta(passed)
  })
  const judge = (verdict: ReturnType<GuardedStream['end']>): void => {
    if (!verdict.pass) refuse(blocked(verdict))
  }
  return {
    onText: (chunk: string): void => {
      if (refusal) return
      bytes += Buffer.byteLength(chunk)
      if (bytes > limits.outputBytes) {
        refuse(failed('output_too_large', `The output is larger than ${limits.outputBytes} bytes`))
      } else judge(guarded.write(chunk))
    },
    onRestart: (): void => {
      text = ''
      bytes = 0
      guarded.restart()
      void context.reset()
    },
    end: () => {
      if (!refusal) judge(guarded.end())
      return refusal
    },
    stopped: () => refusal,
    text: () => text,
  }
}

/** Text that is too large for the output is not stored with the step either. */
const keptText = ({ code }: Failed, stream: { text(): string }): string =>
  code === 'output_too_large' ? '' : stream.text()

const refuseToolCalls = (guardrails: Guardrails, reply: ModelReply): Failed | null => {
  for (const call of reply.toolCalls) {
    const verdict = guardrails.check('tool_call', call)
    if (!verdict.pass) return blocked(verdict)
  }
  return null
}

const blocked = (verdict: { policy: string; check: string; reason: string }) =>
  failed('guardrail_blocked', `A guardrail has stopped the run: ${verdict.reason}`, {
    details: { policy: verdict.policy, check: verdict.check, reason: verdict.reason },
  })

const recordOf = (
  { agent }: StepRequest,
  messagesRead: number,
  reply: ModelReply,
  { text }: { text?: string },
): StepRecord => ({
  kind: 'model',
  content: {
    model: String(agent.config.model),
    ...(text === undefined || text === '' ? {} : { text }),
    ...(reply.toolCalls.length === 0 ? {} : { toolCalls: reply.toolCalls }),
    ...(reply.parts === undefined ? {} : { parts: reply.parts }),
  },
  tokens: { input: reply.usage.inputTokens, output: reply.usage.outputTokens },
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

/** Without an exponent, so that small amounts stay readable. */
const inDollars = (usd: number): string =>
  `$${usd.toLocaleString('en-US', { maximumFractionDigits: 12, useGrouping: false })}`
