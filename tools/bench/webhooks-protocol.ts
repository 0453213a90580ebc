import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** What the receiver and the control are told, and what they answer. Each message has one answer. */
export type ToReceiver = { kind: 'reset' } | { kind: 'read' }
export type ToBare = { kind: 'go' } | { kind: 'stop' }

export interface ReceiverFigures {
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

export interface BareFigures {
  failures: Record<string, number>
}

/** A process of its own, so that its CPU time can be told from that of the others. It ends with us. */
export async function startChild(program: URL, env: NodeJS.ProcessEnv): Promise<ChildProcess> {
  const child = fork(fileURLToPath(program), {
    env: { ...process.env, NODE_ENV: 'production', ...env },
  })
  await once(child, 'message')
  return child
}

export async function ask<Answer>(child: ChildProcess, message: ToReceiver | ToBare): Promise<Answer> {
  const answered = once(child, 'message')
  child.send(message)
  const [answer] = (await answered) as [Answer]
  return answer
}
