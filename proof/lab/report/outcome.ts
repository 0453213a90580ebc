/** What an experiment found. */
export type Outcome = {
  metrics: readonly Metric[]
  claims: readonly Claim[]
}

export type Metric = readonly [what: string, value: string | number]

/** Holds when there is nothing against it. */
export type Claim = {
  readonly says: string
  readonly violations: readonly string[]
  /**
   * It depends on how fast the computer is: how long something took, how large something got, whether a fault met the work
   * that it was meant for. Other load can break it, so it may be missed with a cause in `proof/known.md`. Lost or wrong data
   * may not.
   */
  readonly isMeasured?: true
  /** The measured value and its bar, also when the claim holds. */
  readonly value?: string
}

/** A claim from a condition; `found` is reported when it does not hold. */
export const claim = (says: string, holds: boolean, found: string): Claim => ({
  says,
  violations: holds ? [] : [found],
})

/** The same for a metric that other load on the machine can disturb. */
export const measured = (says: string, holds: boolean, found: string): Claim => ({
  ...claim(says, holds, found),
  isMeasured: true,
  value: found,
})

/** A measured figure and its bar. A figure that is no number does not hold. */
export const bar = (says: string, figure: number, limit: { most: number } | { least: number }, digits = 2): Claim =>
  'most' in limit
    ? measured(says, figure <= limit.most, `${figure.toFixed(digits)}, at most ${limit.most}`)
    : measured(says, figure >= limit.least, `${figure.toFixed(digits)}, at least ${limit.least}`)

export const hasHeld = ({ claims }: Outcome): boolean =>
  claims.length > 0 && claims.every(({ violations }) => violations.length === 0)

/** A line for each broken claim. */
export const brokenOf = ({ claims }: Outcome): string[] =>
  claims
    .filter(({ violations }) => violations.length > 0)
    .map(({ says, violations }) => `${says}: ${violations[0]?.slice(0, violationChars)}`)

/** For the terminal: the metrics, then a line for each claim. */
export const inWords = ({ metrics, claims }: Outcome): string => {
  const width = Math.max(...metrics.map(([what]) => what.length))
  const table = metrics.map(([what, value]) => `  ${what.padEnd(width)}  ${value}`)
  return [...table, ...claims.flatMap(linesOf)].join('\n')
}

const violationsShown = 10
const violationChars = 500

const linesOf = ({ says, violations }: Claim): string[] => {
  if (violations.length === 0) return [`  PASS  ${says}`]
  const more = violations.length - violationsShown
  return [
    `  FAIL  ${says}`,
    ...violations.slice(0, violationsShown).map((violation) => `        ${violation.slice(0, violationChars)}`),
    ...(more > 0 ? [`        and ${more} more`] : []),
  ]
}
