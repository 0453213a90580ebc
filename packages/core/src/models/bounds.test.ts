import { expect, test } from 'vitest'
import { modelsBounds } from './bounds.ts'
import { nextTurn, type SimulatedModel } from './simulation.ts'

const turnOf = (model: SimulatedModel, input: Record<string, unknown>, step = 1) => {
  const turn = nextTurn(model, { input, step, attempt: 1, runId: 'run_1' }, [])
  if ('problem' in turn) throw new Error(turn.problem)
  return turn
}

test('what a test agent is asked for is cut to its row', () => {
  const huge = 1_000_000_000
  const steps = modelsBounds.simulatedSteps.count
  expect(turnOf('simulated/steps', { steps: huge }, steps - 1).again).toBe(true)
  expect(turnOf('simulated/steps', { steps: huge }, steps)).toMatchObject({ output: { steps } })
  expect(turnOf('simulated/steps', { delay_ms: huge }).delayMs).toBe(modelsBounds.simulatedStepDelay.ms)
  expect(turnOf('simulated/slow', { seconds: huge }).delayMs).toBe(modelsBounds.simulatedWait.seconds * 1_000)
  expect(turnOf('simulated/fail', { after_chunks: huge }).chunks).toHaveLength(modelsBounds.chunksBeforeFailure.count)
  expect(turnOf('simulated/flaky', { after_chunks: huge }).fail?.afterChunks).toBe(
    modelsBounds.chunksBeforePassingFailure.count,
  )
  const [chunk] = turnOf('simulated/stream', { chunks: 2, chunk_chars: huge }).chunks
  expect(chunk).toHaveLength(modelsBounds.simulatedChunk.chars)
})
