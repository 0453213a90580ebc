import type { Mutant } from './draw.ts'

/** How the play of a fault ended. `by`: the first test that failed. */
export type Verdict = { readonly found: 'test' | 'gate' | 'not'; readonly by: string; readonly minutes: number }

/** The last output of a play: its status, or null after the time limit. */
type Play = { readonly status: number | null; readonly output: string }

export type Plays = {
  /** These test files, up to the first failure. */
  tests(files: readonly string[]): Promise<Play>
  /** The fast tests that can see the fault, up to the first failure. */
  gate(): Promise<Play>
}

/** The tests that a fault names first. Only if they pass, everything that can see it. */
export const judge = async ({ tests }: Mutant, plays: Plays): Promise<Omit<Verdict, 'minutes'>> => {
  const byTest = tests === undefined ? undefined : failureOf(await plays.tests(tests))
  if (byTest !== undefined) return { found: 'test', by: byTest }
  const byGate = failureOf(await plays.gate())
  return byGate === undefined ? { found: 'not', by: '' } : { found: 'gate', by: byGate }
}

/**
 * The first failure. A play that was stopped at its time limit has found nothing, and one that failed without a failed test says
 * nothing about the fault.
 */
export const failureOf = ({ status, output }: Play): string | undefined => {
  if (status === 0 || status === null) return undefined
  const failed = /FAIL .*/.exec(output) ?? /× .*/.exec(output) ?? /Unhandled (?:Errors?|Rejection).*/.exec(output)
  if (failed) return failed[0].trim()
  throw new Error(`No test failed, but the play ended with status ${status}:\n${output.trimEnd().slice(-2_000)}`)
}
