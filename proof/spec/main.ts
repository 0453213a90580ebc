import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { readRepository, repositoryRoot } from '@ars/tools/tidy/repository'
import { isOutsideGate } from '../lab/report/spec-tag.ts'
import { findProofs, findRecordedProofs, judge, parseSpecLines, type SpecLine } from './spec-lines.ts'
import { findReportedProofs, readReport } from './spec-report.ts'

// `pnpm spec` prints which lines of the contract are proven, and fails when one is not. `--check` prints the missing ones only.
// Each line needs a test of the gate; those of `recordedLines` may have one that the gate does not play.
// `--report FILE` reads vitest's JSON report of the gate: a line counts only when each test that is tagged with it ran and passed,
// or when the record of its proof names it.

const { values: wants } = parseArgs({
  options: { check: { type: 'boolean' }, report: { type: 'string' } },
})

const lines = parseSpecLines(readFileSync(join(repositoryRoot, 'docs/spec-lines.md'), 'utf8'))
const files = readRepository()
const ofGate = files.filter(({ path }) => !isOutsideGate(path))
const reported =
  wants.report === undefined
    ? undefined
    : findReportedProofs(ofGate, readReport(readFileSync(wants.report, 'utf8'), repositoryRoot))

const linesInRecord = (proof: string): string[] => {
  const file = join(repositoryRoot, `proof/records/${proof}.json`)
  if (!existsSync(file)) return []
  const record = JSON.parse(readFileSync(file, 'utf8')) as Record<string, { lines?: string[] }>
  return Object.values(record).flatMap(({ lines = [] }) => lines)
}
const outsideGate = findProofs(files.filter(({ path }) => isOutsideGate(path)))
const recorded = findRecordedProofs(reported ? linesInRecord : () => [...outsideGate.keys()])
const proofs = new Map([...recorded, ...(reported?.proofs ?? findProofs(ofGate))])
const { proven, missing } = judge(lines, proofs)
const tagged = new Map([...outsideGate, ...proofs])
const { unknown } = judge(lines, tagged)

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
  `${proven.length} of ${lines.length} lines of the contract are proven${reported ? ' by tests that ran and passed, and by records' : ''}`,
)
for (const [number, faults] of reported?.faults ?? []) {
  console.log(`\n${number} has tests that did not pass:`)
  for (const fault of faults) console.log(`  ${fault}`)
}
print('not proven:', missing)
for (const number of unknown) console.log(`the contract has no ${number}: ${tagged.get(number)?.join(', ')}`)

process.exitCode = missing.length > 0 || unknown.length > 0 ? 1 : 0
