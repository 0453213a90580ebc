import { relative } from 'node:path'
import type { Outcome } from '../lab/report/outcome.ts'
import { isPublicTest, numbersOfName } from '../lab/report/spec-tag.ts'

type Test = { ancestorTitles: string[]; title: string; fullName: string; status: string }
export type VitestReport = {
  testResults: { name: string; status: string; message?: string; assertionResults: Test[] }[]
}

/** Files that read a clock or count resources judge the speed of the computer. */
const measures = /node:perf_hooks|\bperformance\b|process\.(cpuUsage|memoryUsage)\b/

/** A claim for each test file. `textOf` reads a file of the repository. */
export const outcomeOfTests = (
  { testResults }: VitestReport,
  { root, textOf }: { root: string; textOf: (path: string) => string },
): Outcome => {
  const passed = testResults.flatMap(({ assertionResults }) => assertionResults).filter(isPassed)
  return {
    claims: testResults.map(({ name, status, message, assertionResults }) => {
      const path = relative(root, name)
      const failed = assertionResults.filter((test) => test.status === 'failed').map(({ fullName }) => fullName)
      const fileFailed = status === 'failed' && failed.length === 0 ? [message?.split('\n')[0] || 'the file'] : []
      return {
        says: path,
        violations: [...failed, ...fileFailed],
        value: `${assertionResults.filter(isPassed).length} tests`,
        ...(measures.test(textOf(path)) && { isMeasured: true as const }),
      }
    }),
    metrics: [['tests passed', passed.length]],
  }
}

/** The lines of the contract of which all tests in the report passed. */
export const linesOfTests = ({ testResults }: VitestReport, root: string): string[] => {
  const passed = new Set<string>()
  const broken = new Set<string>()
  for (const { assertionResults } of testResults.filter((file) => isPublicTest(relative(root, file.name))))
    for (const test of assertionResults)
      for (const line of [...test.ancestorTitles, test.title].flatMap((title) => [...numbersOfName(title)]))
        (isPassed(test) ? passed : broken).add(line)
  return [...passed]
    .filter((line) => !broken.has(line))
    .sort((one, other) => Number(one.slice(1)) - Number(other.slice(1)))
}

const isPassed = ({ status }: Test): boolean => status === 'passed'
