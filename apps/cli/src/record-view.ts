import { cliBounds } from './bounds.ts'

import { isMoment } from './list-views.ts'
import { localTime } from './moment.ts'

import { fields } from './table.ts'

import { oneLine, toJson } from './text.ts'

/** Any object of the API as `name  value` lines. Parts of it are shown as JSON. */
export const describeRecord = (record: unknown): string => {
  if (typeof record !== 'object' || record === null) return String(record)
  const shown = Object.entries(record).filter(([name, value]) => name !== 'object' && value !== null)
  return fields(shown.map(([name, value]) => [name, cellOf(value, maxCellChars)] as const))
}

const maxCellChars = cliBounds.cell.chars
const maxColumns = cliBounds.tableColumns.count

/** The fields that identify an item come first, then simple ones, up to a width that a terminal has. */
export const columnsOf = (
  items: readonly Record<string, unknown>[],
): Readonly<Record<string, (item: Record<string, unknown>) => string>> => {
  const [first = {}] = items
  const simple = Object.keys(first).filter((name) => name !== 'object' && isSimple(items, name))
  const names = [
    ...leading.filter((name) => simple.includes(name)),
    ...simple.filter((name) => !leading.includes(name)),
  ]
  return Object.fromEntries(
    names
      .slice(0, maxColumns)
      .map((name) => [
        name.replaceAll('_', ' ').toUpperCase(),
        (item: Record<string, unknown>) => cellOf(item[name], cliBounds.tableCell.chars),
      ]),
  )
}

const leading = ['id', 'key', 'number', 'name', 'status', 'type', 'action', 'version', 'created_at']

const isSimple = (items: readonly Record<string, unknown>[], name: string): boolean =>
  items.every((item) => typeof item[name] !== 'object' || item[name] === null)

const cellOf = (value: unknown, maxChars: number): string => {
  if (isMoment(value)) return localTime(value)
  if (value === null || value === undefined) return ''
  return oneLine(typeof value === 'string' ? value : toJson(value), maxChars)
}
