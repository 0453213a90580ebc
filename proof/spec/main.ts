import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { readRepository, repositoryRoot } from '@ars/tools/tidy/repository'
import { findProofs, judge, parseSpecLines, type SpecLine } from './spec-lines.ts'
import { findReportedProofs, readReport } from './spec-report.ts'

// `pnpm spec` prints which lines of the contract are proven. `--check` fails when one was proven once and no longer is;
// `--write` adds the newly proven ones to the list of those that may not be lost. `--report FILE` reads vitest's JSON report
// and counts a line only when each test that is tagged with it ran and passed; it fails when a line on the list is not proven.

const listPath = join(repositoryRoot, 'docs/spec-proven.txt')
const { values: wants } = parseArgs({
  options: { check: { type: 'boolean' }, write: { type: 'boolean' }, report: { type: 'string' } },
})

const lines = parseSpecLines(readFileSync(join(repositoryRoot, 'docs/spec-lines.md'), 'utf8'))
const kept = existsSync(listPath) ? readFileSync(listPath, 'utf8').split('\n').filter(Boolean) : []
const files = readRepository()
const reported =
  wants.report === undefined
    ? undefined
    : findReportedProofs(files, readReport(readFileSync(wants.report, 'utf8'), repositoryRoot))
const proofs = reported?.proofs ?? findProofs(files)
const { proven, missing, lost, unlisted, unknown } = judge(lines, proofs, kept)

const print = (title: string, list: readonly SpecLine[]): void => {
  if (list.length === 0) return
  console.log(`\n${title}`)
  for (const { number, statement } of list) console.log(`  ${number.padEnd(4)} ${statement}`)
}

if (!wants.check && !wants.report) {
  print('proven', proven)
  print('missing', missing)
  console.log('')
}
console.log(
  `${proven.length} of ${lines.length} lines of the contract are proven${reported ? ' by tests that ran and passed' : ''}`,
)
for (const [number, faults] of reported?.faults ?? []) {
  console.log(`\n${number} has tests that did not pass:`)
  for (const fault of faults) console.log(`  ${fault}`)
}
print('once proven, and no longer:', lost)
for (const number of unknown) console.log(`the contract has no ${number}: ${proofs.get(number)?.join(', ')}`)

if (wants.write && unlisted.length > 0) {
  const numbers = lines.map(({ number }) => number).filter((number) => proofs.has(number) || kept.includes(number))
  writeFileSync(listPath, `${numbers.join('\n')}\n`)
  console.log(`added to docs/spec-proven.txt: ${unlisted.map(({ number }) => number).join(', ')}`)
} else if (wants.check) {
  print('newly proven; `pnpm spec --write` adds them to docs/spec-proven.txt:', unlisted)
}

const failed = lost.length > 0 || unknown.length > 0 || (wants.check && unlisted.length > 0)
process.exitCode = failed ? 1 : 0
