import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pageHead, table } from './markdown.ts'

const source = join(import.meta.dirname, '../../examples/programs')

const languages = [
  { name: 'TypeScript', file: 'main.ts', fence: 'ts' },
  { name: 'Python', file: 'main.py', fence: 'python' },
  { name: 'Go', file: 'main.go', fence: 'go' },
] as const

/** The programs of `examples/programs`, which `pnpm sdks` compiles and executes. */
export const programsPage = (): string => {
  const names = readdirSync(source, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .toSorted()
  const rows = names.map((name) => [`[${titleOf(name)}](#${name})`, purposeOf(name)])
  return `${pageHead('Twelve programs in three languages', '`examples/programs/`')}
Whole programs for a first project, each under 40 lines of code. They need nothing but the SDK for [TypeScript](../../sdks/typescript/README.md),
[Python](../../sdks/python/README.md) or [Go](../../sdks/go/README.md) in an empty folder. The proof \`sdks\` installs the packed SDK into such a folder, checks the types as strictly
as the language can, runs each program against the service, and looks at what it prints, shows and does; pages are opened in Chromium.

${table(['program', 'what it does'], rows)}

1. Install the SDK and copy the program. TypeScript programs run with Node 24 and a \`package.json\` with \`"type": "module"\`.
2. Set \`ARS_BASE_URL\`, \`ARS_API_KEY\`, and \`AGENT_ID\` if the program runs an agent. To try one, take a [test agent](../guides/test-agents.md).
3. Start it as its first line says: \`node main.ts\`, \`python main.py\` or \`go run .\`.

${names.map(sectionOf).join('\n\n')}
`
}

const read = (name: string, file: string): string => readFileSync(join(source, name, file), 'utf8')

const titleOf = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`.replaceAll('-', ' ')

/** The first line of the program, without the command that starts it. */
const purposeOf = (name: string): string => {
  const [, purpose] = /^\/\/ (.+?)(?:: node main\.ts.*|\.)?\n/.exec(read(name, 'main.ts')) ?? []
  if (purpose === undefined) throw new Error(`examples/programs/${name}/main.ts does not begin with its purpose`)
  return purpose
}

const sectionOf = (name: string): string => {
  const page = existsSync(join(source, name, 'page.html'))
    ? ['`page.html`, beside the program:', blockOf(name, 'page.html', 'html')]
    : []
  const programs = languages.flatMap((language) => [`${language.name}:`, blockOf(name, language.file, language.fence)])
  return [`## ${titleOf(name)}`, ...programs, ...page].join('\n\n')
}

const blockOf = (name: string, file: string, fence: string): string =>
  `\`\`\`${fence}\n${read(name, file).trimEnd()}\n\`\`\``
