import { hasItems, isApproval, type PipelineDefinition, type PipelineStep } from './definition.ts'
import type { World } from './pipeline-simulator.fixture.ts'
import type { PipelineStepOutcome } from './pipeline-state.ts'

export type Modelled = { outcome: PipelineStepOutcome; output: unknown; failsRun: boolean }

/** What becomes of each step if they are executed one after the other, without a clock, and a failed step stops nothing. */
export const modelOf = ({ steps }: PipelineDefinition, world: World): Map<string, Modelled> => {
  const byKey = new Map(steps.map((step) => [step.key, step]))
  const done = new Map<string, Modelled>()
  const visit = (key: string): Modelled => {
    const known = done.get(key)
    if (known) return known
    const step = byKey.get(key) as PipelineStep
    const modelled = executed(step, (step.depends_on ?? []).map(visit), world)
    done.set(key, modelled)
    return modelled
  }
  for (const { key } of steps) visit(key)
  return done
}

const executed = (step: PipelineStep, before: readonly Modelled[], world: World): Modelled => {
  const failed: Modelled = { outcome: 'failed', output: null, failsRun: step.on_error !== 'continue' }
  const skipped: Modelled = { outcome: 'skipped', output: null, failsRun: false }
  const outputs = before.map(({ output }) => output)
  if (step.when === undefined && before.some(({ outcome }) => outcome === 'skipped')) return skipped
  const when = step.when === undefined || world.when(step, outputs)
  if (when === 'error') return failed
  if (!when) return skipped
  const items = hasItems(step) ? world.items(step, outputs) : 1
  if (items === 'error') return failed
  const results = Array.from({ length: items }, (_, item) =>
    completes(step, item, world) ? world.output(step, item, outputs) : null,
  )
  const goesOn = hasItems(step) && step.on_item_error === 'continue'
  if (results.includes(null) && !goesOn) return failed
  return { outcome: 'completed', output: hasItems(step) ? results : results[0], failsRun: false }
}

const completes = (step: PipelineStep, item: number, world: World): boolean => {
  if (isApproval(step)) {
    const { ms, end } = world.attempt(step.key, 0, 1)
    return end === 'completed' && (step.timeout_seconds === undefined || ms <= 1_000 * step.timeout_seconds)
  }
  for (let attempt = 1; attempt <= (step.retry?.attempts ?? 1); attempt++) {
    const { end } = world.attempt(step.key, item, attempt)
    if (end === 'completed') return true
    if (end === 'cancelled' || 'refused' in end || !step.retry?.on.includes(end.failed)) return false
  }
  return false
}
