import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { AgentStep, PipelineDefinition, PipelineStep } from './definition.ts'
import { modelOf } from './pipeline-model.fixture.ts'
import { type AttemptPlan, simulate, type World } from './pipeline-simulator.fixture.ts'

const codes = ['timeout', 'model_error', 'tool_error'] as const

/** FNV-1a: the same parts give the same number. */
const hashOf = (...parts: unknown[]): number => {
  let hash = 0x811c9dc5
  for (const char of JSON.stringify(parts)) hash = Math.imul(hash ^ char.charCodeAt(0), 0x01000193) >>> 0
  return (hash ^ (hash >>> 15)) >>> 0
}

const pick = <Value>(hash: number, values: readonly Value[]): Value => values[hash % values.length] as Value

type Mood = { seed: number; failures: number; refusals: number }

const worldOf = ({ seed, failures, refusals }: Mood): World => ({
  attempt: (step, item, attempt): AttemptPlan => {
    const hash = hashOf(seed, step, item, attempt)
    const ms = hashOf(hash, 'ms') % 5_000
    const times = hashOf(hash, 'room') % 100 < refusals ? 1 + (hash % 3) : 0
    if (hashOf(hash, 'end') % 100 >= failures) return { refusals: times, ms, end: 'completed' }
    const failed = { failed: pick(hash, codes) }
    return {
      refusals: times,
      ms,
      end: pick(hashOf(hash, 'how'), [failed, failed, failed, { refused: 'quota_exceeded' }, 'cancelled']),
    }
  },
  when: (step, outputs) => {
    if (step.when === 'hash') return pick(hashOf(seed, step.key, outputs), [true, true, false, false, 'error'] as const)
    return step.when === 'true'
  },
  items: (step, outputs) => {
    const count = hashOf(seed, step.key, outputs, 'items') % 12
    return count === 11 && step.for_each === 'hash' ? 'error' : count
  },
  output: (step, item, outputs) => `${step.key}.${item}.${hashOf(outputs)}`,
})

const definition: fc.Arbitrary<PipelineDefinition> = fc
  .array(
    fc.record({
      parents: fc.array(fc.nat(), { maxLength: 3 }),
      kind: fc.constantFrom('agent', 'agent', 'list', 'list', 'approval'),
      when: fc.constantFrom(undefined, undefined, 'true', 'false', 'hash'),
      onError: fc.constantFrom('fail', 'continue', 'continue'),
      onItemError: fc.constantFrom('fail', 'continue'),
      maxParallel: fc.constantFrom(undefined, 1, 2, 5),
      attempts: fc.integer({ min: 1, max: 4 }),
      timeout: fc.constantFrom(undefined, 1, 3),
      rank: fc.nat(),
    }),
    { minLength: 1, maxLength: 12 },
  )
  .map((given) => {
    const steps = given.map((each, at): PipelineStep => {
      const parents = at === 0 ? [] : [...new Set(each.parents.map((parent) => `s${parent % at}`))]
      const base = {
        key: `s${at}`,
        depends_on: parents,
        on_error: each.onError as 'fail' | 'continue',
        ...(each.when !== undefined && { when: each.when }),
      }
      if (each.kind === 'approval')
        return {
          ...base,
          approval: { message: 'Go on?' },
          ...(each.timeout !== undefined && { timeout_seconds: each.timeout }),
        }
      const step: AgentStep = {
        ...base,
        agent_id: 'agt_1',
        retry: { attempts: each.attempts, on: ['timeout', 'tool_error'] },
      }
      if (each.kind === 'agent') return step
      const limit = each.maxParallel === undefined ? {} : { max_parallel: each.maxParallel }
      return { ...step, for_each: 'hash', on_item_error: each.onItemError as 'fail' | 'continue', ...limit }
    })
    // The order of the definition says nothing about the order of execution.
    return {
      steps: steps
        .map((step, at) => ({ step, rank: given[at]?.rank ?? 0 }))
        .sort((a, b) => a.rank - b.rank)
        .map(({ step }) => step),
    }
  })

const mood = fc.record({ seed: fc.nat(), failures: fc.constantFrom(0, 5, 30), refusals: fc.constantFrom(0, 20) })

const limits = fc.record({
  runsPerPipelineRun: fc.constant(2_000),
  decisionsPerAdvance: fc.constantFrom(1, 2, 200, 200),
})

test('random graphs end as the model says', () => {
  const statuses = { completed: 0, failed: 0, cancelled: 0 }
  fc.assert(
    fc.property(definition, mood, limits, (graph, feeling, bounds) => {
      const world = worldOf(feeling)
      const model = modelOf(graph, world)
      const { end, outcomes, outputs } = simulate({ definition: graph, world, limits: bounds })
      statuses[end.status]++
      const failing = [...model].flatMap(([key, { failsRun }]) => (failsRun ? [key] : []))
      if (end.status === 'failed') expect(failing).toContain(end.step)
      else expect([end.status, failing]).toEqual(['completed', []])
      for (const { key } of graph.steps) {
        const expected = model.get(key)
        const outcome = outcomes.get(key)
        // A failed pipeline run cancels the steps that were under way, and does not reach others.
        if (end.status === 'failed' && (outcome === undefined || outcome === 'cancelled')) continue
        expect({ key, outcome, output: outputs.get(key) ?? null }).toEqual({
          key,
          outcome: expected?.outcome,
          output: expected?.output,
        })
      }
    }),
  )
  const graphs = statuses.completed + statuses.failed
  expect(statuses.completed).toBeGreaterThan(graphs / 20)
  expect(statuses.failed).toBeGreaterThan(graphs / 20)
})

test('a cancelled pipeline run ends', () => {
  const statuses = { completed: 0, failed: 0, cancelled: 0 }
  fc.assert(
    fc.property(definition, mood, limits, fc.nat({ max: 8_000 }), (graph, feeling, bounds, cancelAtMs) => {
      const { end, atMs } = simulate({ definition: graph, world: worldOf(feeling), limits: bounds, cancelAtMs })
      statuses[end.status]++
      // The simulated runs hear of it after 300 ms.
      if (end.status === 'cancelled') expect(atMs).toBeLessThanOrEqual(cancelAtMs + 301)
      else expect(atMs).toBeLessThanOrEqual(cancelAtMs)
    }),
  )
  expect(statuses.cancelled).toBeGreaterThan((statuses.completed + statuses.failed + statuses.cancelled) / 5)
})

test('a pipeline run ends at its deadline', () => {
  const ends = { inTime: 0, late: 0 }
  fc.assert(
    fc.property(definition, mood, limits, fc.nat({ max: 8_000 }), (graph, feeling, bounds, deadlineMs) => {
      const { end, atMs } = simulate({ definition: graph, world: worldOf(feeling), limits: bounds, deadlineMs })
      expect(atMs).toBeLessThanOrEqual(deadlineMs + 301)
      const isLate = end.status === 'failed' && end.code === 'timeout' && end.step === null
      ends[isLate ? 'late' : 'inTime']++
      if (!isLate) expect(end.status === 'failed' || atMs < deadlineMs).toBe(true)
    }),
  )
  expect(ends.late).toBeGreaterThan((ends.inTime + ends.late) / 5)
})

test('a pipeline run never has more runs than allowed (pipelinesBounds.runsOfPipelineRun, pipelinesBounds.decisions)', () => {
  let tried = 0
  let bounded = 0
  fc.assert(
    fc.property(definition, mood, fc.integer({ min: 1, max: 20 }), (graph, feeling, runsPerPipelineRun) => {
      tried++
      const bounds = { runsPerPipelineRun, decisionsPerAdvance: 200 }
      const { runs, decisions } = simulate({ definition: graph, world: worldOf(feeling), limits: bounds })
      expect(runs).toBeLessThanOrEqual(runsPerPipelineRun)
      const isOver = decisions.some((each) => each.kind === 'settle' && each.code === 'too_many_runs')
      if (!isOver) return
      bounded++
      expect(runs).toBe(runsPerPipelineRun)
    }),
  )
  expect(bounded).toBeGreaterThan(tried / 20)
})
