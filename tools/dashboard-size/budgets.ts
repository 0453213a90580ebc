/** A part of the manifest that the build writes. */
export type Chunk = {
  readonly file: string
  /** Of a part that several pages share. */
  readonly name?: string
  readonly assets?: readonly string[]
  readonly imports?: readonly string[]
  readonly css?: readonly string[]
}

export type Built = {
  /** By source. */
  readonly chunks: Readonly<Record<string, Chunk>>
  /** Compressed bytes of every file. */
  bytesOf(file: string): number
}

export type Verdict = { readonly what: string; readonly bytes: number; readonly maxBytes: number }

const kilobyte = 1_000

/** Judges the build by the sizes that a browser downloads. */
export const judgeSizes = (built: Built): Verdict[] => {
  const { chunks } = built
  const first = filesOf(built, ['index.html', 'src/pages/runs/run-list.tsx'])
  const pages = Object.keys(chunks).filter((key) => key.startsWith('src/pages/') || key.startsWith('src/shell/'))
  const users = new Map<string, number>()
  for (const key of pages) for (const file of filesOf(built, [key])) users.set(file, (users.get(file) ?? 0) + 1)
  const sum = (files: Iterable<string>): number => [...files].reduce((total, file) => total + built.bytesOf(file), 0)
  const onTop = (key: string): number => sum([...filesOf(built, [key])].filter((file) => !first.has(file)))
  // What several pages use is loaded once, by the first of them.
  const own = (key: string): number =>
    sum([...filesOf(built, [key])].filter((file) => !first.has(file) && users.get(file) === 1))
  const named = (what: string, key: string, kilobytes: number): Verdict[] =>
    chunks[key] ? [{ what, bytes: onTop(key), maxBytes: kilobytes * kilobyte }] : []
  const charts = Object.entries(chunks).find(([, { name }]) => name === 'charts')?.[0]
  // The browser picks files by the letters of the page; English and numbers need these.
  const fonts = (chunks['index.html']?.assets ?? []).filter((file) => /-latin-wght-.*\.woff2$/.test(file))
  const scripts = new Set(Object.values(chunks).map(({ file }) => file))
  return [
    { what: 'first load of /runs', bytes: sum(first), maxBytes: 150 * kilobyte },
    { what: 'fonts of the first page', bytes: sum(fonts), maxBytes: 90 * kilobyte },
    { what: 'run page, its own part', bytes: own('src/pages/runs/run-page.tsx'), maxBytes: 15 * kilobyte },
    ...named('palette', 'src/shell/palette.tsx', 45),
    ...(charts === undefined ? [] : named('charts', charts, 25)),
    ...named('JSON editor', 'src/ui/json-editor.tsx', 85),
    ...pages
      .filter((key) => !/\/(run-page|run-list|palette)\.tsx$/.test(key))
      .map((key) => ({ what: key, bytes: own(key), maxBytes: 25 * kilobyte })),
    {
      what: 'all scripts',
      bytes: sum([...scripts].filter((file) => file.endsWith('.js'))),
      maxBytes: 700 * kilobyte,
    },
  ]
}

/** The files that are loaded with these sources: their own, and those that they import at once. */
const filesOf = ({ chunks }: Built, keys: readonly string[]): Set<string> => {
  const files = new Set<string>()
  const seen = new Set<string>()
  const visit = (key: string): void => {
    const chunk = chunks[key]
    if (!chunk || seen.has(key)) return
    seen.add(key)
    for (const file of [chunk.file, ...(chunk.css ?? [])]) files.add(file)
    for (const imported of chunk.imports ?? []) visit(imported)
  }
  for (const key of keys) visit(key)
  return files
}
