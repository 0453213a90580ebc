import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { type CpuUse, cpuBetween, readCpu, type Watched } from './cpu.ts'
import type { RoundSize, Tell } from './rounds.ts'
import { foreignShareMost, isSelfComparisonFair, rejectionOf, type Spread, spreadOf } from './statistics.ts'
import type { StreamLoad } from './stream-load.ts'
import type { StreamSide, StreamTally } from './stream-protocol.ts'
import type { StreamServers } from './stream-subject.ts'

export interface StreamWindow extends StreamTally {
  side: StreamSide
  seconds: number
  /** Of the gateway or of the control, all of its threads. */
  cpuUsPerEvent: number
  cpu: CpuUse
}

/** One round: control, subject, subject, control. */
export interface StreamRound {
  windows: readonly [StreamWindow, StreamWindow, StreamWindow, StreamWindow]
  /** CPU time per event of the subject over that of the control. */
  ratio: number
  rejection: string | undefined
}

export interface StreamComparison {
  rounds: StreamRound[]
  accepted: StreamRound[]
  ratio: Spread
  /** False when too few rounds were left to count: then all were taken, and the figure is only a hint. */
  isSound: boolean
}

export interface StreamBench {
  /** How many are open on each side. */
  streams: number
  load: StreamLoad
  servers: StreamServers
  watched: Watched
  size: RoundSize
  tell: Tell
}

/** Each stream has an event a second; a little fewer when the machine is late. */
const rateLeast = 0.9
/** Then what was measured must do. */
const rejectedMost = 2

export async function compareStreams(
  bench: StreamBench,
  subject: StreamSide,
  wanted: number,
): Promise<StreamComparison> {
  const rounds: StreamRound[] = []
  const counting = (): StreamRound[] => rounds.filter(({ rejection }) => !rejection)
  while (counting().length < wanted && rounds.length < wanted + rejectedMost) {
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
export async function compareStreamsWithThemselves(bench: StreamBench, wanted: number): Promise<StreamComparison> {
  const comparison = await compareStreams(bench, 'control', wanted)
  if (isSelfComparisonFair(comparison.ratio.median)) return comparison
  bench.tell('the control differs from itself: measured again')
  return compareStreams(bench, 'control', wanted)
}

async function measureRound(bench: StreamBench, subject: StreamSide): Promise<StreamRound> {
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

/** What is done whether or not there are events would be laid on the few that there are. */
function rateRejectionOf(windows: readonly StreamWindow[], streams: number): string | undefined {
  const least = Math.min(...windows.map(({ events, seconds }) => events / seconds))
  return least < rateLeast * streams ? `only ${least.toFixed(0)} events a second came` : undefined
}

/**
 * The control is silent unless it is measured. The service's runs speak all the time, so that both sides are measured
 * beside the same worker, database and engine at work.
 */
async function measureWindow(bench: StreamBench, side: StreamSide): Promise<StreamWindow> {
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
function cpuMsOf(pid: number | undefined): number {
  if (pid === undefined) throw new Error('a server ended while it was measured')
  const dir = `/proc/${pid}/task`
  return readdirSync(dir)
    .map((thread) => Number(readFileSync(`${dir}/${thread}/schedstat`, 'utf8').split(' ', 1)[0]) / 1e6)
    .reduce((sum, one) => sum + one, 0)
}

/** A round that begins while others work is a round lost. Twice quiet in a row, because work comes in bursts. */
async function untilQuiet({ watched, size }: StreamBench): Promise<void> {
  const deadline = performance.now() + size.patienceMs
  for (let quiet = 0; quiet < 2 && performance.now() < deadline; ) {
    const from = readCpu(watched)
    await sleep(1000)
    quiet = cpuBetween(from, readCpu(watched)).foreignShare <= foreignShareMost ? quiet + 1 : 0
  }
}

function inWords({ windows, ratio, rejection }: StreamRound): string {
  const costs = windows.map(({ cpuUsPerEvent }) => cpuUsPerEvent.toFixed(1)).join(' / ')
  return `${costs} µs an event, ratio ${ratio.toFixed(3)}${rejection ? `; rejected: ${rejection}` : ''}`
}
