import type { Database } from '@ars/platform/db/database'
import { createSemaphore } from '@ars/platform/semaphore'
import type { Turn } from '@ars/platform/work/queue'
import type { JsonValue } from '../../expressions/index.ts'
import type { Stage, TextGuard } from '../../guardrails/index.ts'
import { isPassingRefusal } from '../../passing-refusal.ts'
import { storableText } from '../../storable.ts'
import { pipelinesBounds } from '../bounds.ts'
import { finalStepsOf, hasItems, isApproval, type PipelineStep, pipelineLimits } from '../definition.ts'
import type { PipelineExpressions, ScopeTexts } from '../pipeline-expressions.service.ts'
import type { ClaimedHead, PipelineRunFacts } from './head.store.ts'
import type { ItemAttempt, ItemMove, NewItem, ProgressPlan, StepChange } from './progress.ts'
import type { CancelPipelineItem, StartPipelineItem } from './start.service.ts'
import { readListItems, readStepResults } from './step-output.store.ts'
import { createStepReads, outputOf } from './step-scope.ts'

type Deps = {
  app: Database
  expressions: Pick<PipelineExpressions, 'open' | 'render'>
  startRun: StartPipelineItem
  cancelRun: CancelPipelineItem
  texts: Pick<TextGuard, 'judge'>
}

/** What came of the acts after a decision. The next transaction stores it. If that never happens, they are repeated. */
export type PerformedActs = {
  steps: StepChange[]
  questions: NewItem[]
  /** Items for which the accept was asked. */
  starts: number
  /** Refusals, and items whose runs were asked to stop. */
  moves: ItemMove[]
  /** Bytes of the lists in `steps` and of the questions. */
  bytes: number
  /** Of the pipeline run; null: it was not asked for. */
  output: { kind: 'rendered'; json: string } | { kind: 'fault'; code: string; message: string } | null
  /** Expressions could not be evaluated now. */
  isBusy: boolean
}

export const nothingActed: PerformedActs = {
  ...{ steps: [], questions: [], starts: 0, moves: [], bytes: 0 },
  ...{ output: null, isBusy: false },
}

/** Runs of one pipeline run that are started or cancelled at the same time. */
const maxAtOnce = pipelinesBounds.actsAtOnce.count

const maxMessageChars = pipelinesBounds.stepMessage.chars
/** After it the act fails, and is repeated. */
const judgeMs = pipelinesBounds.checkOfStep.ms

/** The refusal that passes, as `advance` knows it. */
const passingRefusal = 'concurrency_exceeded'
const passingSeconds = 1

export const createActs = ({ app, expressions, startRun, cancelRun, texts }: Deps) => ({
  /** For one claim of a pipeline run. Outputs of settled steps do not change, so each is read once. */
  open: (
    { org, id }: ClaimedHead,
    { definition, input, creator, owner, author, ...facts }: PipelineRunFacts,
    turn: Turn,
  ) => {
    const byKey = new Map(definition.steps.map((step) => [step.key, step]))
    const stepOf = (key: string): PipelineStep => {
      const step = byKey.get(key)
      if (!step) throw new Error('A decision names a step that the definition does not have')
      return step
    }
    const reads = createStepReads(definition)
    const known = new Map<string, { status: string; output: string | undefined }>()
    let { storedBytes } = facts

    /** Reads what the expressions of one step need. What others needed is forgotten if it is much: all outputs together have no bound. */
    const load = async (keys: readonly string[]): Promise<void> => {
      const chars = [...known.values()].reduce((sum, { output = '' }) => sum + output.length, 0)
      if (chars > pipelineLimits.scopeBytes) known.clear()
      const missing = [...new Set(keys)].filter((key) => !known.has(key))
      for (const [key, result] of await readStepResults(app, org, { id, keys: missing }))
        known.set(key, { status: result.status, output: outputOf(stepOf(key), result) })
    }

    const scopeOf = (keys: readonly string[]): ScopeTexts => ({
      input,
      steps: Object.fromEntries(
        keys.flatMap((key) => {
          const result = known.get(key)
          return result ? [[key, result]] : []
        }),
      ),
    })

    /** False: the pipeline run has no room for it. A list or a question is written by a statement of less than 1 MiB. */
    const reserve = (acted: PerformedActs, json: string): boolean => {
      const bytes = Buffer.byteLength(json)
      if (bytes > pipelineLimits.storedBytesPerStep || storedBytes + bytes > pipelineLimits.storedBytes) return false
      storedBytes += bytes
      acted.bytes += bytes
      return true
    }

    /** What policies leave of a text before it is stored. */
    const judge = async (stage: Stage, json: string): Promise<Judged> => {
      if (author.policySetId === null) return { kind: 'fits', json }
      const content = JSON.parse(json) as JsonValue
      const signal = AbortSignal.any([turn.signal, AbortSignal.timeout(judgeMs)])
      const verdict = await texts.judge(author, { stage, content, signal })
      if (verdict.kind === 'fits')
        return { kind: 'fits', json: verdict.content === content ? json : JSON.stringify(verdict.content) }
      return { kind: 'fault', code: verdict.fault.code, message: verdict.fault.message }
    }

    /** The words of a fault. Those of an expression may quote what it read. */
    const wordsOf = async (message: string): Promise<string> => {
      const words = storableText(message.slice(0, maxMessageChars))
      const verdict = await judge('output', JSON.stringify(words))
      return verdict.kind === 'fits' ? (JSON.parse(verdict.json) as string) : verdict.message
    }

    const openStep = async (acted: PerformedActs, step: PipelineStep): Promise<void> => {
      const keys = reads.ofStep(step)
      await load(keys)
      const verdict = await expressions.open(org, step, scopeOf(keys))
      const row = { key: step.key, code: null, items: 0, next_item: 0, halt: null, outcome: null }
      const fail = async ({ code, message }: { code: string; message: string }): Promise<void> =>
        void acted.steps.push({ ...row, verdict: 'fault', code, message: await wordsOf(message) })
      const run = async (items: number, list: string | null): Promise<void> => {
        const kept = list === null ? null : await judge('input', list)
        if (kept?.kind === 'fault') return fail(kept)
        if (kept && !reserve(acted, kept.json)) return fail({ code: 'too_many_items', message: noRoom })
        acted.steps.push({ ...row, verdict: 'run', items, list: kept?.json ?? null })
      }
      if (verdict.kind === 'busy') acted.isBusy = true
      else if (verdict.kind === 'skip') acted.steps.push({ ...row, verdict: 'skip' })
      else if (verdict.kind === 'fault') await fail(verdict)
      else await run(verdict.items, verdict.list)
    }

    const ask = async (acted: PerformedActs, step: PipelineStep): Promise<void> => {
      if (!isApproval(step)) return
      const { message, response_schema } = step.approval
      const keys = reads.ofStep(step)
      await load(keys)
      const rendered = await expressions.render(org, message, scopeOf(keys))
      if (rendered.kind === 'busy') {
        acted.isBusy = true
        return
      }
      const base = { step: step.key, item: 0, attempt: 1 }
      const fail = async ({ code, message }: { code: string; message: string }): Promise<void> =>
        void acted.questions.push({ ...base, state: 'failed', code, message: await wordsOf(message) })
      const put = async (json: string): Promise<void> => {
        const question = JSON.stringify({
          message: textOf(JSON.parse(json) as JsonValue),
          response_schema: response_schema ?? null,
        })
        if (!reserve(acted, question)) return fail({ code: 'expression_failed', message: noRoom })
        acted.questions.push({ ...base, state: 'started', expires_in_seconds: step.timeout_seconds ?? null, question })
      }
      const kept = rendered.kind === 'fault' ? rendered : await judge('output', rendered.json)
      if (kept.kind === 'fault') await fail(kept)
      else await put(kept.json)
      acted.steps.push({
        ...{ key: step.key, verdict: 'run', code: null, items: 1, next_item: 1, halt: null, outcome: null },
      })
    }

    const start = async (acted: PerformedActs, attempt: ItemAttempt, element: string | undefined): Promise<void> => {
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
      if (rendered.kind === 'fault') return refuse(rendered.code, null, await wordsOf(rendered.message))
      const value = JSON.parse(rendered.json) as JsonValue
      if (!isObject(value)) return refuse('input_invalid', null)
      const started = await startRun(org, {
        creator,
        owner,
        agentId: step.agent_id,
        input: value,
        timeoutSeconds: step.timeout_seconds,
        item: { pipelineRunId: id, ...attempt },
      })
      acted.starts++
      if (started.kind !== 'refused') return
      if (isPassingRefusal(started.code)) refuse(passingRefusal, started.retryAfterSeconds ?? passingSeconds)
      else refuse(started.code, null)
    }

    const mayAct = (acted: PerformedActs): boolean => !hasActed(acted) || turn.mayGoOn()

    /** One step after the other: the items of a step read the same outputs. */
    const startAll = async (acted: PerformedActs, attempts: readonly ItemAttempt[]): Promise<void> => {
      for (const key of new Set(attempts.map(({ step }) => step))) {
        const step = stepOf(key)
        const own = attempts.filter((attempt) => attempt.step === key)
        const items = own.map(({ item }) => item)
        const list = hasItems(step) ? await readListItems(app, org, { id, step: key, items }) : undefined
        await load(reads.ofStep(step))
        await eachOf(own, async (attempt) => {
          if (mayAct(acted)) await start(acted, attempt, list && (list.get(attempt.item) ?? 'null'))
        })
      }
    }

    const render = async (acted: PerformedActs): Promise<void> => {
      const keys = reads.ofOutput()
      await load(keys)
      const rendered =
        definition.output === undefined
          ? outputsOfLast()
          : await expressions.render(org, definition.output, scopeOf(keys))
      if (rendered.kind === 'busy') {
        acted.isBusy = true
        return
      }
      const kept = rendered.kind === 'fault' ? rendered : await judge('output', rendered.json)
      acted.output =
        kept.kind === 'fits' ? { kind: 'rendered', json: kept.json } : { ...kept, message: await wordsOf(kept.message) }
    }

    const outputsOfLast = (): NonNullable<PerformedActs['output']> => {
      let chars = 0
      const outputs = finalStepsOf(definition).map((key) => {
        const result = known.get(key)
        const output = result ? result.output : 'null'
        chars += output?.length ?? Number.POSITIVE_INFINITY
        return `${JSON.stringify(key)}:${output}`
      })
      return chars > pipelineLimits.scopeBytes
        ? { kind: 'fault', code: 'expression_failed', message: outputTooLarge }
        : { kind: 'rendered', json: `{${outputs.join(',')}}` }
    }

    return {
      /** At least one act, and no more when the turn is over. */
      perform: async (plan: ProgressPlan, { needsOutput }: { needsOutput: boolean }): Promise<PerformedActs> => {
        const acted: PerformedActs = { ...nothingActed, steps: [], questions: [], moves: [] }
        const [opened, asked] = [plan.open.map(stepOf), plan.ask.map(stepOf)]
        await eachOf(plan.cancel, async ({ runId, ...attempt }) => {
          // The state is stored after the request: a worker that dies between them repeats it.
          await cancelRun(org, runId)
          acted.moves.push({ ...attempt, was: 'started', state: 'cancelling', code: null, due_in_seconds: null })
        })
        // In turn: what one step reads can be as large as what all may keep.
        for (const step of opened) if (mayAct(acted)) await openStep(acted, step)
        for (const step of asked) if (mayAct(acted)) await ask(acted, step)
        await startAll(acted, plan.start)
        if (needsOutput && mayAct(acted)) await render(acted)
        return acted
      },
    }
  },
})

/** Whether the next transaction has something to store. The accept has stored what it was asked to start. */
export const hasResults = ({ steps, questions, moves, output }: PerformedActs): boolean =>
  steps.length + questions.length + moves.length > 0 || output !== null

export const hasActed = (acted: PerformedActs): boolean => acted.starts > 0 || hasResults(acted)

const eachOf = async <Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> => {
  const inTurn = createSemaphore(maxAtOnce)
  await Promise.all(items.map((item) => inTurn(() => work(item))))
}

type Judged = { kind: 'fits'; json: string } | { kind: 'fault'; code: string; message: string }

const noRoom = `A list or a question may have ${pipelineLimits.storedBytesPerStep} bytes of JSON, and all of a pipeline run ${pipelineLimits.storedBytes}`
const outputTooLarge = `The outputs of the last steps have more than ${pipelineLimits.scopeBytes} bytes. Choose parts of them in the output of the pipeline`

const isObject = (value: JsonValue): value is { readonly [name: string]: JsonValue } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const textOf = (value: JsonValue): string => (typeof value === 'string' ? value : JSON.stringify(value))
