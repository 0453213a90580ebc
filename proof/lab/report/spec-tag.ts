/** A test that the gate does not play. */
export const isOutsideGate = (path: string): boolean => /\.slow\.test\.ts$|^apps\/dashboard\/e2e\//.test(path)

/**
 * Numbers at the beginning of a test's name. `[S41] …`, `[S1][S2] …`, `[S1, S2] …` and `[S9-S14] …` are understood;
 * a number elsewhere, as in a comment, proves nothing.
 */
export const numbersIn = (text: string): Set<string> =>
  new Set(taggedNames(text).flatMap((name) => [...numbersOfName(name)]))

/** The test names in a file that begin with a number. */
export const taggedNames = (text: string): string[] =>
  [...text.matchAll(/(['"`])(\[S\d(?:\\.|(?!\1)[^\\])*)\1/g)].map(([, , name = '']) => name).filter(hasTag)

/** The numbers at the beginning of one name. */
export const numbersOfName = (name: string): Set<string> => {
  const [tags = ''] = leadingTags.exec(name) ?? []
  return new Set([...tags.matchAll(/S(\d+)(?:\s*[-–]\s*S(\d+))?/g)].flatMap(([, from, to]) => range(from, to)))
}

const leadingTags = /^(?:\[S\d+(?:\s*[-–,]\s*S\d+)*\]\s*)+/

const hasTag = (name: string): boolean => leadingTags.test(name)

const range = (from: string | undefined, to: string | undefined): string[] => {
  const first = Number(from)
  const last = to === undefined ? first : Number(to)
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => `S${first + index}`)
}

/**
 * A proof uses HTTPS, a real delivery, the CLI, the dashboard or an SDK. Tests of internal functions prove nothing to a
 * customer.
 */
export const isPublicTest = (path: string): boolean =>
  (/\.test\.tsx?$/.test(path) || definesTests(path)) &&
  !/^packages\/(core|platform)\/|^proof\/(spec|proofs)\/|^tools\//.test(path)

/** The tests that it defines run in several files beside it. */
export const definesTests = (path: string): boolean => path === 'apps/server/test/access-matrix/matrix.ts'
