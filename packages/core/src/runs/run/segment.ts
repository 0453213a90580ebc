import { runsBounds } from '../bounds.ts'

/**
 * A segment is the part of a run from a start or resume until the run ends or waits for a person. The engine gets
 * only these ids and numbers, never a payload.
 */
export type Segment = {
  org: string
  /** The run's UUID. */
  run: string
  epoch: number
  segment: number
  /** The first step to execute. */
  step: number
}

/** The outcome of one step: continue, the run waits or has ended, another worker continues, or it is not ours. */
export type StepSignal = 'continue' | 'wait' | 'done' | 'moved' | 'stale'

/** The outcome and its step: an invocation that is retried continues after the last stored step. */
export type StepResult = { word: StepSignal; step: number }

/** The engine deduplicates sends with this key. */
export const segmentKey = ({ run, epoch, segment }: Segment): string => `${run}:${epoch}:${segment}`

/** Null: not a key of a segment. */
export const segmentOfKey = (key: string): Pick<Segment, 'run' | 'epoch' | 'segment'> | null => {
  const [, run, epoch, segment] = /^([0-9a-f-]{36}):(\d{1,9}):(\d{1,9})$/.exec(key) ?? []
  return run === undefined ? null : { run, epoch: Number(epoch), segment: Number(segment) }
}

export const segmentTarget = { service: 'Run', handler: 'segment' } as const

/** How many runs share a statement and a commit, and how many such statements of one organisation are in flight. */
export const batching = {
  most: runsBounds.segmentStoresTogether.count,
  underWay: runsBounds.segmentStoresOfOrganisation.count,
  keyOf: ({ segment }: { segment: Segment }): string => segment.run,
} as const
