import { readlinkSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'

/** The thread's side of a thread pool: what a thread can do, by kind of task. */
export type TaskHandlers = Readonly<Record<string, TaskHandler>>

/** `progress` is what the pool knows if the task is stopped later. */
export type TaskHandler = (payload: unknown, progress: (word: string) => void) => unknown

export type ToThread = { kind: string; payload: unknown }

/** `cpuMs` is what the thread has used since its start. */
export type FromThread =
  | { kind: 'ready'; cpuMs: number }
  | { kind: 'progress'; word: string }
  | { kind: 'done'; result: unknown; cpuMs: number }
  | { kind: 'failed'; message: string; cpuMs: number }

/** Serves one task at a time until the pool ends the thread. */
export const serveTasks = (handlers: TaskHandlers): void => {
  const port = parentPort
  if (!port) throw new Error('This program runs only as a thread of a pool')
  yieldToEventLoops()
  const tell = (message: FromThread): void => port.postMessage(message)
  port.on('message', ({ kind, payload }: ToThread) => {
    try {
      const handler = handlers[kind]
      if (!handler) throw new Error(`The thread knows no task ${kind}`)
      const result = handler(payload, (word) => tell({ kind: 'progress', word }))
      tell({ kind: 'done', result, cpuMs: ownCpuMs() })
    } catch (error) {
      tell({ kind: 'failed', message: error instanceof Error ? error.message : 'unknown', cpuMs: ownCpuMs() })
    }
  })
  tell({ kind: 'ready', cpuMs: ownCpuMs() })
}

/**
 * Event loops get the CPU before computations that customers control. Linux has a priority per thread; elsewhere all
 * threads stay equal.
 */
const yieldToEventLoops = (): void => {
  try {
    const threadId = Number(readlinkSync('/proc/thread-self').split('/').at(-1))
    setPriority(threadId, Math.min(19, getPriority(process.pid) + stepsBehind))
  } catch {
    // Without the right or without /proc nothing is lost but the order under load.
  }
}

const stepsBehind = 5

/** What this thread has used since its start. */
export const ownCpuMs = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}
