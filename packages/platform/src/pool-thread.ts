import { Worker } from 'node:worker_threads'
import { platformBounds } from './bounds.ts'
import type { Clock } from './clock.ts'
import type { FromThread, ToThread } from './thread.ts'

/** One thread of a pool. */
export type Thread = {
  /** Rejects if the program cannot start. */
  ready: Promise<void>
  /** Resolves when a thread that was ready is gone or has been told to go. */
  ended: Promise<void>
  /** Resolves when it is gone. */
  gone: Promise<void>
  /** One task at a time. Only `done` and `failed` leave the thread usable. */
  run(task: ToThread & { maxCpuMs: number }): Promise<ThreadEnd>
  stop(): void
}

/** `failed`: the code of the task threw. `died`: the thread ended for another reason. */
export type ThreadEnd = { cpuMs: number } & (
  | { kind: 'done'; result: unknown }
  | { kind: 'failed'; message: string }
  | { kind: 'out_of_time' | 'out_of_memory' | 'died'; progress: string | null }
)

// CPU time decides: on a busy machine a task takes longer without doing more. This limit stops a thread that uses none.
const maxWallMs = platformBounds.threadTask.ms
const lookMs = 20
// A thread that reaches the limit of V8 can abort the whole process. That limit is therefore far away, and a thread is
// stopped when it is seen above `maxHeapMb`.
const unreachedHeapMb = 1_536

export const openThread = ({
  program,
  maxHeapMb,
  clock,
}: {
  program: URL
  maxHeapMb: number
  clock: Clock
}): Thread => {
  // Threads see no secrets: they get no environment and no flags of the process.
  const worker = new Worker(program, {
    env: {},
    execArgv: [],
    name: 'computation',
    resourceLimits: {
      maxOldGenerationSizeMb: unreachedHeapMb,
      maxYoungGenerationSizeMb: platformBounds.threadYoungHeap.mib,
      stackSizeMb: 4,
    },
  })
  worker.unref()
  let usedCpuMs = 0
  let hasStarted = false
  let current: { finish(end: ThreadEnd): void; progress: string | null } | undefined
  const started = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<void>()
  const gone = Promise.withResolvers<void>()
  let cause: Error | undefined

  worker.on('message', (message: FromThread) => {
    if (message.kind === 'progress') {
      if (current) current.progress = message.word
      return
    }
    const cpuMs = message.cpuMs - usedCpuMs
    usedCpuMs = message.cpuMs
    if (message.kind === 'ready') {
      hasStarted = true
      started.resolve()
    } else current?.finish({ ...message, cpuMs })
  })
  worker.on('error', (error: Error) => {
    cause = error
  })
  worker.on('exit', () => {
    current?.finish({ kind: 'died', progress: current.progress, cpuMs: 0 })
    gone.resolve()
    if (hasStarted) ended.resolve()
    else started.reject(cause ?? new Error('The thread ended before it was ready'))
  })

  /** Looks at the thread again and again while a task runs. Short tasks are over before the first look. */
  const watch = (maxCpuMs: number, stop: (kind: 'out_of_time' | 'out_of_memory', usedMs: number) => void) => {
    const wallTimer = setTimeout(() => stop('out_of_time', maxCpuMs), maxWallMs)
    let lookTimer: NodeJS.Timeout | undefined
    let isOver = false
    const look = async (): Promise<void> => {
      const seen = await seeThread(worker)
      if (isOver || !seen) return
      const taskMs = seen.cpuMs - usedCpuMs
      if (seen.heapMb > maxHeapMb) stop('out_of_memory', taskMs)
      else if (taskMs >= maxCpuMs) stop('out_of_time', taskMs)
      else lookTimer = setTimeout(look, lookMs)
    }
    lookTimer = setTimeout(look, lookMs)
    return () => {
      isOver = true
      clearTimeout(wallTimer)
      clearTimeout(lookTimer)
    }
  }

  const stop = (): void => {
    void worker.terminate()
    ended.resolve()
  }

  return {
    ready: started.promise,
    ended: ended.promise,
    gone: gone.promise,
    run: ({ kind, payload, maxCpuMs }) =>
      new Promise((resolve) => {
        const beganAtMs = clock.monotonicMs()
        const task = {
          progress: null as string | null,
          finish: (end: ThreadEnd): void => {
            if (current !== task) return
            current = undefined
            unwatch()
            worker.unref()
            // A thread that died reports no CPU time: the whole duration is an upper bound.
            resolve(end.kind === 'died' ? { ...end, cpuMs: clock.monotonicMs() - beganAtMs } : end)
          },
        }
        const unwatch = watch(maxCpuMs, (kind, cpuMs) => {
          task.finish({ kind, progress: task.progress, cpuMs })
          stop()
        })
        current = task
        worker.ref()
        worker.postMessage({ kind, payload } satisfies ToThread)
      }),
    stop,
  }
}

/** Null: the thread is gone. */
const seeThread = async (worker: Worker): Promise<{ cpuMs: number; heapMb: number } | null> => {
  try {
    const [{ user, system }, { used_heap_size }] = await Promise.all([worker.cpuUsage(), worker.getHeapStatistics()])
    return { cpuMs: (user + system) / 1_000, heapMb: used_heap_size / 1_048_576 }
  } catch {
    return null
  }
}
