import type { Log } from '@ars/platform/log/log'
import type { OnEnded } from './run-end.ts'

/** One line per ended run, written by the process whose statement ended it. */
export const createEndNotes =
  ({ log, onEnded }: { log: Log; onEnded: OnEnded }): OnEnded =>
  (ended) => {
    onEnded(ended)
    log.info('run ended', {
      run_id: ended.run,
      org_id: ended.org,
      agent_id: ended.agent,
      agent_version: ended.version,
      status: ended.status,
      code: ended.code ?? undefined,
      steps: ended.steps,
      input_tokens: ended.inputTokens,
      output_tokens: ended.outputTokens,
      duration_ms: ended.durationMs,
    })
  }
