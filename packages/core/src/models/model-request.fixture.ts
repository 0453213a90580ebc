import type { ModelRequest } from './model.ts'

/** A call with one message and without tools, whose callbacks do nothing. */
export const requestFor = (model: string): ModelRequest => ({
  model,
  messages: [{ role: 'user', text: 'hello' }],
  tools: [],
  signal: new AbortController().signal,
  onText: () => undefined,
  onRestart: () => undefined,
  onFailedTry: () => undefined,
  onBackOff: () => undefined,
  simulation: { input: {}, step: 1, attempt: 1, runId: 'run_1' },
})
