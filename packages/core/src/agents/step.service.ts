import { appendFileSync, closeSync, fsyncSync, openSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { isSimulated, simulateStep } from './simulated.ts'

/** One unit of an agent's work. It may be asked for twice: `key` is the same each time. */
export type StepRequest = {
  agent: { config: Readonly<Record<string, unknown>> }
  input: Readonly<Record<string, unknown>>
  step: number
  attempt: number
  runId: string
  signal: AbortSignal
}

export type StepOutcome =
  | { kind: 'continue'; output: Record<string, unknown> | null; tokens: Tokens }
  | { kind: 'completed'; output: Record<string, unknown>; tokens: Tokens }
  | { kind: 'failed'; code: 'agent_error'; message: string; tokens: Tokens }

export type Tokens = { input: number; output: number }

export type StepService = { take(request: StepRequest): Promise<StepOutcome> }

const noTokens: Tokens = { input: 0, output: 0 }

/** `testing` is there on a test stack only: a ledger outside the database, and obedience to deadly inputs. */
export const createSteps = (testing: { ledgerFile: string | undefined } | undefined): StepService => ({
  take: async ({ agent, input, step, attempt, runId, signal }) => {
    const { model } = agent.config
    if (!isSimulated(model)) {
      return { kind: 'failed', code: 'agent_error', message: `No model ${String(model)}`, tokens: noTokens }
    }
    const simulated = simulateStep(model, input, step)
    if (testing && simulated.recorded && testing.ledgerFile) {
      appendToLedger(testing.ledgerFile, { run_id: runId, step, attempt })
    }
    if (testing && simulated.deadly) process.kill(process.pid, 'SIGKILL')
    if (simulated.delayMs > 0) await sleep(simulated.delayMs, undefined, { signal })
    return simulated.output === null
      ? { kind: 'continue', output: null, tokens: noTokens }
      : { kind: 'completed', output: simulated.output, tokens: noTokens }
  },
})

// On the disk before the step goes on, so that the ledger knows of every step that a crash interrupted.
const appendToLedger = (file: string, line: Record<string, unknown>): void => {
  const ledger = openSync(file, 'a')
  try {
    appendFileSync(ledger, `${JSON.stringify(line)}\n`)
    fsyncSync(ledger)
  } finally {
    closeSync(ledger)
  }
}
