import { advance } from './advance.ts'
import {
  type AgentStep,
  hasItems,
  isApproval,
  type PipelineDefinition,
  type PipelineStep,
  pipelineLimits,
} from './definition.ts'
import type { OpenedStep, OpenItem, PipelineDecision, PipelineNext, PipelineRunState } from './pipeline-state.ts'

/**
 * What becomes of one attempt: how often it does not start (refused for lack of room, and every second time because a worker dies before
 * the run is accepted), how long it runs, and how it ends.
 */
export type AttemptPlan = {
  refusals: number
  ms: number
  end: 'completed' | { failed: string } | { refused: string } | 'cancelled'
}

/** How the simulated world answers. It is a function of its arguments, so that a model can ask the same. */
export type World = {
  attempt(step: string, item: number, attempt: number): AttemptPlan
  /** `outputs` are those of the steps that it depends on. */
  when(step: PipelineStep, outputs: readonly unknown[]): boolean | 'error'
  items(step: AgentStep, outputs: readonly unknown[]): number | 'error'
  output(step: PipelineStep, item: number, outputs: readonly unknown[]): string
}

export type Simulation = {
  definition: PipelineDefinition
  world: World
  limits?: { runsPerPipelineRun: number; decisionsPerAdvance: number }
  deadlineMs?: number
  cancelAtMs?: number
}

export type Simulated = {
  end: Extract<PipelineNext, { kind: 'end' }>
  outcomes: Map<string, OpenedStep['outcome']>
  outputs: Map<string, unknown>
  runs: number
  decisions: PipelineDecision[]
  calls: { items: number; decisions: number }[]
  atMs: number
}

const maxCalls = 100_000
const leaseMs = 2_000

/** Drives a pipeline run to its end on a simulated clock, and throws if `advance` breaks one of its promises. */
export const simulate = ({
  definition,
  world,
  limits = pipelineLimits,
  deadlineMs = 1e9,
  cancelAtMs,
}: Simulation): Simulated => {
  const stepOf = new Map(definition.steps.map((step) => [step.key, step]))
  const run: PipelineRunState = { status: 'running', deadlineAt: new Date(deadlineMs), runs: 0, failure: null }
  const steps = new Map<string, OpenedStep>()
  const items = new Map<string, OpenItem & { endsAt?: number; refusals: number }>()
  const results = new Map<string, unknown[]>()
  const outputs = new Map<string, unknown>()
  const accepted = new Set<string>()
  const decided: PipelineDecision[] = []
  const calls: Simulated['calls'] = []
  let now = 0

  const must = (isTrue: boolean, promise: string): void => {
    if (!isTrue) throw new Error(`${promise} (at ${now} ms)`)
  }
  const get = (key: string): PipelineStep => stepOf.get(key) as PipelineStep
  const opened = (key: string): OpenedStep => {
    const row = steps.get(key)
    if (!row) throw new Error(`step ${key} was not opened (at ${now} ms)`)
    return row
  }
  const idOf = (step: string, item: number): string => `${step}/${item}`
  const outputsBefore = (step: PipelineStep): unknown[] =>
    (step.depends_on ?? []).map((key) => outputs.get(key) ?? null)

  const verdictOf = (step: PipelineStep): OpenedStep['verdict'] => {
    const before = outputsBefore(step)
    const when = step.when === undefined || world.when(step, before)
    if (when === 'error') return { kind: 'fault', code: 'expression_failed' }
    if (!when) return { kind: 'skip' }
    const count = hasItems(step) ? world.items(step, before) : 1
    return count === 'error' ? { kind: 'fault', code: 'expression_failed' } : { kind: 'run', items: count }
  }

  const start = ({ step, item, attempt }: Extract<PipelineDecision, { kind: 'start' }>): void => {
    const row = opened(step)
    must(row.verdict.kind === 'run' && item < row.verdict.items, 'a start belongs to an item of a step that runs')
    must(run.status === 'running' && run.failure === null, 'nothing starts while the pipeline run stops')
    must(row.outcome === null && row.halt === null, 'nothing starts in a step that is settled or halted')
    const known = items.get(idOf(step, item))
    if (!known) must(item === row.nextItem, 'items start in their order')
    row.nextItem = Math.max(row.nextItem, item + 1)
    const plan = world.attempt(step, item, attempt)
    const refusals = known?.attempt === attempt ? known.refusals : 0
    const base = { step, item, attempt, refusals, code: null, dueAt: null }
    if (refusals < plan.refusals && refusals % 2 === 1) {
      items.set(idOf(step, item), { ...base, state: 'waiting', refusals: refusals + 1 })
    } else if (refusals < plan.refusals) {
      const dueAt = new Date(now + 700)
      items.set(idOf(step, item), {
        ...base,
        state: 'refused',
        code: 'concurrency_exceeded',
        dueAt,
        refusals: refusals + 1,
      })
    } else if (typeof plan.end === 'object' && 'refused' in plan.end) {
      items.set(idOf(step, item), { ...base, state: 'refused', code: plan.end.refused })
    } else {
      must(!accepted.has(`${idOf(step, item)}/${attempt}`), 'an attempt starts once')
      accepted.add(`${idOf(step, item)}/${attempt}`)
      run.runs++
      items.set(idOf(step, item), { ...base, state: 'started', endsAt: now + plan.ms })
    }
  }

  const ask = (step: PipelineStep): void => {
    const row = opened(step.key)
    must(row.verdict.kind === 'run' && row.nextItem === 0, 'a question is put once')
    row.nextItem = 1
    const { ms } = world.attempt(step.key, 0, 1)
    const dueAt = step.timeout_seconds === undefined ? null : new Date(now + 1_000 * step.timeout_seconds)
    const base = { step: step.key, item: 0, attempt: 1, code: null, refusals: 0 }
    items.set(idOf(step.key, 0), { ...base, state: 'started', dueAt, endsAt: now + ms })
  }

  const close = ({ step, item, outcome }: Extract<PipelineDecision, { kind: 'close' }>): void => {
    must(items.delete(idOf(step, item)), 'an item is closed once')
    const output = outcome === 'completed' ? world.output(get(step), item, outputsBefore(get(step))) : null
    const all = results.get(step) ?? []
    all[item] = output
    results.set(step, all)
  }

  const settle = ({ step, outcome }: Extract<PipelineDecision, { kind: 'settle' }>): void => {
    const row = steps.get(step) ?? { key: step, outcome: null, verdict: { kind: 'skip' }, nextItem: 0, halt: null }
    must(row.outcome === null, 'a step is settled once')
    must(![...items.values()].some((item) => item.step === step), 'a settled step has no open item')
    steps.set(step, { ...row, outcome })
    const all = results.get(step) ?? []
    if (outcome === 'completed') outputs.set(step, hasItems(get(step)) ? all : all[0])
  }

  const apply = (decision: PipelineDecision): void => {
    switch (decision.kind) {
      case 'open': {
        const step = get(decision.step)
        must(!steps.has(step.key), 'a step is opened once')
        const before = (step.depends_on ?? []).map((key) => steps.get(key)?.outcome ?? null)
        must(!before.includes(null), 'a step is opened after those it depends on')
        steps.set(step.key, { key: step.key, outcome: null, verdict: verdictOf(step), nextItem: 0, halt: null })
        return
      }
      case 'start':
        start(decision)
        return
      case 'ask':
        ask(get(decision.step))
        return
      case 'close':
        close(decision)
        return
      case 'halt':
        opened(decision.step).halt = decision.code
        return
      case 'settle':
        settle(decision)
        return
      case 'fail':
        must(run.failure === null, 'the reason is stored once')
        run.failure = { step: decision.step, code: decision.code }
        return
      case 'cancel': {
        const item = items.get(idOf(decision.step, decision.item))
        if (item?.state !== 'started') throw new Error('only a started item is cancelled')
        item.state = 'cancelling'
        item.endsAt = Math.min(item.endsAt ?? now, now + 300)
      }
    }
  }

  const finish = (item: OpenItem & { endsAt?: number }): void => {
    const { end } = world.attempt(item.step, item.item, item.attempt)
    // A run that was asked to stop may have ended before it heard of it.
    if (item.state === 'cancelling' && end !== 'completed') item.state = 'cancelled'
    else if (typeof end === 'string') item.state = end
    else
      Object.assign(item, {
        state: 'failed',
        code: 'failed' in end ? end.failed : end.refused,
        dueAt: new Date(now + 1_000),
      })
    item.endsAt = Number.POSITIVE_INFINITY
  }

  const checkParallel = (): void => {
    const running = new Map<string, number>()
    for (const { step, state } of items.values())
      if (state === 'started' || state === 'cancelling') running.set(step, (running.get(step) ?? 0) + 1)
    for (const [key, count] of running) {
      const step = get(key)
      const max = isApproval(step) ? 1 : (step.max_parallel ?? pipelineLimits.defaultMaxParallel)
      must(count <= max, `at most ${max} items of ${key} run at once`)
    }
    must(run.runs <= limits.runsPerPipelineRun, 'the number of runs is bounded')
  }

  for (let call = 0; call < maxCalls; call++) {
    const input = {
      definition,
      run,
      steps: [...steps.values()],
      items: [...items.values()],
      now: new Date(now),
      limits,
    }
    const rows = (): string => JSON.stringify([run, input.steps, input.items])
    const before = rows()
    const { decisions, next } = advance(input)
    must(rows() === before, 'the rows are not changed')
    must(JSON.stringify(advance(input)) === JSON.stringify({ decisions, next }), 'the same rows give the same answer')
    must(decisions.length <= limits.decisionsPerAdvance, 'the number of decisions is bounded')
    calls.push({ items: items.size, decisions: decisions.length })
    decided.push(...decisions)
    for (const decision of decisions) apply(decision)
    checkParallel()
    if (next.kind === 'end') {
      must(items.size === 0, 'nothing is open at the end')
      const outcomes = new Map([...steps].map(([key, { outcome }]) => [key, outcome]))
      return { end: next, outcomes, outputs, runs: run.runs, decisions: decided, calls, atMs: now }
    }
    if (next.kind === 'again') {
      must(decisions.length > 0, 'a call that asks for another one decides something')
      continue
    }
    // A refused start is stored, and the head is due when it may be tried again. A dead worker is noticed when its lease ends.
    const triedAgainAt = [...items.values()].flatMap(({ state, dueAt }) => {
      if (state === 'waiting') return [now + leaseMs]
      return state === 'refused' ? [dueAt?.getTime() ?? now] : []
    })
    const times = [...items.values()].map(({ endsAt }) => endsAt ?? Number.POSITIVE_INFINITY)
    const cancelAt =
      run.status === 'running' && cancelAtMs !== undefined ? Math.max(cancelAtMs, now) : Number.POSITIVE_INFINITY
    const wakeAt = next.until?.getTime() ?? Number.POSITIVE_INFINITY
    const at = Math.min(...times, ...triedAgainAt, wakeAt, cancelAt)
    must(Number.isFinite(at), 'a pipeline run never gets stuck')
    now = Math.max(now, at)
    if (cancelAt <= now) run.status = 'cancelling'
    for (const item of items.values()) if ((item.endsAt ?? Number.POSITIVE_INFINITY) <= now) finish(item)
  }
  throw new Error('the pipeline run does not end')
}
