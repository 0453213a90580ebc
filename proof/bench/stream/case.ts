import { setTimeout as sleep } from 'node:timers/promises'
import type { Watched } from '../../lab/measure/cpu.ts'
import type { Tell } from '../../lab/measure/rounds.ts'
import { checkStreams, type StreamCorrectness } from './correctness.ts'
import type { StreamLoad } from './load.ts'
import { type Memory, readMemory } from './memory.ts'
import type { StreamOptions } from './options.ts'
import type { StreamOutcome, StreamProtocol, StreamSide } from './protocol.ts'
import { compareStreams, compareStreamsWithThemselves, type StreamBench, type StreamComparison } from './rounds.ts'
import type { StreamServers, StreamSubject } from './subject.ts'

export type StreamCase = {
  protocol: StreamProtocol
  runs: number
}

export type StreamCaseMetrics = StreamCase & {
  /** How long it took to open all streams of a side. */
  openedMs: Record<StreamSide, number>
  memory: Record<StreamSide, { before: Memory; after: Memory }>
  itself: StreamComparison
  service: StreamComparison
  correctness: Record<StreamSide, StreamCorrectness>
}

/** Streams that come and go first, so that what all streams share is there, and code is warm, before memory is read. */
const warmUpStreams = 100
const warmUps = 3
const settleMs = 5_000

export const measureCase = async (
  which: StreamCase,
  { subject, load, options, tell }: { subject: StreamSubject; load: StreamLoad; options: StreamOptions; tell: Tell },
): Promise<StreamCaseMetrics> => {
  const { protocol, runs } = which
  const { streams, size, selfRounds } = options
  tell(`${protocol}, ${streams} streams of ${runs} runs: starting a gateway and a control`)
  const servers = await subject.startServers()
  try {
    const bench: StreamBench = { streams, load, servers, watched: everybody(subject, servers, load), size, tell }
    await warmUp(bench, { protocol, runs, streams })
    await sleep(settleMs)
    const before = await readMemories(servers)
    const openedMs = await openBoth(bench, { protocol, streams, runs })
    tell(
      `opened in ${(openedMs.service / 1000).toFixed(1)} s, the control's in ${(openedMs.control / 1000).toFixed(1)} s`,
    )
    await sleep(settleMs)
    servers.bare.speak(false)
    const after = await readMemories(servers)
    const of = (side: StreamSide) => ({ before: before[side], after: after[side] })
    const memory = { service: of('service'), control: of('control') }
    tell(`RSS per stream: ${perStream(memory.service, streams)}, control ${perStream(memory.control, streams)}`)
    tell('Comparing the control with itself')
    const itself = await compareStreamsWithThemselves(bench, selfRounds)
    tell('Gateway against control')
    const service = await compareStreams(bench, 'service', size.rounds)
    tell('Ending the runs and looking at the frames of every stream')
    const { outcomes, lastIds } = await endBoth(bench)
    const correctness = await checkStreams(subject.stack.postgres.superuserUrl('ars'), streams, outcomes, lastIds)
    return { ...which, openedMs, memory, itself, service, correctness }
  } finally {
    await servers.stop()
  }
}

const warmUp = async (
  bench: StreamBench,
  { protocol, runs, streams }: StreamCase & { streams: number },
): Promise<void> => {
  const few = Math.min(warmUpStreams, streams)
  const fewRuns = Math.max(1, Math.round((few * runs) / streams))
  for (let n = 0; n < warmUps; n++) {
    await openBoth(bench, { protocol, streams: few, runs: fewRuns })
    await sleep(2000)
    await endBoth(bench)
  }
}

const everybody = (subject: StreamSubject, servers: StreamServers, load: StreamLoad): Watched => ({
  gateway: servers.gateway.pid,
  ...subject.watched,
  control: servers.bare.pid,
  generator: load.pid,
  bench: () => process.pid,
})

export const openBoth = async (
  { load, servers }: Pick<StreamBench, 'load' | 'servers'>,
  order: StreamCase & { streams: number },
): Promise<Record<StreamSide, number>> => {
  const service = await load.ask({ kind: 'open', side: 'service', ...order })
  const control = await load.ask({ kind: 'open', side: 'control', ...order })
  servers.bare.speak(true)
  return { service: service.tookMs, control: control.tookMs }
}

export const endBoth = async ({
  load,
  servers,
}: Pick<StreamBench, 'load' | 'servers'>): Promise<{
  outcomes: Record<StreamSide, StreamOutcome[]>
  lastIds: number[]
}> => {
  await load.ask({ kind: 'cancel' })
  const service = await load.ask({ kind: 'await end', side: 'service' })
  const lastIds = await servers.bare.end()
  const control = await load.ask({ kind: 'await end', side: 'control' })
  return { outcomes: { service, control }, lastIds }
}

const readMemories = async ({ gateway, bare, memoryFiles }: StreamServers): Promise<Record<StreamSide, Memory>> => ({
  service: await readMemory(gateway.pid(), memoryFiles.service),
  control: await readMemory(bare.pid(), memoryFiles.control),
})

const perStream = ({ before, after }: { before: Memory; after: Memory }, streams: number): string => {
  const each = (what: 'rss' | 'heapUsed'): string => ((after[what] - before[what]) / streams / 1024).toFixed(1)
  return `${each('rss')} KB (live JavaScript ${each('heapUsed')})`
}
