import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { type CpuUse, cpuBetween, readCpu, type Watched } from '../../lab/measure/cpu.ts'
import type { RoundSize, Tell } from '../../lab/measure/rounds.ts'
import {
  isSelfComparisonFair,
  maxForeignShare,
  rejectionOf,
  type Spread,
  spreadOf,
} from '../../lab/measure/statistics.ts'
import type { StreamLoad } from './load.ts'
import type { StreamSide, StreamTally } from './protocol.ts'
import type { StreamServers } from './subject.ts'

export type StreamWindow = StreamTally & {
  side: StreamSide
  seconds: number
  /** Of the gateway or of the control, all of its threads. */
  cpuUsPerEvent: number
  cpu: CpuUse
}

/** One round: control, subject, subject, control. */
export type StreamRound = {
  windows: readonly [StreamWindow, StreamWindow, StreamWindow, StreamWindow]
  /** CPU time per event of the subject over that of the control. */
  ratio: number
  rejection: string | undefined
}

export type StreamComparison = {
  rounds: StreamRound[]
  accepted: StreamRound[]
  ratio: Spread
  /** False when too few rounds count: then all are used, and the ratio is only a hint. */
  isSound: boolean
}

export type StreamBench = {
  /** How many are open on each side. */
  streams: number
  load: StreamLoad
  servers: StreamServers
  watched: Watched
  size: RoundSize
  tell: Tell
}

/** Each stream has an event a second; a little fewer when the machine is late. */
const minRate = 0.9
/** Then what was measured must do. */
const maxRejected = 2

export const compareStreams = async (
  bench: StreamBench,
  subject: StreamSide,
  wanted: number,
): Promise<StreamComparison> => {
  const rounds: StreamRound[] = []
  const counting = (): StreamRound[] => rounds.filter(({ rejection }) => !rejection)
  while (counting().length < wanted && rounds.length < wanted + maxRejected) {
    await untilQuiet(bench)
    const round = await measureRound(bench, subject)
    rounds.push(round)
    bench.tell(`round ${rounds.length}: ${inWords(round)}`)
  }
  const isSound = counting().length >= wanted
  const accepted = isSound ? counting() : rounds
  return { rounds, accepted, isSound, ratio: spreadOf(accepted.map(({ ratio }) => ratio)) }
}

/** The control against itself, again if it comes out unfair. */
export const compareStreamsWithThemselves = async (bench: StreamBench, wanted: number): Promise<StreamComparison> => {
  const comparison = await compareStreams(bench, 'control', wanted)
  if (isSelfComparisonFair(comparison.ratio.median)) return comparison
  bench.tell('the control differs from itself; measuring again')
  return compareStreams(bench, 'control', wanted)
}

const measureRound = async (bench: StreamBench, subject: StreamSide): Promise<StreamRound> => {
  const first = await measureWindow(bench, 'control')
  const second = await measureWindow(bench, subject)
  const third = await measureWindow(bench, subject)
  const last = await measureWindow(bench, 'control')
  const windows = [first, second, third, last] as const
  return {
    windows,
    ratio: (second.cpuUsPerEvent + third.cpuUsPerEvent) / (first.cpuUsPerEvent + last.cpuUsPerEvent),
    rejection:
      rateRejectionOf(windows, bench.streams) ??
      rejectionOf({
        control: [first.cpuUsPerEvent, last.cpuUsPerEvent],
        foreignShares: windows.map(({ cpu }) => cpu.foreignShare),
      }),
  }
}

/** With few events, the fixed cost would be attributed to them. */
const rateRejectionOf = (windows: readonly StreamWindow[], streams: number): string | undefined => {
  const least = Math.min(...windows.map(({ events, seconds }) => events / seconds))
  return least < minRate * streams ? `only ${least.toFixed(0)} events a second came` : undefined
}

/**
 * The control is silent unless it is measured. The service's runs speak all the time, so that both sides are measured
 * beside the same worker, database and engine at work.
 */
const measureWindow = async (bench: StreamBench, side: StreamSide): Promise<StreamWindow> => {
  const { load, servers, watched, size } = bench
  const pidOf = side === 'service' ? servers.gateway.pid : servers.bare.pid
  servers.bare.speak(side === 'control')
  await sleep(size.leadInMs)
  await load.ask({ kind: 'begin window', side })
  const from = readCpu(watched)
  const fromMs = cpuMsOf(pidOf())
  await sleep(size.windowMs)
  const tally = await load.ask({ kind: 'end window' })
  const toMs = cpuMsOf(pidOf())
  const to = readCpu(watched)
  servers.bare.speak(false)
  return {
    ...tally,
    side,
    seconds: (to.atMs - from.atMs) / 1000,
    cpuUsPerEvent: (1000 * (toMs - fromMs)) / tally.events,
    cpu: cpuBetween(from, to),
  }
}

/** To the nanosecond, from the scheduler: the ticks of /proc/<pid>/stat are too coarse for a server that is mostly idle. */
const cpuMsOf = (pid: number | undefined): number => {
  if (pid === undefined) throw new Error('a server ended while it was measured')
  const dir = `/proc/${pid}/task`
  return readdirSync(dir)
    .map((thread) => Number(readFileSync(`${dir}/${thread}/schedstat`, 'utf8').split(' ', 1)[0]) / 1e6)
    .reduce((sum, one) => sum + one, 0)
}

/** A round that begins while others work is a round lost. Twice quiet in a row, because work comes in bursts. */
const untilQuiet = async ({ watched, size }: StreamBench): Promise<void> => {
  const deadline = performance.now() + size.patienceMs
  for (let quiet = 0; quiet < 2 && performance.now() < deadline; ) {
    const from = readCpu(watched)
    await sleep(1000)
    quiet = cpuBetween(from, readCpu(watched)).foreignShare <= maxForeignShare ? quiet + 1 : 0
  }
}

const inWords = ({ windows, ratio, rejection }: StreamRound): string => {
  const costs = windows.map(({ cpuUsPerEvent }) => cpuUsPerEvent.toFixed(1)).join(' / ')
  return `${costs} µs an event, ratio ${ratio.toFixed(3)}${rejection ? `; rejected: ${rejection}` : ''}`
}
