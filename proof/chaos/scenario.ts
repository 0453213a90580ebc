import type { Random } from '../lab/random.ts'
import type { Outcome } from '../lab/report/outcome.ts'
import type { SmallDisks } from '../lab/stack/small-disk.ts'
import type { Fleet } from './fleet.ts'
import type { LedgerLine } from './ledger.ts'
import type { Records } from './records.ts'

export { type Claim, claim, type Metric, measured, type Outcome } from '../lab/report/outcome.ts'

/** A promise of the service, and the way in which it is tried. */
export type Scenario = {
  /** The row of the promise, such as R8, or a word where it has none. */
  readonly name: string
  readonly promise: string
  /** Laid over the servers' settings. */
  readonly serverEnv?: NodeJS.ProcessEnv
  /** Parts end in it without being killed, because that is what it is about. */
  readonly expectsCrashes?: true
  /** Folders of its stack that are small file systems, with their MiB. Only root can play it. */
  readonly smallDisks?: SmallDisks
  /** How long it may take at the most. */
  readonly patienceMs?: Readonly<Record<SizeName, number>>
  /** The table of its sizes, for `--list`. */
  readonly sizes: Readonly<Record<SizeName, object>>
  /** Numbers of its sizes that `--set` has changed. */
  readonly changes?: SizeChanges
  play(stage: Stage, size: SizeName): Promise<Outcome>
  /** The same scenario with other numbers in both of its sizes. */
  resized(changes: SizeChanges): Scenario
}

type SizeChanges = Readonly<Record<string, number>>

/** `ci`: small enough for every change. `full`: the size of the promise. */
export type SizeName = 'ci' | 'full'

export type Stage = {
  fleet: Fleet
  random: Random
  /** Aborted when time is up or a part does not restart: all waiting must end. */
  hopeless: AbortSignal
  /** A word on how far it has come. */
  say(progress: string): void
  /** A key of this scenario: the stack may have been used by others. */
  key(name: string | number): string
  /** What the database says of this scenario's runs. */
  records(): Promise<Records>
  /** What the ledger says of these runs. */
  ledgerOf(records: Records): LedgerLine[]
}

/** A scenario whose sizes are a table: the compiler sees to it that both have every number. */
export const scenario = <Size extends object>(
  parts: Omit<Scenario, 'play' | 'sizes' | 'resized'> & {
    sizes: Readonly<Record<SizeName, Size>>
    play(stage: Stage, size: Size): Promise<Outcome>
  },
): Scenario => {
  const { play, ...rest } = parts
  return {
    ...rest,
    play: (stage, size) => play(stage, rest.sizes[size]),
    resized: (changes) => {
      const { ci, full } = rest.sizes
      return scenario({ ...parts, changes, sizes: { ci: { ...ci, ...changes }, full: { ...full, ...changes } } })
    },
  }
}
