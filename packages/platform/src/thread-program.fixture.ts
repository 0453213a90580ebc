import { readlinkSync } from 'node:fs'
import { getPriority } from 'node:os'
import { resourceLimits, threadId } from 'node:worker_threads'
import { serveTasks } from './thread.ts'

/** What the threads of the pool's tests do. */
serveTasks({
  echo: (payload) => payload,
  // biome-ignore lint/style/noProcessEnv: the test looks at what a thread can see
  name: () => ({ thread: threadId, secrets: Object.keys(process.env) }),
  priority: () => getPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1))),
  limits: () => resourceLimits,
  wait: () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0),
  throw: () => {
    throw new Error('as it was told to')
  },
  spin: (payload) => {
    const { user } = process.threadCpuUsage()
    while (process.threadCpuUsage().user - user < Number(payload) * 1_000) {
      // Uses CPU time.
    }
    return threadId
  },
  forever: (_payload, progress) => {
    progress('begun')
    for (;;) {
      // Never ends.
    }
  },
  eat: () => {
    const eaten: unknown[] = []
    const grow = (depth: number): unknown => (depth === 0 ? { depth } : [grow(depth - 1), grow(depth - 1)])
    for (;;) eaten.push(grow(10))
  },
})
