import type { Message, ToolResult } from '../models/index.ts'
import type { Decision, History, PastStep } from './step.ts'

/** The messages for the model: those with which the run begins, and everything since, in the order it was read. */
export const conversationOf = (opening: readonly Message[], history: History): Message[] => {
  const messages = [...opening]
  let read = 0
  const hear = (upTo: number): void => {
    for (const { number, text } of history.messages) {
      if (number > read && number <= upTo) messages.push({ role: 'user', text })
    }
    read = Math.max(read, upTo)
  }
  for (const step of history.steps) {
    hear(step.messagesRead)
    messages.push(...messagesOf(step, history.decisions))
  }
  hear(Number.POSITIVE_INFINITY)
  return messages
}

/** The last text of the model: the partial result of a run that must stop early. */
export const lastText = (history: History): string | null =>
  history.steps.findLast(({ content }) => content?.text)?.content?.text ?? null

/** The step whose tool calls have not been made yet. */
export const openCallsOf = (history: History): PastStep | null => {
  const last = history.steps.at(-1)
  return last?.kind === 'model' && (last.content?.toolCalls?.length ?? 0) > 0 ? last : null
}

const messagesOf = ({ kind, step, content }: PastStep, decisions: readonly Decision[]): Message[] => {
  if (!content) return []
  if (kind === 'tools') return [{ role: 'tool', results: content.results ?? [] }]
  const { text = '', toolCalls = [], parts, model, askIds } = content
  const said: Message = { role: 'assistant', text, toolCalls, ...(parts === undefined ? {} : { parts, model }) }
  if (!askIds) return [said]
  return [
    said,
    { role: 'tool', results: askIds.map((id, ordinal) => decisionResult(id, find(decisions, step, ordinal))) },
  ]
}

const find = (decisions: readonly Decision[], step: number, ordinal: number): Decision | undefined =>
  decisions.findLast((decision) => decision.step === step && decision.ordinal === ordinal)

const decisionResult = (callId: string, decision: Decision | undefined): ToolResult => ({
  callId,
  name: 'decision',
  result: {
    type: decision?.resolution ?? null,
    payload: decision?.payload ?? null,
    comment: decision?.comment ?? null,
  },
  isError: false,
})
