import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { reserveFreeBlock } from '@ars/tools/dev/parts/ports'
import { cpuBetween, readCpu, type Watched } from '../../../lab/measure/cpu.ts'
import type { Load, Side, WindowResult } from '../../../lab/measure/load.ts'
import { perSecond } from '../../../lab/measure/rounds.ts'
import { sizeOf } from '../../../lab/options.ts'
import { renewFolder } from '../../../lab/peers/folder.ts'
import { keepOutcome } from '../../../lab/report/keep.ts'
import { printReport, tell } from '../../../lab/report/progress.ts'
import { checkCorrectness } from '../correctness.ts'
import { startLoad } from '../load.ts'
import { dbos } from './dbos.ts'
import { cpuMsPerRun, oursPrefix, type PeerRound, peerPrefix } from './figures.ts'
import { hatchet } from './hatchet.ts'
import { langGraph } from './langgraph.ts'
import { type PeerName, type PeersOptions, readPeersOptions } from './options.ts'
import { startOurs } from './ours.ts'
import type { Peer, Place, Product } from './peer.ts'
import { measureRecovery, type Recovery } from './recovery.ts'
import { outcomeOf, type PeerMetrics, peersReport } from './report.ts'

export { peersHelp } from './options.ts'

const known: Record<PeerName, Peer> = { langgraph: langGraph, hatchet, dbos }

export const benchPeers = async (args: readonly string[]): Promise<boolean> => {
  const options = readPeersOptions(args)
  const startedAt = new Date()
  const closers: (() => Promise<unknown>)[] = []
  const place = async (name: string): Promise<Place> => {
    const block = await reserveFreeBlock()
    closers.push(() => block.release())
    const dir = join(options.dir, name)
    await renewFolder(dir)
    return { dir, base: block.base, callers: options.callers }
  }
  try {
    // First of all, because a peer that cannot be installed ends the play.
    const homes = new Map<PeerName, string>()
    for (const name of options.peers) homes.set(name, await known[name].install(options.cache, tell))
    tell('Starting Agent Run Service')
    const ours = await startOurs(await place('ours'))
    closers.push(() => ours.stop())
    const windows = { warmUp: [] as WindowResult[], measured: [] as WindowResult[] }
    const peers: PeerMetrics[] = []
    for (const [name, home] of homes) {
      tell(`Starting ${name}`)
      const peer = await known[name].start({ ...(await place(name)), home }, tell)
      peers.push(await measurePeer(options, ours, peer, windows))
    }
    await sleep(1000) // The last writes of the last runs.
    const correctness = await checkCorrectness(ours.databaseUrl, onlyOurs(windows), sides.ours)
    const recovery = await recover(ours, options)
    const metrics = { options, startedAt, ours, recovery, peers, correctness }
    printReport(peersReport(metrics))
    keepOutcome({ proof: 'bench-peers', size: sizeOf(options), outcome: outcomeOf(metrics) })
    return correctness.isRight && recovery.completed === recovery.runs
  } finally {
    for (const close of closers.toReversed()) await close()
  }
}

// The generator knows two sides. Here the service is ours, and the control is the peer.
const sides = { ours: 'service', peer: 'control' } as const satisfies Record<string, Side>

type Windows = { warmUp: WindowResult[]; measured: WindowResult[] }

/** A failed call of a peer does not make ours wrong. */
const onlyOurs = ({ warmUp, measured }: Windows): Windows => {
  const isOurs = ({ order }: WindowResult): boolean => order.side === sides.ours
  return { warmUp: warmUp.filter(isOurs), measured: measured.filter(isOurs) }
}

const measurePeer = async (
  options: PeersOptions,
  ours: Product,
  peer: Product,
  windows: Windows,
): Promise<PeerMetrics> => {
  const { name, version, settings } = peer
  try {
    const watched = { ...named(oursPrefix, ours.watched), ...named(peerPrefix, peer.watched), ...peer.callers }
    const idle = await measureIdle(watched, options.windowMs)
    const load = await startLoad({ service: ours.target, control: peer.target }, watched)
    const { callers, warmUpMs } = options
    tell(`Warming up ${name} and ours, ${callers} callers`)
    for (const side of [sides.peer, sides.ours]) {
      windows.warmUp.push(await load.run({ side, callers, leadInMs: 0, lengthMs: warmUpMs }))
    }
    const many = await measureRounds(options, load, name, callers, windows)
    const one = await measureRounds(options, load, name, 1, windows)
    load.close()
    const recovery = await recover(peer, options)
    return { name, version, settings, killed: peer.recovery.killed, idle, many, one, recovery }
  } finally {
    await peer.stop()
  }
}

const measureRounds = async (
  { rounds, windowMs, leadInMs }: PeersOptions,
  load: Load,
  name: string,
  callers: number,
  windows: Windows,
): Promise<PeerRound[]> => {
  const measured: PeerRound[] = []
  const window = async (side: Side): Promise<WindowResult> => {
    const result = await load.run({ side, callers, leadInMs, lengthMs: windowMs })
    windows.measured.push(result)
    return result
  }
  for (let round = 1; round <= rounds; round++) {
    const four = [
      await window(sides.ours),
      await window(sides.peer),
      await window(sides.peer),
      await window(sides.ours),
    ] as const
    measured.push(four)
    const rates = four.map((each) => perSecond(each).toFixed(1)).join(' / ')
    const costs = four.map((each) => cpuMsPerRun(each).toFixed(1)).join(' / ')
    tell(`${name}, callers ${callers}, round ${round}: ours, peer, peer, ours: ${rates} runs/s; CPU ${costs} ms/run`)
  }
  return measured
}

/** CPU time that each side uses while it has no run, as a share of one core. */
const measureIdle = async (watched: Watched, lengthMs: number): Promise<{ ours: number; peer: number }> => {
  await sleep(3000) // The start itself costs time.
  const from = readCpu(watched)
  await sleep(lengthMs)
  const to = readCpu(watched)
  const { parts } = cpuBetween(from, to)
  const shareOf = (prefix: string): number => {
    const ms = Object.entries(parts).reduce((sum, [name, each]) => (name.startsWith(prefix) ? sum + each : sum), 0)
    return ms / (to.atMs - from.atMs)
  }
  return { ours: shareOf(oursPrefix), peer: shareOf(peerPrefix) }
}

const recover = async ({ name, recovery }: Product, { recoveryRuns }: PeersOptions): Promise<Recovery> => {
  tell(`${name}: kill -9 of ${recovery.killed} with ${recoveryRuns} runs under way`)
  const found = await measureRecovery(recovery, recoveryRuns)
  tell(`${name}: ${JSON.stringify(found)}`)
  return found
}

const named = (prefix: string, watched: Watched): Watched =>
  Object.fromEntries(Object.entries(watched).map(([part, pid]) => [`${prefix}${part}`, pid]))
