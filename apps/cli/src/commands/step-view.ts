import type { RunStep, RunToolCall } from '@agent-run-service/sdk'
import { cliBounds } from '../bounds.ts'
import { duration } from '../moment.ts'
import { statusStyle, type Terminal } from '../terminal.ts'
import { oneLine, toJson } from '../text.ts'

/** A step with its text and its tool calls: name, arguments and result. */
export const describeStep = (terminal: Terminal, step: RunStep): string => {
  const { number, type, status, model, text, tool_calls, duration_ms } = step
  const facts = [type, terminal.paint(statusStyle(status), status), model, duration(duration_ms)].filter(Boolean)
  const said = text === null || text === '' ? [] : [`   ${oneLine(text, maxChars)}`]
  return [`${number}  ${facts.join('  ')}`, ...said, ...tool_calls.flatMap(callLines)].join('\n')
}

const maxChars = cliBounds.cell.chars

const callLines = ({ name, arguments: given, status, result }: RunToolCall): string[] => [
  `   ${oneLine(name)}(${oneLine(toJson(given), maxChars)})  ${status}`,
  ...(result === undefined || result === null
    ? []
    : [`     -> ${oneLine(typeof result === 'string' ? result : toJson(result), maxChars)}`]),
]
