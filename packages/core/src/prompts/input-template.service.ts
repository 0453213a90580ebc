import type { ThreadPool } from '@ars/platform/thread-pool'
import { Fault } from '../fault.ts'
import { storableText } from '../storable.ts'
import { promptsBounds } from './bounds.ts'
import type { InputTemplateProblem, TemplateTasks } from './input-template-task.service.ts'

/**
 * Checks and fills `input_template` of agents in the threads of the pool. No method may be called while a transaction is open: it can wait
 * for a thread. Too much that waits is 503 `unavailable`.
 */
export type InputTemplates = {
  /** The problems of a template, as sentences with their positions. An empty list: it can be saved. */
  check(org: string, template: string): Promise<string[]>
  /** `fault`: the input does not fit the template. The message names no part of the input. */
  render(org: string, template: string, input: Readonly<Record<string, unknown>>): Promise<RenderedInput>
}

export type RenderedInput = { kind: 'rendered'; text: string } | { kind: 'fault'; message: string }

export const createInputTemplates = ({ threads }: { threads: Pick<ThreadPool, 'run'> }): InputTemplates => {
  const run = async <Kind extends keyof TemplateTasks>(
    org: string,
    kind: Kind,
    { task, baseMs }: { task: TemplateTasks[Kind]['task']; baseMs: number },
  ): Promise<{ kind: 'done'; result: TemplateTasks[Kind]['result'] } | { kind: 'stopped'; reason: string }> => {
    const chars = Object.values(task).reduce((sum, text) => sum + text.length, 0)
    const maxCpuMs = Math.ceil(baseMs + (chars / 1_048_576) * promptsBounds.templateCpuOfMib.ms)
    const outcome = await threads.run({ owner: org, kind, payload: task, bytes: 2 * chars, maxCpuMs })
    if (outcome.kind === 'busy')
      throw new Fault('unavailable', 'The service has too many templates to fill just now', {
        reason: 'shed',
        retryAfterSeconds: 1,
      })
    if (outcome.kind === 'done') return { kind: 'done', result: outcome.result as TemplateTasks[Kind]['result'] }
    return {
      kind: 'stopped',
      reason: outcome.kind === 'out_of_memory' ? 'needs too much memory' : 'takes too much CPU time',
    }
  }

  return {
    check: async (org, template) => {
      const outcome = await run(org, 'templates.check', {
        task: { template },
        baseMs: promptsBounds.templateCheckCpu.ms,
      })
      return outcome.kind === 'done' ? outcome.result.map(inWords) : [`Checking the template ${outcome.reason}`]
    },
    render: async (org, template, input) => {
      const task = { template, input: JSON.stringify(input) }
      const outcome = await run(org, 'templates.render', { task, baseMs: promptsBounds.templateRenderCpu.ms })
      if (outcome.kind === 'stopped') return { kind: 'fault', message: `Filling the template ${outcome.reason}` }
      const { result } = outcome
      // An expression can make half of a surrogate pair.
      return result.kind === 'rendered' ? { kind: 'rendered', text: storableText(result.text) } : result
    },
  }
}

const inWords = ({ message, position }: InputTemplateProblem): string => `${message} (at character ${position + 1})`
