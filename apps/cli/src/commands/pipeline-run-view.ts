import type { PipelineRun } from '@agent-run-service/sdk'
import { type ExitCode, exitCodes } from '../exit-code.ts'
import { duration, localTime } from '../moment.ts'
import { fields, table } from '../table.ts'
import { statusStyle, type Terminal } from '../terminal.ts'
import { clean, oneLine } from '../text.ts'
import { answerCommand, outputText } from './run-view.ts'

export type PipelineStep = PipelineRun['steps'][number]
export type PipelineQuestion = PipelineRun['required_actions'][number]

export const isEnded = ({ status }: Pick<PipelineRun, 'status'>): boolean =>
  ['completed', 'failed', 'cancelled'].includes(status)

/** A failed or cancelled pipeline run makes the command that waited for it fail. */
export const exitCodeOfPipelineRun = (run: Pick<PipelineRun, 'status'>): ExitCode => {
  if (!isEnded(run)) return exitCodes.unfinished
  return run.status === 'completed' ? exitCodes.ok : exitCodes.failed
}

/** Whether every step that runs waits for a person, so that nothing happens before a decision. */
export const waitsForPeople = ({ steps, required_actions: questions }: PipelineRun): boolean => {
  const running = steps.filter(({ status }) => status === 'running')
  return (
    running.length > 0 &&
    running.every(({ key, items }) => questions.filter(({ step }) => step === key).length >= Math.max(1, items.running))
  )
}

/** A line for a step: its key, its status, how many of its items are done, and why it failed. */
export const stepLine = (terminal: Terminal, step: PipelineStep): string => {
  const { key, status, error } = step
  const facts = [itemsText(step), timeText(step), error && `${error.code}: ${oneLine(error.message)}`]
  return [key, terminal.paint(statusStyle(status), status), ...facts.filter(Boolean)].join('  ')
}

const itemsText = ({ items: { total, completed, failed } }: PipelineStep): string =>
  total > 1 ? `${completed + failed} of ${total} items${failed > 0 ? `, ${failed} failed` : ''}` : ''

const timeText = ({ started_at, finished_at }: PipelineStep): string =>
  started_at === null || finished_at === null ? '' : duration(Date.parse(finished_at) - Date.parse(started_at))

/** Prints each question and the command that answers it. */
export const tellPipelineQuestions = (terminal: Terminal, id: string, questions: readonly PipelineQuestion[]): void => {
  for (const { step, message, run_id, type, id: action, response_schema } of questions) {
    terminal.note(`${step} waits for a decision: ${oneLine(message)}`)
    if (run_id === null) {
      const payload = response_schema === null ? '' : ` --payload '{…}'`
      terminal.note(`  ars pipeline-runs act ${id} approve --action ${action}${payload}`)
    } else {
      terminal.note(`  ${answerCommand(run_id, type, action)}`)
    }
  }
}

/** Prints the output to stdout and everything else to stderr, so that the output can be piped. */
export const tellPipelineEnd = (terminal: Terminal, run: PipelineRun): void => {
  if (terminal.isJson) return
  const { id, status, latency_ms, tokens_used, cost_usd, error } = run
  const facts = [
    ...(latency_ms === null ? [] : [duration(latency_ms)]),
    `${tokens_used} tokens`,
    ...(cost_usd === null ? [] : [`$${cost_usd}`]),
  ]
  terminal.note(`${id} ${terminal.paint(statusStyle(status), status)}  ${facts.join(', ')}`)
  if (error) {
    const where = error.step === null ? '' : ` in step ${error.step}`
    terminal.note(`${error.code}${where}: ${oneLine(error.message)}`)
    if (error.step !== null)
      terminal.note(`Run it again from there: ars pipeline-runs rerun ${id} --from-step ${error.step}`)
  }
}

export const describePipelineRun = (terminal: Terminal, run: PipelineRun): string => {
  const { error } = run
  const head = fields([
    ['id', run.id],
    ['status', terminal.paint(statusStyle(run.status), run.status)],
    ['pipeline', `${run.pipeline_id} version ${run.pipeline_version}`],
    ['created', localTime(run.created_at)],
    ['took', run.latency_ms === null ? null : duration(run.latency_ms)],
    ['tokens', String(run.tokens_used)],
    ['cost', run.cost_usd === null ? null : `$${run.cost_usd}`],
    ['rerun of', run.rerun_of === null ? null : `${run.rerun_of} from ${run.from_step}`],
    ['erased', run.erased_at === null ? null : localTime(run.erased_at)],
    ['error', error && `${error.code}${error.step === null ? '' : ` in ${error.step}`}: ${oneLine(error.message)}`],
    ...run.required_actions.map(({ step, message }) => ['waits for', `${step}: ${oneLine(message)}`] as const),
  ])
  const rows = run.steps.map((step) => [
    step.key,
    step.status,
    step.items.total > 1 ? `${step.items.completed}/${step.items.total}` : '',
    timeText(step),
    step.run_id ?? '',
    step.error?.code ?? '',
  ])
  const steps = table(['STEP', 'STATUS', 'ITEMS', 'TOOK', 'RUN', 'ERROR'], rows, (column, cell) =>
    column === 'STATUS' ? terminal.paint(statusStyle(cell.trim()), cell) : cell,
  )
  const output = run.output === null ? [] : [`${terminal.paint('strong', 'Output')}\n${outputText(run)}`]
  const input = `${terminal.paint('strong', 'Input')}\n${clean(JSON.stringify(run.input, null, 2))}`
  return [head, steps, input, ...output].join('\n\n')
}

/** After a change of its state. */
export const stateOfPipelineRun = ({ id, status }: PipelineRun): string => `${id} is ${status}.`

export const tellNext = (terminal: Terminal, run: PipelineRun): void => {
  if (!terminal.isJson && !isEnded(run)) terminal.note(`Follow it with: ars pipeline-runs watch ${run.id}`)
}
