/**
 * A segment is the stretch from a start, or a resume, until the run ends or waits for a person. This is all that the
 * engine is told of it: names and numbers, never a payload.
 */
export type Segment = {
  org: string
  /** The run's UUID. */
  run: string
  epoch: number
  segment: number
  /** The first step to take. */
  step: number
}

/** What became of one step: go on, the run waits for a person or has ended, another worker carries on, or it is not ours. */
export type Word = 'continue' | 'wait' | 'done' | 'moved' | 'stale'

/** The engine makes one invocation of all sends with this key. */
export const segmentKey = ({ run, epoch, segment }: Segment): string => `${run}:${epoch}:${segment}`

export const segmentTarget = { service: 'Run', handler: 'segment' } as const

/** How many runs of one organisation share a statement and a commit, and how many such statements are under way. */
export const gathering = {
  most: 32,
  underWay: 1,
  keyOf: ({ segment }: { segment: Segment }): string => segment.run,
} as const
