import { appendFileSync } from 'node:fs'
import type { Outcome } from './outcome.ts'

/** `short`: the size that one plays often. `full`: the size of the promise. */
export type ProofSize = 'short' | 'full'

/** An outcome of the proof with this name in `proof/proofs/list.ts`. `minutes`: of all parts, if it was played in parts. */
export type Kept = { proof: string; size: ProofSize; seed?: string; minutes?: number; outcome: Outcome }

/**
 * The runner of `pnpm proofs` names a file with this variable and reads a line for each outcome. The service refuses settings
 * that it does not know, and those begin with ARS_.
 */
export const outcomeVariable = 'PROOF_OUTCOME'

/** Hands an outcome to the runner. Without a runner it does nothing. */
export const keepOutcome = (kept: Kept): void => {
  const file = process.env[outcomeVariable]
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(kept)}\n`)
}
