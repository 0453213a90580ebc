import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogle } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { limits } from '@ars/contract'
import type { Clock } from '@ars/platform/clock'
import { EgressFailed, egressErrorOf } from '@ars/platform/egress/failure'
import { type FinishReason, jsonSchema, type LanguageModel, type LanguageModelUsage, Output, streamText } from 'ai'
import { modelsBounds } from './bounds.ts'
import { plausible, tokenCount, type Usage } from './cost.ts'
import type { Called } from './failure.ts'
import { ProviderError } from './failure.ts'
import type { Finish, Message, ModelRequest, ToolCall } from './model.ts'
import type { ProviderEntry } from './models-file.ts'
import { addressOf } from './outside-file.ts'
import { toPrompt, toTools } from './prompt.ts'
import { openProviderAddress, type ProviderAddress } from './provider-address.service.ts'
import { providerErrorOf } from './provider-error.service.ts'

export type Provider = {
  /** One attempt, without any retry. Throws ProviderError, or the reason of the aborted signal. */
  ask(request: ModelRequest, messages: readonly Message[], called: CalledModel): Promise<ProviderAnswer>
  close(): void
}

/** The name of the model that the provider uses. `ownKey`: instead of the key of the operator. */
export type CalledModel = { providerModel: string; ownKey: string | null }

export type ProviderAnswer = {
  text: string
  toolCalls: readonly ToolCall[]
  /** Calls of unknown tools, or with arguments that are not a JSON object. */
  brokenCalls: readonly { id: string; name: string; problem: string }[]
  parts?: unknown
  usage: Usage
  finish: Finish
}

export const createProvider = (entry: ProviderEntry, key: string | undefined, clock: Clock): Provider => {
  const address = openProviderAddress(entry.baseUrl, clock)
  const modelOfOperator = languageModels(entry, key, address.fetch)
  return {
    ask: async (request, messages, { providerModel, ownKey }) => {
      const modelOf = ownKey === null ? modelOfOperator : languageModels(entry, ownKey, address.fetch)
      const secrets = [key, ownKey].filter((secret) => typeof secret === 'string')
      const called: Called = { provider: entry.name, model: request.model, secrets }
      let hasText = false
      const onText = (text: string): void => {
        hasText = true
        request.onText(text)
      }
      const ask = () => stream(modelOf(providerModel), { ...request, onText }, messages, called)
      try {
        return await ask().catch((error: unknown) => {
          if (hasText || request.signal.aborted || !wasReset(error)) throw error
          return ask()
        })
      } catch (error) {
        request.signal.throwIfAborted()
        throw providerErrorOf(called, error, clock)
      }
    },
    close: address.close,
  }
}

// Some servers promise to keep a connection and close it anyway (llama.cpp, after each stream); a request that is
// just being sent is lost. Nothing was received, so it is sent again at once, and only then counts as failed.
const wasReset = (error: unknown): boolean => {
  const egressError = egressErrorOf(error)
  return egressError instanceof EgressFailed && egressError.kind === 'reset'
}

const languageModels = (
  entry: ProviderEntry,
  key: string | undefined,
  fetch: ProviderAddress['fetch'],
): ((model: string) => LanguageModel) => {
  const { kind, name } = entry
  // Both are always passed, because the vendor's library would otherwise read them from the environment.
  const settings = { fetch, apiKey: key ?? '', baseURL: addressOf(entry) }
  switch (kind) {
    case 'openai': {
      const provider = createOpenAI(settings)
      return (model) => provider.responses(model)
    }
    case 'anthropic': {
      const provider = createAnthropic(settings)
      return (model) => provider.messages(model)
    }
    case 'google': {
      const provider = createGoogle(settings)
      return (model) => provider.chat(model)
    }
    case 'openai-compatible': {
      const provider = createOpenAICompatible({
        name,
        fetch,
        baseURL: settings.baseURL,
        includeUsage: true,
        supportsStructuredOutputs: true,
        ...(key !== undefined && { apiKey: key }),
      })
      return (model) => provider.chatModel(model)
    }
  }
}

const stream = async (
  model: LanguageModel,
  request: ModelRequest,
  messages: readonly Message[],
  called: Called,
): Promise<ProviderAnswer> => {
  // An answer that is refused is not read to its end.
  const left = new AbortController()
  try {
    return await read(model, { ...request, signal: AbortSignal.any([request.signal, left.signal]) }, messages, called)
  } finally {
    left.abort()
  }
}

const read = async (
  model: LanguageModel,
  { tools, temperature, maxOutputTokens, outputSchema, signal, headers, onText }: ModelRequest,
  messages: readonly Message[],
  called: Called,
): Promise<ProviderAnswer> => {
  signal.throwIfAborted()
  const result = streamText({
    model,
    messages: toPrompt(messages, called.model),
    // Only the service writes system messages; a customer's text is always a user message.
    allowSystemInMessages: true,
    tools: toTools(tools),
    maxRetries: 0,
    abortSignal: signal,
    // The vendor must not store customers' conversations.
    providerOptions: { openai: { store: false } },
    ...(headers && { headers: { ...headers } }),
    ...(temperature !== undefined && { temperature }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(outputSchema && { output: Output.object({ schema: jsonSchema(outputSchema) }) }),
    // The error is part of the stream too; without this handler it would be printed.
    onError: () => undefined,
  })
  let text = ''
  const toolCalls: ToolCall[] = []
  const brokenCalls: { id: string; name: string; problem: string }[] = []
  const room = openRoom(called)
  let end: { finish: FinishReason; raw: string | undefined; usage: Usage } | undefined
  for await (const part of result.stream) {
    room.take(part)
    if (part.type === 'text-delta' && part.text !== '') {
      text += part.text
      onText(part.text)
    } else if (part.type === 'tool-call') {
      if (part.invalid) brokenCalls.push({ id: part.toolCallId, name: part.toolName, problem: problemOf(part.error) })
      else
        toolCalls.push({ id: part.toolCallId, name: part.toolName, arguments: part.input as Record<string, unknown> })
    } else if (part.type === 'error') {
      throw part.error
    } else if (part.type === 'finish-step') {
      end = { finish: part.finishReason, raw: part.rawFinishReason, usage: usageOf(part.usage) }
    }
  }
  signal.throwIfAborted()
  // A stream that ends without a finish reason was cut off, even if the connection was closed normally.
  const finish = end && (end.finish === 'other' && end.raw === undefined ? undefined : finishes[end.finish])
  if (!end || !finish) {
    const message = `The model provider ${called.provider} broke off its answer`
    throw new ProviderError(message, { retryable: true, isUnavailable: true })
  }
  const parts = await ownParts(result)
  room.takeParts(parts)
  return {
    text,
    toolCalls,
    brokenCalls,
    ...(parts !== undefined && { parts }),
    usage: end.usage,
    // Not every vendor reports that it stopped for a tool.
    finish: toolCalls.length > 0 && (finish === 'stop' || finish === 'other') ? 'tool_calls' : finish,
  }
}

type Part = { type: string; id?: unknown; text?: unknown; delta?: unknown; toolName?: unknown }

/** As JSON, which can be larger than the reasoning and the arguments in it. */
const maxPartBytes = modelsBounds.partOfAnswer.bytes

/** What an answer may hold beside its text, whose size the caller bounds. All of it is stored with the step. */
const openRoom = ({ provider }: Called) => {
  let bytes = 0
  let calls = 0
  const refuse = (most: string): never => {
    throw new ProviderError(`The model provider ${provider} answered with more than ${most}`, { retryable: false })
  }
  return {
    take: ({ type, id, text, delta, toolName }: Part): void => {
      if (type === 'tool-input-start' && ++calls > limits.toolCallsPerStep)
        refuse(`${limits.toolCallsPerStep} tool calls`)
      if (type !== 'reasoning-delta' && type !== 'tool-input-delta' && type !== 'tool-input-start') return
      for (const told of type === 'tool-input-start' ? [id, toolName] : [text, delta])
        if (typeof told === 'string') bytes += Buffer.byteLength(told)
      if (bytes > limits.outputBytes) refuse(`${limits.outputBytes} bytes of reasoning and tool calls`)
    },
    /** With what a vendor adds: ids, signatures, results of its tools. Its texts are bounded by the caller. */
    takeParts: (parts: readonly unknown[] = []): void => {
      const beside = parts.map((part) => ((part as Part).type === 'text' ? { ...(part as Part), text: '' } : part))
      if (Buffer.byteLength(JSON.stringify(beside)) > maxPartBytes) refuse(`${maxPartBytes} bytes beside its text`)
    },
  }
}

/** The library adds what Anthropic (caches) and Google (reasoning) report beside their input and output tokens. */
const usageOf = ({
  inputTokens = 0,
  outputTokens = 0,
  inputTokenDetails: { cacheReadTokens, cacheWriteTokens },
  outputTokenDetails: { reasoningTokens = 0 },
  raw,
}: LanguageModelUsage): Usage => {
  // Some servers with an API like that of OpenAI count reasoning beside the completion, which only the total shows.
  const isBeside = reasoningTokens > 0 && raw?.total_tokens === inputTokens + outputTokens + reasoningTokens
  return plausible({
    inputTokens: tokenCount(inputTokens),
    outputTokens: tokenCount(isBeside ? outputTokens + reasoningTokens : outputTokens),
    cachedTokens: tokenCount(cacheReadTokens),
    cacheWriteTokens: tokenCount(cacheWriteTokens),
    reasoningTokens: tokenCount(reasoningTokens),
  })
}

const finishes: Partial<Record<FinishReason, Finish>> = {
  stop: 'stop',
  length: 'length',
  'content-filter': 'content_filter',
  'tool-calls': 'tool_calls',
  other: 'other',
}

/** Parts beyond text and plain calls (reasoning, signatures), which must be returned to the provider unchanged. */
const ownParts = async (result: {
  responseMessages: PromiseLike<readonly unknown[]>
}): Promise<unknown[] | undefined> => {
  const [message] = (await result.responseMessages) as { role: string; content: unknown }[]
  if (message?.role !== 'assistant' || !Array.isArray(message.content)) return
  const isPlain = (part: { type: string; providerOptions?: unknown }): boolean =>
    (part.type === 'text' || part.type === 'tool-call') && part.providerOptions === undefined
  return message.content.every(isPlain) ? undefined : message.content
}

const problemOf = (error: unknown): string => {
  const says = error instanceof Error ? error.message : String(error)
  return says.length > 300 ? `${says.slice(0, 300)}…` : says
}
