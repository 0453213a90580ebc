import { PartError } from '@ars/tools/dev/parts/part'
import { type BenchSettings, benchSettings, commonOptions, parseOptions, wholeNumber } from '../../lab/options.ts'
import type { StreamProtocol } from './protocol.ts'

export type StreamOptions = BenchSettings & {
  streams: number
  protocols: StreamProtocol[]
  /** Each number of runs that the streams share is a separate case. */
  runs: number[]
}

export const streamHelp = `pnpm bench stream: open streams of runs that say something once a second, against a bare Node server.

Starts a stack and the control, a server of node:https and node:http2 that writes the same frames to as many
connections of the same client; compares the control with itself, then gateway and control in rounds of control,
service, service, control; checks the frames of every stream. Takes about
25 minutes. Stop other programs first.

  --quick             200 streams over 10 runs, 2 rounds of 4 s windows: a first look
  --streams <n>       streams on each side (default 2000)
  --runs <a,b>        how many runs the streams share; each number is measured (default 20,2000)
  --protocol h1|h2    only this one (default both)
  --rounds <n>        rounds that must count, per case (default 5)
  --seconds <n>       length of each of a round's four windows (default 10)
  --patience <s>      how long a round waits for other programs on the computer to become quiet (default 60)
  --profile           instead: the gateway under the CPU profiler
  --port-base <n>     first of 20 ports (default: a free block)
  --dir <path>        where the stack's data lies; emptied first (default .dev/bench-stream)
`

export const readStreamOptions = (args: readonly string[]): StreamOptions => {
  const { values } = parseOptions(args, options, streamHelp)
  const isQuick = values.quick ?? false
  const streams = wholeNumber('streams', values.streams ?? (isQuick ? '200' : '2000'))
  const runs = (values.runs ?? (isQuick ? '10' : `20,${streams}`)).split(',').map((one) => wholeNumber('runs', one))
  if (runs.some((count) => count > streams)) throw new PartError('--runs cannot be more than --streams')
  return {
    ...benchSettings('stream', args, values, { quickSeconds: '4', leadInMs: 1000, patience: ['10', '60'] }),
    streams,
    runs,
    protocols: protocolsOf(values.protocol),
  }
}

const protocolsOf = (name: string | undefined): StreamProtocol[] => {
  if (name === undefined) return ['h2', 'h1']
  if (name !== 'h1' && name !== 'h2') throw new PartError(`--protocol is h1 or h2, not ${name}`)
  return [name]
}

const options = {
  ...commonOptions,
  profile: { type: 'boolean' },
  streams: { type: 'string' },
  runs: { type: 'string' },
  protocol: { type: 'string' },
} as const
