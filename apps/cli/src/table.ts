import { oneLine } from './text.ts'

/** Aligned columns with a heading; the last column is not padded. */
export const table = (heads: readonly string[], rows: readonly (readonly string[])[], paint: PaintCell): string => {
  const cells = rows.map((row) => row.map((cell) => oneLine(cell)))
  const widths = heads.map((head, index) => Math.max(head.length, ...cells.map((row) => row[index]?.length ?? 0)))
  const pad = (text: string, index: number) => (index === heads.length - 1 ? text : text.padEnd(widths[index] ?? 0))
  const lines = cells.map((row) => row.map((cell, index) => paint(heads[index] ?? '', pad(cell, index))).join('  '))
  return [heads.map((head, index) => paint('heading', pad(head, index))).join('  '), ...lines].join('\n')
}

/** `name  value` lines; missing values are omitted. */
export const fields = (pairs: readonly (readonly [string, string | null | undefined])[]): string => {
  const given = pairs.filter((pair): pair is readonly [string, string] => typeof pair[1] === 'string')
  const width = Math.max(...given.map(([name]) => name.length))
  return given.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join('\n')
}

/** Colours a cell with its padding, by its column. */
export type PaintCell = (column: string, text: string) => string
