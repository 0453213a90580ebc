import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { readRepository, repositoryRoot } from '@ars/tools/tidy/repository'
import { findProofs, judge, parseSpecLines, type SpecLine } from './spec-lines.ts'
import { findReportedProofs, readReport } from './spec-report.ts'

// `pnpm spec` prints which lines of the contract are proven, and fails when one is not. `--check` prints the missing ones only.
// `--report FILE` reads vitest's JSON report and counts a line only when each test that is tagged with it ran and passed.

const { values: wants } = parseArgs({
  options: { check: { type: 'boolean' }, report: { type: 'string' } },
})

const lines = parseSpecLines(readFileSync(join(repositoryRoot, 'docs/spec-lines.md'), 'utf8'))
const files = readRepository()
const reported =
  wants.report === undefined
    ? undefined
    : findReportedProofs(files, readReport(readFileSync(wants.report, 'utf8'), repositoryRoot))
const proofs = reported?.proofs ?? findProofs(files)
const { proven, missing, unknown } = judge(lines, proofs)

const print = (title: string, list: readonly SpecLine[]): void => {
  if (list.length === 0) return
  console.log(`\n${title}`)
  for (const { number, statement } of list) console.log(`  ${number.padEnd(4)} ${statement}`)
}

if (!wants.check && !wants.report) {
  print('proven', proven)
  console.log('')
}
console.log(
  `${proven.length} of ${lines.length} lines of the contract are proven${reported ? ' by tests that ran and passed' : ''}`,
)
for (const [number, faults] of reported?.faults ?? []) {
  console.log(`\n${number} has tests that did not pass:`)
  for (const fault of faults) console.log(`  ${fault}`)
}
print('not proven:', missing)
for (const number of unknown) console.log(`the contract has no ${number}: ${proofs.get(number)?.join(', ')}`)

process.exitCode = missing.length > 0 || unknown.length > 0 ? 1 : 0
