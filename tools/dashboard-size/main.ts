import { buildDashboard } from '../dev/dashboard-build.ts'
import { judgeSizes } from './budgets.ts'
import { readBuilt } from './built.ts'

// Builds the dashboard if it is out of date, and fails if a page would load more than its budget.
for (const { what, bytes, maxBytes } of judgeSizes(readBuilt(await buildDashboard()))) {
  const isOver = bytes > maxBytes
  const line = `${(bytes / 1_000).toFixed(1).padStart(6)} of ${maxBytes / 1_000} KB  ${what}${isOver ? '  TOO LARGE' : ''}`
  console.log(line)
  if (isOver) process.exitCode = 1
}
