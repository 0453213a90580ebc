import { statSync } from 'node:fs'
import { join } from 'node:path'
import { countsOf, playOpenLoop, statusOf } from '../../lab/client/open-loop.ts'
import { waitFor } from '../../lab/condition.ts'
import { fillDisk } from '../../lab/stack/small-disk.ts'
import { shootOnce } from '../journaled-shot.ts'
import { claim, measured, type Stage, scenario } from '../scenario.ts'

type Size = { seconds: number; perSecond: number }

const cureMs = 5_000

/** The disk that takes the logs of the processes is full for a while. */
export const logFull = scenario<Size>({
  name: 'log-full',
  promise:
    'A log that cannot be written ends no process and fails no call. An alert says so, and the log goes on when it can.',
  smallDisks: { servers: 8 },
  sizes: { ci: { seconds: 10, perSecond: 20 }, full: { seconds: 120, perSecond: 50 } },
  play: async (stage, { seconds, perSecond }) => {
    const { fleet, hopeless } = stage
    const servers = [...fleet.gateways, ...fleet.workers]
    const pids = () => servers.map((each) => each.pid()).join()
    const pidsBefore = pids()
    const free = fillDisk(join(fleet.stack.dir, 'servers'))
    const shots = await playOpenLoop({ perSecond, seconds, hopeless }, (n) => create(stage, n))
    const full = await Promise.all(
      servers.map(async (each) => ({ ...each, ...(await outputOf(each)), bytes: sizeOf(each) })),
    )
    // A worker that gets no run writes no line, and cannot know.
    const unwritable = full.filter(({ isWritable }) => !isWritable)
    const fromMs = performance.now()
    free()
    await waitFor(
      'logs that are written again',
      async () => {
        const outputs = await Promise.all(servers.map(outputOf))
        return outputs.every(({ isWritable }) => isWritable) && unwritable.every((each) => sizeOf(each) > each.bytes)
      },
      { timeoutMs: 60_000, everyMs: 100 },
    )
    const returnMs = performance.now() - fromMs
    const answered = shots.filter((shot) => [200, 202].includes(statusOf(shot)))
    return {
      metrics: [
        ['calls while no log could be written, by answer', countsOf(shots)],
        ['processes that said so', unwritable.length],
        ['lines lost', full.reduce((sum, { lost }) => sum + lost, 0)],
        ['ms until all logs were written again', Math.round(returnMs)],
      ],
      claims: [
        claim('no process was replaced', pids() === pidsBefore, `${pidsBefore} became ${pids()}`),
        measured(
          'every call is served',
          answered.length === shots.length,
          `${shots.length - answered.length} of ${shots.length} were not: ${countsOf(shots)}`,
        ),
        claim(
          'the metric of the alert ArsLogNotWritten says so, in both gateways and in a worker',
          ['gateway', 'gateway', 'worker'].every((role, at) => unwritable[at]?.role === role),
          `only ${unwritable.map(({ name }) => name).join(', ')} say so`,
        ),
        measured(
          `all logs are written again ${cureMs / 1000} s after there is space`,
          returnMs <= cureMs,
          `${Math.round(returnMs)} ms`,
        ),
      ],
    }
  },
})

const create = ({ fleet, key }: Stage, n: number) => {
  const order = {
    key: key(`create-${n}`),
    agentId: fleet.agentId('test-echo'),
    input: { query: 'hello' },
    prefer: 'wait=5',
  }
  const attempt = { what: 'create' as const, key: order.key, call: fleet.client.toCall(order), expects: [200, 202] }
  return shootOnce(fleet.client, n % 2, attempt)
}

const sizeOf = ({ logFile }: { logFile: string }): number => statSync(logFile).size

const outputOf = async ({ metricsUrl }: { metricsUrl: string }): Promise<{ isWritable: boolean; lost: number }> => {
  const text = await (await fetch(`${metricsUrl}/metrics`)).text()
  return {
    isWritable: /^ars_log_writable(\{[^}]*\})? 1$/m.test(text),
    lost: Number(/^ars_log_lines_lost_total(?:\{[^}]*\})? (\d+)$/m.exec(text)?.[1] ?? 0),
  }
}
