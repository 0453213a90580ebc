import { join, resolve } from 'node:path'
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { PartError } from '../dev/parts/part.ts'
import { repositoryDir } from '../dev/server.ts'
import type { RoundSize } from './rounds.ts'

/** What every bench can be told. */
export const commonOptions = {
  quick: { type: 'boolean' },
  rounds: { type: 'string' },
  seconds: { type: 'string' },
  patience: { type: 'string' },
  report: { type: 'string' },
  'port-base': { type: 'string' },
  dir: { type: 'string' },
} as const

/** Reads what a bench was called with. Whoever mistypes an option is shown all of them. */
export function parseOptions<const Options extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: Options,
  help: string,
) {
  try {
    return parseArgs({ args: [...args], options })
  } catch (error) {
    throw new PartError(`${(error as Error).message}\n\n${help}`, { cause: error })
  }
}

/** What the benches have in common that can be pinned to cores and profiled. */
export interface PinnedSettings {
  /** As it was called, for the report. */
  command: string
  isProfile: boolean
  /** What is measured on one core, who calls it or is called by it on another. */
  isPinned: boolean
  size: RoundSize
  selfRounds: number
  dir: string
  /** First port of the block; without it a free block is looked for. */
  base: number | undefined
  /** Where the report goes; without it, it is only printed. */
  reportFile: string | undefined
}

export const pinnedOptions = { ...commonOptions, profile: { type: 'boolean' }, unpinned: { type: 'boolean' } } as const

type PinnedValues = {
  [Name in keyof typeof commonOptions]?: (typeof commonOptions)[Name]['type'] extends 'boolean' ? boolean : string
} & {
  profile?: boolean
  unpinned?: boolean
}

/** `quickSeconds`: the windows of a first look; `leadInMs`: what of each window does not count. */
export function pinnedSettings(
  bench: string,
  args: readonly string[],
  values: PinnedValues,
  { quickSeconds, leadInMs }: { quickSeconds: string; leadInMs: number },
): PinnedSettings {
  const isQuick = values.quick ?? false
  const isProfile = values.profile ?? false
  const from = (path: string): string => resolve(process.env.INIT_CWD ?? '', path)
  const name = isProfile ? `bench-${bench}-profile.md` : `bench-${bench}.md`
  const usual = isQuick ? undefined : join(repositoryDir, 'docs/reports', name)
  return {
    command: [`pnpm bench ${bench}`, ...args].join(' '),
    isProfile,
    isPinned: !values.unpinned,
    size: {
      rounds: wholeNumber('rounds', values.rounds ?? (isQuick ? '2' : '5')),
      windowMs: 1000 * wholeNumber('seconds', values.seconds ?? (isQuick ? quickSeconds : '10')),
      leadInMs,
      patienceMs: 1000 * wholeNumber('patience', values.patience ?? (isQuick ? '5' : '60')),
    },
    selfRounds: isQuick ? 1 : 2,
    dir: values.dir ? from(values.dir) : join(repositoryDir, `.dev/bench-${bench}`),
    base: values['port-base'] === undefined ? undefined : wholeNumber('port-base', values['port-base']),
    reportFile: values.report ? from(values.report) : usual,
  }
}

export function wholeNumber(name: string, text: string): number {
  const number = Number(text)
  if (!Number.isInteger(number) || number < 1) throw new PartError(`--${name} must be a whole number, not ${text}`)
  return number
}
