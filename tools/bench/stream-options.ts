import { join, resolve } from 'node:path'
import { PartError } from '../dev/parts/part.ts'
import { repositoryDir } from '../dev/server.ts'
import { commonOptions, parseOptions, wholeNumber } from './options.ts'
import type { RoundSize } from './rounds.ts'
import type { StreamProtocol } from './stream-protocol.ts'

export interface StreamOptions {
  isQuick: boolean
  isProfile: boolean
  streams: number
  protocols: StreamProtocol[]
  /** Each number of runs that the streams share is a case of its own. */
  runs: number[]
  size: RoundSize
  selfRounds: number
  dir: string
  /** First port of the block; without it a free block is looked for. */
  base: number | undefined
  reportFile: string | undefined
}

export const streamHelp = `pnpm bench stream: open streams of runs that say something once a second, against a bare Node server.

Starts a stack of its own and the control, a server of node:https and node:http2 that writes the same frames to as many
connections of the same client; compares the control with itself, then gateway and control in rounds of control,
service, service, control; checks the frames of every stream; writes docs/reports/bench-stream.md. Takes about
25 minutes and wants the computer for itself.

  --quick             200 streams over 10 runs, 2 rounds of 4 s windows: a first look, no report file
  --streams <n>       streams on each side (default 2000)
  --runs <a,b>        how many runs the streams share; each number is measured (default 20,2000)
  --protocol h1|h2    only this one (default both)
  --rounds <n>        rounds that must count, per case (default 5)
  --seconds <n>       length of each of a round's four windows (default 10)
  --patience <s>      how long a round waits for other programs on the computer to become quiet (default 60)
  --profile           instead: the gateway under the CPU profiler
  --report <file>     where the report goes
  --port-base <n>     first of 20 ports (default: a free block)
  --dir <path>        where the stack's data lies; emptied first (default .dev/bench-stream)
`

export function readStreamOptions(args: readonly string[]): StreamOptions {
  const { values } = parseOptions(args, options, streamHelp)
  const isQuick = values.quick ?? false
  const isProfile = values.profile ?? false
  const streams = wholeNumber('streams', values.streams ?? (isQuick ? '200' : '2000'))
  const runs = (values.runs ?? (isQuick ? '10' : `20,${streams}`)).split(',').map((one) => wholeNumber('runs', one))
  if (runs.some((count) => count > streams)) throw new PartError('--runs cannot be more than --streams')
  const from = (path: string): string => resolve(process.env.INIT_CWD ?? '', path)
  const reportName = isProfile ? 'bench-stream-profile.md' : 'bench-stream.md'
  const defaultReport = isQuick ? undefined : join(repositoryDir, 'docs/reports', reportName)
  return {
    isQuick,
    isProfile,
    streams,
    runs,
    protocols: protocolsOf(values.protocol),
    size: {
      rounds: wholeNumber('rounds', values.rounds ?? (isQuick ? '2' : '5')),
      windowMs: 1000 * wholeNumber('seconds', values.seconds ?? (isQuick ? '4' : '10')),
      leadInMs: 1000,
      patienceMs: 1000 * wholeNumber('patience', values.patience ?? (isQuick ? '10' : '60')),
    },
    selfRounds: isQuick ? 1 : 2,
    dir: values.dir ? from(values.dir) : join(repositoryDir, '.dev/bench-stream'),
    base: values['port-base'] === undefined ? undefined : wholeNumber('port-base', values['port-base']),
    reportFile: values.report ? from(values.report) : defaultReport,
  }
}

function protocolsOf(name: string | undefined): StreamProtocol[] {
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
