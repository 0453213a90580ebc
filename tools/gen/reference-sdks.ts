import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pageHead, table } from './markdown.ts'
import { comparison } from './sdk-comparison.ts'

const languages = [
  { name: 'TypeScript', key: 'typescript', fence: 'ts' },
  { name: 'Python', key: 'python', fence: 'python' },
  { name: 'Go', key: 'go', fence: 'go' },
] as const

const tasks = [
  'First run',
  'Stream',
  'Approve',
  'List',
  'Error',
  'Retry',
  'Webhook',
  'Cancel',
  'Release a canary',
  'Rotate a key',
]

/** The ten tasks in three languages, from the READMEs of the SDKs, which CI executes. */
export const sdksPage = (): string => {
  const found = languages.map((language) => ({ ...language, blocks: blocksOf(language.key, language.fence) }))
  const ours = (task: string) => found.map(({ blocks }) => blocks.get(task) ?? '')
  const counts = tasks.map((task) => [
    `[${task}](#${task.toLowerCase().replaceAll(' ', '-')})`,
    ...ours(task).map((code, n) => cellOf(code, comparison[task]?.[languages[n]?.key ?? 'go'])),
  ])
  return `${pageHead('Ten tasks in three languages', '`sdks/*/README.md` and `tools/gen/sdk-comparison.ts`')}
The programs below are the first ones of each section in the READMEs of the SDKs for [TypeScript](../../sdks/typescript/README.md),
[Python](../../sdks/python/README.md) and [Go](../../sdks/go/README.md). CI executes them against the service.

## Lines of code

Lines that are neither empty nor a comment. After the slash: the same task with the SDK of OpenAI for that language, written in the same style
(\`tools/gen/sdk-comparison.ts\`). A dash means that it has no such task.

${table(['task', ...languages.map(({ name }) => name)], counts)}

${tasks.map((task) => sectionOf(task, ours(task))).join('\n\n')}
`
}

const cellOf = (code: string, other: string | undefined): string =>
  `${linesOf(code)} / ${other === undefined ? '–' : linesOf(other)}`

const linesOf = (code: string): number =>
  code.split('\n').filter((line) => line.trim() !== '' && !/^\s*(\/\/|#)/.test(line)).length

const sectionOf = (task: string, codes: readonly string[]): string =>
  [
    `## ${task}`,
    ...codes.map((code, n) => `${languages[n]?.name}:\n\n\`\`\`${languages[n]?.fence}\n${code.trimEnd()}\n\`\`\``),
  ].join('\n\n')

/** The first program of each section. */
const blocksOf = (folder: string, fence: string): ReadonlyMap<string, string> => {
  const page = readFileSync(join(import.meta.dirname, '../../sdks', folder, 'README.md'), 'utf8')
  const pattern = new RegExp(`^\`\`\`${fence}\\n([\\s\\S]*?)^\`\`\``, 'm')
  const blocks = new Map(
    page.split(/^## /m).flatMap((section) => {
      const [, code] = pattern.exec(section) ?? []
      return code === undefined ? [] : [[section.slice(0, section.indexOf('\n')), code] as const]
    }),
  )
  const missing = tasks.filter((task) => !blocks.has(task))
  if (missing.length > 0) throw new Error(`sdks/${folder}/README.md has no program for ${missing.join(', ')}`)
  return blocks
}
