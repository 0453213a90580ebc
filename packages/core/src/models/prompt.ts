import { type AssistantContent, type JSONValue, jsonSchema, type ModelMessage, type ToolSet } from 'ai'
import type { Message, ToolSpec } from './model.ts'

/** Our messages in the form of the AI SDK. The `parts` of a model are returned to it unchanged. */
export const toPrompt = (messages: readonly Message[], model: string): ModelMessage[] =>
  messages
    .map((message) => withoutForeignParts(message, model))
    .filter(saysSomething)
    .map(toModelMessage)

const withoutForeignParts = (message: Message, model: string): Message =>
  message.role === 'assistant' && (message.model ?? model) !== model ? { ...message, parts: undefined } : message

// Vendors reject an empty message; a model that produced nothing has left one.
const saysSomething = (message: Message): boolean =>
  message.role !== 'assistant' || message.text !== '' || message.toolCalls.length > 0 || isContent(message.parts)

const toModelMessage = (message: Message): ModelMessage => {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: message.text }
    case 'user':
      return { role: 'user', content: message.text }
    case 'assistant':
      return { role: 'assistant', content: isContent(message.parts) ? message.parts : contentOf(message) }
    case 'tool':
      return {
        role: 'tool',
        content: message.results.map(({ callId, name, result, isError }) => ({
          type: 'tool-result',
          toolCallId: callId,
          toolName: name,
          output: outputOf(result, isError),
        })),
      }
  }
}

const isContent = (parts: unknown): parts is Exclude<AssistantContent, string> =>
  Array.isArray(parts) && parts.length > 0

const contentOf = ({ text, toolCalls }: Extract<Message, { role: 'assistant' }>): AssistantContent => [
  ...(text === '' ? [] : [{ type: 'text' as const, text }]),
  ...toolCalls.map((call) => ({
    type: 'tool-call' as const,
    toolCallId: call.id,
    toolName: call.name,
    input: call.arguments,
  })),
]

const outputOf = (result: unknown, isError: boolean) => {
  if (typeof result === 'string') return { type: isError ? ('error-text' as const) : ('text' as const), value: result }
  return { type: isError ? ('error-json' as const) : ('json' as const), value: (result ?? null) as JSONValue }
}

/** Without `execute`: our own loop calls the tools. */
export const toTools = (tools: readonly ToolSpec[]): ToolSet =>
  Object.fromEntries(
    tools.map(({ name, description, inputSchema }) => [
      name,
      // Only that the arguments are an object is checked here; the tool server checks their shape.
      {
        description,
        inputSchema: jsonSchema<Record<string, unknown>>(inputSchema, {
          validate: (value) =>
            typeof value === 'object' && value !== null && !Array.isArray(value)
              ? { success: true, value: value as Record<string, unknown> }
              : { success: false, error: new Error('The arguments are not a JSON object') },
        }),
      },
    ]),
  )
