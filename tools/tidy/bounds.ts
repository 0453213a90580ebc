import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readRepository, repositoryRoot, type SourceFile } from './repository.ts'
import { type Finding, filesOf, lineAt, notShipped, type Tree, withoutComments } from './rule.ts'

export const boundsPage = 'docs/explanation/bounds.md'

/** Rows without a test. The list only gets shorter, and the number of its rows with it. */
const untestedRows = 21
export const untestedFile = 'tools/tidy/untested-bounds.txt'

type Row = {
  readonly path: string
  readonly line: number
  /** The constant through which code reads the row: `webhooksBounds`, or `limits` for the numbers of `limitRows`. */
  readonly table: string
  readonly name: string
  readonly sizes: readonly string[]
  readonly factors: string
  readonly atBound: string
}

const tables = /^(packages|apps)\/.*\/bounds\.ts$/

const rowsIn = ({ path, text }: SourceFile, numbers: ReadonlyMap<string, string>): Row[] => {
  const heads = [...text.matchAll(/^(?:export )?const (\w+) = \{$/gm)]
  return [...text.matchAll(/^ {2}(\w+): \{([\s\S]*?)\},$/gm)].map((match) => {
    const fields = match[2] ?? ''
    const table = heads.findLast(({ index }) => index < match.index)?.[1] ?? ''
    return {
      path,
      line: lineAt(text, match.index),
      table: numbers.get(table) ?? table,
      name: match[1] ?? '',
      sizes: [...fields.matchAll(/\b(count|bytes|mib|chars|usd|ms|seconds|minutes|hours|days): ([^,]+)/g)].map(
        ([, unit = '', value = '']) => sizeOf(unit, value.trim()),
      ),
      factors: [...(/\bfactors: \[([^\]]+)\]/.exec(fields)?.[1] ?? '').matchAll(/'([^']+)'/g)]
        .map(([, factor = '']) => `\`${factor}\``)
        .join(' × '),
      atBound: (/\batBound:\s*(['"])(.*)\1/.exec(fields)?.[2] ?? '').replaceAll('\\', ''),
    }
  })
}

const sizeOf = (unit: string, value: string): string => {
  const figures = inFigures(value)
  if (unit === 'ms' && figures.endsWith(',000')) return `${figures.slice(0, -4)} s`
  if (unit === 'usd') return `$${figures}`
  return unit === 'count' ? figures : `${figures} ${unit === 'seconds' ? 's' : unit}`
}

/** A product of numbers is multiplied; what refers to another bound is quoted. */
const inFigures = (value: string): string => {
  const factors = value.split(' * ').map((factor) => Number(factor.replaceAll('_', '')))
  const product = factors.reduce((all, factor) => all * factor, 1)
  return Number.isNaN(product) ? `\`${value}\`` : product.toLocaleString('en')
}

const areaOf = ({ path }: { path: string }): string =>
  /^packages\/core\/src\/([^/]+)\/bounds/.exec(path)?.[1] ?? /^(?:packages|apps)\/([^/]+)\//.exec(path)?.[1] ?? ''

const rowsOf = (files: readonly SourceFile[]): Row[] => {
  const numbers = numbersIn(files)
  return files.filter(({ path }) => tables.test(path)).flatMap((file) => rowsIn(file, numbers))
}

/** The contract gives its clients plain numbers: `export const limits = { ...numbersOf(limitRows), … }`. */
const numbersIn = (files: readonly SourceFile[]): ReadonlyMap<string, string> =>
  new Map(
    files
      .filter(({ path }) => /^(packages|apps)\//.test(path))
      .flatMap(({ text }) => [...text.matchAll(/^export const (\w+) = (?:\{\s*\.\.\.)?numbersOf\((\w+)\)/gm)])
      .map(([, constant = '', rows = '']) => [rows, constant]),
  )

const idOf = (row: Row): string => `${row.table}.${row.name}`

// Settings are bounds that the operator sets: docs/reference/configuration.md lists them.
const shipped = /^packages\/(contract|platform|core)\/src\/.*\.ts$|^apps\/(server|cli)\/src\/.*\.ts$/
const settings = /^packages\/core\/src\/config\.ts$|\.fixture\.ts$/
const isBounded = ({ path }: SourceFile): boolean =>
  shipped.test(path) && !tables.test(path) && !settings.test(path) && !notShipped.test(path)

const name =
  /(?:max[A-Z]\w*|max|\w+Max|limit|tries|retries|together|atOnce|atATime|most|underWay|places|keptPlaces|perOrg|\w+(?:AtOnce|AtATime|PerPage|PerRound|PerBatch|PerStatement|PerCall|Tries|Retries|TimeoutMs|DeadlineMs))/
const number = /(?:[1-9][\d_]*(?:\.\d+)?|0x[\da-f_]+|0\.\d+)(?:\s*(?:\*\*?|\+|-)\s*[\w.]+)*/
// A constant, a default value or a property: `const maxRows = 10`, `{ maxRows = 10 }`, `maxRows: 10`.
const literal = new RegExp(
  `(?<![.\\w?]|\\blet )${name.source}(?:: number)?(?:\\s=|:)\\s(?:1 - )?${number.source}(?=\\s*(?:[,;)}\\]]|$))`,
  'gm',
)
// All numbers of an object that is named as a table of bounds.
const bounding = /^(?:export )?const \w*(?:Limits|Bounds)\b[^\n]*= \{(?:[^{}]|\{[^{}]*\})*\}/gm
const member = new RegExp(`\\b(?!min|default|first|idle|gather|\\w*(?:Min|Default))\\w+: ${number.source}`, 'g')
const sqlLimit = /\blimit \(?\s*(?!1\b)\d+/gi
// A size in a schema: `z.string().max(200)`. Shares end at 1, temperatures at 2.
const schemaSize = new RegExp(`\\.max\\((?![12]\\))${number.source}\\)`, 'g')
const shownSize = new RegExp(`\\boneLine\\(.*, ${number.source}\\)`, 'g')
const oneItem = /\blimit: 1$/

/** Numbers outside of the tables. */
export const strayBounds = (files: readonly SourceFile[]): Finding[] =>
  files.flatMap((file) => {
    const isFunction = /^db\/functions\/.*\.sql$/.test(file.path)
    if (!isFunction && !isBounded(file)) return []
    const text = withoutComments(file)
    const found = isFunction ? [...text.matchAll(sqlLimit)] : numbersOutside(file.path, text)
    const once = [...new Map(found.map((match) => [match.index, match])).values()]
    return once.map(({ 0: says, index }) => ({
      path: file.path,
      line: lineAt(text, index),
      says: `${says.trim().replaceAll(/\s+/g, ' ')} is no row of a bounds.ts`,
    }))
  })

const numbersOutside = (path: string, text: string) => [
  ...[...text.matchAll(literal)].filter(([says]) => !oneItem.test(says)),
  ...membersIn(text),
  ...(path.startsWith('packages/contract/') ? text.matchAll(schemaSize) : []),
  ...text.matchAll(path.startsWith('apps/cli/') ? shownSize : sqlLimit),
]

const membersIn = (text: string) =>
  [...text.matchAll(bounding)].flatMap((table) =>
    [...table[0].matchAll(member)].map((match) => ({ 0: match[0], index: table.index + match.index })),
  )

/** Rows that say too little, and rows that no code reads. */
export const rowFindings = (files: readonly SourceFile[]): Finding[] => {
  const code = files.filter(({ path }) => shipped.test(path) && !notShipped.test(path))
  const read = readIn(code.map(({ text }) => text))
  return rowsOf(files).flatMap((row) => {
    const { path, line } = row
    return [
      ...(row.table === '' ? ['stands in no exported table'] : []),
      ...(row.sizes.length === 0 ? ['has no count, bytes, chars or time'] : []),
      ...(row.atBound === '' ? ['does not say what happens at the bound'] : []),
      ...(read.has(idOf(row)) ? [] : ['is read by no code']),
    ].map((says) => ({ path, line, says: `${row.name} ${says}` }))
  })
}

/** What texts read: `limits.bodyBytes`, also as `const { bodyBytes } = limits`. */
const readIn = (texts: readonly string[]): ReadonlySet<string> =>
  new Set(
    texts.flatMap((text) => [
      ...[...text.matchAll(/\b\w+\.\w+/g)].map(([id]) => id),
      ...[...text.matchAll(/\{([^{}]*)\} = (\w+)\b/g)].flatMap(([, names = '', table = '']) =>
        [...names.matchAll(/\w+/g)].map(([name]) => `${table}.${name}`),
      ),
    ]),
  )

/** Rows that no test names and that are not listed, and listed rows that do not belong there. */
export const untestedFindings = (files: readonly SourceFile[]): Finding[] => {
  const named = namedIn(files)
  const listed = listedIn(files)
  const rows = new Map(rowsOf(files).map((row) => [idOf(row), row]))
  const isLonger = listed.length > untestedRows
  return [
    ...(isLonger ? [{ path: untestedFile, says: `has more than ${untestedRows} rows: write the test` }] : []),
    ...[...rows.values()]
      .filter((row) => !named.has(idOf(row)) && !listed.includes(idOf(row)))
      .map(({ path, line, name }) => ({ path, line, says: `no test names ${name}` })),
    ...listed
      .filter((id) => !rows.has(id) || named.has(id))
      .map((id) => ({ path: untestedFile, says: `${id} ${rows.has(id) ? 'has a test' : 'is no row'}` })),
  ]
}

const listedIn = (files: readonly SourceFile[]): string[] =>
  (files.find(({ path }) => path === untestedFile)?.text ?? '').split('\n').filter(Boolean)

/** The ids of the rows that no test names. */
const untestedIds = (files: readonly SourceFile[]): string[] => {
  const named = namedIn(files)
  return rowsOf(files)
    .map(idOf)
    .filter((id) => !named.has(id))
    .toSorted()
}

/** A test names a row in its code or in its title: `webhooksBounds.queues`. */
const namedIn = (files: readonly SourceFile[]): ReadonlySet<string> =>
  readIn(files.filter(({ path }) => /\.test\.tsx?$/.test(path)).map(({ text }) => text))

export const boundsPageOf = (files: readonly SourceFile[]): string => {
  const rows = rowsOf(files)
  const areas = [...new Set(rows.map(areaOf))].toSorted()
  return `# Bounds

Written by \`node tools/tidy/bounds.ts\` from the tables from which the code takes its numbers. Do not edit.

Each queue, list, batch, pool and retry has a bound and a behaviour at the bound. The row of a product names its factors. What a client can
reach stands in [Limits](../guides/limits.md), what an operator sets in [Configuration](../reference/configuration.md).

${areas
  .map((area) =>
    sectionOf(
      area,
      rows.filter((row) => areaOf(row) === area),
    ),
  )
  .join('\n\n')}
`
}

const sectionOf = (area: string, rows: readonly Row[]): string => `## ${area}

\`${rows[0]?.path}\`

| row | bound | at the bound |
|---|---|---|
${rows.map(({ table, name, sizes, factors, atBound }) => `| \`${table === rows.at(-1)?.table ? name : `${table}.${name}`}\` | ${[sizes.join(', '), factors].filter(Boolean).join(': ')} | ${atBound} |`).join('\n')}`

/** A tree without findings, from which the examples of the rules are made. */
export const boundedTree: Tree = {
  'packages/platform/src/bounds.ts': `export const platformBounds = {
  waiting: { count: 2 * 1_000, bytes: 64, atBound: 'refused with 429 \`queue_full\`' },
  pairs: {
    count: 20,
    factors: ['waiting', 'others'],
    atBound: "the oldest is dropped",
  },
} satisfies Bounds
`,
  'packages/platform/src/queue.ts':
    'const maxWaiting = platformBounds.waiting.count\nconst maxPairs = platformBounds.pairs.count\nconst minRows = 20',
  'packages/platform/src/queue.test.ts':
    "test('one more is refused (platformBounds.waiting)', …)\nexpect(pairs).toBe(platformBounds.pairs.count)\nconst maxRuns = 7",
}

export const boundedPage = boundsPageOf(filesOf(boundedTree))

if (import.meta.main) {
  const repository = readRepository()
  const untested = untestedIds(repository)
  const listed = listedIn(repository).filter((id) => untested.includes(id))
  writeFileSync(join(repositoryRoot, untestedFile), listed.map((id) => `${id}\n`).join(''))
  writeFileSync(join(repositoryRoot, boundsPage), boundsPageOf(repository))
  console.log(`${rowsOf(repository).length} bounds, listed in ${boundsPage}`)
}
