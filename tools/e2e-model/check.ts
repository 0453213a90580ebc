import { TooLate } from './live-run.ts'
import type { Scene } from './scene.ts'

/** Something that must be true of the service with a real model behind it. */
export interface Check {
  name: string
  /** Left out of the short form. */
  isLong?: true
  /** Throws when it is not true. It may look at shapes and figures of what the model says, never at its words. */
  check(scene: Scene, stage: Stage): Promise<Finding>
}

export interface Stage {
  size: 'ci' | 'full'
  /** A line of progress. */
  say(words: string): void
}

export interface Finding {
  says: string
  /** For the report. */
  figures?: readonly (readonly [what: string, value: string | number])[]
}

/** Tries again when the model was done too early, or when what is measured was disturbed by the rest of the machine. */
export async function persist<Found>(
  attempt: () => Promise<Found>,
  { tries = 3, isGood = () => true }: { tries?: number; isGood?: (found: Found) => boolean } = {},
): Promise<Found> {
  for (let left = tries - 1; ; left--) {
    try {
      const found = await attempt()
      if (left === 0 || isGood(found)) return found
    } catch (error) {
      if (left === 0 || !(error instanceof TooLate)) throw error
    }
  }
}
