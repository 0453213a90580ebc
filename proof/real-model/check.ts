import { TooLate } from './live-run.ts'
import type { Scene } from './scene.ts'

/** Something that must be true of the service with a real model behind it. */
export type Check = {
  name: string
  /** Left out of the short form. */
  isLong?: true
  /** Throws when it is not true. It may check the shape and the metrics of the model's output, never its words. */
  check(scene: Scene, stage: Stage): Promise<Finding>
}

export type Stage = {
  size: 'ci' | 'full'
  /** A line of progress. */
  say(words: string): void
}

export type Finding = {
  says: string
  /** For the report. */
  metrics?: readonly (readonly [what: string, value: string | number])[]
}

/** Retries when the model finished too early or when other load on the machine disturbed the measurement. */
export const persist = async <Found>(
  attempt: () => Promise<Found>,
  { tries = 3, isGood = () => true }: { tries?: number; isGood?: (found: Found) => boolean } = {},
): Promise<Found> => {
  for (let left = tries - 1; ; left--) {
    try {
      const found = await attempt()
      if (left === 0 || isGood(found)) return found
    } catch (error) {
      if (left === 0 || !(error instanceof TooLate)) throw error
    }
  }
}
