import fc from 'fast-check'

/**
 * How often properties are tried. Normally few runs with one seed, so that each play gives the same verdict. With
 * ARS_PROPERTIES=random many runs with a new seed, which fast-check prints with each failure; ARS_PROPERTIES_SEED=<seed>
 * repeats them.
 */
const { ARS_PROPERTIES: mode = '', ARS_PROPERTIES_SEED: seed = '' } = process.env
if (!['', 'random'].includes(mode)) throw new Error(`ARS_PROPERTIES is "random" or not set, not "${mode}"`)
if (!/^(-?\d+)?$/.test(seed)) throw new Error(`ARS_PROPERTIES_SEED is a whole number, not "${seed}"`)

/** A property that has not failed by then passes. */
const maxMs = 120_000

fc.configureGlobal(
  mode === 'random' || seed
    ? {
        numRuns: 5_000,
        interruptAfterTimeLimit: maxMs,
        markInterruptAsFailure: false,
        ...(seed && { seed: Number(seed) }),
      }
    : { numRuns: 50, seed: 20_260_101 },
)
