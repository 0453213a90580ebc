import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { buildDashboard } from '../dev/dashboard-build.ts'
import { type Chunk, judgeSizes } from './budgets.ts'

// Builds the dashboard if it is out of date, and fails if a page would load more than its budget.
const folder = await buildDashboard()
const chunks = JSON.parse(readFileSync(join(folder, '.vite/manifest.json'), 'utf8')) as Record<string, Chunk>
const bytesOf = (file: string): number => {
  const compressed = statSync(join(folder, `${file}.br`), { throwIfNoEntry: false })
  return (compressed ?? statSync(join(folder, file))).size
}
const verdicts = judgeSizes({ chunks, bytesOf })
for (const { what, bytes, maxBytes } of verdicts) {
  const isOver = bytes > maxBytes
  const line = `${(bytes / 1_000).toFixed(1).padStart(6)} of ${maxBytes / 1_000} KB  ${what}${isOver ? '  TOO LARGE' : ''}`
  console.log(line)
  if (isOver) process.exitCode = 1
}
