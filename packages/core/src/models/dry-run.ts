import { scriptLimits, turnOfScript } from './script.ts'

/** The final text of a script for an input, assuming that tools answer and people approve. Nothing is waited for. */
export const dryRun = (
  script: unknown,
  input: Readonly<Record<string, unknown>>,
): { text: string; output: Record<string, unknown> | undefined } | { problem: string } => {
  let asked = 0
  for (let number = 0; number <= scriptLimits.turns; number++) {
    const decisions = Array.from({ length: asked }, () => ({ decision: 'approved', comment: null, payload: null }))
    const turn = turnOfScript(script, number, { input, decisions })
    if ('problem' in turn) return turn
    if (turn.asks?.length) asked = turn.asks.length
    else if (!turn.again && turn.toolCalls.length === 0) return { text: turn.chunks.join(''), output: turn.output }
  }
  return { problem: 'The script does not end' }
}
