import { readFileSync, writeFileSync } from 'node:fs'
import { relative } from 'node:path'

// node tools/check/test-report.ts <command> <report> [<second report>]: what `.ci/run` reads from vitest's JSON reports.
//
// failed-files   the files that failed, if they are few enough to be played once more, alone
// merge          puts the results of the second report in place of those of the same files
// sum            the tests that passed and those that failed
// failures       the names of the tests that failed

export type Report = {
  testResults: { name: string; status: string; assertionResults: { status: string; fullName: string }[] }[]
}

/** More failed files than these are no matter of load. */
const mostRepeated = 10

export const failedFiles = ({ testResults }: Report): string[] => {
  const files = testResults.filter(({ status }) => status === 'failed').map(({ name }) => name)
  return files.length > mostRepeated ? [] : files
}

export const merged = (first: Report, second: Report): Report => {
  const again = new Map(second.testResults.map((result) => [result.name, result]))
  return { ...first, testResults: first.testResults.map((result) => again.get(result.name) ?? result) }
}

/** A file that failed without a failed test, for example at its imports, counts as one. */
export const sum = ({ testResults }: Report): { passed: number; failed: number } => {
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults)
  return {
    passed: tests.filter(({ status }) => status === 'passed').length,
    failed: testResults.reduce((total, result) => total + failuresOf(result).length, 0),
  }
}

export const failuresOf = ({ name, status, assertionResults }: Report['testResults'][number]): string[] => {
  const tests = assertionResults.filter((test) => test.status === 'failed').map(({ fullName }) => fullName)
  if (status !== 'failed') return []
  return tests.length > 0 ? tests.map((test) => `${name}: ${test}`) : [`${name}: the file`]
}

const read = (path: string): Report => JSON.parse(readFileSync(path, 'utf8'))

const commands: Readonly<Record<string, (path: string, second: string) => string[]>> = {
  'failed-files': (path) => failedFiles(read(path)).map((name) => relative(process.cwd(), name)),
  merge: (path, second) => {
    writeFileSync(path, JSON.stringify(merged(read(path), read(second))))
    return []
  },
  sum: (path) => {
    const { passed, failed } = sum(read(path))
    return [`${passed} ${failed}`]
  },
  failures: (path) => read(path).testResults.flatMap(failuresOf),
}

if (import.meta.main) {
  const [command = '', path = '', second = ''] = process.argv.slice(2)
  const lines = commands[command]?.(path, second)
  if (!lines) throw new Error(`test-report.ts knows ${Object.keys(commands).join(', ')}, not "${command}"`)
  if (lines.length > 0) console.log(lines.join('\n'))
}
