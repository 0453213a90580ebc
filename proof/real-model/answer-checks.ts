import { deepEqual, equal, ok } from 'node:assert/strict'
import type { Check } from './check.ts'
import { createRun, deltasIn, openRun, readRun, readSteps, textLeft, type WireUsage } from './live-run.ts'
import { model, price } from './scene.ts'

const instructions = 'You are a friendly storyteller.'
const query = 'Tell me a long story about a lighthouse.'
const maxOutputTokens = 64

/** The output of a model, and the tokens counted for it. */
export const answerChecks: readonly Check[] = [
  {
    name: 'an answer is streamed',
    check: async (scene) => {
      const agentId = await scene.plant({ name: 'storyteller', instructions, maxOutputTokens })
      const live = await openRun(scene, agentId, { query })
      await live.untilEnd()
      const { frames } = live
      const deltas = deltasIn(frames)
      ok(deltas.length >= 3, `${deltas.length} pieces are no stream`)
      equal(frames.at(-1)?.event, 'run.completed')
      deepEqual(
        frames.map(({ id }) => id),
        frames.map((_, index) => index + 1),
        'the numbers of the frames have gaps',
      )
      const run = await readRun(scene, live.id)
      equal(run.status, 'completed')
      equal(run.error, null)
      equal(textLeft(frames), run.output?.result, 'the pieces together are not the result')
      ok(String(run.output?.result).length > 0, 'the model said nothing')
      requireCounted(run)
      const messages = [
        { role: 'system', content: instructions },
        { role: 'user', content: query },
      ]
      equal(
        run.usage.input_tokens,
        await scene.model.countPrompt(messages),
        'the model server counts the prompt otherwise',
      )
      ok(
        run.usage.output_tokens <= maxOutputTokens,
        `${run.usage.output_tokens} tokens, ${maxOutputTokens} were allowed`,
      )
      return {
        says: `${deltas.length} pieces, ${run.usage.input_tokens} + ${run.usage.output_tokens} tokens, $${run.usage.cost_usd}`,
        metrics: [
          ['streamed answer: pieces', deltas.length],
          ['streamed answer: tokens in, out', `${run.usage.input_tokens}, ${run.usage.output_tokens}`],
          ['streamed answer: cost_usd', run.usage.cost_usd ?? 'null'],
          ['streamed answer: latency_ms', run.latency_ms ?? 'null'],
        ],
      }
    },
  },
  {
    name: 'a run is waited for, its steps told',
    check: async (scene) => {
      const agentId = await scene.plant({ name: 'brief', maxOutputTokens: 16 })
      const run = await createRun(scene, agentId, { query: 'Say hello.' })
      equal(run.status, 'completed')
      requireCounted(run)
      const steps = await readSteps(scene, run.id)
      equal(steps.length, 1)
      const [step] = steps
      ok(step)
      equal(step.number, 1)
      equal(step.type, 'model')
      equal(step.status, 'completed')
      equal(step.model, model)
      equal(step.text, run.output?.result)
      deepEqual(step.usage, run.usage)
      const tookMs = Date.parse(String(step.finished_at)) - Date.parse(step.started_at)
      ok(tookMs > 0, `it took ${tookMs} ms from ${step.started_at} to ${step.finished_at}`)
      equal(step.duration_ms, tookMs)
      ok(
        run.latency_ms !== null && run.latency_ms >= tookMs,
        `the step took ${tookMs} ms, the run ${run.latency_ms} ms`,
      )
      const perSecond = step.usage.output_tokens / (tookMs / 1000)
      return {
        says: `one step of ${tookMs} ms with model, tokens, cost and times`,
        metrics: [['one model call: ms, tokens out per second', `${tookMs}, ${perSecond.toFixed(1)}`]],
      }
    },
  },
  {
    name: 'JSON by schema',
    check: async (scene, { size }) => {
      const wanted = size === 'ci' ? shapes.slice(0, 1) : shapes
      for (const { schema, ask, fits } of wanted) {
        const agentId = await scene.plant({ name: 'filler', maxOutputTokens: 160, outputSchema: schema })
        const run = await createRun(scene, agentId, { query: ask })
        equal(run.status, 'completed', run.error?.message)
        ok(run.output !== null && fits(run.output), `does not fit: ${JSON.stringify(run.output)}`)
        requireCounted(run)
        // What came is the model's own object and not a text with an object in it.
        equal((await readSteps(scene, run.id)).length, 1)
      }
      return {
        says: `${wanted.length} of ${wanted.length} fit`,
        metrics: [['answers by schema that fit', wanted.length]],
      }
    },
  },
]

/** Each ends after few tokens however a model fills it in, because nothing in it is unbounded. */
const shapes: readonly {
  schema: Record<string, unknown>
  ask: string
  fits(value: Record<string, unknown>): boolean
}[] = [
  {
    ask: 'Paris is a city in France. Describe it.',
    schema: {
      type: 'object',
      properties: {
        kind: { type: 'string', enum: ['city', 'river', 'mountain'] },
        is_capital: { type: 'boolean' },
        name: { type: 'string', maxLength: 12 },
      },
      required: ['kind', 'is_capital', 'name'],
      additionalProperties: false,
    },
    fits: (value) =>
      Object.keys(value).toSorted().join() === 'is_capital,kind,name' &&
      ['city', 'river', 'mountain'].includes(value.kind as string) &&
      typeof value.is_capital === 'boolean' &&
      typeof value.name === 'string' &&
      value.name.length <= 12,
  },
  {
    ask: 'Name colours of the rainbow.',
    schema: {
      type: 'object',
      properties: {
        colours: {
          type: 'array',
          items: { type: 'string', enum: ['red', 'yellow', 'green', 'blue'] },
          minItems: 2,
          maxItems: 4,
        },
      },
      required: ['colours'],
      additionalProperties: false,
    },
    fits: ({ colours, ...rest }) =>
      Object.keys(rest).length === 0 &&
      Array.isArray(colours) &&
      colours.length >= 2 &&
      colours.length <= 4 &&
      colours.every((colour) => ['red', 'yellow', 'green', 'blue'].includes(colour)),
  },
  {
    ask: 'A ticket: the printer on floor 3 is broken. File it.',
    schema: {
      type: 'object',
      properties: {
        place: {
          type: 'object',
          properties: { floor: { type: 'integer', minimum: 0, maximum: 99 } },
          required: ['floor'],
          additionalProperties: false,
        },
        urgent: { anyOf: [{ type: 'boolean' }, { type: 'null' }] },
      },
      required: ['place', 'urgent'],
      additionalProperties: false,
    },
    fits: ({ place, urgent, ...rest }) =>
      Object.keys(rest).length === 0 &&
      (urgent === null || typeof urgent === 'boolean') &&
      Object.keys(place as object).join() === 'floor' &&
      Number.isInteger((place as { floor: number }).floor),
  },
]

const requireCounted = ({ tokens_used, usage }: { tokens_used: number; usage: WireUsage }): void => {
  ok(usage.input_tokens > 0 && usage.output_tokens > 0, `counted ${usage.input_tokens} + ${usage.output_tokens} tokens`)
  equal(tokens_used, usage.input_tokens + usage.output_tokens)
  const costUsd = (usage.input_tokens * price.input + usage.output_tokens * price.output) / 1_000_000
  ok(
    usage.cost_usd !== null && Math.abs(usage.cost_usd - costUsd) < 1e-12,
    `cost ${usage.cost_usd}, expected ${costUsd}`,
  )
}
