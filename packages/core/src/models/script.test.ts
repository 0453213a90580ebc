import { expect, test } from 'vitest'
import { modelsBounds } from './bounds.ts'
import { problemsOfScript } from './script.ts'

const many = <Item>(count: number, item: Item): Item[] => Array.from({ length: count }, () => item)

test.for<[string, number, (size: number) => unknown]>([
  ['turns', modelsBounds.scriptTurns.count, (size) => many(size, {})],
  ['delay_ms', modelsBounds.scriptDelay.ms, (size) => [{ delay_ms: size }]],
  ['delay_per_chunk_ms', modelsBounds.scriptChunkDelay.ms, (size) => [{ delay_per_chunk_ms: size }]],
  ['chunks', modelsBounds.scriptChunks.count, (size) => [{ chunks: many(size, '') }]],
  ['text', modelsBounds.scriptText.chars, (size) => [{ text: 'x'.repeat(size) }]],
  ['tool_calls', modelsBounds.scriptToolCalls.count, (size) => [{ tool_calls: many(size, { name: 'a' }) }]],
  ['asks', modelsBounds.scriptQuestions.count, (size) => [{ asks: many(size, { type: 'input', message: 'a' }) }]],
  ['fail.times', modelsBounds.scriptFailures.count, (size) => [{ fail: { times: size } }]],
  ['fail.retry_after_ms', modelsBounds.scriptRetryAfter.ms, (size) => [{ fail: { retry_after_ms: size } }]],
  [
    'expires_in_seconds',
    modelsBounds.scriptQuestionTime.seconds,
    (size) => [{ asks: [{ type: 'input', message: 'a', expires_in_seconds: size }] }],
  ],
])('%s of a script is accepted up to %d and refused beyond', ([, max, of]) => {
  expect(problemsOfScript(of(max))).toEqual([])
  expect(problemsOfScript(of(max + 1))).toHaveLength(1)
})
