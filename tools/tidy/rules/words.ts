import type { SourceFile } from '../repository.ts'
import { blank, type Finding, lineAt, notShipped, type Rule, withoutComments } from '../rule.ts'

const pages =
  /^(AGENTS|README|CHANGELOG|CODE_OF_CONDUCT|CONTRIBUTING|SECURITY|SUPPORT)\.md$|^(docs|packages|apps|tools|proof|sdks|deploy|examples)\/.*\.md$/
// Decisions are never edited, and the lines of the specification are quotations.
const records = /^docs\/adr\/|^docs\/spec-lines\.md$/
const code = /^(packages|apps|sdks|tools|proof)\/.*\.(tsx?|mjs)$/
const tests = /\.test\.tsx?$/

const listed = /\b(?:whoever|so many|of its own|by itself|is told|comes round|as it stands|lets out)\b/gi
// A question may begin with it; a statement may not.
const whatSubject = /(?:^\s*|[.!?:;|]\s+|[-*#>/]\s+|\[S\d+\]\s*)(What (?:is|was|are|were)\b[^.?!|\n]*)(.?)/gim

export const wordRules: readonly Rule[] = [
  {
    name: 'pages use plain technical English',
    why: 'Readers search for the standard term, and English may be their second language. Name the subject and the actor.',
    check: (files) =>
      files
        .filter(({ path }) => pages.test(path) && !records.test(path))
        .flatMap((file) => findingsIn(file, prose(file))),
    bad: [
      { 'README.md': 'Whoever calls it gets a response.' },
      { 'docs/guides/runs.md': 'The sweep runs by itself.' },
      { 'docs/guides/runs.md': 'A run ends.\n\nWhat is left is deleted.' },
      { 'docs/guides/runs.md': '| What was accepted | is stored |' },
      { 'CHANGELOG.md': '- Each worker has a pool of its own.' },
    ],
    good: [
      { 'README.md': '## What is a run?\n\nThe worker executes a run. It shows what is stored.' },
      { 'docs/guides/runs.md': '> "Whoever calls it" is a quotation.\n\n`whoever` is code.' },
      { 'docs/adr/0001-engine.md': 'Whoever reads this finds the state of its day.' },
    ],
  },
  {
    name: 'messages use plain technical English',
    why: 'Errors, logs and help are read in a hurry. They name the subject, the fault and the next step.',
    check: (files) =>
      files
        .filter(({ path }) => code.test(path) && !notShipped.test(path))
        .flatMap((file) => findingsIn(file, literals(file))),
    bad: [
      { 'packages/core/src/runs/run.ts': "throw new Fault('conflict', 'What is done is done.')" },
      { 'apps/cli/src/main.ts': "log.warn('whoever waits is told')" },
      { 'packages/contract/src/runs.ts': 'const text = `A run of its own`' },
    ],
    good: [
      { 'packages/core/src/runs/run.ts': "throw new Fault('conflict', 'The run has ended.')" },
      { 'apps/server/test/runs.test.ts': "const text = 'whoever'" },
    ],
  },
  {
    name: 'no page and no message speaks of what is not built yet',
    why: 'Such a sentence is wrong from the day on which the feature is built, and nobody looks for it. Say what the service does now.',
    check: (files) => [
      ...files
        .filter(({ path }) => pages.test(path) && !records.test(path))
        .flatMap((file) => promisesIn(file, prose(file))),
      ...files
        .filter(({ path }) => code.test(path) && !notShipped.test(path))
        .flatMap((file) => promisesIn(file, literals(file))),
    ],
    bad: [
      { 'docs/guides/runs.md': '`guardrail_blocked` is reserved for guardrails, which are not built yet.' },
      { 'README.md': 'Evaluation: coming soon.' },
      { 'packages/contract/src/agents.ts': "const words = 'Reserved: not yet implemented.'" },
    ],
    good: [
      { 'docs/guides/runs.md': 'The service has no evaluation.' },
      { 'apps/server/test/runs.test.ts': "const text = 'not built yet'" },
    ],
  },
  {
    name: 'test names use plain technical English',
    why: 'A test name is a promise to a reader. Name the subject and the behaviour.',
    check: (files) => files.filter(({ path }) => tests.test(path)).flatMap((file) => findingsIn(file, names(file))),
    bad: [
      { 'apps/cli/test/ars.test.ts': "test('whoever logs in is told', () => {})" },
      { 'packages/platform/src/json.test.ts': "test.each([1])('what is sent is kept: %s', () => {})" },
      {
        'packages/platform/src/json.test.ts':
          "test.each([\n  ['a'],\n])(\n  'a process of its own: %s',\n  () => {},\n)",
      },
    ],
    good: [
      { 'apps/cli/test/ars.test.ts': "test('a login stores the key', () => { const text = 'whoever' })" },
      { 'packages/platform/src/json.test.ts': "test('it shows what is stored', () => {})" },
    ],
  },
  {
    name: 'comments use plain technical English',
    why: 'A comment gives the reason in one sentence. Riddles and aphorisms cost every reader time.',
    check: (files) => files.filter(({ path }) => code.test(path)).flatMap((file) => findingsIn(file, comments(file))),
    bad: [
      { 'packages/core/src/runs/run.ts': '// Whoever waits is told.\nexport const a = 1' },
      { 'proof/chaos/main.ts': '/**\n * A stack of its own.\n */\nexport const a = 1' },
      { 'tools/dev/main.ts': '/** What is left is deleted. */\nexport const a = 1' },
    ],
    good: [
      { 'packages/core/src/runs/run.ts': '// The caller retries.\nexport const a = 1' },
      { 'proof/lab/input.ts': "export const text = 'The app closes by itself.'" },
    ],
  },
]

const promised = /\b(?:not (?:yet )?(?:built|implemented)(?: yet)|not yet (?:built|implemented)|coming soon)\b/gi

const promisesIn = ({ path, text }: SourceFile, read: string): Finding[] =>
  [...read.matchAll(promised)].map((match) => ({ path, line: lineAt(text, match.index), says: match[0] }))

const findingsIn = ({ path, text }: SourceFile, read: string): Finding[] => [
  ...[...read.matchAll(listed)].map((match) => ({ path, line: lineAt(text, match.index), says: match[0] })),
  ...[...read.matchAll(whatSubject)]
    .filter(([, , end]) => end !== '?')
    .map((match) => ({
      path,
      line: lineAt(text, match.index + match[0].indexOf(match[1] ?? '')),
      says: match[1] ?? '',
    })),
]

/** The page without code, quotations and comments; lines are kept. */
const prose = ({ text }: SourceFile): string =>
  text.replaceAll(/```[\s\S]*?```|`[^`\n]*`|<!--[\s\S]*?-->|^>.*$|"[^"\n]*"|“[^”\n]*”/gm, blank)

/** The string and template literals of a file. All other characters are blanked, and each literal begins a sentence. */
const literals = (file: SourceFile): string => {
  const read = withoutComments(file)
  let kept = ''
  let end = 0
  for (const match of read.matchAll(/'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g)) {
    const [literal] = match
    kept += `${blank(read.slice(end, match.index)).slice(0, -1)}\n`.slice(0, match.index - end)
    kept += isSql(read, match.index) ? blank(literal) : ` ${literal.slice(1, -1)} `
    end = match.index + literal.length
  }
  return kept + blank(read.slice(end))
}

const isSql = (text: string, at: number): boolean => /sql(<[^>]*>)?$/.test(text.slice(Math.max(0, at - 60), at))

/** The comments of a file. All other characters are blanked. */
const comments = (file: SourceFile): string => {
  const read = withoutComments(file)
  return file.text.replaceAll(/[^\n]/g, (character, at: number) => (read[at] === character ? ' ' : character))
}

/** The names of tests and groups, including those after a table. */
const names = (file: SourceFile): string => {
  const read = withoutComments(file)
  const calls = /(?:\b(?:test|it|describe)(?:\.\w+)*\(|\](?: as const)?\)\()\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/g
  let kept = blank(read)
  for (const match of read.matchAll(calls)) {
    const at = match.index + match[0].length - (match[2] ?? '').length - 1
    kept = `${kept.slice(0, at - 1)}\n${match[2]}${kept.slice(at + (match[2] ?? '').length)}`
  }
  return kept
}
