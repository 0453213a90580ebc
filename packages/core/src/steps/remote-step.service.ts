import { setTimeout as sleepFor } from 'node:timers/promises'
import { limits } from '@ars/contract'
import type { Clock } from '@ars/platform/clock'
import { randomBytes } from '@ars/platform/crypto'
import type { Database } from '@ars/platform/db/database'
import type { Egress } from '@ars/platform/egress/egress'
import { fromUuid } from '@ars/platform/id'
import type { Log } from '@ars/platform/log/log'
import { signatureHeaders } from '@ars/platform/signature'
import { traceHeaders } from '@ars/platform/trace/trace-context'
import {
  openRemoteSecrets,
  type RemoteConfig,
  type RemoteSecrets,
  readRemoteConfig,
  SecretsLost,
} from '../agents/index.ts'
import { authHeaders } from '../connectors/index.ts'
import type { Guardrails, GuardVerdict } from '../guardrails/index.ts'
import { decideRetry } from '../models/index.ts'
import type { SecretService } from '../secrets/index.ts'
import { RemoteFailure, readOutput, settleOutput, tooLarge } from './remote-answer.ts'
import { callRemote, parseJson, type RemoteAnswer } from './remote-call.service.ts'
import { failed, noTokens, type StepOutcome, type StepRecord, type Tokens } from './step.ts'
import type { StepChecks } from './step-check.service.ts'
import type { StepRequest } from './step-context.service.ts'

export type RemoteDeps = {
  egress: Pick<Egress, 'stream'>
  secrets: Pick<SecretService, 'open'>
  app: Database
  clock: Clock
  guardrails: Guardrails
  checks: StepChecks
  log: Log
  /** For tests: the wait function and the random number from 0 to 1. */
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>
  random?: () => number
}

/** One call of an agent that the customer operates. A run usually has one such step. */
export const createRemoteStep = (deps: RemoteDeps) => {
  const { sleep = sleepUnlessAborted, random = rollDice } = deps

  const take = async (request: StepRequest): Promise<StepOutcome> => {
    const { agent, step, org } = request
    const maxSteps = typeof agent.limits.max_steps === 'number' ? agent.limits.max_steps : limits.stepsDefault
    if (step > maxSteps) return failed('max_steps_exceeded', `The run took ${maxSteps} steps without an end`)
    const config = readRemoteConfig(agent.config)
    if (!config) return failed('agent_error', 'The agent has no address to be called at')
    try {
      const secrets = await openRemoteSecrets(deps, org, { id: agent.id, version: agent.version, config })
      const messages = request.messages === 0 ? [] : (await request.context.history()).messages
      return await persist(request, { config, secrets, messages })
    } catch (error) {
      if (!(error instanceof SecretsLost)) throw error
      const { runId: run_id } = request
      deps.log.error('agent secrets do not open', { run_id, org_id: org, agent_id: agent.id, error })
      return failed('agent_error', 'The agent’s secrets cannot be opened. Tell the operator of the service')
    }
  }

  /** Calls until there is a response, a permanent failure, or no time left. */
  const persist = async (request: StepRequest, known: Known): Promise<StepOutcome> => {
    const { context, signal } = request
    for (let tries = 1; ; tries++) {
      signal.throwIfAborted()
      const startedMs = deps.clock.monotonicMs()
      const stream = watchStream(deps.guardrails, context)
      let usage = noTokens
      try {
        const answer = await callRemote(deps, callOf(request, known, stream.write))
        usage = answer.usage
        return await settle(request, known, stream, answer)
      } catch (error) {
        signal.throwIfAborted()
        if (!(error instanceof RemoteFailure)) throw error
        const { code, message, retryable, retryAfterMs, details } = error
        deps.log.warn('remote agent call failed', {
          run_id: request.runId,
          agent_id: fromUuid('ag', request.agent.id),
          tries,
          code,
          status: details?.status,
          cause: error.cause instanceof Error ? error.cause.message : undefined,
        })
        context.failedTry({ startedMs, code, message })
        const decision = decideRetry({ failedTries: tries, retryAfterMs, random: random() })
        if (!retryable || !decision.retry) {
          const record = recordOf(known, stream.text(), usage)
          const said = code === 'guardrail_blocked' ? '' : stream.text()
          const often = retryable && tries > 1 ? ` (tried ${tries} times)` : ''
          return failed(code, message + often, {
            record,
            retryable,
            details,
            output: said === '' ? null : { result: said },
          })
        }
        if (stream.text() !== '') await context.reset()
        context.backOff({ untilMs: deps.clock.now().getTime() + decision.waitMs, message })
        await sleep(decision.waitMs, signal).catch((reason: unknown) => {
          signal.throwIfAborted()
          throw reason
        })
      }
    }
  }

  const callOf = (request: StepRequest, { config, secrets, messages }: Known, onText: (text: string) => void) => {
    const { agent, org, runId, step, input, signal } = request
    const key = `${runId}/${step}`
    const body = JSON.stringify({
      run_id: runId,
      agent_id: fromUuid('ag', agent.id),
      agent_version: agent.version,
      input,
      messages: messages.map(({ text }) => text),
    })
    const auth = { auth_type: config.auth.type, auth_header: config.auth.header }
    const { signing_secret, old_signing_secret, credential } = secrets
    const headers = {
      // Our headers override the one that the customer has named.
      ...authHeaders(auth, credential),
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'idempotency-key': key,
      ...traceHeaders(request.trace),
      ...signatureHeaders({ secrets: [signing_secret, old_signing_secret], id: key, at: deps.clock.now(), body }),
    }
    const hidden = [signing_secret, old_signing_secret, credential].filter((secret) => typeof secret === 'string')
    return { org, url: config.url, headers, body, secrets: hidden, signal, onText }
  }

  const settle = async (
    request: StepRequest,
    known: Known,
    stream: OutputStream,
    answer: RemoteAnswer,
  ): Promise<StepOutcome> => {
    const schema = request.agent.outputSchema
    const read = readOutput({ output: answer.output, streamed: stream.received() }, { schema, parse: parseJson })
    const problems = schema ? await deps.checks.output(request, schema, read.whole) : []
    const { output, withdraw, say } = settleOutput(read, { schema, problems })
    throwIfBlocked(deps.guardrails.check('output', output))
    if (withdraw) await request.context.reset()
    const last = withdraw ? watchStream(deps.guardrails, request.context) : stream
    if (say !== '') last.write(say)
    last.end()
    return { kind: 'completed', record: recordOf(known, last.text(), answer.usage), output }
  }

  return take
}

type Known = { config: RemoteConfig; secrets: RemoteSecrets; messages: readonly { number: number; text: string }[] }

/** Counts, guards and forwards the stream of one attempt. It throws to stop, which closes the connection. */
const watchStream = (guardrails: Guardrails, context: StepRequest['context']) => {
  const received: string[] = []
  const passed: string[] = []
  let bytes = 0
  const guarded = guardrails.openStream((text) => {
    passed.push(text)
    context.delta(text)
  })
  return {
    write: (text: string): void => {
      bytes += Buffer.byteLength(text)
      if (bytes > limits.outputBytes) throw tooLarge()
      received.push(text)
      throwIfBlocked(guarded.write(text))
    },
    end: (): void => throwIfBlocked(guarded.end()),
    /** All text of the agent. */
    received: (): string => received.join(''),
    /** The released part of it. */
    text: (): string => passed.join(''),
  }
}

type OutputStream = ReturnType<typeof watchStream>

const throwIfBlocked = (verdict: GuardVerdict): void => {
  if (verdict.pass) return
  const { policy, check, reason } = verdict
  throw new RemoteFailure(`A guardrail has stopped the run: ${reason}`, {
    code: 'guardrail_blocked',
    details: { policy, check, reason },
  })
}

/** The agent's cost is not known here. */
const recordOf = ({ messages }: Known, text: string, tokens: Tokens): StepRecord => ({
  kind: 'remote',
  content: text === '' ? null : { text },
  tokens,
  costUsd: null,
  messagesRead: Math.max(0, ...messages.map(({ number }) => number)),
})

const sleepUnlessAborted = (ms: number, signal: AbortSignal): Promise<void> => sleepFor(ms, undefined, { signal })

const rollDice = (): number => randomBytes(4).readUInt32BE() / 2 ** 32
