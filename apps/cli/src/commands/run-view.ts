import type { Run } from '@agent-run-service/sdk'
import { type ExitCode, exitCodes } from '../exit-code.ts'
import { duration, localTime } from '../moment.ts'
import { fields } from '../table.ts'
import { statusStyle, type Terminal } from '../terminal.ts'
import { clean, oneLine, toJson } from '../text.ts'

/** A command that promises a result fails without one: a script must not take an empty file for it. */
export const exitCodeOfWait = (run: Run): ExitCode =>
  ['completed', 'failed', 'cancelled'].includes(run.status) ? exitCodeOf(run) : exitCodes.unfinished

/** A failed or cancelled run makes the command that waited for it fail. */
export const exitCodeOf = ({ status }: Run): ExitCode =>
  status === 'failed' || status === 'cancelled' ? exitCodes.failed : exitCodes.ok

/** Prints the result to stdout and everything else to stderr, so that the result can be piped. */
export const tellRun = (terminal: Terminal, run: Run): void => {
  if (terminal.isJson || run.output !== null) terminal.result(run, () => outputText(run))
  tellEnd(terminal, run)
}

export const tellEnd = (terminal: Terminal, run: Run): void => {
  if (terminal.isJson) return
  const { id, status, latency_ms: ms, tokens_used: tokens, error } = run
  const facts = [...(ms === null ? [] : [duration(ms)]), `${tokens} tokens`]
  terminal.note(`${id} ${terminal.paint(statusStyle(status), status)}  ${facts.join(', ')}`)
  if (error) terminal.note(`${error.code}: ${oneLine(error.message)}${error.retryable ? ' (a retry may help)' : ''}`)
  tellQuestions(terminal, run)
  if (status === 'queued' || status === 'running')
    terminal.note(`The run continues. Follow it with: ars runs stream ${id}`)
}

/** Prints each open question of the run and the command that answers it. The command names the question that is printed. */
export const tellQuestions = (terminal: Terminal, { id, required_actions: questions }: Run): void => {
  for (const question of questions) {
    const { id: action, type } = question
    tellQuestion(terminal, question)
    terminal.note(`  ${answerCommand(id, type, action)}`)
  }
}

export const answerCommand = (runId: string, type: Question['type'], action: string): string =>
  `ars runs act ${runId} ${isYesOrNo(type) ? 'approve' : `respond '{…}'`} --action ${action}`

/** Questions that are approved or rejected. The others are answered with a value. */
export const isYesOrNo = (type: Question['type']): boolean => type === 'approval' || type === 'raise_budget'

export const tellQuestion = (terminal: Terminal, { type, message, tool_call: call }: Question): void => {
  terminal.note(`The run waits for ${isYesOrNo(type) ? 'an approval' : 'a response'}: ${oneLine(message)}`)
  // A person decides about the arguments, not about the name of the tool.
  if (call) terminal.note(`  ${toJson(call)}`)
}

type Question = Run['required_actions'][number]

export const outputText = ({ output }: Pick<Run, 'output'>): string => {
  if (output === null) return ''
  const { result, ...rest } = output
  const isText = typeof result === 'string' && Object.keys(rest).length === 0
  return clean(isText ? result : JSON.stringify(output, null, 2))
}

/** With the tokens that have a price of their own, where there are any. */
const tokensText = ({ tokens_used, usage }: Pick<Run, 'tokens_used' | 'usage'>): string => {
  const kinds = [
    [usage.cached_input_tokens, 'cached'],
    [usage.cache_write_tokens, 'written to a cache'],
    [usage.reasoning_tokens, 'reasoning'],
  ] as const
  const used = kinds.filter(([count]) => count > 0).map(([count, kind]) => `${count} ${kind}`)
  return used.length === 0 ? String(tokens_used) : `${tokens_used} (${used.join(', ')})`
}

export const describeRun = (terminal: Terminal, run: Run): string => {
  const { error, usage } = run
  const head = fields([
    ['id', run.id],
    ['status', terminal.paint(statusStyle(run.status), run.status)],
    ['agent', `${run.agent_id} version ${run.agent_version}`],
    ['created', localTime(run.created_at)],
    ['took', run.latency_ms === null ? null : duration(run.latency_ms)],
    ['tokens', tokensText(run)],
    ['cost', usage.cost_usd === null ? null : `$${usage.cost_usd}`],
    ['error', error && `${error.code}: ${oneLine(error.message)}`],
    ...run.required_actions.map(
      ({ id, type, message }) => ['waits for', `${type} ${id}: ${oneLine(message)}`] as const,
    ),
  ])
  const output = run.output === null ? [] : [`${terminal.paint('strong', 'Output')}\n${outputText(run)}`]
  const input = `${terminal.paint('strong', 'Input')}\n${clean(JSON.stringify(run.input, null, 2))}`
  return [head, input, ...output].join('\n\n')
}
