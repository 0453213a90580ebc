import { type RunErrorCode, runErrorCodes } from '@ars/contract'
import { validate } from '@ars/platform/validation'
import { z } from 'zod'
import { modelsBounds } from './bounds.ts'
import { plausible, type Usage } from './cost.ts'
import type { Finish, ScriptedRequest, ToolCall } from './model.ts'
import { createFill, type ScriptFacts } from './script-fill.ts'

/** One turn of a simulated model. */
export type Turn = {
  /** The text in the chunks in which it is streamed. */
  chunks: readonly string[]
  toolCalls: readonly ToolCall[]
  delayMs: number
  delayPerChunkMs: number
  fail?: TurnFailure | undefined
  usage?: Usage | undefined
  finish?: Finish | undefined
  output?: Record<string, unknown> | undefined
  again?: true | undefined
  asks?: readonly ScriptedRequest[] | undefined
  /** Leaves a mark outside the database, for tests that count how often a step ran. */
  recorded?: true | undefined
  /** Kills its own process, for tests. Only a test stack obeys. */
  deadly?: boolean | undefined
}

export type TurnFailure = {
  message: string
  /** Like a provider's 503: retried after a back-off. */
  retryable: boolean
  /** How many attempts fail before one succeeds. */
  times: number
  code?: RunErrorCode | undefined
  afterChunks: number
  retryAfterMs?: number | undefined
}

export const scriptLimits = {
  turns: modelsBounds.scriptTurns.count,
  delayMs: modelsBounds.scriptDelay.ms,
  delayPerChunkMs: modelsBounds.scriptChunkDelay.ms,
  chunks: modelsBounds.scriptChunks.count,
  textChars: modelsBounds.scriptText.chars,
  toolCalls: modelsBounds.scriptToolCalls.count,
  asks: modelsBounds.scriptQuestions.count,
  failTimes: modelsBounds.scriptFailures.count,
  retryAfterMs: modelsBounds.scriptRetryAfter.ms,
  expiresInSeconds: modelsBounds.scriptQuestionTime.seconds,
} as const

const count = (most: number) => z.number().int().min(0).max(most)
const object = z.record(z.string(), z.unknown())

/** Scripts are data: `simulated/script` reads them from an agent's `config.script` or a run's `input.script`. */
const ScriptTurn = z
  .strictObject({
    text: z.string().max(scriptLimits.textChars),
    json: z.unknown(),
    chunks: z.array(z.string().max(scriptLimits.textChars)).max(scriptLimits.chunks),
    chunk_chars: count(scriptLimits.textChars).min(1),
    tool_calls: z
      .array(
        z.strictObject({ name: z.string().min(1), arguments: object.default({}), id: z.string().min(1).optional() }),
      )
      .max(scriptLimits.toolCalls),
    delay_ms: count(scriptLimits.delayMs),
    delay_per_chunk_ms: count(scriptLimits.delayPerChunkMs),
    fail: z.strictObject({
      message: z.string().min(1).default('The script says so'),
      retryable: z.boolean().default(false),
      times: count(scriptLimits.failTimes).optional(),
      code: z.enum(runErrorCodes).optional(),
      after_chunks: count(scriptLimits.chunks).default(0),
      retry_after_ms: count(scriptLimits.retryAfterMs).optional(),
    }),
    usage: z.strictObject({
      input_tokens: count(1e9),
      output_tokens: count(1e9),
      cached_input_tokens: count(1e9).optional(),
      cache_write_tokens: count(1e9).optional(),
      reasoning_tokens: count(1e9).optional(),
    }),
    finish: z.enum(['stop', 'tool_calls', 'length', 'content_filter', 'other']),
    output: object,
    again: z.boolean(),
    asks: z
      .array(
        z.strictObject({
          type: z.enum(['approval', 'input']),
          message: z.string().min(1),
          response_schema: object.optional(),
          tool_call: z.strictObject({ name: z.string().min(1), arguments: object.default({}) }).optional(),
          expires_in_seconds: count(scriptLimits.expiresInSeconds).min(1).optional(),
        }),
      )
      .max(scriptLimits.asks),
  })
  .partial()
  .refine((turn) => turn.text === undefined || turn.chunks === undefined, 'has either text or chunks')
  .refine(
    (turn) => turn.json === undefined || (turn.text === undefined && turn.chunks === undefined),
    'has json, or text or chunks, not both',
  )

const Script = z.array(ScriptTurn).min(1).max(scriptLimits.turns)

/** The faults of a script with their locations. Empty: it is valid. */
export const problemsOfScript = (script: unknown): { path: PropertyKey[]; message: string }[] =>
  problemsIn(validate(Script, script))

const problemsIn = (result: ReturnType<typeof validate>): { path: PropertyKey[]; message: string }[] =>
  'data' in result ? [] : result.faults.map(({ path, message }) => ({ path: [...path], message }))

/** The turn with this number, from 0. Its texts are visible to customers. */
export const turnOfScript = (script: unknown, number: number, facts: ScriptFacts): Turn | { problem: string } => {
  const parsed = validate(Script, script)
  if (!('data' in parsed)) {
    const [fault] = problemsIn(parsed)
    return { problem: `The script is invalid: ${['script', ...(fault?.path ?? [])].join('.')} ${fault?.message}` }
  }
  const turn = parsed.data[number]
  if (!turn) return { problem: `The script has ${parsed.data.length} turns and was asked for one more` }
  const fill = createFill(facts, scriptLimits.textChars)
  const filled = fillTurn(turn, number, fill)
  if (!fill.isTooLong()) return filled
  return {
    problem: `Turn ${number + 1} of the script takes more than ${scriptLimits.textChars} characters of the input`,
  }
}

const fillTurn = (turn: z.output<typeof ScriptTurn>, number: number, fill: ReturnType<typeof createFill>): Turn => {
  const text = turn.json === undefined ? fill.text(turn.text ?? '') : JSON.stringify(fill.value(turn.json))
  return {
    chunks: turn.chunks ?? chunksOf(text, turn.chunk_chars ?? scriptLimits.textChars),
    toolCalls: (turn.tool_calls ?? []).map((call, index) => ({
      id: call.id ?? `call_${number + 1}_${index + 1}`,
      name: call.name,
      arguments: fillObject(fill, call.arguments),
    })),
    delayMs: turn.delay_ms ?? 0,
    delayPerChunkMs: turn.delay_per_chunk_ms ?? 0,
    fail: turn.fail && {
      message: turn.fail.message,
      retryable: turn.fail.retryable,
      times: turn.fail.times ?? Number.POSITIVE_INFINITY,
      code: turn.fail.code,
      afterChunks: turn.fail.after_chunks,
      retryAfterMs: turn.fail.retry_after_ms,
    },
    usage: turn.usage && usageOf(turn.usage),
    finish: turn.finish,
    output: turn.output && fillObject(fill, turn.output),
    again: turn.again || undefined,
    asks: turn.asks?.map((ask, index) => ({
      id: `ask_${number + 1}_${index + 1}`,
      type: ask.type,
      message: fill.text(ask.message),
      ...(ask.response_schema && { responseSchema: ask.response_schema }),
      ...(ask.tool_call && {
        toolCall: { name: ask.tool_call.name, arguments: fillObject(fill, ask.tool_call.arguments) },
      }),
      ...(ask.expires_in_seconds && { expiresInSeconds: ask.expires_in_seconds }),
    })),
  }
}

const usageOf = (given: NonNullable<z.output<typeof ScriptTurn>['usage']>): Usage =>
  plausible({
    inputTokens: given.input_tokens,
    outputTokens: given.output_tokens,
    cachedTokens: given.cached_input_tokens,
    cacheWriteTokens: given.cache_write_tokens,
    reasoningTokens: given.reasoning_tokens,
  })

const fillObject = (fill: ReturnType<typeof createFill>, given: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(given).map(([key, value]) => [key, fill.value(value)]))

/** Cuts between characters, never inside one. */
export const chunksOf = (text: string, chars: number): string[] => {
  if (text === '') return []
  if (text.length <= chars) return [text]
  const points = [...text]
  const chunks: string[] = []
  for (let at = 0; at < points.length; at += chars) chunks.push(points.slice(at, at + chars).join(''))
  return chunks
}
