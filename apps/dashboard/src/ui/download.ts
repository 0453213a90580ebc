import { type Cell, csvOf } from './csv.ts'

/** Saves a value as a file. The browser downloads it; nothing is sent. */
export const downloadJson = (value: unknown, name: string): void =>
  save(`${name}.json`, 'application/json', JSON.stringify(value, null, 2))

/** Saves rows as a file for spreadsheets. The first row holds the names of the columns. */
export const downloadCsv = (rows: readonly (readonly Cell[])[], name: string): void =>
  save(`${name}.csv`, 'text/csv', csvOf(rows))

const save = (name: string, type: string, text: string): void => {
  const url = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
