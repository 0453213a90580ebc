import { appendFileSync, closeSync, fsyncSync, openSync } from 'node:fs'
import type { Usage } from './cost.ts'
import { ProviderError } from './failure.ts'
import { ModelFailure, type ModelReply, type ModelRequest } from './model.ts'
import type { Sleep } from './retry.service.ts'
import type { Turn } from './script.ts'
import { nextTurn, type SimulatedModel } from './simulation.ts'

/** On a test stack only: a ledger outside the database, and obedience to inputs that kill the process. */
export type Testing = { ledgerFile: string | undefined }

/** Plays one turn; `tries` counts from 1. It uses no library and no network: load tests use it. */
export const playTurn = (
  model: SimulatedModel,
  request: ModelRequest,
  { tries, sleep, testing }: { tries: number; sleep: Sleep; testing: Testing | undefined },
): ModelReply | Promise<ModelReply> => {
  const turn = nextTurn(model, request.simulation, request.messages)
  if ('problem' in turn) throw new ModelFailure(turn.problem, { retryable: false, code: 'agent_error' })
  if (testing) obey(turn, request, testing)
  // An attempt that a crash interrupted counts as failed.
  const failsNow = turn.fail !== undefined && tries + request.simulation.attempt - 1 <= turn.fail.times
  if (failsNow || turn.delayMs > 0 || turn.delayPerChunkMs > 0) return playSlowly(turn, request, failsNow, sleep)
  for (const chunk of turn.chunks) request.onText(chunk)
  return replyOf(turn, request)
}

const playSlowly = async (turn: Turn, request: ModelRequest, failsNow: boolean, sleep: Sleep): Promise<ModelReply> => {
  const { signal, onText } = request
  if (turn.delayMs > 0) await sleep(turn.delayMs, signal)
  for (const chunk of failsNow ? turn.chunks.slice(0, turn.fail?.afterChunks) : turn.chunks) {
    if (turn.delayPerChunkMs > 0) await sleep(turn.delayPerChunkMs, signal)
    onText(chunk)
  }
  if (!turn.fail || !failsNow) return replyOf(turn, request)
  const { message, retryable, retryAfterMs, code } = turn.fail
  if (retryable) throw new ProviderError(message, { retryable, retryAfterMs, isUnavailable: true })
  throw new ModelFailure(message, { retryable: false, code })
}

const replyOf = (turn: Turn, request: ModelRequest): ModelReply => {
  const text = turn.chunks.length === 1 ? (turn.chunks[0] ?? '') : turn.chunks.join('')
  return {
    text,
    toolCalls: turn.toolCalls,
    usage: turn.usage ?? usageOf(text, request),
    costUsd: 0,
    finish: turn.finish ?? (turn.toolCalls.length > 0 ? 'tool_calls' : 'stop'),
    ...(turn.output && { output: turn.output }),
    ...(turn.again && { again: true }),
    ...(turn.asks && turn.asks.length > 0 && { asks: turn.asks }),
  }
}

/** About four characters per token; deterministic for the same run. */
const usageOf = (text: string, { messages }: ModelRequest): Usage => {
  let inputTokens = 0
  for (const message of messages) {
    const said = message.role === 'tool' ? JSON.stringify(message.results) : message.text
    inputTokens += Math.ceil(said.length / 4)
  }
  return { inputTokens, outputTokens: Math.ceil(text.length / 4) }
}

const obey = ({ recorded, deadly }: Turn, { simulation }: ModelRequest, { ledgerFile }: Testing): void => {
  const { runId, step, attempt } = simulation
  if (recorded && ledgerFile) appendToLedger(ledgerFile, { run_id: runId, step, attempt })
  if (deadly) process.kill(process.pid, 'SIGKILL')
}

// Synced to disk before the step continues, so that the ledger contains every step that a crash interrupted.
const appendToLedger = (file: string, line: Record<string, unknown>): void => {
  const ledger = openSync(file, 'a')
  try {
    appendFileSync(ledger, `${JSON.stringify(line)}\n`)
    fsyncSync(ledger)
  } finally {
    closeSync(ledger)
  }
}
