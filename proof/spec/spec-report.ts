import { dirname, relative } from 'node:path'
import type { SourceFile } from '@ars/tools/tidy/repository'
import { definesTests, isPublicTest, numbersOfName, taggedNames } from '../lab/report/spec-tag.ts'

/** A test of vitest's JSON report. `names`: its name and the names of the groups around it. */
export type TestOutcome = { readonly path: string; readonly names: readonly string[]; readonly status: string }

/** The lines that a test run proves, and a sentence for each tagged test that does not count. */
export type ReportedProofs = {
  readonly proofs: ReadonlyMap<string, readonly string[]>
  readonly faults: ReadonlyMap<string, readonly string[]>
}

type Report = {
  testResults: { name: string; assertionResults: { ancestorTitles: string[]; title: string; status: string }[] }[]
}

export const readReport = (json: string, root: string): TestOutcome[] =>
  (JSON.parse(json) as Report).testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ ancestorTitles, title, status }) => ({
      path: relative(root, name),
      names: [...ancestorTitles, title],
      status,
    })),
  )

/**
 * A line is proven when every test that is tagged with it ran and passed. A tagged name of a file that no test of the
 * report has did not run.
 */
export const findReportedProofs = (files: readonly SourceFile[], outcomes: readonly TestOutcome[]): ReportedProofs => {
  const passed = new Map<string, string[]>()
  const faults = new Map<string, string[]>()
  const add = (map: Map<string, string[]>, number: string, text: string): void => {
    const texts = map.get(number) ?? []
    if (!texts.includes(text)) map.set(number, [...texts, text])
  }
  for (const { path, names, status } of outcomes.filter(({ path }) => isPublicTest(path))) {
    for (const number of names.flatMap((name) => [...numbersOfName(name)])) {
      if (status === 'passed') add(passed, number, path)
      else add(faults, number, `${path}: ${names.join(' > ')}: ${status}`)
    }
  }
  for (const { path, text } of files.filter(({ path }) => isPublicTest(path))) {
    const isPlayedBy = (file: string): boolean => (definesTests(path) ? dirname(file) === dirname(path) : file === path)
    const names = outcomes.filter((outcome) => isPlayedBy(outcome.path)).flatMap((outcome) => outcome.names)
    for (const tagged of taggedNames(text)) {
      const pattern = patternOf(tagged)
      if (names.some((name) => pattern.test(name))) continue
      for (const number of numbersOfName(tagged)) add(faults, number, `${path}: ${tagged}: did not run`)
    }
  }
  return { proofs: new Map([...passed].filter(([number]) => !faults.has(number))), faults }
}

// `%s`, `$name`, `${value}` and escapes stand for text that only the run knows. More may follow: a row of a table names
// only the beginning.
const patternOf = (name: string): RegExp => new RegExp(`^${name.split(placeholder).map(escaped).join('.*')}`, 's')

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')

const placeholder = /%[a-zA-Z#$%]|\$\{[^}]*\}|\$[\w.]+|\\u[0-9a-fA-F]{4}|\\./
