import type { TaskOutcome, ThreadPool } from '@ars/platform/thread-pool'
import type { JsonValue } from '../expressions/index.ts'
import { Fault } from '../fault.ts'
import { isStorableJson } from '../storable.ts'
import { pipelinesBounds } from './bounds.ts'
import { hasItems, isApproval, type PipelineDefinition, type PipelineStep, pipelineLimits } from './definition.ts'
import type { DefinitionProblem } from './definition-problems.ts'
import { type ScopeTexts, scopeTextFor, templateTexts } from './expression-scope.ts'
import type { CheckedAgents, ExpressionFault, PipelineTasks } from './pipeline-task.service.ts'

export type { ScopeTexts } from './expression-scope.ts'

/**
 * Checks and evaluates the expressions of pipelines in the threads of the pool. No method may be called while a transaction is open: it
 * can wait for a thread. `busy`: too much waits for the threads; try again later.
 */
export type PipelineExpressions = {
  /** Everything that is wrong with a definition. An empty list: it can be saved. Too many waiting checks are 503 `unavailable`. */
  check(org: string, definition: PipelineDefinition, agents: AgentsOfDefinition): Promise<DefinitionProblem[]>
  /** Evaluates `when`, then `for_each`. `list` is JSON; null for a step without `for_each`, which has one item. */
  open(org: string, step: PipelineStep, scope: ScopeTexts): Promise<OpenedByExpressions>
  /** Fills the placeholders of a value: input of an item, output of the pipeline, question of an approval. Answers JSON. */
  render(org: string, value: JsonValue, scope: ScopeTexts): Promise<RenderedByExpressions>
}

export type AgentsOfDefinition = ReadonlyMap<string, { outputSchema: JsonValue | null }>

export type OpenedByExpressions =
  | { kind: 'run'; items: number; list: string | null }
  | { kind: 'skip' }
  | ExpressionFault
  | { kind: 'busy' }

export type RenderedByExpressions = { kind: 'rendered'; json: string } | ExpressionFault | { kind: 'busy' }

const pipelineCpuLimits = {
  checkMs: pipelinesBounds.checkCpu.ms,
  openMs: pipelinesBounds.openCpu.ms,
  renderMs: pipelinesBounds.renderCpu.ms,
  /** Added for each MiB of what the expressions read, and of the definition that is checked. */
  msPerMib: pipelinesBounds.cpuOfMib.ms,
} as const

/** Of the output schemas of all agents of a definition. Fields of the others are not checked. */
const maxSchemaChars = pipelinesBounds.outputSchemasTyped.chars

export const createPipelineExpressions = ({ threads }: { threads: Pick<ThreadPool, 'run'> }): PipelineExpressions => {
  const runTask = <Kind extends keyof PipelineTasks>(
    org: string,
    kind: Kind,
    { task, baseMs }: { task: PipelineTasks[Kind]['task']; baseMs: number },
  ): Promise<TaskOutcome> => {
    const chars = Object.values(task).reduce((sum, text: string | undefined) => sum + (text?.length ?? 0), 0)
    const maxCpuMs = Math.ceil(baseMs + (chars / 1_048_576) * pipelineCpuLimits.msPerMib)
    return threads.run({ owner: org, kind, payload: task, bytes: 2 * chars, maxCpuMs })
  }

  return {
    check: async (org, definition, agents) => {
      const task = { definition: JSON.stringify(definition), agents: agentsText(definition, agents) }
      const outcome = await runTask(org, 'pipelines.check', { task, baseMs: pipelineCpuLimits.checkMs })
      if (outcome.kind === 'busy') {
        throw new Fault('unavailable', 'The service has too many pipelines to check just now', {
          reason: 'shed',
          retryAfterSeconds: 1,
        })
      }
      if (outcome.kind === 'done') return outcome.result as PipelineTasks['pipelines.check']['result']
      return [{ param: 'steps', message: `Checking the expressions ${wordOf(outcome)}. Use fewer or shorter ones` }]
    },
    open: async (org, step, scope) => {
      const { when } = step
      const forEach = hasItems(step) ? step.for_each : undefined
      const texts = [when, forEach].filter((text) => text !== undefined)
      if (texts.length === 0) return { kind: 'run', items: 1, list: null }
      const part = scopeTextFor(texts, scope)
      if (part.kind === 'too_large') return scopeTooLarge
      const task = { when, forEach, scope: part.text }
      const outcome = await runTask(org, 'pipelines.open', { task, baseMs: pipelineCpuLimits.openMs })
      if (outcome.kind !== 'done') return faultOf(outcome)
      const opened = outcome.result as PipelineTasks['pipelines.open']['result']
      return opened.kind === 'run' && opened.list !== null && !isStorableJson(opened.list) ? unstorable : opened
    },
    render: async (org, value, scope) => {
      const { texts, json } = templateOf(value)
      if (texts.length === 0) return isStorableJson(json) ? { kind: 'rendered', json } : unstorable
      const part = scopeTextFor(texts, scope)
      if (part.kind === 'too_large') return scopeTooLarge
      const task = { value: json, scope: part.text }
      const outcome = await runTask(org, 'pipelines.render', { task, baseMs: pipelineCpuLimits.renderMs })
      if (outcome.kind !== 'done') return faultOf(outcome)
      const rendered = outcome.result as PipelineTasks['pipelines.render']['result']
      return rendered.kind === 'rendered' && !isStorableJson(rendered.json) ? unstorable : rendered
    },
  }
}

type Template = { texts: readonly string[]; json: string }

/** A step renders the same value for each of its items. */
const known = new WeakMap<object, Template>()

const templateOf = (value: JsonValue): Template => {
  const isKept = typeof value === 'object' && value !== null
  const template = (isKept && known.get(value)) || { texts: templateTexts(value), json: JSON.stringify(value) }
  if (isKept) known.set(value, template)
  return template
}

type Stopped = Extract<TaskOutcome, { kind: 'out_of_time' | 'out_of_memory' }>

const wordOf = ({ kind }: Stopped): string =>
  kind === 'out_of_memory' ? 'needs too much memory' : 'takes too much CPU time'

const failed = (message: string): ExpressionFault => ({ kind: 'fault', code: 'expression_failed', message })

const faultOf = (outcome: Exclude<TaskOutcome, { kind: 'done' }>): ExpressionFault | { kind: 'busy' } =>
  outcome.kind === 'busy' ? outcome : failed(`Evaluating the expressions ${wordOf(outcome)}`)

// Outputs of models may hold them, and expressions can make them.
const unstorable = failed('The result holds the character U+0000 or half of a surrogate pair, which cannot be stored')

const scopeTooLarge = failed(`What the expressions read has more than ${pipelineLimits.scopeBytes} bytes`)

const agentsText = ({ steps }: PipelineDefinition, agents: AgentsOfDefinition): string => {
  let chars = 0
  const ids = new Set(steps.flatMap((step) => (isApproval(step) ? [] : [step.agent_id])))
  const named: CheckedAgents = [...ids].flatMap((id) => {
    const agent = agents.get(id)
    if (!agent) return []
    chars += JSON.stringify(agent.outputSchema).length
    return [[id, { outputSchema: chars > maxSchemaChars ? null : agent.outputSchema }] as const]
  })
  return JSON.stringify(named)
}
