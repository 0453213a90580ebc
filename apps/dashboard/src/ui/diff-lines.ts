import { diffLines } from 'diff'

export type DiffRow = { kind: 'same' | 'added' | 'removed' | 'folded'; text: string }

const contextLines = 3
/** A comparison that takes longer shows the old text and then the new one. */
const maxMs = 500

/** The lines of both texts in one column. Long equal passages are folded. */
export const diffRows = (old: string, next: string): readonly DiffRow[] => {
  if (old === next) return [{ kind: 'folded', text: `${linesOf(old).length} equal lines` }]
  const parts = diffLines(old, next, { timeout: maxMs })
  if (!parts) return [...rowsOf('removed', old), ...rowsOf('added', next)]
  return parts.flatMap(({ value, added, removed }, n) => {
    if (added || removed) return rowsOf(added ? 'added' : 'removed', value)
    return folded(rowsOf('same', value), { isFirst: n === 0, isLast: n === parts.length - 1 })
  })
}

const folded = (rows: readonly DiffRow[], at: { isFirst: boolean; isLast: boolean }): readonly DiffRow[] => {
  const head = at.isFirst ? 0 : contextLines
  const tail = at.isLast ? 0 : contextLines
  const hidden = rows.length - head - tail
  if (hidden < 2) return rows
  const fold: DiffRow = { kind: 'folded', text: `${hidden} equal lines` }
  return [...rows.slice(0, head), fold, ...rows.slice(rows.length - tail)]
}

const rowsOf = (kind: DiffRow['kind'], text: string): DiffRow[] => linesOf(text).map((line) => ({ kind, text: line }))

const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'))
