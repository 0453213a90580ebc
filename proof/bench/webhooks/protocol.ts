import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'

/** What the receiver and the control are told, and what they answer. Each message has one answer. */
export type ToReceiver = { kind: 'reset' } | { kind: 'read' }
export type ToBare = { kind: 'go' } | { kind: 'stop' }

export type ReceiverMetrics = {
  posts: number
  /** Since the receiver was started. */
  postsInAll: number
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

const lastOf = new WeakMap<ChildProcess, Promise<unknown>>()

/** An answer does not name its message, so one message waits for the answer to the one before it. */
export const ask = <Answer>(child: ChildProcess, message: ToReceiver | ToBare): Promise<Answer> => {
  const asked = (lastOf.get(child) ?? Promise.resolve()).then(() => exchange<Answer>(child, message))
  lastOf.set(
    child,
    asked.catch(() => undefined),
  )
  return asked
}

const exchange = async <Answer>(child: ChildProcess, message: ToReceiver | ToBare): Promise<Answer> => {
  const answered = once(child, 'message')
  child.send(message)
  const [answer] = (await answered) as [Answer]
  return answer
}
