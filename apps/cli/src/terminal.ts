import { styleText } from 'node:util'
import { stringify } from 'yaml'
import { table } from './table.ts'
import { clean, oneLine, toJson } from './text.ts'

/** The output of a command: results go to stdout, everything else to stderr, so that a pipe gets only results. */
export type Terminal = {
  /** The output is for programs. */
  isJson: boolean
  /** One result: a JSON document, or text. */
  result(value: unknown, people: () => string): void
  /** One of many results as they arrive: a line of JSON each, or text. */
  each(value: unknown, people: () => string): void
  /** A list: a JSON document, or a table. */
  list(page: ListResult): void
  /** Chunks of text as they arrive. Nothing with `--json`. */
  write(text: string): void
  /** Information that is not a result. */
  note(text: string): void
  /** A status line that the next one replaces; only on a terminal. */
  progress(text: string): void
  paint(style: Style, text: string): string
}

export type Style = 'good' | 'bad' | 'warn' | 'faint' | 'strong' | 'plain'

type ListResult = {
  value: unknown
  heads: readonly string[]
  rows: readonly (readonly string[])[]
  /** Printed instead of an empty table. */
  nothing: string
}

export const formats = ['table', 'json', 'yaml', 'jsonl'] as const

export type Format = (typeof formats)[number]

/** One document for programs. */
const documentOf = (format: Format, value: unknown): string => {
  if (format === 'yaml') return `---\n${clean(stringify(value)).trimEnd()}`
  return toJson(value, format === 'json' ? 2 : 0)
}

const itemsOf = (value: unknown): readonly unknown[] => {
  const { data } = value as { data?: unknown }
  return Array.isArray(data) ? data : [value]
}

export const createTerminal = ({ format }: { format: Format }): Terminal => {
  const isJson = format !== 'table'
  const { stdout, stderr } = process
  const showsProgress = stderr.isTTY === true && !isJson
  let hasProgress = false
  const clearProgress = () => {
    if (hasProgress) stderr.write('\r\u001b[K')
    hasProgress = false
  }
  const say = (text: string) => {
    clearProgress()
    stdout.write(`${text}\n`)
  }
  // Colours go to both streams, so both must be terminals. Node handles NO_COLOR.
  const isColoured = stdout.isTTY === true && stderr.isTTY === true
  const paint = (style: Style, text: string) =>
    isColoured && style !== 'plain' ? styleText(styles[style], text, { stream: stdout }) : text
  return {
    isJson,
    paint,
    result: (value, people) => say(isJson ? documentOf(format, value) : people()),
    each: (value, people) => say(isJson ? documentOf(format === 'yaml' ? 'yaml' : 'jsonl', value) : people()),
    list: ({ value, heads, rows, nothing }) => {
      if (format === 'jsonl') for (const item of itemsOf(value)) say(toJson(item))
      else if (isJson) say(documentOf(format, value))
      else if (rows.length > 0) say(table(heads, rows, (column, cell) => paint(styleOf(column, cell), cell)))
      else say(nothing)
    },
    write: (text) => {
      if (isJson) return
      clearProgress()
      stdout.write(text)
    },
    note: (text) => {
      clearProgress()
      stderr.write(`${text}\n`)
    },
    progress: (text) => {
      if (!showsProgress) return
      stderr.write(`\r\u001b[K${oneLine(text, Math.max(20, (stderr.columns ?? 80) - 1))}`)
      hasProgress = true
    },
  }
}

export const statusStyle = (status: string): Style => {
  if (/^(completed|succeeded|healthy|active|2\d\d)$/.test(status)) return 'good'
  if (/^(failed|disabled|[345]\d\d)$/.test(status)) return 'bad'
  return /^(pending|running|queued|started|due|paused|requires_action|failing|cancell.*)$/.test(status)
    ? 'warn'
    : 'plain'
}

const styleOf = (column: string, cell: string): Style => {
  if (column === 'heading') return 'faint'
  return column === 'STATUS' ? statusStyle(cell.trim()) : 'plain'
}

const styles = { good: 'green', bad: 'red', warn: 'yellow', faint: 'dim', strong: 'bold' } as const
