import { execFileSync } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

// node tools/gate/history.ts: adds a line about a run of `.ci/run` to proof/gate.jsonl, which is committed with the change.
const { values } = parseArgs({
  options: Object.fromEntries(
    ['passed', 'failed', 'seconds', 'install', 'first'].map((name) => [name, { type: 'string', default: '' }] as const),
  ),
})
const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim()
const inMinutes = (seconds: number): number => Math.round(seconds / 6) / 10

const line = JSON.stringify({
  at: new Date().toISOString().slice(0, 16),
  commit: git('rev-parse', '--short=10', 'HEAD'),
  clean: git('status', '--porcelain', '--untracked-files=no') === '',
  minutes: inMinutes(Number(values.seconds)),
  install_minutes: inMinutes(Number(values.install)),
  load: Math.round((loadavg()[2] ?? 0) * 10) / 10,
  passed: Number(values.passed),
  failed: Number(values.failed),
  first_failure: values.first || null,
})
appendFileSync(join(import.meta.dirname, '../../proof/gate.jsonl'), `${line}\n`)
console.log(`proof/gate.jsonl: ${line}`)
