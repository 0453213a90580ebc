import { cpus } from 'node:os'

/** Operation → status → how many answers. */
export type Answers = Readonly<Record<string, Readonly<Record<string, number>>>>

export type Outcome = {
  cases: number
  seed: string
  seconds: number
  hasPassed: boolean
  answers: Answers
}

export const totalOf = (answers: Answers): number =>
  Object.values(answers).reduce((sum, counts) => sum + Object.values(counts).reduce((one, two) => one + two, 0), 0)

export const merged = (parts: readonly Answers[]): Answers => Object.assign({}, ...parts) as Answers

/** For `docs/reports/schemathesis.md`. */
export const inMarkdown = ({ cases, seed, seconds, hasPassed, answers }: Outcome): string => {
  const rows = Object.entries(answers)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([operation, counts]) => {
      const statuses = Object.entries(counts).map(([status, count]) => `${status}: ${count}`)
      return `| \`${operation}\` | ${totalOf({ operation: counts })} | ${statuses.join(', ')} |`
    })
  return `# The document against the service

Schemathesis makes requests from \`packages/contract/openapi.json\` (its examples, the edges of every field, random ones, chains of
calls; such as fit and such as do not) and looks at every answer: no server error, no status, header, media type or body that the document
does not know, nothing refused that fits, nothing taken that does not. Exceptions and their reasons: \`proof/schemathesis/schemathesis.toml\`.

Made by \`pnpm schemathesis --cases ${cases} --seed ${seed} --report\` on ${cpus().length} cores, in ${seconds.toFixed(0)} s:
**${hasPassed ? 'passed' : 'FAILED'}**, ${totalOf(answers)} answers.

| Operation | Answers | By status |
|---|---|---|
${rows.join('\n')}
`
}
