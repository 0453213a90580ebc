import { type ChildProcess, fork } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type CpuUse, cpuBetween, readCpu, type Watched } from './cpu.ts'
import type { FromGenerator, Setup, WindowFigures, WindowOrder } from './load-protocol.ts'

/** A window's figures from the generator, with the CPU time of all parts over exactly that stretch. */
export interface WindowResult extends WindowFigures {
  order: WindowOrder
  cpu: CpuUse
}

export interface Load {
  run(order: Omit<WindowOrder, 'kind'>): Promise<WindowResult>
  /** The share of the machine that others use while nothing is measured, over one second. */
  listen(): Promise<number>
  pid(): number | undefined
  close(): void
}

/** Starts the generator, a process of its own. `watched` are the parts under load; the generator joins them. */
export async function startLoad(targets: Setup['targets'], watched: Watched): Promise<Load> {
  const child = fork(fileURLToPath(new URL('./generator.ts', import.meta.url)), {
    env: { ...process.env, NODE_ENV: 'production' },
  })
  const everybody: Watched = { ...watched, generator: () => child.pid, bench: () => process.pid }
  child.send({ kind: 'setup', targets } satisfies Setup)
  await next(child, 'ready')
  return {
    pid: () => child.pid,
    close: () => child.disconnect(),
    async listen() {
      const from = readCpu(everybody)
      await sleep(1000)
      return cpuBetween(from, readCpu(everybody)).foreignShare
    },
    async run(options) {
      const order: WindowOrder = { kind: 'window', ...options }
      child.send(order)
      await next(child, 'opened')
      const from = readCpu(everybody)
      await next(child, 'closed')
      const to = readCpu(everybody)
      const { figures } = await next(child, 'done')
      return { ...figures, order, cpu: cpuBetween(from, to) }
    },
  }
}

function next<Kind extends FromGenerator['kind']>(
  child: ChildProcess,
  kind: Kind,
): Promise<Extract<FromGenerator, { kind: Kind }>> {
  return new Promise((resolve, reject) => {
    const hear = (message: FromGenerator): void => {
      if (message.kind !== kind) return
      settle()
      resolve(message as Extract<FromGenerator, { kind: Kind }>)
    }
    const fail = (): void => {
      settle()
      reject(new Error('the load generator ended'))
    }
    const settle = (): void => {
      child.off('message', hear)
      child.off('exit', fail)
    }
    child.on('message', hear)
    child.once('exit', fail)
  })
}
