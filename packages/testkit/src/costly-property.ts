import fc from 'fast-check'

/** For `fc.assert`: a share of the runs of other properties, because a run of this one takes long. */
export const oneIn = (divisor: number): { numRuns: number } => ({
  numRuns: Math.ceil((fc.readConfigureGlobal().numRuns ?? 50) / divisor),
})
