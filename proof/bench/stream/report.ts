import { cpus } from 'node:os'
import { isSelfComparisonFair, median, type Spread } from '../../lab/measure/statistics.ts'
import { bar, type Claim, claim, type Outcome } from '../../lab/report/outcome.ts'
import { table } from '../../lab/report/table.ts'
import type { StreamCaseMetrics } from './case.ts'
import type { StreamOptions } from './options.ts'
import { type StreamSide, speech, streamsPerConnection } from './protocol.ts'
import type { StreamComparison, StreamRound, StreamWindow } from './rounds.ts'

type StreamMetrics = {
  options: StreamOptions
  startedAt: Date
  cases: StreamCaseMetrics[]
}

/** Of reliability.md, P6. */
const aims = { cpuRatio: 2.5, bytesPerStream: 25 * 1024, p99Ms: 100 } as const

export const streamReportOf = (metrics: StreamMetrics): string =>
  `${[
    heading(metrics),
    cpu(metrics),
    memory(metrics),
    latency(metrics),
    wholePath(metrics),
    correctness(metrics),
    allRounds(metrics),
  ].join('\n\n')}\n`

export const outcomeOf = ({ cases, options }: StreamMetrics): Outcome => ({
  claims: cases.flatMap((one): Claim[] => {
    const name = nameOf(one, options).join(', ')
    const { before, after } = one.memory.service
    const { frames, gaps, duplicates, lateBegins, withoutEnd, unlikeTheRun, isRight } = one.correctness.service
    const found = `gaps ${gaps}, duplicates ${duplicates}, late begins ${lateBegins}, without end ${withoutEnd}, unlike the run ${unlikeTheRun} of ${frames} frames`
    const windows = windowsOf(one.service, 'service')
    const p99Ms = median(windows.map(({ latencyMs }) => latencyMs.p99))
    return [
      claim(`${name}: every stream is complete`, isRight, found),
      bar(`${name}: CPU of an event over bare Node`, one.service.ratio.median, { most: aims.cpuRatio }),
      bar(`${name}: bytes of a stream`, (after.rss - before.rss) / options.streams, { most: aims.bytesPerStream }, 0),
      bar(`${name}: from emit to receive, p99 ms`, p99Ms, { most: aims.p99Ms }, 0),
    ]
  }),
  metrics: [['streams', options.streams]],
})

const heading = ({ startedAt, options }: StreamMetrics): string => {
  const { size, streams } = options
  return `# Bench: open streams against bare Node

Measured on ${startedAt.toISOString().slice(0, 16).replace('T', ' ')} UTC, ${cpus().length} vCPU, everything and the clients on one machine, Node ${process.versions.node}. Made by \`pnpm bench stream${options.isQuick ? ' --quick' : ''}\`.

**Service**: ${streams} clients on \`POST /v2/runs/stream\` and \`GET /v2/runs/{id}/stream\`, TLS, one gateway; the runs are of \`test-stream\`, a piece of ${speech.chunk_chars} characters every second, by the real way: worker, Postgres, Redis, gateway. **Control**: a server of \`node:https\` and \`node:http2\` that writes frames of the same bytes to as many connections of the same client, a frame a second and run, in the worker's ticks of 50 ms; no keys, no database, no limits. HTTP/2 (h2): ${streamsPerConnection} streams a connection; HTTP/1.1 (h1): one.
A round is control, service, service, control, ${size.windowMs / 1000} s each. The service's runs speak through all of it, so both sides are measured beside the same load; the control is silent unless it is measured. CPU time is that of the one process, from the scheduler; clients are not in it. ${size.rounds} rounds must count; a round is rejected when others use more than 10 % of the machine in one of its windows, when its two control windows differ by more than 20 %, or when fewer than 0.9 events a second and stream came.`
}

const cpu = ({ cases, options }: StreamMetrics): string => {
  const rows = cases.map((one) => [
    ...nameOf(one, options),
    cost(windowsOf(one.service, 'control')),
    cost(windowsOf(one.service, 'service')),
    `**${one.service.ratio.median.toFixed(2)}**`,
    iqr(one.service.ratio),
    verdict(one.service.ratio.median <= aims.cpuRatio),
    selfInWords(one.itself),
    counted(one.service),
  ])
  return `## CPU per event, aim: at most ${aims.cpuRatio} times the control

${table(['', 'runs × watchers', 'control µs', 'gateway µs', 'ratio', 'IQR', 'aim', 'control/control', 'rounds'], rows)}`
}

const memory = ({ cases, options }: Pick<StreamMetrics, 'cases' | 'options'>): string => {
  const rows = cases.flatMap((one) =>
    (['control', 'service'] as const).map((side) => {
      const { before, after } = one.memory[side]
      const each = (bytes: number): string => (bytes / options.streams / 1024).toFixed(1)
      const rss = after.rss - before.rss
      return [
        ...nameOf(one, options),
        side,
        (before.rss / 2 ** 20).toFixed(0),
        (after.rss / 2 ** 20).toFixed(0),
        `**${each(rss)}**`,
        each(after.heapUsed - before.heapUsed),
        each(rss - (after.heapTotal - before.heapTotal)),
        side === 'service' ? verdict(rss / options.streams <= aims.bytesPerStream) : '',
      ]
    }),
  )
  return `## Memory per stream, aim: at most 25 KB of RSS

RSS of the process with all streams open less RSS without any, each read after forced clean-ups that also give back V8's free pages (the young generation grows with the work done, not with live memory). Before that, 300 streams had come and gone.

${table(['', 'runs × watchers', 'side', 'RSS MB without', 'RSS MB with', 'KB a stream', 'of it live JavaScript', 'of it outside the heap', 'aim'], rows)}

${memoryInWords({ cases, options })}`
}

/** What the gateway adds to a connection that does nothing, and what no gateway on Node could go below. */
const memoryInWords = ({ cases, options }: Pick<StreamMetrics, 'cases' | 'options'>): string => {
  const lines = cases.map((one) => {
    const of = (side: StreamSide): number =>
      (one.memory[side].after.rss - one.memory[side].before.rss) / options.streams / 1024
    const limit = of('control') * 1024 > aims.bytesPerStream ? ': the bare connection alone is above the aim' : ''
    return `- ${nameOf(one, options).join(', ')}: bare Node ${of('control').toFixed(1)} KB, the gateway adds ${(of('service') - of('control')).toFixed(1)} KB${limit}.`
  })
  return `${lines.join('\n')}

Each HTTP/1.1 stream is a TLS connection, and nearly all of its memory is outside the heap: OpenSSL's state and buffers, which bare Node needs as well. Streams of HTTP/2 share a connection.`
}

const latency = ({ cases, options }: StreamMetrics): string => {
  const rows = cases.flatMap((one) =>
    (['control', 'service'] as const).map((side) => {
      const windows = windowsOf(one.service, side)
      const at = (pick: (window: StreamWindow) => number): number => median(windows.map(pick))
      const p99 = at(({ latencyMs }) => latencyMs.p99)
      return [
        ...nameOf(one, options),
        side,
        at(({ latencyMs }) => latencyMs.p50).toFixed(1),
        p99.toFixed(1),
        at(({ latencyMs }) => latencyMs.most).toFixed(0),
        at(({ events, seconds }) => events / seconds).toFixed(0),
        at(({ bytes, events }) => bytes / events).toFixed(1),
        side === 'service' ? verdict(p99 <= aims.p99Ms) : '',
      ]
    }),
  )
  return `## From emit to receive in ms (medians of the windows), aim: p99 at most ${aims.p99Ms}

${table(['', 'runs × watchers', 'side', 'p50', 'p99', 'most', 'events/s', 'bytes an event', 'aim'], rows)}

Emit is the \`created_at\` of the frame: for the service the time of the statement that stores it, so commit, Redis and gateway are in the figure, and the worker's gathering before it (at most one tick of 50 ms) is not.`
}

const wholePath = ({ cases, options }: StreamMetrics): string => {
  const parts = ['gateway', 'worker', 'postgres', 'redis', 'restate', 'generator'] as const
  const rows = cases.map((one) => {
    const windows = windowsOf(one.service, 'service')
    const each = (part: string): string =>
      median(windows.map(({ cpu, events }) => (1000 * (cpu.parts[part] ?? 0)) / events)).toFixed(1)
    return [...nameOf(one, options), ...parts.map(each), (one.openedMs.service / options.streams).toFixed(1)]
  })
  return `## CPU of the whole way in µs per event received

${table(['', 'runs × watchers', ...parts, 'ms to open a stream'], rows)}`
}

const correctness = ({ cases, options }: StreamMetrics): string => {
  const isRight = cases.every(({ correctness: of }) => of.service.isRight && of.control.isRight)
  const rows = cases.flatMap((one) =>
    (['control', 'service'] as const).map((side) => {
      const facts = one.correctness[side]
      const counts = [facts.streams, facts.runs, facts.frames, facts.gaps, facts.duplicates, facts.lateBegins]
      return [...nameOf(one, options), side, ...[...counts, facts.withoutEnd, facts.unlikeTheRun].map(String)]
    }),
  )
  return `## Correctness in the same run: ${isRight ? 'right' : '**WRONG, the measurements above are void**'}

Every client's frames are numbered from 1 without a gap or a repetition up to the end of the run; its last number and its number of pieces are those that the database has for the run.

${table(['', 'runs × watchers', 'side', 'streams', 'runs', 'frames', 'gaps', 'duplicates', 'late begins', 'without end', 'unlike the run'], rows)}`
}

const allRounds = ({ cases, options }: StreamMetrics): string => {
  const rows = cases.flatMap((one) => [
    ...roundRows([...nameOf(one, options), 'control/control'], one.itself),
    ...roundRows([...nameOf(one, options), 'gateway/control'], one.service),
  ])
  return `## All rounds, in µs CPU per event

${table(['', 'runs × watchers', 'what', 'round', '1', '2', '3', '4', 'ratio', 'foreign CPU, worst window', ''], rows)}`
}

const roundRows = (name: readonly string[], { rounds }: StreamComparison): string[][] =>
  rounds.map(({ windows, ratio, rejection }, index) => [
    ...name,
    String(index + 1),
    ...windows.map(({ cpuUsPerEvent }) => cpuUsPerEvent.toFixed(1)),
    ratio.toFixed(3),
    `${(Math.max(...windows.map(({ cpu: { foreignShare } }) => foreignShare)) * 100).toFixed(1)} %`,
    rejection ? `rejected: ${rejection}` : '',
  ])

const nameOf = ({ protocol, runs }: StreamCaseMetrics, { streams }: StreamOptions): string[] => [
  protocol,
  `${runs} × ${Math.round(streams / runs)}`,
]

const windowsOf = ({ accepted }: StreamComparison, side: StreamSide): StreamWindow[] =>
  accepted.flatMap((round: StreamRound) => round.windows.filter((window) => window.side === side))

const cost = (windows: readonly StreamWindow[]): string =>
  median(windows.map(({ cpuUsPerEvent }) => cpuUsPerEvent)).toFixed(1)

const selfInWords = ({ ratio, isSound }: StreamComparison): string => {
  const doubt = isSound ? '' : ' (too few counted: only a hint)'
  return `${ratio.median.toFixed(3)}${isSelfComparisonFair(ratio.median) ? doubt : ' (unfair)'}`
}

const counted = ({ accepted, rounds, isSound }: StreamComparison): string =>
  isSound ? `${accepted.length} of ${rounds.length}` : `${rounds.length}, too few counted: only a hint`

const verdict = (isReached: boolean): string => (isReached ? 'reached' : 'missed')

const iqr = ({ from, to }: Spread): string => `${from.toFixed(2)}–${to.toFixed(2)}`
