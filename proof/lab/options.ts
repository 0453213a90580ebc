import { join, resolve } from 'node:path'
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { PartError } from '@ars/tools/dev/parts/part'
import { repositoryDir } from '@ars/tools/dev/server'
import type { RoundSize } from './measure/rounds.ts'
import type { ProofSize } from './report/keep.ts'

/** Where a bench works and writes. */
export const placeOptions = {
  quick: { type: 'boolean' },
  'port-base': { type: 'string' },
  dir: { type: 'string' },
} as const

/** The options of every bench that measures in rounds. */
export const commonOptions = {
  ...placeOptions,
  rounds: { type: 'string' },
  seconds: { type: 'string' },
  patience: { type: 'string' },
} as const

/** Reads the options of a bench. An unknown option prints the help. */
export const parseOptions = <const Options extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: Options,
  help: string,
) => {
  try {
    return parseArgs({ args: [...args], options })
  } catch (error) {
    throw new PartError(`${(error as Error).message}\n\n${help}`, { cause: error })
  }
}

export type PlaceSettings = {
  /** As it was called, for the report. */
  command: string
  isQuick: boolean
  dir: string
  /** First port of the block; without it a free block is chosen. */
  base: number | undefined
}

/** The settings that all benches in rounds share. */
export type BenchSettings = PlaceSettings & { isProfile: boolean; size: RoundSize; selfRounds: number }

type ValuesOf<Options extends ParseArgsOptionsConfig> = {
  [Name in keyof Options]?: Options[Name]['type'] extends 'boolean' ? boolean : string
}
type BenchValues = ValuesOf<typeof commonOptions> & { profile?: boolean }

/** Defaults that differ between the benches; of pairs the first is for `--quick`. */
export type BenchDefaults = {
  quickSeconds: string
  leadInMs: number | readonly [number, number]
  patience?: readonly [string, string]
  dir?: string
}

/** For the record. */
export const sizeOf = ({ isQuick }: Pick<PlaceSettings, 'isQuick'>): ProofSize => (isQuick ? 'short' : 'full')

export const placeSettings = (
  bench: string,
  args: readonly string[],
  values: ValuesOf<typeof placeOptions>,
  { dir = `.dev/bench-${bench}` }: { dir?: string } = {},
): PlaceSettings => {
  const isQuick = values.quick ?? false
  const from = (path: string): string => resolve(process.env.INIT_CWD ?? '', path)
  return {
    command: [`pnpm bench ${bench}`, ...args].join(' '),
    isQuick,
    dir: values.dir ? from(values.dir) : join(repositoryDir, dir),
    base: values['port-base'] === undefined ? undefined : wholeNumber('port-base', values['port-base']),
  }
}

export const benchSettings = (
  bench: string,
  args: readonly string[],
  values: BenchValues,
  { quickSeconds, leadInMs, patience = ['5', '60'], dir = `.dev/bench-${bench}` }: BenchDefaults,
): BenchSettings => {
  const isProfile = values.profile ?? false
  const place = placeSettings(bench, args, values, { dir })
  const { isQuick } = place
  const of = <Value>([quick, full]: readonly [Value, Value]): Value => (isQuick ? quick : full)
  return {
    ...place,
    isProfile,
    size: {
      rounds: wholeNumber('rounds', values.rounds ?? of(['2', '5'])),
      windowMs: 1000 * wholeNumber('seconds', values.seconds ?? of([quickSeconds, '10'])),
      leadInMs: typeof leadInMs === 'number' ? leadInMs : of(leadInMs),
      patienceMs: 1000 * wholeNumber('patience', values.patience ?? of(patience)),
    },
    selfRounds: isQuick ? 1 : 2,
  }
}

export const wholeNumber = (name: string, text: string): number => {
  const number = Number(text)
  if (!Number.isInteger(number) || number < 1) throw new PartError(`--${name} must be a whole number, not ${text}`)
  return number
}
