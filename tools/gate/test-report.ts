import { readFileSync } from 'node:fs'

// node tools/gate/test-report.ts <command> <report> [<log>]: what `.ci/run` reads from vitest's JSON report and from its log,
// which alone has the errors outside of tests.
//
// outside    the errors that fell outside of a test, from the log
// sum        the tests that passed and those that failed
// failures   the names of the tests that failed

export type Report = {
  testResults: { name: string; status: string; assertionResults: { status: string; fullName: string }[] }[]
}

/** Lines of an error outside of tests that are printed at the end of CI. */
const mostErrorLines = 80

export const errorsOutside = (log: string): string[] => {
  const lines = log.split('\n')
  const first = lines.findIndex((line) => / Unhandled Errors |error during close|Timeout terminating/.test(line))
  return first === -1 ? [] : lines.slice(first, first + mostErrorLines)
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
  outside: (_, log) => errorsOutside(readFileSync(log, 'utf8')),
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
