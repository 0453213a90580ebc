import { randomBytes } from '@ars/platform/crypto'
import { ModelFailure, type ModelService } from '../../models/index.ts'
import { judgePrompt, verdictOfReply, verdictSchema } from './model-verdict.ts'
import {
  type Judged,
  judged,
  notJudged,
  type RemoteRequest,
  type RemoteRule,
  reasonOf,
  remoteLimits,
} from './remote.ts'

type ModelRule = Extract<RemoteRule, { check: 'model' }>

/** Asks a model of `models.yaml`. Rejects with the reason of an aborted signal. */
export const askModel = async (
  models: Pick<ModelService, 'call'>,
  { params }: ModelRule,
  { text, signal }: RemoteRequest & { signal: AbortSignal },
): Promise<Judged> => {
  const boundary = `=====${randomBytes(12).toString('hex')}=====`
  const { system, user } = judgePrompt(params.instructions, text, boundary)
  try {
    const reply = await models.call({
      model: params.model,
      messages: [
        { role: 'system', text: system },
        { role: 'user', text: user },
      ],
      tools: [],
      maxOutputTokens: remoteLimits.modelOutputTokens,
      outputSchema: verdictSchema,
      signal,
      onText: () => undefined,
      onRestart: () => undefined,
      onFailedTry: () => undefined,
      onBackOff: () => undefined,
      simulation: { input: { query: simulatedReply(text) }, step: 1, attempt: 1, runId: '' },
    })
    return judged(verdictOfReply(reply.text, text), { usage: reply.usage, costUsd: reply.costUsd })
  } catch (error) {
    if (!(error instanceof ModelFailure)) throw error
    const { usage, costUsd } = error
    const failed = 'The model could not judge'
    return notJudged(reasonOf(`${failed}: ${error.message}`, text, failed), 'error', { usage, costUsd })
  }
}

/** `simulated/echo` judges for tests: a text with the word "violation" violates every rule. */
const simulatedReply = (text: string): string =>
  JSON.stringify({ violation: /\bviolation\b/i.test(text), reason: 'It has the forbidden word' })
