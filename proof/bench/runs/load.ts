import { forkProgram, nextMessage } from '../../lab/child.ts'
import { cpuBetween, foreignShareOf, readCpu, type Watched } from '../../lab/measure/cpu.ts'
import type { Load, WindowOrder } from '../../lab/measure/load.ts'
import type { FromGenerator, Setup } from './protocol.ts'

/** Starts the generator as a separate process. `watched` are the parts under load; the generator is added to them. */
export const startLoad = async (targets: Setup['targets'], watched: Watched): Promise<Load> => {
  const child = forkProgram(new URL('./generator.ts', import.meta.url))
  const everybody: Watched = { ...watched, generator: () => child.pid, bench: () => process.pid }
  child.send({ kind: 'setup', targets } satisfies Setup)
  await nextMessage<FromGenerator, 'ready'>(child, 'ready')
  return {
    pid: () => child.pid,
    close: () => child.disconnect(),
    listen: () => foreignShareOf(everybody),
    async run(options) {
      const order: WindowOrder = { kind: 'window', ...options }
      child.send(order)
      await nextMessage<FromGenerator, 'opened'>(child, 'opened')
      const from = readCpu(everybody)
      await nextMessage<FromGenerator, 'closed'>(child, 'closed')
      const to = readCpu(everybody)
      const { metrics } = await nextMessage<FromGenerator, 'done'>(child, 'done')
      return { ...metrics, order, cpu: cpuBetween(from, to) }
    },
  }
}
