import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pageHead, table } from './markdown.ts'
import { comparison as openai } from './sdk-comparison.ts'
import { anthropic, stripe } from './sdk-comparison-peers.ts'

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
  'Batch',
]

/** The ten tasks in three languages, from the READMEs of the SDKs, which CI executes. */
export const sdksPage = (): string => {
  const found = languages.map((language) => ({ ...language, blocks: blocksOf(language.key, language.fence) }))
  const ours = (task: string) => found.map(({ blocks }) => blocks.get(task) ?? '')
  const counts = tasks.map((task) => [
    `[${task}](#${task.toLowerCase().replaceAll(' ', '-')})`,
    ...ours(task).map((code, n) => cellOf(code, task, languages[n]?.key ?? 'go')),
  ])
  return `${pageHead('Ten tasks in three languages', '`sdks/*/README.md`, `tools/gen/sdk-comparison.ts` and `tools/gen/sdk-comparison-peers.ts`')}
The programs below are the first ones of each section in the READMEs of the SDKs for [TypeScript](../../sdks/typescript/README.md),
[Python](../../sdks/python/README.md) and [Go](../../sdks/go/README.md). CI executes them against the service.

## Lines of code

Lines that are neither empty nor a comment: ours / OpenAI / Anthropic / Stripe, the same task in the same style
(\`tools/gen/sdk-comparison.ts\` and \`tools/gen/sdk-comparison-peers.ts\`). A dash means that the SDK has no such task. The others are written for
${versions}; those in TypeScript were compiled with these versions.

${table(['task', ...languages.map(({ name }) => name)], counts)}

${tasks.map((task) => sectionOf(task, ours(task))).join('\n\n')}
`
}

const versions = [
  'openai 7.55.0 (npm), 3.51.0 (PyPI) and 3.94.0 (Go)',
  '@anthropic-ai/sdk 1.10.0, anthropic 2.10.0 and anthropic-sdk-go 1.84.0',
  'stripe 23.1.0, 16.1.0 and stripe-go 85',
].join('; ')

const peers = [openai, anthropic, stripe]

const cellOf = (code: string, task: string, language: (typeof languages)[number]['key']): string => {
  const others = peers.map((peer) => peer[task]?.[language])
  return [code, ...others].map((each) => (each === undefined ? '–' : linesOf(each))).join(' / ')
}

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
