import { posix } from 'node:path'
import type { SourceFile } from '../repository.ts'
import { type Finding, forbid, lineAt, type Rule } from '../rule.ts'

const pages =
  /^(AGENTS|README|CHANGELOG|CODE_OF_CONDUCT|CONTRIBUTING|SECURITY|SUPPORT)\.md$|^(docs|packages|apps|tools|proof|sdks|deploy)\/.*\.md$/
// Decisions describe the state of their day. Only their paths follow the tree.
const records = /^docs\/adr\//

const maxMapLines = 95
const maxMapBytes = 6500

export const docRules: readonly Rule[] = [
  {
    name: 'every path that a page names exists',
    why: 'A page with dead paths misleads every new reader.',
    check: (files) => {
      const known = new Set(files.flatMap(({ path }) => withParents(path)))
      return files
        .filter(({ path }) => pages.test(path))
        .flatMap((page) => namedPaths(page).filter(({ says }) => !known.has(says)))
    },
    bad: [
      { 'AGENTS.md': 'Runs live in `packages/core/src/runs/`.' },
      { 'README.md': 'See [the guide](docs/guides/start.md).' },
      { 'docs/guides/a.md': 'See [the other](./b.md).' },
      { 'docs/adr/0001-engine.md': 'It is in `packages/engine/`.' },
      { 'docs/operate/a.md': 'Run `node tools/gone.ts --all`.' },
    ],
    good: [
      { 'AGENTS.md': 'Runs live in `packages/core/src/runs/`.', 'packages/core/src/runs/run.ts': '' },
      { 'docs/guides/a.md': 'See [the other](../b.md#start) and [more](https://example.com/x).', 'docs/b.md': '' },
      {
        'AGENTS.md':
          'A slice is `packages/core/src/<slice>/`, a migration `db/migrations/NNNN_name.sql`, see `docs/*.md`.',
      },
    ],
  },
  {
    name: 'every command that a page names exists',
    why: 'Readers paste commands from pages, so they must work.',
    check: (files) => {
      const manifest = files.find(({ path }) => path === 'package.json')
      const scripts = Object.keys(JSON.parse(manifest?.text ?? '{}').scripts ?? {})
      return forbid(/(?:`|^(?:\$ )?|&& )pnpm (?:run )?([a-z][\w:-]*)/m, { within: pages, except: records })(
        files,
      ).filter(({ says }) => ![...scripts, ...pnpmCommands].includes(says.split(' ').at(-1) ?? ''))
    },
    bad: [
      { 'README.md': 'Run `pnpm start`.', 'package.json': '{ "scripts": { "dev": "node dev.ts" } }' },
      { 'README.md': '```sh\npnpm start\n```', 'package.json': '{}' },
    ],
    good: [
      {
        'README.md': '```sh\npnpm install && pnpm dev\n```\nWe use pnpm workspaces.',
        'package.json': '{ "scripts": { "dev": "node dev.ts" } }',
      },
    ],
  },
  {
    name: 'no page points at a line number',
    why: 'Edits move lines, so line numbers become wrong; names stay valid.',
    check: forbid(/\.(ts|tsx|mjs|sql|md|json|yaml)(:|#L)\d+|\blines? \d+/i, { within: pages, except: records }),
    bad: [{ 'docs/guides/a.md': 'See `run.ts:42`.' }, { 'AGENTS.md': 'as in line 7' }, { 'README.md': '[x](a.ts#L3)' }],
    good: [{ 'AGENTS.md': 'This map has at most 150 lines; the server listens on `localhost:8443`.' }],
  },
  {
    name: 'a code block that names its file is quoted from that file',
    why: 'An example that nothing checks drifts from the code, and readers copy the old version.',
    check: (files) =>
      files
        .filter(({ path }) => pages.test(path) && !records.test(path))
        .flatMap((page) =>
          quotesIn(page)
            .filter(({ file, parts }) => {
              const source = files.find(({ path }) => path === file)?.text ?? ''
              return !parts.every((part) => isQuoted(source, part))
            })
            .map(({ file, line }) => ({ path: page.path, line, says: `differs from ${file}` })),
        ),
    bad: [
      { 'docs/guides/a.md': '```ts\n// packages/a/b.ts\nconst one = 1\n```\n', 'packages/a/b.ts': 'const one = 2\n' },
      { 'docs/guides/a.md': '```ts\n// packages/a/gone.ts\nconst one = 1\n```\n' },
      {
        'docs/guides/a.md': '```ts\n// packages/a/b.ts\nconst one = 1\n// …\nconst two = 2\n```\n',
        'packages/a/b.ts': 'const one = 1\n',
      },
    ],
    good: [
      {
        'docs/guides/a.md': '```ts\n// packages/a/b.ts\nget: () => {\n  done()\n},\n// …\nconst two = 2\n```\n',
        'packages/a/b.ts': 'const api = {\n  get: () => {\n    done()\n  },\n}\nconst two = 2\n',
      },
      { 'docs/guides/a.md': '```ts\nconst one = 1\n```\n' },
    ],
  },
  {
    name: 'AGENTS.md is read in three minutes',
    why: 'It is read whole before every piece of work; what is longer is skimmed. Details stand in docs/maintain or beside the code.',
    check: (files) =>
      files
        .filter(({ path }) => path === 'AGENTS.md')
        .map(({ path, text }) => ({ path, lines: text.trimEnd().split('\n').length, bytes: Buffer.byteLength(text) }))
        .filter(({ lines, bytes }) => lines > maxMapLines || bytes > maxMapBytes)
        .map(({ path, lines, bytes }) => ({
          path,
          says: `${lines} lines and ${bytes} bytes; at most ${maxMapLines} and ${maxMapBytes} are allowed`,
        })),
    bad: [{ 'AGENTS.md': 'a line\n'.repeat(96) }, { 'AGENTS.md': 'ü'.repeat(3251) }],
    good: [{ 'AGENTS.md': 'a line\n'.repeat(95) }],
  },
  {
    name: 'a TODO carries its issue',
    why: 'A TODO without an issue is not tracked.',
    check: forbid(/\b(TODO|FIXME|XXX|HACK)\b(?!\s?\(?#\d+)/, { within: /\.(tsx?|mjs|sql|sh|ya?ml)$|^\.ci\// }),
    bad: [{ 'packages/core/src/runs/run.ts': '// TODO: make it faster' }, { 'db/migrations/0001_a.sql': '-- FIXME' }],
    good: [{ 'packages/core/src/runs/run.ts': '// TODO(#12): make it faster' }],
  },
]

const pnpmCommands = ['install', 'exec', 'add', 'why', 'store', 'audit', 'outdated', 'dlx']

const topFolders = /^(packages|apps|sdks|catalog|db|tools|proof|deploy|docs|\.ci|\.githooks)\//
const placeholder = /[<>*{}$…\s]|NNNN/

type Quote = { file: string; line: number; parts: string[] }

/** A block whose first line is a comment with a path. A line `// …` leaves lines of the file out. */
const quotesIn = ({ text }: SourceFile): Quote[] =>
  [...text.matchAll(/^```\w+\n\/\/ ([\w./-]+\.\w+)\n([\s\S]*?)^```$/gm)]
    .filter(([, file = '']) => topFolders.test(file))
    .map((match) => ({
      file: match[1] ?? '',
      line: lineAt(text, match.index),
      parts: (match[2] ?? '').split(/^\/\/ …\n/m).filter((part) => part.trim() !== ''),
    }))

/** Verbatim, at any depth of indentation. */
const isQuoted = (source: string, part: string): boolean =>
  [0, 2, 4, 6, 8].some((depth) => {
    const indented = part.replaceAll(/^(?=.)/gm, ' '.repeat(depth))
    return source.startsWith(indented) || source.includes(`\n${indented}`)
  })

const withParents = (path: string): string[] =>
  path.split('/').map((_, index, parts) => parts.slice(0, index + 1).join('/'))

const namedPaths = (page: SourceFile): Finding[] => {
  const { path, text } = page
  // The first word, because a path can be a command with arguments.
  const quoted = [...text.matchAll(/`(?:node )?([^`\s]+)[^`\n]*`/g)].filter(([, name]) => topFolders.test(name ?? ''))
  const linked = [...text.matchAll(/\]\((?!\w+:|#)([^)\s]+)\)/g)]
  return [
    ...quoted.map((match) => ({ match, target: match[1] ?? '' })),
    ...linked.map((match) => ({ match, target: posix.join(posix.dirname(path), match[1] ?? '') })),
  ]
    .filter(({ target }) => !placeholder.test(target))
    .map(({ match, target }) => ({
      path,
      line: lineAt(text, match.index),
      says: target.replace(/#.*$/, '').replace(/\/$/, ''),
    }))
}
