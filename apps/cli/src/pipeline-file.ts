import { type Document, isNode, isScalar, LineCounter, type Node, parseDocument, type Scalar } from 'yaml'
import { cliBounds } from './bounds.ts'
import { CommandError } from './exit-code.ts'
import { isRecord } from './record.ts'
import { readTextFile } from './text-file.ts'

/** A pipeline as a file: the body of `POST /pipelines`. Its name identifies it. */
export type PipelineFile = {
  file: string
  name: string
  fields: Readonly<Record<string, unknown>>
  /** Where a field is, or the nearest one around it that the file has. `position` counts within the text of the field. */
  placeOf(param: string, position: number | null): FilePlace
}

/** Line and column count from 1. */
export type FilePlace = { line: number; column: number; source: string }

/** A problem of a field, in the words of the API. */
export type FileProblem = { param: string; message: string; position: number | null }

/** Reads a YAML or JSON file, or stdin for `-`. */
export const readPipelineFile = async (path: string): Promise<PipelineFile> => {
  const { file, source } = await readTextFile(path)
  return parsePipelineFile(file, source)
}

/** Fields of the files in `catalog/pipelines/` that are for people and not part of a request. */
const notSent = ['key', 'sample_input']

export const parsePipelineFile = (file: string, source: string): PipelineFile => {
  const lines = new LineCounter()
  // JSON is YAML.
  const document = parseDocument(source, { lineCounter: lines, prettyErrors: false })
  const placeAt = (offset: number): FilePlace => {
    const { line, col } = lines.linePos(offset)
    return { line, column: col, source: source.split('\n')[line - 1] ?? '' }
  }
  const [fault] = document.errors
  if (fault) {
    const { line, column } = placeAt(fault.pos[0])
    throw new CommandError(`${file}:${line}:${column} is not YAML or JSON: ${fault.message}`)
  }
  const value: unknown = document.toJS()
  if (!isRecord(value)) throw new CommandError(`${file} must contain an object with name and definition`)
  const { name } = value
  if (typeof name !== 'string' || name === '') throw new CommandError(`${file}: name is missing`)
  const fields = Object.fromEntries(Object.entries(value).filter(([field]) => !notSent.includes(field)))
  return {
    file,
    name,
    fields,
    placeOf: (param, position) => placeAt(offsetOf(document, source, param.split('.'), position)),
  }
}

/** `file:line:column: path: message`, and under it the line with a mark at the column. */
export const problemText = (
  { file, placeOf }: Pick<PipelineFile, 'file' | 'placeOf'>,
  { param, message, position }: FileProblem,
): string => {
  const { line, column, source } = placeOf(param, position)
  const from = Math.max(0, column - 1 - maxBefore)
  const shown = source.slice(from, from + maxShown).replaceAll('\t', ' ')
  const words = message.startsWith(param) ? message : `${param}: ${message}`
  return `${file}:${line}:${column}: ${words}\n${shown}\n${' '.repeat(column - 1 - from)}^`
}

const maxBefore = cliBounds.sourceLineBefore.chars
const maxShown = cliBounds.sourceLine.chars

/** The offset of a field in the file. */
const offsetOf = (
  document: Document.Parsed,
  source: string,
  path: readonly string[],
  position: number | null,
): number => {
  for (let length = path.length; length >= 0; length--) {
    const node: unknown = document.getIn(path.slice(0, length), true)
    if (!isNode(node) || !node.range) continue
    return length === path.length && position !== null && isScalar(node)
      ? offsetInText(node, source, position)
      : node.range[0]
  }
  return 0
}

/** The offset of a character of a text. The begin of the text, if its form in the file differs too much from its value. */
const offsetInText = (node: Scalar & Pick<Node, 'range'>, source: string, position: number): number => {
  const [start = 0, end = 0] = node.range ?? []
  const value = String(node.value)
  const written = source.slice(start, end)
  if (node.type === 'BLOCK_LITERAL') return offsetInBlock({ start, written, value }, position)
  const quote = /^["']/.test(written) ? 1 : 0
  const before = value.slice(0, position)
  // Quotation marks inside of a text in single quotation marks are doubled.
  const escaped = written.startsWith("'") ? before.replaceAll("'", "''") : before
  return written.startsWith(escaped, quote) ? start + quote + escaped.length : start
}

const offsetInBlock = (
  { start, written, value }: { start: number; written: string; value: string },
  position: number,
): number => {
  const before = value.slice(0, position).split('\n')
  const lines = written.split('\n')
  const wanted = lines[before.length] ?? ''
  const indent =
    lines
      .slice(1)
      .find((line) => line.trim() !== '')
      ?.search(/\S/) ?? 0
  const offset = lines.slice(0, before.length).reduce((sum, line) => sum + line.length + 1, 0)
  return start + offset + Math.min(wanted.length, indent + (before.at(-1)?.length ?? 0))
}
