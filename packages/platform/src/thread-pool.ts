import { availableParallelism } from 'node:os'
import { platformBounds } from './bounds.ts'
import type { Clock } from './clock.ts'
import { type CpuBudgetOptions, createCpuBudgets } from './cpu-budget.ts'
import { createFairQueue, type QueueBounds } from './fair-queue.ts'
import type { Log } from './log/log.ts'
import { openThread, type Thread, type ThreadEnd } from './pool-thread.ts'

/**
 * Runs computations that customers control outside the event loop: each has a limit of CPU time and memory, and the
 * organisations share the threads fairly. A task that reaches a limit costs its thread, which is replaced.
 */
export type ThreadPool = {
  run(task: Task): Promise<TaskOutcome>
  /** Starts the first thread and the spare one, so that the first tasks do not wait for it. */
  warm(): void
  metrics(): PoolMetrics
  close(): Promise<void>
}

export type Task = {
  /** The organisation that pays for the task. */
  owner: string
  kind: string
  /** Copied to the thread. */
  payload: unknown
  /** The size of the payload, which waits in memory. */
  bytes: number
  maxCpuMs: number
}

/** `busy`: too much waits already, or the owner has used its CPU time. The task did not run; a later one can succeed. */
export type TaskOutcome =
  | { kind: 'done'; result: unknown }
  | { kind: 'out_of_time' | 'out_of_memory'; progress: string | null }
  | { kind: 'busy' }

export type PoolMetrics = {
  done: number
  outOfTime: number
  outOfMemory: number
  busy: number
  replaced: number
  cpuMs: number
  waiting: number
  running: number
  threads: number
}

export type ThreadPoolOptions = {
  /** A module that calls `serveTasks`. */
  program: URL
  clock: Clock
  log: Log
  threads?: number
  queue?: QueueBounds
  /** How long a task waits for a thread before it is refused. */
  maxWaitMs?: number
  /** The same while the first thread starts, which takes long on a busy computer and is no overload. */
  firstWaitMs?: number
  budget?: CpuBudgetOptions
  maxHeapMb?: number
}

const defaultQueue: QueueBounds = {
  maxItems: platformBounds.threadTasksWaiting.count,
  maxBytes: platformBounds.threadTasksWaiting.bytes,
  maxItemsPerOwner: platformBounds.threadTasksOfOwner.count,
  maxBytesPerOwner: platformBounds.threadTasksOfOwner.bytes,
}
// What a replaced thread costs until its successor is ready. The owner of the task pays for it.
const restartCpuMs = 150
// A thread stops when its code next enters a function. Later than this, something is wrong with the task's code.
const stopMs = 5_000
// A program that dies while it starts is not started again at once.
const restartPauseMs = 1_000

/** One thread less than there are cores: one core is for the event loop. */
const defaultThreads = (): number => Math.max(1, availableParallelism() - 1)

type Waiting = { task: Task; resolve(outcome: TaskOutcome): void; reject(error: Error): void; timer: NodeJS.Timeout }

export const createThreadPool = (options: ThreadPoolOptions): ThreadPool => {
  const {
    program,
    clock,
    log,
    threads: maxRunning = defaultThreads(),
    maxWaitMs = platformBounds.threadTasksWaiting.ms,
    firstWaitMs = platformBounds.firstThread.ms,
    maxHeapMb = platformBounds.threadHeap.mib,
  } = options
  // One organisation uses at most half of the threads, and continuously at most a quarter of their time.
  const maxRunningPerOwner = Math.ceil(maxRunning / 2)
  const budgets = createCpuBudgets(clock, options.budget ?? { burstMs: 3_000, share: maxRunning / 4 })
  const queue = createFairQueue<Waiting>(options.queue ?? defaultQueue)
  const threads = new Set<Thread>()
  const stopping = new Set<Thread>()
  const idle: Thread[] = []
  const running = new Map<string, number>()
  const counts = { done: 0, outOfTime: 0, outOfMemory: 0, busy: 0, replaced: 0, cpuMs: 0 }
  let underWay = 0
  let isClosed = false
  let wasReady = false
  let pauseTimer: NodeJS.Timeout | undefined
  let budgetTimer: NodeJS.Timeout | undefined

  /** The organisation that has used the least CPU time lately is next. */
  const rankOf = (owner: string): number | null => {
    const leftMs = budgets.leftMs(owner)
    return leftMs > 0 && (running.get(owner) ?? 0) < maxRunningPerOwner ? -leftMs : null
  }

  // Beside the threads that work there is a spare one: it takes over at once from a thread that is stopped.
  const grow = (): void => {
    const working = Math.min(maxRunning, Math.max(1, underWay + queue.size()))
    const wanted = working + 1 - Math.max(0, stopping.size - maxRunning)
    while (!isClosed && pauseTimer === undefined && threads.size < wanted) start()
  }

  const start = (): void => {
    const thread = openThread({ program, maxHeapMb, clock })
    threads.add(thread)
    void thread.ready.then(
      () => {
        wasReady = true
        idle.push(thread)
        pump()
      },
      (error: unknown) => {
        threads.delete(thread)
        if (isClosed) return
        log.error('thread does not start', { error })
        pauseTimer ??= setTimeout(() => {
          pauseTimer = undefined
          grow()
        }, restartPauseMs).unref()
      },
    )
    void thread.ended.then(() => {
      threads.delete(thread)
      void awaitStop(thread)
      const at = idle.indexOf(thread)
      if (at >= 0) idle.splice(at, 1)
      if (isClosed) return
      counts.replaced++
      grow()
    })
  }

  const awaitStop = async (thread: Thread): Promise<void> => {
    stopping.add(thread)
    const timer = setTimeout(() => log.error('thread does not stop', {}), stopMs).unref()
    await thread.gone
    clearTimeout(timer)
    stopping.delete(thread)
    grow()
  }

  const pump = (): void => {
    while (!isClosed && underWay < maxRunning && idle.length > 0) {
      const next = queue.take(rankOf)
      if (!next) break
      clearTimeout(next.item.timer)
      // The thread that worked last has the most in its caches.
      void execute(idle.pop() as Thread, next.item)
    }
    wakeForBudget()
    if (queue.size() > 0) grow()
  }

  // Owners without CPU time wait in the queue until their budget is positive again.
  const wakeForBudget = (): void => {
    clearTimeout(budgetTimer)
    const waits = queue.owners().flatMap((owner) => budgets.waitMs(owner) || [])
    if (waits.length > 0) budgetTimer = setTimeout(pump, Math.min(...waits)).unref()
  }

  const execute = async (thread: Thread, { task, resolve, reject }: Waiting): Promise<void> => {
    const { owner } = task
    underWay++
    running.set(owner, (running.get(owner) ?? 0) + 1)
    const end = await thread.run(task)
    underWay--
    const left = (running.get(owner) ?? 1) - 1
    if (left === 0) running.delete(owner)
    else running.set(owner, left)
    const cpuMs = end.cpuMs + (end.kind === 'done' || end.kind === 'failed' ? 0 : restartCpuMs)
    budgets.charge(owner, cpuMs)
    counts.cpuMs += cpuMs
    if (end.kind === 'done' || end.kind === 'failed') idle.push(thread)
    const outcome = outcomeOf(end)
    if (outcome instanceof Error) reject(outcome)
    else resolve(outcome)
    pump()
  }

  const outcomeOf = (end: ThreadEnd): TaskOutcome | Error => {
    switch (end.kind) {
      case 'done':
        counts.done++
        return { kind: 'done', result: end.result }
      case 'out_of_time':
        counts.outOfTime++
        return { kind: 'out_of_time', progress: end.progress }
      case 'out_of_memory':
        counts.outOfMemory++
        return { kind: 'out_of_memory', progress: end.progress }
      case 'failed':
        return new Error(`A task of a thread failed: ${end.message}`)
      case 'died':
        return isClosed ? refused() : new Error('A thread died during a task')
    }
  }

  const refused = (): TaskOutcome => {
    counts.busy++
    return { kind: 'busy' }
  }

  return {
    run: (task) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(
          () => {
            queue.remove(task.owner, waiting)
            resolve(refused())
          },
          wasReady ? maxWaitMs : Math.max(maxWaitMs, firstWaitMs),
        ).unref()
        const waiting: Waiting = { task, resolve, reject, timer }
        if (isClosed || !queue.add(task.owner, waiting, task.bytes)) {
          clearTimeout(timer)
          resolve(refused())
        } else pump()
      }),
    warm: grow,
    metrics: () => ({ ...counts, waiting: queue.size(), running: underWay, threads: threads.size }),
    close: async () => {
      isClosed = true
      clearTimeout(pauseTimer)
      clearTimeout(budgetTimer)
      for (let next = queue.take(() => 0); next; next = queue.take(() => 0)) {
        clearTimeout(next.item.timer)
        next.item.resolve(refused())
      }
      const leaving = [...threads, ...stopping]
      for (const thread of threads) thread.stop()
      const late = new Promise((resolve) => setTimeout(resolve, stopMs).unref())
      await Promise.race([Promise.all(leaving.map(({ gone }) => gone)), late])
    },
  }
}
