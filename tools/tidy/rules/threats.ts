import type { SourceFile } from '../repository.ts'
import type { Finding, Rule } from '../rule.ts'

const page = 'docs/explanation/threat-model.md'
const proofs = 'proof/proofs/list.ts'
const heading = '| Rule | Held by |\n|---|---|\n'

export const threatRules: readonly Rule[] = [
  {
    name: 'every rule of the threat model names the test or the proof that holds it',
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
    ],
    good: [
      {
        [page]: `${heading}| Nobody reads the runs of others | \`packages/a/a.test.ts\` “reads no run”, \`attacks-redis\` |\n\n| Asset | Stored |\n|---|---|\n| Runs | here |\n`,
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
    if (!columns.includes('Rule') || row.startsWith('|---')) return []
    if (isHeading)
      return columns.at(-1) === 'Held by' ? [] : [{ path, line: index + 1, says: 'has no column “Held by”' }]
    return faultsOf(cells.at(-1) ?? '', known).map((says) => ({ path, line: index + 1, says }))
  })
}

/** What the cell names: files of tests, each with a part of the name of a test or without, and proofs. */
const faultsOf = (cell: string, { textOf, isProof }: Known): string[] => {
  const named = [...cell.matchAll(/`([^`]+)`(?: “([^”]+)”)?/g)].map(([, name = '', title]) => ({ name, title }))
  const faults = named.flatMap(({ name, title }) => {
    if (!name.includes('/')) return isProof(name) ? [] : [`${name} is no proof of ${proofs}`]
    const text = textOf.get(name)
    if (text === undefined) return [`${name} does not exist`]
    return title === undefined || text.includes(title) ? [] : [`${name} has no test “${title}”`]
  })
  const holds = named.some(({ name }) => !name.includes('/') || /\.test\.tsx?$/.test(name))
  return holds ? faults : [...faults, 'names no test and no proof']
}
