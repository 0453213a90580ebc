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
   * that it was meant for. Other load can break it, so the experiment is played once more, alone. Lost or wrong data count
   * at once.
   */
  readonly isMeasured?: true
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
})

export const hasHeld = ({ claims }: Outcome): boolean =>
  claims.length > 0 && claims.every(({ violations }) => violations.length === 0)

/** Only claims that depend on the speed of the computer are broken. */
export const hasOnlyMeasuredFaults = ({ claims }: Pick<Outcome, 'claims'>): boolean => {
  const broken = claims.filter(({ violations }) => violations.length > 0)
  return broken.length > 0 && broken.every(({ isMeasured }) => isMeasured)
}

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

/** For `docs/reports/`: a table of claims and a table of metrics. */
export const outcomeTables = ({ metrics, claims }: Outcome): string => `| Claim | |
|---|---|
${claims.map(({ says, violations }) => `| ${says} | ${violations.length === 0 ? 'holds' : `BROKEN: ${violations.length}`} |`).join('\n')}

| Metric | |
|---|---|
${metrics.map(([what, value]) => `| ${what} | ${value} |`).join('\n')}
`

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
