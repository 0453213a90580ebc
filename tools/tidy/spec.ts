import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readRepository, repositoryRoot } from './repository.ts'
import { findProofs, judge, parseSpecLines, type SpecLine } from './spec-lines.ts'

// `pnpm spec` prints which lines of the contract are proven. `--check` fails when one was proven once and no longer is;
// `--write` adds the newly proven ones to the list of those that may not be lost.

const listPath = join(repositoryRoot, 'docs/spec-proven.txt')
const wants = new Set(process.argv.slice(2))

const lines = parseSpecLines(readFileSync(join(repositoryRoot, 'docs/spec-lines.md'), 'utf8'))
const kept = existsSync(listPath) ? readFileSync(listPath, 'utf8').split('\n').filter(Boolean) : []
const proofs = findProofs(readRepository())
const { proven, missing, lost, unlisted, unknown } = judge(lines, proofs, kept)

const print = (title: string, list: readonly SpecLine[]): void => {
  if (list.length === 0) return
  console.log(`\n${title}`)
  for (const { number, statement } of list) console.log(`  ${number.padEnd(4)} ${statement}`)
}

if (!wants.has('--check')) {
  print('proven', proven)
  print('missing', missing)
  console.log('')
}
console.log(`${proven.length} of ${lines.length} lines of the contract are proven`)
print('once proven, and no longer:', lost)
for (const number of unknown) console.log(`the contract has no ${number}: ${proofs.get(number)?.join(', ')}`)

if (wants.has('--write') && unlisted.length > 0) {
  const numbers = lines.map(({ number }) => number).filter((number) => proofs.has(number) || kept.includes(number))
  writeFileSync(listPath, `${numbers.join('\n')}\n`)
  console.log(`added to docs/spec-proven.txt: ${unlisted.map(({ number }) => number).join(', ')}`)
} else if (wants.has('--check')) {
  print('newly proven; `pnpm spec --write` adds them to docs/spec-proven.txt:', unlisted)
}

const failed = lost.length > 0 || unknown.length > 0 || (wants.has('--check') && unlisted.length > 0)
process.exitCode = failed ? 1 : 0
