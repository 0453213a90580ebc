import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { findBinary } from '@ars/tools/dev/parts/binary'

/** The processes that belong to a measurement, by the name under which their CPU time is reported. */
export type Watched = Record<string, () => number | undefined>

/** CPU time since boot, in milliseconds. */
export type CpuMoment = {
  atMs: number
  /** What all programs together used: user, nice and system. Interrupts and steal belong to nobody. */
  busyMs: number
  stealMs: number
  parts: Record<string, number>
}

export type CpuUse = {
  /** Of one CPU per part. */
  parts: Record<string, number>
  /** Shares of the whole machine. */
  foreignShare: number
  stealShare: number
}

export const readCpu = (watched: Watched): CpuMoment => {
  const table = readProcesses()
  const pids = Object.entries(watched).map(([name, pidOf]) => [name, pidOf()] as const)
  const heads = new Set(pids.map(([, pid]) => pid))
  const parts = Object.fromEntries(
    pids.map(([name, pid]) => [name, pid === undefined ? 0 : timeOfFamily(table, pid, heads)]),
  )
  const [user = 0, nice = 0, system = 0, , , , , steal = 0] = firstLine('/proc/stat').slice(1).map(Number)
  return {
    atMs: performance.now(),
    busyMs: (user + nice + system) * msPerTick,
    stealMs: steal * msPerTick,
    parts,
  }
}

export const cpuBetween = (from: CpuMoment, to: CpuMoment): CpuUse => {
  const parts = Object.fromEntries(
    Object.entries(to.parts).map(([name, timeMs]) => [name, timeMs - (from.parts[name] ?? 0)]),
  )
  const ours = Object.values(parts).reduce((sum, timeMs) => sum + timeMs, 0)
  const machineMs = (to.atMs - from.atMs) * cpuCount
  return {
    parts,
    foreignShare: Math.max(0, to.busyMs - from.busyMs - ours) / machineMs,
    stealShare: (to.stealMs - from.stealMs) / machineMs,
  }
}

/** What others use of the computer, seen for a second. */
export const foreignShareOf = async (watched: Watched): Promise<number> => {
  const from = readCpu(watched)
  await sleep(1000)
  return cpuBetween(from, readCpu(watched)).foreignShare
}

/** The process itself and all below it. */
export const familyOf = (pid: number): number[] => {
  const table = readProcesses()
  const below = (parent: number): number[] =>
    [...table].flatMap(([each, { parent: of }]) => (of === parent ? [each, ...below(each)] : []))
  return [pid, ...below(pid)]
}

/** Pins a process and all below it to one core, where `taskset` is installed; processes forked later inherit it. */
export const pinFamily = (head: number | undefined, core: string): void => {
  const taskset = findBinary(['taskset'])
  if (head === undefined || !taskset) return
  for (const pid of familyOf(head)) {
    try {
      execFileSync(taskset, ['-a', '-c', '-p', core, String(pid)], { stdio: 'ignore' })
    } catch {
      // It ended meanwhile, as processes of Postgres do.
    }
  }
}

const msPerTick = 1000 / Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))
const cpuCount = readFileSync('/proc/stat', 'utf8').match(/^cpu\d+ /gm)?.length ?? 1

type ProcessTime = {
  parent: number
  own: number
  /** Of children that have ended and were waited for: a backend that goes must not take its time with it. */
  gone: number
}

/** A process with all that live below it, but for those that are watched under a name of their own. */
const timeOfFamily = (
  table: ReadonlyMap<number, ProcessTime>,
  pid: number,
  heads: ReadonlySet<number | undefined>,
): number => {
  let sum = 0
  for (const [each, { parent, own, gone }] of table) {
    if (each === pid) sum += own + gone
    else if (parent === pid && !heads.has(each)) sum += timeOfFamily(table, each, heads)
  }
  return sum
}

const readProcesses = (): Map<number, ProcessTime> => {
  const table = new Map<number, ProcessTime>()
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, 'utf8')
      // The name in parentheses may itself hold spaces and parentheses: the fields are counted after its end.
      const fields = stat
        .slice(stat.lastIndexOf(')') + 2)
        .split(' ')
        .map(Number)
      const [utime = 0, stime = 0, cutime = 0, cstime = 0] = fields.slice(11, 15)
      table.set(Number(entry), {
        parent: fields[1] ?? 0,
        own: (utime + stime) * msPerTick,
        gone: (cutime + cstime) * msPerTick,
      })
    } catch {
      // It ended between the listing and the reading.
    }
  }
  return table
}

const firstLine = (file: string): string[] => readFileSync(file, 'utf8').split('\n', 1)[0]?.split(/\s+/) ?? []
