import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ProofSize } from '../lab/report/keep.ts'
import type { Claim, Metric, Outcome } from '../lab/report/outcome.ts'

const recordsDir = 'proof/records'

/** What the last plays of a proof found. */
export type ProofRecord = { readonly [Size in ProofSize]?: Play }

export type Play = {
  /** Hash of the files that decide the verdict. */
  readonly inputs: string
  readonly verdict: Verdict
  readonly commit: string
  readonly date: string
  readonly minutes: number
  readonly seed?: string
  readonly load: number
  readonly tools: Readonly<Record<string, string>>
  readonly claims: readonly RecordedClaim[]
  readonly metrics: readonly Metric[]
  /** The lines of the contract that its tests prove. */
  readonly lines?: readonly string[]
}

/** `missed`: only measured claims are broken. */
export type Verdict = 'passed' | 'missed' | 'failed'

export type RecordedClaim = {
  readonly says: string
  readonly kind: 'claim' | 'measured'
  readonly holds: boolean
  readonly value?: string
}

const maxViolations = 3
const maxChars = 200
const maxMetrics = 60

export const toRecordedClaim = ({ says, violations, isMeasured, value }: Claim): RecordedClaim => {
  const shown = violations.slice(0, maxViolations).map((each) => each.slice(0, maxChars))
  if (violations.length > maxViolations) shown.push(`and ${violations.length - maxViolations} more`)
  const found = shown.length > 0 ? shown.join('; ') : value?.slice(0, maxChars)
  return {
    says: says.slice(0, maxChars),
    kind: isMeasured ? 'measured' : 'claim',
    holds: violations.length === 0,
    ...(found && { value: found }),
  }
}

export const toMetrics = ({ metrics }: Outcome): Metric[] =>
  metrics
    .slice(0, maxMetrics)
    .map(([what, value]) => [what, typeof value === 'string' ? value.slice(0, maxChars) : value])

export const verdictOf = (claims: readonly RecordedClaim[]): Verdict => {
  const broken = claims.filter(({ holds }) => !holds)
  if (claims.length === 0 || broken.some(({ kind }) => kind === 'claim')) return 'failed'
  return broken.length === 0 ? 'passed' : 'missed'
}

/** The newest play, whichever its size. */
export const newestOf = ({ short, full }: ProofRecord): Play | undefined =>
  short && full ? [short, full].toSorted((one, other) => (one.date < other.date ? 1 : -1))[0] : (short ?? full)

export const readRecords = (root: string): Map<string, ProofRecord> => {
  const dir = join(root, recordsDir)
  mkdirSync(dir, { recursive: true })
  const names = readdirSync(dir).filter((name) => name.endsWith('.json'))
  return new Map(
    names.sort().map((name) => [name.slice(0, -'.json'.length), JSON.parse(readFileSync(join(dir, name), 'utf8'))]),
  )
}

export const writeRecord = (root: string, name: string, record: ProofRecord): void => {
  mkdirSync(join(root, recordsDir), { recursive: true })
  writeFileSync(join(root, recordPath(name)), inLines(record))
}

export const recordPath = (name: string): string => `${recordsDir}/${name}.json`

/** A line for each claim and metric, so that a new play is a short difference. */
const inLines = (record: ProofRecord): string =>
  object(
    Object.entries(record).map(([size, play]) => [
      size,
      object(Object.entries(play).map(([name, value]) => [name, inLine(value)])),
    ]),
  ).concat('\n')

const object = (entries: readonly (readonly [string, string])[]): string =>
  `{\n${entries.map(([name, text]) => `"${name}": ${text}`).join(',\n')}\n}`

const inLine = (value: unknown): string =>
  Array.isArray(value) && value.length > 0
    ? `[\n${value.map((each) => JSON.stringify(each)).join(',\n')}\n]`
    : JSON.stringify(value)
