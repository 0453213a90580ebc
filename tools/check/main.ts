import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { childCpuSeconds, run, runSteps } from './run-steps.ts'
import { biome, steps } from './steps.ts'

// `pnpm check`: everything that can be known about the tree without starting a database. A step whose input has not
// changed since it last passed is `same` and does not run.
//
// --fix       first repairs what the formatter and the linter can repair
// --changed   only steps that read a file that differs from main, and lint of these files alone
// --all       every step from the beginning, as in CI

const { values } = parseArgs({
  options: {
    fix: { type: 'boolean', default: false },
    changed: { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
  },
})
const root = join(import.meta.dirname, '../..')

// Before the other steps begin, so that no file changes while they read. The lint step reports what is left.
if (values.fix) await run(root, { name: 'fix', command: [biome, 'check', '--write'], reads: () => true })

const failed = await runSteps(steps, { root, isAll: values.all, isChanged: values.changed, say: console.log })

for (const { step, output } of failed) {
  console.error(`\n── ${step.name}: ${step.command.join(' ')}\n${output.trimEnd()}`)
}
const { user, system } = process.cpuUsage()
const cpuSeconds = ((user + system) / 1_000_000 + childCpuSeconds()).toFixed(1)
console.log(failed.length === 0 ? 'all clean' : `\nfailed: ${failed.map(({ step }) => step.name).join(', ')}`)
console.log(`${cpuSeconds} CPU s`)
process.exitCode = failed.length === 0 ? 0 : 1
