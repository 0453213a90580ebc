import type { PipelineRun, PipelineRunFrame } from '@agent-run-service/sdk'
import { type Command, Option } from 'commander'
import { type ExitCode, exitCodes } from '../exit-code.ts'
import type { Session } from '../session.ts'
import type { Terminal } from '../terminal.ts'
import {
  exitCodeOfPipelineRun,
  isEnded,
  type PipelineQuestion,
  type PipelineStep,
  stepLine,
  tellPipelineEnd,
  tellPipelineQuestions,
  waitsForPeople,
} from './pipeline-run-view.ts'
import { outputText } from './run-view.ts'

export type Following = { wait?: boolean; follow?: boolean }

export const withFollowing = (command: Command): Command =>
  command
    .addOption(
      new Option('--wait', 'wait for the output; ends with 6 if only a person can continue it').conflicts('follow'),
    )
    .option('--follow', 'show the steps until the end')

/** What follows a pipeline run that was just started. */
export const followStarted = async (session: Session, run: PipelineRun, options: Following): Promise<ExitCode> => {
  if (options.follow) return followPipelineRun(session, run.id)
  if (options.wait) return awaitPipelineRun(session, run.id)
  session.terminal.result(run, () => `${run.id} is ${run.status}.`)
  if (!session.terminal.isJson) session.terminal.note(`Follow it with: ars pipeline-runs watch ${run.id}`)
  return exitCodes.ok
}

/** Shows the steps on stderr until the pipeline run ends, and its output on stdout. */
export const followPipelineRun = async (session: Session, id: string): Promise<ExitCode> => {
  const { terminal } = session
  const view = createStepView(terminal, id)
  const ended = await lastOf(session, id, (frame) => {
    if (terminal.isJson) terminal.each(frame, () => '')
    else view.take(frame)
    return false
  })
  if (ended === null) return exitCodes.interrupted
  if (!terminal.isJson && ended.output !== null) terminal.result(ended, () => outputText(ended))
  tellPipelineEnd(terminal, ended)
  return exitCodeOfPipelineRun(ended)
}

/** Waits for the end, or until only a person can continue the pipeline run. */
const awaitPipelineRun = async (session: Session, id: string): Promise<ExitCode> => {
  const { terminal, signal } = session
  let current: PipelineRun | null = null
  const last = await lastOf(session, id, (frame) => {
    current = merged(current, frame)
    return current !== null && waitsForPeople(current)
  })
  if (last === null) return exitCodes.interrupted
  const run = isEnded(last) ? last : await session.client().pipelineRuns.get(id, { signal })
  if (terminal.isJson || run.output !== null) terminal.result(run, () => outputText(run))
  tellPipelineEnd(terminal, run)
  if (!terminal.isJson) tellPipelineQuestions(terminal, id, run.required_actions)
  return exitCodeOfPipelineRun(run)
}

/** Reads frames until the last one, or until `take` says that it is enough. Null: Ctrl-C. */
const lastOf = async (
  { followingClient, signal, terminal }: Session,
  id: string,
  take: (frame: PipelineRunFrame) => boolean,
): Promise<PipelineRun | null> => {
  let current: PipelineRun | null = null
  try {
    for await (const frame of followingClient().pipelineRuns.watch(id, { signal })) {
      current = merged(current, frame)
      if (take(frame) || isLast(frame)) return current
    }
  } catch (error) {
    if (!signal.aborted) throw error
    terminal.note(`The pipeline run continues. Follow it with:  ars pipeline-runs watch ${id}`)
    terminal.note(`Cancel it with:  ars pipeline-runs cancel ${id}`)
    return null
  }
  return current
}

const isLast = ({ type }: PipelineRunFrame): boolean =>
  ['pipeline_run.completed', 'pipeline_run.failed', 'pipeline_run.cancelled'].includes(type)

/** The pipeline run after a frame. */
const merged = (run: PipelineRun | null, frame: PipelineRunFrame): PipelineRun | null => {
  if ('pipeline_run' in frame) return frame.pipeline_run
  if (run === null) return null
  if (frame.type === 'pipeline_run.step') {
    return { ...run, steps: run.steps.map((step) => (step.key === frame.step.key ? frame.step : step)) }
  }
  if (frame.type === 'pipeline_run.requires_action') return { ...run, required_actions: frame.required_actions }
  return frame.type === 'pipeline_run.cancelling' ? { ...run, status: 'cancelling' } : run
}

/**
 * Prints a line when the status of a step changes. Items that end within a step change the status line of the terminal only. A stream
 * that was reconnected begins with a snapshot, so what was said before is not said again.
 */
const createStepView = (terminal: Terminal, id: string): { take(frame: PipelineRunFrame): void } => {
  const said = new Map<string, string>()
  const asked = new Set<string>()
  let isCancelling = false
  const takeStep = (step: PipelineStep): void => {
    const { key, status } = step
    if (status === 'running') terminal.progress(stepLine(terminal, step))
    if (said.get(key) === status || status === 'pending') return
    said.set(key, status)
    terminal.note(`${terminal.paint('faint', '·')} ${stepLine(terminal, step)}`)
  }
  const takeQuestions = (questions: readonly PipelineQuestion[]): void => {
    const fresh = questions.filter(({ id: action, run_id }) => !asked.has(`${run_id} ${action}`))
    for (const { id: action, run_id } of fresh) asked.add(`${run_id} ${action}`)
    tellPipelineQuestions(terminal, id, fresh)
  }
  const takeCancelling = (): void => {
    if (!isCancelling) terminal.note(`${terminal.paint('faint', '·')} cancelling`)
    isCancelling = true
  }
  return {
    take: (frame) => {
      if ('pipeline_run' in frame) {
        for (const step of frame.pipeline_run.steps) takeStep(step)
        takeQuestions(frame.pipeline_run.required_actions)
      } else if (frame.type === 'pipeline_run.step') takeStep(frame.step)
      else if (frame.type === 'pipeline_run.requires_action') takeQuestions(frame.required_actions)
      else if (frame.type === 'pipeline_run.cancelling') takeCancelling()
    },
  }
}
