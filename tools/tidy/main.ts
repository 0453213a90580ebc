import { readRepository } from './repository.ts'
import { inWords } from './rule.ts'
import { rules } from './rules.ts'

// Runs the house rules without the test runner, for `pnpm check`.
const repository = readRepository()
const broken = rules
  .map(({ name, why, check }) => ({ name, why, findings: check(repository) }))
  .filter(({ findings }) => findings.length > 0)

for (const { name, why, findings } of broken) {
  console.error(`\n${name}: ${why}`)
  for (const finding of findings) console.error(`  ${inWords(finding)}`)
}
console.log(`${rules.length} house rules, ${repository.length} files: ${broken.length === 0 ? 'clean' : 'broken'}`)
process.exitCode = broken.length === 0 ? 0 : 1
