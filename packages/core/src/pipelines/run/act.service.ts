import type { Database } from '@ars/platform/db/database'
import { createSemaphore } from '@ars/platform/semaphore'
import { isPassingRefusal } from '../../passing-refusal.ts'
import { finalStepsOf, hasItems, isApproval, type JsonValue, type PipelineStep } from '../definition.ts'
import type { ExpressionScope, PipelineExpressions } from '../pipeline-expressions.service.ts'
import type { HeldHead, PipelineRunFacts } from './head.store.ts'
import type { ItemAttempt, ItemMove, NewItem, ProgressPlan, StepChange } from './progress.ts'
import type { CancelPipelineItem, StartPipelineItem } from './start.service.ts'
import { readListItems, readStepResults } from './step-output.store.ts'
import { createStepReads, outputOf } from './step-scope.ts'

type Deps = {
  app: Database
  expressions: Pick<PipelineExpressions, 'open' | 'render'>
  startRun: StartPipelineItem
  cancelRun: CancelPipelineItem
}

/** What came of the acts after a decision. The next transaction stores it. If that never happens, they are repeated. */
export type PerformedActs = {
  steps: StepChange[]
  questions: NewItem[]
  /** Refusals, and items whose runs were asked to stop. */
  moves: ItemMove[]
  /** Of the pipeline run; null: it was not asked for. */
  output: { kind: 'rendered'; value: JsonValue } | { kind: 'fault'; code: string; message: string } | null
  /** Expressions could not be evaluated now. */
  isBusy: boolean
}

export const nothingActed: PerformedActs = { steps: [], questions: [], moves: [], output: null, isBusy: false }

/** Runs of one pipeline run that are started or cancelled at the same time. */
const maxAtOnce = 8

const maxMessageChars = 500

/** The refusal that passes, as `advance` knows it. */
const passingRefusal = 'concurrency_exceeded'
const passingSeconds = 1

export const createActs = ({ app, expressions, startRun, cancelRun }: Deps) => ({
  /** For one claim of a pipeline run. Outputs of settled steps do not change, so each is read once. */
  open: ({ org, id }: HeldHead, { definition, input, creator, owner }: PipelineRunFacts) => {
    const byKey = new Map(definition.steps.map((step) => [step.key, step]))
    const stepOf = (key: string): PipelineStep => {
      const step = byKey.get(key)
      if (!step) throw new Error('A decision names a step that the definition does not have')
      return step
    }
    const reads = createStepReads(definition)
    const known = new Map<string, { status: string; output: JsonValue }>()

    const load = async (keys: readonly string[]): Promise<void> => {
      const missing = [...new Set(keys)].filter((key) => !known.has(key))
      for (const [key, result] of await readStepResults(app, org, { id, keys: missing }))
        known.set(key, { status: result.status, output: outputOf(stepOf(key), result) })
    }

    const scopeOf = (keys: readonly string[]): ExpressionScope => ({
      input: input as JsonValue,
      steps: Object.fromEntries(
        keys.flatMap((key) => {
          const result = known.get(key)
          return result ? [[key, result]] : []
        }),
      ),
    })

    const openStep = async (acted: PerformedActs, step: PipelineStep): Promise<void> => {
      const verdict = await expressions.open(org, step, scopeOf(reads.ofStep(step)))
      const row = { key: step.key, code: null, items: 0, next_item: 0, halt: null, outcome: null }
      if (verdict.kind === 'busy') acted.isBusy = true
      else if (verdict.kind === 'run')
        acted.steps.push({ ...row, verdict: 'run', items: verdict.items, list: verdict.list })
      else if (verdict.kind === 'skip') acted.steps.push({ ...row, verdict: 'skip' })
      else acted.steps.push({ ...row, verdict: 'fault', code: verdict.code, message: storedMessage(verdict) })
    }

    const ask = async (acted: PerformedActs, step: PipelineStep): Promise<void> => {
      if (!isApproval(step)) return
      const { message, response_schema } = step.approval
      const rendered = await expressions.render(org, message, scopeOf(reads.ofStep(step)))
      if (rendered.kind === 'busy') {
        acted.isBusy = true
        return
      }
      const base = { step: step.key, item: 0, attempt: 1 }
      acted.questions.push(
        rendered.kind === 'fault'
          ? { ...base, state: 'failed', code: rendered.code, message: storedMessage(rendered) }
          : {
              ...base,
              state: 'started',
              expires_in_seconds: step.timeout_seconds ?? null,
              question: { message: textOf(rendered.value), response_schema: response_schema ?? null },
            },
      )
      acted.steps.push({
        ...{ key: step.key, verdict: 'run', code: null, items: 1, next_item: 1, halt: null, outcome: null },
      })
    }

    const start = async (acted: PerformedActs, attempt: ItemAttempt, element: JsonValue | undefined): Promise<void> => {
      const step = stepOf(attempt.step)
      if (isApproval(step)) return
      const scope = scopeOf(reads.ofStep(step))
      const rendered = await expressions.render(
        org,
        step.input ?? {},
        element === undefined ? scope : { ...scope, item: element, index: attempt.item },
      )
      if (rendered.kind === 'busy') {
        acted.isBusy = true
        return
      }
      const refuse = (code: string, due_in_seconds: number | null, message: string | null = null): void =>
        void acted.moves.push({ ...attempt, was: 'waiting', state: 'refused', code, message, due_in_seconds })
      if (rendered.kind === 'fault') return refuse(rendered.code, null, storedMessage(rendered))
      if (!isObject(rendered.value)) return refuse('input_invalid', null)
      const started = await startRun(org, {
        creator,
        owner,
        agentId: step.agent_id,
        input: rendered.value,
        timeoutSeconds: step.timeout_seconds,
        item: { pipelineRunId: id, ...attempt },
      })
      if (started.kind !== 'refused') return
      if (isPassingRefusal(started.code)) refuse(passingRefusal, started.retryAfterSeconds ?? passingSeconds)
      else refuse(started.code, null)
    }

    const startAll = async (acted: PerformedActs, attempts: readonly ItemAttempt[]): Promise<void> => {
      const elements = new Map<string, ReadonlyMap<number, JsonValue>>()
      for (const key of new Set(attempts.map(({ step }) => step))) {
        if (!hasItems(stepOf(key))) continue
        const items = attempts.filter(({ step }) => step === key).map(({ item }) => item)
        elements.set(key, await readListItems(app, org, { id, step: key, items }))
      }
      await eachOf(attempts, (attempt) => {
        const list = elements.get(attempt.step)
        return start(acted, attempt, list && (list.get(attempt.item) ?? null))
      })
    }

    const render = async (acted: PerformedActs): Promise<void> => {
      const keys = reads.ofOutput()
      if (definition.output !== undefined) {
        const rendered = await expressions.render(org, definition.output, scopeOf(keys))
        if (rendered.kind === 'busy') acted.isBusy = true
        else acted.output = rendered
        return
      }
      const outputs = finalStepsOf(definition).map((key) => [key, known.get(key)?.output ?? null])
      acted.output = { kind: 'rendered', value: Object.fromEntries(outputs) }
    }

    return {
      perform: async (plan: ProgressPlan, { needsOutput }: { needsOutput: boolean }): Promise<PerformedActs> => {
        const acted: PerformedActs = { ...nothingActed, steps: [], questions: [], moves: [] }
        const [opened, asked] = [plan.open.map(stepOf), plan.ask.map(stepOf)]
        const started = [...new Set(plan.start.map(({ step }) => step))].map(stepOf)
        await load([
          ...[...opened, ...asked, ...started].flatMap(reads.ofStep),
          ...(needsOutput ? reads.ofOutput() : []),
        ])
        await eachOf(plan.cancel, async ({ runId, ...attempt }) => {
          // The state is stored after the request: a worker that dies between them repeats it.
          await cancelRun(org, runId)
          acted.moves.push({ ...attempt, was: 'started', state: 'cancelling', code: null, due_in_seconds: null })
        })
        await eachOf(opened, (step) => openStep(acted, step))
        await eachOf(asked, (step) => ask(acted, step))
        await startAll(acted, plan.start)
        if (needsOutput) await render(acted)
        return acted
      },
    }
  },
})

const eachOf = async <Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> => {
  const inTurn = createSemaphore(maxAtOnce)
  await Promise.all(items.map((item) => inTurn(() => work(item))))
}

/** It may quote what the expression read. */
const storedMessage = ({ message }: { message: string }): string => message.slice(0, maxMessageChars)

const isObject = (value: JsonValue): value is { readonly [name: string]: JsonValue } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const textOf = (value: JsonValue): string => (typeof value === 'string' ? value : JSON.stringify(value))
