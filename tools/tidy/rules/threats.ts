import type { SourceFile } from '../repository.ts'
import type { Finding, Rule } from '../rule.ts'

const page = 'docs/explanation/threat-model.md'
const proofs = 'proof/proofs/list.ts'
const heading = '| Rule | Held by |\n|---|---|\n'

export const threatRules: readonly Rule[] = [
  {
    name: 'every rule and finding of the threat model names the test or the proof that holds it',
    why: 'A rule that nothing plays is a wish, and a test that was renamed holds nothing that a reader can find.',
    check: (files) => {
      const textOf = new Map(files.map(({ path, text }) => [path, text]))
      const isProof = (name: string): boolean => new RegExp(`^${name} \\d`, 'm').test(textOf.get(proofs) ?? '')
      return files.filter(({ path }) => path === page).flatMap((file) => findingsIn(file, { textOf, isProof }))
    },
    bad: [
      { [page]: '| Rule |\n|---|\n| Nobody reads the runs of others |\n' },
      { [page]: `${heading}| Nobody reads the runs of others | |\n` },
      {
        [page]: `${heading}| Nobody reads the runs of others | \`packages/a/reads.ts\` |\n`,
        'packages/a/reads.ts': '',
      },
      { [page]: `${heading}| Nobody reads the runs of others | \`packages/a/gone.test.ts\` |\n` },
      {
        [page]: `${heading}| Nobody reads the runs of others | \`packages/a/a.test.ts\` “reads nothing” |\n`,
        'packages/a/a.test.ts': "test('a key reads no run of others', …)",
      },
      { [page]: `${heading}| Redis changes nothing | \`attacks-redis\` |\n`, [proofs]: 'chaos-R1 2/2 A promise' },
      { [page]: '| Finding | Before | Held by |\n|---|---|---|\n| N1: a loop | 72 s | |\n' },
      {
        [page]: '| Finding | Before | Held by |\n|---|---|---|\n| N1: a loop | 72 s | `packages/a/gone.test.ts` |\n',
      },
      { [page]: '| Attacked | Result |\n|---|---|\n| Usage | **Found**. Repaired: `packages/a/gone.test.ts` |\n' },
      {
        [page]: '| Attacked | Result |\n|---|---|\n| Usage | Repaired: `packages/a/a.test.ts` “reads nothing” |\n',
        'packages/a/a.test.ts': "test('a key reads no run of others', …)",
      },
    ],
    good: [
      {
        [page]: `${heading}| Nobody reads the runs of others | \`packages/a/a.test.ts\` “reads no run”, \`attacks-redis\` |\n\n| Asset | Stored |\n|---|---|\n| Runs | here |\n\n| Finding | Held by |\n|---|---|\n| N1 | \`attacks-redis\` |\n\n| Attacked | Result |\n|---|---|\n| Pages | Held: \`nosniff\`, a/b |\n| Runs | Held: \`packages/a/a.test.ts\` “reads no run” |\n`,
        'packages/a/a.test.ts': "test('a key reads no run of others', …)",
        [proofs]: 'attacks-redis 1/3 A promise',
      },
    ],
  },
]

type Known = { textOf: ReadonlyMap<string, string>; isProof: (name: string) => boolean }

const findingsIn = ({ path, text }: SourceFile, known: Known): Finding[] => {
  let columns: string[] = []
  return text.split('\n').flatMap((row, index) => {
    const cells = row.startsWith('|') ? row.split('|').slice(1, -1) : []
    const isHeading = cells.length > 0 && columns.length === 0
    if (isHeading) columns = cells.map((cell) => cell.trim())
    if (cells.length === 0) columns = []
    const findings = (faults: readonly string[]) => faults.map((says) => ({ path, line: index + 1, says }))
    if (row.startsWith('|---')) return []
    if (columns.includes('Attacked')) return findings(faultsIn(namedIn(cells.at(-1) ?? '').filter(isTest), known))
    if (!columns.includes('Rule') && !columns.includes('Finding')) return []
    if (isHeading) return findings(columns.at(-1) === 'Held by' ? [] : ['has no column “Held by”'])
    return findings(faultsOf(cells.at(-1) ?? '', known))
  })
}

/** What the cell names: files of tests, each with a part of the name of a test or without, and proofs. */
const faultsOf = (cell: string, known: Known): string[] => {
  const named = namedIn(cell)
  const holds = named.some((each) => !each.name.includes('/') || isTest(each))
  return holds ? faultsIn(named, known) : [...faultsIn(named, known), 'names no test and no proof']
}

type Named = { name: string; title: string | undefined }

const namedIn = (cell: string): Named[] =>
  [...cell.matchAll(/`([^`]+)`(?: “([^”]+)”)?/g)].map(([, name = '', title]) => ({ name, title }))

const isTest = ({ name }: Named): boolean => /\.test\.tsx?$/.test(name)

const faultsIn = (named: readonly Named[], { textOf, isProof }: Known): string[] =>
  named.flatMap(({ name, title }) => {
    if (!name.includes('/')) return isProof(name) ? [] : [`${name} is no proof of ${proofs}`]
    const text = textOf.get(name)
    if (text === undefined) return [`${name} does not exist`]
    return title === undefined || text.includes(title) ? [] : [`${name} has no test “${title}”`]
  })
