import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'

/** What the receiver and the control are told, and what they answer. Each message has one answer. */
export type ToReceiver = { kind: 'reset' } | { kind: 'read' }
export type ToBare = { kind: 'go' } | { kind: 'stop' }

export type ReceiverMetrics = {
  posts: number
  /** Signatures that were looked at, one in twenty, and how many of them were not true. */
  verified: number
  untrue: number
  /** From an event to its arrival; the control has none. */
  lagMs: { p50: number; p99: number; most: number }
  /** The last body that came. */
  body: string
  headers: Record<string, string>
}

export type BareMetrics = {
  failures: Record<string, number>
}

export const ask = async <Answer>(child: ChildProcess, message: ToReceiver | ToBare): Promise<Answer> => {
  const answered = once(child, 'message')
  child.send(message)
  const [answer] = (await answered) as [Answer]
  return answer
}
