import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { findBinary } from '@ars/tools/dev/parts/binary'
import { PartError } from '@ars/tools/dev/parts/part'
import { cpuBetween, foreignShareOf, readCpu, type Watched } from '../../lab/measure/cpu.ts'
import type { Load, Side, WindowResult } from '../../lab/measure/load.ts'

/** What wrk calls, and what every answer must be. */
export type WrkTarget = {
  url: string
  authorization: string
  /** False: every answer is a refusal, but for the few that a refilled bucket lets pass. */
  isAllowed: boolean
}

/** Two targets as the sides of a comparison, called by wrk: of all clients it takes the least of the machine. */
export const wrkLoad = (
  sides: Record<Side, WrkTarget>,
  watched: Watched,
  { core }: { core: number | undefined },
): Load => {
  const everybody: Watched = { ...watched, bench: () => process.pid }
  return {
    pid: () => undefined,
    close: () => undefined,
    listen: () => foreignShareOf(everybody),
    async run(order): Promise<WindowResult> {
      const target = sides[order.side]
      const call = (seconds: number) => wrk(target, { seconds, connections: order.callers, core })
      await call(Math.max(1, Math.round(order.leadInMs / 1000)))
      const from = readCpu(everybody)
      const heard = await call(Math.round(order.lengthMs / 1000))
      const cpu = cpuBetween(from, readCpu(everybody))
      const wrong = target.isAllowed ? heard.refused : heard.answers - heard.refused
      const failures = { ...(wrong > maxRefill && { wrong }), ...(heard.broken > 0 && { broken: heard.broken }) }
      return { ...heard, answersInAll: heard.answers, order: { kind: 'window', ...order }, cpu, runIds: [], failures }
    },
  }
}

/** A key with one request a minute is let pass once in a while. */
const maxRefill = 2

/** The program, and what it says, which has not changed for years. */
const wrk = async (
  { url, authorization }: WrkTarget,
  { seconds, connections, core }: { seconds: number; connections: number; core: number | undefined },
) => {
  const program = findBinary(['wrk'])
  if (!program) throw new PartError('wrk is not installed: `apt-get install wrk`, or `brew install wrk`')
  const args = ['-t1', `-c${connections}`, `-d${seconds}s`, '--latency', '-H', `authorization: ${authorization}`, url]
  const taskset = core === undefined ? undefined : findBinary(['taskset'])
  const [command, words] = taskset ? [taskset, ['-c', String(core), program, ...args]] : [program, args]
  const { stdout } = await promisify(execFile)(command, words)
  const find = (pattern: RegExp): string => {
    const found = pattern.exec(stdout)?.[1]
    if (found === undefined) throw new PartError(`The output of wrk cannot be parsed:\n${stdout}`)
    return found
  }
  const refused = Number(/Non-2xx or 3xx responses: (\d+)/.exec(stdout)?.[1] ?? 0)
  const broken = (/Socket errors: (.*)/.exec(stdout)?.[1]?.match(/\d+/g) ?? []).reduce(
    (sum, each) => sum + Number(each),
    0,
  )
  return {
    answers: Number(find(/(\d+) requests in/)),
    seconds: toMs(find(/requests in ([\d.]+\w+)/)) / 1000,
    refused,
    broken,
    latencyMs: {
      mean: toMs(find(/Latency\s+([\d.]+\w+)/)),
      p50: toMs(find(/50%\s+([\d.]+\w+)/)),
      p90: toMs(find(/90%\s+([\d.]+\w+)/)),
      p99: toMs(find(/99%\s+([\d.]+\w+)/)),
      most: toMs(find(/Latency\s+\S+\s+\S+\s+([\d.]+\w+)/)),
    },
  }
}

const toMs = (text: string): number => {
  const [, number, unit = ''] = /^([\d.]+)(us|ms|s|m)$/.exec(text) ?? []
  const factor = { us: 0.001, ms: 1, s: 1000, m: 60_000 }[unit]
  if (factor === undefined) throw new PartError(`wrk printed an unknown duration: ${text}`)
  return Number(number) * factor
}
