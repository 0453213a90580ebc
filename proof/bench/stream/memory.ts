import { existsSync, readFileSync, rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

/** Memory of a process right after it was cleaned up. In bytes. */
export type Memory = {
  rss: number
  heapUsed: number
  heapTotal: number
  external: number
}

/** What a process is started with so that `readMemory` can ask it. */
export const memoryEnv = (file: string): NodeJS.ProcessEnv => {
  const answering = fileURLToPath(new URL('./memory-answer.ts', import.meta.url))
  return { NODE_OPTIONS: `--expose-gc --import=${answering}`, BENCH_MEMORY_FILE: file }
}

const answerWithinMs = 20_000
/** Memory freed by one collection is returned to the system by a later one. */
const cleanUps = 3

export const readMemory = async (pid: number | undefined, file: string): Promise<Memory> => {
  if (pid === undefined) throw new Error('the process whose memory is asked for has ended')
  let memory: Memory | undefined
  for (let n = 0; n < cleanUps; n++) {
    rmSync(file, { force: true })
    process.kill(pid, 'SIGUSR2')
    const deadline = performance.now() + answerWithinMs
    while (!existsSync(file)) {
      if (performance.now() > deadline) throw new Error(`the memory of process ${pid} cannot be read`)
      await sleep(50)
    }
    memory = JSON.parse(readFileSync(file, 'utf8')) as Memory
    await sleep(500)
  }
  if (!memory) throw new Error('no memory was read')
  return memory
}
