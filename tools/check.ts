import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'

// `pnpm check`: everything that can be known about the tree without starting a database. `--fix` repairs what the
// formatter and the linter can repair, and checks then.

type Step = { readonly name: string; readonly command: readonly string[] }
type Outcome = { readonly code: number; readonly output: string; readonly ms: number }

const root = join(import.meta.dirname, '..')
const biome = 'node_modules/.bin/biome'

// The long ones come first, so that the short ones fill the other core.
const steps: readonly Step[] = [
  { name: 'dead code', command: ['tools/node_modules/.bin/knip', '--no-progress'] },
  { name: 'types', command: ['node_modules/.bin/tsc', '-p', 'tsconfig.json', '--noEmit'] },
  { name: 'openapi', command: ['tools/node_modules/.bin/redocly', 'lint', 'packages/contract/openapi.json'] },
  { name: 'generated files', command: ['node', 'tools/gen/main.ts', '--check'] },
  { name: 'imports', command: ['node', 'tools/imports/main.ts'] },
  { name: 'lint', command: [biome, 'check', '--error-on-warnings'] },
  { name: 'house rules', command: ['node', 'tools/tidy/main.ts'] },
  { name: 'spec lines', command: ['node', 'tools/tidy/spec.ts', '--check'] },
]

// No tool reports home or looks for a newer self: a check must pass without a network.
const quiet = {
  REDOCLY_TELEMETRY: 'off',
  REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
  DO_NOT_TRACK: '1',
  NO_UPDATE_NOTIFIER: '1',
  SCARF_ANALYTICS: 'false',
}

const run = ({ command: [program = '', ...options] }: Step): Promise<Outcome> =>
  new Promise((resolve) => {
    const began = performance.now()
    const output: string[] = []
    const child = spawn(program, options, {
      cwd: root,
      env: { ...process.env, ...quiet },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    child.stdout.on('data', (chunk) => output.push(String(chunk)))
    child.stderr.on('data', (chunk) => output.push(String(chunk)))
    const end = (code: number): void => resolve({ code, output: output.join(''), ms: performance.now() - began })
    child.on('error', (error) => {
      output.push(String(error))
      end(1)
    })
    child.on('close', (code) => end(code ?? 1))
  })

// Before the others begin: a file must not change under their eyes. What could not be repaired, the lint step tells.
if (process.argv.includes('--fix')) await run({ name: 'fix', command: [biome, 'check', '--write'] })

const failed: { step: Step; outcome: Outcome }[] = []
const waiting = [...steps]

const work = async (): Promise<void> => {
  for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
    const outcome = await run(step)
    console.log(`${outcome.code === 0 ? 'ok  ' : 'FAIL'}  ${step.name.padEnd(16)} ${(outcome.ms / 1000).toFixed(1)} s`)
    if (outcome.code !== 0) failed.push({ step, outcome })
  }
}

await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, work))

for (const { step, outcome } of failed) {
  console.error(`\n── ${step.name}: ${step.command.join(' ')}\n${outcome.output.trimEnd()}`)
}
console.log(failed.length === 0 ? 'all clean' : `\nfailed: ${failed.map(({ step }) => step.name).join(', ')}`)
process.exitCode = failed.length === 0 ? 0 : 1
