import type { SourceFile } from '@ars/tools/tidy/repository'
import { isPublicTest, numbersIn } from '../lab/report/spec-tag.ts'

/** One testable statement of the contract. */
export type SpecLine = { readonly number: string; readonly statement: string }

/** The statements of the page, in its order. */
export const parseSpecLines = (page: string): SpecLine[] =>
  [...page.matchAll(/^\| (S\d+) \| (.+) \|$/gm)].map(([, number = '', statement = '']) => ({ number, statement }))

/** Lines that no test of the gate proves, with the recorded proof whose tests prove them. */
export const recordedLines: Readonly<Record<string, string>> = {
  S8: 'slow-rest',
  S48: 'pages',
  S54: 'pages',
  S68: 'pages',
  S69: 'slow-cli',
  S70: 'pages',
  S71: 'slow-cli',
}

/** Where each number is proven: the files with a test whose name begins with it. */
export const findProofs = (files: readonly SourceFile[]): Map<string, string[]> => {
  const proofs = new Map<string, string[]>()
  for (const { path, text } of files.filter(({ path }) => isPublicTest(path))) {
    for (const number of numbersIn(text)) proofs.set(number, [...(proofs.get(number) ?? []), path])
  }
  return proofs
}

/** Of the lines that only recorded proofs prove: those that a record proves. `linesOf` reads the lines of a record. */
export const findRecordedProofs = (linesOf: (proof: string) => readonly string[]): Map<string, string[]> =>
  new Map(
    Object.entries(recordedLines)
      .filter(([line, proof]) => linesOf(proof).includes(line))
      .map(([line, proof]) => [line, [`proof/records/${proof}.json`]]),
  )

/** The lines that are proven and those that are not. */
export const judge = (lines: readonly SpecLine[], proofs: ReadonlyMap<string, unknown>) => ({
  proven: lines.filter(({ number }) => proofs.has(number)),
  missing: lines.filter(({ number }) => !proofs.has(number)),
  /** Numbers in tests that do not exist in the contract. */
  unknown: [...proofs.keys()].filter((number) => !lines.some((line) => line.number === number)),
})
