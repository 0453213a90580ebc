import { runErrorCodes } from '@ars/contract'
import { modelsBounds } from './bounds.ts'
import type { Message, Simulation, ToolResult } from './model.ts'
import { chunksOf, scriptLimits, type Turn, turnOfScript } from './script.ts'

/**
 * The `test-*` agents and scripts: models without network and cost, controlled by the run's input. Pure: a turn is
 * decided here and played elsewhere. Invalid fields are ignored.
 */
export const simulatedModels = [
  'simulated/echo',
  'simulated/steps',
  'simulated/slow',
  'simulated/fail',
  'simulated/flaky',
  'simulated/approval',
  'simulated/stream',
  'simulated/script',
] as const
export type SimulatedModel = (typeof simulatedModels)[number]

export const isSimulated = (model: string): model is SimulatedModel => simulatedModels.includes(model as SimulatedModel)

/** With `problem` the script is at fault; the text is for its author. */
export const nextTurn = (
  model: SimulatedModel,
  simulation: Simulation,
  messages: readonly Message[],
): Turn | { problem: string } => simulations[model](simulation, messages)

type Input = Readonly<Record<string, unknown>>

const simulations: Record<
  SimulatedModel,
  (simulation: Simulation, messages: readonly Message[]) => Turn | { problem: string }
> = {
  'simulated/echo': ({ input, text }) =>
    saying(text ?? (typeof input.query === 'string' ? input.query : JSON.stringify(input))),

  'simulated/steps': ({ input, step }) => {
    const steps = wholeNumber(input.steps, { fallback: 3, most: modelsBounds.simulatedSteps.count })
    const isLast = step >= steps
    return {
      ...saying(isLast ? `${steps} steps done` : ''),
      delayMs: wholeNumber(input.delay_ms, { fallback: 0, most: modelsBounds.simulatedStepDelay.ms }),
      recorded: true,
      deadly: input.kill_worker_at_step === step,
      ...(isLast ? { output: { result: `${steps} steps done`, steps } } : { again: true }),
    }
  },

  'simulated/slow': ({ input }) => {
    const seconds = wholeNumber(input.seconds, { fallback: 5, most: modelsBounds.simulatedWait.seconds })
    const result = `waited ${seconds} s`
    return { ...saying(result), delayMs: seconds * 1000, output: { result, seconds } }
  },

  'simulated/fail': ({ input }) => {
    const afterChunks = wholeNumber(input.after_chunks, { fallback: 0, most: modelsBounds.chunksBeforeFailure.count })
    return {
      ...saying(''),
      chunks: Array.from({ length: afterChunks }, (_, index) => `chunk ${index + 1} `),
      fail: {
        message: textOr(input.message, 'The test agent failed, as it was told to'),
        retryable: false,
        times: Number.POSITIVE_INFINITY,
        code: runErrorCodes.find((code) => code === input.code) ?? 'agent_error',
        afterChunks,
      },
    }
  },

  'simulated/flaky': ({ input }) => {
    const failTimes = wholeNumber(input.fail_times, { fallback: 2, most: scriptLimits.failTimes })
    const result = `succeeded after ${failTimes} failed tries`
    const retryAfterMs = wholeNumber(input.retry_after_ms, { fallback: undefined, most: scriptLimits.retryAfterMs })
    return {
      ...saying(''),
      chunks: chunksOf(result, 10),
      output: { result, fail_times: failTimes },
      fail: {
        message: 'The simulated provider answered 503: it cannot answer just now',
        retryable: true,
        times: failTimes,
        afterChunks: wholeNumber(input.after_chunks, {
          fallback: 0,
          most: modelsBounds.chunksBeforePassingFailure.count,
        }),
        retryAfterMs,
      },
    }
  },

  'simulated/approval': ({ input }, messages) => {
    const decisions = decisionsIn(messages)
    return decisions.length > 0 ? decided(decisions) : asking(input)
  },

  'simulated/stream': ({ input }) => {
    const chunks = wholeNumber(input.chunks, { fallback: 10, most: scriptLimits.chunks })
    const given = typeof input.text === 'string' ? input.text.slice(0, scriptLimits.textChars) : undefined
    const chars = wholeNumber(input.chunk_chars, {
      fallback: given !== undefined && typeof input.chunks === 'number' ? Math.ceil(given.length / (chunks || 1)) : 8,
      most: modelsBounds.simulatedChunk.chars,
    })
    const size = Math.max(1, chars)
    const whole = given ?? filler(Math.min(chunks * size, scriptLimits.textChars))
    return {
      ...saying(''),
      chunks: chunksOf(whole, size).slice(0, scriptLimits.chunks),
      delayPerChunkMs: wholeNumber(input.delay_ms, { fallback: 50, most: scriptLimits.delayPerChunkMs }),
    }
  },

  'simulated/script': ({ input, script }, messages) =>
    turnOfScript(script ?? input.script, messages.filter(({ role }) => role === 'assistant').length, {
      input,
      decisions: decisionsIn(messages).map(inWords),
    }),
}

const saying = (text: string): Turn => ({
  chunks: text === '' ? [] : [text],
  toolCalls: [],
  delayMs: 0,
  delayPerChunkMs: 0,
})

const asking = (input: Input): Turn => {
  const type = input.type === 'input' ? 'input' : 'approval'
  const count = Math.max(1, wholeNumber(input.count, { fallback: 1, most: scriptLimits.asks }))
  const expiresInSeconds = wholeNumber(input.expires_in_seconds, {
    fallback: undefined,
    most: scriptLimits.expiresInSeconds,
  })
  const message = textOr(input.message, type === 'input' ? 'What should the answer be?' : 'May this go on?')
  return {
    ...saying(''),
    asks: Array.from({ length: count }, (_, index) => ({
      id: `ask_${index + 1}`,
      type,
      message: count === 1 ? message : `${message} (${index + 1} of ${count})`,
      ...(isObject(input.response_schema) && { responseSchema: input.response_schema }),
      ...(isObject(input.tool_call) && {
        toolCall: {
          name: textOr(input.tool_call.name, 'test_tool'),
          arguments: isObject(input.tool_call.arguments) ? input.tool_call.arguments : {},
        },
      }),
      ...(expiresInSeconds && { expiresInSeconds }),
    })),
  }
}

/** The decisions of people on the last request of this run. */
const decisionsIn = (messages: readonly Message[]): readonly ToolResult[] => {
  const last = messages.findLast((message) => message.role === 'tool')
  return last?.results.filter(({ callId }) => callId.startsWith('ask_')) ?? []
}

const words: Record<string, string> = { approve: 'approved', reject: 'rejected', respond: 'answered' }

const inWords = ({ result }: ToolResult): { decision: string; comment: unknown; payload: unknown } => {
  const { type, comment = null, payload = null } = isObject(result) ? result : {}
  return { decision: words[String(type)] ?? 'decided', comment, payload }
}

const decided = (decisions: readonly ToolResult[]): Turn => {
  const all = decisions.map(inWords)
  const result = all.map(({ decision }) => decision).join(', ')
  const [first] = all
  return { ...saying(result), output: all.length === 1 ? { result, ...first } : { result, decisions: all } }
}

const filler = (chars: number): string => {
  const words = 'the quick brown fox jumps over the lazy dog and '
  return words.repeat(Math.ceil(chars / words.length)).slice(0, chars)
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const textOr = (value: unknown, fallback: string): string =>
  typeof value === 'string' && value !== '' ? value.slice(0, 2000) : fallback

const wholeNumber = <Fallback extends number | undefined>(
  value: unknown,
  { fallback, most }: { fallback: Fallback; most: number },
): number | Fallback =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 ? Math.min(value, most) : fallback
