import type { Outcome } from '../lab/report/outcome.ts'

/** A disaster or a change that operators rehearse, on a separate stack. */
export type Drill = {
  readonly name: string
  /** What it promises, in one sentence. */
  readonly promise: string
  readonly sizes: Readonly<Record<SizeName, object>>
  /** Numbers of its sizes that `--set` has changed. */
  readonly changes?: SizeChanges
  play(stage: DrillStage, size: SizeName): Promise<Outcome>
  /** The same drill with other numbers in both of its sizes. */
  resized(changes: SizeChanges): Drill
}

export type SizeChanges = Readonly<Record<string, number>>

/** `ci`: small enough for every change. `full`: the size of the promise. */
export type SizeName = 'ci' | 'full'

export type DrillStage = {
  /** A word on how far it has come. */
  say(progress: string): void
  /** The commit or version of the older release, for the drills that need one. */
  from: string | undefined
  /** Whether the files of the stack stay after a drill that failed. */
  keepFiles: boolean
}

/** A drill whose sizes are a table: the compiler checks that both have every number. */
export const drill = <Size extends object>(
  parts: Omit<Drill, 'play' | 'sizes' | 'resized'> & {
    sizes: Readonly<Record<SizeName, Size>>
    play(stage: DrillStage, size: Size): Promise<Outcome>
  },
): Drill => {
  const { play, ...rest } = parts
  return {
    ...rest,
    play: (stage, size) => play(stage, rest.sizes[size]),
    resized: (changes) => {
      const { ci, full } = rest.sizes
      return drill({ ...parts, changes, sizes: { ci: { ...ci, ...changes }, full: { ...full, ...changes } } })
    },
  }
}
