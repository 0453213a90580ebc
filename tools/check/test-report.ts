import { readFileSync, writeFileSync } from 'node:fs'
import { relative, resolve } from 'node:path'

// node tools/check/test-report.ts <command> <report> [<second report or log>]: what `.ci/run` reads from vitest's JSON reports
// and from its log, which alone has the errors outside of tests.
//
// failed-files   the files that failed or in which an error fell outside of a test, if they are few enough to be played once
//                more, alone
// outside        the errors that fell outside of a test, from the log
// merge          puts the results of the second report in place of those of the same files
// sum            the tests that passed and those that failed
// failures       the names of the tests that failed

export type Report = {
  testResults: { name: string; status: string; assertionResults: { status: string; fullName: string }[] }[]
}

/** More failed files than these are no matter of load. */
const mostRepeated = 10

/** Lines of an error outside of tests that are printed at the end of CI. */
const mostErrorLines = 80

export const failedFiles = ({ testResults }: Report, log = ''): string[] => {
  const failed = testResults.filter(({ status }) => status === 'failed').map(({ name }) => name)
  const outside = filesOfErrorsOutside(log)
  if (!outside) return []
  const files = [...new Set([...failed, ...outside])]
  return files.length > mostRepeated ? [] : files
}

/**
 * Vitest fails a run in which every test passed if a promise was rejected that nobody awaited, or if the parts did not stop.
 * `undefined`: an error names no file, so nothing can be played again.
 */
const filesOfErrorsOutside = (log: string): string[] | undefined => {
  const errors = Number(/^ *Errors {2}(\d+) errors?$/m.exec(log)?.[1] ?? 0)
  const named = [...log.matchAll(/^This error originated in "([^"]+)" test file\./gm)].map(([, name]) => name as string)
  if (named.length < errors) return undefined
  // Each play starts and stops the parts, so the smallest file shows whether they stop.
  return log.includes('error during close') ? [...named, 'tools/check/test-report.test.ts'] : named
}

export const errorsOutside = (log: string): string[] => {
  const lines = log.split('\n')
  const first = lines.findIndex((line) => / Unhandled Errors |error during close|Timeout terminating/.test(line))
  return first === -1 ? [] : lines.slice(first, first + mostErrorLines)
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

// The report has absolute paths, the log has relative ones.
const fromHere = (name: string): string => relative(process.cwd(), resolve(name))

const read = (path: string): Report => JSON.parse(readFileSync(path, 'utf8'))

const commands: Readonly<Record<string, (path: string, second: string) => string[]>> = {
  'failed-files': (path, log) => failedFiles(read(path), readFileSync(log, 'utf8')).map(fromHere),
  outside: (_, log) => errorsOutside(readFileSync(log, 'utf8')),
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
