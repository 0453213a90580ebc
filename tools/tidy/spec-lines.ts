import type { SourceFile } from './repository.ts'

/** One testable statement of the contract. */
export type SpecLine = { readonly number: string; readonly statement: string }

/** The statements of the page, in its order. */
export const parseSpecLines = (page: string): SpecLine[] =>
  [...page.matchAll(/^\| (S\d+) \| (.+) \|$/gm)].map(([, number = '', statement = '']) => ({ number, statement }))

/** Where each number is proven: the files with a test whose name begins with it. */
export const findProofs = (files: readonly SourceFile[]): Map<string, string[]> => {
  const proofs = new Map<string, string[]>()
  for (const { path, text } of files.filter(({ path }) => throughThePublicSurface(path))) {
    for (const number of numbersIn(text)) proofs.set(number, [...(proofs.get(number) ?? []), path])
  }
  return proofs
}

/**
 * Numbers at the beginning of a test's name. `[S41] …`, `[S1][S2] …`, `[S1, S2] …` and `[S9-S14] …` are understood;
 * a number elsewhere, as in a comment, proves nothing.
 */
export const numbersIn = (text: string): Set<string> => {
  const names = [...text.matchAll(/['"`]((?:\[S\d+(?:\s*[-–,]\s*S\d+)*\]\s*)+)/g)].map(([, tags = '']) => tags)
  return new Set(
    names.flatMap((tags) =>
      [...tags.matchAll(/S(\d+)(?:\s*[-–]\s*S(\d+))?/g)].flatMap(([, from, to]) => range(from, to)),
    ),
  )
}

const range = (from: string | undefined, to: string | undefined): string[] => {
  const first = Number(from)
  const last = to === undefined ? first : Number(to)
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => `S${first + index}`)
}

/** What stands between the present proofs and the promises already kept. */
export const judge = (lines: readonly SpecLine[], proofs: ReadonlyMap<string, unknown>, kept: readonly string[]) => ({
  proven: lines.filter(({ number }) => proofs.has(number)),
  missing: lines.filter(({ number }) => !proofs.has(number)),
  /** Proven once and no longer: this must not happen. */
  lost: lines.filter(({ number }) => kept.includes(number) && !proofs.has(number)),
  /** Proven now and not yet on the list that forbids losing them. */
  unlisted: lines.filter(({ number }) => proofs.has(number) && !kept.includes(number)),
  /** Numbers in tests that the contract does not have. */
  unknown: [...proofs.keys()].filter((number) => !lines.some((line) => line.number === number)),
})

// A proof goes over HTTPS, a real delivery, the CLI, the dashboard or an SDK. Inner functions prove nothing to a customer.
const throughThePublicSurface = (path: string): boolean =>
  /\.test\.tsx?$/.test(path) && !/^packages\/(core|platform)\/|^tools\/tidy\//.test(path)
