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
import { decideRetry } from '../models/index.ts'
import type { SecretService } from '../secrets/index.ts'
import { askAbout, blockedBy, contentOf, heldDecision, heldOrdinals, refusedBy } from './guarded.ts'
import { decideInput } from './held-input.service.ts'
import { RemoteFailure, readOutput, settleOutput, tooLarge } from './remote-answer.ts'
import { callRemote, parseJson, type RemoteAnswer } from './remote-call.service.ts'
import { type Failed, failed, noTokens, type StepOutcome, type StepRecord, type Tokens } from './step.ts'
import type { StepChecks } from './step-check.service.ts'
import type { StepRequest } from './step-context.service.ts'

export type RemoteDeps = {
  egress: Pick<Egress, 'stream'>
  secrets: Pick<SecretService, 'open'>
  app: Database
  clock: Clock
  checks: StepChecks
  log: Log
  /** For tests: how long the body of an error response is waited for. */
  refusalMs?: number
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
    const decided = (await decideInput(request)) ?? (await decideOutput(request))
    if (decided) return decided
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

  /** The step before may have ended with an output that a policy held back until a person has decided. */
  const decideOutput = async ({ step, context }: StepRequest): Promise<StepOutcome | null> => {
    if (step === 1) return null
    const history = await context.history()
    const decision = heldDecision(history, { step: step - 1, ordinal: heldOrdinals.output })
    if (!decision) return null
    if (decision.resolution !== 'approve') return refusedBy(decision)
    const { output, text } = (await context.openHeld(decision.id)) as HeldOutput
    if (text !== '') context.delta(text)
    const messagesRead = history.steps.at(-1)?.messagesRead ?? 0
    const record: StepRecord = { kind: 'remote', content: { text }, tokens: noTokens, costUsd: 0, messagesRead }
    return { kind: 'completed', record, output }
  }

  /** Calls until there is a response, a permanent failure, or no time left. */
  const persist = async (request: StepRequest, known: Known): Promise<StepOutcome> => {
    const { context, signal } = request
    for (let tries = 1; ; tries++) {
      signal.throwIfAborted()
      const startedMs = deps.clock.monotonicMs()
      // A stream that stands still must end, too, so the connection is closed.
      const stop = new AbortController()
      const stream = watchStream(request, () => stop.abort())
      let usage = noTokens
      try {
        const answer = await callRemote(deps, callOf(request, known, { onText: stream.write, stop: stop.signal }))
        usage = answer.usage
        return await settle(request, known, stream, answer)
      } catch (caught) {
        signal.throwIfAborted()
        const error = stream.refusal() ?? caught
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

  const callOf = (
    request: StepRequest,
    { config, secrets, messages }: Known,
    { onText, stop }: { onText: (text: string) => void; stop: AbortSignal },
  ) => {
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
    const ended = AbortSignal.any([signal, stop])
    return { org, url: config.url, headers, body, secrets: hidden, signal: ended, onText }
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
    const verdict = await request.guard?.check('output', output)
    if (verdict?.kind === 'block') throw blockedFailure(blockedBy(verdict.finding))
    const last = withdraw ? watchStream(request) : stream
    if (withdraw) await request.context.reset()
    if (say !== '') last.write(say)
    const asked = await last.end()
    const ask = verdict?.kind === 'ask' ? verdict.finding : asked
    if (ask) {
      const held: HeldOutput = { output, text: last.received() }
      const record = recordOf(known, '', answer.usage)
      return { kind: 'wait', record, asks: [askAbout(ask, { ordinal: heldOrdinals.output, held })] }
    }
    const shown = verdict ? contentOf(verdict, output) : output
    return { kind: 'completed', record: recordOf(known, last.text(), answer.usage), output: shown }
  }

  return take
}

type Known = { config: RemoteConfig; secrets: RemoteSecrets; messages: readonly { number: number; text: string }[] }

/** An output that waits for the decision of a person. */
type HeldOutput = { output: Record<string, unknown>; text: string }

/** Counts, guards and forwards the stream of one attempt. It throws to stop, which closes the connection. */
const watchStream = ({ guard, context }: StepRequest, stop: () => void = () => undefined) => {
  const received: string[] = []
  const passed: string[] = []
  let bytes = 0
  let refusal: Failed | null = null
  const emit = (text: string): void => {
    passed.push(text)
    context.delta(text)
  }
  const guarded = guard?.openStream({
    emit,
    onBlocked: (verdict) => {
      if (verdict.kind !== 'block') return
      refusal = blockedBy(verdict.finding)
      stop()
    },
  })
  const throwIfBlocked = (): void => {
    if (refusal) throw blockedFailure(refusal)
  }
  return {
    write: (text: string): void => {
      bytes += Buffer.byteLength(text)
      if (bytes > limits.outputBytes) throw tooLarge()
      received.push(text)
      if (guarded) guarded.write(text)
      else emit(text)
      throwIfBlocked()
    },
    /** Answers the rule that wants a person to decide. */
    end: async () => {
      const verdict = await guarded?.end()
      throwIfBlocked()
      return verdict?.kind === 'ask' ? verdict.finding : null
    },
    /** Null: no policy forbids the text so far. */
    refusal: (): RemoteFailure | null => refusal && blockedFailure(refusal),
    /** All text of the agent. */
    received: (): string => received.join(''),
    /** The released part of it. */
    text: (): string => passed.join(''),
  }
}

type OutputStream = ReturnType<typeof watchStream>

const blockedFailure = ({ code, message, details }: Failed): RemoteFailure =>
  new RemoteFailure(message, { code, ...(details && { details }) })

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
