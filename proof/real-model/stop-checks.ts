import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { toUuid } from '@ars/platform/id'
import { waitFor } from '../lab/condition.ts'
import { type Check, persist } from './check.ts'
import {
  awaitEnd,
  createRun,
  deltasIn,
  openRun,
  patienceMs,
  readRun,
  readSteps,
  streamedText,
  TooLate,
  textLeft,
} from './live-run.ts'
import { contextTokens } from './model-server.ts'
import { price, type Scene } from './scene.ts'

const maxSlotIdleMs = 2000
const endless = { name: 'endless', instructions: 'You write very long stories.', maxOutputTokens: 1800 }
const query = 'Tell me the story of a long journey, with every detail.'

/** What ends an answer before its end. */
export const stopChecks: readonly Check[] = [
  {
    name: 'cancelled in mid-answer',
    check: async (scene, { size, say }) => {
      const agentId = await scene.plant(endless)
      const idleMs: number[] = []
      // Each time a little later in the answer.
      for (let n = 1; n <= (size === 'ci' ? 1 : 10); n++) {
        const measured = await persist(() => cancelAfter(scene, agentId, 2 * n), {
          isGood: (ms) => ms <= maxSlotIdleMs,
        })
        idleMs.push(measured)
        say(`cancelled after ${2 * n} pieces, slot idle after ${Math.round(measured)} ms`)
      }
      const most = Math.max(...idleMs)
      ok(most <= maxSlotIdleMs, `the model server still computed ${Math.round(most)} ms after the DELETE, three times`)
      const sorted = idleMs.toSorted((one, other) => one - other).map(Math.round)
      const median = sorted[Math.floor((sorted.length - 1) / 2)]
      return {
        says: `slot idle ${sorted.length === 1 ? `${median} ms` : `${median} ms (median), ${sorted.at(-1)} ms (most)`} after the DELETE`,
        metrics: [
          ['cancelled in mid-answer', sorted.length],
          ['slot idle after the DELETE, ms: median, most', `${median}, ${sorted.at(-1)}`],
        ],
      }
    },
  },
  {
    name: 'cancelled before the first word',
    isLong: true,
    check: async (scene) => {
      const agentId = await scene.plant(endless)
      const { endedMs, idleMs } = await persist(() => cancelUnheard(scene, agentId))
      return {
        says: `run ended ${endedMs} ms, slot idle ${idleMs} ms after the DELETE`,
        metrics: [
          ['cancelled while the prompt is read, ms: run ended, slot idle (not judged)', `${endedMs}, ${idleMs}`],
        ],
      }
    },
  },
  {
    name: 'a message is answered too',
    isLong: true,
    check: async (scene) => {
      const agentId = await scene.plant({ ...endless, maxOutputTokens: 96 })
      const run = await persist(() => runWithMessage(scene, agentId))
      equal(run.status, 'completed', run.error?.message)
      const steps = await readSteps(scene, run.id)
      equal(steps.length, 2)
      equal(run.output?.result, steps[1]?.text)
      equal(run.output?.result, textLeft(run.frames), 'the pieces that were not withdrawn are not the result')
      const sum = steps.reduce((tokens, { usage }) => tokens + usage.input_tokens + usage.output_tokens, 0)
      equal(run.tokens_used, sum)
      return { says: `${steps.length} model calls, ${sum} tokens` }
    },
  },
  {
    name: 'budget spent',
    check: async (scene) => {
      // Less than the prompt alone costs: the first call is let through, because nothing has been spent yet.
      const budgetUsd = (10 * price.input) / 1_000_000
      const agentId = await scene.plant({ ...endless, maxOutputTokens: 96, budgetUsd })
      const run = await persist(() => runWithMessage(scene, agentId))
      equal(run.status, 'failed')
      equal(run.error?.code, 'budget_exceeded')
      requireSentence(run.error?.message)
      deepEqual(run.error?.details, { spent_usd: run.usage.cost_usd, budget_usd: budgetUsd })
      ok((run.usage.cost_usd ?? 0) > budgetUsd)
      const steps = await readSteps(scene, run.id)
      equal(steps.length, 1, 'there was a second model call')
      equal(run.output?.result, steps[0]?.text, 'the first answer is not kept')
      // Its last words need not have been streamed: the run was going on, and would have withdrawn them.
      const heard = streamedText(run.frames, 1)
      ok(heard.length > 0 && String(run.output?.result).startsWith(heard), 'what was streamed is not kept')
      return { says: `“${run.error?.message}”`, metrics: [['budget_exceeded says', `“${run.error?.message}”`]] }
    },
  },
  {
    name: 'context too long',
    check: async (scene) => {
      const agentId = await scene.plant({ name: 'reader', maxOutputTokens: 16 })
      // A token is at most one word here.
      const run = await createRun(scene, agentId, { query: 'word '.repeat(contextTokens) })
      equal(run.status, 'failed')
      equal(run.error?.code, 'model_error')
      requireSentence(run.error?.message)
      match(String(run.error?.message), /too long/)
      match(String(run.error?.message), /context/)
      equal(run.error?.retryable, false)
      equal(run.output, null)
      equal(run.tokens_used, 0)
      ok(!(await scene.model.isBusy()))
      return { says: `“${run.error?.message}”`, metrics: [['context too long says', `“${run.error?.message}”`]] }
    },
  },
]

/** Answers how long after the DELETE was sent the model server computed nothing any more. */
const cancelAfter = async (scene: Scene, agentId: string, pieces: number): Promise<number> => {
  const live = await openRun(scene, agentId, { query })
  await live.untilDeltas(pieces)
  if (!(await scene.model.isBusy())) throw new TooLate('the model has said all')
  const from = performance.now()
  const [, idleAt] = await Promise.all([cancel(scene, live.id), untilIdle(scene)])
  const stored = await countStored(scene, live.id)
  await live.untilEnd()
  const last = live.frames.at(-1)
  if (last?.event === 'run.completed') throw new TooLate('the run had completed before the cancel')
  equal(last?.event, 'run.cancelled')
  const run = await awaitEnd(scene, live.id)
  equal(run.status, 'cancelled')
  equal(run.error, null)
  const cancelling = live.frames.findIndex(({ event }) => event === 'run.cancelling')
  ok(cancelling > 0, 'the stream does not tell of the cancel')
  equal(deltasIn(live.frames.slice(cancelling)).length, 0, 'output was streamed after the cancel')
  equal(await countStored(scene, live.id), stored, 'output was stored after the cancel')
  equal(deltasIn(live.frames).length, stored, 'the stream differs from the stored output')
  ok(!(await scene.model.isBusy()), 'the model server was called again')
  return idleAt - from
}

/** Cancels while the prompt is being read. How long llama.cpp goes on reading is its own affair: told, not judged. */
const cancelUnheard = async (scene: Scene, agentId: string): Promise<{ endedMs: number; idleMs: number }> => {
  const live = await openRun(scene, agentId, { query: `${query} ${'And then. '.repeat(250)}` })
  await waitFor('the model server to be busy', scene.model.isBusy, { timeoutMs: patienceMs, everyMs: 10 })
  const from = performance.now()
  await cancel(scene, live.id)
  await live.untilEnd()
  const endedMs = Math.round(performance.now() - from)
  if (deltasIn(live.frames).length > 0) throw new TooLate('the prompt was read before the cancel')
  equal(live.frames.at(-1)?.event, 'run.cancelled')
  equal((await readRun(scene, live.id)).output, null)
  return { endedMs, idleMs: Math.round((await untilIdle(scene)) - from) }
}

const cancel = async ({ api, authorization }: Scene, id: string): Promise<void> => {
  const answer = await api.call({ method: 'DELETE', path: `/v2/runs/${id}`, headers: authorization })
  equal(answer.status, 200, answer.text)
}

const untilIdle = async ({ model }: Scene): Promise<number> =>
  waitFor('the slot to be idle', async () => !(await model.isBusy()) && performance.now(), {
    timeoutMs: patienceMs,
    everyMs: 10,
  })

const countStored = async ({ records }: Scene, id: string): Promise<number> => {
  const [row] = await records.query<{ deltas: number }>(
    'select count(*)::integer as deltas from run_deltas where run_id = $1',
    [toUuid(id)],
  )
  return row?.deltas ?? 0
}

/** A run that gets a message while it answers, and so has to call the model once more. */
const runWithMessage = async (scene: Scene, agentId: string) => {
  const live = await openRun(scene, agentId, { query })
  await live.untilDeltas(1)
  const answer = await scene.api.call({
    method: 'POST',
    path: `/v2/runs/${live.id}/action`,
    headers: scene.authorization,
    body: { type: 'message', payload: { message: 'And what came then?' } },
  })
  if (answer.status === 422) throw new TooLate('the run had ended before the message')
  equal(answer.status, 200, answer.text)
  await live.untilEnd()
  return { ...(await readRun(scene, live.id)), frames: live.frames }
}

/** For a person: words, and nothing of the provider's JSON. */
const requireSentence = (message: string | undefined): void => {
  match(String(message), /^[A-Z][^{}[\]<>]+$/)
  ok(String(message).split(' ').length >= 5, `“${message}” is no sentence`)
}
