import { createSharedByteBudget } from '@ars/platform/byte-budget'
import type { Clock } from '@ars/platform/clock'
import type { Egress } from '@ars/platform/egress/egress'
import { EgressFailed, egressErrorOf } from '@ars/platform/egress/failure'
import { createKeyedTurns } from '@ars/platform/keyed-turns'
import type { ModelService } from '../../models/index.ts'
import { createBreakers } from './breaker.service.ts'
import { askHost } from './host-judge.service.ts'
import { askModel } from './model-judge.service.ts'
import {
  type Judged,
  notJudged,
  type RemoteOutcome,
  type RemoteRequest,
  type RemoteRule,
  type RemoteSpent,
  type RemoteVerdict,
  remoteLimits,
} from './remote.ts'

/** Asks models and hosts for their judgement, with a time limit, a breaker and a bound per organisation. */
export type RemoteChecks = {
  /** What others do wrong is an `error`. Rejects with the reason of an aborted signal. `spent` is for the run. */
  judge(rule: RemoteRule, request: RemoteRequest): Promise<RemoteVerdict & { spent: RemoteSpent }>
}

export type RemoteCheckCall = { check: RemoteRule['check']; outcome: RemoteOutcome; durationMs: number }

type Deps = {
  egress: Pick<Egress, 'request'>
  models: Pick<ModelService, 'call'>
  clock: Clock
  /** For the metrics. */
  onCall?: (call: RemoteCheckCall) => void
  limits?: typeof remoteLimits
}

export const createRemoteChecks = ({
  egress,
  models,
  clock,
  onCall = () => undefined,
  limits = remoteLimits,
}: Deps): RemoteChecks => {
  const breakers = createBreakers(clock)
  const turns = createKeyedTurns(limits.callsPerOrganisation, { maxWaiting: limits.waitingPerOrganisation })
  const texts = createSharedByteBudget({
    maxBytes: limits.textsChars,
    maxShareBytes: limits.textsOfOrganisationChars,
  })

  /** The wait for a turn counts against the time limit. */
  const askInTime = async (rule: RemoteRule, request: RemoteRequest): Promise<Judged> => {
    const tooLate = AbortSignal.timeout(rule.params.time_limit_ms)
    const signal = request.signal ? AbortSignal.any([request.signal, tooLate]) : tooLate
    let hasTurn = false
    const text = texts.take(request.org, request.text.length)
    if (text.room !== 'free') return busy()
    try {
      hasTurn = (await turns.enter(request.org, { signal })) === 'entered'
      if (!hasTurn) return busy()
      const asked = { ...request, signal }
      return await (rule.check === 'model' ? askModel(models, rule, asked) : askHost(egress, rule, asked))
    } catch (error) {
      request.signal?.throwIfAborted()
      const known = egressErrorOf(error)
      const kind = known instanceof EgressFailed ? known.kind : undefined
      if (tooLate.aborted || kind === 'timeout') {
        return notJudged(`There was no answer within ${rule.params.time_limit_ms} ms`, 'timeout')
      }
      if (!known) throw error
      return kind === 'busy' ? busy() : notJudged(`The host could not be asked: ${known.message}`)
    } finally {
      text.held.giveBack()
      if (hasTurn) turns.leave(request.org)
    }
  }

  const askUnlessBroken = async (rule: RemoteRule, request: RemoteRequest): Promise<Judged> => {
    const maxChars = rule.check === 'model' ? remoteLimits.modelTextChars : remoteLimits.textChars
    if (request.text.length > maxChars) return notJudged(`A text of more than ${maxChars} characters is not judged`)
    const key = `${request.org} ${hostOf(rule)}`
    if (!breakers.begin(key)) {
      return notJudged('It is not asked for some seconds, because it failed several times in a row', 'open')
    }
    let result: 'ok' | 'failed' | 'unknown' = 'unknown'
    try {
      const answer = await askInTime(rule, request)
      if (answer.outcome !== 'busy') result = answer.verdict.kind === 'error' ? 'failed' : 'ok'
      return answer
    } finally {
      breakers.end(key, result)
    }
  }

  return {
    judge: async (rule, request) => {
      const beganMs = clock.monotonicMs()
      const { verdict, outcome, spent } = await askUnlessBroken(rule, request)
      onCall({ check: rule.check, outcome, durationMs: clock.monotonicMs() - beganMs })
      return { ...verdict, spent }
    },
  }
}

const busy = (): Judged => notJudged('Too many checks of this organisation wait for an answer', 'busy')

const hostOf = (rule: RemoteRule): string => {
  if (rule.check === 'model') return rule.params.model
  return URL.canParse(rule.params.url) ? new URL(rule.params.url).host : rule.params.url
}
