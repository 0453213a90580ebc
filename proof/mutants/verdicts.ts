import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { repositoryDir } from '@ars/tools/dev/server'
import { mutantsDir } from './copy.ts'
import type { Mutant } from './draw.ts'
import type { Verdict } from './judge.ts'

/** The product and its tests. */
const inputs = [
  'packages',
  'apps',
  'db',
  'catalog',
  'sdks',
  'tools',
  'models.yaml',
  'pnpm-lock.yaml',
  'vitest.config.ts',
]
const path = join(mutantsDir, 'verdicts.jsonl')

const isTest = /\.test\.tsx?$/

/** `inputs`: a hash of what decides about it. */
type Line = { inputs: string } & (({ fault: string } & Verdict) | { passed: string })

export type Verdicts = {
  of(mutant: Mutant): Verdict | undefined
  add(mutant: Mutant, verdict: Verdict): void
  /** Without a fault. */
  hasPassed(test: string): boolean
  addPassed(tests: readonly string[]): void
}

/** The verdicts of earlier plays of the same files, so that a play that was stopped goes on where it ended. */
export const readVerdicts = ({ isForgotten = false } = {}): Verdicts => {
  const inputsOf = inputReader()
  const lines = existsSync(path) && !isForgotten ? readFileSync(path, 'utf8').trim().split('\n') : []
  const known = new Map<string, Line & Verdict>()
  const passed = new Set<string>()
  for (const line of lines.map((text) => JSON.parse(text) as Line)) {
    if ('passed' in line) passed.add(`${line.inputs} ${line.passed}`)
    else known.set(line.fault, line)
  }
  const keep = (line: Line): void => {
    mkdirSync(mutantsDir, { recursive: true })
    appendFileSync(path, `${JSON.stringify(line)}\n`)
  }
  return {
    of: (mutant) => {
      const line = known.get(keyOf(mutant))
      return line && line.inputs === inputsOf(decidingOf(mutant, line)) ? line : undefined
    },
    add: (mutant, verdict) => keep({ inputs: inputsOf(decidingOf(mutant, verdict)), fault: keyOf(mutant), ...verdict }),
    hasPassed: (test) => passed.has(`${inputsOf([test])} ${test}`),
    addPassed: (tests) => {
      for (const test of tests) keep({ inputs: inputsOf([test]), passed: test })
    },
  }
}

/** The test files on which a verdict depends. Undefined: all. */
const decidingOf = ({ tests }: Mutant, { found, by }: Verdict): readonly string[] | undefined => {
  if (found === 'test') return tests
  const [file] = /\S+\.test\.tsx?\b/.exec(by) ?? []
  return file === undefined ? undefined : [file]
}

/** Of the last commit. The verdict of some tests does not depend on the other ones; without tests all of them count. */
const inputReader = (): ((tests?: readonly string[]) => string) => {
  const listed = execFileSync('git', ['ls-tree', '-r', 'HEAD', ...inputs], {
    cwd: repositoryDir,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  })
  const files = listed.split('\n').map((line) => ({ line, path: line.split('\t')[1] ?? '' }))
  const product = hash(files.flatMap(({ line, path: file }) => (isTest.test(file) ? [] : [line])).join('\n'))
  const everything = hash(listed)
  return (tests) => {
    if (tests === undefined) return everything
    const ofTests = files.flatMap(({ line, path: file }) => (tests.includes(file) ? [line] : []))
    return hash([product, ...ofTests].join('\n'))
  }
}

const keyOf = ({ file, at, from, to, tests = [] }: Mutant): string => hash([file, at, from, to, ...tests].join('\0'))

const hash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 20)
